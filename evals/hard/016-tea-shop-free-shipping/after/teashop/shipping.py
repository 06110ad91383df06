"""Cost of sending a parcel, all amounts in cents."""

FREE_FROM = 5000
BASE = 490
EXPRESS = 1290
ISLAND_EXTRA = 350
HEAVY_FROM_GRAMS = 5000
HEAVY_EXTRA = 250
LETTER_MAX_GRAMS = 500
LETTER = 185


def is_letter(grams, goods_cents):
    """Small and cheap things go as a letter."""
    return grams <= LETTER_MAX_GRAMS and goods_cents < 2000


def shipping_cents(goods_cents, grams, express=False, island=False):
    """Postage for goods of that price and weight."""
    extra = 0
    if island:
        extra += ISLAND_EXTRA
    if grams >= HEAVY_FROM_GRAMS:
        extra += HEAVY_EXTRA
    if express:
        return EXPRESS + extra
    if goods_cents >= FREE_FROM:
        return extra
    if is_letter(grams, goods_cents):
        return LETTER + extra
    return BASE + extra
