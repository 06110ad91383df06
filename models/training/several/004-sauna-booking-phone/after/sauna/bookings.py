"""Bookings of the village sauna, kept in a CSV file."""

import csv
from dataclasses import dataclass
from datetime import date


@dataclass
class Booking:
    day: date
    slot: int
    name: str
    guests: int
    phone: str

    def is_group(self):
        """Groups get the big cabin."""
        return self.guests > 4


def to_row(booking):
    """The booking as a row of the file."""
    return [
        booking.day.isoformat(),
        str(booking.slot),
        booking.name,
        str(booking.guests),
        booking.phone,
    ]


def from_row(row):
    """The booking that a row of the file holds."""
    return Booking(
        day=date.fromisoformat(row[0]),
        slot=int(row[1]),
        name=row[2],
        guests=int(row[3]),
        phone=row[4],
    )


def save(path, bookings):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(to_row(b) for b in bookings)


def load(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [from_row(row) for row in csv.reader(file)]
