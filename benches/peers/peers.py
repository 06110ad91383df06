"""Measures slotwright against llama.cpp's own server, and prints tables: see ../README.md.

    python peers.py --ours FIXED_ANSWERS --slotwright SLOTWRIGHT --model NAME=FILE.gguf:TASKS ...
                    [--runs 5] [--json OUT]

TASKS is how many tasks each of the runs takes. Every run takes the next ones, so that five runs of
six are thirty tasks.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = (
    "Answer with one block for each change: the file's path on a line of its own, "
    "<<<<<<< SEARCH, the lines to search for, =======, the lines that stand "
    "there afterwards, >>>>>>> REPLACE."
)
# As many tasks as are compared in all: a run of fewer takes the next ones.
TASKS = 30


# The server


@contextmanager
def server(model: Path, threads: int, *options: str):
    """A server of this model on a free port; its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "llama_cpp.server",
        "--model",
        str(model),
        "--port",
        str(port),
        "--n_ctx",
        "6144",
        "--n_threads",
        str(threads),
    ]
    command += [
        "--n_threads_batch",
        str(threads),
        "--cache",
        "true",
        "--chat_format",
        "chatml",
        "--verbose",
        "false",
        *options,
    ]
    with tempfile.TemporaryFile() as log, subprocess.Popen(
        command, stdout=log, stderr=log
    ) as process:
        try:
            address = f"http://127.0.0.1:{port}"
            for _ in range(600):
                try:
                    urllib.request.urlopen(address + "/v1/models", timeout=5).read()
                    break
                except OSError:
                    if process.poll() is not None:
                        log.seek(0)
                        raise SystemExit(
                            "the server did not start:\n" + log.read().decode()[-2000:]
                        )
                    time.sleep(0.1)
            yield address
        finally:
            process.kill()


