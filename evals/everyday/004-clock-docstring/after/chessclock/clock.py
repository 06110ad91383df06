"""A chess clock with increment."""

import time

WHITE, BLACK = 0, 1


class ChessClock:
    """Two countdowns of which at most one runs."""

    def __init__(self, minutes, increment=0):
        self.left = [minutes * 60.0, minutes * 60.0]
        self.increment = increment
        self.running = None
        self.since = 0.0

    def start(self, side=WHITE):
        """Let the countdown of one side run."""
        self.running = side
        self.since = time.monotonic()

    def pause(self):
        """Stop both sides without adding the increment."""
        if self.running is None:
            return
        self._book()
        self.running = None

    def switch(self):
        """Stop the running side and start the other one."""
        if self.running is None:
            raise RuntimeError("the clock is not running")
        self._book()
        self.left[self.running] += self.increment
        self.start(1 - self.running)

    def remaining(self, side):
        """Return the seconds a side has left, never below zero."""
        left = self.left[side]
        if side == self.running:
            left -= time.monotonic() - self.since
        return max(left, 0.0)

    def flagged(self):
        """Return the side that ran out of time, or None."""
        for side in (WHITE, BLACK):
            if self.remaining(side) == 0.0:
                return side
        return None

    def _book(self):
        self.left[self.running] = self.remaining(self.running)
