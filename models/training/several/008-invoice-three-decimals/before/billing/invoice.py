"""Invoices as plain text."""

from decimal import Decimal

from billing.money import show

TAX = Decimal("0.05")
WIDTH = 46


def line(label, amount, currency):
    text = show(amount, currency)
    return label.ljust(WIDTH - len(text)) + text


def invoice(items, currency):
    """The invoice for items of (label, amount)."""
    net = sum((amount for _, amount in items), Decimal(0))
    tax = net * TAX
    rows = [line(label, amount, currency) for label, amount in items]
    rows.append("-" * WIDTH)
    rows.append(line("net", net, currency))
    rows.append(line(f"tax {TAX:.0%}", tax, currency))
    rows.append(line("total", net + tax, currency))
    rows.append("")
    rows.append(f"Please pay {show(net + tax, currency)} within 14 days.")
    return "\n".join(rows)
