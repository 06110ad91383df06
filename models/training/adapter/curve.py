"""Draws a training run against the tokens read: FOLDER/curve.svg.

    python3 curve.py FOLDER [--report TOKENS=REPORT.json]...

The line is the loss of a token of an answer, over some lines of the log; the dots are the loss on
groups kept aside. Each report of `slotwright eval` adds to the tasks that were right after so many
tokens.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402

# Lines of the log over which the loss is averaged.
SMOOTHED = 7


def runs(log: list[dict]) -> list[list[dict]]:
    """Steps between starts: a run goes on from a checkpoint, which lies behind."""
    parts: list[list[dict]] = []
    last = float("inf")
    for line in log:
        if line["tokens"] < last:
            parts.append([])
        last = line["tokens"]
        parts[-1].append(line)
    return parts


def smoothed(steps: list[dict]) -> list[float]:
    losses = [line["loss"] for line in steps]
    parts = [losses[max(0, i - SMOOTHED // 2) : i + SMOOTHED // 2 + 1] for i in range(len(losses))]
    return [sum(part) / len(part) for part in parts]


def right(reports: list[str]) -> list[tuple[int, int, int]]:
    """Tokens, right tasks, and all tasks."""
    counts: defaultdict[int, list[int]] = defaultdict(lambda: [0, 0])
    for named in reports:
        tokens, path = named.split("=", 1)
        results = json.loads(Path(path).read_text())["results"]
        counts[int(tokens)][0] += sum(result["passed"] for result in results)
        counts[int(tokens)][1] += len(results)
    return [(tokens, *count) for tokens, count in sorted(counts.items())]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--report", action="append", default=[], metavar="TOKENS=REPORT.json")
    arguments = parser.parse_args()
    log = [json.loads(line) for line in (arguments.folder / "log.jsonl").open()]
    matplotlib.rcParams["svg.hashsalt"] = "curve"  # the same picture each time
    figure, axes = pyplot.subplots(figsize=(7, 4))
    for run in runs(log):
        steps = [line for line in run if "loss" in line]
        axes.plot([line["tokens"] / 1000 for line in steps], smoothed(steps), color="tab:blue")
    ends = [line for line in log if "held_out_loss" in line]
    axes.plot(
        [line["tokens"] / 1000 for line in ends],
        [line["held_out_loss"] for line in ends],
        "o",
        color="tab:orange",
        label="on groups kept aside",
    )
    axes.set_xlabel("thousand tokens read")
    axes.set_ylabel("loss of a token of an answer")
    axes.set_ylim(0, 0.4)
    axes.grid(True, alpha=0.3)
    if points := right(arguments.report):
        share = axes.twinx()
        thousands = [tokens / 1000 for tokens, _, _ in points]
        shares = [100 * n / total for _, n, total in points]
        share.plot(thousands, shares, "s--", color="tab:green", label="tasks right")
        for x, y, (_, n, total) in zip(thousands, shares, points):
            offset = {"xytext": (0, 7), "textcoords": "offset points", "ha": "center"}
            share.annotate(f"{n} of {total}", (x, y), **offset)
        share.set_ylabel("development tasks right, %")
        share.set_ylim(0, 100)
        share.legend(loc="upper right")
    if ends:
        axes.legend(loc="lower left")
    figure.tight_layout()
    figure.savefig(arguments.folder / "curve.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
