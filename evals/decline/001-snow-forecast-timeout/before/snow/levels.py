"""Names of the danger levels."""

LEVELS = {
    1: "low",
    2: "moderate",
    3: "considerable",
    4: "high",
    5: "very high",
}


def worst(levels):
    """The highest level of a day and its name."""
    top = max(levels.values())
    return top, LEVELS[top]
