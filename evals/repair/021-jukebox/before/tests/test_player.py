import unittest

from jukebox.player import Player
from jukebox.track import Track

SONGS = [
    Track("The Quays", "Low Water", 185),
    Track("Ida Falk", "Paper Lamp", 243),
    Track("The Quays", "Ferry Home", 242),
]


class PlayerTest(unittest.TestCase):
    def setUp(self):
        self.player = Player()
        for song in SONGS:
            self.player.add(song)

    def test_plays_in_order(self):
        self.assertEqual(self.player.next().title, "Low Water")
        self.assertEqual(self.player.next().title, "Paper Lamp")

    def test_stops_at_the_end(self):
        for _ in SONGS:
            self.player.next()
        self.assertIsNone(self.player.next())

    def test_time_left_before_start(self):
        self.assertEqual(self.player.time_left(), "11:10")

    def test_time_left_after_two_songs(self):
        self.player.next()
        self.player.next()
        self.assertEqual(self.player.time_left(), "4:02")

    def test_skip(self):
        self.assertTrue(self.player.skip("Paper Lamp"))
        self.assertFalse(self.player.skip("Paper Lamp"))
        self.assertEqual([t.title for t in self.player.waiting],
                         ["Low Water", "Ferry Home"])

    def test_track_text(self):
        self.assertEqual(str(SONGS[0]), "The Quays - Low Water (3:05)")
