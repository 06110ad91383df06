"""Edits mined from real sources: for each family, what could be edited in a text, and the values its sentences need.

A family is a function from a window of a file to an edit, or none where the window has nothing for it. It says the text
after the edit (or that an identifier is renamed everywhere), and by name the values that its patterns in `phrases/` use.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from names import COMMENT, Names

Rng = random.Random
KEYWORDS = set("""def class return if else for while in not and or import from as with try except None True False self fn
let mut pub use impl struct enum match mod const static async await function var new this null undefined void int char
unsigned long double float typedef extern define include ifdef endif type where ref move dyn Self super crate str String
usize u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 bool Some Ok Err Result Option Vec lambda yield raise pass break continue
global is del assert elif finally switch case default do goto sizeof public private protected internal final override func
fun val guard package interface extends implements throws throw catch true false nil end then fi done esac echo local
select where from group order by and insert into values update set delete create table primary key export default string
number boolean any object Object Array Promise Int Double Float Boolean Bool Unit List Map Set instanceof typeof of
require module exports println print printf console log""".split())
CURLY = {"javascript", "typescript", "java", "kotlin", "swift", "csharp", "dart", "scala", "go", "rust", "c", "cpp", "php", "objc"}
DEFINITION = {
    "python": r"^(\s*)(?:async\s+)?def (\w+)\(",
    "rust": r"^(\s*)(?:pub(?:\([a-z]+\))? )?(?:const |async |unsafe )*fn (\w+)",
    "javascript": r"^(\s*)(?:export )?(?:default )?(?:async )?function\*? (\w+)\(",
    "typescript": r"^(\s*)(?:export )?(?:default )?(?:async )?function\*? (\w+)[(<]",
    "go": r"^(\s*)func (?:\([^)]*\) )?(\w+)\(",
    "kotlin": r"^(\s*)(?:\w+ )*fun (?:<[^>]*> )?(?:\w+\.)?(\w+)\(",
    "swift": r"^(\s*)(?:@\w+ )?(?:\w+ )*func (\w+)[(<]",
    "java": r"^(\s*)(?:public|private|protected|static|final|synchronized|abstract|@Override| )*[\w<>\[\], ?]+ (\w+)\([^;]*\{\s*$",
    "csharp": r"^(\s*)(?:public|private|protected|internal|static|override|virtual|async| )*[\w<>\[\], ?]+ (\w+)\([^;]*$",
    "c": r"^()(?:static |inline |extern |const |unsigned )*\w[\w ]*[ *]+(\w+)\([^;]*$",
    "cpp": r"^(\s*)(?:static |inline |virtual |const |constexpr |explicit )*\w[\w:<>, ]*[ *&]+(?:\w+::)?(\w+)\([^;]*$",
    "ruby": r"^(\s*)def (?:self\.)?(\w+)",
    "php": r"^(\s*)(?:public |private |protected |static )*function (\w+)\(",
    "shell": r"^()(?:function )?(\w+) ?\(\) ?\{?$",
    "lua": r"^(\s*)(?:local )?function ([\w.:]+)\(",
    "sql": r"^()(?:CREATE|create) (?:TABLE|table|VIEW|view|INDEX|index) (?:IF NOT EXISTS |if not exists )?[\"`]?(\w+)",
}
CLASS = re.compile(r"^(\s*)(?:export |pub(?:\([a-z]+\))? |public |private |internal |final |abstract |open |data |default |static )*(class|struct|enum|interface|trait|object|protocol)\s+(\w+)")
IMPORT = {
    "python": r"^(?:import|from) (\w+)", "rust": r"^(?:pub )?use (\w+)", "javascript": r"^(?:import .*from |import |const .*require\()['\"]([^'\"]+)",
    "typescript": r"^import .*from ['\"]([^'\"]+)", "java": r"^import (?:static )?([\w.]+)", "kotlin": r"^import ([\w.]+)",
    "swift": r"^import (\w+)", "csharp": r"^using ([\w.]+);", "c": r"^#include [<\"]([\w./]+)[>\"]", "cpp": r"^#include [<\"]([\w./]+)[>\"]",
    "php": r"^use ([\w\\]+);", "ruby": r"^require ['\"]([\w/]+)", "go": r'^import "([\w./]+)"', "scala": r"^import ([\w.]+)",
}


@dataclass
class Edit:
    """What is asked for and what comes of it."""

    family: str
    level: str
    values: dict[str, str]
    after: str | None = None
    all: tuple[str, str] | None = None
    # The bank of sentences, where it is not the family's.
    bank: str | None = None
    # Words that say where it is: what stage 1 can find the file by.
    known: list[str] = field(default_factory=list)


@dataclass
class Definition:
    """A function or type and the lines that it takes."""

    line: int
    name: str
    kind: str
    end: int


class Window:
    """Some lines of a file, with what the families look for."""

    def __init__(self, rng: Rng, names: Names, language: str, text: str):
        self.rng, self.names, self.language, self.text = rng, names, language, text
        self.lines = text.rstrip("\n").split("\n")
        self._definitions: list[Definition] | None = None

    def once(self, line: str) -> bool:
        """Whether this line stands once, its indentation aside."""
        return sum(other.strip() == line.strip() for other in self.lines) == 1

    def with_line(self, i: int, line: str | None) -> str:
        """The text with one line changed or gone."""
        return _without(self, i, i) if line is None else "\n".join(self.lines[:i] + [line] + self.lines[i + 1 :]) + "\n"

    def with_new(self, i: int, new: list[str]) -> str:
        """The text with lines before line i."""
        return "\n".join(self.lines[:i] + new + self.lines[i:]) + "\n"

    def indent(self, i: int) -> str:
        line = self.lines[i]
        return line[: len(line) - len(line.lstrip())]

    def end_of(self, i: int) -> int:
        """The last line of the block that begins at line i."""
        depth = len(self.indent(i).expandtabs(4))
        end = i
        for j in range(i + 1, len(self.lines)):
            line = self.lines[j]
            if not line.strip():
                continue
            here = len(self.indent(j).expandtabs(4))
            if here > depth:
                end = j
            elif here == depth and re.match(r"\s*(\}|\)|end\b|\{)", line):
                end = j
                if not line.strip().startswith("{") and not re.search(r"[{(]\s*$", line):
                    break
            else:
                break
        return end

    @property
    def definitions(self) -> list[Definition]:
        if self._definitions is None:
            found = []
            pattern = DEFINITION.get(self.language)
            for i, line in enumerate(self.lines):
                m = re.match(pattern, line) if pattern and len(line) < 160 else None
                if m and m.group(2) not in KEYWORDS:
                    kind = "method" if m.group(1) and self.language not in ("c", "shell") else "function"
                    kind = "table" if self.language == "sql" else kind
                    found.append(Definition(i, m.group(2), kind, self.end_of(i)))
                elif m := CLASS.match(line):
                    found.append(Definition(i, m.group(3), m.group(2), self.end_of(i)))
            self._definitions = found
        return self._definitions

    def functions(self) -> list[Definition]:
        return [d for d in self.definitions if d.kind in ("function", "method")]

    def enclosing(self, i: int) -> str | None:
        """The name of the innermost function around line i."""
        around = [d for d in self.functions() if d.line < i <= d.end]
        return around[-1].name if around else None

    def identifiers(self) -> list[str]:
        found = set(re.findall(r"\b[A-Za-z_]\w{2,}\b", self.text))
        return [name for name in found if name not in KEYWORDS]

    def matches(self, pattern: str, flags: int = 0) -> list[tuple[int, re.Match[str]]]:
        return [(i, m) for i, line in enumerate(self.lines) if len(line) < 180 for m in re.finditer(pattern, line, flags)]

    def replaced(self, i: int, start: int, end: int, new: str) -> str:
        line = self.lines[i]
        return self.with_line(i, line[:start] + new + line[end:])

    def comment(self, text: str) -> str:
        if self.language in ("html", "markdown", "xml", "vue"):
            return f"<!-- {text} -->"
        if self.language == "css":
            return f"/* {text} */"
        mark = COMMENT.get(self.language, "#")
        return f"{mark} {text}"

    def literal(self) -> str:
        """A made-up expression."""
        rng, names = self.rng, self.names
        base = names.like(rng.choice(self.identifiers() or ["value"]))
        return rng.choice([str(rng.randint(0, 500)), base, f'"{names.phrase()}"', f"{base}()", f"{base}.{names.noun()}", f"{base}({names.noun()})", f"{base} + {rng.randint(1, 9)}"])

    def statement(self) -> str:
        """A made-up statement in the language's manner."""
        rng, names = self.rng, self.names
        end = ";" if self.language in CURLY - {"kotlin", "swift", "go", "scala"} else ""
        verb, noun = names.value("verb", self.language), names.value("var", self.language)
        log = {
            "python": f'logger.{rng.choice(["info", "debug", "warning"])}("{names.phrase()}")', "javascript": f'console.log("{names.phrase()}")',
            "typescript": f'console.warn("{names.phrase()}")', "rust": f'println!("{names.phrase()}")', "go": f'log.Println("{names.phrase()}")',
            "java": f'System.out.println("{names.phrase()}")', "c": f'printf("{names.phrase()}\\n")', "cpp": f'std::cout << "{names.phrase()}" << std::endl',
            "swift": f'print("{names.phrase()}")', "kotlin": f'println("{names.phrase()}")', "csharp": f'Console.WriteLine("{names.phrase()}")',
            "shell": f'echo "{names.phrase()}"', "ruby": f'puts "{names.phrase()}"', "php": f'error_log("{names.phrase()}")',
        }.get(self.language, f"{verb}()")
        assign = {"javascript": "const ", "typescript": "const ", "rust": "let ", "kotlin": "val ", "swift": "let ", "csharp": "var ", "cpp": "auto ", "java": "var ", "c": "int "}.get(self.language, "")
        sign = ":=" if self.language == "go" else "="
        dollar = "$" if self.language == "php" else ""
        return rng.choice([
            log + end, log + end, f"{verb}({noun}){end}", f"{verb}(){end}", f"{assign}{dollar}{noun} {sign} {rng.randint(0, 999)}{end}",
            f"{assign}{dollar}{noun} {sign} {verb}(){end}", self.comment(rng.choice(["", "TODO: ", "NOTE: "]) + names.phrase()),
        ])


