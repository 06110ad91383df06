import unittest

from links import GAP, links


class LinksTest(unittest.TestCase):
    def test_few_pages(self):
        self.assertEqual(links(2, 3), [1, 2, 3])

    def test_gap_on_both_sides(self):
        self.assertEqual(links(5, 9), [1, GAP, 4, 5, 6, GAP, 9])

    def test_single_page(self):
        self.assertEqual(links(1, 1), [1])
