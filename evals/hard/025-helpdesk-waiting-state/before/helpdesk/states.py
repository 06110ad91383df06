"""The states a ticket goes through."""

STATES = (
    "new",
    "in_progress",
    "solved",
    "closed",
)

FINAL = ("closed",)


class UnknownState(ValueError):
    """There is no such state."""


def check_state(state):
    if state not in STATES:
        raise UnknownState(state)
    return state


def comes_after(state, other):
    """Whether a state is further on than the other."""
    return STATES.index(check_state(state)) > STATES.index(check_state(other))
