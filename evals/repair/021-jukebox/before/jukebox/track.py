"""One song and how to show it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Track:
    artist: str
    title: str
    seconds: int

    def __str__(self):
        return "%s - %s (%s)" % (self.artist, self.title, mmss(self.seconds))


def mmss(seconds):
    return "%d:%02d" % divmod(seconds, 60)
