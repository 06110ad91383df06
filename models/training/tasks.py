"""Makes training tasks: groups of tasks on the same files, a JSON line each, for `examples/render_tasks`.

    python tasks.py --corpus CORPUS --seed 1 --groups 20000 --out tasks.jsonl

A quarter of the groups are windows of real sources with edits mined from them (`mined.py`), nearly half are files put together
from hand-written scenarios (`scenarios/`), with real code beside some of them, and a sixth are hand-written projects
(`projects/`). About a tenth of the tasks are to be declined, and a few ask for a new file. What is to be edited is never decided by the sentence: the sentence is made for the edit.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from pathlib import Path

import mined
import phrases
import projects
import scenarios
from names import COMMENT, EXTENSION, NOUNS, Names, cased, words_in

LANGUAGE_WEIGHTS = {
    "python": 12, "javascript": 9, "typescript": 9, "rust": 8, "go": 6, "java": 6, "c": 6, "cpp": 5, "swift": 6, "kotlin": 5, "csharp": 5,
    "ruby": 3, "php": 3, "shell": 4, "sql": 4, "html": 4, "css": 4, "json": 4, "yaml": 5, "toml": 4, "markdown": 5, "ini": 2, "env": 2,
    "makefile": 1, "dockerfile": 1, "lua": 1, "dart": 1, "scala": 1, "vue": 1, "graphql": 1, "proto": 1, "text": 1, "nginx": 1,
    "gitignore": 1, "csv": 1, "xml": 1, "zig": 1, "elixir": 1, "haskell": 1, "objc": 1,
}
CORPUS_NAME = {"makefile": "make", "env": "ini", "text": "rst"}
MAX_BYTES = 9_000
FOLDERS = "src lib app core pkg internal tests test docs scripts config tools server client api utils common models views services components web backend frontend bin include examples cmd data static assets public resources".split()


# Lines of a mined file. Most are shown whole, so that all tasks on one share its part of the prompt.
LINES = (3, 4, 5, 6, 6, 7, 8, 8, 9, 10, 10, 11, 12, 12, 14, 16, 20, 30, 60, 300)


class Maker:
    """Draws groups of tasks."""

    def __init__(self, rng: random.Random, corpus: Path):
        self.rng = rng
        self.corpus: dict[str, list[tuple[str, str]]] = {}
        counts: Counter[str] = Counter()
        for path in sorted(corpus.glob("*.jsonl")):
            rows = [json.loads(line) for line in path.open(encoding="utf-8")]
            self.corpus[path.stem] = [(row["path"], clean(row["text"])) for row in rows]
            for row in rows[:400]:
                counts.update(words_in(row["text"]))
        seen = [word for word, n in counts.items() if n >= 12 and 3 <= len(word) <= 10]
        self.names = Names(rng, seen)
        self.scenarios = {language: scenarios.load(language) for language in scenarios.languages()}
        self.projects = projects.load()
        self.families = [(name, weight, function) for name, (weight, function) in mined.FAMILIES.items()]

    # Files

    def window(self, language: str, longest: int = 400) -> tuple[str, str] | None:
        """Some lines of a real file, from its beginning or from a good cut, and its name."""
        rng = self.rng
        rows = self.corpus.get(language) or self.corpus.get(CORPUS_NAME.get(language, ""))
        if not rows:
            return None
        path, text = rng.choice(rows)
        lines = text.split("\n")
        n = min(int(rng.choice(LINES) * rng.uniform(0.8, 1.2)), longest)
        start = 0
        if len(lines) > n and rng.random() < 0.75:
            cuts = [i for i in range(len(lines) - n // 2) if not lines[i].startswith((" ", "\t", "}", ")")) and lines[i].strip() and (i == 0 or not lines[i - 1].strip())]
            start = rng.choice(cuts) if cuts and rng.random() < 0.85 else rng.randrange(len(lines) - n + 1)
        chosen = lines[start : start + n]
        while chosen and not chosen[-1].strip():
            chosen.pop()
        while chosen and not chosen[0].strip():
            chosen.pop(0)
        text = "\n".join(chosen) + "\n"
        if len(text) < 40 or len(text) > MAX_BYTES or max(map(len, chosen)) > 200 or any(line and not line.strip() for line in chosen):
            return None
        return path.rsplit("/", 1)[-1], text

    def file_name(self, language: str, real: str | None = None) -> str:
        """A path in an invented folder."""
        rng = self.rng
        stem = cased(self.names.nouns()[:2], rng.choice(["snake", "snake", "kebab", "camel", "pascal"]) if language not in ("java", "csharp", "kotlin", "swift") else "pascal")
        fixed = {"dockerfile": "Dockerfile", "makefile": "Makefile", "gitignore": ".gitignore"}
        if language in fixed:
            name = fixed[language]
        elif language == "env":
            name = rng.choice(["local.env", "app.env", "prod.env", stem + ".env"])
        elif language == "json" and rng.random() < 0.5:
            name = rng.choice(["package.json", "tsconfig.json", "settings.json", "config.json", "manifest.json", "en.json"])
        elif language == "toml" and rng.random() < 0.5:
            name = rng.choice(["Cargo.toml", "pyproject.toml", "config.toml", "settings.toml"])
        elif language == "yaml" and rng.random() < 0.5:
            name = rng.choice(["config.yml", "docker-compose.yml", "ci.yaml", "deploy.yaml", "values.yaml", "settings.yml"])
        elif language == "markdown" and rng.random() < 0.5:
            name = rng.choice(["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "guide.md", "notes.md"])
        elif real and rng.random() < 0.4:
            name = real
        elif language in ("javascript", "typescript") and rng.random() < 0.25:
            name = stem + (".jsx" if language == "javascript" else ".tsx")
        elif language == "c" and rng.random() < 0.3:
            name = stem + ".h"
        elif language == "cpp" and rng.random() < 0.4:
            name = stem + rng.choice([".hpp", ".cc", ".h"])
        else:
            extension = EXTENSION.get(language, "txt")
            name = f"{stem}.{rng.choice(['cfg', 'ini', 'conf']) if language == 'ini' else rng.choice(['yml', 'yaml']) if language == 'yaml' else extension}"
        depth = rng.choices([0, 1, 2, 3], [40, 32, 20, 8])[0]
        folders = [rng.choice(FOLDERS) if rng.random() < 0.6 else self.names.noun() for _ in range(depth)]
        return "/".join([*folders, name])

    def beside(self, target: str, language: str, most: int) -> dict[str, str]:
        """Other files."""
        rng = self.rng
        files: dict[str, str] = {}
        for _ in range(most):
            other = language if rng.random() < 0.5 else rng.choices(list(LANGUAGE_WEIGHTS), list(LANGUAGE_WEIGHTS.values()))[0]
            if rng.random() < 0.25:
                filled = self.filled(other)
                found = (None, filled.before) if filled and filled.before else None
            else:
                found = self.window(other, longest=rng.choice([10, 20, 40, 80]))
            if not found:
                continue
            path = self.file_name(other, found[0])
            if rng.random() < 0.15:  # a name much like the target's
                stem, dot, end = target.rpartition(".")
                path = f"{stem}_{rng.choice(['test', 'old', 'utils', 'v2', self.names.noun()])}{dot}{end}" if dot else path
            if path != target and not clashes(path, [target, *files]):
                files[path] = found[1]
        return files

    # Edits

    def filled(self, language: str, family: str | None = None) -> scenarios.Filled | None:
        available = [s for s in self.scenarios.get(language, ()) if (family is None and s.family not in ("create", "decline")) or s.family == family]
        found = scenarios.fill(self.rng, self.names, [self.rng.choice(available)]) if available else None
        return found[0] if found else None

    def filled_together(self, language: str, most: int) -> list[scenarios.Filled]:
        """A scenario and, if its file is shared by others, some of those with the same values."""
        available = [s for s in self.scenarios.get(language, ()) if s.family not in ("create", "decline")]
        if not available:
            return []
        first = self.rng.choice(available)
        others = [s for s in available if s.shared and s.shared == first.shared and s is not first]
        return scenarios.fill(self.rng, self.names, [first, *self.rng.sample(others, min(len(others), most - 1))]) or []

    def mined_edits(self, language: str, text: str, most: int) -> list[tuple[mined.Edit, str]]:
        """Edits of a text with a sentence for each."""
        window = mined.Window(self.rng, self.names, language, text)
        names = [name for name, _, _ in self.families]
        weights = [weight for _, weight, _ in self.families]
        found: list[tuple[mined.Edit, str]] = []
        for _ in range(14):
            if len(found) >= most:
                break
            name = self.rng.choices(names, weights)[0]
            edit = mined.FAMILIES[name][1](window)
            if not edit or edit.after == window.text:
                continue
            for _ in range(6):
                sentence = phrases.filled(self.rng, self.rng.choice(phrases.bank(edit.bank or edit.family)), edit.values)
                if sentence:
                    found.append((edit, sentence))
                    break
        return found

    # Groups

    def mined_group(self) -> dict | None:
        rng = self.rng
        language = rng.choices(list(LANGUAGE_WEIGHTS), list(LANGUAGE_WEIGHTS.values()))[0]
        found = self.window(language)
        if not found:
            return None
        name, text = found
        path = self.file_name(language, name)
        edits = self.mined_edits(language, text, rng.randint(5, 9))
        if not edits:
            return None
        files = {path: text}
        tasks = [
            dict(task=sentence, path=path, after=edit.after, all=edit.all, family=edit.family, level=edit.level, known=edit.known)
            for edit, sentence in edits
        ]
        for task in tasks:
            if task["all"]:
                task["after"] = replaced_all(text, *task["all"])
        return self.finished(language, path, files, tasks)

    def scenario_group(self) -> dict | None:
        rng = self.rng
        languages = [language for language in LANGUAGE_WEIGHTS if self.scenarios.get(language)]
        language = rng.choices(languages, [LANGUAGE_WEIGHTS[l] for l in languages])[0]
        first = self.filled_together(language, 9)
        if not first or not first[0].before:
            return None
        fragments: list[tuple[str, list[scenarios.Filled]]] = [(first[0].before, first)]
        if not first[0].scenario.whole:
            for _ in range(rng.choices([0, 1, 2, 3, 5, 8, 12], [46, 25, 11, 6, 5, 4, 3])[0]):
                roll = rng.random()
                if roll < 0.65:
                    other = self.filled_together(language, 2)
                    if other and other[0].before and not other[0].scenario.whole:
                        fragments.append((other[0].before, other))
                elif found := self.window(language, longest=rng.choice([12, 25, 50])):
                    fragments.append((found[1].rstrip("\n"), []))
        rng.shuffle(fragments)
        apart = "\n" if language in ("env", "gitignore", "csv") else "\n\n" if language != "python" or rng.random() < 0.5 else "\n\n\n"
        text = apart.join(fragment for fragment, _ in fragments) + "\n"
        if len(text) > MAX_BYTES:
            return None
        path = self.file_name(language)
        tasks = []
        for i, fragment, filled in [(i, fragment, filled) for i, (fragment, together) in enumerate(fragments) for filled in together]:
            if filled.after is None or not filled.sentences or text.count(fragment) != 1:
                continue
            after = apart.join(filled.after if j == i else other for j, (other, _) in enumerate(fragments)) + "\n"
            family = filled.scenario.family
            everywhere = renamed(fragment, filled.after) if family.startswith("rename") else None
            if everywhere and replaced_all(text, *everywhere) != after:
                everywhere = None
            if not everywhere and family.startswith("rename") and renamed(fragment, filled.after):
                continue  # another fragment has the name too
            sentences = rng.sample(filled.sentences, min(len(filled.sentences), rng.choice([1, 1, 2] if filled.scenario.shared else [1, 2, 3])))
            known = [word for word in re.findall(r"\w{3,}", fragment)]
            tasks += [dict(task=s, path=path, after=after, all=everywhere, family=family, level=filled.scenario.level, known=known) for s in sentences]
        if rng.random() < 0.5:
            for edit, sentence in self.mined_edits(language, text, 2):
                after = replaced_all(text, *edit.all) if edit.all else edit.after
                tasks.append(dict(task=sentence, path=path, after=after, all=edit.all, family=edit.family, level=edit.level, known=edit.known))
        rng.shuffle(tasks)
        return self.finished(language, path, {path: text}, tasks[:12]) if tasks else None

    def project_group(self) -> dict | None:
        """Edits of a file of a project, mostly with its other files beside."""
        rng = self.rng
        project = rng.choice(self.projects)
        path = rng.choices(list(project.edits), [len(edits) for edits in project.edits.values()])[0]
        to_decline = [edit for edit in project.edits[path] if edit.family == "decline"]
        to_make = [edit for edit in project.edits[path] if edit.family != "decline"]
        edits = to_decline if to_decline and (not to_make or rng.random() < 0.12) else rng.sample(to_make, min(len(to_make), rng.randint(5, 9)))
        before = project.files[path]
        tasks = []
        for edit in edits:
            task = dict(task=rng.choice([line for line in edit.parts["say"] if line.strip()]), path=path, family=edit.family, level=edit.level)
            if edit.family == "decline":
                tasks.append(task | dict(decline=edit.text("decline")))
                continue
            after = (edit.text("after") or "") + "\n"
            tasks.append(task | dict(after=after, all=renamed(before, after) if edit.family.startswith("rename") else None))
        files = project.files if to_decline is edits or rng.random() < 0.8 else {path: before}
        return self.finished(projects.language(path), path, files, tasks, is_project=True)

    def decline_group(self) -> dict | None:
        """Tasks for which there is nothing to do, of every reason."""
        rng = self.rng
        reason = rng.choices(["already_done", "not_in_these_files", "unclear"], [35, 40, 25])[0]
        language = rng.choices(list(LANGUAGE_WEIGHTS), list(LANGUAGE_WEIGHTS.values()))[0]
        if rng.random() < 0.5 and (filled := self.filled(language, "decline")):
            path = self.file_name(language)
            tasks = [dict(task=s, path=path, decline=filled.decline, family="decline", level="decline", known=[]) for s in filled.sentences[:2]]
            return self.finished(language, path, {path: filled.before + "\n"}, tasks)
        if reason == "already_done":
            if rng.random() < 0.5 and (filled := self.filled(language)) and filled.after and filled.sentences and filled.scenario.level != "judgment" and not filled.scenario.family.startswith(("delete", "remove")):
                path = self.file_name(language)
                tasks = [dict(task=rng.choice(filled.sentences), path=path, decline=reason, family="decline", level="decline", known=[])]
                return self.finished(language, path, {path: filled.after + "\n"}, tasks)
            found = self.window(language, longest=100)
            edits = self.mined_edits(language, found[1], 6) if found else []
            edits = [(e, s) for e, s in edits if e.family in ("rename", "number", "string_role", "flag", "value", "type", "async", "visibility", "import_top", "import_after", "comment_above", "default_value", "return_value", "decorator")]
            if not edits:
                return None
            edit, sentence = edits[0]
            path = self.file_name(language, found[0])
            text = replaced_all(found[1], *edit.all) if edit.all else edit.after
            return self.finished(language, path, {path: text}, [dict(task=sentence, path=path, decline=reason, family="decline", level="decline", known=[])])
        found = self.window(language, longest=100)
        if not found:
            return None
        path = self.file_name(language, found[0])
        files = {path: found[1]}
        if reason == "unclear":
            tasks = [dict(task=phrases.bank_choice(rng, "unclear"), path=path, decline=reason, family="decline", level="decline", known=[]) for _ in range(2)]
            return self.finished(language, path, files, tasks)
        # The task of another file: what it names is not here.
        other_language = language if rng.random() < 0.7 else rng.choices(list(LANGUAGE_WEIGHTS), list(LANGUAGE_WEIGHTS.values()))[0]
        if rng.random() < 0.6 and (filled := self.filled(other_language)) and filled.before:
            named = lambda sentence: {word for word in words_in(sentence) if len(word) > 3} & set(words_in(filled.before))
            foreign = [s for s in filled.sentences if len(named(s)) > 1 and not named(s) & set(words_in(found[1]))]
            tasks = [dict(task=s, path=path, decline=reason, family="decline", level="decline", known=[], missing=sorted(named(s))) for s in foreign[:2]]
            return self.finished(language, path, files, tasks) if tasks else None
        other = self.window(other_language, longest=60)
        edits = self.mined_edits(other_language, other[1], 4) if other else []
        tasks = []
        for edit, sentence in edits:
            words = [word for word in edit.known if len(word) > 3]
            if words and edit.family not in ("line_top", "import_top") and not any(re.search(rf"\b{re.escape(word)}\b", found[1]) for word in words):
                tasks.append(dict(task=sentence, path=path, decline=reason, family="decline", level="decline", known=[], missing=words))
        return self.finished(language, path, files, tasks[:2]) if tasks else None

    def create_group(self) -> dict | None:
        rng = self.rng
        language = rng.choices(list(LANGUAGE_WEIGHTS), list(LANGUAGE_WEIGHTS.values()))[0]
        path = self.file_name(language)
        if rng.random() < 0.5 and (filled := self.filled(language, "create")) and filled.sentences:
            path, text, sentence = filled.path, filled.after + "\n", rng.choice(filled.sentences)
            if path.rsplit("/", 1)[-1] not in sentence:
                sentence = phrases.in_file(rng, sentence, path)
        else:
            window = mined.Window(rng, self.names, language, "x = 1\n")
            content = rng.choice([window.statement(), window.comment(self.names.phrase()), window.statement()])
            sentence = phrases.filled(rng, rng.choice(phrases.bank("create_file")), {"path": path, "content": content})
            text = content + "\n"
        if not sentence:
            return None
        files = self.beside(path, language, rng.choice([1, 2, 4]))
        if not files or clashes(path, list(files)):
            return None
        task = dict(task=phrases.said(rng, sentence), path=path, after=text, create=True, family="create", level="everyday", pick=True)
        return dict(files=files, tasks=[task], language=language)

    def finished(self, language: str, path: str, files: dict[str, str], tasks: list[dict], is_project: bool = False) -> dict | None:
        """The sentences as typed, the files beside, and which stages are learned from. A project's sentences say which file they mean."""
        rng = self.rng
        declines = tasks[0].get("decline")
        asks_pick = declines or is_project or rng.random() < 0.55
        if asks_pick and not is_project and rng.random() < 0.72:
            files = files | self.beside(path, language, rng.choices([2, 5, 10, 20, 39], [40, 30, 15, 9, 6])[0])
        n_others = len(files) - 1
        others = "\n".join(text for other, text in files.items() if other != path)
        for task in tasks:
            sentence = phrases.said(rng, task["task"])
            name = path.rsplit("/", 1)[-1]
            known = task.pop("known", [])
            found_by_words = any(re.search(rf"\b{re.escape(word)}\b", task["task"]) and not re.search(rf"\b{re.escape(word)}\b", others) for word in set(known) if len(word) > 3)
            missing = task.pop("missing", None)
            if missing and any(re.search(rf"\b{re.escape(word)}\b", others) for word in missing):
                task["skip"] = True
            must = n_others > 0 and not found_by_words and not declines and not is_project
            if must or rng.random() < (0.06 if is_project else 0.28) and not missing:
                said = rng.choice([path, name, name, name]) if sum(other.endswith(name) for other in files) == 1 else path
                if rng.random() < 0.06 and said == name and "." in name and sum(other.rsplit("/", 1)[-1].rsplit(".", 1)[0] == name.rsplit(".", 1)[0] for other in files) == 1:
                    said = name.rsplit(".", 1)[0]
                sentence = phrases.in_file(rng, sentence, said)
            task["task"] = sentence
            task["pick"] = bool(asks_pick and (declines or rng.random() < 0.6))
            task["fill"] = not declines
        tasks = [task for task in tasks if not task.pop("skip", False)]
        return dict(files=files, tasks=tasks, language=language) if tasks else None

    def group(self) -> dict:
        """The next one."""
        kinds = [self.mined_group, self.scenario_group, self.project_group, self.decline_group, self.create_group]
        while True:
            group = self.rng.choices(kinds, [25, 45, 17, 11, 2])[0]()
            if group:
                return group


