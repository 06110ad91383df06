"""Chord names to notes, transposition, and a tiny text renderer."""

from __future__ import annotations

import re
import sys
from collections import OrderedDict

SHARPS = ["C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B"]
FLATS = ["C", "Db", "D", "Eb", "E", "F", "Gb", "G", "Ab", "A", "Bb", "B"]

QUALITIES = {
    "": (0, 4, 7),
    "m": (0, 3, 7),
    "7": (0, 4, 7, 10),
    "maj7": (0, 4, 7, 11),
    "m7": (0, 3, 7, 10),
    "dim": (0, 3, 6),
    "aug": (0, 4, 8),
}

CHORD_RE = re.compile(r"^([A-G][#b]?)(maj7|m7|dim|aug|m|7)?$")

CACHE_SIZE = 64


class ChordError(ValueError):
    pass


class Chord:
    """A root note with a quality, such as C#m7."""

    def __init__(self, root: int, quality: str = ""):
        self.root = root % 12
        self.quality = quality

    @classmethod
    def parse(cls, txt: str) -> "Chord":
        m = CHORD_RE.match(txt.strip())
        if m is None:
            raise ChordError(f"not a chord: {txt!r}")
        return cls(note_number(m.group(1)), m.group(2) or "")

    def notes(self, flats: bool = False) -> list[str]:
        table = FLATS if flats else SHARPS
        return [table[(self.root + step) % 12] for step in QUALITIES[self.quality]]

    def transpose(self, semitones: int) -> "Chord":
        return Chord(self.root + semitones, self.quality)

    def name(self, flats=False):
        table = FLATS if flats else SHARPS
        return table[self.root] + self.quality

    def __eq__(self, other):
        return (self.root, self.quality) == (other.root, other.quality)

    def __repr__(self):
        return f"Chord({self.name()})"


def note_number(name: str) -> int:
    for table in (SHARPS, FLATS):
        if name in table:
            return table.index(name)
    raise ChordError(f"unknown note {name!r}")


class ChordCache:
    """Least recently used cache of parsed chords."""

    def __init__(self, size: int = CACHE_SIZE):
        self.size = size
        self._items: OrderedDict[str, Chord] = OrderedDict()

    def get(self, txt: str) -> Chord:
        if txt in self._items:
            self._items.move_to_end(txt)
            return self._items[txt]
        chord = Chord.parse(txt)
        self._items[txt] = chord
        if len(self._items) > self.size:
            self._items.popitem()
        return chord


def transpose_line(line: str, semitones: int, flats: bool = False) -> str:
    """Transposes every word that looks like a chord and keeps the rest."""
    words = []
    for word in line.split(" "):
        if CHORD_RE.match(word):
            word = Chord.parse(word).transpose(semitones).name(flats)
        words.append(word)
    return " ".join(words)


def main(argv: list[str]) -> int:
    if len(argv) < 2:
        print("usage: chords.py SEMITONES < song.txt")
        return 2
    semitones = int(argv[1])
    for line in sys.stdin:
        print(transpose_line(line.rstrip("\n"), semitones))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
