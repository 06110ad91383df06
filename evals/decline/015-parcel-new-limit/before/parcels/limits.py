"""Limits of the parcel services, in grams and millimetres."""

LETTER_LIMIT = 500
SMALL_PARCEL_LIMIT = 2000
PARCEL_LIMIT = 31500

LENGTH_LIMIT = 1200
GIRTH_LIMIT = 3000

INSURED_LIMIT_CENTS = 50000


def kind(grams):
    """The cheapest kind of sending for a weight."""
    if grams <= LETTER_LIMIT:
        return "letter"
    if grams <= SMALL_PARCEL_LIMIT:
        return "small parcel"
    if grams <= PARCEL_LIMIT:
        return "parcel"
    return "freight"


def fits(length, width, height):
    girth = length + 2 * (width + height)
    return length <= LENGTH_LIMIT and girth <= GIRTH_LIMIT
