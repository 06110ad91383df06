"""Selling seats for one performance."""


class Performance:
    def __init__(self, hall):
        self.hall = hall
        self.sold = set()

    def free(self):
        seats = []
        for row in self.hall.rows:
            seats.extend(s for s in row.labels() if s not in self.sold)
        return seats

    def sell(self, label):
        """Mark a seat as sold; False when it is gone or does not exist."""
        if label not in self.free():
            return False
        self.sold.add(label)
        return True
