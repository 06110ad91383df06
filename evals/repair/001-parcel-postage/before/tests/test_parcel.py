import unittest

import rates
from parcel import Parcel, quote


class RatesTest(unittest.TestCase):
    def test_band_limit_is_inclusive(self):
        self.assertEqual(rates.price_for(250), 240)
        self.assertEqual(rates.price_for(251), 395)

    def test_too_heavy(self):
        with self.assertRaises(ValueError):
            rates.price_for(20001)


class QuoteTest(unittest.TestCase):
    def test_small_heavy_parcel_goes_by_weight(self):
        self.assertEqual(quote(Parcel(10, 10, 10, 4000)), "8.70")

    def test_large_light_parcel_goes_by_volume(self):
        self.assertEqual(Parcel(40, 30, 20, 300).chargeable_grams, 4800)

    def test_pillow_box(self):
        self.assertEqual(quote(Parcel(25, 20, 10, 180)), "3.95")


if __name__ == "__main__":
    unittest.main()
