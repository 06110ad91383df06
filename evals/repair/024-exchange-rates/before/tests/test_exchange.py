import unittest

from exchange import RateTable, parse_quote


class RateTableTest(unittest.TestCase):
    def setUp(self):
        self.time = 1000
        self.quotes = {("EUR", "SEK"): "11.25", ("EUR", "XXX"): "0"}
        self.table = RateTable(
            lambda source, target: self.quotes[source, target],
            lambda: self.time,
        )

    def test_same_currency(self):
        self.assertEqual(self.table.rate("EUR", "EUR"), 1.0)
        self.assertEqual(self.table.fetches, 0)

    def test_first_lookup(self):
        self.assertEqual(self.table.rate("EUR", "SEK"), 11.25)

    def test_kept_for_an_hour(self):
        self.table.rate("EUR", "SEK")
        self.time += 3599
        self.assertEqual(self.table.rate("EUR", "SEK"), 11.25)
        self.assertEqual(self.table.fetches, 1)

    def test_fetched_again_after_an_hour(self):
        self.table.rate("EUR", "SEK")
        self.time += 3600
        self.table.rate("EUR", "SEK")
        self.assertEqual(self.table.fetches, 2)

    def test_zero_rate_is_refused(self):
        with self.assertRaises(ValueError):
            self.table.rate("EUR", "XXX")


class ParseTest(unittest.TestCase):
    def test_quote(self):
        self.assertEqual(parse_quote("EUR/SEK 11.25"), ("EUR", "SEK", 11.25))


if __name__ == "__main__":
    unittest.main()
