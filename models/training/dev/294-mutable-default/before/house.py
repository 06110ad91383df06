class House:
    def __init__(self, address, rooms=[]):
        self.address = address
        self.rooms = rooms

    def add(self, room):
        self.rooms.append(room)

    def area(self):
        return sum(room.area for room in self.rooms)
