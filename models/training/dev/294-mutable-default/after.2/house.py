class House:
    def __init__(self, address, rooms=None):
        self.address = address
        self.rooms = [] if rooms is None else rooms

    def add(self, room):
        self.rooms.append(room)

    def area(self):
        return sum(room.area for room in self.rooms)
