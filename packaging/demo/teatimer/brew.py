"""Which teas there are, and how they are brewed."""

from dataclasses import dataclass


@dataclass
class Tea:
    name: str
    minutes: float
    celsius: int


TEAS = [
    Tea("green", 2, 75),
    Tea("black", 4, 96),
    Tea("oolong", 3, 85),
]


def find(name):
    """The tea of that name, or None."""
    for tea in TEAS:
        if tea.name == name:
            return tea
    return None
