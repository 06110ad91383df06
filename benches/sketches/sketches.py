"""Measures `slotwright apply --model`: where a model puts the parts of sketches that leave code out.

    python sketches.py --slotwright PROGRAM [--model NAME=FILE.gguf...] [--n 400] [--asked 100]

The sketches are made from the diffs of this repository's own history. Each new version of a file
becomes a draft as models write them: what changed, with no line to three lines around it, and a
marker for everything else. Each is applied without a model. Of those that are refused, the first
`--asked` are applied with each model. Right is the new version, to the byte. Prints a line for each
sketch, and writes the tables in docs/apply.md.
"""

from __future__ import annotations

import argparse
import difflib
import json
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benches"))

from page import put  # noqa: E402

BEGIN = "<!-- sketches: from here on written by benches/sketches/sketches.py -->"
END = "<!-- sketches: to here -->"
MARKERS = {".rs": "// ... existing code ...", ".py": "# ... existing code ..."}
# Lines of a file, places that change, and lines around each.
LINES, MAX_PLACES, AROUND = (30, 400), 4, range(4)
# A shorter stretch between two places is copied, not left out.
SHORTEST_LEFT_OUT = 4


@dataclass(frozen=True)
class Sketch:
    path: str
    before: str
    after: str
    draft: str
    around: int


def git(*arguments: str) -> str:
    run = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=True)
    return run.stdout.decode(errors="replace")


def versions(seed: int):
    """Files before and after a commit, in a random order that is the same each time."""
    changes = []
    for commit in git("rev-list", "--no-merges", "HEAD").split():
        listing = git("diff-tree", "-r", "--diff-filter=M", "--no-commit-id", commit)
        for line in listing.splitlines():
            about, path = line.split("\t")
            _, _, old, new, _ = about.split()
            if Path(path).suffix in MARKERS:
                changes.append((path, old, new))
    changes.sort()
    random.Random(seed).shuffle(changes)
    for path, old, new in changes:
        yield path, git("cat-file", "blob", old), git("cat-file", "blob", new)


def sketch(path: str, before: str, after: str, around: int) -> Sketch | None:
    """A draft of the new version; none if it cannot be written so."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    if not LINES[0] <= len(old) <= LINES[1] or not after.endswith("\n"):
        return None
    codes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    changed = [code for code in codes if code[0] != "equal"]
    # What is only removed leaves nothing to write, and a marker line in the file is no marker.
    if not 1 <= len(changed) <= MAX_PLACES or any(code[0] == "delete" for code in changed):
        return None
    if "..." in before + after:
        return None
    kept = [False] * len(new)
    for _, _, _, start, end in changed:
        for i in range(max(0, start - around), min(len(new), end + around)):
            kept[i] = True
    for gap in re.finditer(r"0+", "".join("01"[keep] for keep in kept)):
        if gap.end() - gap.start() < SHORTEST_LEFT_OUT:
            kept[gap.start() : gap.end()] = [True] * (gap.end() - gap.start())
    if all(kept):
        return None
    marker = MARKERS[Path(path).suffix] + "\n"
    lines, is_out = [], False
    for line, keep in zip(new, kept):
        if keep:
            lines.append(line)
        elif not is_out:
            lines.append(marker)
        is_out = not keep
    return Sketch(path, before, after, "".join(lines), around)


class Bench:
    def __init__(self, program: str):
        self.program = program

    def apply(self, case: Sketch, *arguments: str) -> tuple[dict, str, float]:
        """The report, the file afterwards, and the seconds that it took."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / case.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(case.before)
            answer = Path(folder) / "answer.md"
            fence = "`" * 6
            answer.write_text(f"{case.path}\n{fence}\n{case.draft}{fence}\n")
            command = [self.program, "apply", "--json", "--yes", "--format", "whole-file"]
            command += ["--accept", "placed,breaks,shrinks,mixed", "--root", folder, *arguments]
            begun = time.monotonic()
            run = subprocess.run([*command, str(answer)], capture_output=True, text=True)
            return json.loads(run.stdout), path.read_text(), time.monotonic() - begun

    def verdict(self, case: Sketch, *arguments: str) -> tuple[str, str, float]:
        """Right, wrong or refused; what tells the places; and the seconds that it took."""
        report, text, took = self.apply(case, *arguments)
        error = report["error"]
        if error and error["kind"] != "not_applied":
            raise SystemExit(f"sketches: {error['message']}")
        said = [w["message"] for w in report["warnings"] if w["kind"] == "placed"]
        verdict = "right" if text == case.after else "wrong"
        if error:
            verdict = "refused"
        return verdict, "; ".join(said), took