Family = Callable[[Window], Edit | None]
FAMILIES: dict[str, tuple[int, Family]] = {}


def family(weight: int) -> Callable[[Family], Family]:
    """Registers a family; how often it is tried."""

    def register(function: Family) -> Family:
        FAMILIES[function.__name__] = (weight, function)
        return function

    return register


def _pick(rng: Rng, items: list):
    return rng.choice(items) if items else None


# Renaming and values


@family(9)
def rename(w: Window) -> Edit | None:
    names = [d for d in w.definitions if d.name not in KEYWORDS and len(d.name) > 2]
    if names and w.rng.random() < 0.55:
        d = w.rng.choice(names)
        old, kind = d.name, d.kind
    else:
        identifiers = w.identifiers()
        if w.language in ("html", "markdown", "text", "xml", "css", "csv") or not identifiers:
            return None
        old = w.rng.choice(identifiers)
        kind = "constant" if old.isupper() else w.rng.choice(["variable", "name", "identifier", "symbol"])
        if re.search(rf"\b{old}\(", w.text):
            kind = "function"
        elif re.search(rf"(self|this)\.{old}\b", w.text):
            kind = "field"
    new = w.names.like(old)
    if new == old or re.search(rf"\b{re.escape(new)}\b", w.text):
        return None
    return Edit("rename", "easy", {"old": old, "new": new, "kind": kind}, all=(old, new), known=[old])


ASSIGNED = r"(?<![\w.\"'-])([A-Za-z_][\w-]*[A-Za-z0-9_])([\"']?\s*(?::\s*&?[A-Za-z_][\w<>\[\]. ]*?\s*)?(?::=|=>|=|:)\s*|\s+)"


def _assigned(w: Window, value: str) -> tuple[int, re.Match[str]] | None:
    found = [(i, m) for i, m in w.matches(ASSIGNED + f"({value})") if m.group(1) not in KEYWORDS]
    plain = [(i, m) for i, m in found if m.group(2).strip() or re.match(r"\s*#\s*define\b", w.lines[i])]
    # The name must say which one is meant.
    sure = [(i, m) for i, m in plain if len(re.findall(rf"(?<![\w-]){re.escape(m.group(0))}", w.text)) == 1]
    sure = [(i, m) for i, m in sure if sum(other.group(1) == m.group(1) for _, other in plain) == 1]
    return _pick(w.rng, sure)


@family(9)
def number(w: Window) -> Edit | None:
    hit = _assigned(w, r"-?\d+(?:\.\d+)?(?![\w.%])|\d+(?=px|em|rem|%|ms|s\b|vh|vw)")
    if not hit:
        return None
    i, m = hit
    old = m.group(3)
    if "." in old:
        new = f"{w.rng.random() * w.rng.choice([1, 10]):.{w.rng.randint(1, 2)}f}"
    else:
        n = abs(int(old))
        new = str(w.rng.choice([w.rng.randint(0, 20), w.rng.randint(20, 5000), 2 ** w.rng.randint(3, 14), n + 1, n * 2, n * 10, max(n - 1, 0)]))
    if float(new) == float(old):
        return None
    direction = "number_up" if float(new) > float(old) else "number_down"
    bank = direction if w.rng.random() < 0.35 and not old.startswith("-") else "number"
    values = {"name": m.group(1), "old": old, "new": new}
    return Edit("number", "easy", values, w.replaced(i, m.start(3), m.end(3), new), bank=bank, known=[m.group(1)])


@family(3)
def number_bare(w: Window) -> Edit | None:
    found = [(i, m) for i, m in w.matches(r"(?<![\w.#-])\d{2,6}(?![\w.])") if len(re.findall(rf"(?<![\w.]){m.group(0)}(?![\w.])", w.text)) == 1]
    hit = _pick(w.rng, found)
    if not hit:
        return None
    i, m = hit
    new = str(w.rng.choice([int(m.group(0)) + 1, w.rng.randint(0, 100), w.rng.randint(100, 9000)]))
    if new == m.group(0):
        return None
    return Edit("number_bare", "easy", {"old": m.group(0), "new": new}, w.replaced(i, m.start(), m.end(), new), known=[m.group(0)])


STRING = r"([\"'`])((?:(?!\1)[^\\\n])+)\1"


def _strings(w: Window) -> list[tuple[int, re.Match[str]]]:
    good = [(i, m) for i, m in w.matches(STRING) if 2 <= len(m.group(2)) <= 70 and m.group(2).strip() == m.group(2)]
    return [(i, m) for i, m in good if w.text.count(m.group(2)) == 1 and re.search(r"[A-Za-z]", m.group(2))]


def _new_text(w: Window, old: str) -> str:
    if " " not in old:
        return w.names.like(old) if re.fullmatch(r"[\w-]+", old) else w.rng.choice([w.names.phrase(), w.names.noun(), w.names.like("ab_c")])
    text = w.names.phrase()
    text = text[0].upper() + text[1:] if old[0].isupper() else text
    return text + (old[-1] if old[-1] in ".!?:" and w.rng.random() < 0.7 else w.rng.choice(["", "", "", "!", "."]))


@family(6)
def string(w: Window) -> Edit | None:
    hit = _pick(w.rng, _strings(w))
    if not hit:
        return None
    i, m = hit
    new = _new_text(w, m.group(2))
    return Edit("string", "easy", {"old": m.group(2), "new": new}, w.replaced(i, m.start(2), m.end(2), new), known=re.findall(r"\w{3,}", m.group(2)))


@family(4)
def string_role(w: Window) -> Edit | None:
    found = []
    for i, m in _strings(w):
        name = re.search(r"([A-Za-z_]\w*)[\"']?\s*(?::=|=>|[=:(])\s*$", w.lines[i][: m.start()])
        if name and name.group(1) not in KEYWORDS and len(re.findall(rf"\b{name.group(1)}[\"']?\s*(?::=|=>|[=:(])\s*[\"'`]", w.text)) == 1:
            found.append((i, m, name.group(1)))
    hit = _pick(w.rng, found)
    if not hit:
        return None
    i, m, name = hit
    new = _new_text(w, m.group(2))
    return Edit("string_role", "easy", {"name": name, "new": new, "old": m.group(2)}, w.replaced(i, m.start(2), m.end(2), new), known=[name])


@family(4)
def string_word(w: Window) -> Edit | None:
    strings = [(i, m) for i, m in _strings(w) if " " in m.group(2)]
    if w.language in ("markdown", "html", "text", "xml"):
        strings += [(i, m) for i, m in w.matches(r"()(\b[A-Za-z][\w ,'-]{12,70})") if " " in m.group(2)]
    hit = _pick(w.rng, strings)
    if not hit:
        return None
    i, m = hit
    words = [x for x in re.finditer(r"[A-Za-z]{3,}(?: [A-Za-z]{3,})?", m.group(2)) if len(re.findall(rf"\b{x.group(0)}\b", w.text)) == 1]
    x = _pick(w.rng, words)
    if not x:
        return None
    new = w.names.noun() if " " not in x.group(0) else w.names.phrase()
    new = new.capitalize() if x.group(0)[0].isupper() else new
    start = m.start(2) + x.start()
    return Edit("string_word", "easy", {"old": x.group(0), "new": new}, w.replaced(i, start, start + len(x.group(0)), new), known=[x.group(0)])


FLAGS = {"true": "false", "false": "true", "True": "False", "False": "True", "on": "off", "off": "on", "yes": "no", "no": "yes", "YES": "NO", "NO": "YES"}


