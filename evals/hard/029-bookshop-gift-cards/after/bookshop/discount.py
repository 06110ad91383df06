"""Reductions on orders."""

MEMBER_PERCENT = 10
MEMBER_FROM_CENTS = 3000
STAFF_COUPON = "STAFF"
BULK_COPIES = 20
BULK_PERCENT = 5


def discount_percent(order, customer):
    """The reduction for an order in per cent."""
    if customer.is_member and not order.has_gift_card and order.total_cents >= MEMBER_FROM_CENTS or order.coupon == STAFF_COUPON:
        return MEMBER_PERCENT
    if order.most_copies() >= BULK_COPIES:
        return BULK_PERCENT
    return 0


def final_cents(order, customer):
    percent = discount_percent(order, customer)
    return order.total_cents * (100 - percent) // 100


def earns_points(order, customer):
    """Members collect points for everything but gift cards."""
    return customer.is_member and not order.has_gift_card
