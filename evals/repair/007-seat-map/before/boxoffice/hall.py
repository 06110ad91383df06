"""The hall: rows of numbered seats."""

import string


class Row:
    def __init__(self, letter, width, aisle_after=()):
        self.letter = letter
        self.width = width
        self.aisle_after = frozenset(aisle_after)

    def labels(self):
        """All seats of the row from the left, 'A1' being the first."""
        return ["%s%d" % (self.letter, n) for n in range(1, self.width)]

    def together(self, left, right):
        """Are two seat numbers neighbours with no aisle in between?"""
        return right - left == 1 and left not in self.aisle_after


class Hall:
    def __init__(self, widths, aisle_after=()):
        self.rows = [
            Row(letter, width, aisle_after)
            for letter, width in zip(string.ascii_uppercase, widths)
        ]

    def row(self, letter):
        for row in self.rows:
            if row.letter == letter:
                return row
        raise KeyError(letter)
