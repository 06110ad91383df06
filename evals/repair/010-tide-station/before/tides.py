"""Tide tables: each line holds a time, H or L, and a height in feet."""

from collections import namedtuple

import units

Tide = namedtuple("Tide", "minute kind feet")


def parse(line):
    """'04:17 H 11.2' -> Tide(257, 'H', 11.2)"""
    time, kind, feet = line.split()
    hours, minutes = time.split(":")
    if kind not in ("H", "L"):
        raise ValueError("tide must be H or L, not %r" % kind)
    return Tide(int(hours) * 60 + int(minutes), kind, float(feet))


def describe(tide):
    word = "high" if tide.kind == "H" else "low"
    return "%s %s water, %.2f m" % (
        units.clock(tide.minute), word, units.metres(tide.feet)
    )


def tidal_range(tides):
    """Difference between the highest and the lowest water, in metres."""
    feet = [tide.feet for tide in tides]
    return units.metres(max(feet) - min(feet))
