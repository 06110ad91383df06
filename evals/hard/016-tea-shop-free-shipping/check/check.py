import sys

sys.dont_write_bytecode = True

from teashop.cart import Cart
from teashop.shipping import shipping_cents

assert shipping_cents(4999, 900) == 490
assert shipping_cents(5000, 900) == 0
assert shipping_cents(5001, 900) == 0
assert shipping_cents(5000, 900, express=True) == 1290
assert shipping_cents(5000, 900, island=True) == 350
assert shipping_cents(5000, 5000) == 250
assert shipping_cents(5000, 4999) == 0
assert shipping_cents(1999, 500) == 185
assert shipping_cents(2000, 500) == 490
cart = Cart()
cart.add("Assam", 1250, 100, 4)
assert cart.missing_for_free() == 0
assert cart.total_cents() == 5000
