"""Packs lessons into rows: the questions of one group share the tokens that they begin with.

Prompts about the same file begin alike, so a row is a tree of tokens: every token sees the tokens
on the way to the root, and nothing else. The shared ones are computed once. A group of ten
questions so costs about a third of the tokens.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

# The sizes of rows that `main` packs.
ROW_TOKENS, LESSON_TOKENS = 2_400, 1_200


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
    """A tree of tokens, in an order in which all that follows a token comes right after it.

    Token i sees token j if `j <= i < ends[j]`. Target t is the token wanted after token
    `sources[t]`.
    """

    tokens: Sequence[int]
    positions: Sequence[int]
    ends: Sequence[int]
    sources: Sequence[int]
    targets: Sequence[int]
    n_lessons: int
    group: int

    def stretches(self) -> list[Stretch]:
        n = len(self.tokens)
        starts = [0, *(i for i in range(1, n) if self.ends[i - 1] == i)]
        return [
            Stretch(start, end, [*self.above(start), *range(start, end)])
            for start, end in zip(starts, [*starts[1:], n])
        ]

    def above(self, i: int) -> list[int]:
        """The tokens on the way from the root to a token."""
        return [j for j, end in enumerate(self.ends[:i]) if end > i]


def read(path: Path) -> dict[int, list[Lesson]]:
    """The groups of a file that render_tasks wrote, by their numbers."""
    groups: dict[int, list[Lesson]] = {}
    for line in path.open():
        lesson = json.loads(line)
        groups.setdefault(lesson["group"], []).append(
            Lesson(lesson["prompt"], lesson["answer"], lesson["operation"])
        )
    return groups


class Tree:
    """Tokens in a tree. Lessons come sorted, so that a branch that was left is never added to."""

    def __init__(self) -> None:
        self.tokens: list[int] = []
        self.positions: list[int] = []
        self.ends: list[int] = []
        # The tokens of the last lesson, and where they are in the tree.
        self.last: list[int] = []
        self.path: list[int] = []
        self.wanted: dict[tuple[int, int], None] = {}
        self.n_lessons = 0

    def add(self, lesson: Lesson) -> None:
        self.n_lessons += 1
        # Nothing comes after the last token of an answer.
        tokens = (lesson.prompt + lesson.answer)[:-1]
        shared = n_shared(self.last, tokens)
        self.leave(shared)
        for position in range(shared, len(tokens)):
            self.path.append(len(self.tokens))
            self.tokens.append(tokens[position])
            self.positions.append(position)
            self.ends.append(0)
        self.last = tokens
        for i, token in enumerate(lesson.answer, len(lesson.prompt) - 1):
            self.wanted[self.path[i], token] = None

    def leave(self, n: int) -> None:
        """Goes back to the first `n` tokens of the last lesson."""
        for i in self.path[n:]:
            self.ends[i] = len(self.tokens)
        del self.path[n:]

    def row(self, group: int) -> Row:
        self.leave(0)
        sources, targets = zip(*self.wanted)
        columns = (self.tokens, self.positions, self.ends, sources, targets)
        return Row(*columns, self.n_lessons, group)


def n_shared(a: list[int], b: list[int]) -> int:
    """How many tokens both begin with."""
    n = min(len(a), len(b))
    if a[:n] == b[:n]:
        return n
    return next(i for i, (x, y) in enumerate(zip(a, b)) if x != y)


def rows(
    group: list[Lesson], row_tokens: int, lesson_tokens: int, number: int = 0
) -> Iterator[Row]:
    """The rows of a group, at most `row_tokens` long. A lesson longer than `lesson_tokens` is left
    out."""
    # Those that begin alike come together.
    kept = sorted(
        (le for le in group if n_tokens(le) <= min(lesson_tokens, row_tokens)),
        key=lambda lesson: lesson.prompt + lesson.answer,
    )
    for begin, end in cut(kept, row_tokens):
        tree = Tree()
        for lesson in kept[begin:end]:
            tree.add(lesson)
        yield tree.row(number)


def n_tokens(lesson: Lesson) -> int:
    """Nothing comes after the last token of an answer."""
    return len(lesson.prompt) + len(lesson.answer) - 1


def cut(lessons: list[Lesson], row_tokens: int) -> list[tuple[int, int]]:
    """Where to cut sorted lessons into rows, so that the fewest tokens are computed twice."""
    shared = [0]
    for a, b in zip(lessons, lessons[1:]):
        shared.append(n_shared(a.prompt + a.answer[:-1], b.prompt + b.answer[:-1]))
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
        (tuple(row.tokens[i] for i in [*row.above(source), source]), target)
        for source, target in zip(row.sources, row.targets)
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
        covered = 0
        for stretch in row.stretches():
            assert stretch.start == covered
            covered = stretch.end
            assert [*row.above(stretch.end - 1), stretch.end - 1] == stretch.seen
            seen = [row.positions[i] for i in stretch.seen]
            assert seen == list(range(len(seen))), "positions count from the root"
        assert covered == len(row.tokens)


def summary(groups: dict[int, list[Lesson]], packed: list[Row]) -> str:
    """What lessons are made of, in lines."""
    counts = Counter(lesson.operation for group in groups.values() for lesson in group)
    n_lessons = counts.total()
    n_packed = sum(row.n_lessons for row in packed)
    n_computed = sum(len(row.tokens) for row in packed)
    n_answers = sum(len(row.targets) for row in packed)
    n_plain = sum(n_tokens(lesson) for group in groups.values() for lesson in group)
    lines = [f"{n_packed} of {n_lessons} lessons in {len(packed)} rows"]
    lines += [f"{n_computed} tokens, {n_answers} of answers; {n_plain} without sharing"]
    lines += [f"{100 * n / n_lessons:5.1f} % {operation}" for operation, n in counts.most_common()]
    return "\n".join(lines)


def main() -> None:
    """Says what a file of lessons is made of, and checks how its first groups are packed."""
    groups = read(Path(sys.argv[1]))
    for group in list(groups.values())[:20]:
        check(group, 2048, 1024)
        check(group, 1024, 1024)
    sizes = ROW_TOKENS, LESSON_TOKENS
    packed = [row for number, group in groups.items() for row in rows(group, *sizes, number)]
    print(summary(groups, packed))


if __name__ == "__main__":
    main()
