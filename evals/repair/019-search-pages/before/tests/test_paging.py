import unittest

from paging import Pager


class PagerTest(unittest.TestCase):
    def test_nothing_found(self):
        self.assertEqual(Pager([]).count, 1)
        self.assertEqual(Pager([]).page(1), [])

    def test_last_page_is_short(self):
        pager = Pager(range(45))
        self.assertEqual(pager.count, 3)
        self.assertEqual(pager.page(3), [40, 41, 42, 43, 44])

    def test_full_pages_only(self):
        self.assertEqual(Pager(range(40)).count, 2)

    def test_page_out_of_reach(self):
        with self.assertRaises(IndexError):
            Pager(range(45)).page(4)
