"""Cutting search results into pages, counted from 1."""


class Pager:
    def __init__(self, items, size=20):
        if size < 1:
            raise ValueError("page size must be positive")
        self.items = list(items)
        self.size = size

    @property
    def count(self):
        """How many pages there are; an empty result still has one."""
        if not self.items:
            return 1
        return len(self.items) // self.size + 1

    def page(self, number):
        if not 1 <= number <= self.count:
            raise IndexError("no page %d of %d" % (number, self.count))
        start = (number - 1) * self.size
        return self.items[start:start + self.size]
