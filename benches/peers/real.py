"""Measures slotwright on real models against what people would use instead: see ../README.md.

    python real.py --slotwright PROGRAM --model NAME=FILE.gguf [--contender NAME]... [--tasks N]
                   [--kept FOLDER] [--threads N] [--print]

Every answer is the model's own, so that right and fast stand side by side. What was measured is kept
in FOLDER, a line for each task, and is not measured again, unless the program or the model changed.
Prints a table for each model.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import http.client
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
import urllib.error
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import peers

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
DEV = ROOT / "models/training/dev"
QUICK = ROOT / "benches/models/quick.txt"
LONG = HERE / "long.json"
N_DEV = 30
CONTEXT = 16_384
# Longer, and a person has given up.
TIMEOUT = 300
TOO_LONG = f"longer than {TIMEOUT} seconds"
SERVER_ENDED = "the server ended"

Files = dict[str, bytes]


# Tasks


@dataclass(frozen=True)
class Task:
    name: str
    sentence: str
    before: Files
    # Each is right: the files that change or are new. None: the task is to be declined.
    right: tuple[Files, ...]

    @property
    def path(self) -> str:
        """The file that changes; of a task to be declined the first one."""
        return min(self.right[0] if self.right else self.before)

    def verdict(self, after: Files) -> str:
        if after == self.before:
            return "right" if not self.right else "unchanged"
        return "right" if any(after == self.before | right for right in self.right) else "wrong"


def files_in(folder: Path) -> Files:
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def dev_task(folder: Path) -> Task:
    about = tomllib.loads((folder / "task.toml").read_text())
    afters = sorted(folder.glob("after*"))
    right = tuple(files_in(after) for after in afters)
    return Task(folder.name, about["sentence"], files_in(folder / "before"), right)


def long_tasks() -> list[Task]:
    """Edits of this project's own sources, as they were at a commit."""
    about = json.loads(LONG.read_text())

    def text(path: str) -> str:
        command = ["git", "show", f"{about['commit']}:{path}"]
        return subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode()

    paths = {task["path"] for task in about["tasks"]}
    texts = {path: text(path) for path in sorted(paths)}
    tasks = []
    for task in about["tasks"]:
        path, old = task["path"], task["old"]
        before = texts[path]
        if (before.count(old) != 1) != task.get("everywhere", False):
            raise SystemExit(f"{task['name']}: {old!r} occurs {before.count(old)} times")
        right = tuple({path: before.replace(old, new).encode()} for new in task["new"])
        all_before = {name: text.encode() for name, text in texts.items()}
        tasks.append(Task(task["name"], task["sentence"], all_before, right))
    return tasks


