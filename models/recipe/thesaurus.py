"""Fits which words of a task go with which words of a line ("sorted" with `orderBy`): the thesaurus of the program's search.

    python thesaurus.py --program ../../target/release/examples/search_hits --out ../thesaurus.tsv

The edits are those of `suggestions.py`, in all their sentences; every sixth project is kept to see what the thesaurus is worth. A
log-linear model: which line of the file is the edit about? What the search finds without a thesaurus counts, too. Of all pairs of
frequent words those with the greatest weights stay, and are fitted once more without the others.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch

import projects
import suggestions

# A task's word of no letters, which every task has: what is not said of any line.
ALWAYS = ""
OF_SCENARIOS = 1500
BATCH = 256


@dataclass
class Words:
    """The frequent ones, numbered."""

    of_task: dict[str, int]
    of_line: dict[str, int]


class Batch:
    """Some tasks, as tensors: a task has words and lines, a line has words."""

    def __init__(self, rows: list[dict], words: Words):
        self.tasks = torch.zeros(len(rows), len(words.of_task))
        in_line, line_of, task_of, weights, right = [], [], [], [], []
        for task, row in enumerate(rows):
            self.tasks[task, [words.of_task[word] for word in [ALWAYS, *row["task"]] if word in words.of_task]] = 1
            meant = set(row["right"])
            for i, line in enumerate(row["lines"]):
                if line:
                    known = [words.of_line[word] for word in line if word in words.of_line]
                    in_line += known
                    line_of += [len(task_of)] * len(known)
                    task_of.append(task)
                    weights.append(row["weights"][i])
                    right.append(i in meant)
        self.in_line, self.line_of, self.task_of = torch.tensor(in_line), torch.tensor(line_of), torch.tensor(task_of)
        self.weights, self.right = torch.tensor(weights, dtype=torch.float), torch.tensor(right)

    def scores(self, pairs: torch.Tensor, of_search: torch.Tensor) -> torch.Tensor:
        """Of each line."""
        of_words = (self.tasks @ pairs)[self.task_of[self.line_of], self.in_line]
        return of_search * self.weights + torch.zeros(len(self.weights)).index_add(0, self.line_of, of_words)

    def log_probabilities(self, scores: torch.Tensor) -> torch.Tensor:
        """That a line that a task is about is the one, for each task."""
        of_right = torch.where(self.right, scores, torch.tensor(-99.0))
        n = len(self.tasks)
        return suggestions.log_sum(of_right, self.task_of, n) - suggestions.log_sum(scores, self.task_of, n)

    def n_first(self, scores: torch.Tensor) -> int:
        """In how many tasks a line meant has the greatest score, the first of equal ones."""
        scores = scores.detach() - torch.arange(len(scores)) * 1e-6
        top = torch.full((len(self.tasks),), -1e9).scatter_reduce(0, self.task_of, scores, "amax")
        return int((self.right & (scores >= top[self.task_of])).sum())


def seen(program: Path, rows: list[dict]) -> Iterator[dict]:
    """What the program sees of tasks; not of those that are about no line that has a word."""
    groups = (dict(files={"": row["before"]}, tasks=[dict(task=row["task"], path="", after=row["after"])]) for row in rows)
    with tempfile.NamedTemporaryFile("w") as asked:
        asked.writelines(json.dumps(group) + "\n" for group in groups)
        asked.flush()
        done = subprocess.run([program, "--features", asked.name], capture_output=True, text=True, check=True)
    of_rows = map(json.loads, done.stdout.splitlines())
    return (row for row in of_rows if any(i < len(row["lines"]) and row["lines"][i] for i in row["right"]))


def fit(batches: list[Batch], pairs: torch.Tensor, of_search: torch.Tensor, args: argparse.Namespace, stay: torch.Tensor | None) -> torch.Tensor:
    """In place; with `stay`, only those pairs. What the squares of their gradients are in the end."""
    n_tasks = sum(len(batch.tasks) for batch in batches)
    optimizer = torch.optim.Adam([dict(params=[pairs], lr=args.rate), dict(params=[of_search], lr=args.rate)])
    steps = args.epochs * len(batches)
    for step in range(steps):
        batch = batches[step % len(batches)]
        for group in optimizer.param_groups:
            group["lr"] = args.rate * (1 - step / steps)
        optimizer.zero_grad()
        loss = -batch.log_probabilities(batch.scores(pairs, of_search)).mean() + args.decay * pairs.square().sum() / n_tasks
        loss.backward()
        if stay is not None:
            pairs.grad *= stay
        optimizer.step()
    return optimizer.state[pairs]["exp_avg_sq"]


def report(batches: list[Batch], pairs: torch.Tensor, of_search: torch.Tensor) -> str:
    with torch.no_grad():
        scores = [batch.scores(pairs, of_search) for batch in batches]
        n = sum(len(batch.tasks) for batch in batches)
        first = sum(batch.n_first(of_batch) for batch, of_batch in zip(batches, scores, strict=True))
        log = sum(batch.log_probabilities(of_batch).sum().item() for batch, of_batch in zip(batches, scores, strict=True))
    return f"{n} tasks, a line meant first in {100 * first / n:.1f} %, mean log {log / n:.3f}"


def rendered(pairs: torch.Tensor, of_search: float, words: Words) -> str:
    """A line for each word of tasks, as `src/prompt/thesaurus.rs` reads them: in units of what the search finds without it."""
    of_line = sorted(words.of_line.items())
    lines = []
    for word, i in sorted(words.of_task.items()):
        cells = [f"\t{other}\t{pairs[i, j] / of_search:.1f}" for other, j in of_line if pairs[i, j]]
        if cells:
            lines.append(word + "".join(cells) + "\n")
    return "".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, required=True, help="the example search_hits")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--of-task", type=int, default=2500, help="frequent words of tasks")
    parser.add_argument("--of-line", type=int, default=2000, help="frequent words of lines")
    parser.add_argument("--pairs", type=int, default=40_000, help="that stay")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--rate", type=float, default=0.01)
    parser.add_argument("--decay", type=float, default=1.0, help="how much large weights cost")
    args = parser.parse_args()
    rng = random.Random(1)
    torch.manual_seed(1)
    kept, rows = [], suggestions.of_scenarios(rng, OF_SCENARIOS)
    for i, project in enumerate(projects.load()):
        (kept if i % 6 == 5 else rows).extend(suggestions.of_project(project, rng, 3))
    rng.shuffle(rows)
    fitted_rows, kept_rows = list(seen(args.program, rows)), list(seen(args.program, kept))
    in_tasks, in_lines = Counter(), Counter()
    for row in fitted_rows:
        in_tasks.update([ALWAYS, *row["task"]])
        in_lines.update({word for line in row["lines"] for word in line})
    frequent = lambda counted, n: {word: i for i, (word, _) in enumerate(counted.most_common(n))}
    words = Words(frequent(in_tasks, args.of_task), frequent(in_lines, args.of_line))
    batches, of_kept = ([Batch(part[i : i + BATCH], words) for i in range(0, len(part), BATCH)] for part in (fitted_rows, kept_rows))
    pairs = torch.zeros(len(words.of_task), len(words.of_line), requires_grad=True)
    of_search = torch.tensor(0.25, requires_grad=True)
    print(len(fitted_rows), "tasks; without a thesaurus:", report(of_kept, pairs, of_search), flush=True)
    squares = fit(batches, pairs, of_search, args, None)
    print("all pairs:", report(of_kept, pairs, of_search), flush=True)
    with torch.no_grad():
        cost = pairs.square() * squares
        stay = (cost >= cost.flatten().topk(args.pairs).values[-1]).float()
        pairs *= stay
    print(args.pairs, "pairs:", report(of_kept, pairs, of_search), flush=True)
    fit(batches, pairs, of_search, args, stay)
    print("fitted again:", report(of_kept, pairs, of_search))
    args.out.write_text(rendered(pairs.detach(), of_search.item(), words))


if __name__ == "__main__":
    main()
