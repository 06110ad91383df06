"""Days of the Gregorian calendar, as far as the parish registers need it."""

MONTH_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
FIRST_YEAR = 1583


class NoSuchDay(ValueError):
    """A date that the calendar does not have."""


def is_leap(year):
    return year % 4 == 0 and year % 100 != 0 or year % 400 == 0


def days_in_month(year, month):
    if month == 2 and is_leap(year):
        return 29
    return MONTH_DAYS[month - 1]


def days_in_year(year):
    return sum(days_in_month(year, month) for month in range(1, 13))


def check_day(year, month, day):
    """Raise NoSuchDay unless the date exists."""
    if year < FIRST_YEAR:
        raise NoSuchDay(f"{year} is before the new calendar")
    if not 1 <= month <= 12:
        raise NoSuchDay(f"there is no month {month}")
    if not 1 <= day <= days_in_month(year, month):
        raise NoSuchDay(f"{year}-{month:02}-{day:02}: no such day")


def day_of_year(year, month, day):
    check_day(year, month, day)
    return sum(days_in_month(year, m) for m in range(1, month)) + day
