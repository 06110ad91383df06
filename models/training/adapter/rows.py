"""Packs a file of lessons into rows once, for any number of runs.

    python3 rows.py LESSONS.jsonl ROWS.npz
"""

from __future__ import annotations

import argparse
from pathlib import Path

import lessons
import numpy as np
from lessons import Row

# The columns, one row after the other, and what says how long each row's part is.
COLUMNS = {"tokens": "n_tokens", "positions": "n_tokens", "ends": "n_tokens"}
COLUMNS |= {"sources": "n_targets", "targets": "n_targets"}


def write(rows: list[Row], path: Path) -> None:
    columns = {
        name: np.concatenate([np.array(getattr(row, name), np.int32) for row in rows])
        for name in COLUMNS
    }
    lengths = {"n_tokens": [len(row.tokens) for row in rows]}
    lengths["n_targets"] = [len(row.targets) for row in rows]
    of_rows = {name: [getattr(row, name) for row in rows] for name in ("n_lessons", "group")}
    np.savez_compressed(path, **columns, **lengths, **of_rows)


def read(path: Path) -> list[Row]:
    """The rows of a file. Their columns are arrays."""
    with np.load(path) as file:
        parts = [
            np.split(file[name], np.cumsum(file[length])[:-1]) for name, length in COLUMNS.items()
        ]
        return [Row(*row) for row in zip(*parts, file["n_lessons"].tolist(), file["group"].tolist())]


def main() -> None:
    parser = argparse.ArgumentParser(description="Packs lessons into rows; see models/training.")
    parser.add_argument("lessons", type=Path)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--row-tokens", type=int, default=lessons.ROW_TOKENS)
    help_text = "longer ones are left out"
    parser.add_argument("--lesson-tokens", type=int, default=lessons.LESSON_TOKENS, help=help_text)
    arguments = parser.parse_args()
    groups = lessons.read(arguments.lessons)
    sizes = arguments.row_tokens, arguments.lesson_tokens
    packed = [
        row for number, group in groups.items() for row in lessons.rows(group, *sizes, number)
    ]
    write(packed, arguments.rows)
    print(lessons.summary(groups, packed))


if __name__ == "__main__":
    main()
