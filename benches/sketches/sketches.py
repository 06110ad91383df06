"""Measures `slotwright apply --model`: where a model puts the parts of sketches that leave code out.

    python sketches.py --slotwright PROGRAM --model NAME=FILE.gguf... [--n 100] [--threads N]

The sketches are made from the diffs of this repository's own history. Each new version of a file
becomes a draft as models write them: what changed, with at most one line around it, and a marker for
everything else. Only drafts count that the rules refuse. Right is the new version, to the byte.
Prints a line for each sketch, and writes the table in docs/apply.md.
"""

from __future__ import annotations

import argparse
import difflib
import json
import random
import re
import subprocess
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BEGIN = "<!-- sketches: from here on written by benches/sketches/sketches.py -->"
END = "<!-- sketches: to here -->"
KINDS = {"insert": "new lines", "replace": "changed lines", "both": "both"}
MARKERS = {".rs": "// ... existing code ...", ".py": "# ... existing code ..."}
# Lines of a file, and places that change.
LINES, MAX_PLACES = (30, 400), 4
# A shorter stretch between two places is copied, not left out.
SHORTEST_LEFT_OUT = 4


@dataclass(frozen=True)
class Sketch:
    path: str
    before: str
    after: str
    draft: str
    kind: str


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
    kinds = {code[0] for code in changed}
    kind = kinds.pop() if len(kinds) == 1 else "both"
    return Sketch(path, before, after, "".join(lines), kind)


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

    def cases(self, n: int, seed: int) -> list[Sketch]:
        """Sketches that the rules refuse, each of another commit's file."""
        found = []
        for number, (path, before, after) in enumerate(versions(seed)):
            case = sketch(path, before, after, around=number % 2)
            if case is None:
                continue
            report, text, _ = self.apply(case)
            edits = report.get("edits") or []
            if text == before and [edit.get("kind") for edit in edits] == ["left_out"]:
                found.append(case)
            if len(found) == n:
                break
        return found


def measured(bench: Bench, cases: list[Sketch], options: list[str]) -> dict:
    """How many sketches of each kind came out how, and the seconds."""
    counts: Counter[tuple[str, str]] = Counter()
    seconds = []
    for number, case in enumerate(cases, 1):
        report, text, took = bench.apply(case, *options)
        if report["error"] and report["error"]["kind"] not in ("not_applied",):
            raise SystemExit(f"sketches: {report['error']['message']}")
        verdict = "right" if text == case.after else "wrong"
        if text == case.before:
            verdict = "refused"
        counts[case.kind, verdict] += 1
        seconds.append(took)
        said = "; ".join(w["message"] for w in report["warnings"] if w["kind"] == "placed")
        print(f"{number} {verdict} {case.kind} {took:.1f} s {said}", flush=True)
    return {"counts": counts, "seconds": seconds}


def table(results: dict[str, dict]) -> str:
    lines = [
        "| model | the sketch has | sketches | right | wrong | refused | seconds, median |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for name, result in results.items():
        counts = result["counts"]
        for kind, what in KINDS.items():
            n = [counts[kind, verdict] for verdict in ("right", "wrong", "refused")]
            lines.append(f"| {name} | {what} | {sum(n)} | {n[0]} | {n[1]} | {n[2]} | |")
        n = [
            sum(counts[kind, verdict] for kind in KINDS)
            for verdict in ("right", "wrong", "refused")
        ]
        median = sorted(result["seconds"])[len(result["seconds"]) // 2]
        lines.append(f"| {name} | all | {sum(n)} | {n[0]} | {n[1]} | {n[2]} | {median:.1f} |")
    return "\n".join(lines)


def put(page: str, text: str) -> str:
    before, found, rest = page.partition(BEGIN)
    _, closed, after = rest.partition(END)
    if not found or not closed:
        raise SystemExit(f"sketches: docs/apply.md lacks the line {BEGIN} or its end")
    return f"{before}{BEGIN}\n\n{text}\n\n{END}{after}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--slotwright", default=str(ROOT / "target/release/slotwright"))
    parser.add_argument("--model", action="append", required=True, metavar="NAME=FILE")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--n", type=int, default=100)
    parser.add_argument("--seed", type=int, default=5)
    arguments = parser.parse_args()
    bench = Bench(str(Path(arguments.slotwright).resolve()))
    cases = bench.cases(arguments.n, arguments.seed)
    if not cases:
        raise SystemExit("sketches: the history has no such diffs")
    results = {}
    for named in arguments.model:
        name, file = named.split("=", 1)
        options = ["--model", str(Path(file).resolve()), "--threads", arguments.threads]
        results[name] = measured(bench, cases, options)
    page = ROOT / "docs/apply.md"
    page.write_text(put(page.read_text(), table(results)))
    print(table(results))


if __name__ == "__main__":
    main()
