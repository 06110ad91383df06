"""A parcel and what it costs to send."""

from dataclasses import dataclass

import rates

# Cubic centimetres that count as one kilogram.
VOLUME_DIVISOR = 500


@dataclass(frozen=True)
class Parcel:
    length_cm: int
    width_cm: int
    height_cm: int
    grams: int

    @property
    def volume(self):
        return self.length_cm * self.width_cm * self.height_cm

    @property
    def volume_grams(self):
        return self.volume * 1000 // VOLUME_DIVISOR

    @property
    def chargeable_grams(self):
        return max(self.grams, self.volume_grams)


def quote(parcel):
    """Postage for a parcel as text, such as '3.95'."""
    pence = rates.price_for(parcel.chargeable_grams)
    return "%d.%02d" % divmod(pence, 100)
