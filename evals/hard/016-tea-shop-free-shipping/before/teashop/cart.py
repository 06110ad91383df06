"""The cart of the tea shop."""

from teashop.shipping import FREE_FROM, shipping_cents


class Cart:
    def __init__(self):
        self.lines = []

    def add(self, title, cents, grams, count=1):
        self.lines.append((title, cents, grams, count))

    def goods_cents(self):
        return sum(cents * count for _, cents, _, count in self.lines)

    def grams(self):
        return sum(grams * count for _, _, grams, count in self.lines)

    def missing_for_free(self):
        """What is still missing until the postage is free."""
        return max(0, FREE_FROM - self.goods_cents())

    def total_cents(self, express=False, island=False):
        goods = self.goods_cents()
        return goods + shipping_cents(goods, self.grams(), express, island)
