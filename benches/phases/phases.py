"""Measures where the time of an edit goes, and what other programs or variables make of it.

    python phases.py --model NAME=FILE.gguf... [--slotwright PROGRAM] [--tasks 8] [--runs 3]
                     [--other LABEL=PROGRAM[,VARIABLE=VALUE]...]...

Each edit is a process of its own. *Cold* has read nothing before; *again* is the same task in other
words, with what the first process kept. The others run between ours, cold, in turns, and only the
ratio to ours is given. No answer is judged. Prints tables.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import astuple, dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "peers"))

import real  # noqa: E402


@dataclass(frozen=True)
class Phases:
    """Of one edit: milliseconds, and what was computed in them."""

    load: float
    read: float
    write: float
    rest: float
    n_read: float
    n_evaluations: float

    @property
    def total(self) -> float:
        return self.load + self.read + self.write + self.rest

    @staticmethod
    def of(stats: dict) -> Phases:
        ms = stats["ms"]
        load, read, write = ms["load"], ms["prompt"], ms["answer"]
        stages = stats["stages"]
        return Phases(
            load,
            read,
            write,
            ms["total"] - load - read - write,
            sum(stage["prompt_tokens"] - stage["reused_tokens"] for stage in stages),
            sum(stage["evaluations"] for stage in stages),
        )

    @staticmethod
    def median(all_of: list[Phases]) -> Phases:
        return Phases(*map(statistics.median, zip(*map(astuple, all_of))))


@dataclass(frozen=True)
class Program:
    """What is measured: a program, and the variables that it is given."""

    label: str
    path: str
    variables: dict[str, str]

    @staticmethod
    def named(text: str) -> Program:
        label, _, rest = text.partition("=")
        path, *variables = rest.split(",")
        if not path:
            raise SystemExit(f"phases: {text} is not LABEL=PROGRAM")
        return Program(label, str(Path(path).resolve()), dict(v.split("=", 1) for v in variables))

    def edit(self, where: Path, sentence: str, home: str, options: list[str]) -> Phases:
        command = [self.path, "edit", "--dry-run", "--json", "--root", str(where), *options]
        variables = {"XDG_CACHE_HOME": home, "XDG_STATE_HOME": home, **self.variables}
        environment = {**os.environ, **variables}
        run = subprocess.run([*command, sentence], capture_output=True, text=True, env=environment)
        stats = json.loads(run.stdout).get("stats") if run.stdout else None
        if not stats:
            raise SystemExit(f"phases: {self.label}: {sentence}: {run.stderr or run.stdout}")
        return Phases.of(stats)


def measured(
    programs: list[Program], tasks: list[real.Task], runs: int, options: list[str]
) -> dict[str, list[Phases]]:
    """All edits: of each program those that are cold, and of the first one `again`."""
    all_of: dict[str, list[Phases]] = {"again": []}
    for task in tasks:
        with tempfile.TemporaryDirectory() as folder:
            setting = real.Setting(task, Path(folder))
            for run in range(runs):
                for program in programs[run % len(programs) :] + programs[: run % len(programs)]:
                    with tempfile.TemporaryDirectory() as home:
                        cold = program.edit(setting.folder, task.sentence, home, options)
                        all_of.setdefault(program.label, []).append(cold)
                        if program is programs[0]:
                            other = f"Please do this: {task.sentence}"
                            again = program.edit(setting.folder, other, home, options)
                            all_of["again"].append(again)
                print(task.name, f"{all_of[programs[0].label][-1].total:.0f} ms", flush=True)
    return all_of


def phases_table(by_model: dict[str, dict[str, list[Phases]]], ours: str) -> str:
    lines = [
        "| | loading | reading | tokens read | writing | evaluations | all else | together |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for model, all_of in by_model.items():
        for label, name in ((ours, "cold"), ("again", "again, in a new process")):
            p = Phases.median(all_of[label])
            lines.append(
                f"| {model}, {name} | {p.load:,.0f} | {p.read:,.0f} | {p.n_read:.0f} | {p.write:,.0f} "
                f"| {p.n_evaluations:.0f} | {p.rest:,.0f} | {p.total:,.0f} |"
            )
    return "\n".join(lines)


def others_table(by_model: dict[str, dict[str, list[Phases]]], programs: list[Program]) -> str:
    """How many times ours the others take: the sums over all edits."""

    def ratio(of, theirs: list[Phases], ours: list[Phases]) -> str:
        return f"{sum(map(of, theirs)) / sum(map(of, ours)):.2f}×"

    lines = ["| | " + " | ".join(f"{model}: reading | writing | all" for model in by_model) + " |"]
    lines.append("|---|" + "---:|---:|---:|" * len(by_model))
    for program in programs[1:]:
        cells = []
        for all_of in by_model.values():
            theirs, ours = all_of[program.label], all_of[programs[0].label]
            for of in (lambda p: p.read, lambda p: p.write, lambda p: p.total):
                cells.append(ratio(of, theirs, ours))
        lines.append(f"| {program.label} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--slotwright", default=str(ROOT / "target/release/slotwright"))
    parser.add_argument("--model", action="append", required=True, metavar="NAME=FILE")
    parser.add_argument("--other", action="append", default=[])
    parser.add_argument("--tasks", type=int, default=8)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", default="2")
    arguments = parser.parse_args()
    programs = [Program.named(f"ours={arguments.slotwright}")]
    programs += map(Program.named, arguments.other)
    if len({"again", *(program.label for program in programs)}) <= len(programs):
        raise SystemExit("phases: each --other needs a label of its own, not ours or again")
    tasks = real.tasks(arguments.tasks)
    by_model = {}
    for named in arguments.model:
        name, file = named.split("=", 1)
        options = ["--model", str(Path(file).resolve()), "--threads", arguments.threads]
        by_model[name] = measured(programs, tasks, arguments.runs, options)
    print(phases_table(by_model, programs[0].label))
    if len(programs) > 1:
        print("\nWhat each of these takes, cold, where ours takes 1:\n")
        print(others_table(by_model, programs))


if __name__ == "__main__":
    main()
