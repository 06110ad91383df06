"""Tables, made from reports of `slotwright eval`."""

from __future__ import annotations

import math
import statistics

# In which levels and slots are shown; others come last.
LEVELS = ["easy", "seed", "everyday", "judgment", "hard", "decline"]
SLOTS = [
    *("path", "operation", "reason"),
    *("old", "through", "place", "new"),
    *("anchor", "position", "text"),
]
NEAR = ["wrong_file", "wrong_place", "wrong_text"]


def render(done: list[tuple[dict, dict]]) -> str:
    """Both tables, and where and when they were measured."""
    lines = [
        "| model | suite | right | 95 % | by level | mechanics | declined: rightly, wrongly "
        "| wrong: file, place, text, other | no end | tokens read | seconds |",
        "|---|---|---:|---:|---|---:|---:|---:|---:|---:|---:|",
        *(outcome(about, report) for about, report in done),
    ]
    masked = masses(done)
    if masked:
        lines += ["", "Masked mass by slot, the median over the right answers:", "", *masked]
    places = {
        f"{about['date']}, {about['processor']}, {plural(about['threads'], 'thread')}, "
        f"slotwright {report['version']} (SHA-256 {about['key']['program'][:8]})"
        for about, report in done
    }
    return "\n".join([*lines, "", "Measured: " + "; ".join(sorted(places)) + "."])


def outcome(about: dict, report: dict) -> str:
    rows = report["results"]
    count = lambda verdict, *kinds: sum(
        row["verdict"] == verdict and (not kinds or row["kind"] in kinds) for row in rows
    )
    passed, n = sum(row["passed"] for row in rows), len(rows)
    low, high = interval(passed, n)
    near = [count("judgment", kind) for kind in NEAR]
    read = statistics.median(row["prompt_tokens"] - row.get("reused_tokens", 0) for row in rows)
    seconds = statistics.median(row["ms"] for row in rows) / 1000
    cells = [
        *names(about),
        f"{100 * passed / n:.0f} % ({passed} of {n})",
        f"{100 * low:.0f}–{100 * high:.0f}",
        by_level(report),
        count("mechanics"),
        f"{count('declined', 'rightly')}, {count('declined', 'wrongly')}",
        ", ".join(map(str, [*near, count("judgment") - sum(near)])),
        count("truncated") + count("timeout"),
        f"{read:.0f}",
        f"{seconds:.1f}",
    ]
    return "| " + " | ".join(map(str, cells)) + " |"


def names(about: dict) -> list[str]:
    """The strategy is named where it is not the program's own."""
    strategy = "" if about["strategy"] == "slots" else f", {about['strategy']}"
    return [about["model"], about["suite"] + strategy]


def by_level(report: dict) -> str:
    level_of = {task["name"]: task["level"] for task in report["tasks"]}
    levels: dict[str, list[bool]] = {}
    for row in report["results"]:
        levels.setdefault(level_of[row["task"]], []).append(row["passed"])
    if len(levels) < 2:
        return ""
    ordered = in_order(levels, LEVELS)
    return ", ".join(f"{level} {sum(levels[level])}/{len(levels[level])}" for level in ordered)


def masses(done: list[tuple[dict, dict]]) -> list[str]:
    """A row a report that has any."""
    by_run = []
    for about, report in done:
        of_slot: dict[str, list[float]] = {}
        for row in report["results"]:
            for slot, mass in row.get("masked_mass", {}).items() if row["passed"] else ():
                of_slot.setdefault(slot, []).append(mass)
        if of_slot:
            medians = {slot: statistics.median(masses) for slot, masses in of_slot.items()}
            by_run.append((about, medians))
    slots = in_order({slot for _, medians in by_run for slot in medians}, SLOTS)
    if not slots:
        return []
    cell = lambda medians, slot: f"{medians[slot]:.2f}" if slot in medians else "–"
    return [
        "| model | suite | " + " | ".join(slots) + " |",
        "|---|---|" + "---:|" * len(slots),
        *(
            "| " + " | ".join([*names(about), *(cell(medians, slot) for slot in slots)]) + " |"
            for about, medians in by_run
        ),
    ]


def in_order(names, order: list[str]) -> list[str]:
    place = lambda name: (order.index(name) if name in order else len(order), name)
    return sorted(names, key=place)


def interval(passed: int, n: int) -> tuple[float, float]:
    """Where the true share lies with 95 % confidence (Wilson 1927), as in the program's reports."""
    z = 1.959963984540054
    rate = passed / n
    center = rate + z * z / (2 * n)
    radius = z * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return max(0.0, (center - radius) / scale), min(1.0, (center + radius) / scale)


def plural(n: int, noun: str) -> str:
    return f"{n} {noun}" + ("" if n == 1 else "s")
