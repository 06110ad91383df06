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
import tempfile
from collections import Counter
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

import numpy as np
import torch

import projects
import scenarios
from names import Names

HERE = Path(__file__).parent
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
    """Edits of short files, in one or more of their sentences each, every time with other names and numbers."""
    rows = []
    names = Names(rng, [])
    for language in scenarios.languages():
        for scenario in scenarios.load(language):
            if scenario.family in ("decline", "create"):
                continue
            n_said = sum(bool(line.strip()) for line in scenario.parts["say"])
            for which in rng.sample(range(n_said), min(most, n_said)):
                for filled in scenarios.fill(rng, names, [scenario]) or []:
                    if filled.before and filled.after is not None and which < len(filled.sentences):
                        rows.append(dict(task=filled.sentences[which], before=filled.before + "\n", after=filled.after + "\n"))
    return rows


class Seen:
    """What the program sees of tasks: see `examples/suggestion_features.rs`."""

    def __init__(self, features: Path, names: Path):
        self.names: list[str] = json.loads(names.read_text())
        numbers = np.fromfile(features, dtype=np.uint32)
        self.rows: list[np.ndarray] = []
        at = 0
        while at < len(numbers):
            self.rows.append(numbers[at + 1 : at + 1 + numbers[at]])
            at += 1 + int(numbers[at])

    def n_tasks(self) -> np.ndarray:
        """Of each name, in how many tasks it is."""
        n_tasks = np.zeros(len(self.names), dtype=np.int64)
        for row in self.rows:
            n_lists = row[0]
            n_tasks[np.unique(row[5 + n_lists : 5 + n_lists + row[5 : 5 + n_lists].sum()])] += 1
        return n_tasks


class Tasks:
    """Features of many tasks, as tensors: a task has candidates, a candidate has ways, a way has lists of features."""

    def __init__(self, rows: Iterable[np.ndarray], number: np.ndarray):
        """`number` has the number of each feature of the rows; the last number stands for none."""
        parts: dict[str, list[np.ndarray]] = {}
        n_lists = n_candidates = n_ways = 0

        def add(name: str, values: np.ndarray) -> None:
            parts.setdefault(name, []).append(values)

        for task, row in enumerate(rows):
            lists, candidates, ways, none, right = (int(n) for n in row[:5])
            at = 5

            def take(n: int) -> np.ndarray:
                nonlocal at
                at += n
                return row[at - n : at]

            lengths = take(lists)
            add("lengths", lengths)
            add("features", number[take(int(lengths.sum()))])
            ways_of = take(candidates)
            add("more", take(candidates).view(np.float32))
            lists_of = take(ways)
            add("search", take(ways).view(np.float32))
            add("lists", take(int(lists_of.sum())).astype(np.int32) + n_lists)
            add("way_of", np.repeat(np.arange(n_ways, n_ways + ways, dtype=np.int32), lists_of))
            add("candidate_of", np.repeat(np.arange(n_candidates, n_candidates + candidates), ways_of))
            add("task_of", np.full(candidates, task, dtype=np.int64))
            add("none", np.array([none + n_lists], dtype=np.int64))
            add("right", np.array([right - 1 + n_candidates if right else -1], dtype=np.int64))
            n_lists, n_candidates, n_ways = n_lists + lists, n_candidates + candidates, n_ways + ways
        tensors = {name: torch.from_numpy(np.concatenate(arrays)) for name, arrays in parts.items()}
        lengths = tensors.pop("lengths").to(torch.int32)
        self.features, self.lists, self.way_of = tensors["features"], tensors["lists"], tensors["way_of"]
        self.starts = torch.cumsum(lengths, 0, dtype=torch.int32) - lengths
        self.candidate_of, self.task_of, self.none, self.right = (tensors[name] for name in ("candidate_of", "task_of", "none", "right"))
        self.search, self.more = tensors["search"], tensors["more"]

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


