"""Draws the loss of a training run against the tokens read: FOLDER/curve.svg.

    python3 curve.py FOLDER
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot  # noqa: E402


def main() -> None:
    folder = Path(sys.argv[1])
    lines = [json.loads(line) for line in (folder / "log.jsonl").open()]
    figure, axes = pyplot.subplots(figsize=(7, 4))
    steps = [line for line in lines if "loss" in line]
    axes.plot([line["tokens"] / 1000 for line in steps], [line["loss"] for line in steps])
    ends = [line for line in lines if "held_out_loss" in line]
    axes.plot(
        [line["tokens"] / 1000 for line in ends],
        [line["held_out_loss"] for line in ends],
        "o",
        label="groups kept aside",
    )
    axes.set_xlabel("thousand tokens read")
    axes.set_ylabel("loss of a token of an answer")
    axes.set_ylim(bottom=0)
    axes.grid(True, alpha=0.3)
    if ends:
        axes.legend()
    figure.tight_layout()
    figure.savefig(folder / "curve.svg")


if __name__ == "__main__":
    main()