@family(4)
def flag(w: Window) -> Edit | None:
    hit = _assigned(w, r"(?:true|false|True|False|yes|no|on|off)(?![\w-])")
    if not hit:
        return None
    i, m = hit
    new = FLAGS[m.group(3)]
    bank = "flag_on" if new.lower() in ("true", "on", "yes") else "flag_off"
    return Edit("flag", "easy", {"name": m.group(1), "new": new, "old": m.group(3)}, w.replaced(i, m.start(3), m.end(3), new), bank=bank, known=[m.group(1)])


@family(5)
def value(w: Window) -> Edit | None:
    hit = _assigned(w, r"[A-Za-z_][\w.]*(?:\([\w, .]*\))?(?=\s*[;,]?\s*$)|\"[^\"\\\n]{1,40}\"(?=\s*[;,]?\s*$)|'[^'\\\n]{1,40}'(?=\s*[;,]?\s*$)")
    if not hit:
        return None
    i, m = hit
    old = m.group(3)
    if old in FLAGS or old in ("if", "for", "return"):
        return None
    if old[0] in "\"'":
        new = old[0] + _new_text(w, old[1:-1]) + old[0]
        if w.rng.random() < 0.7:  # spoken of without its quotes
            values = {"name": m.group(1), "old": old[1:-1], "new": new[1:-1]}
            return Edit("value", "easy", values, w.replaced(i, m.start(3) + 1, m.end(3) - 1, new[1:-1]), known=[m.group(1)])
    else:
        new = w.names.like(old) if re.fullmatch(r"\w+", old) else w.literal()
    if new == old:
        return None
    return Edit("value", "everyday", {"name": m.group(1), "old": old, "new": new}, w.replaced(i, m.start(3), m.end(3), new), known=[m.group(1)])


TYPES = {
    "rust": "u8 u16 u32 u64 i32 i64 usize f32 f64 bool String &str".split(), "python": "int str float bool list dict bytes".split(),
    "typescript": "string number boolean unknown any Date".split(), "go": "int int64 uint32 string float64 bool []byte error".split(),
    "kotlin": "Int Long String Double Boolean Float".split(), "swift": "Int String Double Bool Float Data UUID".split(),
    "java": "int long String double boolean float".split(), "csharp": "int long string double bool decimal float".split(),
    "c": "int long char double float size_t uint8_t uint32_t int64_t".split(), "cpp": "int long double float size_t bool uint32_t std::string".split(),
    "sql": "INTEGER BIGINT TEXT BOOLEAN DATE TIMESTAMP NUMERIC".split(),
}


def _types(language: str) -> str:
    return "|".join(sorted((re.escape(t) for t in TYPES[language]), key=len, reverse=True))


@family(4)
def type(w: Window) -> Edit | None:
    if w.language not in TYPES:
        return None
    kinds = _types(w.language)
    if w.language in ("rust", "python", "typescript", "kotlin", "swift"):
        pattern = rf"\b([A-Za-z_]\w*)(\??: )({kinds})(?![\w<:\[.?])"
        found = [(i, m.group(1), m.group(3), m.start(3), m.end(3)) for i, m in w.matches(pattern)]
    elif w.language in ("go", "sql"):
        found = [(i, m.group(1), m.group(2), m.start(2), m.end(2)) for i, m in w.matches(rf"\b([A-Za-z_]\w*) ({kinds})(?![\w(.\[])")]
    else:
        found = [(i, m.group(2), m.group(1), m.start(1), m.end(1)) for i, m in w.matches(rf"(?<![\w:<])({kinds}) ([A-Za-z_]\w*)(?=[;,)]| =)")]
    found = [f for f in found if f[1] not in KEYWORDS and sum(f[1] == g[1] for g in found) == 1]
    hit = _pick(w.rng, found)
    if not hit:
        return None
    i, name, old, start, end = hit
    new = w.rng.choice([t for t in TYPES[w.language] if t != old] + [w.names.value("type", w.language)] * 2)
    return Edit("type", "everyday", {"name": name, "old": old, "new": new}, w.replaced(i, start, end, new), known=[name])


@family(2)
def return_type(w: Window) -> Edit | None:
    pattern = {"rust": r" -> (&?[\w<>]+) \{", "python": r" -> (\w+):", "swift": r" -> (\w+) \{", "typescript": r"\): ([\w<>\[\]]+) \{", "kotlin": r"\): (\w+) [{=]"}.get(w.language)
    found = [(d, m) for d in w.functions() if pattern and (m := re.search(pattern, w.lines[d.line])) and w.once(w.lines[d.line])]
    hit = _pick(w.rng, found)
    if not hit:
        return None
    d, m = hit
    new = w.rng.choice([t for t in TYPES[w.language] if t != m.group(1)] + [w.names.value("type", w.language)])
    return Edit("return_type", "everyday", {"name": d.name, "old": m.group(1), "new": new}, w.replaced(d.line, m.start(1), m.end(1), new), known=[d.name])


@family(4)
def return_value(w: Window) -> Edit | None:
    found = []
    for d in w.functions():
        returns = [i for i in range(d.line + 1, d.end + 1) if re.match(r"\s*return\b", w.lines[i])]
        if len(returns) == 1 and (m := re.match(r"\s*return ([^;{]{1,40}?);?\s*$", w.lines[returns[0]])):
            found.append((d, returns[0], m))
    hit = _pick(w.rng, found)
    if not hit:
        return None
    d, i, m = hit
    old = m.group(1)
    opposite = FLAGS.get(old)
    new = opposite if opposite and w.rng.random() < 0.7 else str(int(old) + w.rng.choice([1, -1, 5])) if re.fullmatch(r"\d{1,6}", old) else w.literal()
    if new == old or '"' in new and w.language in ("c",):
        return None
    return Edit("return_value", "everyday", {"name": d.name, "old": old, "new": new}, w.replaced(i, m.start(1), m.end(1), new), known=[d.name])


@family(3)
def default_value(w: Window) -> Edit | None:
    if w.language not in ("python", "javascript", "typescript", "kotlin", "swift", "php", "cpp", "csharp", "ruby"):
        return None
    found = []
    for d in w.functions():
        for m in re.finditer(r"[(,] *\$?(\w+)(?:: ?[\w\[\]<>?]+)? ?= ?([\w.]+|\"[^\"]*\"|'[^']*')(?=\s*[,)])", w.lines[d.line]):
            found.append((d, m))
    hit = _pick(w.rng, found)
    if not hit:
        return None
    d, m = hit
    old = m.group(2)
    new = FLAGS.get(old) or (str(w.rng.randint(0, 300)) if old.isdigit() else old[0] + w.names.noun() + old[0] if old[0] in "\"'" else w.rng.choice([str(w.rng.randint(0, 99)), "None" if w.language == "python" else "null", f'"{w.names.noun()}"']))
    if new == old:
        return None
    values = {"param": m.group(1), "name": d.name, "old": old, "new": new}
    return Edit("default_value", "everyday", values, w.replaced(d.line, m.start(2), m.end(2), new), known=[d.name, m.group(1)])


# Operators and conditions

OTHER = {
    "==": ["!=", ">=", "==="], "!=": ["==", "!=="], "===": ["!==", "=="], "!==": ["==="], "<=": ["<", ">="], ">=": [">", "<="], "<": ["<=", ">"], ">": [">=", "<"], "+": ["-", "*"], "-": ["+"],
    "*": ["+", "/"], "/": ["*", "%"], "&&": ["||"], "||": ["&&", "??"], "and": ["or"], "or": ["and"], "+=": ["-=", "="], "-=": ["+="],
}


@family(4)
def operator(w: Window) -> Edit | None:
    hits = w.matches(r" (===|!==|==|!=|<=|>=|<|>|\+=|-=|\+|-|\*|/|&&|\|\||and|or) ")
    hits = [(i, m) for i, m in hits if w.once(w.lines[i]) and not re.match(r"\s*(#|//|\*|/\*)", w.lines[i]) and w.language not in ("markdown", "html", "yaml", "text", "rst")]
    hit = _pick(w.rng, hits)
    if not hit:
        return None
    i, m = hit
    old, new = m.group(1), w.rng.choice(OTHER[m.group(1)])
    line = w.lines[i]
    if line.count(f" {old} ") > 1:
        return None
    inner = re.search(r"[\w.\])]+ %s [\w.\[(\"']+" % re.escape(old), line)
    what = inner.group(0) if inner and w.rng.random() < 0.4 and w.text.count(inner.group(0)) == 1 else line.strip()
    after = w.replaced(i, m.start(1), m.end(1), new)
    name = w.enclosing(i)
    if name:
        d = next(d for d in w.functions() if d.name == name)
        body = "\n".join(w.lines[d.line : d.end + 1])
        if body.count(f" {old} ") == 1 and w.rng.random() < 0.5:
            return Edit("operator_in", "everyday", {"old": old, "new": new, "name": name}, after, known=[name])
    return Edit("operator", "everyday", {"old": old, "new": new, "line": what}, after, known=re.findall(r"\w{3,}", what))


