"""Turns the tasks beside this file into a suite for `slotwright eval`.

    python3 fetch.py OUT [--archives FOLDER]

The packages are downloaded from their public indexes, or taken from a folder of archives that
were downloaded before (they are known by their SHA-256). PIP_INDEX_URL, npm_config_registry and
CRATES_URL name other indexes. Each task's check must fail before `right.patch` and pass after it.
"""

import argparse
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import urllib.parse
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
MAX_BYTES = 1_000_000  # a larger file is left out
OUR_KEYS = ("package ", "sha256 ")  # of task.toml: a suite's have none of them


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", type=Path, help="the suite's folder; its tasks are written anew")
    parser.add_argument("--archives", type=Path, help="a folder with the packages' archives")
    args = parser.parse_args()

    stored = {}
    if args.archives:
        stored = {sha256(file): file for file in args.archives.iterdir() if file.is_file()}
    wrong = 0
    for folder in sorted(file.parent for file in HERE.glob("*/task.toml")):
        try:
            said = "ok  " + make(folder, args.out / folder.name, stored)
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            said, wrong = f"BAD  {error}", wrong + 1
        print(f"{folder.name:<36} {said}", flush=True)
    print(f"{wrong} tasks are wrong" if wrong else "all tasks are verified")
    sys.exit(1 if wrong else 0)


def make(folder, out, stored):
    """Writes the task of a folder, and verifies it. Returns what the table says of it."""
    toml = (folder / "task.toml").read_text()
    task = tomllib.loads(toml)
    before = unpack(archive(task, stored))
    changed = patched(before, (folder / "right.patch").read_bytes().decode())
    checks = {
        str(file.relative_to(folder / "check")): file.read_bytes()
        for file in (folder / "check").rglob("*")
        if file.is_file()
    }

    shutil.rmtree(out, ignore_errors=True)
    write(out / "before", before)
    write(out / "after", changed)
    write(out / "check", checks)
    lines = [line for line in toml.splitlines(True) if not line.startswith(OUR_KEYS)]
    (out / "task.toml").write_text("".join(lines))

    fails, first = run_check(task, before | checks)
    passes, second = run_check(task, before | changed | checks)
    if fails == 0:
        raise ValueError("the check passes before the change")
    if passes != 0:
        raise ValueError(f"the check fails after the change:\n{second}")
    return f"{task['language']:<10} {task['level']:<6} {len(before):>4} files  {first[:50]}"


def archive(task, stored):
    """The bytes of the task's package, as stored or downloaded. They match its SHA-256."""
    expected = task["sha256"]
    if expected in stored:
        return stored[expected].read_bytes()
    with urllib.request.urlopen(url(task["package"], expected), timeout=60) as answer:
        content = answer.read()
    if hashlib.sha256(content).hexdigest() != expected:
        raise ValueError("the downloaded archive has another SHA-256")
    return content


def url(package, expected):
    """Where a package's archive is. PyPI's index tells the SHA-256 behind each address."""
    name, version = package["name"], package["version"]
    if package["ecosystem"] == "crates":
        base = os.environ.get("CRATES_URL", "https://static.crates.io/crates").rstrip("/")
        return f"{base}/{name}/{name}-{version}.crate"
    if package["ecosystem"] == "npm":
        base = os.environ.get("npm_config_registry", "https://registry.npmjs.org").rstrip("/")
        return f"{base}/{name}/-/{name}-{version}.tgz"

    base = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/")
    page_url = f"{base}/{name}/"
    with urllib.request.urlopen(page_url, timeout=60) as answer:
        page = answer.read().decode()
    for link in re.findall(r'href="([^"]+)"', page):
        if link.endswith("#sha256=" + expected):
            return urllib.parse.urljoin(page_url, link)
    raise ValueError(f"{page_url} has no archive of {version} with this SHA-256")


def unpack(content):
    """The text files of an archive, without its uppermost folder: bytes by path."""
    files = {}
    with tarfile.open(fileobj=io.BytesIO(content)) as members:
        for member in members:
            path = member.name.removeprefix("./").partition("/")[2]
            if not member.isfile() or member.size > MAX_BYTES or ".." in path.split("/"):
                continue
            data = members.extractfile(member).read()
            if path and is_text(data):
                files[path] = data
    return files


def is_text(data):
    try:
        return "\0" not in data.decode()
    except UnicodeDecodeError:
        return False


def patched(files, patch):
    """The files that a unified diff changes, as they are afterwards. Its lines must match."""
    changed = {}
    for part in re.split(r"^--- a/.*\n", patch, flags=re.M)[1:]:
        head, _, hunks = part.partition("\n")
        path = head.split("\t")[0].removeprefix("+++ b/")
        old, new, at = files[path].decode().split("\n"), [], 0
        for hunk in re.split(r"^@@ -(\d+).*\n", hunks, flags=re.M)[1:]:
            if hunk.isdigit():
                start = int(hunk) - 1
                new, at = new + old[at:start], start
                continue
            for line in hunk.removesuffix("\n").split("\n"):
                if line[:1] in (" ", "-"):
                    if old[at] != line[1:]:
                        raise ValueError(f"right.patch does not fit {path}:{at + 1}")
                    at += 1
                if line[:1] in (" ", "+"):
                    new.append(line[1:])
        changed[path] = "\n".join(new + old[at:]).encode()
    return changed


def run_check(task, files):
    """The exit code of the check in a folder with these files, and its last line."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), files)
        started = time.monotonic()
        done = subprocess.run(
            task["check"], cwd=folder, capture_output=True, text=True,
            stdin=subprocess.DEVNULL, timeout=task["seconds"],
        )
    said = (done.stdout + done.stderr).strip().splitlines() or [""]
    return done.returncode, f"{time.monotonic() - started:.1f} s  {said[-1]}"


def write(folder, files):
    for path, data in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


def sha256(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


if __name__ == "__main__":
    main()
