"""Fits the weights by which the program ranks the edits that it makes out of a sentence's own words (`src/suggest`).

    python suggestions.py --program ../../target/release/examples/suggestion_features --out ../suggestions.tsv

The edits are the hand-written ones of `projects/` and, with their placeholders filled, of `scenarios/`; every sixth project is
kept to see what the weights are worth. A log-linear model: of all changes that a sentence may mean, and none of them, how likely
is the right one? What is in the table weighs by name, so that it can be read.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby, islice
from pathlib import Path

import torch

import projects
import scenarios
from names import Names

HERE = Path(__file__).parent
# A sentence of a scenario names its language rarely; of these at most so many edits a language.
SCENARIOS = 500
# Tasks a step.
BATCH = 256
RATE = 0.05


def of_project(project: projects.Project, rng: random.Random, most: int) -> list[dict]:
    """Its edits, in one or more of their sentences each."""
    rows = []
    for path, edits in project.edits.items():
        before = project.files[path]
        for edit in edits:
            after = before if edit.family == "decline" else (edit.text("after") or "") + "\n"
            said = [line for line in edit.parts["say"] if line.strip()]
            rows += [dict(task=sentence, before=before, after=after) for sentence in rng.sample(said, min(most, len(said)))]
    return rows


def of_scenarios(rng: random.Random, most: int) -> list[dict]:
    """Edits of short files, at most so many a language, in one sentence each."""
    rows = []
    names = Names(rng, [])
    for language in scenarios.languages():
        all_of_it = [one for one in scenarios.load(language) if one.family not in ("decline", "create")]
        for scenario in rng.sample(all_of_it, min(most, len(all_of_it))):
            for filled in scenarios.fill(rng, names, [scenario]) or []:
                if filled.before and filled.after is not None and filled.sentences:
                    rows.append(dict(task=rng.choice(filled.sentences), before=filled.before + "\n", after=filled.after + "\n"))
    return rows


class Tasks:
    """Features of many tasks, as tensors: a task has candidates, a candidate has ways, a way has lists of features."""

    def __init__(self, rows: Iterable[dict], number: dict[str, int]):
        # Arrays, because lists of so many numbers do not fit into memory.
        features, starts, lists, way_of, candidate_of, task_of, none, right = (array("i") for _ in range(8))
        search, more = array("f"), array("f")
        for task, row in enumerate(rows):
            first = len(starts)
            for names in row["lists"]:
                starts.append(len(features))
                features.extend(number[name] for name in names if name in number)
            none.append(first + row["none"])
            wanted = -1
            for seen in row["candidates"]:
                if seen["right"]:
                    wanted = len(task_of)
                for of_way, weight in seen["ways"]:
                    way_of.extend([len(search)] * len(of_way))
                    lists.extend(first + i for i in of_way)
                    search.append(weight)
                    candidate_of.append(len(task_of))
                task_of.append(task)
                more.append(seen["more"])
            right.append(wanted)

        def tensor(numbers: array) -> torch.Tensor:
            return torch.frombuffer(numbers, dtype=torch.float32 if numbers.typecode == "f" else torch.int32)

        self.features, self.starts, self.lists, self.way_of = map(tensor, (features, starts, lists, way_of))
        self.candidate_of, self.task_of, self.none, self.right = (tensor(numbers).long() for numbers in (candidate_of, task_of, none, right))
        self.search, self.more = tensor(search), tensor(more)

    def log_probabilities(self, weights: torch.nn.EmbeddingBag, of_search: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Of each candidate, and of the right one of each task, which is none where no candidate is."""
        of_lists = weights(self.features, self.starts)[:, 0]
        ways = torch.zeros(len(self.search)).index_add(0, self.way_of, of_lists[self.lists])
        candidates = log_sum(ways + of_search * self.search, self.candidate_of, len(self.task_of))
        none = of_lists[self.none]
        tasks = torch.arange(len(none))
        total = log_sum(torch.cat([candidates + self.more, none]), torch.cat([self.task_of, tasks]), len(none))
        right = torch.where(self.right >= 0, candidates[self.right.clamp(min=0)], none) - total
        return candidates - total[self.task_of], right