def tasks(n: int) -> list[Task]:
    """Development tasks, spread over the quick subset, and tasks in long files: a fourth."""
    n_dev = n - n // 4
    names = QUICK.read_text().split()
    step = len(names) / n_dev
    dev = [dev_task(DEV / names[int(i * step)]) for i in range(n_dev)]
    return dev + (long_tasks()[: n // 4] if n // 4 else [])


# Contenders


@dataclass
class Outcome:
    """What a contender made of a task."""

    # Why no edit came of its answer; empty if one did, or if it declined.
    failed: str = ""
    read: int = 0
    written: int = 0


class Setting:
    """A folder with the files of a task."""

    def __init__(self, task: Task, folder: Path):
        self.task, self.folder = task, folder
        for name, content in task.before.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def text(self, path: str) -> str:
        return (self.folder / path).read_text()


def run(command: list[str], folder: Path, **options) -> subprocess.CompletedProcess:
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT, **options
    )


def ours(arguments, model: Path, adapter: list[str], cache: str) -> Callable[[Setting], Outcome]:
    """`slotwright edit` in a process of its own. It finds the file itself, and has not read it
    before."""

    def edit(setting: Setting) -> Outcome:
        command = [arguments.slotwright, "edit", "--json", "--yes", "--model", str(model)]
        command += ["--threads", arguments.threads, *adapter]
        command += ["--accept", "unsure,merge,unseen,leftover,elided,breaks"]
        environment = {**os.environ, "XDG_CACHE_HOME": cache}
        done = run([*command, setting.task.sentence], setting.folder, env=environment)
        # 1: no edit was made of the answer. Anything else is no fault of the model.
        if done.returncode not in (0, 1):
            raise SystemExit(f"slotwright ended with {done.returncode}:\n{done.stderr}")
        report = json.loads(done.stdout)
        stats = report.get("stats") or {}
        is_mechanics = (report.get("error") or {}).get("kind") == "mechanics"
        return Outcome(
            failed=report["error"]["message"] if is_mechanics else "",
            read=stats.get("prompt_tokens", 0) - stats.get("reused_tokens", 0),
            written=stats.get("sampled_tokens", 0) + stats.get("forced_tokens", 0),
        )

    return edit


@dataclass
class Chat:
    """A server's chat, which counts tokens."""

    address: str
    outcome: Outcome = field(default_factory=Outcome)

    def ask(self, messages: list[dict], schema: dict | None = None) -> str:
        body = {"messages": messages, "temperature": 0, "max_tokens": 4096}
        if schema:
            body["response_format"] = {"type": "json_object", "schema": schema}
        with peers.post(self.address, "/v1/chat/completions", body, TIMEOUT) as reply:
            answer = json.loads(reply.read())
        self.outcome.read += answer["usage"]["prompt_tokens"]
        self.outcome.written += answer["usage"]["completion_tokens"]
        return answer["choices"][0]["message"]["content"] or ""


def strings(**values: list[str] | None) -> dict:
    """The schema of an object of strings; a list has the only values of one."""
    properties = {
        name: {"type": "string", **({"enum": only} if only else {})} for name, only in values.items()
    }
    return {"type": "object", "properties": properties, "required": list(values)}


def schemas(address: str) -> Callable[[Setting], Outcome]:
    """Two requests, each forced into a JSON schema: the file and the operation, then the text."""

    def edit(setting: Setting) -> Outcome:
        chat = Chat(address)
        paths = sorted(setting.task.before)
        system = {"role": "system", "content": "You edit files. You answer in JSON."}
        listing = "".join(f"{path}\n" for path in paths)
        pick = (
            f"Files:\n{listing}\nTask: {setting.task.sentence}\n\nWhich file is to be changed, and how? "
            "replace changes or removes text, insert puts new lines below a line, none changes nothing."
        )
        operations = ["replace", "insert", "none"]
        schema = strings(path=paths, operation=operations)
        picked = parsed(chat.ask([system, {"role": "user", "content": pick}], schema))
        path, operation = picked.get("path"), picked.get("operation")
        if operation == "none":
            return chat.outcome
        if path not in setting.task.before or operation not in operations:
            chat.outcome.failed = "no file and operation"
            return chat.outcome
        names = {"replace": ["old", "new"], "insert": ["line", "text"]}[operation]
        told = {
            "replace": "old is the text to replace, copied exactly from the file; new stands there instead.",
            "insert": "line is a line of the file, copied exactly; text has the new lines below it.",
        }[operation]
        fill = f"File {path}:\n{setting.text(path)}\n\nTask: {setting.task.sentence}\n\n{told}"
        schema = strings(**dict.fromkeys(names))
        slots = parsed(chat.ask([system, {"role": "user", "content": fill}], schema))
        old, new = (slots.get(name) for name in names)
        text = setting.text(path)
        if not old or new is None or text.count(old) != 1:
            n = text.count(old) if old else 0
            chat.outcome.failed = f"its text occurs {n} times"
            return chat.outcome
        if operation == "insert":
            new = f"{old}\n{new.rstrip(chr(10))}"
        (setting.folder / path).write_text(text.replace(old, new))
        return chat.outcome

    return edit


def parsed(answer: str) -> dict:
    """The object; none if it was cut off."""
    try:
        return json.loads(answer)
    except json.JSONDecodeError:
        return {}


# A small model makes no such block of a description, and copies one that stands beside its task. So
# it is shown one as an earlier answer.
EXAMPLE = [
    {
        "role": "user",
        "content": f"File src/app.py:\nlimit = 10\nname = 'app'\n\n{peers.BLOCKS}\n\n"
        "Task: The limit should be 20.",
    },
    {
        "role": "assistant",
        "content": "src/app.py\n<<<<<<< SEARCH\nlimit = 10\n=======\nlimit = 20\n>>>>>>> REPLACE",
    },
]


def blocks(arguments, address: str) -> Callable[[Setting], Outcome]:
    """One free request for search/replace blocks, applied by `slotwright apply`, which forgives
    more than others do. It is told the right file."""

    def edit(setting: Setting) -> Outcome:
        chat = Chat(address)
        path = setting.task.path
        if path not in setting.task.before:
            question = f"Files: {', '.join(setting.task.before)}\n\n{peers.BLOCKS}"
        else:
            question = f"File {path}:\n{setting.text(path)}\n\n{peers.BLOCKS}"
        answer = chat.ask(
            [
                {"role": "system", "content": "You edit files."},
                *EXAMPLE,
                {"role": "user", "content": f"{question}\n\nTask: {setting.task.sentence}"},
            ]
        )
        command = [arguments.slotwright, "apply", "--json", "--yes"]
        command += ["--accept", "shrinks,numbers,mixed,breaks"]
        if path in setting.task.before:
            command += ["--file", path]
        done = run(command, setting.folder, input=answer)
        error = json.loads(done.stdout).get("error")
        chat.outcome.failed = error["message"] if error else ""
        return chat.outcome

    return edit


def whole(address: str) -> Callable[[Setting], Outcome]:
    """One free request for all of the file, which it is told."""

    def edit(setting: Setting) -> Outcome:
        chat = Chat(address)
        path = setting.task.path
        shown = setting.text(path) if path in setting.task.before else ""
        question = (
            f"File {path}:\n```\n{shown}```\n\nTask: {setting.task.sentence}\n\n"
            "Answer with the whole new file in one code block."
        )
        answer = chat.ask(
            [
                {"role": "system", "content": "You edit files."},
                {"role": "user", "content": question},
            ]
        )
        fences = re.findall(r"^```[^\n]*\n(.*?)^```", answer, re.MULTILINE | re.DOTALL)
        if len(fences) != 1:
            chat.outcome.failed = f"{len(fences)} code blocks"
            return chat.outcome
        target = setting.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(fences[0])
        return chat.outcome

    return edit


def aider(arguments, address: str, edit_format: str) -> Callable[[Setting], Outcome]:
    """Aider with the right file named, without git and commits."""

    def edit(setting: Setting) -> Outcome:
        command = [arguments.aider, "--model", "openai/local", "--openai-api-base", f"{address}/v1"]
        command += ["--openai-api-key", "none", "--edit-format", edit_format, "--yes-always"]
        command += ["--no-git", "--no-stream", "--no-pretty", "--no-check-update", "--map-tokens", "0"]
        command += ["--no-show-model-warnings", "--no-detect-urls", "--no-suggest-shell-commands"]
        command += ["--analytics-disable", "--message", setting.task.sentence, setting.task.path]
        with tempfile.TemporaryDirectory() as home:
            # What models cost is not fetched.
            environment = {**os.environ, "HOME": home, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
            try:
                done = run(command, setting.folder, env=environment)
            finally:
                for path in setting.folder.glob(".aider*"):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
        outcome = Outcome()
        for sent, got in re.findall(r"Tokens: ([\d.]+k?) sent, ([\d.]+k?) received", done.stdout):
            outcome.read += tokens(sent)
            outcome.written += tokens(got)
        refused = r"did not conform|failed to match|can't edit|SEARCH/REPLACE block failed"
        if re.search(refused, done.stdout, re.IGNORECASE):
            outcome.failed = "its edit format was not followed"
        return outcome

    return edit


def tokens(text: str) -> int:
    return round(1000 * float(text[:-1])) if text.endswith("k") else round(float(text))


CONTENDERS = {
    "slotwright": "slotwright, with its adapter",
    "bare": "slotwright, without adapter",
    "schemas": "two requests with JSON schemas",
    "speculation": "the same, with n-gram speculation",
    "blocks": "one free search/replace request",
    "whole": "one free whole-file request",
    "aider-diff": "aider, diff",
    "aider-whole": "aider, whole",
}


def with_contender(name: str, arguments, model: Path, work: Callable) -> None:
    """Starts what a contender needs, and calls `work` with what makes its edits."""
    if name in ("slotwright", "bare"):
        with tempfile.TemporaryDirectory() as cache:
            adapter = [] if name == "slotwright" else ["--adapter", "none"]
            return work(ours(arguments, model, adapter, cache))
    options = ["--n_ctx", str(CONTEXT)]
    if name == "speculation":
        options += ["--draft_model", "prompt-lookup-decoding", "--draft_model_num_pred", "10"]
    with peers.server(model, int(arguments.threads), *options) as address:
        peers.ask(address, "a", "b", max_tokens=1)  # what is made at the first request
        makers = {
            "schemas": lambda: schemas(address),
            "speculation": lambda: schemas(address),
            "blocks": lambda: blocks(arguments, address),
            "whole": lambda: whole(address),
            "aider-diff": lambda: aider(arguments, address, "diff"),
            "aider-whole": lambda: aider(arguments, address, "whole"),
        }
        work(makers[name]())


# Measuring


def measured(task: Task, edit: Callable[[Setting], Outcome]) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        setting = Setting(task, Path(folder))
        begun = time.monotonic()
        try:
            outcome = edit(setting)
        except urllib.error.HTTPError as error:
            outcome = Outcome(failed=f"the server answers {error.code}")
        except (TimeoutError, subprocess.TimeoutExpired):
            outcome = Outcome(failed=TOO_LONG)
        except (urllib.error.URLError, http.client.HTTPException, ConnectionError):
            outcome = Outcome(failed=SERVER_ENDED)
        seconds = time.monotonic() - begun
        after = files_in(Path(folder))
        verdict = task.verdict(after)
    if outcome.failed and after == task.before:
        verdict = "failed"
    about = {"task": task.name, "verdict": verdict, "seconds": round(seconds, 2)}
    return about | {"read": outcome.read, "written": outcome.written, "failed": outcome.failed}


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Kept:
    """What was measured, a line for each task."""

    def __init__(self, path: Path, of: dict, is_read_only: bool = False):
        self.path = path
        lines = path.read_text().splitlines() if path.exists() else []
        if not lines or json.loads(lines[0]) != of:
            lines = []
            if not is_read_only:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(json.dumps(of) + "\n")
        self.rows = {row["task"]: row for row in map(json.loads, lines[1:])}

    def add(self, row: dict) -> None:
        self.rows[row["task"]] = row
        with self.path.open("a") as file:
            file.write(json.dumps(row) + "\n")


def measure(arguments, name: str, model: Path, contender: str, wanted: list[Task]) -> list[dict]:
    # The server's answers to blocks are applied by the program.
    uses_program = contender in ("slotwright", "bare", "blocks")
    of = {
        "model": sha256(model),
        "contender": contender,
        "threads": arguments.threads,
        "limit": TIMEOUT,
        "program": sha256(Path(arguments.slotwright)) if uses_program else "",
    }
    kept = Kept(Path(arguments.kept) / f"{name}.{contender}.jsonl", of, arguments.print)
    left = [task for task in wanted if task.name not in kept.rows]

    def work(edit: Callable[[Setting], Outcome]) -> None:
        while left:
            row = measured(left.pop(0), edit)
            kept.add(row)
            print(f"{name} {contender} {row['task']}: {row['verdict']} {row['seconds']} s", flush=True)
            if row["failed"] in (TOO_LONG, SERVER_ENDED):
                return  # it may still be at it, and is started anew

    while left and not arguments.print:
        with_contender(contender, arguments, model, work)
    return [kept.rows[task.name] for task in wanted if task.name in kept.rows]


# The tables


def table(rows: dict[str, list[dict]]) -> list[str]:
    lines = [
        "| | right | no edit came of it | wrong | seconds, median (most) | tokens read | written |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for contender, results in rows.items():
        count = [sum(row["verdict"] == verdict for row in results) for verdict in ("right", "failed")]
        wrong = len(results) - sum(count)
        seconds = [row["seconds"] for row in results]
        # A contender that does not say how many has none.
        medians = (statistics.median(row[what] for row in results) for what in ("read", "written"))
        read, written = (f"{median:.0f}" if median else "–" for median in medians)
        lines.append(
            f"| {CONTENDERS[contender]} | {count[0]} of {len(results)} | {count[1]} | {wrong} "
            f"| {statistics.median(seconds):.1f} ({max(seconds):.0f}) | {read} | {written} |"
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--slotwright", default=str(ROOT / "target/release/slotwright"))
    parser.add_argument("--model", action="append", required=True, metavar="NAME=FILE")
    parser.add_argument("--contender", action="append", choices=[*CONTENDERS])
    parser.add_argument("--tasks", type=int, default=N_DEV + 10)
    parser.add_argument("--threads", default=str(os.cpu_count() or 1))
    parser.add_argument("--aider", default="aider")
    parser.add_argument("--print", action="store_true", help="measure nothing, print what is kept")
    parser.add_argument("--kept", default=str(ROOT / "target/peers/real"))
    arguments = parser.parse_args()
    # So that a run that is ended ends its server too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    arguments.slotwright = str(Path(arguments.slotwright).resolve())
    # It runs in the folder of a task.
    arguments.aider = os.path.abspath(shutil.which(arguments.aider) or arguments.aider)
    wanted = tasks(arguments.tasks)
    results: dict[str, dict[str, list[dict]]] = {}
    for named in arguments.model:
        name, file = named.split("=", 1)
        of_model = {
            contender: measure(arguments, name, Path(file).resolve(), contender, wanted)
            for contender in arguments.contender or CONTENDERS
        }
        # With `--print` some are not measured yet, or not for all tasks.
        results[name] = {contender: rows for contender, rows in of_model.items() if rows}
    sys.path.append(str(ROOT / "benches/models"))
    from models import processor

    for name, rows in results.items():
        print("\n".join([f"### {name}", "", *table(rows), ""]))
    about = f"{processor()}, {arguments.threads} threads, {len(wanted)} tasks"
    print(f"Measured: {datetime.date.today()}, {about}.")


if __name__ == "__main__":
    main()
