"""The course of a raffle evening."""

from raffle.drum import Drum


def run_evening(first, last, prizes, rng=None):
    """Give each prize to one ticket, the smallest prize first."""
    drum = Drum(first, last, rng)
    winners = []
    for prize in reversed(prizes):
        if drum.left() == 0:
            break
        winners.append((prize, drum.draw()))
    return winners


def print_list(winners):
    width = max(len(prize) for prize, _ in winners)
    for prize, number in winners:
        print(f"{prize:<{width}}  no. {number:04}")