@family(3)
def negate(w: Window) -> Edit | None:
    bang = "not " if w.language in ("python", "lua", "ruby") else "!"
    found = []
    for i, m in w.matches(r"^\s*(?:\} )?(?:else )?(?:el)?(?:if|while) (\()?(?:!|not )?([\w.]+(?:\([\w.]*\))?)(\))?\s*(?=[:{]|then|$)"):
        if bool(m.group(1)) == bool(m.group(3)) and w.once(w.lines[i]) and m.group(2) not in KEYWORDS:
            found.append((i, m))
    hit = _pick(w.rng, found)
    if not hit:
        return None
    i, m = hit
    line = w.lines[i]
    before = line[: m.start(2)]
    if before.endswith(bang):
        after = w.replaced(i, m.start(2) - len(bang), m.start(2), "")
        cond = bang + m.group(2)
    else:
        after = w.replaced(i, m.start(2), m.start(2), bang)
        cond = m.group(2)
    return Edit("negate", "everyday", {"cond": cond, "name": w.enclosing(i) or None}, after, known=[m.group(2)])


# Functions


@family(5)
def async_(w: Window) -> Edit | None:
    found = [d for d in w.functions() if "async" not in w.lines[d.line] and "suspend" not in w.lines[d.line] and w.once(w.lines[d.line])]
    d = _pick(w.rng, found)
    if not d:
        return None
    line = w.lines[d.line]
    new = {
        "python": lambda: line.replace("def ", "async def ", 1), "rust": lambda: line.replace("fn ", "async fn ", 1),
        "javascript": lambda: line.replace("function", "async function", 1), "typescript": lambda: line.replace("function", "async function", 1),
        "kotlin": lambda: line.replace("fun ", "suspend fun ", 1), "csharp": lambda: re.sub(r"\b(void|int|string|bool)( \w+\()", lambda m: "async Task" + ("" if m.group(1) == "void" else f"<{m.group(1)}>") + m.group(2), line, count=1),
        "swift": lambda: re.sub(r"\)( throws)?( ->| \{)", lambda m: f") async{m.group(1) or ''}{m.group(2)}", line, count=1) if line.count(")") == 1 else line,
    }.get(w.language, lambda: line)()
    if new == line or "const" in line and w.language == "rust":
        return None
    return Edit("async", "everyday", {"name": d.name, "kind": d.kind}, w.with_line(d.line, new), bank="async", known=[d.name])


@family(2)
def sync(w: Window) -> Edit | None:
    found = [d for d in w.functions() if re.search(r"\basync (?:def|fn|function)", w.lines[d.line]) and w.once(w.lines[d.line])]
    d = _pick(w.rng, found)
    return d and Edit("sync", "everyday", {"name": d.name}, w.with_line(d.line, w.lines[d.line].replace("async ", "", 1)), known=[d.name])


@family(2)
def await_(w: Window) -> Edit | None:
    if w.language not in ("python", "javascript", "typescript", "swift", "csharp"):
        return None
    found = [(i, m) for i, m in w.matches(r"(?:= |return |^\s+)((?:\w+\.)*(\w+)\([^()]*\))(?=;?\s*$)") if m.group(2) not in KEYWORDS and w.text.count(m.group(2) + "(") == 1 and "await" not in w.lines[i]]
    hit = _pick(w.rng, found)
    if not hit:
        return None
    i, m = hit
    call = w.rng.choice([m.group(2), m.group(1), m.group(2) + "()"])
    return Edit("await", "everyday", {"call": call, "name": w.enclosing(i)}, w.replaced(i, m.start(1), m.start(1), "await "), bank="await", known=[m.group(2)])


@family(3)
def visibility(w: Window) -> Edit | None:
    rng = w.rng
    found = []
    for d in w.definitions:
        line = w.lines[d.line]
        if not w.once(line):
            continue
        if w.language == "rust":
            m = re.match(r"\s*(pub )?(?:async |const |unsafe )*(fn|struct|enum|trait)\b", line)
            if m:
                found.append((d, m.start(1), m.end(1), "", "visibility_private") if m.group(1) else (d, len(w.indent(d.line)), len(w.indent(d.line)), "pub ", "visibility_public"))
        elif w.language in ("java", "csharp", "kotlin", "swift", "php"):
            m = re.match(r"\s*(public|private)\b", line)
            if m:
                new = "private" if m.group(1) == "public" else "public"
                found.append((d, m.start(1), m.end(1), new, "visibility_" + new))
            elif w.language in ("kotlin", "swift") and re.match(r"\s*(fun|func|class|struct)\b", line):
                new = rng.choice(["private", "public"])
                at = len(w.indent(d.line))
                found.append((d, at, at, new + " ", "visibility_" + new))
        elif w.language in ("javascript", "typescript") and re.match(r"(?:async )?(function|class) ", line):
            found.append((d, 0, 0, "export ", "static_const"))
    hit = _pick(rng, found)
    if not hit:
        return None
    d, start, end, new, bank = hit
    values = {"name": d.name, "kind": d.kind, "new": new.strip()}
    return Edit("visibility", "everyday", values, w.replaced(d.line, start, end, new), bank=bank, known=[d.name])


@family(2)
def static_const(w: Window) -> Edit | None:
    word = {"c": ["static", "inline", "extern"], "cpp": ["static", "inline", "constexpr", "virtual"], "java": ["static", "final", "synchronized"], "csharp": ["static", "virtual", "sealed"], "rust": ["unsafe", "const"], "kotlin": ["inline", "open", "override"], "swift": ["static", "override", "final"], "python": ["async"]}.get(w.language)
    found = [d for d in w.functions() if word and w.once(w.lines[d.line]) and w.lines[d.line].strip()[0].isalpha()]
    d = _pick(w.rng, found)
    if not d:
        return None
    new = w.rng.choice(word)
    line = w.lines[d.line]
    if new in line:
        return None
    m = re.match(r"\s*(?:(?:public|private|protected|internal|pub) )?", line)
    return Edit("static_const", "everyday", {"name": d.name, "new": new, "kind": d.kind}, w.replaced(d.line, m.end(), m.end(), new + " "), known=[d.name])


def _parameter(w: Window) -> str:
    rng, names = w.rng, w.names
    name = names.value("var", w.language)
    kind = rng.choice(TYPES.get(w.language, ["int"]))
    match w.language:
        case "python":
            return rng.choice([name, name, f"{name}=None", f"{name}={rng.choice(['0', 'False', 'True', '10'])}", f"{name}: {kind}", f"{name}: {kind} = {rng.choice(['0', 'None'])}"])
        case "rust" | "kotlin" | "swift" | "typescript":
            return f"{name}: {kind}"
        case "go":
            return f"{name} {kind}"
        case "java" | "c" | "cpp" | "csharp":
            return f"{kind} {name}"
        case "php":
            return f"${name}"
        case "javascript":
            return rng.choice([name, f"{name} = {rng.choice(['0', 'null', 'false', '{}'])}"])
    return name


def _signatures(w: Window) -> list[tuple[Definition, int, int]]:
    """Definitions with the offsets of what stands in their parentheses."""
    found = []
    for d in w.functions():
        line = w.lines[d.line]
        start = line.find("(", line.find(d.name))
        if w.language == "go" and line.startswith("func ("):
            start = line.find("(", line.find(d.name + "("))
        depth, end = 0, -1
        for i in range(start, len(line)) if start >= 0 else ():
            depth += {"(": 1, ")": -1}.get(line[i], 0)
            if depth == 0:
                end = i
                break
        if end > 0 and w.once(line):
            found.append((d, start + 1, end))
    return found


@family(5)
def param_add(w: Window) -> Edit | None:
    hit = _pick(w.rng, _signatures(w))
    if not hit or w.language in ("shell", "sql"):
        return None
    d, start, end = hit
    parameter = _parameter(w)
    line = w.lines[d.line]
    inside = line[start:end]
    values = {"param": parameter, "name": d.name}
    if inside.strip() in ("", "void"):
        return Edit("param_add", "everyday", values, w.replaced(d.line, start, end, parameter), known=[d.name])
    if w.rng.random() < 0.2:
        m = re.match(r"(&?(?:mut )?self|cls)(, |$)", inside)
        at = start + (m.end() if m else 0)
        new = (", " + parameter) if m and not m.group(2) else parameter + ", "
        return Edit("param_add_first", "everyday", values, w.replaced(d.line, at, at, new), known=[d.name])
    return Edit("param_add", "everyday", values, w.replaced(d.line, end, end, ", " + parameter), known=[d.name])


