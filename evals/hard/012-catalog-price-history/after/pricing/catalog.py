"""Products and their prices."""

from pricing.history import History


class PriceError(Exception):
    """A price that makes no sense."""


class Product:
    def __init__(self, sku, title, price_cents):
        self.sku = sku
        self.title = title
        self.price_cents = price_cents


class Catalog:
    def __init__(self, clock):
        self.products = {}
        self.history = History(clock)

    def add(self, sku, title, price_cents):
        if sku in self.products:
            raise KeyError(f"{sku} is there already")
        self.products[sku] = Product(sku, title, price_cents)

    def set_title(self, sku, title, who):
        product = self.products[sku]
        self.history.note(sku, "title", product.title, title, who)
        product.title = title

    def set_price(self, sku, price_cents, who):
        product = self.products[sku]
        if price_cents <= 0:
            raise PriceError(f"{sku}: {price_cents} is no price")
        self.history.note(sku, "price", product.price_cents, price_cents, who)
        product.price_cents = price_cents

    def remove(self, sku, who):
        product = self.products.pop(sku)
        self.history.note(sku, "price", product.price_cents, None, who)
