"""Sentences: from patterns with variables and alternatives to what a person might type."""

from __future__ import annotations

import random
import re
from functools import lru_cache
from pathlib import Path

HERE = Path(__file__).parent
VARIABLE = re.compile(r"@([A-Za-z]+\d*)@")
ALTERNATIVES = re.compile(r"\{([^{}]*\|[^{}]*)\}")
QUOTES = "`\"'"


@lru_cache(maxsize=None)
def bank(family: str) -> tuple[str, ...]:
    """The patterns of a family."""
    lines = (HERE / "phrases" / f"{family}.txt").read_text(encoding="utf-8").splitlines()
    return tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))


def alternatives(rng: random.Random, pattern: str) -> str:
    """Chooses one of each `{a|b}`."""
    while match := ALTERNATIVES.search(pattern):
        pattern = pattern[: match.start()] + rng.choice(match.group(1).split("|")) + pattern[match.end() :]
    return re.sub(r"  +", " ", pattern).strip()


def filled(rng: random.Random, pattern: str, values: dict[str, str]) -> str | None:
    """The pattern with its values, quoted as people do or not at all; none if a value is not known."""
    pattern = alternatives(rng, pattern)
    names = VARIABLE.findall(pattern)
    if any(name not in values or values[name] is None for name in names):
        return None
    style = rng.choices(["", "`", '"', "'", "mixed"], [40, 26, 14, 12, 8])[0]

    def value(match: re.Match[str]) -> str:
        text = values[match.group(1)]
        before, after = pattern[: match.start()][-1:], pattern[match.end() :][:1]
        if before and before in QUOTES or after and after in QUOTES or match.group(1) in ("kind", "what"):
            return text
        quote = rng.choice(["", *QUOTES]) if style == "mixed" else style
        # Numbers are rarely quoted, and text of several words rarely is not.
        if re.fullmatch(r"-?[\d.]+", text) and rng.random() < 0.85:
            quote = ""
        elif not quote and (" " in text or not re.fullmatch(r"[\w.@/:-]+", text)) and rng.random() < 0.75:
            quote = rng.choice(QUOTES)
        if quote and quote in text:
            quote = next((other for other in QUOTES if other not in text), "")
        return quote + text + quote

    return VARIABLE.sub(value, pattern)


def said(rng: random.Random, sentence: str) -> str:
    """The sentence as somebody types it: a reason, politeness, carelessness."""
    if rng.random() < 0.10:
        clause = sentence[0].lower() + sentence[1:] if sentence[:1].isalpha() and not sentence[1:2].isupper() else sentence
        imperative = re.match(r"(add|change|set|rename|make|remove|delete|insert|put|replace|use|turn|update|give|let|switch|move|wrap|drop|raise|lower|mark|declare|increase|decrease|convert)\b", clause)
        if imperative and not clause.endswith("?"):
            sentence = bank_choice(rng, "polite").replace("@task@", clause.rstrip("."))
    roll = rng.random()
    if roll < 0.10:
        sentence = f"{bank_choice(rng, 'reasons')} {sentence[0].upper() + sentence[1:] if rng.random() < 0.8 else sentence}"
    elif roll < 0.15:
        sentence = f"{sentence.rstrip('.')}. {bank_choice(rng, 'reasons')}"
    elif roll < 0.20:
        sentence = f"{sentence.rstrip('.')}. {bank_choice(rng, 'only_this')}"
    roll = rng.random()
    if roll < 0.22 and sentence[:2] != sentence[:2].upper():
        sentence = sentence[0].lower() + sentence[1:]
    elif roll < 0.45:
        sentence = sentence[0].upper() + sentence[1:]
    if rng.random() < 0.25:
        sentence = sentence.rstrip(".")
    elif rng.random() < 0.2 and sentence[-1:].isalnum():
        sentence += "."
    if rng.random() < 0.04:
        sentence = mistyped(rng, sentence)
    return sentence


def bank_choice(rng: random.Random, family: str) -> str:
    return alternatives(rng, rng.choice(bank(family)))


def in_file(rng: random.Random, sentence: str, file: str) -> str:
    """The sentence with its file named."""
    named = rng.choice(["", "", "", "`", "'", '"']) if " " not in file else "`"
    pattern = bank_choice(rng, "in_file")
    if not pattern.startswith("@task@") and rng.random() < 0.5 and not sentence[1:2].isupper():
        sentence = sentence[0].lower() + sentence[1:]
    if not pattern.endswith("@task@"):
        sentence = sentence.rstrip(".") if rng.random() < 0.9 else sentence
    return pattern.replace("@file@", f"{named}{file}{named}").replace("@task@", sentence)


def mistyped(rng: random.Random, sentence: str) -> str:
    """A slip in one ordinary word: nothing that could be a name or a value is touched."""
    words = [m for m in re.finditer(r"(?<![\w`\"'./@-])[a-z]{4,9}(?![\w`\"'./@-])", sentence)]
    ordinary = {w for w in "change rename replace should function variable please comment above below before after insert delete remove instead value everywhere import parameter line from with make this that file into".split()}
    words = [m for m in words if m.group(0) in ordinary]
    if not words:
        return sentence
    m = rng.choice(words)
    word = m.group(0)
    i = rng.randrange(1, len(word) - 1)
    slip = rng.choice([word[:i] + word[i + 1 :], word[:i] + word[i + 1] + word[i] + word[i + 2 :], word[:i] + word[i] + word[i:]])
    return sentence[: m.start()] + slip + sentence[m.end() :]
