"""Learns the tokenizer (byte-level BPE) from tasks, and writes it as a GGUF file without weights.

    python tokenizer.py --tasks tasks.jsonl --out vocabulary.gguf

A tiny model edits by copying, so a name must be the same tokens wherever it stands: in a file, in a task, at the beginning
of an excerpt. Therefore no token joins a blank with a word, words are cut where camelCase and snake_case cut them, a digit is a
token, and so is a punctuation mark, but for common operators. A line feed with the indentation after it is one token.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import gguf
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

CONTROL = ["<|end|>", "<|pick|>", "<|file|>", "<|task|>", "<|answer|>", "<|replace|>", "<|replace_all|>", "<|insert|>", "<|create|>"]
CONTROL_LAST = ["<|lines|>"]
# Read as one token wherever they stand: indentation, what JSON escapes, and the frame of an answer.
WHOLE = (
    ["\n" + " " * n for n in range(1, 25)] + ["\n" + "\t" * n for n in range(1, 7)]
    + ["\\n", "\\t", '\\"', "\\\\"]
    + ['{"old":"', '","new":"', '","place":"', '{"anchor":"', '","position":"', '","text":"', '{"path":"', '","operation":"',
       '{"operation":"none","reason":"', '{"operation":"create"}', 'already_done', 'not_in_these_files', 'replace_all', ', line ']
)
# Stretches that no token crosses.
PIECES = (
    r"\r?\n|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d|\t+| +|===|!==|==|!=|<=|>=|&&|\|\||->|=>|:=|::|\+=|-=|//+|/\*\*?|\*/|\*\*+|\.\.\.?|--+|\+\+|<<|>>|\(\)|\[\]|\{\}|==+|##+|__|"
    r"\p{L}+|[^\s\w]|_|[^\S\r\n]|."
)


def learned(tasks: Path, size: int) -> tuple[list[str], list[str]]:
    """The tokens in the order of their ids, and the merges."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(PIECES), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=size - len(CONTROL) - len(WHOLE) - len(CONTROL_LAST), initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), min_frequency=5, show_progress=False
    )

    def texts():
        for line in tasks.open(encoding="utf-8"):
            group = json.loads(line)
            for task in group["tasks"]:
                yield task["task"]
                yield task.get("path") or ""
            for path, text in list(group["files"].items())[:2]:
                yield text[:4000]

    tokenizer.train_from_iterator(texts(), trainer)
    model = json.loads(tokenizer.to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in model["merges"]]
    return tokens, merges


def write_vocabulary(writer: gguf.GGUFWriter, tokens: list[str], merges: list[str]) -> None:
    """The keys of a byte-level BPE; control tokens first, then those read whole."""
    spelled = {byte: char for byte, char in zip(*_alphabet())}
    whole = ["".join(spelled[b] for b in text.encode()) for text in WHOLE]
    known = set(whole)
    plain = [token for token in tokens if token not in known]
    # llama.cpp spells user-defined tokens as they are, not in the alphabet of byte-level BPE.
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(CONTROL + WHOLE + plain + CONTROL_LAST)
    writer.add_token_types([3] * len(CONTROL) + [4] * len(WHOLE) + [1] * len(plain) + [3] * len(CONTROL_LAST))
    writer.add_token_merges(merges)
    writer.add_eos_token_id(0)
    writer.add_add_bos_token(False)


def _alphabet() -> tuple[list[int], list[str]]:
    """Bytes and the characters that byte-level BPE writes them as (GPT-2's table, built as its authors describe it)."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return printable + others, [chr(b) for b in printable] + [chr(256 + i) for i in range(len(others))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=Path, required=True)
    parser.add_argument("--size", type=int, default=5120)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    tokens, merges = learned(arguments.tasks, arguments.size)
    writer = gguf.GGUFWriter(arguments.out, "llama")
    writer.add_name("slotwright vocabulary")
    write_vocabulary(writer, tokens, merges)
    writer.add_vocab_size(arguments.size)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    print(f"{arguments.size} tokens, {len(merges)} merges")


if __name__ == "__main__":
    main()
