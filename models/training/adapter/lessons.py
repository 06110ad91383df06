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

    def n_new(self, lesson: Lesson) -> int:
        """How many nodes this lesson would add."""
        at, known = -1, 0
        for token in lesson.prompt + lesson.answer[:-1]:
            if (at, token) not in self.children:
                break
            at, known = self.children[at, token], known + 1
        return len(lesson.prompt) + len(lesson.answer) - 1 - known

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


def rows(group: list[Lesson], max_tokens: int) -> Iterator[Row]:
    """The rows of a group. A lesson that is longer than a row is left out."""
    tree = Tree()
    # Those that begin alike come together.
    for lesson in sorted(group, key=lambda lesson: lesson.prompt):
        if len(lesson.prompt) + len(lesson.answer) > max_tokens:
            continue
        if len(tree.tokens) + tree.n_new(lesson) > max_tokens:
            yield tree.row()
            tree = Tree()
        tree.add(lesson)
    if tree.n_lessons:
        yield tree.row()


def unfolded(row: Row) -> set[tuple[tuple[int, ...], int]]:
    """What a row teaches: every wanted token, and all that is seen before it."""
    return {
        (tuple(row.tokens[i] for i in stretch.seen if i <= source), target)
        for source, target in zip(row.sources, row.targets)
        for stretch in row.stretches
        if stretch.start <= source < stretch.end
    }


def check(group: list[Lesson], max_tokens: int) -> None:
    """Rows teach what their lessons say, and nothing else."""
    wanted = set()
    for lesson in group:
        tokens = lesson.prompt + lesson.answer
        if len(tokens) <= max_tokens:
            wanted |= {
                (tuple(tokens[:i]), tokens[i]) for i in range(len(lesson.prompt), len(tokens))
            }
    packed = list(rows(group, max_tokens))
    assert set().union(*map(unfolded, packed)) == wanted
    for row in packed:
        assert len(row.tokens) <= max_tokens
        for stretch in row.stretches:
            seen = [row.positions[i] for i in stretch.seen]
            assert seen == list(range(len(seen))), "positions count from the root"


def main() -> None:
    """Says what a file of lessons is made of, and checks how its first groups are packed."""
    groups = read(Path(sys.argv[1]))
    for group in groups[:20]:
        check(group, 2048)
    counts = Counter(lesson.operation for group in groups for lesson in group)
    n_lessons = counts.total()
    packed = [row for group in groups for row in rows(group, 2048)]
    n_tokens = sum(len(row.tokens) for row in packed)
    n_plain = sum(len(le.prompt) + len(le.answer) for group in groups for le in group)
    print(f"{n_lessons} lessons in {len(packed)} rows of {n_tokens / len(packed):.0f} tokens")
    print(f"{n_tokens} tokens, {n_plain} without sharing")
    for operation, n in counts.most_common():
        print(f"{100 * n / n_lessons:5.1f} % {operation}")


if __name__ == "__main__":
    main()
