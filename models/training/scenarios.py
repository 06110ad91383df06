"""Scenarios: hand-written edits with placeholders (`scenarios/LANGUAGE.SUBJECT.txt`).

    python3 scenarios.py FILE...        # checks such files and counts their edits

A scenario stands below the `==== TITLE` of a file that several scenarios share. It says what is
`old` (text that occurs once, or `everywhere` as whole words) and what is `new`:

    ==== retry settings
    @const1@ = @int1@
    #### number | easy
    >>> old
    @const1@ = @int1@
    >>> new
    @const1@ = @int2@
    >>> say
    set @const1@ to @int2@
    {Raise|Change} @const1@ from @int1@ to @int2@.

An edit in several places has several pairs of `old` and `new`, in the order in which they are made;
`>>> old PATH` says which file of a project the text is in.

A scenario with a part `before` of its own stands alone and has `after`, or `path` and `after` for
a file to create. One to be declined has `decline` and a reason. `whole` says that nothing may be
put beside the text in its file. Each line of `say` is one wording of the task.
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
from phrases import filled

HERE = Path(__file__).parent
PLACEHOLDER = re.compile(r"@([A-Za-z]+?)(\d*)(?:([-+*/])(\d+))?@")
KINDS = set("""verb var type const mod key file word name text Text int big dec port ver host color
    date""".split())
OPERATORS = {"+": int.__add__, "-": int.__sub__, "*": int.__mul__, "/": int.__floordiv__}
REASONS = ("already_done", "not_in_these_files", "unclear")
PARTS = ("before", "after", "path", "decline", "old", "new")
LEVELS = ("easy", "everyday", "judgment", "decline")


@dataclass
class Pair:
    """A text that occurs once, and what stands there afterwards."""

    # The title of its file; none if that is the one above it.
    path: str | None
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)


@dataclass
class Scenario:
    """One edit, with placeholders."""

    language: str
    family: str
    level: str
    # Whether nothing may be put beside the text in its file.
    whole: bool
    parts: dict[str, list[str]] = field(default_factory=dict)
    # The key of the shared file that it edits. Scenarios of one file can be asked together.
    shared: str | None = None
    # Whether `old` becomes `new` wherever it occurs as whole words.
    everywhere: bool = False
    # What it changes. If there are several, the parts have neither `old`, `new` nor `after`.
    pairs: list[Pair] = field(default_factory=list)

    def text(self, part: str) -> str | None:
        return "\n".join(self.parts[part]) if part in self.parts else None

    def wordings(self) -> list[str]:
        return [line for line in self.parts.get("say", []) if line.strip()]


@dataclass
class SharedFile:
    """A text that several scenarios edit."""

    key: str
    # What follows `====`.
    title: str
    lines: list[str]


@dataclass
class Filled:
    """One scenario with values for its placeholders."""

    scenario: Scenario
    before: str | None
    after: str | None
    path: str | None
    decline: str | None
    old: str | None
    new: str | None
    sentences: list[str]


class Faulty(ValueError):
    """A scenario that says something impossible."""


@lru_cache(maxsize=None)
def load() -> tuple[Scenario, ...]:
    """All scenarios."""
    paths = sorted((HERE / "scenarios").glob("*.txt"))
    return tuple(scenario for path in paths for scenario in parse(path)[1])


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
            whole = "whole" in flags or shared is not None and "whole" in shared.title
            scenarios.append(Scenario(language, family, level, whole))
            if shared is not None:
                scenarios[-1].shared = shared.key
                scenarios[-1].parts["before"] = shared.lines
                scenarios[-1].everywhere = "everywhere" in flags
            lines = None
        elif line.startswith(">>> "):
            part, _, rest = line[4:].strip().partition(" ")
            if part == "before":  # one that stands alone
                shared, scenarios[-1].shared = None, None
            if part == "old":
                scenarios[-1].pairs.append(Pair(rest or None))
                rest = ""
            lines = [rest] if rest else []
            if part in ("old", "new") and scenarios[-1].pairs:
                setattr(scenarios[-1].pairs[-1], part, lines)
            else:
                scenarios[-1].parts[part] = lines
        elif lines is not None:
            lines.append(line)
    for lines in all_lines(files, scenarios):
        while lines and not lines[-1].strip():
            lines.pop()
        while lines and not lines[0].strip():
            lines.pop(0)
    faults = []
    for scenario in scenarios:
        try:
            if scenario.shared:
                edit_shared(scenario, files)
            check(scenario)
        except Faulty as fault:
            wording = (scenario.wordings() or ["no wording"])[0]
            faults.append(f"{path.name}, {scenario.family}, {wording!r}: {fault}")
    if faults:
        raise Faulty("\n".join(faults))
    return files, scenarios


def all_lines(files: list[SharedFile], scenarios: list[Scenario]) -> list[list[str]]:
    """Every text of a file, as its lines."""
    parts = [lines for scenario in scenarios for lines in scenario.parts.values()]
    pairs = [pair for scenario in scenarios for pair in scenario.pairs]
    return [file.lines for file in files] + parts + [lines for p in pairs for lines in (p.old, p.new)]


def edit_shared(scenario: Scenario, files: list[SharedFile]) -> None:
    """Makes `after` from what an edit of a shared file says."""
    if scenario.family == "decline":
        if scenario.pairs:
            raise Faulty("to be declined, so it has neither old nor new")
        return
    if scenario.family == "create":
        raise Faulty("a file that is created stands above the first shared file")
    if not scenario.pairs:
        raise Faulty("needs old and new")
    of_title = {file.title: file for file in files}
    of_key = {file.key: file for file in files}
    for pair in scenario.pairs:
        pair.path = pair.path or of_key[scenario.shared].title
        if pair.path not in of_title:
            raise Faulty(f"there is no file {pair.path}")
    # The first pair says which file it is an edit of. Outside of projects files may share a title.
    first = scenario.pairs[0]
    if first.path != of_key[scenario.shared].title:
        scenario.shared = of_title[first.path].key
        scenario.parts["before"] = of_title[first.path].lines
    if len(scenario.pairs) > 1:
        texts = {pair.path: "\n".join(of_title[pair.path].lines) for pair in scenario.pairs}
        places: dict[str, list[tuple[int, int]]] = {}
        for pair in scenario.pairs:
            replaced(texts[pair.path], pair)
            start = texts[pair.path].index("\n".join(pair.old))
            places.setdefault(pair.path, []).append((start, start + len("\n".join(pair.old))))
        for path, ranges in places.items():
            ranges.sort()
            for (_, end), (start, _) in zip(ranges, ranges[1:]):
                if texts[path][end:start].count("\n") < 2:
                    raise Faulty(f"two places of {path} touch: make them one pair")
        return
    scenario.parts["old"], scenario.parts["new"] = first.old, first.new
    before, old, new = (scenario.text(part) for part in ("before", "old", "new"))
    if scenario.everywhere:
        after = re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _: new, before)
    else:
        after = replaced(before, first)
    scenario.parts["after"] = after.split("\n")


def replaced(text: str, pair: Pair) -> str:
    """A text after one change."""
    old, new = "\n".join(pair.old), "\n".join(pair.new)
    if not old or text.count(old) != 1:
        raise Faulty(f"old occurs {text.count(old)} times in the file, not once: {old!r}")
    if old == new:
        raise Faulty(f"old and new are the same: {old!r}")
    if not new and f"\n{old}\n" in f"\n{text}\n":  # a whole line goes with its newline
        return f"\n{text}\n".replace(f"\n{old}\n", "\n", 1)[1:-1]
    return text.replace(old, new)


def check(scenario: Scenario) -> None:
    """Whether all parts are there."""
    if not scenario.wordings():
        raise Faulty("needs at least one wording")
    if scenario.level not in LEVELS:
        raise Faulty(f"unknown level {scenario.level!r}")
    if scenario.family == "decline":
        if scenario.text("decline") not in REASONS:
            raise Faulty(f"needs a reason to decline, one of {', '.join(REASONS)}")
    elif len(scenario.pairs) > 1:
        pass  # checked with their files
    elif scenario.text("after") is None:
        raise Faulty("needs a text after the edit")
    elif scenario.text("after") == scenario.text("before"):
        raise Faulty("changes nothing")
    if scenario.text("path" if scenario.family == "create" else "before") is None:
        raise Faulty("needs a text before the edit, or the path of a file to create")


def fill(rng: random.Random, names: Names, scenarios: list[Scenario]) -> list[Filled] | None:
    """Draws the values of scenarios of one file; none if two values came out equal."""
    values: dict[str, str] = {}
    lines = [line for scenario in scenarios for part in scenario.parts.values() for line in part]
    for kind, number, _, _ in PLACEHOLDER.findall("\n".join(lines)):
        if kind in KINDS and kind + number not in values:
            values[kind + number] = names.value(kind, scenarios[0].language)
    if len(set(values.values())) < len(values):
        return None

    def value(match: re.Match[str]) -> str:
        kind, number, operator, operand = match.groups()
        if kind not in KINDS:
            return match.group(0)
        text = values[kind + number]
        return str(OPERATORS[operator](int(text), int(operand))) if operator else text

    def put(text: str | None) -> str | None:
        return None if text is None else PLACEHOLDER.sub(value, text)

    def computed(line: str) -> str:
        return re.sub(r"@[A-Za-z]+\d*[-+*/]\d+@", lambda m: put(m.group(0)) or "", line)

    return [
        Filled(
            scenario,
            *[put(scenario.text(part)) for part in PARTS],
            [s for line in scenario.wordings() if (s := filled(rng, computed(line), values))],
        )
        for scenario in scenarios
    ]


def main() -> None:
    n_faulty, n_edits, n_wordings = 0, 0, 0
    for name in sys.argv[1:]:
        try:
            _, scenarios = parse(Path(name))
        except (ValueError, IndexError) as error:
            print(f"{name}: {error}")
            n_faulty += 1
            continue
        wordings = sum(len(scenario.wordings()) for scenario in scenarios)
        levels = Counter(scenario.level for scenario in scenarios)
        print(f"{name}: {len(scenarios)} edits, {wordings} wordings, {dict(levels)}")
        n_edits += len(scenarios)
        n_wordings += wordings
    print(f"{n_edits} edits, {n_wordings} wordings, {n_faulty} faulty files")
    sys.exit(n_faulty > 0)


if __name__ == "__main__":
    main()
