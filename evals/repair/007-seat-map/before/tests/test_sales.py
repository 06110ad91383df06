import unittest

from boxoffice.hall import Hall
from boxoffice.sales import Performance


class SalesTest(unittest.TestCase):
    def setUp(self):
        self.show = Performance(Hall([3, 3]))

    def test_seat_sells_once(self):
        self.assertTrue(self.show.sell("A1"))
        self.assertFalse(self.show.sell("A1"))

    def test_no_such_seat(self):
        self.assertFalse(self.show.sell("A4"))

    def test_corner_seat_can_be_sold(self):
        self.assertTrue(self.show.sell("B3"))
