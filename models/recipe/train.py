"""Trains the model on the tokens that `examples/render_tasks` wrote; resumes from its own checkpoint.

    python train.py --data 'data/*.bin' --dev dev.bin --run run --minutes 90

The learning rate is constant until the last part of the time, then falls to zero (warm-up, stable, decay). `stable.pt` is the
state before the fall: a later run resumes from it and goes on as if there had been no pause; `model.pt` is the state to export.
`log.jsonl` has loss and accuracy; `plot.py` draws them.

Matrices are trained with Muon (Jordan and others, 2024), the embedding and the norms with AdamW. Runs on the CPU and on CUDA.
"""

from __future__ import annotations

import argparse
import glob
import json
import math
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from model import Model, Shape, rotations

# Lengths of rows: the cost of attention grows with the row, so short records go into short ones.
ROWS = (128, 256, 512, 1024)

# Rows of each length that wait for records that fill them.
OPEN_ROWS = 24


# Data


class Part(NamedTuple):
    """A prefix and suffixes behind it that do not see each other: four arrays of as many numbers."""

    tokens: np.ndarray
    positions: np.ndarray
    """In what is read: a prefix and one suffix."""
    suffixes: np.ndarray
    """Of which suffix a token is, from 1; 0: of the prefix."""
    answers: np.ndarray
    """1 where a token is of an answer."""

    @staticmethod
    def of(prefix: np.ndarray, suffixes: list[tuple[np.ndarray, int]]) -> Part:
        """Suffixes are tokens, and how many of them are the question."""
        n = len(prefix)
        lengths = [len(tokens) for tokens, _ in suffixes]
        return Part(
            np.concatenate([prefix, *(tokens for tokens, _ in suffixes)]).astype(np.int64),
            np.concatenate([np.arange(n), *(np.arange(n, n + length) for length in lengths)]),
            np.repeat(np.arange(len(suffixes) + 1), [n, *lengths]),
            np.concatenate([np.zeros(n, np.int64), *((np.arange(len(tokens)) >= n_question).astype(np.int64) for tokens, n_question in suffixes)]),
        )


class Records:
    """Groups of lessons: a prefix and the questions and answers that share it."""

    def __init__(self, path: str):
        self.numbers = np.fromfile(path, dtype="<u2")
        self.starts: list[int] = []
        at = 0
        while at < len(self.numbers):
            self.starts.append(at)
            n_prefix, n_suffixes = int(self.numbers[at]), int(self.numbers[at + 1])
            at += 2 + n_prefix
            for _ in range(n_suffixes):
                n = int(self.numbers[at]) + int(self.numbers[at + 1])
                at += 2 + n

    def parts(self, i: int, longest: int) -> list[Part]:
        """A group in parts of at most so many tokens, each with the prefix and as many suffixes as fit; what fits in none is left out."""
        numbers, at = self.numbers, self.starts[i]
        n_prefix, n_suffixes = int(numbers[at]), int(numbers[at + 1])
        prefix = numbers[at + 2 : at + 2 + n_prefix]
        at += 2 + n_prefix
        found: list[list[tuple[np.ndarray, int]]] = []
        room = 0
        for _ in range(n_suffixes):
            n_question, n_answer = int(numbers[at]), int(numbers[at + 1])
            at += 2
            suffix = numbers[at : at + n_question + n_answer]
            at += len(suffix)
            if n_prefix + len(suffix) > longest:
                continue
            if not found or len(suffix) > room:
                found.append([])
                room = longest - n_prefix
            found[-1].append((suffix, n_question))
            room -= len(suffix)
        return [Part.of(prefix, suffixes) for suffixes in found]


class Batch:
    """Rows of records packed side by side, and what may see what."""

    def __init__(self, rows: list[list[Part]], length: int):
        shape = (len(rows), length)
        self.tokens = np.zeros(shape, np.int64)
        self.positions = np.zeros(shape, np.int64)
        record, suffix = np.full(shape, -1, np.int64), np.zeros(shape, np.int64)
        self.answer = np.zeros(shape, np.int64)
        for r, packed in enumerate(rows):
            at = 0
            for k, (tokens, positions, suffixes, answers) in enumerate(packed):
                end = at + len(tokens)
                self.tokens[r, at:end], self.positions[r, at:end] = tokens, positions
                record[r, at:end], suffix[r, at:end], self.answer[r, at:end] = k, suffixes, answers
                at = end
        self.record, self.suffix = record, suffix
        # A token is a target where the one before it is what a reader has just read.
        follows = (record[:, 1:] == record[:, :-1]) & (suffix[:, 1:] == suffix[:, :-1]) & (record[:, 1:] >= 0)
        self.follows = np.concatenate([follows, np.zeros((len(rows), 1), bool)], 1)
        self.n_tokens = int((record >= 0).sum())


