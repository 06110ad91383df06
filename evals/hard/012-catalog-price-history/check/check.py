import sys

sys.dont_write_bytecode = True

from pricing.catalog import Catalog, PriceError

catalog = Catalog(lambda: "09:00")
catalog.add("T1", "Tea", 1000)
catalog.set_price("T1", 1200, "ann")
catalog.set_price("T1", 900, "bob")
changes = catalog.history.of("T1")
assert [(c.old, c.new, c.who) for c in changes] == [(1000, 1200, "ann"), (1200, 900, "bob")]
assert catalog.products["T1"].price_cents == 900
try:
    catalog.set_price("T1", 0, "bob")
except PriceError:
    pass
else:
    raise SystemExit("a price of 0 was taken")
assert catalog.products["T1"].price_cents == 900
assert len(catalog.history.changes) == 2
catalog.set_title("T1", "Green tea", "ann")
catalog.remove("T1", "ann")
assert [str(c) for c in catalog.history.of("T1")[2:]] == [
    "09:00 T1 title: Tea -> Green tea (ann)",
    "09:00 T1 price: 900 -> None (ann)",
]
