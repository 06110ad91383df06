"""Projects: hand-written folders of files that belong together (`projects/NAME.txt`).

    python3 projects.py FILE...        # checks such files and counts their edits

Written as scenarios are, without placeholders, and with `==== PATH` above each file. Projects teach
what single short files cannot: the right place among lines that look alike, and the right file
among others about the same things.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import scenarios

HERE = Path(__file__).parent


@dataclass
class Project:
    """Some files, and the edits of each file that has any."""

    files: dict[str, str]
    edits: dict[str, list[scenarios.Scenario]]
    # Those in several places.
    several: list[scenarios.Scenario] = field(default_factory=list)


def read(path: Path) -> Project:
    """The project of a file."""
    files, edits = scenarios.parse(path)
    titles = {file.key: file.title for file in files}
    project = Project({file.title: "\n".join(file.lines) + "\n" for file in files}, {})
    if len(project.files) < len(files):
        raise scenarios.Faulty(f"{path.name}: two files have the same path")
    for edit in edits:
        if not edit.shared:
            raise scenarios.Faulty(f"{path.name}, {edit.family}: stands above the first file")
        if len(edit.pairs) > 1:
            project.several.append(edit)
        else:
            project.edits.setdefault(titles[edit.shared], []).append(edit)
    return project


@lru_cache(maxsize=None)
def load() -> tuple[Project, ...]:
    """All projects."""
    return tuple(read(path) for path in sorted((HERE / "projects").glob("*.txt")))


def main() -> None:
    n_faulty, n_edits, n_wordings = 0, 0, 0
    for name in sys.argv[1:]:
        try:
            project = read(Path(name))
        except (ValueError, IndexError) as error:
            print(f"{name}: {error}")
            n_faulty += 1
            continue
        edits = [edit for edits in project.edits.values() for edit in edits] + project.several
        wordings = sum(len(edit.wordings()) for edit in edits)
        levels = dict(Counter(edit.level for edit in edits))
        n_files = len(project.files)
        print(f"{name}: {n_files} files, {len(edits)} edits, {wordings} wordings, {levels}")
        n_edits += len(edits)
        n_wordings += wordings
    print(f"{n_edits} edits, {n_wordings} wordings, {n_faulty} faulty files")
    sys.exit(n_faulty > 0)


if __name__ == "__main__":
    main()
