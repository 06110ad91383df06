"""Makes training tasks from the scenarios and projects, a group of tasks a line, for render_tasks.

    python3 tasks.py --groups 1000 --seed 1 > tasks.jsonl

A group is some files and tasks on one of them. A third are scenarios with invented names, whose
texts are joined to one file, and a third are projects. Other files often lie beside. About a tenth of
the tasks are to be declined, and a few ask for a new file.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from dataclasses import asdict, dataclass, field

import phrases
import projects
import scenarios
from names import Names
from scenarios import Filled, Scenario

# A file that is joined from scenarios has no more characters.
MAX_CHARS = 9_000
# How often a group of each kind is drawn.
WEIGHTS = {
    "scenario": 36,
    "project": 36,
    "several": 26,
    "joined": 18,
    "declined": 24,
    "create": 14,
}
# This part of the tasks, at least, replaces a text wherever it occurs.
RENAMES = 0.1
# Groups have at most this many tasks.
MAX_TASKS = 10


@dataclass
class Task:
    """A task as render_tasks reads it."""

    task: str
    path: str
    family: str
    # The file's text afterwards.
    after: str | None = None
    # A text, and what it becomes wherever it occurs.
    all: tuple[str, str] | None = None
    # Why there is no edit.
    decline: str | None = None
    create: bool = False
    # Further edits of the same task.
    more: list[More] = field(default_factory=list)
    # What all edits together make of the files.
    finals: dict[str, str] = field(default_factory=dict)


@dataclass
class More:
    """A further edit."""

    path: str
    # The file's text if nothing but this edit is made.
    after: str


@dataclass
class Group:
    """Files, and tasks on them."""

    files: dict[str, str]
    tasks: list[Task]


class Groups:
    """Draws groups."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.names = Names(rng)
        self.projects = projects.load()
        self.with_several = [project for project in self.projects if project.several]
        every = scenarios.load()
        self.creates = [scenario for scenario in every if scenario.family == "create"]
        self.edits = [s for s in every if s.family not in ("create", "decline")]
        self.by_language: dict[str, list[Scenario]] = {}
        self.by_file: dict[str, list[Scenario]] = {}
        for scenario in every:
            if scenario.shared:
                self.by_file.setdefault(scenario.shared, []).append(scenario)
        for scenario in self.edits:
            self.by_language.setdefault(scenario.language, []).append(scenario)
        # Of scenarios that stand alone, those to be declined are seldom drawn otherwise.
        self.alone = [s for s in every if s.family == "decline" and not s.shared]
        # Of the groups drawn.
        self.n_renames = self.n_tasks = 0

    def draw(self) -> Group:
        """The next group. Renames are rarer in the sources than people ask for them."""
        while True:
            group = self.of_any_kind()
            n_renames = sum(task.all is not None for task in group.tasks)
            too_few = self.n_renames < RENAMES * self.n_tasks
            if n_renames or not too_few:
                self.n_renames += n_renames
                self.n_tasks += len(group.tasks)
                return group

    def of_any_kind(self) -> Group:
        kinds = {
            "scenario": self.scenario,
            "project": self.project,
            "several": self.several,
            "joined": self.joined,
            "declined": self.declined,
            "create": self.create,
        }
        while True:
            kind = self.rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
            group = kinds[kind]()
            if group and group.tasks:
                return group

    # The kinds of groups

    def scenario(self) -> Group | None:
        """Scenarios of one language, their texts joined to one file, with edits of each."""
        rng = self.rng
        first = rng.choice(self.edits)
        n_more = 0
        if not first.whole:
            n_more = rng.choices([0, 1, 2, 3, 5, 8], [50, 25, 11, 6, 5, 3])[0]
        others = [rng.choice(self.by_language[first.language]) for _ in range(n_more)]
        fragments = []
        for scenario in [first, *[other for other in others if not other.whole]]:
            filled = self.together(scenario)
            if filled is None:
                return None
            fragments.append(filled)
        rng.shuffle(fragments)
        texts = [filled[0].before or "" for filled in fragments]
        apart = "\n" if first.language in ("env", "gitignore", "csv") else "\n\n"
        text = apart.join(texts) + "\n"
        if len(text) > MAX_CHARS:
            return None
        path = self.names.path(first.language)
        tasks = []
        for i, filled_ones in enumerate(fragments):
            if text.count(texts[i]) > 1:
                continue
            for filled in filled_ones:
                after = None
                if filled.after is not None:
                    after = apart.join([*texts[:i], filled.after, *texts[i + 1 :]]) + "\n"
                elif len(fragments) > 1:
                    continue  # with other text in the file, the reason to decline may be wrong
                tasks += self.tasks_of(filled, path, text, after)
        rng.shuffle(tasks)
        return self.named(self.with_others({path: text}), tasks[:MAX_TASKS])

    def together(self, scenario: Scenario) -> list[Filled] | None:
        """A scenario and others of its file, with the same names."""
        others = [s for s in self.by_file.get(scenario.shared or "", []) if s is not scenario]
        chosen = self.rng.sample(others, min(len(others), MAX_TASKS - 1))
        return scenarios.fill(self.rng, self.names, [scenario, *chosen])

    def tasks_of(self, filled: Filled, path: str, text: str, after: str | None) -> list[Task]:
        """Tasks for one edit, in one or two wordings."""
        family = filled.scenario.family
        everywhere = every_occurrence(
            filled.scenario, filled.before, filled.after, filled.old, filled.new
        )
        if everywhere and replaced(text, *everywhere) != after:
            return []  # the text occurs in another fragment too
        n = min(len(filled.sentences), self.rng.choice([1, 1, 2]))
        return [
            Task(sentence, path, family, after, everywhere, filled.decline)
            for sentence in self.rng.sample(filled.sentences, n)
        ]

    def project(self) -> Group | None:
        """Edits of a file of a project, mostly with the project's other files beside."""
        rng = self.rng
        project = rng.choice(self.projects)
        counts = [len(edits) for edits in project.edits.values()]
        path = rng.choices(list(project.edits), counts)[0]
        edits = project.edits[path]
        edits = rng.sample(edits, min(len(edits), MAX_TASKS))
        tasks = []
        for edit in edits:
            sentence = rng.choice(edit.wordings())
            # Wordings of a project mostly say which file they mean.
            if is_hidden(path) or rng.random() < 0.06:
                sentence = phrases.in_file(rng, sentence, path)
            text = edit.text("after")
            after = None if text is None else text + "\n"
            parts = (edit.text(part) for part in ("before", "after", "old", "new"))
            task = Task(phrases.said(rng, sentence), path, edit.family, after)
            task.all = every_occurrence(edit, *parts)
            task.decline = edit.text("decline")
            tasks.append(task)
        is_whole = rng.random() < 0.8 or any(task.decline for task in tasks)
        return Group(project.files if is_whole else {path: project.files[path]}, tasks)

    def several(self) -> Group | None:
        """Edits of a project in several places, and some in one place that sound alike."""
        rng = self.rng
        project = rng.choice(self.with_several)
        n = min(len(project.several), MAX_TASKS - 3)
        tasks = []
        for edit in rng.sample(project.several, n):
            sentence = phrases.said(rng, rng.choice(edit.wordings()))
            if task := in_several_places(sentence, edit.family, edit.pairs, project.files):
                tasks.append(task)
        single = [(path, edit) for path, edits in project.edits.items() for edit in edits]
        for path, edit in rng.sample(single, min(len(single), MAX_TASKS - n)):
            text = edit.text("after")
            if text is None or edit.everywhere:
                continue
            sentence = phrases.said(rng, rng.choice(edit.wordings()))
            tasks.append(Task(sentence, path, edit.family, text + "\n"))
        return Group(project.files, tasks)

    def joined(self) -> Group | None:
        """Two or three edits of a project that one sentence asks for."""
        rng = self.rng
        project = rng.choice(self.projects)
        counts = [len(edits) for edits in project.edits.values()]
        tasks = []
        for _ in range(2 * MAX_TASKS):
            path = rng.choices(list(project.edits), counts)[0]
            edits = []
            for _ in range(rng.choices([2, 3], [5, 1])[0]):
                if rng.random() < 0.3:
                    path = rng.choices(list(project.edits), counts)[0]
                edits.append(rng.choice(project.edits[path]))
            pairs = [pair for edit in edits for pair in edit.pairs]
            if any(edit.everywhere or edit.family.startswith("rename") for edit in edits):
                continue
            if len(pairs) < len(edits) or any(is_hidden(pair.path or "") for pair in pairs):
                continue  # one is to be declined
            sentence = phrases.joined(rng, [rng.choice(edit.wordings()) for edit in edits])
            if sentence and (task := in_several_places(sentence, "joined", pairs, project.files)):
                tasks.append(task)
            if len(tasks) == MAX_TASKS - 3:
                break
        return Group(project.files, tasks)

    def declined(self) -> Group | None:
        """Tasks for which there is nothing to do."""
        kinds = [self.already_done, self.of_another_file, self.unclear, self.declined_alone]
        return self.rng.choices(kinds, [35, 35, 20, 10])[0]()

    def already_done(self) -> Group | None:
        """The edit was made before."""
        filled_ones = self.together(self.rng.choice(self.edits)) or []
        made = [filled for filled in filled_ones if filled.after and filled.sentences]
        made = [f for f in made if f.scenario.level != "judgment" and not removes(f)]
        if not made:
            return None
        filled = made[0]
        path = self.names.path(filled.scenario.language)
        files = self.with_others({path: f"{filled.after}\n"})
        n = min(len(filled.sentences), 2)
        sentences = self.rng.sample(filled.sentences, n)
        return self.named(files, [decline(s, path, "already_done") for s in sentences])

    def of_another_file(self) -> Group | None:
        """What the task names is in none of the files."""
        files = self.with_others(self.any_file())
        path = next(iter(files))
        everything = set(words("\n".join(files.values())))
        filled_ones = self.together(self.rng.choice(self.edits)) or []
        tasks = []
        for filled in filled_ones:
            there = set(words(filled.before or ""))
            for sentence in filled.sentences[:1]:
                named = set(words(sentence)) & there
                if len(named) > 1 and not named & everything:
                    tasks.append(decline(sentence, path, "not_in_these_files"))
        return self.named(files, tasks[:3])

    def unclear(self) -> Group | None:
        """Nobody could know what is meant."""
        files = self.with_others(self.any_file())
        path = next(iter(files))
        sentences = [phrases.bank_choice(self.rng, "unclear") for _ in range(3)]
        return self.named(files, [decline(sentence, path, "unclear") for sentence in sentences])

    def declined_alone(self) -> Group | None:
        """A hand-written task to be declined, on a text of its own."""
        filled_ones = self.together(self.rng.choice(self.alone)) or []
        for filled in filled_ones:
            path = self.names.path(filled.scenario.language)
            text = f"{filled.before}\n"
            return self.named({path: text}, self.tasks_of(filled, path, text, None))
        return None

    def create(self) -> Group | None:
        """A new file."""
        filled_ones = scenarios.fill(self.rng, self.names, [self.rng.choice(self.creates)]) or []
        files = self.any_file()
        for filled in filled_ones:
            if not filled.path or not filled.sentences or clashes(filled.path, files):
                continue
            sentence = self.rng.choice(filled.sentences)
            # The program creates a hidden file only where the task spells its path.
            name = filled.path if is_hidden(filled.path) else filled.path.rsplit("/", 1)[-1]
            if name not in sentence:
                sentence = phrases.in_file(self.rng, sentence, filled.path)
            sentence = phrases.said(self.rng, sentence)
            task = Task(sentence, filled.path, "create", f"{filled.after}\n", create=True)
            return Group(self.with_others(files, besides=filled.path), [task])
        return None

    # Files

    def any_file(self) -> dict[str, str]:
        """A file of a scenario, or of a project."""
        while True:
            if self.rng.random() < 0.5:
                project = self.rng.choice(self.projects)
                path = self.rng.choice(list(project.files))
                return {path: project.files[path]}
            scenario = self.rng.choice(self.edits)
            filled = scenarios.fill(self.rng, self.names, [scenario])
            # A .gitignore would hide other files from the program.
            if filled and scenario.language != "gitignore":
                return {self.names.path(scenario.language): f"{filled[0].before}\n"}

    def with_others(self, files: dict[str, str], besides: str = "") -> dict[str, str]:
        """The files, often with unrelated files beside them."""
        files = dict(files)
        if self.rng.random() < 0.5 or ".gitignore" in next(iter(files)):
            return files
        for _ in range(self.rng.choices([1, 2, 5, 10, 20], [30, 35, 20, 10, 5])[0]):
            for path, text in self.any_file().items():
                stem, dot, extension = next(iter(files)).rpartition(".")
                if dot and self.rng.random() < 0.15:  # a name much like the first one
                    ending = self.rng.choice(["test", "old", "utils", "v2", self.names.noun()])
                    path = f"{stem}_{ending}.{extension}"
                if not clashes(path, [*files, besides]):
                    files[path] = text
        return files

    def named(self, files: dict[str, str], tasks: list[Task]) -> Group:
        """The tasks as typed. A sentence names its file where its words do not tell the file."""
        for task in tasks:
            others = words("\n".join(text for path, text in files.items() if path != task.path))
            own = set(words(files[task.path])) - set(others)
            is_told = len(files) == 1 or task.decline or own & set(words(task.task))
            is_named = self.rng.random() < 0.28 and not task.decline
            if is_named or is_hidden(task.path) or not is_told:
                name = self.name_of(task.path, files)
                task.task = phrases.in_file(self.rng, task.task, name)
            task.task = phrases.said(self.rng, task.task)
        return Group(files, tasks)

    def name_of(self, path: str, files: dict[str, str]) -> str:
        """A file's path as people give it: whole, or its last part where that is clear."""
        name = path.rsplit("/", 1)[-1]
        if is_hidden(path) or sum(other.endswith(name) for other in files) > 1:
            return path
        return self.rng.choice([path, name, name, name])


