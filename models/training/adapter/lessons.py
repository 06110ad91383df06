"""Packs lessons into rows: the questions of one group share the tokens that they begin with.

Prompts about the same file begin alike, so a row is a tree of tokens: every token sees the tokens
on the way to the root, and nothing else. The shared ones are computed once. A group of ten
questions so costs about a third of the tokens.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path



@dataclass
class Lesson:
    """Tokens of a prompt, and those of the answer to be learned."""

    prompt: list[int]
    answer: list[int]
    operation: str


@dataclass
class Stretch:
    """Consecutive tokens that follow each other in the tree."""

    start: int
    end: int
    # The tokens that the last of them sees: those on the way to the root, then themselves.
    seen: list[int]


@dataclass
class Row:
    """A tree of tokens. Target t is the token wanted after token `sources[t]`."""

    tokens: list[int]
    positions: list[int]
    stretches: list[Stretch]
    sources: list[int]
    targets: list[int]
    n_lessons: int


def read(path: Path) -> list[list[Lesson]]:
    """The groups of a file that render_tasks wrote."""
    groups: dict[int, list[Lesson]] = {}
    for line in path.open():
        lesson = json.loads(line)
        groups.setdefault(lesson["group"], []).append(
            Lesson(lesson["prompt"], lesson["answer"], lesson["operation"])
        )
    return list(groups.values())


class Tree:
    """Tokens in a tree: its nodes are numbered in the order in which they came."""

    def __init__(self) -> None:
        self.tokens: list[int] = []
        self.parents: list[int] = []
        self.children: dict[tuple[int, int], int] = {}
        self.wanted: dict[tuple[int, int], None] = {}
        self.n_lessons = 0

    def add(self, lesson: Lesson) -> None:
        self.n_lessons += 1
        at = -1
        for i, token in enumerate(lesson.prompt + lesson.answer):
            if i >= len(lesson.prompt):
                self.wanted[at, token] = None
            # Nothing comes after the last token of an answer.
            if i == len(lesson.prompt) + len(lesson.answer) - 1:
                break
            if (at, token) not in self.children:
                self.children[at, token] = len(self.tokens)
                self.tokens.append(token)
                self.parents.append(at)
            at = self.children[at, token]

    def row(self) -> Row:
        n = len(self.tokens)
        positions = [0] * n
        starts = []
        for i, parent in enumerate(self.parents):
            if parent != i - 1 or i == 0:
                starts.append(i)
            if parent >= 0:
                positions[i] = positions[parent] + 1
        stretches = []
        for start, end in zip(starts, [*starts[1:], n]):
            above = []
            at = self.parents[start]
            while at >= 0:
                above.append(at)
                at = self.parents[at]
            stretches.append(Stretch(start, end, [*above[::-1], *range(start, end)]))
        sources, targets = zip(*self.wanted)
        return Row(
            tokens=self.tokens,
            positions=positions,
            stretches=stretches,
            sources=list(sources),
            targets=list(targets),
            n_lessons=self.n_lessons,
        )


def rows(group: list[Lesson], row_tokens: int, lesson_tokens: int) -> Iterator[Row]:
    """The rows of a group, at most `row_tokens` long. A lesson longer than `lesson_tokens` is left
    out."""
    # Those that begin alike come together.
    kept = sorted(
        (le for le in group if n_tokens(le) <= min(lesson_tokens, row_tokens)),
        key=lambda lesson: (lesson.prompt, lesson.answer),
    )
    for begin, end in cut(kept, row_tokens):
        tree = Tree()
        for lesson in kept[begin:end]:
            tree.add(lesson)
        yield tree.row()


def n_tokens(lesson: Lesson) -> int:
    """Nothing comes after the last token of an answer."""
    return len(lesson.prompt) + len(lesson.answer) - 1


def cut(lessons: list[Lesson], row_tokens: int) -> list[tuple[int, int]]:
    """Where to cut sorted lessons into rows, so that the fewest tokens are computed twice."""
    shared = [0]
    for a, b in zip(lessons, lessons[1:]):
        x, y = a.prompt + a.answer[:-1], b.prompt + b.answer[:-1]
        shared.append(next((i for i, (s, t) in enumerate(zip(x, y)) if s != t), min(len(x), len(y))))
    # The least number of tokens of the first `end` lessons, and where their last row begins.
    best = [(0, 0)]
    for end in range(1, len(lessons) + 1):
        options = []
        size = 0
        for begin in range(end - 1, -1, -1):
            whole = size + n_tokens(lessons[begin])
            if whole > row_tokens:
                break
            options.append((best[begin][0] + whole, begin))
            size = whole - shared[begin]
        best.append(min(options))
    cuts = []
    end = len(lessons)
    while end > 0:
        begin = best[end][1]
        cuts.append((begin, end))
        end = begin
    return cuts[::-1]


def unfolded(row: Row) -> set[tuple[tuple[int, ...], int]]:
    """What a row teaches: every wanted token, and all that is seen before it."""
    return {
        (tuple(row.tokens[i] for i in stretch.seen if i <= source), target)
        for source, target in zip(row.sources, row.targets)
        for stretch in row.stretches
        if stretch.start <= source < stretch.end
    }


def check(group: list[Lesson], row_tokens: int, lesson_tokens: int) -> None:
    """Rows teach what their lessons say, and nothing else."""
    wanted = set()
    for lesson in group:
        tokens = lesson.prompt + lesson.answer
        if n_tokens(lesson) <= lesson_tokens:
            wanted |= {
                (tuple(tokens[:i]), tokens[i]) for i in range(len(lesson.prompt), len(tokens))
            }
    packed = list(rows(group, row_tokens, lesson_tokens))
    assert set().union(*map(unfolded, packed)) == wanted
    for row in packed:
        assert len(row.tokens) <= row_tokens
        for stretch in row.stretches:
            seen = [row.positions[i] for i in stretch.seen]
            assert seen == list(range(len(seen))), "positions count from the root"


def main() -> None:
    """Says what a file of lessons is made of, and checks how its first groups are packed."""
    groups = read(Path(sys.argv[1]))
    for group in groups[:20]:
        check(group, 2048, 1024)
        check(group, 1024, 1024)
    counts = Counter(lesson.operation for group in groups for lesson in group)
    n_lessons = counts.total()
    packed = [row for group in groups for row in rows(group, 2400, 1200)]
    n_computed = sum(len(row.tokens) for row in packed)
    n_plain = sum(len(le.prompt) + len(le.answer) for group in groups for le in group)
    print(f"{n_lessons} lessons in {len(packed)} rows of {n_computed / len(packed):.0f} tokens")
    print(f"{n_computed} tokens, {n_plain} without sharing")
    for operation, n in counts.most_common():
        print(f"{100 * n / n_lessons:5.1f} % {operation}")


if __name__ == "__main__":
    main()
