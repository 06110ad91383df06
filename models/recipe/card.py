"""Writes the measured part of the model's card from the reports of `evaluate.py` and `examples/constraint_off`.

    python card.py --dev dev.json --unforced unforced.txt --card ../README.md

It stands between two marks in the card; nothing there is written by hand.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Callable

from evaluate import wilson
from tasks import LANGUAGE_WEIGHTS

BEGIN, END = "<!-- measured -->", "<!-- /measured -->"

RISK = Path(__file__).parents[2] / "src/risk.rs"


def least_certainty() -> float:
    """Below which the program warns."""
    return float(re.search(r"MIN_CERTAINTY: f64 = ([0-9.]+);", RISK.read_text(encoding="utf-8"))[1])


def rate(rows: list[dict]) -> str:
    k = sum(row["verdict"] == "right" for row in rows)
    low, high = wilson(k, len(rows))
    return f"{k} of {len(rows)} | {100 * k / len(rows):.0f} % [{100 * low:.0f}, {100 * high:.0f}]"


def table(title: str, rows: list[dict], key: Callable[[dict], str], least: int = 1) -> str:
    groups: dict[str, list[dict]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    rare = [row for group in groups.values() if len(group) < least for row in group]
    kept = {name: group for name, group in groups.items() if len(group) >= least}
    if rare:
        kept["all others"] = rare
    # Ranges in their order, all else by how common it is.
    order = lambda item: (item[0] == "all others", 0 if item[0].startswith("from ") else -len(item[1]), item[0])
    lines = [f"| {title} | right | rate [95 %] |", "|---|---:|---:|"]
    lines += [f"| {name} | {rate(group)} |" for name, group in sorted(kept.items(), key=order)]
    return "\n".join(lines)


def length(row: dict) -> str:
    return "to 20 lines" if row["lines"] <= 20 else "21 to 60 lines" if row["lines"] <= 60 else "more than 60 lines"


def bucket(value: float, bounds: list[float], names: str) -> str:
    low = max((bound for bound in bounds if value >= bound), default=bounds[0])
    above = [bound for bound in bounds if bound > low]
    return f"{names} {low:.2f} to {above[0]:.2f}" if above else f"{names} {low:.2f} on"


def mistakes(rows: list[dict]) -> str:
    asked = [row for row in rows if row["level"] != "decline"]
    declines = [row for row in rows if row["level"] == "decline"]
    count = lambda group, *verdicts: sum(row["verdict"] in verdicts for row in group)
    lines = ["| what came of it | tasks |", "|---|---:|"]
    lines.append(f"| to be declined, and edited (*false edit*) | {count(declines, 'edited')} of {len(declines)} |")
    lines.append(f"| to be edited, and declined or left as it is (*false decline*) | {count(asked, 'declined', 'already_done', 'unsure')} of {len(asked)} |")
    several = [row for row in asked if row["files"] > 1 and row["picked"]]
    lines.append(f"| of several files, another one chosen | {sum(row['picked'] == 'wrong' for row in several)} of {len(several)} |")
    lines.append(f"| to be edited, and edited in another file | {count(asked, 'wrong file')} of {len(asked)} |")
    lines.append(f"| to be edited, and edited otherwise in that file | {count(asked, 'wrong text')} of {len(asked)} |")
    known = ("right", "declined", "already_done", "unsure", "wrong file", "wrong text")
    others: dict[str, int] = defaultdict(int)
    for row in asked:
        if row["verdict"] not in known:
            others[row["verdict"]] += 1
    lines += [f"| to be edited: {verdict} | {n} of {len(asked)} |" for verdict, n in sorted(others.items())]
    return "\n".join(lines)


def warned(edited: list[dict], least: float) -> str:
    """What warning of the edits below a certainty does."""
    low = lambda right: [row["certainty"] < least for row in edited if (row["verdict"] == "right") == right]
    wrong, right = low(False), low(True)
    written = len(right) - sum(right) + len(wrong) - sum(wrong)
    return (
        f"The program warns below {least}: of {sum(wrong)} of the {len(wrong)} wrong edits ({100 * sum(wrong) / len(wrong):.0f} %) and of {sum(right)} of the {len(right)} right ones "
        f"({100 * sum(right) / len(right):.0f} %). Of the {written} others {100 * (len(right) - sum(right)) / written:.0f} % are right, of all {100 * len(right) / len(edited):.0f} %."
    )


def measured(rows: list[dict], unforced: str) -> str:
    first = [row for row in rows if row["is_first"]]
    made = lambda row: row["verdict"] == "right" and row["level"] != "decline" or row["verdict"] in ("wrong text", "wrong file", "edited")
    edited = [row for row in rows if made(row)]
    unchanged = [row for row in rows if row["level"] != "decline" and row["verdict"] in ("already_done", "unsure")]
    seconds = sorted(row["seconds"] for row in rows)
    ms = sorted(row["ms"] for row in rows if row["ms"])
    quantile = lambda values, part: values[int(part * (len(values) - 1))]
    seen = lambda row: "seen in training" if row["language"] in LANGUAGE_WEIGHTS else "not seen"
    parts = [
        f"{len(first)} tasks in {len({row['language'] for row in rows})} languages, {len(rows)} sentences, each tried once (greedy). The first wording of each:",
        table("level", first, lambda row: row["level"]),
        "All wordings:",
        table("level", rows, lambda row: row["level"]),
        table("kind of edit", rows, lambda row: row["category"], least=9),
        table("language", rows, seen),
        table("language", rows, lambda row: row["language"], least=12),
        table("file", [row for row in rows if row["level"] != "decline"], length),
        table("files in the folder", rows, lambda row: "one" if row["files"] == 1 else "several"),
        "Where it goes wrong:",
        mistakes(rows),
        f"Of those left as they are, {len(unchanged)} had an answer whose new text is the old one, or that said it was done already; {sum(row['certainty'] >= 0.8 for row in unchanged)} of these with a certainty of 0.8 or more, from which on the program takes it for done.",
        "How far its own figures tell: edits by the largest *masked mass* of a slot (what the constraint took away), and by *certainty* (the probability it gave to the whole answer, long texts counted as twelve tokens; of a suggested edit the suggestion's, if that is greater); of several answers, those of the one that counts.",
        table("masked mass", edited, lambda row: bucket(row["masked_mass"], [0, 0.05, 0.3, 0.6, 0.9], "from")),
        table("certainty", edited, lambda row: bucket(row["certainty"], [0, 0.1, 0.3, 0.5, 0.7, 0.9], "from")),
        warned(edited, least_certainty()),
        f"An edit took {sum(row['n_answers'] for row in rows) / len(rows):.1f} answers on average, those of both stages, instead of 2: {sum(row['n_answers'] <= 2 for row in rows)} of the {len(rows)} sentences got no more than that, because one was likely enough. {sum(row['suggested'] for row in edited)} of the edits are ones that the sentence suggests (below); {sum(row['suggested'] and row['verdict'] == 'right' for row in edited)} of these are right.",
        f"An edit takes {quantile(ms, 0.5):.0f} ms in the model (nine of ten under {quantile(ms, 0.9):.0f}), {1000 * quantile(seconds, 0.5):.0f} ms with starting and loading everything, on one core of two, both busy.",
        "With less of the constraint, the same model on the same tasks; text that nothing forced is located as leniently as a patch's, each question gets one answer, and tasks about hidden files, which are not asked, count as declined:",
        "```\n" + unforced.strip() + "\n```",
    ]
    return "\n\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--unforced", type=Path, required=True)
    parser.add_argument("--card", type=Path, required=True)
    arguments = parser.parse_args()
    card = arguments.card.read_text(encoding="utf-8")
    before, rest = card.split(BEGIN)
    after = rest.split(END)[1]
    text = measured(json.loads(arguments.dev.read_text(encoding="utf-8")), arguments.unforced.read_text(encoding="utf-8"))
    arguments.card.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