def in_several_places(
    sentence: str, family: str, pairs: list[scenarios.Pair], files: dict[str, str]
) -> Task | None:
    """A task whose edits are these, in this order; none if two of them touch."""
    finals: dict[str, str] = {}
    places: dict[str, list[tuple[int, int]]] = {}
    edits = []
    for pair in pairs:
        before, path = files[pair.path], pair.path
        start = before.index("\n".join(pair.old))
        end = start + len("\n".join(pair.old))
        for other_start, other_end in places.setdefault(path, []):
            between = before[min(end, other_end) : max(start, other_start)]
            if start < other_end and other_start < end or between.count("\n") < 2:
                return None
        places[path].append((start, end))
        edits.append(More(path, whole(scenarios.replaced(before.removesuffix("\n"), pair))))
        text = finals.get(path, before).removesuffix("\n")
        try:
            finals[path] = whole(scenarios.replaced(text, pair))
        except scenarios.Faulty:
            return None  # another edit has written the same text
    first, *more = edits
    return Task(sentence, first.path, family, first.after, more=more, finals=finals)


def whole(text: str) -> str:
    return f"{text}\n"


def decline(sentence: str, path: str, reason: str) -> Task:
    return Task(sentence, path, "decline", decline=reason)


def removes(filled: Filled) -> bool:
    """Whether the edit removes something, so that afterwards nothing shows that it was made."""
    is_shorter = len(filled.after or "") < len(filled.before or "")
    return is_shorter or filled.scenario.family.startswith(("delete", "remove"))


