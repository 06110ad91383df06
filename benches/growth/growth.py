"""Measures what an edit costs as the file, or the folder, grows.

    python growth.py --slotwright PROGRAM --model NAME=FILE.gguf [--runs 3] [--threads 2]

The files are functions of three lines that nobody wrote. A task names one of them, in another one
for each run. Nothing was read before, but the machine's pace is known. No answer is
judged; an edit must come of it. Writes its part of BENCHMARKS.md.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benches"))

from page import put  # noqa: E402

BEGIN = "<!-- growth: from here on written by benches/growth/growth.py -->"
END = "<!-- growth: to here -->"
FILE_LINES = (300, 3_000, 30_000, 100_000)
FOLDER_FILES = (10, 1_000, 10_000, 50_000)
# Functions in each file of a folder.
OF_A_FILE = 12


def functions(names: list[str]) -> str:
    return "\n\n".join(f"def {name}(x):\n    return x + {len(name)}\n" for name in names)


def long_file(n_lines: int) -> tuple[dict[str, str], list[str]]:
    """One file of so many lines, and the names of its functions."""
    names = [f"step_{i}" for i in range(n_lines // 4)]
    return {"steps.py": functions(names)}, names


def folder(n_files: int) -> tuple[dict[str, str], list[str]]:
    """So many files in folders of a hundred, and the names of their functions."""
    files, names = {}, []
    for i in range(n_files):
        own = [f"step_{i}_{j}" for j in range(OF_A_FILE)]
        files[f"part_{i // 100}/module_{i}.py"] = functions(own)
        names += own
    return files, names


@dataclass(frozen=True)
class Cost:
    """Of one edit, in milliseconds: the model's part, and the program's without loading the model."""

    model: float
    program: float
    prompt_tokens: float

    @staticmethod
    def of(stats: dict) -> Cost:
        ms = stats["ms"]
        model = ms["prompt"] + ms["answer"]
        read = stats["prompt_tokens"] - stats["reused_tokens"]
        return Cost(model, ms["total"] - ms["load"] - model, read)

    @staticmethod
    def median(costs: list[Cost]) -> Cost:
        def of(value):
            return statistics.median(value(cost) for cost in costs)

        return Cost(of(lambda c: c.model), of(lambda c: c.program), of(lambda c: c.prompt_tokens))


class Bench:
    def __init__(self, program: str, model: str, threads: str, home: str):
        self.command = [program, "edit", "--dry-run", "--json", "--stats", "--model", model]
        self.command += ["--threads", threads]
        self.computed_on = ""
        self.read_before = Path(home) / "slotwright/prefixes"
        self.environment = {**os.environ, "XDG_CACHE_HOME": home, "XDG_STATE_HOME": home}

    def edit(self, where: str, name: str) -> Cost:
        shutil.rmtree(self.read_before, ignore_errors=True)
        command = [*self.command, "--root", where, f"{name} should return x * 2"]
        run = subprocess.run(command, capture_output=True, text=True, env=self.environment)
        report = json.loads(run.stdout)
        if not report["edits"]:
            raise SystemExit(f"growth: no edit in {where}: {report['error'] or report['status']}")
        self.computed_on = report["stats"]["computed_on"]
        return Cost.of(report["stats"])

    def measured(self, files: dict[str, str], names: list[str], runs: int) -> Cost:
        with tempfile.TemporaryDirectory() as where:
            for path, text in files.items():
                file = Path(where) / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            chosen = [names[(2 * run + 1) * len(names) // (2 * runs)] for run in range(runs)]
            return Cost.median([self.edit(where, name) for name in chosen])


def table(title: str, rows: dict[int, Cost]) -> str:
    smallest = next(iter(rows.values()))
    lines = [
        f"| {title} | prompt tokens | the model's part, ms | against the smallest | all else, ms |",
        "|---:|---:|---:|---:|---:|",
    ]
    for size, cost in rows.items():
        ratio = cost.model / smallest.model
        lines.append(
            f"| {size:,} | {cost.prompt_tokens:.0f} | {cost.model:,.0f} | {ratio:.2f}× "
            f"| {cost.program:,.0f} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--slotwright", default=str(ROOT / "target/release/slotwright"))
    parser.add_argument("--model", required=True, metavar="NAME=FILE")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", default="2")
    arguments = parser.parse_args()
    name, file = arguments.model.split("=", 1)
    program, model = (str(Path(path).resolve()) for path in (arguments.slotwright, file))
    with tempfile.TemporaryDirectory() as home:
        bench = Bench(program, model, arguments.threads, home)
        bench.measured(*long_file(FILE_LINES[0]), runs=1)  # learns the pace
        tables = []
        for title, sizes, made in (
            ("lines of the file", FILE_LINES, long_file),
            ("files in the folder", FOLDER_FILES, folder),
        ):
            rows = {}
            for size in sizes:
                rows[size] = bench.measured(*made(size), runs=arguments.runs)
                print(title, size, rows[size], flush=True)
            tables.append(table(title, rows))
    text = f"""## As the file and the folder grow

{name} with its adapter, an edit where nothing was read before, the median of {arguments.runs}. *All else*
is listing, searching, showing and checking. `benches/growth` measures it, here with {arguments.threads} threads on
{bench.computed_on}: read the ratios.

{tables[0]}

{tables[1]}
"""
    page = ROOT / "BENCHMARKS.md"
    page.write_text(put(page.read_text(), BEGIN, END, text))
    print(text)


if __name__ == "__main__":
    main()
