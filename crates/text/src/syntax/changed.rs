//! Which definitions a change of a file changes or adds, so that other places may have to follow.

#[cfg(feature = "grammars")]
use super::declared::{Declared, declared};
use super::definitions::DefinitionKind;
#[cfg(feature = "grammars")]
use crate::text::ident::has_word;
#[cfg(feature = "grammars")]
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// A definition that a change made another one, or added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedDefinition {
    /// Its name; the one before, if that is what changed.
    pub name: String,
    /// What it is.
    pub kind: DefinitionKind,
    /// What is new about it.
    pub change: DefinitionChange,
    /// Its lines after the change, counted from 1. Of a parameter those of the function.
    pub lines: RangeInclusive<usize>,
    /// The name of what it is in, if that has one.
    pub within: Option<String>,
    /// The names of what was beside it before, of the same kind: the other variants, fields, keys.
    pub siblings: Vec<String>,
    /// The number or the string that a new value stands for, as it is written.
    pub literal: Option<String>,
}

/// What is new about a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DefinitionChange {
    /// It is called so now.
    Renamed(String),
    /// It has other parameters, or a variant holds something else.
    Parameters,
    /// It has another type, or returns one.
    Type,
    /// It was not there.
    Added,
}

/// The definitions that a file has now and had not, or not like this. Of a new type and the like only
/// the whole is named. None where there is no grammar.
#[cfg(feature = "grammars")]
pub fn changed_definitions(path: &str, before: &str, after: &str) -> Vec<ChangedDefinition> {
    let (Some(before), Some(after)) = (declared(path, before), declared(path, after)) else {
        return Vec::new();
    };
    let was = by_place(&before);
    let is = by_place(&after);

    let mut changed = Vec::new();
    for now in &after {
        let place = place(now);
        let earlier = was.get(&place).and_then(|all| match all.as_slice() {
            // Of several with one name it is not known which became which.
            [only] if is[&place].len() == 1 => Some(*only),
            _ => None,
        });
        if let Some(earlier) = earlier {
            changed.extend(compared(earlier, now));
        } else if !was.contains_key(&place) && is_in_known(now, &before) {
            let gone = renamed_from(now, &before, &after, &is);
            let change = match gone {
                Some(_) => DefinitionChange::Renamed(now.name.clone()),
                None => DefinitionChange::Added,
            };
            let name = gone.map_or(&now.name, |gone| &gone.name);
            let siblings = after.iter().filter(|it| {
                it.parent == now.parent && it.kind == now.kind && was.contains_key(&self::place(it))
            });
            changed.push(ChangedDefinition {
                siblings: siblings.map(|it| it.name.clone()).collect(),
                literal: literal(&now.value).filter(|_| now.kind == DefinitionKind::Value),
                ..of(now, name, change)
            });
        }
    }
    changed
}

/// Without grammars nothing is known of any text.
#[cfg(not(feature = "grammars"))]
pub fn changed_definitions(_: &str, _: &str, _: &str) -> Vec<ChangedDefinition> {
    Vec::new()
}

/// Where a thing is, by names.
#[cfg(feature = "grammars")]
type Place<'d> = (&'d [String], DefinitionKind, &'d str);

#[cfg(feature = "grammars")]
fn place(it: &Declared) -> Place<'_> {
    (&it.within, it.kind, &it.name)
}

#[cfg(feature = "grammars")]
fn by_place(all: &[Declared]) -> HashMap<Place<'_>, Vec<&Declared>> {
    let mut by_place: HashMap<_, Vec<_>> = HashMap::new();
    for it in all {
        by_place.entry(place(it)).or_default().push(it);
    }
    by_place
}

#[cfg(feature = "grammars")]
fn of(now: &Declared, name: &str, change: DefinitionChange) -> ChangedDefinition {
    ChangedDefinition {
        name: name.to_owned(),
        kind: now.kind,
        change,
        lines: now.lines.clone(),
        within: now.holder.clone(),
        siblings: Vec::new(),
        literal: None,
    }
}

