"""Makes the lessons that an adapter is trained with.

    python3 data.py MODEL.gguf FOLDER [--groups 5000] [--seed 1]

Writes FOLDER/tasks.jsonl and FOLDER/lessons.jsonl. A group is left out if it shares a sentence, or
six lines of a file, with a task that models are measured with.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
# Where the tasks lie that models are measured with: a folder for each.
MEASURED = [ROOT / "models/training" / name for name in ("dev", "several")] + [ROOT / "evals"]
# A shorter sentence says too little to be the same by more than chance. In words.
SENTENCE_WORDS = 5
# Lines of a file that are not blank.
PASSAGE_LINES = 6


def plain(sentence: str) -> str | None:
    """A sentence's words in lower case; none if there are few."""
    words = re.findall(r"\w+", sentence.lower())
    return " ".join(words) if len(words) >= SENTENCE_WORDS else None


def passages(text: str) -> Iterator[str]:
    """Every so many consecutive lines of a text, without blank ones and indentation."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for i in range(len(lines) - PASSAGE_LINES + 1):
        yield "\n".join(lines[i : i + PASSAGE_LINES])


class Measured:
    """What must not be learned: sentences and passages of the tasks that models are measured with."""

    def __init__(self) -> None:
        self.sentences: set[str] = set()
        self.passages: set[str] = set()
        for folder in MEASURED:
            for path in folder.rglob("task.toml"):
                task = tomllib.loads(path.read_text())
                for sentence in [task["sentence"], *task.get("wordings", [])]:
                    self.sentences.update(filter(None, [plain(sentence)]))
                for file in path.parent.rglob("*"):
                    if file.is_file() and file != path:
                        self.passages.update(passages(file.read_text(errors="replace")))

    def shared_with(self, group: dict) -> bool:
        texts = [*group["files"].values(), *(task["after"] or "" for task in group["tasks"])]
        texts += [text for task in group["tasks"] for text in task.get("finals", {}).values()]
        return any(plain(task["task"]) in self.sentences for task in group["tasks"]) or any(
            passage in self.passages for text in texts for passage in passages(text)
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="Makes lessons; see models/training.")
    parser.add_argument("model", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--groups", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    build = ["cargo", "run", "--release", "--quiet", "--example", "render_tasks", "--"]
    make = ["tasks.py", "--groups", str(arguments.groups), "--seed", str(arguments.seed)]
    measured = Measured()
    if not measured.sentences or not measured.passages:
        raise SystemExit("the tasks that models are measured with are not where they should be")
    tasks = arguments.folder / "tasks.jsonl"
    n_shared = 0
    drawn = subprocess.Popen(
        [sys.executable, "-B", *make], cwd=HERE.parent, stdout=subprocess.PIPE, text=True
    )
    with tasks.open("w") as file:
        for line in drawn.stdout:
            if measured.shared_with(json.loads(line)):
                n_shared += 1
            else:
                file.write(line)
    if drawn.wait() != 0:
        raise SystemExit("tasks.py failed")
    print(f"{n_shared} groups left out: they share text with tasks that models are measured with")
    with tasks.open() as source, (arguments.folder / "lessons.jsonl").open("w") as lessons:
        subprocess.run(
            [*build, arguments.model.resolve()], cwd=ROOT, stdin=source, stdout=lessons, check=True
        )


if __name__ == "__main__":
    main()