def words(text: str) -> list[str]:
    """The longer words of a text, of which its identifiers are made, in lower case."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]{3,11}", text)]


def clashes(path: str, others) -> bool:
    """Whether there cannot be a file of this name beside the others."""
    lower = path.lower()
    for other in map(str.lower, others):
        if lower == other or other.startswith(lower + "/") or lower.startswith(other + "/"):
            return True
    return False


def is_hidden(path: str) -> bool:
    """Whether the program lists the file only for a task that gives its path."""
    return any(part.startswith(".") for part in path.split("/"))


def every_occurrence(
    scenario: Scenario, before: str | None, after: str | None, old: str | None, new: str | None
) -> tuple[str, str] | None:
    """The text that becomes another one wherever it occurs, if that is the edit."""
    if before is None or after is None:
        return None
    if scenario.everywhere:
        return (old or "", new or "")
    return renamed(before, after) if scenario.family.startswith("rename") else None


def replaced(text: str, old: str, new: str) -> str:
    """The text with every whole-word occurrence of `old` replaced."""
    return re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _: new, text)


def renamed(before: str, after: str) -> tuple[str, str] | None:
    """The identifier that became another one wherever it occurs, if that is the whole edit."""
    old, new = re.findall(r"\w+|\W", before), re.findall(r"\w+|\W", after)
    pairs = {pair for pair in zip(old, new) if pair[0] != pair[1]}
    if len(old) != len(new) or len(pairs) != 1:
        return None
    a, b = pairs.pop()
    is_name = re.fullmatch(r"[A-Za-z_]\w*", a) is not None
    return (a, b) if is_name and replaced(before, a, b) == after else None


def main() -> None:
    parser = argparse.ArgumentParser(description="Makes training tasks; see models/training.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--groups", type=int, default=1000)
    arguments = parser.parse_args()
    groups = Groups(random.Random(arguments.seed))
    counts: Counter[str] = Counter()
    for _ in range(arguments.groups):
        group = groups.draw()
        for task in group.tasks:
            counts["decline" if task.decline else "create" if task.create else "edit"] += 1
        counts["with other files"] += len(group.tasks) * (len(group.files) > 1)
        print(json.dumps(asdict(group), ensure_ascii=False))
    n_tasks = counts["decline"] + counts["create"] + counts["edit"]
    print(f"{n_tasks} tasks: {dict(counts)}", file=sys.stderr)


if __name__ == "__main__":
    main()