def cases(n: int, seed: int) -> list[Sketch]:
    """Sketches, each of another version of a file."""
    found, seen = [], set()
    for path, before, after in versions(seed):
        case = sketch(path, before, after, around=AROUND[len(seen) % len(AROUND)])
        if case is None or (path, after) in seen:
            continue
        seen.add((path, after))
        found.append(case)
        if len(found) == n:
            break
    return found


def alone(bench: Bench, cases: list[Sketch]) -> tuple[Counter, list[Sketch]]:
    """What becomes of the sketches without a model, and those that are refused."""
    counts: Counter[tuple[int, str, str]] = Counter()
    refused = []
    for number, case in enumerate(cases, 1):
        verdict, said, _ = bench.verdict(case)
        if verdict == "refused":
            refused.append(case)
        counts[case.around, "likeness" if said else "rules", verdict] += 1
        print(f"{number} {verdict} {case.path} {said}", flush=True)
    return counts, refused


def asked(bench: Bench, cases: list[Sketch], options: list[str]) -> tuple[Counter, list[float]]:
    """What becomes of the sketches with a model, and the seconds."""
    counts: Counter[tuple[int, str]] = Counter()
    seconds = []
    for number, case in enumerate(cases, 1):
        verdict, said, took = bench.verdict(case, *options)
        counts[case.around, verdict] += 1
        seconds.append(took)
        print(f"{number} {verdict} {case.path} {took:.1f} s {said}", flush=True)
    return counts, seconds


def around(count) -> str:
    """A number, and what of it has no line around each change, one line, and so on."""
    by = [count(lines) for lines in AROUND]
    return f"{sum(by)} ({', '.join(str(n) for n in by)})"


def alone_table(counts: Counter) -> str:
    lines = ["| what tells the places | right | wrong |", "|---|---:|---:|"]
    for way, name in {"rules": "the lines beside the markers", "likeness": "likeness"}.items():
        right, wrong = (
            around(lambda n, v=verdict: counts[n, way, v]) for verdict in ("right", "wrong")
        )
        lines.append(f"| {name} | {right} | {wrong} |")
    refused = around(lambda n: counts[n, "rules", "refused"] + counts[n, "likeness", "refused"])
    lines.append(f"| nothing: refused | {refused} | |")
    return "\n".join(lines)


def asked_table(results: dict[str, tuple[Counter, list[float]]]) -> str:
    lines = ["| model | right | wrong | refused | seconds, median |", "|---|---:|---:|---:|---:|"]
    for name, (counts, seconds) in results.items():
        n = [
            around(lambda n, v=verdict: counts[n, v]) for verdict in ("right", "wrong", "refused")
        ]
        lines.append(f"| {name} | {' | '.join(n)} | {statistics.median(seconds):.1f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--slotwright", default=str(ROOT / "target/release/slotwright"))
    parser.add_argument("--model", action="append", default=[], metavar="NAME=FILE")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--n", type=int, default=400)
    parser.add_argument("--asked", type=int, default=100)
    parser.add_argument("--seed", type=int, default=5)
    arguments = parser.parse_args()
    bench = Bench(str(Path(arguments.slotwright).resolve()))
    counts, refused = alone(bench, cases(arguments.n, arguments.seed))
    text = alone_table(counts)
    if arguments.model and refused:
        refused = refused[: arguments.asked]
        results = {}
        for named in arguments.model:
            name, file = named.split("=", 1)
            options = ["--model", str(Path(file).resolve()), "--threads", arguments.threads]
            results[name] = asked(bench, refused, options)
        heading = f"The first {len(refused)} of those that are refused, with a model:"
        text += f"\n\n{heading}\n\n{asked_table(results)}"
    page = ROOT / "docs/apply.md"
    page.write_text(put(page.read_text(), BEGIN, END, text))
    print(text)


if __name__ == "__main__":
    main()