/// What is new about a thing that was there.
#[cfg(feature = "grammars")]
fn compared(earlier: &Declared, now: &Declared) -> Vec<ChangedDefinition> {
    let mut changed = Vec::new();
    if spelled(&earlier.parameters) != spelled(&now.parameters) {
        changed.push(of(now, &now.name, DefinitionChange::Parameters));
    } else if without_spaces(&earlier.result) != without_spaces(&now.result) {
        changed.push(of(now, &now.name, DefinitionChange::Type));
    }
    if now.kind != DefinitionKind::Function || now.value.is_empty() {
        return changed;
    }
    for (name, _) in &now.parameters {
        let is_new = !name.is_empty() && earlier.parameters.iter().all(|(it, _)| it != name);
        if is_new && !has_word(&now.value, name) {
            let within = Some(now.name.clone());
            changed.push(ChangedDefinition {
                kind: DefinitionKind::Parameter,
                within,
                ..of(now, name, DefinitionChange::Added)
            });
        }
    }
    changed
}

#[cfg(feature = "grammars")]
fn spelled(parameters: &[(String, String)]) -> Vec<String> {
    let texts = parameters.iter().map(|(_, text)| without_spaces(text));
    texts.collect()
}

#[cfg(feature = "grammars")]
fn without_spaces(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Whether what a thing is in was there before.
#[cfg(feature = "grammars")]
fn is_in_known(now: &Declared, before: &[Declared]) -> bool {
    let Some((name, around)) = now.within.split_last() else {
        return true;
    };
    let mut beside = before.iter();
    beside.any(|it| (it.name == *name && it.within == around) || it.within == now.within)
}

/// The only thing of its kind and place that is gone, if it was like this one but for its name.
#[cfg(feature = "grammars")]
fn renamed_from<'b>(
    now: &Declared,
    before: &'b [Declared],
    after: &[Declared],
    is: &HashMap<Place<'_>, Vec<&Declared>>,
) -> Option<&'b Declared> {
    let n_after = after.iter().filter(|it| is_beside(it, now)).count();
    let beside = before.iter().filter(|it| is_beside(it, now));
    let beside: Vec<&Declared> = beside.collect();
    let gone = beside.iter().filter(|it| !is.contains_key(&place(it)));
    let [gone] = gone.collect::<Vec<_>>()[..] else {
        return None;
    };
    let is_like = spelled(&gone.parameters) == spelled(&now.parameters)
        && without_spaces(&gone.value).replace(&gone.name, &now.name) == without_spaces(&now.value);
    (beside.len() == n_after && is_like).then_some(gone)
}

#[cfg(feature = "grammars")]
fn is_beside(a: &Declared, b: &Declared) -> bool {
    a.kind == b.kind && a.within == b.within
}

/// A text that is a number or a string and says something by itself.
#[cfg(feature = "grammars")]
fn literal(value: &str) -> Option<String> {
    let value = value.trim();
    let first = value.chars().next()?;
    let is_number = first.is_ascii_digit()
        && value.len() > 1
        && value
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '_');
    let inside = value
        .strip_prefix(first)
        .and_then(|it| it.strip_suffix(first));
    let is_string = matches!(first, '"' | '\'')
        && inside.is_some_and(|it| it.len() > 1 && !it.contains([first, '\\', '\n']));
    (is_number || is_string).then(|| value.to_owned())
}

#[cfg(feature = "grammars")]
#[cfg(test)]
mod tests {
    use super::*;

