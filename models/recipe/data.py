"""Makes the training data: shards of tasks (`tasks.py`), rendered and spelled in tokens by `examples/render_tasks`.

    cargo build --release --example render_tasks
    python data.py --vocabulary vocabulary.gguf --out data --shards 1-20

A shard is made from its number alone, so shards can be made one after the other while training goes on: `train.py` looks for
new ones. `dev.bin` is made from a number of its own; its tasks are not in any shard.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
DEV_SEED = 999_983


def shard(arguments: argparse.Namespace, seed: int, groups: int, out: Path) -> None:
    """One file of tokens; nothing if it is there already."""
    if out.exists():
        return
    tasks = out.with_suffix(".jsonl")
    unfinished = out.with_suffix(".part")
    subprocess.run([sys.executable, HERE / "tasks.py", "--corpus", arguments.corpus, "--seed", str(seed), "--groups", str(groups), "--out", tasks], check=True)
    subprocess.run([arguments.program, arguments.vocabulary, tasks, unfinished, "--compare-blocks"], check=True)
    unfinished.replace(out)
    tasks.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, default=HERE / ".cache" / "corpus")
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--program", type=Path, default=HERE.parent.parent / "target" / "release" / "examples" / "render_tasks")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--shards", default="1-8", help="numbers, as FIRST-LAST")
    parser.add_argument("--groups", type=int, default=15_000, help="groups of tasks a shard: some 70,000 questions")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    shard(arguments, DEV_SEED, 150, arguments.out.parent / "dev.bin")
    first, _, last = arguments.shards.partition("-")
    for number in range(int(first), int(last or first) + 1):
        shard(arguments, number, arguments.groups, arguments.out / f"{number:04}.bin")


if __name__ == "__main__":
    main()
