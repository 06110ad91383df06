"""Scenarios: hand-written templates of an edit with placeholders (`scenarios/LANGUAGE.txt`), made into tasks."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from names import Names
from phrases import alternatives, filled

HERE = Path(__file__).parent
PLACEHOLDER = re.compile(r"@([A-Za-z]+?)(\d*)(?:([-+*/])(\d+))?@")
KINDS = set("verb var type const mod key file word name text Text int big dec port ver host color date".split())


@dataclass
class Scenario:
    """One template."""

    language: str
    family: str
    level: str
    whole: bool
    parts: dict[str, list[str]] = field(default_factory=dict)

    def text(self, part: str) -> str | None:
        return "\n".join(self.parts[part]) if part in self.parts else None


@dataclass
class Filled:
    """One template with its placeholders filled."""

    scenario: Scenario
    before: str | None
    after: str | None
    path: str | None
    decline: str | None
    sentences: list[str]


@lru_cache(maxsize=None)
def load(language: str) -> tuple[Scenario, ...]:
    """The scenarios of a language."""
    scenarios: list[Scenario] = []
    part = None
    files = sorted((HERE / "scenarios").glob(f"{language}*.txt"))
    for line in "\n".join(f.read_text(encoding="utf-8") for f in files if f.name.split(".")[0] == language).split("\n"):
        if line.startswith("#### "):
            head = [item.strip() for item in line[5:].split("|")]
            scenarios.append(Scenario(language, head[0], head[1], "whole" in head[2:]))
            part = None
        elif line.startswith(">>> "):
            part, _, rest = line[4:].strip().partition(" ")
            scenarios[-1].parts[part] = [rest] if rest else []
        elif part:
            scenarios[-1].parts[part].append(line)
    for scenario in scenarios:
        for lines in scenario.parts.values():
            while lines and not lines[-1].strip():
                lines.pop()
            while lines and not lines[0].strip():
                lines.pop(0)
    return tuple(s for s in scenarios if s.parts.get("say"))


def languages() -> list[str]:
    return sorted({path.name.split(".")[0] for path in (HERE / "scenarios").glob("*.txt")})


def fill(rng: random.Random, names: Names, scenario: Scenario) -> Filled | None:
    """Draws the values; none if two came out equal where they must differ."""
    values: dict[str, str] = {}
    every = "\n".join(line for lines in scenario.parts.values() for line in lines)
    for kind, number, _, _ in PLACEHOLDER.findall(every):
        if kind in KINDS and kind + number not in values:
            values[kind + number] = names.value(kind, scenario.language)
    if len(set(values.values())) < len(values):
        return None

    def value(match: re.Match[str]) -> str:
        kind, number, operator, operand = match.groups()
        if kind not in KINDS:
            return match.group(0)
        text = values[kind + number]
        if not operator:
            return text
        amount = {"+": int.__add__, "-": int.__sub__, "*": int.__mul__, "/": int.__floordiv__}[operator]
        return str(amount(int(text), int(operand)))

    put = lambda text: None if text is None else PLACEHOLDER.sub(value, text)
    computed = lambda line: re.sub(r"@[A-Za-z]+\d*[-+*/]\d+@", lambda m: PLACEHOLDER.sub(value, m.group(0)), line)
    sentences = [filled(rng, computed(line), values) for line in scenario.parts["say"] if line.strip()]
    return Filled(
        scenario, put(scenario.text("before")), put(scenario.text("after")), put(scenario.text("path")), scenario.text("decline"),
        [sentence for sentence in sentences if sentence],
    )