def seen(args: argparse.Namespace, rows: list[dict], folder: Path) -> Callable[[], Iterator[dict]]:
    """What the program sees of tasks, read again at each call."""
    size = -(-len(rows) // args.at_once)
    parts = []
    for start in range(0, len(rows), size):
        asked = "".join(json.dumps(row | dict(some=args.some)) + "\n" for row in rows[start : start + size])
        file = folder / f"{len(list(folder.iterdir()))}.jsonl"
        asked_file = file.with_suffix(".asked")
        asked_file.write_text(asked)
        parts.append((file, subprocess.Popen([args.program], stdin=asked_file.open(), stdout=file.open("w"))))
    for _, process in parts:
        if process.wait():
            raise SystemExit(f"{args.program} failed")

    def read() -> Iterator[dict]:
        for file, _ in parts:
            with file.open("rb") as lines:
                lines.seek(int(file.with_suffix(".names").read_text()))
                names = [sys.intern(name) for name in json.loads(lines.readline())]
                lines.seek(0)
                for line in lines:
                    row = json.loads(line)
                    if isinstance(row, list):
                        break
                    yield row | dict(lists=[[names[i] for i in numbers] for numbers in row["lists"]])

    for file, _ in parts:
        with file.open("rb") as lines:
            at = last = 0
            for line in lines:
                last, at = at, at + len(line)
        file.with_suffix(".names").write_text(str(last))
    return read


def log_sum(values: torch.Tensor, group: torch.Tensor, n_groups: int) -> torch.Tensor:
    """ln Σ exp of each group."""
    greatest = torch.full((n_groups,), -1e9).scatter_reduce(0, group, values.detach(), "amax")
    return greatest + torch.log(torch.zeros(n_groups).index_add(0, group, torch.exp(values - greatest[group])))


def rendered(table: dict[str, float]) -> str:
    """A line for all names that begin alike up to their last colon, as `src/suggest/weights.rs` reads them."""
    cells = sorted((name[: name.rfind(":") + 1], name[name.rfind(":") + 1 :], f"{weight:.2f}") for name, weight in table.items() if weight)
    by_line = groupby(cells, key=lambda cell: cell[0])
    return "".join(beginning + "".join(f"\t{rest}\t{weight}" for _, rest, weight in of_line) + "\n" for beginning, of_line in by_line)


def report(tasks: Tasks, weights: torch.nn.EmbeddingBag, of_search: torch.Tensor) -> str:
    with torch.no_grad():
        log, right = tasks.log_probabilities(weights, of_search)
    n = len(tasks.right)
    top = torch.full((n,), -1e9).scatter_reduce(0, tasks.task_of, log, "amax")
    has = tasks.right >= 0
    is_first = has & (log[tasks.right.clamp(min=0)] >= top)
    parts = [f"{n} tasks, the right edit among the candidates of {int(has.sum())}, first in {int(is_first.sum())}, mean log {right.mean():.3f}"]
    parts += [f"above {limit}: {int((is_first & (top.exp() > limit)).sum())} of {int((top.exp() > limit).sum())} right" for limit in (0.1, 0.3, 0.5, 0.8)]
    return "; ".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, required=True, help="the example suggestion_features")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sentences", type=int, default=2, help="of each edit at most")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--tasks", type=int, help="at most, for a first look")
    parser.add_argument("--some", type=int, default=20, help="one in so many of the less likely candidates is looked at")
    parser.add_argument("--at-once", type=int, default=2, help="programs that run at the same time")
    parser.add_argument("--decay", type=float, default=0.5, help="how much large weights cost")
    parser.add_argument("--least", type=int, default=5, help="tasks that a feature must be in")
    parser.add_argument("--smallest", type=float, default=0.2, help="weights below are left out")
    args = parser.parse_args()
    rng = random.Random(1)
    kept, rows = [], of_scenarios(rng, SCENARIOS)
    for i, project in enumerate(projects.load()):
        if i % 6 == 5:
            kept += of_project(project, rng, 1)
        else:
            rows += of_project(project, rng, args.sentences)
    rows = rng.sample(rows, min(len(rows), args.tasks or len(rows)))
    with tempfile.TemporaryDirectory() as folder:
        fitted_rows, kept_rows = (seen(args, part, Path(folder)) for part in (rows, kept))
        n_seen: Counter[str] = Counter()
        for row in fitted_rows():
            n_seen.update({name for names in row["lists"] for name in names})
        number = {name: n for n, name in enumerate(sorted(name for name, n_tasks in n_seen.items() if n_tasks >= args.least))}
        print(len(rows), "tasks,", len(number), "features", flush=True)
        left = fitted_rows()
        batches = [Tasks(batch, number) for batch in iter(lambda: list(islice(left, BATCH)), [])]
        kept_tasks = Tasks(kept_rows(), number)
    weights = torch.nn.EmbeddingBag(len(number), 1, mode="sum")
    torch.nn.init.zeros_(weights.weight)
    of_search = torch.nn.Parameter(torch.tensor(0.2))
    optimizer = torch.optim.Adam([weights.weight, of_search], lr=RATE)
    steps = args.epochs * len(batches)
    for step in range(steps):
        if step % len(batches) == 0:
            rng.shuffle(batches)
        optimizer.param_groups[0]["lr"] = RATE * (1 - step / steps)
        optimizer.zero_grad()
        right = batches[step % len(batches)].log_probabilities(weights, of_search)[1]
        loss = -right.mean() + args.decay * weights.weight.square().sum() / len(rows)
        loss.backward()
        optimizer.step()
        if (step + 1) % len(batches) == 0:
            print(f"{loss.item():.3f}", report(kept_tasks, weights, of_search), flush=True)
    with torch.no_grad():
        weights.weight[weights.weight.abs() < args.smallest] = 0
    print("without small ones:", report(kept_tasks, weights, of_search))
    table = {name: weights.weight[i, 0].item() for name, i in number.items()} | {"search": of_search.item()}
    args.out.write_text(rendered(table))


if __name__ == "__main__":
    main()
