import unittest

from rooms import Booking, Room


class BookingTest(unittest.TestCase):
    def test_must_end_after_start(self):
        with self.assertRaises(ValueError):
            Booking(600, 600, "blink")

    def test_partial_overlap(self):
        self.assertTrue(Booking(540, 600, "a").overlaps(Booking(570, 630, "b")))

    def test_back_to_back_does_not_overlap(self):
        self.assertFalse(Booking(540, 600, "a").overlaps(Booking(600, 660, "b")))


class RoomTest(unittest.TestCase):
    def test_clash_is_reported(self):
        room = Room("Birch")
        room.book(540, 600, "standup")
        self.assertEqual(room.book(550, 560, "call").title, "standup")

    def test_plan_is_sorted(self):
        room = Room("Birch")
        room.book(780, 840, "review")
        room.book(540, 600, "standup")
        self.assertEqual(
            room.plan(), ["09:00-10:00 standup", "13:00-14:00 review"]
        )


if __name__ == "__main__":
    unittest.main()