    /// Compares what changes: `name change` of each, with `in` what and beside what, where there is
    /// some.
    #[track_caller]
    fn check(path: &str, before: &str, after: &str, expected: &[&str]) {
        let mut found = Vec::new();
        for it in changed_definitions(path, before, after) {
            let change = match &it.change {
                DefinitionChange::Renamed(new) => format!("is {new}"),
                DefinitionChange::Parameters => "parameters".to_owned(),
                DefinitionChange::Type => "type".to_owned(),
                DefinitionChange::Added => format!("new {:?}", it.kind).to_lowercase(),
            };
            let mut line = format!("{} {change}", it.name);
            if let Some(within) = it.within {
                line += &format!(" in {within}");
            }
            if !it.siblings.is_empty() {
                line += &format!(" beside {}", it.siblings.join(" "));
            }
            if let Some(literal) = it.literal {
                line += &format!(" = {literal}");
            }
            found.push(line);
        }
        assert_eq!(found, expected, "{path}\n{after}");
    }

    /// The same for an edit of a text.
    #[track_caller]
    fn edited(path: &str, text: &str, old: &str, new: &str, expected: &[&str]) {
        assert_eq!(text.matches(old).count(), 1, "{old}");
        check(path, text, &text.replace(old, new), expected);
    }

    const PYTHON: &str = "LIMIT = 30\n\n\ndef total(items, rate):\n    x = 1\n    return items\n\n\n\
                          class Color(Enum):\n    RED = 1\n    GREEN = 2\n\n    \
                          def name(self) -> str:\n        return \"\"\n\n\n\
                          NAMES = {\"red\": 1, \"green\": 2}\n";

    #[test]
    fn python() {
        let check = |old, new, expected: &[&str]| edited("a.py", PYTHON, old, new, expected);
        check(
            "rate)",
            "rate, tax)",
            &["total parameters", "tax new parameter in total"],
        );
        check(
            "rate):\n    x = 1",
            "rate, tax):\n    x = tax",
            &["total parameters"],
        );
        check("def total", "def summed", &["total is summed"]);
        check("-> str", "-> bytes", &["name type in Color"]);
        check(
            "    GREEN = 2\n",
            "    GREEN = 2\n    BLUE = 3\n",
            &["BLUE new field in Color beside RED GREEN"],
        );
        check(
            "\"green\": 2",
            "\"green\": 2, \"blue\": 3",
            &["blue new key in NAMES beside red green"],
        );
        check(
            "LIMIT = 30\n",
            "LIMIT = 30\nMODE = 0o644\n",
            &["MODE new value beside LIMIT NAMES = 0o644"],
        );
        check(
            "def total",
            "class Box:\n    size = 1\n\n\ndef total",
            &["Box new type beside Color"],
        );
        // What is in a function is its own affair, and a value is no definition.
        for (old, new) in [
            ("x = 1", "y = 2"),
            ("LIMIT = 30", "LIMIT = 40"),
            ("return items", "pass"),
        ] {
            check(old, new, &[]);
        }
        check("(items, rate)", "(\n    items,\n    rate,\n)", &[]);
    }

    #[test]
    fn rust() {
        let text = "pub const MAX: usize = 3;\n\npub enum Shape {\n    Circle(f64),\n    Square { side: f64 },\n}\n\n\
                    struct Point {\n    x: i32,\n}\n\nimpl Point {\n    fn len(&self, a: u8) -> f64 {\n        1.0\n    }\n}\n\n\
                    trait Area {\n    fn area(&self) -> f64;\n}\n";
        let check = |old, new, expected: &[&str]| edited("a.rs", text, old, new, expected);
        check(
            "Circle(f64),\n",
            "Circle(f64),\n    Line,\n",
            &["Line new variant in Shape beside Circle Square"],
        );
        check(
            "Circle(f64)",
            "Circle(f64, f64)",
            &["Circle parameters in Shape"],
        );
        check(
            "x: i32,",
            "x: i32,\n    y: i32,",
            &["y new field in Point beside x"],
        );
        check("x: i32", "x: i64", &["x type in Point"]);
        check("a: u8", "a: u16", &["len parameters in Point"]);
        check(
            "fn area(&self)",
            "fn area(&self, scale: f64)",
            &["area parameters in Area"],
        );
        check(
            "fn area(&self) -> f64",
            "fn area(&self) -> f32",
            &["area type in Area"],
        );
        check(
            "MAX: usize = 3;",
            "MAX: usize = 3;\npub const MIN: usize = 12;",
            &["MIN new value beside MAX = 12"],
        );
        check("        1.0\n", "        2.0\n", &[]);
    }