@family(3)
def param_remove(w: Window) -> Edit | None:
    hit = _pick(w.rng, [h for h in _signatures(w) if "<" not in w.lines[h[0].line][h[1] : h[2]] and "(" not in w.lines[h[0].line][h[1] : h[2]] and "[" not in w.lines[h[0].line][h[1] : h[2]]])
    if not hit:
        return None
    d, start, end = hit
    parts = [p for p in w.lines[d.line][start:end].split(", ")]
    candidates = [i for i, p in enumerate(parts) if p.strip() and not re.fullmatch(r"&?(mut )?self|cls|this|void|\*|/", p.strip())]
    i = _pick(w.rng, candidates)
    if i is None:
        return None
    part = parts[i].strip()
    before_type = w.language in ("rust", "python", "kotlin", "swift", "typescript", "go", "javascript", "ruby", "php")
    name = re.match(r"[\$*&]*(\w+)", part) if before_type else re.search(r"(\w+)\s*$", part)
    if not name:
        return None
    new = ", ".join(parts[:i] + parts[i + 1 :])
    said = w.rng.choice([name.group(1), name.group(1), part])
    return Edit("param_remove", "everyday", {"param": said, "name": d.name}, w.replaced(d.line, start, end, new), known=[d.name, name.group(1)])


# Comments


@family(6)
def comment_above(w: Window) -> Edit | None:
    found = [d for d in w.definitions if w.once(w.lines[d.line])]
    d = _pick(w.rng, found)
    if not d:
        return None
    text = w.names.phrase()
    text = w.rng.choice([text, text[0].upper() + text[1:], text[0].upper() + text[1:] + ".", "TODO: " + text, "FIXME: " + text])
    values = {"text": text, "name": d.name, "kind": d.kind}
    bank = "comment_above"
    mark = w.comment(text)
    if w.language in ("rust", "swift", "csharp") and w.rng.random() < 0.25:
        bank, mark = "doc_comment", f"/// {text}"
    elif w.rng.random() < 0.3:
        bank = "comment_verbatim"
        values["comment"] = mark
    return Edit(bank, "easy", values, w.with_new(d.line, [w.indent(d.line) + mark]), known=[d.name])


@family(3)
def comment_at_line(w: Window) -> Edit | None:
    i = _any_line(w)
    if i is None or w.language == "json":
        return None
    text = w.rng.choice(["", "", "TODO: ", "why: "]) + w.names.phrase()
    values = {"text": text, "line": w.lines[i].strip()}
    return Edit("comment_at_line", "easy", values, w.with_new(i, [w.indent(i) + w.comment(text)]), known=re.findall(r"\w{3,}", w.lines[i]))


@family(2)
def comment_top(w: Window) -> Edit | None:
    comment = w.comment(w.names.phrase())
    if not w.lines[0].strip() or w.language in ("json", "csv"):
        return None
    return Edit("comment_top", "easy", {"comment": comment}, w.with_new(0, [comment]))


@family(2)
def delete_comment(w: Window) -> Edit | None:
    found = [(i, m) for i, m in w.matches(r"^\s*(?:#|//|--) (\w[^\n]{5,80})$") if w.once(w.lines[i])]
    hit = _pick(w.rng, found)
    if not hit:
        return None
    i, m = hit
    return Edit("delete_comment", "easy", {"text": m.group(1).strip()}, w.with_line(i, None), known=re.findall(r"\w{3,}", m.group(1)))


@family(1)
def comment_out(w: Window) -> Edit | None:
    i = _any_line(w, r"^\s*[A-Za-z][\w.]*[^{(:\[,]*[);\w]$")
    mark = COMMENT.get(w.language)
    if i is None or not mark:
        return None
    line = w.lines[i]
    after = w.with_line(i, w.indent(i) + mark + " " + line.strip())
    return Edit("comment_out", "easy", {"line": line.strip()}, after, known=re.findall(r"\w{3,}", line))


@family(2)
def uncomment(w: Window) -> Edit | None:
    mark = COMMENT.get(w.language)
    if not mark:
        return None
    found = [(i, m) for i, m in w.matches(rf"^\s*{re.escape(mark)}\s?([\w.]+\(.*\);?|[\w.]+ = .+|[\w-]+: .+)$") if w.once(w.lines[i])]
    hit = _pick(w.rng, found)
    if not hit:
        return None
    i, m = hit
    return Edit("uncomment", "easy", {"line": w.rng.choice([m.group(1), w.lines[i].strip()])}, w.with_line(i, w.indent(i) + m.group(1)), known=re.findall(r"\w{3,}", m.group(1)))


# Lines


def _any_line(w: Window, pattern: str = r"\S") -> int | None:
    found = [i for i, line in enumerate(w.lines) if 5 < len(line.strip()) < 110 and re.search(pattern, line) and w.once(line) and re.search(r"\w{3}", line)]
    return _pick(w.rng, found)


def _import(w: Window) -> str | None:
    names = w.names
    a, b = names.noun(), names.value("var", w.language)
    thing = names.value("type", w.language)
    rng = w.rng
    return {
        "python": rng.choice([f"import {a}", f"from {a} import {b}", f"from {a}.{names.noun()} import {thing}", f"import {a} as {a[:2]}"]), "rust": rng.choice([f"use std::{a}::{thing};", f"use crate::{a};", f"use {a}::{thing};"]),
        "javascript": rng.choice([f"import {b} from '{a}';", f"import {{ {b} }} from './{a}';", f"const {b} = require('{a}');"]), "typescript": rng.choice([f"import {{ {thing} }} from '{a}';", f"import type {{ {thing} }} from './{a}';", f"import {b} from '{a}';"]),
        "java": f"import com.{a}.{thing};", "kotlin": f"import {a}.{names.noun()}.{thing}", "swift": f"import {thing}", "csharp": f"using {thing};",
        "c": rng.choice([f"#include <{a}.h>", f'#include "{b}.h"']), "cpp": rng.choice([f"#include <{a}>", f'#include "{a}/{b}.h"']), "php": f"use {thing}\\{names.value('type', 'php')};", "ruby": f"require '{a}'", "go": f'import "{a}"', "scala": f"import {a}.{thing}",
    }.get(w.language)


@family(4)
def import_top(w: Window) -> Edit | None:
    new = _import(w)
    if not new or not w.lines[0].strip():
        return None
    first = w.lines[0]
    if w.rng.random() < 0.5 and re.match(IMPORT[w.language], first) is None and first.startswith(("#!", "package", "<?php")):
        return None
    return Edit("import_top", "easy", {"new": new}, w.with_new(0, [new]))


@family(4)
def import_after(w: Window) -> Edit | None:
    new = _import(w)
    found = [i for i, line in enumerate(w.lines) if new and re.match(IMPORT[w.language], line) and w.once(line) and not re.search(r"[({,]\s*$", line)]
    i = _pick(w.rng, found)
    if i is None:
        return None
    if w.rng.random() < 0.4:
        # Next to the others: after the last of them.
        i = found[-1]
        if i + 1 < len(w.lines) and re.match(r"[ \t]", w.lines[i + 1]):
            return None
        simple = {"python": "import {}", "swift": "import {}", "c": "#include <{}.h>", "ruby": "require '{}'", "java": "import {};", "csharp": "using {};", "cpp": "#include <{}>"}.get(w.language)
        if simple:
            module = w.names.noun() if w.language not in ("java", "csharp", "swift") else f"com.{w.names.noun()}.{w.names.value('type', 'java')}" if w.language == "java" else w.names.value("type", w.language)
            return Edit("import_module", "everyday", {"module": module}, w.with_new(i + 1, [simple.format(module)]))
    return Edit("import_after", "easy", {"new": new, "line": w.lines[i]}, w.with_new(i + 1, [new]), known=re.findall(r"\w{3,}", w.lines[i]))


@family(2)
def delete_import(w: Window) -> Edit | None:
    found = [(i, m) for i, line in enumerate(w.lines) if w.language in IMPORT and (m := re.match(IMPORT[w.language], line)) and w.once(line) and not re.search(r"[({,]\s*$", line)]
    found = [(i, m) for i, m in found if sum(m.group(1) == n.group(1) for _, n in found) == 1]
    hit = _pick(w.rng, found)
    return hit and Edit("delete_import", "everyday", {"module": hit[1].group(1)}, w.with_line(hit[0], None), known=re.findall(r"\w{3,}", hit[1].group(1)))


@family(6)
def line_beside(w: Window) -> Edit | None:
    i = _any_line(w)
    if i is None:
        return None
    position = w.rng.choice(["before", "after"])
    line = w.lines[i]
    if w.language in ("json", "csv", "html", "markdown", "xml", "text", "css", "yaml", "toml", "ini", "env"):
        new = _alike(w, line)
    else:
        new = w.statement()
    if not new:
        return None
    at = i if position == "before" else i + 1
    if position == "after" and re.search(r"[{(\[:]\s*$", line) and at < len(w.lines) and len(w.indent(at)) > len(w.indent(i)):
        indent = w.indent(at)
    else:
        indent = w.indent(i)
    return Edit("line_" + position, "easy", {"new": new, "line": line.strip()}, w.with_new(at, [indent + new]), known=re.findall(r"\w{3,}", line))


