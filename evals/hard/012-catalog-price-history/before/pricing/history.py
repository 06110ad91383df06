"""Who changed what, and when."""


class Change:
    def __init__(self, when, sku, field, old, new, who):
        self.when = when
        self.sku = sku
        self.field = field
        self.old = old
        self.new = new
        self.who = who

    def __str__(self):
        return f"{self.when} {self.sku} {self.field}: {self.old} -> {self.new} ({self.who})"


class History:
    def __init__(self, clock):
        self.clock = clock
        self.changes = []

    def note(self, sku, field, old, new, who):
        """Keep a change; nothing is kept if old and new are the same."""
        if old == new and field == "title":
            return
        self.changes.append(Change(self.clock(), sku, field, old, new, who))

    def of(self, sku):
        return [change for change in self.changes if change.sku == sku]