def mask_of(record: Tensor, suffix: Tensor) -> Tensor:
    """(batch, 1, tokens, tokens): 0 where a token may look, minus infinity elsewhere. It sees its record's prefix and its own suffix, backwards."""
    tokens = record.shape[1]
    same = record[:, :, None] == record[:, None, :]
    visible = (suffix[:, None, :] == 0) | (suffix[:, :, None] == suffix[:, None, :])
    causal = torch.ones(tokens, tokens, dtype=torch.bool, device=record.device).tril()
    seen = same & visible & causal
    return torch.zeros(seen.shape, dtype=torch.bfloat16, device=record.device).masked_fill_(~seen, float("-inf"))[:, None]


def batches(paths: list[str], tokens_a_batch: int, longest: int, rng: np.random.Generator, seen: set[str]):
    """Batches without end: files not seen yet first, then all again."""
    lengths = [length for length in ROWS if length <= longest]
    pending: dict[int, list[list[Part]]] = {length: [] for length in lengths}
    open_rows: dict[int, list[tuple[list[Part], int]]] = {length: [] for length in lengths}
    while True:
        names = sorted(set(n for p in paths for n in glob.glob(p)))
        fresh = [name for name in names if name not in seen]
        if not fresh:
            seen.clear()
            fresh = names
        name = fresh[0]
        seen.add(name)
        records = Records(name)
        for part in (part for i in rng.permutation(len(records.starts)) for part in records.parts(int(i), longest)):
            n = len(part.tokens)
            # Into the row where least room is left over; else a new one of the shortest length.
            fitting = [(length - used - n, length, k) for length, rows in open_rows.items() for k, (_, used) in enumerate(rows) if used + n <= length]
            if fitting:
                _, length, k = min(fitting)
                row, used = open_rows[length].pop(k)
                row.append(part)
                used += n
            else:
                length = next(length for length in lengths if n <= length)
                row, used = [part], n
            if used > 0.97 * length:
                pending[length].append(row)
            else:
                open_rows[length].append((row, used))
                if len(open_rows[length]) > OPEN_ROWS:
                    fullest = max(range(len(open_rows[length])), key=lambda k: open_rows[length][k][1])
                    pending[length].append(open_rows[length].pop(fullest)[0])
            wanted = max(1, tokens_a_batch // length)
            if len(pending[length]) >= wanted:
                yield Batch(pending[length][:wanted], length)
                pending[length] = pending[length][wanted:]


# Optimizing


def orthogonal(matrices: Tensor) -> Tensor:
    """The nearest matrices with singular values near 1, by five steps of a Newton-Schulz iteration. (n, rows, columns)."""
    x = matrices.bfloat16()
    turned = x.shape[-2] > x.shape[-1]
    x = x.mT if turned else x
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(5):
        square = x @ x.mT
        x = 3.4445 * x + (-4.7750 * square + 2.0315 * square @ square) @ x
    return x.mT if turned else x


class Optimizer:
    """Float32 copies of the weights, and both optimizers' states."""

    def __init__(self, model: Model):
        self.model = model
        self.masters = {name: p.detach().float().clone() for name, p in model.named_parameters()}
        self.matrices = [name for name, p in model.named_parameters() if p.dim() == 2 and "embedding" not in name]
        self.momentum = {name: torch.zeros_like(self.masters[name]) for name in self.matrices}
        self.others = [name for name in self.masters if name not in self.momentum]
        self.first = {name: torch.zeros_like(self.masters[name]) for name in self.others}
        self.second = {name: torch.zeros_like(self.masters[name]) for name in self.others}
        self.steps = 0

    def state(self) -> dict:
        return {"masters": self.masters, "momentum": self.momentum, "first": self.first, "second": self.second, "steps": self.steps}

    def load(self, state: dict) -> None:
        for ours, theirs in ((self.masters, state["masters"]), (self.momentum, state["momentum"]), (self.first, state["first"]), (self.second, state["second"])):
            for name in ours:
                ours[name].copy_(theirs[name])
        self.steps = state["steps"]
        self.publish()

    @torch.no_grad()
    def publish(self) -> None:
        for name, p in self.model.named_parameters():
            p.copy_(self.masters[name])

    @torch.no_grad()
    def step(self, rate: float) -> float:
        """One step at a rate of 0 to 1 of the highest; gives the gradient's norm."""
        self.steps += 1
        grads = {name: p.grad.float() for name, p in self.model.named_parameters()}
        norm = math.sqrt(sum(float(g.square().sum()) for g in grads.values()))
        scale = min(1.0, 1.0 / (norm + 1e-6))
        by_shape: dict[tuple, list[str]] = {}
        for name in self.matrices:
            by_shape.setdefault(tuple(grads[name].shape), []).append(name)
        for (rows, columns), names in by_shape.items():
            for name in names:
                self.momentum[name].lerp_(grads[name], 0.05)
            updates = orthogonal(torch.stack([grads[name].lerp(self.momentum[name], 0.95) for name in names])).float()
            size = 0.02 * rate * max(1.0, rows / columns) ** 0.5
            for name, update in zip(names, updates):
                self.masters[name].mul_(1 - size * 0.05).sub_(update, alpha=size)
        for name in self.others:
            g = grads[name] * scale
            first, second = self.first[name], self.second[name]
            first.lerp_(g, 0.1)
            second.lerp_(g.square(), 0.02)
            corrected = first / (1 - 0.9**self.steps)
            deviation = (second / (1 - 0.98**self.steps)).sqrt() + 1e-8
            self.masters[name].sub_(corrected / deviation, alpha=3e-3 * rate)
        self.publish()
        for p in self.model.parameters():
            p.grad = None
        return norm


# Training


class Trainer:
    """A run in a folder."""

    def __init__(self, arguments: argparse.Namespace):
        self.arguments = arguments
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        torch.manual_seed(arguments.seed)
        self.shape = Shape(vocabulary=arguments.vocabulary, width=arguments.width, layers=arguments.layers, feed_forward=arguments.feed_forward)
        self.model = Model(self.shape).to(self.device, torch.bfloat16)
        self.optimizer = Optimizer(self.model)
        self.cos, self.sin = (t.to(torch.bfloat16) for t in rotations(self.shape, self.device))
        # One program a row length is faster than one for all.
        torch._dynamo.config.automatic_dynamic_shapes = False
        self.compiled = torch.compile(self.model) if arguments.compile else self.model
        self.run = Path(arguments.run)
        self.run.mkdir(parents=True, exist_ok=True)
        self.n_tokens, self.n_answer_tokens, self.minutes = 0, 0, 0.0
        self.seen: set[str] = set()
        if (self.run / "stable.pt").exists():
            state = torch.load(self.run / "stable.pt", map_location=self.device)
            self.optimizer.load(state["optimizer"])
            self.n_tokens, self.n_answer_tokens, self.minutes = state["tokens"], state["answer_tokens"], state["minutes"]
            self.seen = set(state["seen"])
            print(f"resumed at {self.n_tokens / 1e6:.1f} M tokens", flush=True)
        print(f"{sum(p.numel() for p in self.model.parameters()) / 1e6:.2f} M parameters on {self.device}", flush=True)

    def save(self, name: str) -> None:
        state = {
            "optimizer": self.optimizer.state(), "shape": self.shape.as_dict(), "tokens": self.n_tokens, "answer_tokens": self.n_answer_tokens,
            "minutes": self.minutes, "seen": sorted(self.seen),
        }
        torch.save(state, self.run / f"{name}.tmp")
        (self.run / f"{name}.tmp").replace(self.run / f"{name}.pt")

    def hidden(self, batch: Batch, model) -> tuple[Tensor, Tensor]:
        put = lambda array: torch.from_numpy(array).to(self.device)
        tokens, positions = put(batch.tokens), put(batch.positions)
        mask = mask_of(put(batch.record), put(batch.suffix))
        return model(tokens, self.cos[positions][:, None], self.sin[positions][:, None], mask), tokens

    def loss(self, batch: Batch, rng: np.random.Generator, language_weight: float) -> tuple[Tensor, float]:
        """On all tokens of answers, and with little weight on some of the others."""
        hidden, tokens = self.hidden(batch, self.compiled)
        target_is_answer = np.zeros_like(batch.follows)
        target_is_answer[:, :-1] = batch.answer[:, 1:] == 1
        answers = np.flatnonzero(batch.follows & target_is_answer)
        others = np.flatnonzero(batch.follows & ~target_is_answer)
        n_others = int(len(others) * 0.25) if language_weight > 0 else 0
        chosen = torch.from_numpy(np.r_[answers, rng.choice(others, n_others, replace=False)]).to(self.device)
        logits = self.model.logits(hidden.reshape(-1, self.shape.width)[chosen]).float()
        targets = tokens.reshape(-1)[chosen + 1]
        losses = F.cross_entropy(logits, targets, reduction="none")
        answer_loss = losses[: len(answers)].mean()
        total = answer_loss
        if n_others:
            total = total + language_weight * losses[len(answers) :].mean()
        self.n_answer_tokens += len(answers)
        return total, float(answer_loss.detach())

    @torch.no_grad()
    def evaluate(self, records: Records, most: int) -> dict[str, float]:
        """Of answers never seen: loss a token, and how many are right to the last token if the model writes what is likeliest."""
        n_right = n_answers = n_tokens = 0
        total = 0.0
        for part in (part for i in range(min(most, len(records.starts))) for part in records.parts(i, ROWS[-1])):
            batch = Batch([[part]], len(part.tokens))
            hidden, tokens = self.hidden(batch, self.model)
            logits = self.model.logits(hidden[0]).float()
            wanted = np.flatnonzero(part.answers)
            targets = tokens[0, wanted]
            predicted = logits[wanted - 1]
            losses = F.cross_entropy(predicted, targets, reduction="none")
            total += float(losses.sum())
            n_tokens += len(wanted)
            right = (predicted.argmax(-1) == targets).cpu().numpy()
            of = part.suffixes[wanted]
            for suffix in np.unique(of):
                n_answers += 1
                n_right += bool(right[of == suffix].all())
        return {"dev_loss": total / max(n_tokens, 1), "dev_right": n_right / max(n_answers, 1)}

    def train(self) -> None:
        arguments = self.arguments
        rng = np.random.default_rng(arguments.seed + self.n_tokens)
        dev = Records(arguments.dev)
        log = (self.run / "log.jsonl").open("a")
        started = time.time()
        earlier = self.minutes
        losses: list[float] = []
        saved = shown = started
        decaying = False
        last = (self.n_tokens, started)
        for batch in batches(arguments.data, arguments.batch_tokens, arguments.longest, rng, self.seen):
            passed = (time.time() - started) / 60
            self.minutes = earlier + passed
            decay_from = arguments.minutes * (1 - arguments.decay)
            if passed > decay_from and not decaying:
                decaying = True
                self.save("stable")
            if passed > arguments.minutes:
                break
            rate = arguments.peak * min(1.0, (self.optimizer.steps + 1) / 150)
            if decaying:
                rate *= max(0.02, (arguments.minutes - passed) / (arguments.minutes - decay_from))
            loss, answer_loss = self.loss(batch, rng, arguments.language_weight * rate / arguments.peak)
            loss.backward()
            norm = self.optimizer.step(rate)
            self.n_tokens += batch.n_tokens
            losses.append(answer_loss)
            now = time.time()
            if now - saved > 300:
                self.save("model" if decaying else "stable")
                saved = now
            if now - shown > arguments.log_seconds or self.optimizer.steps in (1, 10, 50):
                row = {
                    "minutes": round(self.minutes, 2), "steps": self.optimizer.steps, "tokens": self.n_tokens, "answer_tokens": self.n_answer_tokens, "loss": round(float(np.mean(losses)), 4),
                    "tokens_a_second": round((self.n_tokens - last[0]) / max(now - last[1], 1e-3)), "norm": round(norm, 3), "rate": round(rate, 3),
                } | {k: round(v, 4) for k, v in self.evaluate(dev, arguments.dev_records).items()}
                print(json.dumps(row), flush=True)
                log.write(json.dumps(row) + "\n")
                log.flush()
                losses.clear()
                shown = time.time()
                last = (self.n_tokens, shown)
        self.save("model")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", required=True, help="files of tokens; patterns are read again at each pass, so that data may be added")
    parser.add_argument("--dev", required=True)
    parser.add_argument("--run", required=True)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--decay", type=float, default=0.3, help="the part of the time in which the learning rate falls")
    parser.add_argument("--peak", type=float, default=1.0, help="the rate from which it falls; lower where a run goes on from a state that has already fallen")
    parser.add_argument("--batch-tokens", type=int, default=8192)
    parser.add_argument("--longest", type=int, default=ROWS[-1], choices=ROWS, help="tokens of the longest row: short ones first teach more a minute")
    parser.add_argument("--language-weight", type=float, default=0.15, help="of the loss on a prompt's own tokens")
    parser.add_argument("--vocabulary", type=int, default=5120)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--layers", type=int, default=8)
    parser.add_argument("--feed-forward", type=int, default=704)
    parser.add_argument("--dev-records", type=int, default=60)
    parser.add_argument("--log-seconds", type=float, default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-compile", dest="compile", action="store_false")
    Trainer(parser.parse_args()).train()


if __name__ == "__main__":
    main()