def _alike(w: Window, line: str) -> str | None:
    """A line such as this one with other names and numbers in it."""
    words = re.findall(r"[A-Za-z_]\w{2,}", line)
    if not words:
        return None
    new = line.strip()
    for word in {w.rng.choice(words) for _ in range(2)}:
        new = re.sub(rf"\b{word}\b", w.names.like(word), new)
    return new if new != line.strip() else None


@family(3)
def line_body(w: Window) -> Edit | None:
    found = [d for d in w.functions() if d.end > d.line + 1 and re.search(r"[{:]\s*$", w.lines[d.line]) and w.lines[d.line + 1].strip()]
    d = _pick(w.rng, found)
    if not d or w.language == "sql":
        return None
    new = w.statement()
    indent = w.indent(d.line + 1)
    returns = [i for i in range(d.line + 1, d.end + 1) if re.match(r"\s*return\b", w.lines[i])]
    roll = w.rng.random()
    if roll < 0.35 and len(returns) == 1:
        i = returns[0]
        return Edit("log_before_return", "everyday", {"new": new, "name": d.name}, w.with_new(i, [w.indent(i) + new]), known=[d.name])
    if roll < 0.6:
        last = d.end if w.language == "python" else d.end - 1
        if w.lines[last].strip() and w.indent(last) == indent and not re.match(r"\s*(return|raise|throw)\b", w.lines[last]) and last > d.line:
            return Edit("line_body_end", "everyday", {"new": new, "name": d.name}, w.with_new(last + 1, [indent + new]), known=[d.name])
        return None
    return Edit("line_body_start", "everyday", {"new": new, "name": d.name}, w.with_new(d.line + 1, [indent + new]), known=[d.name])


@family(2)
def line_ends(w: Window) -> Edit | None:
    new = w.comment(w.names.phrase()) if w.rng.random() < 0.3 else w.statement()
    if w.language in ("json", "html", "xml", "csv", "css"):
        return None
    if w.rng.random() < 0.5:
        return Edit("line_top", "easy", {"new": new}, w.with_new(0, [new])) if w.lines[0].strip() and w.lines[0] == w.lines[0].lstrip() else None
    last = w.lines[-1]
    return Edit("line_end_of_file", "easy", {"new": new}, w.with_new(len(w.lines), [new])) if last.strip() and last == last.lstrip() else None


@family(4)
def delete_line(w: Window) -> Edit | None:
    i = _any_line(w)
    if i is None or re.search(r"[{(\[:]\s*$", w.lines[i]):
        return None
    return Edit("delete_line", "easy", {"line": w.lines[i].strip()}, w.with_line(i, None), known=re.findall(r"\w{3,}", w.lines[i]))


@family(3)
def delete_named(w: Window) -> Edit | None:
    found = [(i, m) for i, m in w.matches(r"^\s*(?:pub |const |let |var |final |static |export |private |public )*\"?([A-Za-z_][\w-]*)\"?\s*(?::[^=]+)?(?:=|:)\s*[^{(\[]+[;,]?$") if m.group(1) not in KEYWORDS and len(re.findall(rf"(?<![\w-]){re.escape(m.group(1))}(?![\w-])", w.text)) == 1]
    hit = _pick(w.rng, found)
    if not hit or w.language == "json" and not w.lines[hit[0]].rstrip().endswith(","):
        return None
    return Edit("delete_named", "everyday", {"name": hit[1].group(1)}, w.with_line(hit[0], None), known=[hit[1].group(1)])


SECTION = {"toml": r"^\[+([\w.\"-]+)\]+$", "ini": r"^\[([\w. :-]+)\]$", "markdown": r"^##+ +([\w][\w ',.:/-]*)$"}
NESTED = {
    "yaml": r"^\s*([A-Za-z][\w. -]*):$", "css": r"^([.#]?[A-Za-z][\w .#:>-]*?) \{$", "json": r"^\s+\"([\w.@/-]+)\": [{\[]$",
    "makefile": r"^([\w.-]+):.*$", "proto": r"^(?:message|enum|service) (\w+) \{$", "graphql": r"^(?:type|enum|input|interface) (\w+).*\{$",
}


def _blocks(w: Window) -> list[Definition]:
    """What takes three lines or more and has a name: definitions and what stands above them, sections, entries."""
    found = [Definition(_top(w, d.line), d.name, d.kind, d.end) for d in w.definitions if d.kind != "table"]
    if pattern := SECTION.get(w.language):
        starts = [(i, m.group(1)) for i, line in enumerate(w.lines) if (m := re.match(pattern, line))]
        ends = [i - 1 for i, _ in starts[1:]] + [len(w.lines) - 1]
        for (i, name), end in zip(starts, ends):
            while not w.lines[end].strip():
                end -= 1
            found.append(Definition(i, name.strip('"'), "section", end))
    if pattern := NESTED.get(w.language):
        kind = {"css": "rule", "makefile": "target", "proto": "message", "graphql": "type"}.get(w.language, "entry")
        for i, line in enumerate(w.lines):
            if (m := re.match(pattern, line)) and (end := w.end_of(i)) > i:
                found.append(Definition(i, m.group(1), kind, end))
    return [d for d in found if _closed(w, d) and 3 <= d.end - d.line + 1 <= 16 and len(re.findall(rf"(?<![\w-]){re.escape(d.name)}(?![\w-])", "\n".join(w.lines[: d.line + 2] + w.lines[d.end + 1 :]))) <= 3]


def _closed(w: Window, d: Definition) -> bool:
    """Whether the window has all of it."""
    lines = w.lines[d.line : d.end + 1]
    if any("\n".join(lines).count(quotes) % 2 for quotes in ('"""', "'''")):
        return False
    return not any(re.search(r"[{\[(]\s*$", line) for line in lines) or bool(re.match(r"\s*[}\])]", lines[-1]))


def _top(w: Window, i: int) -> int:
    """The first line of the comment and the decorators that belong to line i."""
    while i and w.indent(i - 1) == w.indent(i) and re.match(r"\s*(@\w|#\[|///|//|/\*\*|\*|#(?!!|include|if|endif|define|pragma)|--)", w.lines[i - 1]):
        i -= 1
    return i


def _without(w: Window, start: int, end: int) -> str:
    """The text without these lines, and without an empty line too many where they were."""
    above, below = w.lines[:start], w.lines[end + 1 :]
    n_above = next((n for n, line in enumerate(reversed(above)) if line.strip()), len(above))
    n_below = next((n for n, line in enumerate(below) if line.strip()), len(below))
    if n_below == len(below):
        above, below = above[: len(above) - n_above], []
    elif n_above == len(above):
        below = below[n_below:]
    else:
        below = below[min(n_above, n_below) :]
    return "\n".join(above + below) + "\n"


@family(35)
def delete_block(w: Window) -> Edit | None:
    d = _pick(w.rng, _blocks(w))
    if not d or not w.indent(d.line) and d.line == 0 and d.end >= len(w.lines) - 1:
        return None
    if w.language == "json" and not w.lines[d.end].rstrip().endswith(","):
        return None
    kind = {"async": "function"}.get(d.kind, d.kind)
    if re.match(r"test_|Test|test[A-Z]", d.name):
        kind = w.rng.choice(["test", kind])
    return Edit("delete_block", "everyday", {"name": d.name, "kind": kind}, _without(w, d.line, d.end), known=[d.name])


@family(30)
def replace_body(w: Window) -> Edit | None:
    """All that a function does gives way to one statement."""
    found = []
    for d in w.functions():
        first = d.line + 1
        last = d.end if w.language in ("python",) else d.end - 1
        opens = re.search(r"\{\s*$", w.lines[d.line]) or w.language == "python" and w.lines[d.line].endswith(":") or w.language in ("ruby", "lua") and w.lines[d.line].endswith(")")
        if opens and _closed(w, d) and 3 <= last - first + 1 <= 14 and w.lines[first].strip() and len(w.indent(first)) > len(w.indent(d.line)):
            found.append((d, first, last))
    hit = _pick(w.rng, found)
    if not hit:
        return None
    d, first, last = hit
    semicolon = ";" if w.language in CURLY - {"kotlin", "swift", "go", "scala", "rust"} else ""
    nothing = {"python": "None", "rust": "None", "javascript": "null", "typescript": "null", "java": "null", "kotlin": "null", "swift": "nil", "csharp": "null", "ruby": "nil", "lua": "nil", "go": "nil", "php": "null", "c": "0", "cpp": "0"}.get(w.language, "0")
    value = w.rng.choice([nothing, str(w.rng.randint(0, 99)), f'"{w.names.phrase()}"', "true" if w.language != "python" else "True", f"{w.names.noun()}", f"{w.names.like(d.name)}()"])
    body = w.indent(first) + (value if w.language == "rust" else f"return {value}{semicolon}")
    after = "\n".join(w.lines[:first] + [body] + w.lines[last + 1 :]) + "\n"
    return Edit("replace_body", "everyday", {"name": d.name, "kind": d.kind, "value": value, "statement": body.strip()}, after, known=[d.name])


