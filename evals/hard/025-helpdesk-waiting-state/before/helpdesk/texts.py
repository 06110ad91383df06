"""Texts that people see."""

STATE_LABELS = {
    "new": "New",
    "in_progress": "In progress",
    "solved": "Solved",
    "closed": "Closed",
}

PRIORITY_LABELS = {
    "low": "When there is time",
    "normal": "Normal",
    "high": "Urgent",
}


def state_label(state):
    return STATE_LABELS[state]


def priority_label(priority):
    return PRIORITY_LABELS[priority]
