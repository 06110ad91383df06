from datetime import date
from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")
DISCOUNT = Decimal("0.10")
DEPOSIT = Decimal("0.15")


def rounded(amount):
    return amount.quantize(CENT, rounding=ROUND_HALF_UP)


# Bread of yesterday goes for half the price.
def apply_day_old(price):
    return rounded(price / 2)


def apply_discount(price, customer, today=None):
    today = today or date.today()
    if not customer.is_regular or today.weekday() >= 5:
        return price
    return rounded(price * (1 - DISCOUNT))


def apply_deposit(price, bottles):
    return price + DEPOSIT * bottles


def total(lines, customer):
    amount = Decimal(0)
    for line in lines:
        price = line.price
        if line.day_old:
            price = apply_day_old(price)
        amount += apply_discount(price, customer) * line.count
        amount = apply_deposit(amount, line.bottles)
    return rounded(amount)
