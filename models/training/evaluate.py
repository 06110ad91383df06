"""Runs tasks through `slotwright edit` itself and counts what came of them.

    python evaluate.py --program ../../target/release/slotwright --model ../bundled.gguf --tasks dev --report dev.json

A task is right if the folder afterwards is the one wanted (or one of those wanted). Everything else is what the program reports:
declined, no change, refused, truncated, mechanics, or an edit that is another one than wanted.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import subprocess
import tempfile
import time
import tomllib
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def run(program: str, model: str, folder: Path, sentence: str, is_first: bool, extra: list[str]) -> dict:
    """What came of one sentence on a copy of a task's folder."""
    task = tomllib.loads((folder / "task.toml").read_text(encoding="utf-8"))
    wanted_trees = [tree(after) for after in sorted(folder.glob("after*"))]
    with tempfile.TemporaryDirectory() as name:
        root = Path(name) / "root"
        shutil.copytree(folder / "before", root)
        before = tree(root)
        started = time.time()
        done = subprocess.run(
            [program, "edit", "--root", str(root), "--model", model, "--json", "--yes", *extra, "--", sentence],
            capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "HOME": name, "XDG_STATE_HOME": name, "XDG_CACHE_HOME": str(Path.home() / ".cache")}, timeout=300, check=False,
        )
        seconds = time.time() - started
        after = tree(root)
    report = json.loads(done.stdout) if done.stdout.strip().startswith("{") else {"status": "failed", "error": {"message": done.stderr[-300:]}}
    kind = (report.get("error") or {}).get("kind")
    # "unsure": it changes nothing, or says that there is nothing to do; of others it is not said where no certainty is asked for.
    declined = report.get("status") == "already_done" or kind in ("declined", "unsure")
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    wanted = [before | wanted for wanted in wanted_trees]
    if task["level"] == "decline":
        verdict = "right" if declined else "edited" if changed else kind or report["status"]
    elif after in wanted:
        verdict = "right"
    elif changed:
        target = {path for wanted in wanted_trees for path in wanted}
        verdict = "wrong text" if changed <= target else "wrong file"
    else:
        verdict = kind or report["status"]
    stages, passed_over = (report.get("stats", {}).get(key, []) for key in ("stages", "passed_over"))
    return {
        "task": folder.name, "level": task["level"], "category": task["category"], "language": task["language"], "sentence": sentence, "is_first": is_first, "verdict": verdict, "seconds": round(seconds, 3),
        "ms": round(sum(stage["ms"]["prompt"] + stage["ms"]["answer"] for stage in stages + passed_over), 1), "n_answers": len(stages) + len(passed_over),
        "lines": max((text.count(b"\n") for path, text in before.items() if any(path in wanted for wanted in wanted_trees)), default=0), "files": len(before),
        "masked_mass": max((mass for stage in stages for mass in stage["masked_mass"].values()), default=0.0),
        # As the program counts it (`Outcome::certainty`).
        "certainty": max([math.prod(share for stage in stages for share in stage["certainty"].values()), *(stage["suggested"] for stage in stages if "suggested" in stage)]),
        "suggested": any("suggested" in stage for stage in stages),
        "answers": [stage["answer"] for stage in stages],
        "picked": picked(stages, {path for wanted in wanted_trees for path in wanted} & before.keys()),
    }


def picked(stages: list[dict], paths: set[str]) -> str | None:
    """Whether stage 1 chose the file to be changed; none where there is none or stage 1 was not answered."""
    if not stages or not paths:
        return None
    try:
        path = json.loads(stages[0]["answer"]).get("path")
    except ValueError:
        return None
    return "right" if path in paths else "no file" if path is None else "wrong"


def wilson(k: int, n: int) -> tuple[float, float]:
    """A 95% interval for a rate (Wilson, 1927)."""
    if n == 0:
        return 0.0, 1.0
    z, p = 1.96, k / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def table(title: str, rows: list[dict], key) -> None:
    groups: dict[str, list[dict]] = defaultdict(list)
    for row in rows:
        groups[str(key(row))].append(row)
    print(f"\n{title}")
    for name, group in sorted(groups.items(), key=lambda item: -len(item[1])):
        k = sum(row["verdict"] == "right" for row in group)
        low, high = wilson(k, len(group))
        print(f"  {name:24} {k:4} of {len(group):4}  {100 * k / len(group):5.1f}%  [{100 * low:.0f}, {100 * high:.0f}]")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--model", default="bundled")
    parser.add_argument("--tasks", type=Path, default=Path(__file__).parent / "dev")
    parser.add_argument("--report", type=Path)
    parser.add_argument("--paraphrases", action="store_true", help="the other sentences of each task as well")
    parser.add_argument("--only", type=int, help="every so many-th task")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("extra", nargs="*", help="flags for slotwright edit, after --")
    arguments = parser.parse_args()
    folders = sorted(path.parent for path in arguments.tasks.glob("*/task.toml"))
    folders = folders[:: arguments.only] if arguments.only else folders
    jobs = []
    for folder in folders:
        task = tomllib.loads((folder / "task.toml").read_text(encoding="utf-8"))
        sentences = [task["sentence"], *(task.get("paraphrases", []) if arguments.paraphrases else [])]
        jobs += [(folder, sentence, sentence == task["sentence"]) for sentence in sentences]
    extra = ["--no-cache", "--min-certainty", "0", "--accept", "merge", "--accept", "unseen", "--threads", "1", *arguments.extra]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        rows = list(pool.map(lambda job: run(arguments.program, arguments.model, *job, extra), jobs))
    table("all", rows, lambda row: "all")
    table("level", rows, lambda row: row["level"])
    table("language", rows, lambda row: row["language"])
    table("lines of the file", rows, lambda row: "to 20" if row["lines"] <= 20 else "21 to 60" if row["lines"] <= 60 else "above 60")
    table("files", rows, lambda row: "one" if row["files"] == 1 else "several")
    verdicts: dict[str, int] = defaultdict(int)
    for row in rows:
        verdicts[("decline: " if row["level"] == "decline" else "") + row["verdict"]] += 1
    print("\nverdicts", dict(sorted(verdicts.items(), key=lambda item: -item[1])))
    edited = sorted(row["seconds"] for row in rows)
    print(f"seconds a task, with starting and loading: median {edited[len(edited) // 2]:.2f}, 90% under {edited[int(len(edited) * 0.9)]:.2f}")
    if arguments.report:
        arguments.report.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
