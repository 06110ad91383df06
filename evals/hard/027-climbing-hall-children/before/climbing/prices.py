"""Entrance fees in cents."""

ADULT = 1450
YOUTH = 950
CHILD = 650


def entrance_fee(visitor, evening=False):
    if visitor.age >= 18:
        fee = ADULT
    elif visitor.age >= 14:
        fee = YOUTH
    else:
        fee = CHILD
    return fee - 200 if evening else fee
