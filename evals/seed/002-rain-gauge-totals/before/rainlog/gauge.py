"""Reads the CSV files of the tipping-bucket rain gauge."""
import csv
from datetime import datetime

MM_PER_TIP = 0.2


def read_tips(path):
    """Yield (time, tips) pairs from one logger file."""
    with open(path, newline="") as handle:
        for row in csv.DictReader(handle, delimiter=";"):
            yield datetime.fromisoformat(row["time"]), int(row["tips"])


def monthly_totals(paths):
    """Rain per month, as a dict of "YYYY-MM" to millimetres."""
    acc = {}
    seen = set()
    for path in paths:
        for when, tips in read_tips(path):
            if when in seen:
                continue
            seen.add(when)
            month = when.strftime("%Y-%m")
            acc[month] = acc.get(month, 0.0) + tips * MM_PER_TIP
    return {month: round(acc[month], 1) for month in sorted(acc)}


def wettest_day(paths):
    """The day with the most rain, and how much it was."""
    days = {}
    for path in paths:
        for when, tips in read_tips(path):
            day = when.date()
            days[day] = days.get(day, 0.0) + tips * MM_PER_TIP
    if not days:
        return None
    best = max(days, key=days.get)
    return best, round(days[best], 1)
