"""Reading coordinates as they stand in old gazetteers."""

import re

PATTERN = re.compile(
    r"""^\s*(\d{1,3})[°d]\s*(?:(\d{1,2})['m]\s*)?(?:(\d{1,2})["s]\s*)?([NSEW])\s*$"""
)


class CoordinateError(ValueError):
    """The text is no coordinate."""


def parse_angle(text):
    """Degrees as a signed number from a text like `38° 43' N`."""
    match = PATTERN.match(text)
    if not match:
        raise CoordinateError(text)
    degrees, minutes, seconds, side = match.groups()
    value = int(degrees) + int(minutes or 0) / 60 + int(seconds or 0) / 3600
    limit = 90 if side in "NS" else 180
    if value > limit:
        raise CoordinateError(f"{text} is beyond {limit} degrees")
    return -value if side in "SE" else value


def parse_place(text):
    """Latitude and longitude from two angles with a comma in between."""
    first, _, second = text.partition(",")
    return parse_angle(first), parse_angle(second)


def format_angle(value, sides):
    """The reverse; `sides` is "NS" or "EW"."""
    side = sides[0] if value >= 0 else sides[1]
    minutes = round(abs(value) * 60)
    return f"{minutes // 60}° {minutes % 60}' {side}"