    #[test]
    fn typescript() {
        let text = "export enum Mode {\n  Fast,\n  Slow = \"slow\",\n}\n\nexport interface Options {\n  mode: Mode;\n  size?: number;\n}\n\n\
                    export const run = (options: Options): void => {\n  go(options);\n};\n\n\
                    class Box {\n  width = 1;\n  area(scale: number): number {\n    return scale;\n  }\n}\n\n\
                    const LABELS = { fast: \"Fast\", slow: \"Slow\" };\n";
        let check = |old, new, expected: &[&str]| edited("a.ts", text, old, new, expected);
        check(
            "  Fast,\n",
            "  Fast,\n  Safe,\n",
            &["Safe new variant in Mode beside Fast Slow"],
        );
        check(
            "size?: number;",
            "size?: number;\n  name: string;",
            &["name new field in Options beside mode size"],
        );
        check(
            "(options: Options)",
            "(options: Options, n: number)",
            &["run parameters", "n new parameter in run"],
        );
        check("): number {", "): string {", &["area type in Box"]);
        check(
            "slow: \"Slow\"",
            "slow: \"Slow\", safe: \"Safe\"",
            &["safe new key in LABELS beside fast slow"],
        );
        check(
            "width = 1;",
            "width = 1;\n  height = 2;",
            &["height new field in Box beside width"],
        );
    }

    #[test]
    fn go() {
        let text = "package a\n\nconst (\n\tRed = iota\n\tGreen\n)\n\nconst Limit = 10\n\ntype Point struct {\n\tX int\n}\n\n\
                    func (p Point) Len(a int) float64 {\n\treturn 1\n}\n\nfunc Total(a []int) int {\n\treturn 0\n}\n";
        let check = |old, new, expected: &[&str]| edited("a.go", text, old, new, expected);
        check(
            "\tGreen\n",
            "\tGreen\n\tBlue\n",
            &["Blue new variant beside Red Green"],
        );
        check(
            "\tX int\n",
            "\tX int\n\tY int\n",
            &["Y new field in Point beside X"],
        );
        check(
            "Total(a []int)",
            "Total(a []int, b int)",
            &["Total parameters", "b new parameter in Total"],
        );
        check(
            "Total(a []int) int",
            "Total(a []int) (int, error)",
            &["Total type"],
        );
    }

    #[test]
    fn java() {
        let text = "enum Mode {\n    FAST,\n    SLOW\n}\n\nclass Box {\n    private int width;\n\n    \
                    int area(int scale) {\n        return scale;\n    }\n\n    \
                    Box(int width) {\n        this.width = width;\n    }\n}\n\nrecord Pair(int a) {}\n";
        let check = |old, new, expected: &[&str]| edited("A.java", text, old, new, expected);
        check(
            "    FAST,\n",
            "    FAST,\n    SAFE,\n",
            &["SAFE new variant in Mode beside FAST SLOW"],
        );
        check(
            "int width;",
            "int width;\n    private int height;",
            &["height new field in Box beside width"],
        );
        check("int scale", "long scale", &["area parameters in Box"]);
        check("int area", "long area", &["area type in Box"]);
        check("Pair(int a)", "Pair(int a, int b)", &["Pair parameters"]);
    }

