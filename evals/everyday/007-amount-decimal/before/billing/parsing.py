"""Read the fields of scanned invoices."""

import re
from datetime import date, datetime
from decimal import Decimal

DATE_FORMATS = ("%d.%m.%Y", "%Y-%m-%d", "%d/%m/%Y")
AMOUNT = re.compile(r"-?\d[\d.,' ]*")


def parse_date(text: str) -> date:
    """Return the first date format that fits."""
    for pattern in DATE_FORMATS:
        try:
            return datetime.strptime(text.strip(), pattern).date()
        except ValueError:
            continue
    raise ValueError(f"not a date: {text!r}")


def parse_amount(text: str) -> float:
    """Return the amount in a text such as "EUR 1.204,50"."""
    match = AMOUNT.search(text)
    if match is None:
        raise ValueError(f"no amount in {text!r}")
    digits = match.group().replace(" ", "").replace("'", "")
    if "," in digits and digits.rfind(",") > digits.rfind("."):
        digits = digits.replace(".", "").replace(",", ".")
    return Decimal(digits.replace(",", ""))


def parse_percent(text: str) -> float:
    """Return "19 %" as 0.19."""
    return float(text.strip().rstrip("%").strip()) / 100


def confidence(scores: list[float]) -> float:
    """Return how sure the scanner was about a field."""
    return min(scores, default=0.0)
