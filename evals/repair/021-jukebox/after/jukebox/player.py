"""Plays an evening's tracks in order."""

from jukebox.track import mmss


class Player:
    def __init__(self):
        self.tracks = []
        self.waiting = []
        self.current = None

    def add(self, track):
        """Put a track at the end; `tracks` keeps the whole evening."""
        self.tracks.append(track)
        self.waiting.append(track)

    def next(self):
        """Start the next waiting track, or stop when there is none."""
        self.current = self.waiting.pop(0) if self.waiting else None
        return self.current

    def skip(self, title):
        """Take a waiting track out of the queue by its title."""
        for track in self.waiting:
            if track.title == title:
                self.waiting.remove(track)
                return True
        return False

    def played(self):
        return len(self.tracks) - len(self.waiting)

    def time_left(self):
        """Length of everything that has not been started yet."""
        return mmss(sum(track.seconds for track in self.waiting))
