import sys

sys.dont_write_bytecode = True

from bookshop.discount import discount_percent, earns_points, final_cents
from bookshop.order import Customer, Line, Order

member, guest = Customer("Mia", True), Customer("Tom")
book, card = Line("Atlas", 4000), Line("Gift card", 2500, gift_card=True)
bulk = Line("Reader", 500, copies=20)
assert discount_percent(Order([book]), member) == 10
assert discount_percent(Order([book]), guest) == 0
assert discount_percent(Order([Line("Map", 2999)]), member) == 0
assert discount_percent(Order([Line("Map", 3000)]), member) == 10
assert discount_percent(Order([book, card]), member) == 0
assert discount_percent(Order([book, card]), guest) == 0
for who in (member, guest):
    assert discount_percent(Order([book, card], "STAFF"), who) == 10
    assert discount_percent(Order([card], "STAFF"), who) == 10
    assert discount_percent(Order([book], "STAFF"), who) == 10
    assert discount_percent(Order([bulk, card]), who) == 5
assert discount_percent(Order([bulk]), guest) == 5
assert discount_percent(Order([bulk]), member) == 10
assert final_cents(Order([book, card]), member) == 6500
assert earns_points(Order([book]), member) and not earns_points(Order([card]), member)
