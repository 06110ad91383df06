//! Finds the definition around a line, in any language, from first words and indentation.
//!
//! It has two users: a place among equal lines is named by its definition, and the windows of a
//! long file begin at definitions. Both are hints: a wrong name costs the model a little, but never
//! changes a byte of the file. So a few patterns suffice, without a parser for each language.

use super::ident::is_identifier;
use fixedbitset::FixedBitSet;
use regex::Regex;
use std::sync::LazyLock;

/// Words that may come before the keyword of a definition.
const MODIFIERS: &str = concat!(
    r"(?:(?:pub(?:\([a-z ]+\))?|public|private|protected|internal|open|fileprivate|static|final",
    r"|abstract|async|unsafe|const|extern(?:\s+\x22C\x22)?|export|default|override|virtual|inline",
    r"|sealed|partial|data|suspend|mutating|declare|local|@\w+)\s+)*",
);

/// The keywords of definitions.
const KEYWORDS: &str = concat!(
    r"fn|def|defp|class|func|fun|function\*?|sub|proc|struct|enum|union|trait|interface|protocol",
    r"|extension|impl|mod|module|namespace|object|record|macro_rules!|type|procedure|defmodule",
);

static KEYWORD: LazyLock<Regex> = LazyLock::new(|| {
    let generics = r"(?:<[^>]*>)?\s+(?:\([^)]*\)\s*)?";
    let name = r"([A-Za-z_$][\w$.]*(?:::[\w$]+)*[?!]?)";
    let pattern = format!(r"^\s*{MODIFIERS}(?:{KEYWORDS}){generics}{name}");
    Regex::new(&pattern).expect("a fixed pattern")
});

/// `name = (…) =>` and `name: function`, as in JavaScript.
static ASSIGNED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^\s*(?:export\s+)?(?:const|let|var)\s+([\w$]+)\s*(?::[^=]+)?=\s*(?:async\s*)?",
        r"(?:function\b|\(?[\w\s,:={}\[\].?<>|]*\)?\s*(?::[^=]+)?=>)",
    ))
    .expect("a fixed pattern")
});

/// `type name(…) {` or `name(…) {`, as in C and related languages.
static C_LIKE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:[\w:<>,*&\[\]~]+\s+)*[*&]*([A-Za-z_~][\w:~]*)\s*\([^;]*\)[^;=]*\{\s*$")
        .expect("a fixed pattern")
});

/// What opens a block of a type that is defined elsewhere.
static REOPENING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(&format!(r"^\s*{MODIFIERS}(?:impl|extension)\b")).expect("a fixed pattern")
});

/// Headings of Markdown, and section headers of TOML and INI.
static SECTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:#{1,6}\s+(\S.*?)\s*#*|\[+([^\[\]]+)\]+)\s*$").expect("a fixed pattern")
});

/// Statements that look like a call with a block.
const STATEMENTS: [&str; 10] = [
    "if", "for", "while", "switch", "catch", "match", "return", "else", "foreach", "with",
];

/// The longest name of a place, in characters.
const MAX_NAME: usize = 40;

/// The definitions of a text: for each line, the name of the definition around it. Building it
/// matches every line against a few patterns and is slow for a long file: do it once.
#[derive(Clone, Debug)]
pub struct Outline {
    enclosing: Vec<Option<usize>>,
    /// The lines that open a definition or a section.
    opening: FixedBitSet,
    names: Vec<String>,
}

impl Outline {
    /// Builds the outline of a text.
    pub fn of(text: &str) -> Outline {
        let mut names: Vec<String> = Vec::new();
        // Indentation, and index in `names`, of each definition that may enclose a line.
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut enclosing = Vec::new();
        let mut opening =
            FixedBitSet::with_capacity(text.bytes().filter(|&b| b == b'\n').count() + 1);
        for line in text.split('\n') {
            if line.trim().is_empty() {
                enclosing.push(open.last().map(|&(_, name)| name));
                continue;
            }
            let indent = line.len() - line.trim_start().len();
            let section = line.starts_with(['#', '[']) && SECTION.is_match(line);
            let closes = line.trim_start().starts_with(['}', ')', ']'])
                || line.trim_start().starts_with("end");
            // A closing bracket is the last line of its definition. Any other line at the
            // definition's own depth is outside it, except below a heading.
            let stays = |depth: usize, name: &String| {
                depth < indent || (depth == indent && (closes || name.starts_with('§')))
            };
            while open.last().is_some_and(|&(depth, name)| {
                !stays(depth, &names[name]) || (section && depth >= indent)
            }) {
                open.pop();
            }
            if let Some(name) = definition_name(line) {
                opening.insert(enclosing.len());
                names.push(if section { format!("§{name}") } else { name });
                open.push((indent, names.len() - 1));
            }
            enclosing.push(open.last().map(|&(_, name)| name));
        }
        for name in &mut names {
            *name = name
                .trim_start_matches('§')
                .chars()
                .take(MAX_NAME)
                .collect();
        }
        Outline {
            enclosing,
            opening,
            names,
        }
    }

