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
from collections import Counter
from pathlib import Path

import torch

import projects
import scenarios
from names import Names

HERE = Path(__file__).parent
# A sentence of a scenario names its language rarely; of these at most so many edits a language.
SCENARIOS = 500


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


def of_scenarios(rng: random.Random) -> list[dict]:
    """Edits of short files, in one sentence each."""
    rows = []
    names = Names(rng, [])
    for language in scenarios.languages():
        all_of_it = [one for one in scenarios.load(language) if one.family not in ("decline", "create")]
        for scenario in rng.sample(all_of_it, min(SCENARIOS, len(all_of_it))):
            for filled in scenarios.fill(rng, names, [scenario]) or []:
                if filled.before and filled.after is not None and filled.sentences:
                    rows.append(dict(task=rng.choice(filled.sentences), before=filled.before + "\n", after=filled.after + "\n"))
    return rows


class Tasks:
    """Features of many tasks, as tensors: a task has candidates, a candidate has ways, a way has three lists of features."""

    def __init__(self, lines: list[str], number: dict[str, int], names: list[str]):
        features, starts, ways, candidate_of, task_of, none, right, search = [], [], [], [], [], [], [], []
        n_candidates = 0
        for task, line in enumerate(lines):
            row = json.loads(line)
            first = len(starts)
            for list_ in row["lists"]:
                starts.append(len(features))
                features += [number[names[i]] for i in list_ if names[i] in number]
            none.append(first + row["none"])
            wanted = -1
            for seen in row["candidates"]:
                if seen["right"]:
                    wanted = n_candidates
                for *lists, weight in seen["ways"]:
                    ways.append([first + i for i in lists])
                    search.append(weight)
                    candidate_of.append(n_candidates)
                task_of.append(task)
                n_candidates += 1
            right.append(wanted)
        self.features, self.starts = torch.tensor(features), torch.tensor(starts)
        self.ways, self.search, self.candidate_of = torch.tensor(ways), torch.tensor(search), torch.tensor(candidate_of)
        self.task_of, self.none, self.right = torch.tensor(task_of), torch.tensor(none), torch.tensor(right)

    def log_probabilities(self, weights: torch.nn.EmbeddingBag, of_search: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Of each candidate, and of the right one of each task, which is none where no candidate is."""
        of_lists = weights(self.features, self.starts)[:, 0]
        candidates = log_sum(of_lists[self.ways].sum(1) + of_search * self.search, self.candidate_of, len(self.task_of))
        none = of_lists[self.none]
        tasks = torch.arange(len(none))
        total = log_sum(torch.cat([candidates, none]), torch.cat([self.task_of, tasks]), len(none))
        right = torch.where(self.right >= 0, candidates[self.right.clamp(min=0)], none) - total
        return candidates - total[self.task_of], right


def log_sum(values: torch.Tensor, group: torch.Tensor, n_groups: int) -> torch.Tensor:
    """ln Σ exp of each group."""
    greatest = torch.full((n_groups,), -1e9).scatter_reduce(0, group, values.detach(), "amax")
    return greatest + torch.log(torch.zeros(n_groups).index_add(0, group, torch.exp(values - greatest[group])))


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
    parser.add_argument("--sentences", type=int, default=1, help="of each edit at most")
    parser.add_argument("--steps", type=int, default=45)
    parser.add_argument("--decay", type=float, default=0.5, help="how much large weights cost")
    parser.add_argument("--least", type=int, default=4, help="tasks that a feature must be in")
    parser.add_argument("--smallest", type=float, default=0.05, help="weights below are left out")
    args = parser.parse_args()
    rng = random.Random(1)
    kept, rows = [], of_scenarios(rng)
    for i, project in enumerate(projects.load()):
        (kept if i % 6 == 5 else rows).extend(of_project(project, rng, args.sentences))
    asked = "".join(json.dumps(row) + "\n" for row in rows + kept)
    *lines, last = subprocess.run([args.program], input=asked, capture_output=True, text=True, check=True).stdout.splitlines()
    names = json.loads(last)
    seen_in: Counter[int] = Counter()
    for line in lines[: len(rows)]:
        seen_in.update({i for list_ in json.loads(line)["lists"] for i in list_})
    number = {names[i]: n for n, i in enumerate(sorted(i for i, n_tasks in seen_in.items() if n_tasks >= args.least))}
    fitted, kept_tasks = Tasks(lines[: len(rows)], number, names), Tasks(lines[len(rows) :], number, names)
    weights = torch.nn.EmbeddingBag(len(number), 1, mode="sum")
    torch.nn.init.zeros_(weights.weight)
    of_search = torch.nn.Parameter(torch.tensor(0.2))
    optimizer = torch.optim.Adam([weights.weight, of_search], lr=0.05)
    for step in range(args.steps):
        optimizer.zero_grad()
        right = fitted.log_probabilities(weights, of_search)[1]
        loss = -right.mean() + args.decay * weights.weight.square().sum() / len(rows)
        loss.backward()
        optimizer.step()
        if step % 15 == 14:
            print(step + 1, f"{loss.item():.3f}", report(kept_tasks, weights, of_search), flush=True)
    with torch.no_grad():
        weights.weight[weights.weight.abs() < args.smallest] = 0
    print("without small ones:", report(kept_tasks, weights, of_search))
    table = {name: weights.weight[i, 0].item() for name, i in number.items()} | {"search": of_search.item()}
    args.out.write_text("".join(f"{name}\t{weight:.2f}\n" for name, weight in sorted(table.items()) if weight))


if __name__ == "__main__":
    main()
