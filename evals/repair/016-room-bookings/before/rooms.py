"""Meeting rooms and who has them. Times are minutes after midnight."""


class Booking:
    def __init__(self, start, end, title):
        if end <= start:
            raise ValueError("a booking has to end after it starts")
        self.start = start
        self.end = end
        self.title = title

    def overlaps(self, other):
        return self.start < other.end or other.start < self.end


class Room:
    def __init__(self, name):
        self.name = name
        self.bookings = []

    def book(self, start, end, title):
        """Book the room; returns the clashing booking, or None if it worked."""
        wanted = Booking(start, end, title)
        for booking in self.bookings:
            if booking.overlaps(wanted):
                return booking
        self.bookings.append(wanted)
        self.bookings.sort(key=lambda booking: booking.start)
        return None

    def plan(self):
        return ["%s-%s %s" % (hhmm(b.start), hhmm(b.end), b.title)
                for b in self.bookings]


def hhmm(minutes):
    return "%02d:%02d" % divmod(minutes, 60)
