//! Finds the definition around a line, in any language, from first words and indentation.
//!
//! It has two users: a place among equal lines is named by its definition, and the windows of a
//! long file begin at definitions. Both are hints: a wrong name costs the model a little, but never
//! changes a byte of the file. So a few patterns suffice, without a parser for each language.

use super::ident::is_identifier;
use super::lines::indentation;
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
        let mut outline = Outline {
            enclosing: Vec::new(),
            opening: FixedBitSet::with_capacity(text.matches('\n').count() + 1),
            names: Vec::new(),
        };
        // The definitions that may enclose the next line.
        let mut open: Vec<Open> = Vec::new();

        for line in text.split('\n') {
            if !line.trim().is_empty() {
                let is_section = line.starts_with(['#', '[']) && SECTION.is_match(line);
                while open
                    .last()
                    .is_some_and(|last| last.ends_before(line, is_section))
                {
                    open.pop();
                }
                if let Some(name) = name_in(line) {
                    open.push(Open {
                        indent: indentation(line).len(),
                        name: outline.names.len(),
                        is_section,
                    });
                    outline.opening.insert(outline.enclosing.len());
                    let name = name.trim().chars().take(MAX_NAME);
                    outline.names.push(name.collect());
                }
            }
            outline.enclosing.push(open.last().map(|last| last.name));
        }
        outline
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

/// A definition that lines may be in.
struct Open {
    indent: usize,
    /// Index in the names of the outline.
    name: usize,
    is_section: bool,
}

impl Open {
    /// Whether a line that is not blank is outside the definition. A closing bracket is its last
    /// line. Any other line at the definition's own depth is outside, except below a heading.
    fn ends_before(&self, line: &str, is_section: bool) -> bool {
        let depth = indentation(line).len();
        let text = line.trim_start();
        let closes = text.starts_with(['}', ')', ']']) || text.starts_with("end");
        let stays = self.indent < depth || (self.indent == depth && (closes || self.is_section));
        !stays || (is_section && self.indent >= depth)
    }
}

/// Whether a line opens a definition or a section.
pub fn is_definition(line: &str) -> bool {
    name_in(line).is_some()
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
    use crate::text::testing::rows;

    #[test]
    fn definitions_of_many_languages() {
        // Columns: a line, the name of what it opens, and the name that it defines.
        for [line, name, defined] in rows(
            "
            pub async fn load<T>(x: T) {       | load        | load
            ····def area(self):                       | area        | area
            class Circle(Shape):                      | Circle      | Circle
            func (s *Server) Close() error {          | Close       | Close
            ····func processItem(_ i: Item) -> Bool { | processItem | processItem
            export default async function main() {    | main        | main
            const total = (items) => {                | total       | total
            static int parse_line(const char *s) {    | parse_line  | parse_line
            int Parser::next_line(FILE *f) {          | Parser::next_line | next_line
            function M.close(handle)                  | M.close     | close
            impl Shape for Circle {                   | Shape       | -
            impl<T> Stack<T> {                        | Stack       | -
            extension Circle {                        | Circle      | -
            ## Install it                             | Install it  | -
            [dependencies]                            | dependencies | -
            ····if (a > b) {                          | -           | -
            ····return compute(x);                    | -           | -
            ····let x = compute(y);                   | -           | -
            for (;;) {                                | -           | -
            int parse_line(const char *s);            | -           | -
            ",
        ) {
            assert_eq!(name_in(&line).map_or("-", str::trim), name, "{line}");
            assert_eq!(defined_name(&line).unwrap_or("-"), defined, "{line}");
        }
        assert_eq!(name_in(""), None);
    }

    #[test]
    fn a_line_knows_its_definition() {
        for (text, expected) in [
            (
                "import os\n\nclass A:\n    def f(self):\n        return 1\n\n    x = 2\n\ny = 3\n",
                "- - A f f f A A - -",
            ),
            ("fn a() {\n    1\n}\nlet x;\n", "a a a - -"),
            ("[a]\nx = 1\n[b]\nx = 1\n", "a a b b b"),
        ] {
            let outline = Outline::of(text);
            let n_lines = text.split('\n').count();
            let names = (0..n_lines).map(|i| outline.enclosing(i).unwrap_or("-"));
            assert_eq!(names.collect::<Vec<_>>().join(" "), expected);
            for (i, line) in text.split('\n').enumerate() {
                assert_eq!(outline.opens(i), is_definition(line), "{line}");
            }
        }
    }
}
