"""Conversions used by the tide pages."""

FEET_TO_METRES = 0.3048
KNOTS_TO_KMH = 1.852


def metres(feet):
    return feet * FEET_TO_METRES


def kmh(knots):
    return knots * KNOTS_TO_KMH


def clock(minutes):
    """Minutes after midnight as HH:MM."""
    return "%02d:%02d" % divmod(minutes % 1440, 60)
