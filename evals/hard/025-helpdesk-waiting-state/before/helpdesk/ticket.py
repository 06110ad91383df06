"""A ticket and its history."""

from helpdesk.states import FINAL, check_state
from helpdesk.texts import priority_label, state_label


class Ticket:
    def __init__(self, number, subject, priority="normal"):
        self.number = number
        self.subject = subject
        self.priority = priority
        self.state = "new"
        self.history = []

    def move(self, state, who):
        check_state(state)
        if self.state in FINAL:
            raise RuntimeError(f"ticket {self.number} is closed")
        self.history.append((who, self.state, state))
        self.state = state

    def headline(self):
        return (
            f"#{self.number} {self.subject}"
            f" [{state_label(self.state)}, {priority_label(self.priority)}]"
        )
