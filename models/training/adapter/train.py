"""Trains an adapter.

    python3 train.py MODEL.gguf ROWS.npz FOLDER --minutes 60

Writes FOLDER/checkpoint.pt every ten minutes, and goes on from there when started again.
FOLDER/log.jsonl has a line every minute, or forty in all. The learning rate rises, stays, and falls
in the last part of the minutes; the checkpoint is from before it falls, so that training can go on,
and FOLDER/adapter.pt is from after (Hu et al., 2024: https://arxiv.org/abs/2404.06395).
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import sys
import time
from pathlib import Path

import numpy as np
import rows as row_files
import torch
from base_model import Attention, BaseModel, on_device
from lessons import Row
from torch.nn import functional

WARM_UP_STEPS = 10
# The part of the minutes in which the learning rate falls.
FALL = 0.25


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Trains an adapter; see models/training.")
    parser.add_argument("model", type=Path)
    parser.add_argument("rows", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--learning-rate", type=float, default=4e-4)
    parser.add_argument("--step-tokens", type=int, default=400, help="answer tokens of a step")
    parser.add_argument("--batch-tokens", type=int, default=12_288, help="of a step, on a card")
    parser.add_argument("--start-from", type=Path, metavar="GGUF", help="an adapter to go on with")
    parser.add_argument(
        "--eight-bits", action="store_true", help="compute with integers: faster on a processor"
    )
    parser.add_argument("--held-out", type=int, default=12, help="groups for the held-out loss")
    return parser.parse_args()


class Trainer:
    def __init__(self, arguments: argparse.Namespace):
        self.arguments = arguments
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        if arguments.eight_bits and self.device.type == "cuda":
            raise SystemExit("--eight-bits is for processors: leave it out on a graphics card")
        # It plans anew for each number of tokens, and no two steps have the same.
        torch.backends.cuda.enable_cudnn_sdp(False)
        torch.manual_seed(1)
        rank = arguments.rank
        self.model = BaseModel(
            arguments.model, rank, alpha=2.0 * rank, eight_bits=arguments.eight_bits
        ).to_device(self.device)
        if arguments.start_from:
            self.model.start_from(arguments.start_from)
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(),
            lr=0.0,
            weight_decay=0.0,
            betas=(0.9, 0.99),
            fused=self.device.type == "cuda",
        )
        groups: dict[int, list[Row]] = {}
        for row in row_files.read(arguments.rows):
            groups.setdefault(row.group, []).append(row)
        shuffled = list(groups.values())
        random.Random(1).shuffle(shuffled)
        self.held_out = shuffled[: arguments.held_out]
        self.rows = [row for group in shuffled[arguments.held_out :] for row in group]
        # What a checkpoint keeps beside the numbers.
        self.counts = {"step": 0, "row": 0, "tokens": 0, "answer_tokens": 0, "lessons": 0}
        self.counts["seconds"] = 0.0

    @property
    def checkpoint(self) -> Path:
        return self.arguments.folder / "checkpoint.pt"

    def resume(self) -> None:
        if self.checkpoint.exists():
            kept = torch.load(self.checkpoint, map_location=self.device)
            self.model.load_state_dict(kept["adapters"])
            self.optimizer.load_state_dict(kept["optimizer"])
            self.counts = kept["counts"]

    def keep(self) -> None:
        kept = {
            "adapters": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "counts": self.counts,
        }
        write(kept, self.checkpoint)

    def loss(self, rows: list[Row]) -> torch.Tensor:
        """The summed loss of the rows' answers."""
        hidden = self.model.hidden(rows)
        sources, start = [], 0
        for row in rows:
            sources.append(row.sources + start)
            start += len(row.tokens)
        logits = self.model.logits(hidden[self.column(sources)])
        targets = self.column([row.targets for row in rows]).long()
        return functional.cross_entropy(logits, targets, reduction="sum")

    def column(self, parts: list[np.ndarray]) -> torch.Tensor:
        return on_device(parts, self.device)

    def held_out_loss(self) -> float:
        total = n = 0.0
        is_card = self.device.type == "cuda"
        batch_tokens = self.arguments.batch_tokens
        # On a card gradients stay on: without them other code would have to be made.
        with torch.set_grad_enabled(is_card):
            for row in itertools.chain(*self.held_out):
                total += self.loss(filled_up([row], batch_tokens) if is_card else [row]).item()
                n += len(row.targets)
        return total / max(n, 1)

    def next_rows(self) -> list[Row]:
        """The rows of the next step."""
        rows: list[Row] = []
        n_tokens = n_answers = 0
        while True:
            row = self.rows[self.counts["row"] % len(self.rows)]
            n_tokens += len(row.tokens)
            is_full = n_answers >= self.arguments.step_tokens
            if self.device.type == "cuda":
                is_full = n_tokens > self.arguments.batch_tokens
            if rows and is_full:
                return rows
            rows.append(row)
            n_answers += len(row.targets)
            self.counts["row"] += 1

    def choose_attention(self) -> None:
        """Computes in blocks if that works on this card and gives the same."""
        if self.device.type != "cuda":
            return
        kept = dict(self.counts)
        rows = filled_up(self.next_rows(), self.arguments.batch_tokens)
        self.counts = kept

        def found() -> tuple[float, torch.Tensor]:
            self.optimizer.zero_grad()
            loss = self.loss(rows)
            loss.backward()
            numbers = torch.cat([p.grad.flatten() for p in self.model.parameters()])
            self.optimizer.zero_grad()
            return loss.item(), numbers

        loss, gradient = found()
        Attention.in_blocks = True
        try:
            block_loss, block_gradient = found()
            alike = functional.cosine_similarity(gradient, block_gradient, dim=0).item()
            print(f"loss {loss}, in blocks {block_loss}; cosine of the gradients {alike}", flush=True)
            Attention.in_blocks = abs(block_loss / loss - 1) < 0.01 and alike > 0.98
        except Exception as error:  # the compiler's, of many kinds
            print(f"not in blocks: {error!r}"[:2000], flush=True)
            Attention.in_blocks = False
        self.optimizer.zero_grad()

    def step(self, learning_rate: float) -> tuple[torch.Tensor, int]:
        """One step; the summed loss, and of how many tokens."""
        counts = self.counts
        rows = self.next_rows()
        n = sum(len(row.targets) for row in rows)
        # A graphics card wants much at once; a processor has no room for it, and no use.
        at_once = [[row] for row in rows]
        if self.device.type == "cuda":
            at_once = [filled_up(rows, self.arguments.batch_tokens)]
        total = torch.zeros((), device=self.device)
        for part in at_once:
            loss = self.loss(part)
            (loss / n).backward()
            total += loss.detach()
        for row in rows:
            counts["tokens"] += len(row.tokens)
            counts["answer_tokens"] += len(row.targets)
            counts["lessons"] += row.n_lessons
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        for parameters in self.optimizer.param_groups:
            parameters["lr"] = learning_rate
        self.optimizer.step()
        self.optimizer.zero_grad()
        counts["step"] += 1
        return total, n

    def train(self) -> None:
        arguments, counts = self.arguments, self.counts
        log = (arguments.folder / "log.jsonl").open("a")
        begun = time.monotonic()
        before = counts["seconds"]
        budget = arguments.minutes * 60
        log_every = min(60, budget / 40)
        is_kept = False
        last_log = last_keep = begun
        total, n = torch.zeros((), device=self.device), 0
        while (elapsed := time.monotonic() - begun) < budget:
            left = 1 - elapsed / budget
            if left < FALL and not is_kept:
                self.keep()
                is_kept = True
            rate = arguments.learning_rate * min(1, (counts["step"] + 1) / WARM_UP_STEPS)
            step_total, step_n = self.step(rate * min(1, left / FALL))
            total, n = total + step_total, n + step_n
            now = time.monotonic()
            counts["seconds"] = before + now - begun
            if now - last_log > log_every:
                line = {**counts, "loss": total.item() / n, "tokens_per_second": round(
                    counts["tokens"] / counts["seconds"])}
                print(json.dumps(line), file=log, flush=True)
                total, n, last_log = torch.zeros_like(total), 0, now
            if now - last_keep > 600 and not is_kept:
                self.keep()
                last_keep = now
        line = {**counts, "held_out_loss": self.held_out_loss()}
        print(json.dumps(line), file=log, flush=True)
        facts = {"base": self.model.name, "rank": arguments.rank, "alpha": 2.0 * arguments.rank}
        facts["n_blocks"] = self.model.shape.n_blocks
        numbers = self.model.state_dict()
        write({"adapters": numbers, "counts": counts, **facts}, arguments.folder / "adapter.pt")