    /// Whether a line (counted from 0) opens a definition or a section.
    pub fn opens(&self, line_idx: usize) -> bool {
        self.opening.contains(line_idx)
    }

    /// The name of the definition that contains or begins at a line (counted from 0).
    pub fn enclosing(&self, line_idx: usize) -> Option<&str> {
        let name = (*self.enclosing.get(line_idx)?)?;
        Some(&self.names[name])
    }
}

/// Whether a line opens a definition or a section.
pub fn is_definition(line: &str) -> bool {
    definition_name(line).is_some()
}

/// The name that a line gives to a function, a type or a module: `close` in `fn Server::close() {`.
/// A heading or section has no such name, and `impl Shape for Circle` defines neither.
pub fn defined_name(line: &str) -> Option<&str> {
    if SECTION.is_match(line) || REOPENING.is_match(line) {
        return None;
    }
    let name = name_in(line)?.rsplit(['.', ':']).next()?;
    let name = name.trim_matches(['~', '?', '!']);
    is_identifier(name).then_some(name)
}

fn definition_name(line: &str) -> Option<String> {
    Some(name_in(line)?.trim().to_owned())
}

fn name_in(line: &str) -> Option<&str> {
    if line.len() > 400 {
        return None; // minified code and data, not a definition
    }
    let first_word = line
        .trim_start()
        .split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default();
    if STATEMENTS.contains(&first_word) {
        return None;
    }
    let captures = KEYWORD
        .captures(line)
        .or_else(|| ASSIGNED.captures(line))
        .or_else(|| SECTION.captures(line))
        .or_else(|| C_LIKE.captures(line))?;
    Some(captures.iter().skip(1).flatten().next()?.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, name: Option<&str>) {
        assert_eq!(definition_name(line).as_deref(), name, "{line}");
    }

    #[test]
    fn definitions_of_many_languages() {
        check("pub async fn load<T>(x: T) {", Some("load"));
        check("    def area(self):", Some("area"));
        check("class Circle(Shape):", Some("Circle"));
        check("func (s *Server) Close() error {", Some("Close"));
        check(
            "    func processItem(_ item: Item) -> Bool {",
            Some("processItem"),
        );
        check("export default async function main() {", Some("main"));
        check("const total = (items) => {", Some("total"));
        check("static int parse_line(const char *s) {", Some("parse_line"));
        check("impl Shape for Circle {", Some("Shape"));
        check("impl<T> Stack<T> {", Some("Stack"));
        check("## Install it", Some("Install it"));
        check("[dependencies]", Some("dependencies"));
    }

    #[test]
    fn names_that_a_line_defines() {
        let check = |line: &str, name: Option<&str>| assert_eq!(defined_name(line), name, "{line}");
        check("pub async fn load<T>(x: T) {", Some("load"));
        check("    def area(self):", Some("area"));
        check("int Parser::next_line(FILE *f) {", Some("next_line"));
        check("function M.close(handle)", Some("close"));
        check("const total = (items) => {", Some("total"));
        check("class Circle(Shape):", Some("Circle"));
        check("impl Shape for Circle {", None);
        check("extension Circle {", None);
        check("## install", None);
        check("[dependencies]", None);
        check("    return compute(x);", None);
    }

    #[test]
    fn statements_are_not_definitions() {
        check("    if (a > b) {", None);
        check("    return compute(x);", None);
        check("    let x = compute(y);", None);
        check("for (;;) {", None);
        check("int parse_line(const char *s);", None);
        check("", None);
    }

    #[test]
    fn a_line_knows_its_definition() {
        let text =
            "import os\n\nclass A:\n    def f(self):\n        return 1\n\n    x = 2\n\ny = 3\n";
        let outline = Outline::of(text);
        let names: Vec<_> = (0..9)
            .map(|i| outline.enclosing(i).unwrap_or("-"))
            .collect();
        assert_eq!(names, ["-", "-", "A", "f", "f", "f", "A", "A", "-"]);
        assert_eq!(
            (0..9).filter(|&i| outline.opens(i)).collect::<Vec<_>>(),
            [2, 3]
        );
        let braces = Outline::of("fn a() {\n    1\n}\nlet x;\n");
        assert_eq!(
            (0..4)
                .map(|i| braces.enclosing(i).unwrap_or("-"))
                .collect::<Vec<_>>(),
            ["a", "a", "a", "-"]
        );
        let sections = Outline::of("[a]\nx = 1\n[b]\nx = 1\n");
        assert_eq!(
            (0..4)
                .map(|i| sections.enclosing(i).unwrap_or("-"))
                .collect::<Vec<_>>(),
            ["a", "a", "b", "b"]
        );
    }
}
