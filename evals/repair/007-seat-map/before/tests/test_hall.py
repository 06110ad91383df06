import unittest

from boxoffice.hall import Hall, Row


class RowTest(unittest.TestCase):
    def test_labels_run_to_the_last_seat(self):
        self.assertEqual(Row("B", 4).labels(), ["B1", "B2", "B3", "B4"])

    def test_first_label(self):
        self.assertEqual(Row("C", 9).labels()[0], "C1")

    def test_aisle_splits_neighbours(self):
        row = Row("A", 12, aisle_after=[6])
        self.assertTrue(row.together(5, 6))
        self.assertFalse(row.together(6, 7))
        self.assertFalse(row.together(1, 3))


class HallTest(unittest.TestCase):
    def test_row_by_letter(self):
        self.assertEqual(Hall([10, 12]).row("B").width, 12)

    def test_unknown_row(self):
        with self.assertRaises(KeyError):
            Hall([10]).row("Q")
