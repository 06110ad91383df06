import unittest
from datetime import date

from library.loans import Desk, LoanError


class DeskTest(unittest.TestCase):
    def setUp(self):
        self.desk = Desk()
        self.due = self.desk.lend("Emma", "Ruth", date(2023, 3, 1))

    def test_lend_for_three_weeks(self):
        self.assertEqual(self.due, date(2023, 3, 22))

    def test_cannot_lend_twice(self):
        with self.assertRaises(LoanError):
            self.desk.lend("Emma", "Joel", date(2023, 3, 2))

    def test_renew_tells_new_due_date(self):
        due = self.desk.renew("Emma", date(2023, 3, 20))
        self.assertEqual(due, date(2023, 4, 10))

    def test_two_renewals_only(self):
        self.desk.renew("Emma", date(2023, 3, 20))
        self.desk.renew("Emma", date(2023, 4, 9))
        with self.assertRaises(LoanError):
            self.desk.renew("Emma", date(2023, 4, 29))

    def test_days_late(self):
        self.assertEqual(self.desk.take_back("Emma", date(2023, 3, 25)), 3)

    def test_early_is_not_late(self):
        self.assertEqual(self.desk.take_back("Emma", date(2023, 3, 5)), 0)
