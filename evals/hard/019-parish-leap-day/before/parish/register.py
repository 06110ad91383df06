"""The register of baptisms."""

from parish.calendar import check_day


class Register:
    def __init__(self):
        self.entries = []

    def baptism(self, name, year, month, day, godparents=()):
        check_day(year, month, day)
        self.entries.append((year, month, day, name, tuple(godparents)))
        self.entries.sort()

    def in_year(self, year):
        return [entry for entry in self.entries if entry[0] == year]

    def godchildren(self, person):
        """Names of all children that a person is godparent of."""
        return [entry[3] for entry in self.entries if person in entry[4]]