@family(3)
def delete_call(w: Window) -> Edit | None:
    found = [(i, m) for i, m in w.matches(r"^\s+((?:\w+[.:]+)*(\w+)!?)\([^{]*\);?$") if m.group(2) not in ("if", "for", "while", "return", "switch") and w.once(w.lines[i]) and len(re.findall(rf"\b{re.escape(m.group(1))}\b", w.text)) == 1]
    hit = _pick(w.rng, found)
    if not hit:
        return None
    i, m = hit
    return Edit("delete_call", "everyday", {"call": w.rng.choice([m.group(1), m.group(1) + "()", m.group(2)]), "name": w.enclosing(i)}, w.with_line(i, None), known=[m.group(2)])


@family(3)
def line_replace(w: Window) -> Edit | None:
    i = _any_line(w)
    if i is None:
        return None
    old = w.lines[i].strip()
    new = _alike(w, w.lines[i]) if w.rng.random() < 0.6 or w.language in ("html", "markdown", "json", "css", "yaml") else w.statement()
    if not new or new == old or re.search(r"[{(\[:]\s*$", old) and not re.search(r"[{(\[:]\s*$", new):
        return None
    return Edit("line_replace", "easy", {"old": old, "new": new}, w.with_line(i, w.indent(i) + new), known=re.findall(r"\w{3,}", old))


@family(3)
def word_replace(w: Window) -> Edit | None:
    i = _any_line(w)
    if i is None:
        return None
    line = w.lines[i]
    words = [m for m in re.finditer(r"[A-Za-z_]\w{2,}", line) if len(re.findall(rf"\b{m.group(0)}\b", line)) == 1]
    m = _pick(w.rng, words)
    if not m:
        return None
    new = w.names.like(m.group(0))
    return Edit("word_replace", "easy", {"old": m.group(0), "new": new, "line": line.strip()}, w.replaced(i, m.start(), m.end(), new), known=re.findall(r"\w{3,}", line))


@family(1)
def move_line(w: Window) -> Edit | None:
    i = _any_line(w, r"[;\w)]$")
    if i is None:
        return None
    j = i + w.rng.choice([-2, -1, 1, 2])
    if not 0 <= j < len(w.lines) or w.indent(i) != w.indent(j) or not w.once(w.lines[j]) or len(w.lines[j].strip()) < 5:
        return None
    if any(w.indent(k) != w.indent(i) for k in range(min(i, j), max(i, j) + 1)):
        return None
    lines = w.lines[:]
    line = lines.pop(i)
    position = "before" if j < i else "after"
    lines.insert(j, line)
    return Edit("move_" + position, "everyday", {"line": line.strip(), "other": w.lines[j].strip()}, "\n".join(lines) + "\n", known=re.findall(r"\w{3,}", line))


@family(5)
def duplicate_in(w: Window) -> Edit | None:
    """A text that stands in several functions is changed in one of them."""
    functions = [d for d in w.functions() if d.end > d.line]
    if len(functions) < 2:
        return None
    d = w.rng.choice(functions)
    body = "\n".join(w.lines[d.line + 1 : d.end + 1])
    candidates = [x for x in set(re.findall(r"(?<![\w.])\d+(?![\w.])|\b[A-Za-z_]\w{2,}\b|\"[^\"\\\n]{2,30}\"", body)) if x not in KEYWORDS]
    candidates = [x for x in candidates if len(re.findall(rf"(?<!\w){re.escape(x)}(?!\w)", body)) == 1 and len(re.findall(rf"(?<!\w){re.escape(x)}(?!\w)", w.text)) > 1]
    old = _pick(w.rng, candidates)
    if not old:
        return None
    new = str(w.rng.randint(0, 200)) if old.isdigit() else f'"{w.names.phrase()}"' if old[0] == '"' else w.names.like(old)
    for i in range(d.line + 1, d.end + 1):
        if m := re.search(rf"(?<!\w){re.escape(old)}(?!\w)", w.lines[i]):
            if new == old:
                return None
            return Edit("duplicate_in", "everyday", {"old": old, "new": new, "name": d.name}, w.replaced(i, m.start(), m.end(), new), known=[d.name])
    return None


# Calls


def _calls(w: Window) -> list[tuple[int, re.Match[str]]]:
    hits = w.matches(r"(?<![\w.])((?:\w+\.)*(\w+))\(([^()]*)\)")
    defined = {d.line for d in w.functions()}
    hits = [(i, m) for i, m in hits if i not in defined and m.group(2) not in KEYWORDS and len(m.group(2)) > 2]
    return [(i, m) for i, m in hits if len(re.findall(rf"(?<![\w.]){re.escape(m.group(1))}\(", w.text)) == 1]


@family(4)
def call_arg(w: Window) -> Edit | None:
    hit = _pick(w.rng, _calls(w))
    if not hit:
        return None
    i, m = hit
    inside = m.group(3)
    argument = w.rng.choice([str(w.rng.randint(0, 100)), w.names.like("a_b" if w.language in ("python", "rust", "c") else "aB"), f'"{w.names.noun()}"', "true" if w.language != "python" else "True"])
    if w.language == "python" and w.rng.random() < 0.4:
        argument = f"{w.names.value('var', 'python')}={argument}"
    call = w.rng.choice([m.group(1), m.group(2), m.group(1) + "()" if not inside else m.group(0)])
    new = argument if not inside.strip() else ", " + argument
    return Edit("call_arg", "everyday", {"arg": argument, "call": call}, w.replaced(i, m.end(3), m.end(3), new), known=[m.group(2)])


@family(3)
def arg_replace(w: Window) -> Edit | None:
    hit = _pick(w.rng, [(i, m) for i, m in _calls(w) if m.group(3).strip()])
    if not hit:
        return None
    i, m = hit
    parts = m.group(3).split(", ")
    k = w.rng.randrange(len(parts))
    old = parts[k].strip()
    if not re.search(r"\w", old) or len(old) > 40 or parts.count(parts[k]) > 1 or re.search(r"[\[\]{}\"']", old) and not re.fullmatch(r"(\"[^\"]*\"|'[^']*')", old):
        return None
    new = w.literal() if w.language != "c" else w.names.like("a_b")
    start = m.start(3) + sum(len(p) + 2 for p in parts[:k]) + (len(parts[k]) - len(parts[k].lstrip()))
    call = w.rng.choice([m.group(1), m.group(2), m.group(0)])
    return Edit("arg_replace", "everyday", {"old": old, "new": new, "call": call}, w.replaced(i, start, start + len(old), new), known=[m.group(2)])


@family(3)
def wrap_call(w: Window) -> Edit | None:
    found = [(i, m) for i, m in w.matches(r"(?:= |return |\()((?:\w+\.)*\w+(?:\([\w, .\"']*\))?)(?=[;)]|\s*$)") if w.text.count(m.group(1)) == 1 and m.group(1) not in KEYWORDS and not m.group(1).isdigit() and len(m.group(1)) > 2]
    hit = _pick(w.rng, found)
    if not hit:
        return None
    i, m = hit
    wrapper = w.rng.choice([w.names.value("verb", w.language), {"python": "str", "javascript": "String", "rust": "Some", "kotlin": "listOf", "swift": "String", "go": "string", "c": "abs", "java": "String.valueOf"}.get(w.language, "wrap"), {"python": "len", "javascript": "Number", "rust": "Ok", "typescript": "Boolean"}.get(w.language, "check")])
    return Edit("wrap_call", "everyday", {"expr": m.group(1), "wrapper": wrapper}, w.replaced(i, m.start(1), m.end(1), f"{wrapper}({m.group(1)})"), known=re.findall(r"\w{3,}", m.group(1)))


@family(2)
def unwrap_call(w: Window) -> Edit | None:
    found = [(i, m) for i, m in w.matches(r"(?:= |return |\()((?:\w+\.)*\w+)\(((?:\w+\.)*\w+(?:\([\w, .\"']*\))?)\)(?=[;)]|\s*$)") if w.text.count(m.group(1) + "(") == 1 and m.group(1) not in KEYWORDS]
    hit = _pick(w.rng, found)
    if not hit:
        return None
    i, m = hit
    return Edit("unwrap_call", "everyday", {"expr": m.group(2), "wrapper": m.group(1)}, w.replaced(i, m.start(1), m.end(2) + 1, m.group(2)), known=re.findall(r"\w{3,}", m.group(1)))


# Members