def look(args: argparse.Namespace, rows: list[dict], folder: Path, name: str) -> list[tuple[Path, Path]]:
    """Has the program look at tasks, in as many parts as it runs at once. What the folder has of them stays as it is."""
    size = -(-len(rows) // args.at_once)
    parts, running = [], []
    for i, start in enumerate(range(0, len(rows), size)):
        asked, features, names = (folder / f"{name}{i}.{ending}" for ending in ("asked", "features", "names"))
        parts.append((features, names))
        if not names.exists():
            asked.write_text("".join(json.dumps(row | dict(some=args.some)) + "\n" for row in rows[start : start + size]))
            running.append(subprocess.Popen([args.program, names], stdin=asked.open(), stdout=features.open("wb")))
    for process in running:
        if process.wait():
            raise SystemExit(f"{args.program} failed")
    return parts


def log_sum(values: torch.Tensor, group: torch.Tensor, n_groups: int) -> torch.Tensor:
    """ln Σ exp of each group."""
    greatest = torch.full((n_groups,), -1e9).scatter_reduce(0, group, values.detach(), "amax")
    return greatest + torch.log(torch.zeros(n_groups).index_add(0, group, torch.exp(values - greatest[group])))


def rendered(table: dict[str, float]) -> str:
    """A line for all names that begin alike up to their last colon, as `src/suggest/weights.rs` reads them."""
    cells = sorted((name[: name.rfind(":") + 1], name[name.rfind(":") + 1 :], f"{weight:.2f}") for name, weight in table.items() if weight)
    by_line = groupby(cells, key=lambda cell: cell[0])
    return "".join(beginning + "".join(f"\t{rest}\t{weight}" for _, rest, weight in of_line) + "\n" for beginning, of_line in by_line)


def report(batches: list[Tasks], weights: torch.nn.EmbeddingBag, of_search: torch.Tensor) -> str:
    limits = (0.1, 0.3, 0.5, 0.8)
    n = n_has = n_first = 0
    total = 0.0
    above = {limit: [0, 0] for limit in limits}
    for tasks in batches:
        with torch.no_grad():
            log, right = tasks.log_probabilities(weights, of_search)
        top = torch.full((len(tasks.right),), -1e9).scatter_reduce(0, tasks.task_of, log, "amax")
        has = tasks.right >= 0
        is_first = has & (log[tasks.right.clamp(min=0)] >= top)
        n, n_has, n_first, total = n + len(has), n_has + int(has.sum()), n_first + int(is_first.sum()), total + right.sum().item()
        for limit, counts in above.items():
            is_above = top.exp() > limit
            counts[0] += int((is_first & is_above).sum())
            counts[1] += int(is_above.sum())
    parts = [f"{n} tasks, the right edit among the candidates of {n_has}, first in {n_first}, mean log {total / n:.3f}"]
    return "; ".join(parts + [f"above {limit}: {n_right} of {n_above} right" for limit, (n_right, n_above) in above.items()])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, required=True, help="the example suggestion_features")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--folder", type=Path, help="keeps what the program sees of the tasks, for another run with the same program and tasks")
    parser.add_argument("--sentences", type=int, default=3, help="of each edit at most")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--tasks", type=int, help="at most, for a first look")
    parser.add_argument("--some", type=int, default=20, help="one in so many of the less likely candidates is looked at")
    parser.add_argument("--at-once", type=int, default=2, help="programs that run at the same time")
    parser.add_argument("--decay", type=float, default=1.0, help="how much large weights cost")
    parser.add_argument("--least", type=int, default=5, help="tasks that a feature must be in")
    parser.add_argument("--smallest", type=float, default=0.16, help="weights below are left out")
    args = parser.parse_args()
    rng = random.Random(1)
    kept, rows = [], of_scenarios(rng, args.sentences)
    for i, project in enumerate(projects.load()):
        if i % 6 == 5:
            kept += of_project(project, rng, 1)
        else:
            rows += of_project(project, rng, args.sentences)
    rows = rng.sample(rows, min(len(rows), args.tasks or len(rows)))
    with tempfile.TemporaryDirectory() as passing:
        folder = args.folder or Path(passing)
        folder.mkdir(parents=True, exist_ok=True)
        others, fitted = (look(args, part, folder, name) for part, name in ((kept, "kept"), (rows, "fitted")))
        n_seen: Counter[str] = Counter()
        for part in fitted:  # one after the other: all that is seen of them is more than memory holds twice
            of_part = Seen(*part)
            n_seen.update({name: int(n) for name, n in zip(of_part.names, of_part.n_tasks(), strict=True)})
        number = {name: n for n, name in enumerate(sorted(name for name, n_tasks in n_seen.items() if n_tasks >= args.least))}
        print(len(rows), "tasks,", len(number), "features", flush=True)

        def batches_of(part: tuple[Path, Path]) -> list[Tasks]:
            of_part = Seen(*part)
            numbers = np.array([number.get(name, len(number)) for name in of_part.names], dtype=np.int32)
            return [Tasks(of_part.rows[at : at + BATCH], numbers) for at in range(0, len(of_part.rows), BATCH)]

        batches, kept_tasks = ([batch for part in parts for batch in batches_of(part)] for parts in (fitted, others))
    # What is in too few tasks weighs nothing.
    weights = torch.nn.EmbeddingBag(len(number) + 1, 1, mode="sum", padding_idx=len(number))
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
