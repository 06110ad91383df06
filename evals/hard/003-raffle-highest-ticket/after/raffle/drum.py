"""The drum that the winning tickets are drawn from."""

import random


class DrumEmpty(Exception):
    """Every ticket has been drawn already."""


class Drum:
    """Tickets are numbered from `first` to `last`, both included."""

    def __init__(self, first, last, rng=None):
        if last < first:
            raise ValueError("the last ticket comes before the first")
        self.first = first
        self.last = last
        self.drawn = set()
        self.rng = rng or random.Random()

    def size(self):
        return self.last - self.first + 1

    def left(self):
        return self.size() - len(self.drawn)

    def draw(self):
        """Take out one ticket; no ticket is drawn twice."""
        free = [n for n in range(self.first, self.last + 1) if n not in self.drawn]
        if not free:
            raise DrumEmpty("no tickets left")
        number = self.rng.choice(free)
        self.drawn.add(number)
        return number

    def final_digit(self):
        """A digit from 0 to 9; all tickets ending in it win a consolation prize."""
        return self.rng.randrange(10)

    def ending_in(self, digit):
        """All tickets that end in the given digit."""
        return [n for n in range(self.first, self.last + 1) if n % 10 == digit]
