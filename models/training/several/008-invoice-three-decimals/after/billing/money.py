"""Money as text."""

from decimal import Decimal

SYMBOLS = {"EUR": "€", "GBP": "£", "KWD": "KD"}


def show(amount, currency):
    """The amount as it stands on paper."""
    symbol = SYMBOLS.get(currency, currency)
    return f"{amount:,.3f} {symbol}"


def parse(text):
    """The amount that someone typed."""
    return Decimal(text.replace(",", "").strip())
