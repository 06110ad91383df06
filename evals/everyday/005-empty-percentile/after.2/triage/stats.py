"""Waiting time statistics for the emergency room board.

All functions take waiting times in minutes.
"""

from collections import defaultdict

LEVELS = ("red", "orange", "yellow", "green", "blue")
TARGETS = {"red": 0, "orange": 10, "yellow": 30, "green": 90, "blue": 120}


def average_wait(waits):
    """Return the arithmetic mean."""
    if not waits:
        return 0.0
    return sum(waits) / len(waits)


def longest_wait(waits):
    """Return the longest wait."""
    if not waits:
        return 0.0
    return float(max(waits))


def median_wait(waits):
    """Return the middle value, or the mean of the two middle ones."""
    if not waits:
        return 0.0
    ordered = sorted(waits)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return float(ordered[middle])
    return (ordered[middle - 1] + ordered[middle]) / 2


def percentile(waits, share):
    """Return the wait that the given share of patients stayed below."""
    if not waits:
        return 0.0

    ordered = sorted(waits)
    rank = share * (len(ordered) - 1)
    low = int(rank)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (rank - low) * (ordered[high] - ordered[low])


def by_level(visits):
    """Group the waits of (level, wait) pairs."""
    groups = defaultdict(list)
    for level, wait in visits:
        groups[level].append(wait)
    return {level: groups[level] for level in LEVELS}


def within_target(level, waits):
    """Return the share of waits that met the target of their level."""
    if not waits:
        return 1.0
    met = [wait for wait in waits if wait <= TARGETS[level]]
    return len(met) / len(waits)


def board(visits):
    """Return one row of figures for each level."""
    rows = []
    for level, waits in by_level(visits).items():
        rows.append(
            {
                "level": level,
                "patients": len(waits),
                "average": average_wait(waits),
                "median": median_wait(waits),
                "p90": percentile(waits, 0.9),
                "longest": longest_wait(waits),
                "within_target": within_target(level, waits),
            }
        )
    return rows
