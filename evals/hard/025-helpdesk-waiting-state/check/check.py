import sys

sys.dont_write_bytecode = True

from helpdesk import texts
from helpdesk.states import FINAL, STATES, UnknownState, comes_after
from helpdesk.ticket import Ticket

assert tuple(STATES) == ("new", "in_progress", "waiting", "solved", "closed")
assert tuple(FINAL) == ("closed",)
assert set(texts.STATE_LABELS) == set(STATES)
assert set(texts.PRIORITY_LABELS) == {"low", "normal", "high"}
ticket = Ticket(8, "No sound")
ticket.move("waiting", "eva")
assert ticket.headline() == "#8 No sound [Waiting for customer, Normal]"
ticket.move("solved", "eva")
assert ticket.headline() == "#8 No sound [Solved, Normal]"
assert comes_after("waiting", "in_progress") and comes_after("solved", "waiting")
try:
    ticket.move("lost", "eva")
except UnknownState:
    pass
else:
    raise SystemExit("an unknown state was taken")
