import unittest

from chess_clock import BLACK, WHITE, ChessClock, FlagFallen


class ChessClockTest(unittest.TestCase):
    def test_reads_time_control(self):
        clock = ChessClock.from_text("3+2")
        self.assertEqual(clock.remaining[WHITE], 180)
        self.assertEqual(clock.increment, 2)

    def test_plain_game_counts_down(self):
        clock = ChessClock.from_text("10")
        clock.press(7)
        self.assertEqual(clock.show(WHITE), "9:53")
        self.assertEqual(clock.show(BLACK), "10:00")

    def test_players_alternate(self):
        clock = ChessClock(5)
        clock.press(1)
        self.assertEqual(clock.to_move, BLACK)
        clock.press(1)
        self.assertEqual(clock.to_move, WHITE)

    def test_increment_after_move(self):
        clock = ChessClock.from_text("3+2")
        clock.press(10)
        self.assertEqual(clock.show(WHITE), "2:52")

    def test_flag_falls(self):
        clock = ChessClock(1, 5)
        with self.assertRaises(FlagFallen):
            clock.press(60)
        self.assertEqual(clock.show(WHITE), "0:00")


if __name__ == "__main__":
    unittest.main()