@family(4)
def field_add(w: Window) -> Edit | None:
    found = []
    for d in w.definitions:
        if d.kind not in ("struct", "class", "interface", "enum") or d.end - d.line < 2 or d.end - d.line > 25:
            continue
        pattern = {"rust": r"^\s+(?:pub )?(\w+): .+,$", "go": r"^\s+(\w+)\s+[\w\[\]*.]+.*$", "c": r"^\s+[\w ]+[ *](\w+);$", "typescript": r"^\s+(?:readonly )?(\w+)\??: .+;$", "swift": r"^\s+(?:let|var) (\w+): \w+$", "kotlin": r"^\s+va[lr] (\w+): \w+,?$", "java": r"^\s+(?:private|public|protected)? ?(?:final )?[\w<>]+ (\w+);$", "python": r"^\s+(\w+): [\w\[\], .|]+(?: = .+)?$", "csharp": r"^\s+public [\w?<>]+ (\w+) \{ get; .*\}$", "cpp": r"^\s+[\w:<>]+ (\w+);$"}.get(w.language)
        fields = [(i, m) for i in range(d.line + 1, d.end + 1) if pattern and (m := re.match(pattern, w.lines[i]))]
        if d.kind == "enum":
            fields = [(i, m) for i in range(d.line + 1, d.end + 1) if (m := re.match(r"^\s+(?:case )?([A-Z_a-z]\w*),?$", w.lines[i]))]
        if fields:
            found.append((d, fields))
    hit = _pick(w.rng, found)
    if not hit:
        return None
    d, fields = hit
    i, m = fields[-1] if w.rng.random() < 0.6 else w.rng.choice(fields)
    last = (i, m) == fields[-1]
    line = w.lines[i]
    name = w.names.like(m.group(1))
    new = re.sub(rf"\b{m.group(1)}\b", name, line.strip(), count=1)
    if w.language in TYPES:
        kinds = [t for t in TYPES[w.language]]
        new = re.sub(rf"\b({_types(w.language)})\b", lambda _: w.rng.choice(kinds), new, count=1)
    if d.kind == "enum":
        if not line.rstrip().endswith(",") and not line.strip().startswith("case") or not w.once(line):
            return None
        return Edit("variant_add", "everyday", {"variant": name, "name": d.name}, w.with_new(i + 1, [w.indent(i) + new]), known=[d.name])
    if not w.once(line):
        return None
    said = new.rstrip(",;")
    values = {"field": w.rng.choice([said, new]), "name": d.name, "after": None if last else m.group(1)}
    return Edit("field_add", "everyday", values, w.with_new(i + 1, [w.indent(i) + new]), known=[d.name])


@family(3)
def list_item(w: Window) -> Edit | None:
    found = [(i, m) for i, m in w.matches(r"([A-Za-z_]\w+)[\"']?\s*(?::[^=\[]*)?[=:]\s*(?:vec!)?([\[(])([^\[\]()]+)[\])]") if "," in m.group(3) and len(m.group(3)) < 90 and m.group(1) not in KEYWORDS and len(re.findall(rf"\b{m.group(1)}\b[\"']?\s*[=:]", w.text)) == 1]
    hit = _pick(w.rng, found)
    if not hit:
        return None
    i, m = hit
    parts = m.group(3).split(", ")
    if len(parts) < 2 or any(not p.strip() for p in parts):
        return None
    if w.rng.random() < 0.35:
        k = w.rng.randrange(len(parts))
        if parts.count(parts[k]) > 1:
            return None
        element = parts[k].strip().strip("\"'") if w.rng.random() < 0.5 else parts[k].strip()
        return Edit("list_remove", "everyday", {"element": element, "name": m.group(1)}, w.replaced(i, m.start(3), m.end(3), ", ".join(parts[:k] + parts[k + 1 :])), known=[m.group(1)])
    last = parts[-1].strip()
    if last[:1] in "\"'" and last[-1:] == last[:1]:
        inner = w.names.like(last[1:-1]) if re.fullmatch(r"[\w-]{2,}", last[1:-1]) else w.names.noun()
        element, said = last[0] + inner + last[0], w.rng.choice([inner, last[0] + inner + last[0]])
    elif re.fullmatch(r"-?\d+", last):
        element = said = str(w.rng.randint(0, 999))
    elif re.fullmatch(r"\w+", last):
        element = said = w.names.like(last)
    else:
        return None
    return Edit("list_add", "everyday", {"element": said, "name": m.group(1)}, w.replaced(i, m.end(3), m.end(3), ", " + element), known=[m.group(1)])


@family(4)
def key(w: Window) -> Edit | None:
    """A key is added to, or removed from, a mapping whose entries have a line each."""
    pattern = {
        "json": r'^(\s+)"([\w-]+)": ("[^"]*"|[\d.]+|true|false),$', "yaml": r"^(\s*)([\w-]+): ([\w./-]+|\"[^\"]*\")$", "toml": r'^()([\w-]+) = ("[^"]*"|[\d.]+|true|false)$', "ini": r"^()([\w-]+) ?= ?([\w./-]+)$",
        "env": r"^()(\w+)=(\S+)$", "python": r"^(\s+)[\"'](\w+)[\"']: ([\w.\"']+),$", "javascript": r"^(\s+)(\w+): ([\w.\"']+),$", "typescript": r"^(\s+)(\w+): ([\w.\"']+),$", "css": r"^(\s+)([a-z-]+): ([\w.# %()-]+);$", "scss": r"^(\s+)([a-z-]+): ([\w.# %()-]+);$",
    }.get(w.language)
    found = [(i, m) for i, line in enumerate(w.lines) if pattern and (m := re.match(pattern, line)) and w.once(line)]
    hit = _pick(w.rng, found)
    if not hit:
        return None
    i, m = hit
    holder = None
    for j in range(i - 1, -1, -1):
        if len(w.indent(j)) < len(w.indent(i)) or w.lines[j].startswith("["):
            h = re.search(r"[\"']?([\w.-]+)[\"']?\s*(?:[=:]\s*)?[{\[(:\]]*\s*$", w.lines[j])
            holder = h.group(1) if h else None
            break
    name = m.group(2)
    if w.rng.random() < 0.3:
        if len(re.findall(rf"(?<![\w-]){re.escape(name)}(?![\w-])", w.text)) > 1:
            return None
        return Edit("key_remove", "everyday", {"key": name, "name": holder}, w.with_line(i, None), known=[name])
    if not holder:
        return None
    siblings = [k for k, _ in found if w.indent(k) == w.indent(i) and abs(k - i) < 20]
    last = i
    while last + 1 in siblings:
        last += 1
    line = w.lines[last]
    n = re.match(pattern, line)
    new_key = w.names.like(n.group(2))
    old_value = n.group(3)
    if old_value[0] in "\"'":
        inner = w.names.noun() if w.rng.random() < 0.6 else w.names.phrase()
        new_value, said = old_value[0] + inner + old_value[0], inner
    elif old_value in FLAGS:
        new_value = said = w.rng.choice([old_value, FLAGS[old_value]])
    else:
        new_value = said = str(w.rng.randint(0, 9999)) if old_value.replace(".", "").isdigit() else w.names.noun()
    new = line[: n.start(2)] + new_key + line[n.end(2) : n.start(3)] + new_value + line[n.end(3) :]
    return Edit("key_add", "everyday", {"key": new_key, "value": said, "name": holder}, w.with_new(last + 1, [new]), known=[holder])


@family(3)
def decorator(w: Window) -> Edit | None:
    names = w.names
    new = {
        "python": ["@" + names.value("verb", "python"), "@staticmethod", "@property", "@cached", f"@app.route('/{names.noun()}')"], "java": ["@Override", "@Deprecated", "@" + names.value("type", "java")], "kotlin": ["@JvmStatic", "@Deprecated", "@" + names.value("type", "kotlin")],
        "csharp": ["[Obsolete]", f"[{names.value('type', 'csharp')}]"], "rust": ["#[inline]", "#[must_use]", "#[test]", "#[derive(Debug)]", "#[allow(dead_code)]", "#[cfg(test)]"], "swift": ["@discardableResult", "@MainActor", "@objc"], "typescript": ["@" + names.value("type", "typescript") + "()"],
    }.get(w.language)
    found = [d for d in w.definitions if new and w.once(w.lines[d.line])]
    d = _pick(w.rng, found)
    if not d:
        return None
    chosen = w.rng.choice(new)
    if d.line and w.lines[d.line - 1].strip() == chosen:
        return None
    said = chosen if w.rng.random() < 0.8 else chosen.strip("@#[]")
    return Edit("decorator", "everyday", {"decorator": said, "name": d.name}, w.with_new(d.line, [w.indent(d.line) + chosen]), known=[d.name])


@family(2)
def attribute_remove(w: Window) -> Edit | None:
    found = [d for d in w.definitions if d.line and re.match(r"\s*(@\w|#\[|\[\w+\]$)", w.lines[d.line - 1])]
    d = _pick(w.rng, found)
    if not d:
        return None
    line = w.lines[d.line - 1].strip()
    return Edit("attribute_remove", "everyday", {"decorator": w.rng.choice([line, line, line.strip("@#[]")]), "name": d.name}, w.with_line(d.line - 1, None), known=[d.name])
