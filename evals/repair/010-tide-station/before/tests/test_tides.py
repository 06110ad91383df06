import unittest

import tides
import units


class UnitsTest(unittest.TestCase):
    def test_speed(self):
        self.assertAlmostEqual(units.kmh(10), 18.52)

    def test_clock_wraps_at_midnight(self):
        self.assertEqual(units.clock(257), "04:17")
        self.assertEqual(units.clock(1445), "00:05")


class TidesTest(unittest.TestCase):
    def test_parse(self):
        self.assertEqual(tides.parse("04:17 H 11.2"), (257, "H", 11.2))

    def test_parse_rejects_other_kinds(self):
        with self.assertRaises(ValueError):
            tides.parse("04:17 M 11.2")

    def test_describe_in_metres(self):
        self.assertEqual(
            tides.describe(tides.parse("04:17 H 10.0")),
            "04:17 high water, 3.05 m",
        )

    def test_range_in_metres(self):
        day = [tides.parse("04:17 H 12.5"), tides.parse("10:29 L 2.5")]
        self.assertAlmostEqual(tides.tidal_range(day), 3.048)


if __name__ == "__main__":
    unittest.main()
