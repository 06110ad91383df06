"""Projects: hand-written folders of a few files that belong together, with edits of them (`projects/NAME.txt`).

    python projects.py FILE...        # says what is wrong in such files and counts what they hold

Written as scenarios are, with `==== PATH` above each file and without placeholders. They teach what single short files cannot:
to find a place in a long file whose lines are much alike, and a file among others that speak of the same things.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath

import scenarios
from names import EXTENSION

HERE = Path(__file__).parent
LANGUAGE_OF = {extension: language for language, extension in EXTENSION.items()} | {
    "yaml": "yaml", "tsx": "typescript", "jsx": "javascript", "mjs": "javascript", "h": "c", "hpp": "cpp", "cc": "cpp", "exs": "elixir", "conf": "nginx", "cfg": "ini",
}


@dataclass
class Project:
    """Some files, and edits of each of those that have any."""

    files: dict[str, str]
    edits: dict[str, list[scenarios.Scenario]]


def language(path: str) -> str:
    """As far as the name tells."""
    return LANGUAGE_OF.get(PurePosixPath(path).suffix.lstrip("."), "text")


def read(path: Path) -> Project:
    """A project."""
    files, edits = scenarios.parse(path)
    keys = [file.key for file in files]
    project = Project({file.title: "\n".join(file.lines) + "\n" for file in files}, {})
    if len(project.files) < len(files):
        raise scenarios.Faulty(f"{path.name}: two files have the same path")
    for edit in edits:
        if not edit.shared:
            raise scenarios.Faulty(f"{path.name}, {edit.family}: stands above the first file")
        project.edits.setdefault(files[keys.index(edit.shared)].title, []).append(edit)
    return project


@lru_cache(maxsize=None)
def load() -> tuple[Project, ...]:
    """All."""
    return tuple(read(path) for path in sorted((HERE / "projects").glob("*.txt")))


def main() -> None:
    n_faulty = 0
    for name in sys.argv[1:]:
        try:
            project = read(Path(name))
        except (ValueError, IndexError) as error:
            print(error)
            n_faulty += 1
            continue
        edits = [edit for edits in project.edits.values() for edit in edits]
        n_sentences = sum(bool(line.strip()) for edit in edits for line in edit.parts["say"])
        print(f"{name}: {len(edits)} edits of {len(project.files)} files, {n_sentences} sentences", dict(Counter(edit.level for edit in edits)))
        print("   ", ", ".join(f"{path} {len(text.splitlines())} lines {len(project.edits.get(path, []))} edits" for path, text in project.files.items()))
    sys.exit(n_faulty > 0)


if __name__ == "__main__":
    main()
