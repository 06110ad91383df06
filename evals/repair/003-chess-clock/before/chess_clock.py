"""A two-player chess clock counted in whole seconds."""

WHITE, BLACK = "white", "black"


class FlagFallen(Exception):
    """The player to move has run out of time."""


class ChessClock:
    def __init__(self, minutes, increment=0):
        start = minutes * 60
        self.increment = increment
        self.remaining = {WHITE: start, BLACK: start}
        self.to_move = WHITE
        self.moves = 0

    @classmethod
    def from_text(cls, text):
        """Read a time control such as '3+2' or '10'."""
        minutes, _, increment = text.partition("+")
        return cls(int(minutes), int(increment or 0))

    def press(self, elapsed):
        """The player to move thought for `elapsed` seconds and moved."""
        player = self.to_move
        left = self.remaining[player] - elapsed
        if left <= 0:
            self.remaining[player] = 0
            raise FlagFallen(player)
        self.remaining[player] = left - self.increment
        self.to_move = BLACK if player == WHITE else WHITE
        self.moves += 1

    def show(self, player):
        return "%d:%02d" % divmod(self.remaining[player], 60)
