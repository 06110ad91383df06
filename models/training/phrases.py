"""Sentences: patterns with variables and alternatives become what a person might type."""

from __future__ import annotations

import random
import re
from functools import lru_cache
from pathlib import Path

HERE = Path(__file__).parent
VARIABLE = re.compile(r"@([A-Za-z]+\d*)@")
ALTERNATIVES = re.compile(r"\{([^{}]*\|[^{}]*)\}")
QUOTES = "`\"'"
IMPERATIVE = re.compile(
    r"(add|change|set|rename|make|remove|delete|insert|put|replace|use|turn|update|give|let|switch"
    r"|move|wrap|drop|raise|lower|mark|declare|increase|decrease|convert)\b"
)
# A first word without dots, digits or capitals in it, which is no file's or function's name.
PLAIN_START = re.compile(r"[A-Za-z][a-z']*(?=[\s,:?!]|$)")
# Words that may be mistyped: never a name or a value.
ORDINARY = set(
    """change rename replace should function variable please comment above below before after insert
    delete remove instead value everywhere import parameter line from with make this that file
    into""".split()
)


@lru_cache(maxsize=None)
def bank(name: str) -> tuple[str, ...]:
    """The patterns of `phrases/NAME.txt`."""
    lines = (HERE / "phrases" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))


def bank_choice(rng: random.Random, name: str) -> str:
    """One of the patterns of a bank."""
    return alternatives(rng, rng.choice(bank(name)))


def alternatives(rng: random.Random, pattern: str) -> str:
    """Chooses one of each `{a|b}`."""
    while match := ALTERNATIVES.search(pattern):
        chosen = rng.choice(match.group(1).split("|"))
        pattern = pattern[: match.start()] + chosen + pattern[match.end() :]
    return re.sub(r"  +", " ", pattern).strip()


def filled(rng: random.Random, pattern: str, values: dict[str, str]) -> str | None:
    """The pattern with its values, quoted as people do; none if a value is not known."""
    pattern = alternatives(rng, pattern)
    if any(name not in values for name in VARIABLE.findall(pattern)):
        return None
    style = rng.choices(["", "`", '"', "'", "mixed"], [40, 26, 14, 12, 8])[0]

    def value(match: re.Match[str]) -> str:
        text = values[match.group(1)]
        before, after = pattern[: match.start()], pattern[match.end() :]
        # In quotes already, or a part of a longer name.
        if before.endswith(tuple(QUOTES)) or after.startswith(tuple(QUOTES)):
            return text
        if re.search(r"[\w/.@=-]$", before) or re.match(r"[\w/(=-]|\.\w", after):
            return text
        quote = rng.choice(["", *QUOTES]) if style == "mixed" else style
        # Numbers are rarely quoted, and text of several words mostly is.
        if re.fullmatch(r"-?[\d.]+", text) and rng.random() < 0.85:
            quote = ""
        elif not quote and not re.fullmatch(r"[\w.@/:-]+", text) and rng.random() < 0.75:
            quote = rng.choice(QUOTES)
        if quote and quote in text:
            quote = next((other for other in QUOTES if other not in text), "")
        return quote + text + quote

    return VARIABLE.sub(value, pattern)


def said(rng: random.Random, sentence: str) -> str:
    """The sentence as somebody types it: with a reason, politely, carelessly."""
    if rng.random() < 0.10:
        clause = lowered(sentence)
        if IMPERATIVE.match(clause) and not clause.endswith("?"):
            sentence = bank_choice(rng, "polite").replace("@task@", clause.rstrip("."))
    roll = rng.random()
    if roll < 0.10:
        clause = raised(sentence) if rng.random() < 0.8 else sentence
        sentence = f"{bank_choice(rng, 'reasons')} {clause}"
    elif roll < 0.15:
        sentence = f"{sentence.rstrip('.')}. {bank_choice(rng, 'reasons')}"
    elif roll < 0.20:
        sentence = f"{sentence.rstrip('.')}. {bank_choice(rng, 'only_this')}"
    roll = rng.random()
    if roll < 0.22:
        sentence = lowered(sentence)
    elif roll < 0.45:
        sentence = raised(sentence)
    if rng.random() < 0.25:
        sentence = sentence.rstrip(".")
    elif rng.random() < 0.2 and sentence[-1:].isalnum():
        sentence += "."
    return mistyped(rng, sentence) if rng.random() < 0.04 else sentence


def raised(sentence: str) -> str:
    """With a capital first letter, unless the first word is a name."""
    return sentence[0].upper() + sentence[1:] if PLAIN_START.match(sentence) else sentence


def lowered(sentence: str) -> str:
    """With a small first letter, unless the first word is a name."""
    return sentence[0].lower() + sentence[1:] if PLAIN_START.match(sentence) else sentence


def in_file(rng: random.Random, sentence: str, file: str) -> str:
    """The sentence with its file named."""
    quote = rng.choice(["", "", "", "`", "'", '"'])
    pattern = bank_choice(rng, "in_file")
    if not pattern.startswith("@task@") and rng.random() < 0.5:
        sentence = lowered(sentence)
    if not pattern.endswith("@task@") and rng.random() < 0.9:
        sentence = sentence.rstrip(".")
    return pattern.replace("@file@", f"{quote}{file}{quote}").replace("@task@", sentence)


def joined(rng: random.Random, sentences: list[str]) -> str:
    """One task that asks for all of these."""
    plain = [sentence.rstrip(".") for sentence in sentences]
    rest = [lowered(sentence) for sentence in plain[1:]]
    style = rng.choice(["sentences", "also", "and", "then", "semicolons", "list"])
    if any(sentence.endswith(("?", "!")) for sentence in plain) or style == "sentences":
        ends = [s if s.endswith(("?", "!")) else f"{s}." for s in plain]
        return " ".join(map(raised, ends))
    if style == "list":
        return " ".join(f"{i}. {sentence}" for i, sentence in enumerate(plain, 1))
    if style == "also":
        also = rng.choice(["Also {}", "Also, {}", "And {}", "{} too", "Besides, {}"])
        return ". ".join([plain[0], *(raised(also.format(sentence)) for sentence in rest)])
    between = {"and": [", and ", " and "], "then": [", then ", " and then "], "semicolons": ["; "]}
    return rng.choice(between[style]).join([plain[0], *rest])


def mistyped(rng: random.Random, sentence: str) -> str:
    """A slip in one ordinary word, if there is one."""
    words = re.finditer(r"(?<![\w`\"'./@-])[a-z]{4,9}(?![\w`\"'./@-])", sentence)
    ordinary = [match for match in words if match.group(0) in ORDINARY]
    if not ordinary:
        return sentence
    match = rng.choice(ordinary)
    word = match.group(0)
    i = rng.randrange(1, len(word) - 1)
    slips = [
        word[:i] + word[i + 1 :],
        word[:i] + word[i + 1] + word[i] + word[i + 2 :],
        word[:i] + word[i] + word[i:],
    ]
    return sentence[: match.start()] + rng.choice(slips) + sentence[match.end() :]
