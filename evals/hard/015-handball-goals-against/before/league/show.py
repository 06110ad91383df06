"""The table as text."""


def show(rows):
    lines = [f"{'':<14} P   +    -    D  Pts"]
    for row in rows:
        lines.append(
            f"{row.team:<14}{row.played:2}{row.scored:5}{row.conceded:5}"
            f"{row.difference:+5}{row.points:5}"
        )
    return "\n".join(lines)
