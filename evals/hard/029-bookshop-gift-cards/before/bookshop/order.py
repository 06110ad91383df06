"""Orders and customers."""


class Customer:
    def __init__(self, name, is_member=False):
        self.name = name
        self.is_member = is_member


class Line:
    def __init__(self, title, cents, copies=1, gift_card=False):
        self.title = title
        self.cents = cents
        self.copies = copies
        self.gift_card = gift_card


class Order:
    def __init__(self, lines, coupon=None):
        self.lines = lines
        self.coupon = coupon

    @property
    def total_cents(self):
        return sum(line.cents * line.copies for line in self.lines)

    @property
    def has_gift_card(self):
        return any(line.gift_card for line in self.lines)

    def most_copies(self):
        return max((line.copies for line in self.lines), default=0)