    #[test]
    fn c() {
        let text = "#define LIMIT 30\n\nenum color {\n    RED,\n    GREEN,\n};\n\nstruct point {\n    int x;\n};\n\n\
                    int total(int a);\n\nint *total2(int a, char *b)\n{\n    return a;\n}\n\nstatic struct point origin;\n";
        let check = |old, new, expected: &[&str]| edited("a.c", text, old, new, expected);
        check(
            "#define LIMIT 30\n",
            "#define LIMIT 30\n#define MODE 0644\n",
            &["MODE new value beside LIMIT origin = 0644"],
        );
        check(
            "    GREEN,\n",
            "    GREEN,\n    BLUE,\n",
            &["BLUE new variant in color beside RED GREEN"],
        );
        check(
            "int x;",
            "int x;\n    int *y;",
            &["y new field in point beside x"],
        );
        check(
            "int total(int a);",
            "int total(int a, int b);",
            &["total parameters"],
        );
        check(
            "char *b",
            "char *b, int c",
            &["total2 parameters", "c new parameter in total2"],
        );
    }

    #[test]
    fn arms_of_choices() {
        for (path, text, old, new, expected) in [
            (
                "a.rs",
                "fn f(c: C) {\n    match c {\n        C::Red => a(),\n        C::Green => b(),\n        _ => {}\n    }\n}\n",
                "C::Green => b(),",
                "C::Green => b(),\n        C::Blue => d(),",
                "Blue new arm beside Red Green",
            ),
            (
                "a.ts",
                "function f(c) {\n  switch (c) {\n    case C.Red:\n      return 1;\n    case \"green\":\n      return 2;\n  }\n}\n",
                "    case \"green\":",
                "    case C.Blue:\n      return 3;\n    case \"green\":",
                "Blue new arm beside Red green",
            ),
            (
                "a.go",
                "package a\n\nfunc f(c C) int {\n\tswitch c {\n\tcase Red:\n\t\treturn 1\n\tcase Green:\n\t\treturn 2\n\t}\n\treturn 0\n}\n",
                "\tcase Green:",
                "\tcase Blue:\n\t\treturn 3\n\tcase Green:",
                "Blue new arm beside Red Green",
            ),
            (
                "A.java",
                "class A {\n  int f(C c) {\n    switch (c) {\n      case RED: return 1;\n      case GREEN: return 2;\n    }\n    return 0;\n  }\n}\n",
                "      case GREEN",
                "      case BLUE: return 3;\n      case GREEN",
                "BLUE new arm beside RED GREEN",
            ),
            (
                "a.c",
                "int f(int c) {\n    switch (c) {\n    case RED:\n        return 1;\n    case GREEN:\n        return 2;\n    }\n    return 0;\n}\n",
                "    case GREEN",
                "    case BLUE:\n        return 3;\n    case GREEN",
                "BLUE new arm beside RED GREEN",
            ),
            (
                "a.py",
                "def f(c):\n    match c:\n        case C.RED:\n            return 1\n        case C.GREEN:\n            return 2\n",
                "        case C.GREEN",
                "        case C.BLUE:\n            return 3\n        case C.GREEN",
                "BLUE new arm beside RED GREEN",
            ),
        ] {
            edited(path, text, old, new, &[expected]);
        }
    }

    #[test]
    fn keys_of_configurations() {
        edited(
            "a.json",
            "{\"a\": {\"x\": 1, \"y\": 2}}\n",
            "\"y\": 2",
            "\"y\": 2, \"z\": 3",
            &["z new key in a beside x y"],
        );
        edited(
            "a.yaml",
            "a:\n  x: 1\n  y: 2\n",
            "  y: 2\n",
            "  y: 2\n  z: 3\n",
            &["z new key in a beside x y"],
        );
        edited(
            "a.toml",
            "x = 1\ny = 2\n",
            "y = 2\n",
            "y = 2\nz = 3\n",
            &["z new key beside x y"],
        );
        check("a.txt", "x = 1\n", "x = 1\ny = 2\n", &[]);
    }
}
