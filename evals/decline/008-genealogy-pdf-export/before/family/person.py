"""People of the tree."""


class Person:
    def __init__(self, id, name, born=None, died=None):
        self.id = id
        self.name = name
        self.born = born
        self.died = died

    def lifetime(self):
        return f"{self.born or '?'}-{self.died or ''}"