def clean(text: str) -> str:
    """Line feeds only, no blanks at the end of lines, no licence on top."""
    lines = [line.rstrip() for line in text.replace("\r\n", "\n").split("\n")]
    n_top = next((i for i, line in enumerate(lines) if line and not re.match(r"(#(?!!|include|define|if|pragma)|//|/\*|\*| \*|--|;|<!--|\s*$)", line)), 0)
    top = "\n".join(lines[:n_top]).lower()
    return "\n".join(lines[n_top:] if "licen" in top or "copyright" in top else lines)


def clashes(path: str, others: list[str]) -> bool:
    """Whether a file of this name cannot stand beside the others."""
    lower = path.lower()
    return any(lower == o.lower() or o.lower().startswith(lower + "/") or lower.startswith(o.lower() + "/") for o in others)


def replaced_all(text: str, old: str, new: str) -> str:
    return re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", lambda _: new, text)


def renamed(before: str, after: str) -> tuple[str, str] | None:
    """The identifier that became another one wherever it stands."""
    old, new = re.findall(r"\w+|[^\w]", before), re.findall(r"\w+|[^\w]", after)
    if len(old) != len(new):
        return None
    pairs = {(a, b) for a, b in zip(old, new) if a != b}
    if len(pairs) != 1:
        return None
    a, b = pairs.pop()
    return (a, b) if re.fullmatch(r"[A-Za-z_]\w*", a) and replaced_all(before, a, b) == after else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, default=Path(__file__).parent / ".cache" / "corpus")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--groups", type=int, default=1000)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    maker = Maker(random.Random(arguments.seed), arguments.corpus)
    families: Counter[str] = Counter()
    with arguments.out.open("w", encoding="utf-8") as out:
        for _ in range(arguments.groups):
            group = maker.group()
            families.update(task["family"] if task["family"] in mined.FAMILIES or task["family"] in ("decline", "create") else "scenario" for task in group["tasks"])
            out.write(json.dumps(group, ensure_ascii=False) + "\n")
    print(f"{sum(families.values())} tasks:", dict(families.most_common(60)), file=sys.stderr)


if __name__ == "__main__":
    main()