def post(address: str, path: str, body: dict, timeout: float = 1800):
    request = urllib.request.Request(
        address + path, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    return urllib.request.urlopen(request, timeout=timeout)


def ask(address: str, system: str, question: str, **options) -> dict:
    """The answer, and the milliseconds to its first piece and from then to its end."""
    messages = [{"role": "system", "content": system}, {"role": "user", "content": question}]
    body = {"messages": messages, "temperature": 0, "stream": True, "max_tokens": 2048, **options}
    started = time.perf_counter()
    first, text = None, ""
    with post(address, "/v1/chat/completions", body) as reply:
        for line in reply:
            if not line.startswith(b"data: {"):
                continue
            piece = json.loads(line[6:])["choices"][0]["delta"].get("content")
            if piece:
                first = first or time.perf_counter()
                text += piece
    ended = time.perf_counter()
    first = first or ended
    return {"prompt": 1e3 * (first - started), "answer": 1e3 * (ended - first), "text": text}


def only(answer: str) -> str:
    """A grammar that only this answer fits. From a JSON schema the server makes such a grammar too,
    but it allows whitespace between the tokens that nobody asked for."""
    return f"root ::= {json.dumps(answer)}"


def forced(address: str, question: dict) -> dict:
    took = ask(address, question["system"], question["question"], grammar=only(question["answer"]))
    if took["text"] != question["answer"]:
        raise SystemExit(f"the server wrote {took['text']!r} instead of {question['answer']!r}")
    return took


def free(address: str, line: dict, sentence: str) -> dict:
    """As many tokens as the block has, whatever they are."""
    count = json.loads(post(address, "/extras/tokenize/count", {"input": line["blocks"]}).read())[
        "count"
    ]
    question = f"File {line['path']}:\n{line['before']}\n\n{BLOCKS}\n\nTask: {sentence}"
    return ask(
        address,
        "You edit text files.",
        question,
        max_tokens=count,
        logit_bias={str(line["end_token"]): -100},
    )


def total(stages: list[dict]) -> float:
    return sum(stage["prompt"] + stage["answer"] for stage in stages)


# One run


def ours(arguments, model: Path, n: int, first: int) -> list[dict]:
    command = [
        arguments.ours,
        arguments.slotwright,
        str(model),
        arguments.suite,
        str(n),
        str(first),
    ]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def stages(edit: list[dict]) -> list[dict]:
    return [stage["stats"]["ms"] for stage in edit]


def run(arguments, model: Path, n: int, first: int) -> list[dict]:
    """A row a task: milliseconds by who, edit and phase."""
    lines = ours(arguments, model, n, first)
    rows = [
        {
            "task": line["task"],
            "operation": line["operation"],
            "ours": {edit: line[edit] for edit in ("cold", "second", "next")},
        }
        for line in lines
    ]
    threads = os.cpu_count() or 1
    for name, options in (
        ("server", ()),
        (
            "speculation",
            ("--draft_model", "prompt-lookup-decoding", "--draft_model_num_pred", "10"),
        ),
    ):
        with server(model, threads, *options) as address:
            ask(
                address, "a", "b", max_tokens=1
            )  # what is made at the first request is not this edit's
            for line, row in zip(lines, rows):
                questions = line["questions"]
                row[name] = {
                    "cold": [forced(address, question) for question in questions[:2]],
                    "second": [forced(address, question) for question in questions[2:4]],
                }
    with server(model, threads) as address:
        ask(address, "a", "b", max_tokens=1)
        for line, row in zip(lines, rows):
            line["end_token"] = arguments.end_token
            row["free"] = {
                "cold": [free(address, line, line["sentences"][0])],
                "second": [free(address, line, line["sentences"][1])],
            }
    return rows


# What came of it


def ours_total(row: dict, edit: str) -> float:
    return total(stages(row["ours"][edit]))


COMPARED = {
    "first edit, cold": (
        lambda row, name: total(row[name]["cold"]),
        lambda row: ours_total(row, "cold"),
    ),
    "second edit in the same file": (
        lambda row, name: total(row[name]["second"]),
        lambda row: ours_total(row, "second"),
    ),
    "the same file in a new process": (
        lambda row, name: total(row[name]["cold"]),
        lambda row: ours_total(row, "next"),
    ),
    "stage 2 alone, cold": (
        lambda row, name: total(row[name]["cold"][-1:]),
        lambda row: total(stages(row["ours"]["cold"])[-1:]),
    ),
    "writing the answers alone, cold": (
        lambda row, name: sum(stage["answer"] for stage in row[name]["cold"]),
        lambda row: sum(stage["answer"] for stage in stages(row["ours"]["cold"])),
    ),
}


def ratios(runs: list[list[dict]], compared: str, name: str) -> list[float]:
    """One a run: theirs over ours, the sum over the run's tasks."""
    theirs, mine = COMPARED[compared]
    return [
        sum(theirs(row, name) for row in rows) / sum(mine(row) for row in rows) for rows in runs
    ]


def spread(values: list[float]) -> str:
    return f"{statistics.median(values):.2f}× ({min(values):.2f} to {max(values):.2f})"


def counts(rows: list[dict]) -> list[str]:
    lines = [
        "| | tasks | prompt tokens, cold | of them read again for the second edit | forced "
        "| chosen | of them drafted rightly | evaluations after the prompt, median (most) |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    by_operation: dict[str, list[dict]] = {}
    for row in rows:
        by_operation.setdefault(row["operation"], []).append(row)
    for operation, rows in sorted(by_operation.items()):
        figure = lambda edit, key: statistics.mean(
            sum(stage["stats"][key] for stage in row["ours"][edit]) for row in rows
        )
        evaluations = [
            sum(stage["stats"]["evaluations"] for stage in row["ours"]["cold"]) for row in rows
        ]
        again = figure("second", "prompt_tokens") - figure("second", "reused_tokens")
        lines.append(
            f"| {operation} | {len(rows)} | {figure('cold', 'prompt_tokens'):.0f} | {again:.0f} "
            f"| {figure('cold', 'forced_tokens'):.1f} | {figure('cold', 'sampled_tokens'):.1f} "
            f"| {figure('cold', 'accepted_tokens'):.1f} "
            f"| {statistics.median(evaluations):.0f} ({max(evaluations)}) |"
        )
    return lines


def section(name: str, runs: list[list[dict]]) -> list[str]:
    rows = [row for run in runs for row in run]
    out = [
        f"### {name}",
        "",
        f"{len(runs)} runs of {len(runs[0])} tasks, {len({row['task'] for row in rows})} different "
        "ones. How many times our time the others take: the median of the runs (least to most).",
        "",
    ]
    out += [
        "| | (a) server | (b) with speculation | (c) one free request |",
        "|---|---:|---:|---:|",
    ]
    for compared in COMPARED:
        cells = [spread(ratios(runs, compared, other)) for other in ("server", "speculation")]
        cells.append(spread(ratios(runs, compared, "free")) if "stage 2" not in compared else "")
        out.append(f"| {compared} | " + " | ".join(cells) + " |")
    figures = lambda edit, key: [
        sum(stage["stats"]["ms"][key] for stage in row["ours"][edit]) for row in rows
    ]
    part = (sum(figures("cold", "constraint")) + sum(figures("cold", "draft"))) / sum(
        ours_total(row, "cold") for row in rows
    )
    out += [
        "",
        f"Constraint and drafting together take {100 * part:.2f} % of our time of a first edit.",
    ]
    out += ["", *counts(rows), ""]
    return out


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ours", required=True)
    parser.add_argument("--slotwright", required=True)
    parser.add_argument("--model", action="append", default=[], metavar="NAME=FILE:TASKS")
    parser.add_argument("--suite", default=f"{ROOT / 'evals/seed'},{ROOT / 'evals/everyday'}")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument(
        "--json",
        help="what was measured goes there, a model at a time, and is taken from there if it is "
        "there",
    )
    arguments = parser.parse_args()
    kept = Path(arguments.json) if arguments.json else None
    results = json.loads(kept.read_text()) if kept and kept.exists() else {}
    for model in arguments.model:
        name, rest = model.split("=", 1)
        file, n = rest.rsplit(":", 1)
        arguments.end_token = end_token(Path(file))
        runs = results.setdefault(name, [])
        while len(runs) < arguments.runs:
            first = len(runs) * int(n) if int(n) < TASKS else 0
            runs.append(run(arguments, Path(file), int(n), first))
            print(
                f"{name}: run {len(runs)} of {arguments.runs}: "
                f"first edit {ratios(runs[-1:], 'first edit, cold', 'server')[0]:.2f}×, "
                f"second {ratios(runs[-1:], 'second edit in the same file', 'server')[0]:.2f}× "
                "of the server",
                flush=True,
            )
            if kept:
                kept.write_text(json.dumps(results))
    for name, runs in results.items():
        print("\n".join(section(name, runs)))


def end_token(model: Path) -> int:
    from gguf import GGUFReader

    field = GGUFReader(model).fields["tokenizer.ggml.eos_token_id"]
    return int(field.parts[field.data[0]][0])


if __name__ == "__main__":
    main()
