"""Sums over bookings."""

from decimal import Decimal


def balance(bookings, opening=Decimal("0")):
    total = opening
    for booking in bookings:
        total += booking.amount
    return total


def by_month(bookings):
    """Balance of each month, the key is like 2024-03."""
    months = {}
    for booking in bookings:
        key = booking.day.strftime("%Y-%m")
        months[key] = months.get(key, Decimal("0")) + booking.amount
    return dict(sorted(months.items()))
