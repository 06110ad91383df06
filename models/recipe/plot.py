"""Draws a run's log: loss, and answers right to the last token, by tokens read.

    python plot.py --run run --out ../training.svg
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    rows = [json.loads(line) for line in (arguments.run / "log.jsonl").open()]
    # A run that was ended and resumed has stretches twice: the last one counts.
    kept: list[dict] = []
    for row in rows:
        while kept and kept[-1]["tokens"] >= row["tokens"]:
            kept.pop()
        kept.append(row)
    kept = [row for row in kept if row["steps"] > 20]
    tokens = [row["tokens"] / 1e6 for row in kept]
    matplotlib.rcParams["svg.hashsalt"] = "slotwright"
    figure, (loss, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    loss.plot(tokens, [row["loss"] for row in kept], label="training", color="#4477aa")
    loss.plot(tokens, [row["dev_loss"] for row in kept], label="never seen", color="#cc6677")
    loss.set(xlabel="million tokens", ylabel="loss of an answer's token (nats)", ylim=(0, 4))
    loss.legend()
    right.plot(tokens, [100 * row["dev_right"] for row in kept], color="#cc6677")
    right.set(xlabel="million tokens", ylabel="generated answers right to the last token (%)", ylim=(0, 100))
    for axes in (loss, right):
        axes.grid(alpha=0.3)
    figure.savefig(arguments.out, metadata={"Date": None})


if __name__ == "__main__":
    main()
