#!/usr/bin/env python3
"""Lays the follow-ups out as a suite for `slotwright eval`.

usage: suite.py OUT

OUT gets a folder for each of them, in the format of the other suites (src/eval/suite.rs).
"""

import pathlib
import shutil
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = pathlib.Path(sys.argv[1])
    for folder in sorted(HERE.iterdir()):
        if folder.is_dir():
            lay_out(folder, out / folder.name)


def lay_out(folder, task):
    said = tomllib.loads((folder / "task.toml").read_text())
    base = HERE.parent / said["base"] if "base" in said else folder
    before = base / "before"
    shutil.copytree(before, task / "before")
    for offered in files(folder / "offered"):
        earlier = before / offered
        if earlier.exists():
            copy(earlier, task / "earlier" / offered)
        copy(folder / "offered" / offered, task / "before" / offered)
    shutil.copytree(folder / "after", task / "after")
    keys = {
        "sentence": said["follow"],
        "first": said["first"],
        "category": said["kind"],
        "level": "follow-up",
        "language": said["language"],
    }
    lines = [f"{key} = {quoted(value)}\n" for key, value in keys.items()]
    lines.append(f"written = {str(said['written']).lower()}\n")
    (task / "task.toml").write_text("".join(lines))


def files(folder):
    return [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]


def copy(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


if __name__ == "__main__":
    main()
