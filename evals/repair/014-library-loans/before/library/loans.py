"""Lending and renewing books at the desk."""

from datetime import timedelta

LOAN_DAYS = 21
MAX_RENEWALS = 2


class LoanError(Exception):
    pass


class Loan:
    def __init__(self, reader, due):
        self.reader = reader
        self.due = due
        self.renewals = 0


class Desk:
    def __init__(self):
        self.loans = {}

    def lend(self, book, reader, today):
        """Hand out a book; returns the day it is due."""
        if book in self.loans:
            raise LoanError("%s is already out" % book)
        due = today + timedelta(days=LOAN_DAYS)
        self.loans[book] = Loan(reader, due)
        return due

    def renew(self, book, today):
        """Extend a loan from today; returns the new day it is due."""
        loan = self.loans.get(book)
        if loan is None:
            raise LoanError("%s is not out" % book)
        if loan.renewals == MAX_RENEWALS:
            raise LoanError("%s cannot be renewed again" % book)
        loan.renewals += 1
        loan.due = today + timedelta(days=LOAN_DAYS)

    def take_back(self, book, today):
        """Returns how many days late the book came back."""
        loan = self.loans.pop(book)
        return max(0, (today - loan.due).days)
