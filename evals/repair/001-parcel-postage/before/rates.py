"""Postage bands: heaviest weight in grams, price in pence."""

BANDS = (
    (100, 165),
    (250, 240),
    (1000, 395),
    (2000, 540),
    (5000, 870),
    (10000, 1290),
    (20000, 1985),
)

HEAVIEST = BANDS[-1][0]


def price_for(grams):
    """Price in pence of the first band that takes this weight."""
    for limit, pence in BANDS:
        if grams <= limit:
            return pence
    raise ValueError("too heavy: %d g (limit %d g)" % (grams, HEAVIEST))
