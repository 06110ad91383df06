"""Scenarios: hand-written templates of edits with placeholders (`scenarios/LANGUAGE.txt`), made into tasks.

    python scenarios.py FILE...        # says what is wrong in such files and counts what they hold

A scenario stands alone, with the text `before` and `after` its edit, or under a `==== file` that several share: it then says
only what is `old` (once in the file, or `everywhere` as whole words) and what is `new`, and what all of them are asked about
is the same file, so that they share its part of the prompt too.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
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
    # Which shared file it belongs to: scenarios of one can be asked together.
    shared: str | None = None

    def text(self, part: str) -> str | None:
        return "\n".join(self.parts[part]) if part in self.parts else None


@dataclass
class SharedFile:
    """A text that several scenarios edit."""

    key: str
    # What stands behind `====`.
    title: str
    lines: list[str]


@dataclass
class Filled:
    """One template with its placeholders filled."""

    scenario: Scenario
    before: str | None
    after: str | None
    path: str | None
    decline: str | None
    sentences: list[str]


class Faulty(ValueError):
    """A scenario that says something impossible."""


@lru_cache(maxsize=None)
def load(language: str) -> tuple[Scenario, ...]:
    """The scenarios of a language."""
    files = sorted(path for path in (HERE / "scenarios").glob(f"{language}.*") if path.name.split(".")[0] == language)
    return tuple(scenario for path in files for scenario in read(path))


def read(path: Path) -> list[Scenario]:
    """The scenarios of a file."""
    return parse(path)[1]


def parse(path: Path) -> tuple[list[SharedFile], list[Scenario]]:
    """The shared files of a file, and its scenarios."""
    language = path.name.split(".")[0]
    files: list[SharedFile] = []
    scenarios: list[Scenario] = []
    shared: SharedFile | None = None
    lines: list[str] | None = None
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.startswith("==== "):
            shared = SharedFile(f"{path.name}:{len(files)}", line[5:].strip(), [])
            files.append(shared)
            lines = shared.lines
        elif line.startswith("#### "):
            family, level, *flags = [item.strip() for item in line[5:].split("|")]
            family = "decline" if level == "decline" else family
            scenarios.append(Scenario(language, family, level, "whole" in flags or shared is not None and "whole" in shared.title))
            if shared is not None:
                scenarios[-1].shared = shared.key
                scenarios[-1].parts["before"] = shared.lines
                scenarios[-1].parts["everywhere"] = ["everywhere"] if "everywhere" in flags else []
            lines = None
        elif line.startswith(">>> "):
            part, _, rest = line[4:].strip().partition(" ")
            if part == "before":  # one that stands alone
                shared, scenarios[-1].shared = None, None
            lines = scenarios[-1].parts[part] = [rest] if rest else []
        elif lines is not None:
            lines.append(line)
    faults = []
    for lines in [file.lines for file in files] + [lines for scenario in scenarios for lines in scenario.parts.values()]:
        while lines and not lines[-1].strip():
            lines.pop()
        while lines and not lines[0].strip():
            lines.pop(0)
    for scenario in scenarios:
        try:
            if scenario.shared:
                edit_shared(scenario)
        except Faulty as fault:
            faults.append(f"{path.name}, {scenario.family}, {(scenario.parts.get('say') or ['nothing said'])[0]!r}: {fault}")
    if faults:
        raise Faulty("\n".join(faults))
    return files, [scenario for scenario in scenarios if scenario.parts.get("say")]


def edit_shared(scenario: Scenario) -> None:
    """Makes `before` and `after` of what an edit of a shared file says."""
    before, old, new = scenario.text("before") or "", scenario.text("old"), scenario.text("new")
    is_everywhere = bool(scenario.parts.pop("everywhere"))
    if scenario.family == "decline":
        if old is not None or new is not None or "decline" not in scenario.parts:
            raise Faulty("to be declined, so it needs a reason and has neither old nor new")
        return
    if scenario.family == "create":
        raise Faulty("a file that is made has a path, and none before it")
    if old is None or new is None:
        raise Faulty("needs old and new")
    if is_everywhere:
        after = re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _: new, before)
    elif before.count(old) != 1:
        raise Faulty(f"old stands {before.count(old)} times in the file, not once: {old!r}")
    elif not new and f"\n{old}\n" in f"\n{before}\n":  # a whole line goes with its end
        after = f"\n{before}\n".replace(f"\n{old}\n", "\n", 1)[1:-1]
    else:
        after = before.replace(old, new)
    if after == before:
        raise Faulty("changes nothing")
    scenario.parts["after"] = after.split("\n")
    for part in ("old", "new"):
        del scenario.parts[part]


def languages() -> list[str]:
    return sorted({path.name.split(".")[0] for path in (HERE / "scenarios").glob("*.txt")})


def fill(rng: random.Random, names: Names, scenarios: list[Scenario]) -> list[Filled] | None:
    """Draws the values of one scenario, or of several of one shared file; none if two came out equal where they must differ."""
    values: dict[str, str] = {}
    every = "\n".join(line for scenario in scenarios for lines in scenario.parts.values() for line in lines)
    for kind, number, _, _ in PLACEHOLDER.findall(every):
        if kind in KINDS and kind + number not in values:
            values[kind + number] = names.value(kind, scenarios[0].language)
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
    filled_ones = []
    for scenario in scenarios:
        sentences = [filled(rng, computed(line), values) for line in scenario.parts["say"] if line.strip()]
        filled_ones.append(
            Filled(
                scenario, put(scenario.text("before")), put(scenario.text("after")), put(scenario.text("path")), scenario.text("decline"),
                [sentence for sentence in sentences if sentence],
            )
        )
    return filled_ones


def main() -> None:
    n_faulty = 0
    for name in sys.argv[1:]:
        try:
            scenarios = read(Path(name))
        except (Faulty, ValueError, IndexError) as error:
            print(error)
            n_faulty += 1
            continue
        levels = Counter(scenario.level for scenario in scenarios)
        n_sentences = sum(bool(line.strip()) for scenario in scenarios for line in scenario.parts["say"])
        print(f"{name}: {len(scenarios)} edits of {len({s.shared or id(s) for s in scenarios})} files, {n_sentences} sentences", dict(levels))
    sys.exit(n_faulty > 0)


if __name__ == "__main__":
    main()
