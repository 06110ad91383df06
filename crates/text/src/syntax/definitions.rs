//! The definitions of a text: functions, types and what else has a name and a body.
//!
//! Where a line opens one, [`is_definition`] says, or the parse tree: a node with a name and a body.
//! Where it ends, the tree says, and without one the indentation.

#[cfg(feature = "grammars")]
use super::faults::parsed;
#[cfg(feature = "grammars")]
use super::language::Language;
use crate::text::{block_ends, indentation, is_definition};
#[cfg(feature = "grammars")]
use arborium::tree_sitter::Node;
#[cfg(feature = "grammars")]
use std::collections::BTreeMap;
use std::ops::Range;

/// What has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DefinitionKind {
    /// A function or a method, with parameters.
    Function,
    /// A class, a struct, an enum, an interface.
    Type,
    /// A constant, or a variable outside of functions.
    Value,
    /// A variant of an enum, or one of several constants that belong together.
    Variant,
    /// A field of a type.
    Field,
    /// A key of a table, an object or a configuration.
    Key,
    /// One of the cases of a choice, by what it is for.
    Arm,
    /// A parameter of a function.
    Parameter,
}

/// A definition of two lines or more. Lines count from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The line with its name.
    pub header: usize,
    /// All its lines, with the comments and attributes right above it.
    pub lines: Range<usize>,
}

impl Definition {
    fn of(header: usize, lines: Range<usize>) -> Definition {
        Definition { header, lines }
    }
}

/// The definitions of a text, in its order, nested ones too.
pub fn definitions(path: &str, text: &str) -> Vec<Definition> {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut found = by_grammar(path, text, &lines).unwrap_or_else(|| by_indentation(&lines));
    found.retain(|definition| definition.lines.len() > 1);
    for definition in &mut found {
        let header = lines[definition.header];
        let above = lines[..definition.lines.start].iter().rev();
        let n_above = above.take_while(|line| heads(line, header)).count();
        definition.lines.start -= n_above;
    }
    found
}

/// Whether a line is a comment or an attribute of the definition below it.
fn heads(line: &str, header: &str) -> bool {
    let text = line.trim_start();
    let is_mark = ["@", "#", "//", "/*", "*", "--"]
        .iter()
        .any(|mark| text.starts_with(mark));
    let is_as_deep = indentation(line).len() == indentation(header).len();
    is_mark && (is_as_deep || text.starts_with('*'))
}

fn by_indentation(lines: &[&str]) -> Vec<Definition> {
    let mut found = Vec::new();
    for (header, last) in block_ends(lines).into_iter().enumerate() {
        if let Some(last) = last
            && is_definition(lines[header])
        {
            found.push(Definition::of(header, header..last + 1));
        }
    }
    found
}

#[cfg(not(feature = "grammars"))]
fn by_grammar(_: &str, _: &str, _: &[&str]) -> Option<Vec<Definition>> {
    None
}

/// `None` where there is no grammar, or the text is not parsed.
#[cfg(feature = "grammars")]
fn by_grammar(path: &str, text: &str, lines: &[&str]) -> Option<Vec<Definition>> {
    let tree = parsed(Language::of_file(path, text)?, text)?;
    // By the line that they begin with. Of nodes that begin there together, the innermost with a body
    // counts, else the outermost.
    let mut found: BTreeMap<usize, Definition> = BTreeMap::new();
    let mut cursor = tree.walk();
    // The root is no definition.
    let mut has_more = cursor.goto_first_child();
    while has_more {
        let node = cursor.node();
        let start = node.start_position();
        let end = node.end_position();
        // A node may end with the newline after its last line.
        let last = end.row - usize::from(end.column == 0 && end.row > start.row);
        let begins_line = lines[start.row][..start.column].trim().is_empty();

        if begins_line && last > start.row && !node.is_error() {
            let lines_of_node = start.row..last + 1;
            if let Some(header) = header(node) {
                found.insert(start.row, Definition::of(header, lines_of_node));
            } else if is_definition(lines[start.row]) {
                found
                    .entry(start.row)
                    .or_insert(Definition::of(start.row, lines_of_node));
            }
        }

        has_more = cursor.goto_first_child() || cursor.goto_next_sibling();
        while !has_more && cursor.goto_parent() {
            has_more = cursor.goto_next_sibling();
        }
    }
    Some(found.into_values().collect())
}

/// The line with the name of a node that has a name and a body.
#[cfg(feature = "grammars")]
fn header(node: Node<'_>) -> Option<usize> {
    node.child_by_field_name("body")?;
    let name = ["name", "declarator", "type"]
        .iter()
        .find_map(|field| node.child_by_field_name(field))?;
    Some(name.start_position().row)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first line, the header and the last line of each definition, counted from 1.
    #[track_caller]
    fn check(path: &str, text: &str, expected: &[(usize, usize, usize)]) {
        let lines = |it: Definition| (it.lines.start + 1, it.header + 1, it.lines.end);
        let found: Vec<_> = definitions(path, text).into_iter().map(lines).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn definitions_with_all_their_lines() {
        let python = "import os\n\n# Loads.\n@cache\ndef load(\n    path,\n):\n    return 1\n\n\n\
                      class A:\n    def f(self):\n        return 1\n\n    x = 2\n\nif x:\n    y\n";
        check("a.py", python, &[(3, 5, 8), (11, 11, 15), (12, 12, 13)]);
        let rust = "/// One.\n#[derive(Debug)]\nstruct A {\n    x: u8,\n}\n\nimpl A {\n    \
                    pub fn f(&self) -> u8 {\n        self.x\n    }\n}\n";
        check("a.rs", rust, &[(1, 3, 5), (7, 7, 11), (8, 8, 10)]);
        let js = "export const f = async (x) => {\n  return x;\n};\n\nfunction g() {}\n\n\
                  class B {\n  m() {\n    for (;;) {\n      h();\n    }\n  }\n}\n";
        check("a.js", js, &[(1, 1, 3), (7, 7, 13), (8, 8, 12)]);
        let csharp = "class C\n{\n    int F(int x)\n    {\n        return x;\n    }\n}\n";
        check("a.cs", csharp, &[(1, 1, 7), (3, 3, 6)]);
        let cpp = "Foo::Foo(int a,\n         int b)\n    : a_(a) {\n  run();\n}\n";
        check("a.cpp", cpp, &[(1, 1, 5)]);
    }

    #[test]
    fn without_a_grammar_the_indentation_tells() {
        check(
            "a.lua",
            "function f(x)\n  local y = x\n  return y\nend\nf(1)\n",
            &[(1, 1, 4)],
        );
        check("a.txt", "one\ntwo\n", &[]);
    }
}