def filled_up(rows: list[Row], n_tokens: int) -> list[Row]:
    """With a last row of tokens that nothing sees, since code is made for one number of tokens."""
    n = n_tokens - sum(len(row.tokens) for row in rows)
    if n <= 0:
        return rows
    empty = np.zeros(n, np.int32)
    nothing = np.zeros(0, np.int32)
    return [*rows, Row(empty, empty, np.arange(1, n + 1), nothing, nothing, 0, -1)]


def write(kept: dict, path: Path) -> None:
    """Writes a file whole or not at all."""
    temporary = path.with_suffix(".part")
    torch.save(kept, temporary)
    os.replace(temporary, path)


# glibc gives large blocks back to the system at once, and gets them again, emptied, for the next
# layer. Kept, and in large pages, a step takes a quarter less time.
KEEP_MEMORY = {
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": "100000000000",
    "MALLOC_TOP_PAD_": "268435456",
}
LARGE_PAGES = "glibc.malloc.hugetlb=1"


def keep_memory() -> None:
    """Starts this process anew with these settings, which are read at its start only."""
    if sys.platform == "linux" and "MALLOC_MMAP_MAX_" not in os.environ:
        tunables = ":".join(filter(None, [os.environ.get("GLIBC_TUNABLES"), LARGE_PAGES]))
        environment = {**os.environ, **KEEP_MEMORY, "GLIBC_TUNABLES": tunables}
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)


def main() -> None:
    keep_memory()
    arguments = parsed()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    trainer = Trainer(arguments)
    trainer.resume()
    trainer.choose_attention()
    trainer.train()


if __name__ == "__main__":
    main()
