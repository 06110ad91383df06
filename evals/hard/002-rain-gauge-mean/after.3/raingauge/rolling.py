"""Rolling figures over daily readings in millimetres."""


def window_total(values, end, days):
    """Sum of the `days` readings up to and including index `end`."""
    first = max(0, end + 1 - days)
    return sum(values[first : end + 1])


def window_mean(values, end, days):
    """Mean of the `days` readings up to and including index `end`."""
    first = max(0, end + 1 - days)
    part = values[first:end+1]
    if not part:
        return None
    return sum(part) / len(part)


def window_peak(values, end, days):
    """Largest of the `days` readings up to and including index `end`."""
    first = max(0, end + 1 - days)
    return max(values[first : end + 1])


def dry_days(values, end, limit=0.1):
    """How many days in a row before index `end` stayed below the limit."""
    count = 0
    for value in reversed(values[:end]):
        if value >= limit:
            break
        count += 1
    return count
