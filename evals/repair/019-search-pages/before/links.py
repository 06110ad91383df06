"""The row of page links under a result list."""

GAP = "..."


def links(current, count, around=1):
    """[1, '...', 4, 5, 6, '...', 9] for page 5 of 9."""
    wanted = {1, count}
    wanted.update(range(current - around, current + around + 1))
    row = []
    last = 0
    for number in sorted(n for n in wanted if 1 <= n <= count):
        if number - last > 1:
            row.append(GAP)
        row.append(number)
        last = number
    return row
