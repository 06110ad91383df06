"""Import of the statements that the bank offers as CSV."""

import csv
import datetime
import io
from decimal import Decimal, InvalidOperation


class Booking:
    def __init__(self, day, amount, text):
        self.day = day
        self.amount = amount
        self.text = text


def parse_rate(text, fallback=Decimal("1")):
    """Exchange rate given on the command line."""
    try:
        return Decimal(text)
    except InvalidOperation:
        return fallback


def parse_row(row, rate):
    """One line of the statement; raises on missing columns and bad dates."""
    day = datetime.date.fromisoformat(row["date"])
    amount = Decimal(row["amount"]) * rate
    return Booking(day, amount.quantize(Decimal("0.01")), row["text"].strip())


def import_statement(text, rate="1"):
    """Return the bookings and the number of lines that were skipped."""
    factor = parse_rate(rate)
    bookings = []
    skipped = 0
    for row in csv.DictReader(io.StringIO(text)):
        try:
            booking = parse_row(row, factor)
        except (KeyError, ValueError, InvalidOperation):
            skipped += 1
            continue
        bookings.append(booking)
    return bookings, skipped
