//! The code around names: the lines of the statement that uses one, and the groups (arms, tables,
//! lists) that name several things together.

#[cfg(feature = "grammars")]
use super::declared::{lines_of, text_of};
#[cfg(feature = "grammars")]
use super::faults::parsed;
#[cfg(feature = "grammars")]
use super::language::Language;
#[cfg(feature = "grammars")]
use arborium::tree_sitter::{Node, Tree};
use std::ops::{Range, RangeInclusive};

/// Of a longer statement only the line with the name counts.
#[cfg(feature = "grammars")]
const MOST_OF_STATEMENT: usize = 12;

/// A group of more lines is no one thing.
#[cfg(feature = "grammars")]
const MOST_OF_GROUP: usize = 40;

/// The lines of the statement around each place of a text, without the block that it heads; counted
/// from 1. Without a grammar the line of the place. Those in imports are left out.
pub fn statement_lines(path: &str, text: &str, at: &[Range<usize>]) -> Vec<RangeInclusive<usize>> {
    let tree = tree(path, text);
    let mut lines = Vec::with_capacity(at.len());
    for at in at {
        let line = text[..at.start].matches('\n').count() + 1;
        match &tree {
            Some(tree) => lines.extend(statement_around(tree, at)),
            None => lines.push(line..=line),
        }
    }
    lines
}

/// The lines of the smallest parts of a text that name `least` of these names at least, as identifiers
/// or as strings: a `match`, a table, a list of exports. With one name, the table or the choice around
/// it. Statements that only follow each other are no group. None without a grammar.
pub fn groups_naming(
    path: &str,
    text: &str,
    names: &[String],
    least: usize,
) -> Vec<RangeInclusive<usize>> {
    tree(path, text).map_or(Vec::new(), |tree| groups(&tree, text, names, least))
}

#[cfg(not(feature = "grammars"))]
struct Tree;

#[cfg(not(feature = "grammars"))]
fn tree(_: &str, _: &str) -> Option<Tree> {
    None
}

#[cfg(not(feature = "grammars"))]
fn statement_around(_: &Tree, _: &Range<usize>) -> Option<RangeInclusive<usize>> {
    None
}

#[cfg(not(feature = "grammars"))]
fn groups(_: &Tree, _: &str, _: &[String], _: usize) -> Vec<RangeInclusive<usize>> {
    Vec::new()
}

#[cfg(feature = "grammars")]
fn tree(path: &str, text: &str) -> Option<Tree> {
    parsed(Language::of_file(path, text)?, text)
}

/// `None` in an import.
#[cfg(feature = "grammars")]
fn statement_around(tree: &Tree, at: &Range<usize>) -> Option<RangeInclusive<usize>> {
    let root = tree.root_node();
    let mut node = root.descendant_for_byte_range(at.start, at.end)?;
    while let Some(parent) = node.parent() {
        let lines = lines_of(parent);
        if parent == root || is_list_of_statements(parent.kind()) {
            break;
        }
        if let Some(list) = parent.child_by_field_name("parameters") {
            // The head of a function.
            return Some(*lines.start()..=*lines_of(list).end());
        }
        if heads_block(parent) || lines.end() - lines.start() >= MOST_OF_STATEMENT {
            break;
        }
        node = parent;
    }
    let is_import = node.kind().contains("import") || node.kind() == "use_declaration";
    (!is_import).then(|| lines_of(node))
}

/// Whether a node has a block of statements in it.
#[cfg(feature = "grammars")]
fn heads_block(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    let mut children = node.named_children(&mut cursor);
    children.any(|child| is_list_of_statements(child.kind()))
}

#[cfg(feature = "grammars")]
fn is_list_of_statements(kind: &str) -> bool {
    matches!(
        kind,
        "block"
            | "statement_block"
            | "compound_statement"
            | "statement_list"
            | "statements"
            | "declaration_list"
            | "body_statement"
            | "function_body"
            | "class_body"
            | "field_declaration_list"
            | "match_block"
            | "switch_body"
            | "switch_block"
            | "then"
    )
}

#[cfg(feature = "grammars")]
fn groups(tree: &Tree, text: &str, names: &[String], least: usize) -> Vec<RangeInclusive<usize>> {
    let found = leaves_named(tree, text, names);
    let mut groups: Vec<Node<'_>> = Vec::new();
    for &(_, leaf) in &found {
        let group = std::iter::successors(leaf.parent(), Node::parent).find(|node| {
            let mut named: Vec<usize> = Vec::new();
            for (name, other) in &found {
                if contains(*node, *other) && !named.contains(name) {
                    named.push(*name);
                }
            }
            named.len() >= least && (least > 1 || is_table(node.kind()))
        });
        if let Some(group) = group.filter(|it| is_one_thing(*it))
            && !groups.contains(&group)
        {
            groups.push(group);
        }
    }

    let mut lines = Vec::new();
    for &group in &groups {
        let mut others = groups.iter().filter(|&&other| other != group);
        if !others.any(|&other| contains(other, group)) {
            lines.push(lines_of(group));
        }
    }
    lines
}

/// Whether a node is more than statements that follow each other.
#[cfg(feature = "grammars")]
fn is_one_thing(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else {
        return false;
    };
    let lines = lines_of(node);
    // In C a switch has a block like any other.
    let is_choice = parent.kind().contains("switch") || node.kind() == "match_block";
    let is_block = is_list_of_statements(node.kind()) && !node.kind().starts_with("switch");
    lines.end() - lines.start() < MOST_OF_GROUP && (is_choice || !is_block)
}

#[cfg(feature = "grammars")]
fn is_table(kind: &str) -> bool {
    const WORDS: [&str; 8] = [
        "match_block",
        "match_statement",
        "switch",
        "when_expression",
        "dictionary",
        "object",
        "array",
        "hash",
    ];
    WORDS
        .iter()
        .any(|word| kind.starts_with(word) || kind.ends_with(word))
}

/// The leaves of a tree that spell one of these names, each with the name's index.
#[cfg(feature = "grammars")]
fn leaves_named<'t>(tree: &'t Tree, text: &str, names: &[String]) -> Vec<(usize, Node<'t>)> {
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        if cursor.goto_first_child() {
            continue;
        }
        let spelled = text_of(node, text).trim_matches(['"', '\'', '`']);
        let name = names.iter().position(|name| name == spelled);
        if let Some(name) = name.filter(|_| node.is_named() && !node.kind().contains("comment")) {
            found.push((name, node));
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

#[cfg(feature = "grammars")]
fn contains(outer: Node<'_>, inner: Node<'_>) -> bool {
    outer.start_byte() <= inner.start_byte() && inner.end_byte() <= outer.end_byte()
}

#[cfg(feature = "grammars")]
#[cfg(test)]
mod tests {
    use super::*;

    /// The lines around the only `f` of a text.
    #[track_caller]
    fn check(path: &str, text: &str, expected: RangeInclusive<usize>) {
        let start = text.find("ff").unwrap();
        let at = start..start + 2;
        let found = statement_lines(path, text, std::slice::from_ref(&at));
        assert_eq!(found, [expected], "{text}");
    }

    #[test]
    fn statements_around_a_name() {
        check("a.py", "x = 1\ny = ff(1)\nz = 2\n", 2..=2);
        check("a.py", "y = ff(\n    1,\n    2,\n)\nz = 2\n", 1..=4);
        check("a.py", "if ff(1) > 2:\n    a()\n    b()\n", 1..=1);
        check(
            "a.py",
            "class A:\n    def ff(\n        self, a\n    ):\n        pass\n",
            2..=4,
        );
        check(
            "a.rs",
            "fn a() {\n    let x = ff(\n        1,\n    );\n    b();\n}\n",
            2..=4,
        );
        check(
            "a.rs",
            "fn a() {\n    match ff(1) {\n        A => b(),\n    }\n}\n",
            2..=2,
        );
        check(
            "a.ts",
            "function a() {\n  b();\n  return ff(1,\n    2);\n}\n",
            3..=4,
        );
        check(
            "a.go",
            "package a\n\nfunc a() {\n\tif x := ff(1); x {\n\t\tb()\n\t}\n}\n",
            4..=4,
        );
        check(
            "A.java",
            "class A {\n  int g() {\n    return ff(1)\n      + 2;\n  }\n}\n",
            3..=4,
        );
        check(
            "a.c",
            "int ff(int a,\n       int b)\n{\n    return 1;\n}\n",
            1..=2,
        );
        check("a.lua", "x = 1\ny = ff(\n1)\n", 2..=2);
        for (path, import) in [
            ("a.py", "from a import ff\n"),
            ("a.rs", "use a::{ff, g};\n"),
            ("a.ts", "import { ff } from 'a';\n"),
        ] {
            let start = import.find("ff").unwrap();
            let at = start..start + 2;
            assert!(statement_lines(path, import, std::slice::from_ref(&at)).is_empty());
        }
    }

    /// The groups that name two of Red, Green and Blue, or one of Red alone.
    #[track_caller]
    fn named(path: &str, text: &str, expected: &[RangeInclusive<usize>]) {
        let names = ["Red", "Green", "Blue"].map(str::to_owned);
        assert_eq!(groups_naming(path, text, &names, 2), expected, "{text}");
    }

    #[test]
    fn groups_that_name_things_together() {
        let rust = "fn f(c: C) -> u8 {\n    match c {\n        C::Red | C::Blue => 1,\n        C::Green => 2,\n    }\n}\n";
        named("a.rs", rust, &[2..=5]);
        let go = "package a\n\nfunc f(c C) int {\n\tswitch c {\n\tcase Red:\n\t\treturn 1\n\tcase Green:\n\t\treturn 2\n\t}\n\treturn 0\n}\n";
        named("a.go", go, &[4..=9]);
        let java = "class A {\n  int f(C c) {\n    switch (c) {\n      case Red: return 1;\n      case Green: return 2;\n    }\n    return 0;\n  }\n}\n";
        named("A.java", java, &[3..=6]);
        let c = "int f(int c) {\n    switch (c) {\n    case Red:\n        return 1;\n    case Green:\n        return 2;\n    }\n    return 0;\n}\n";
        named("a.c", c, &[2..=7]);
        let ts = "function f(c) {\n  switch (c) {\n    case C.Red:\n      return 1;\n    case C.Green:\n      return 2;\n  }\n}\n";
        named("a.ts", ts, &[2..=7]);
        let python = "NAMES = {\n    \"Red\": 1,\n    \"Green\": 2,\n}\n\n\ndef f(c):\n    if c == C.Red:\n        return 1\n    elif c == C.Blue:\n        return 2\n    return 3\n";
        named("a.py", python, &[1..=4, 8..=11]);
        named(
            "a.json",
            "{\n  \"x\": {\n    \"Red\": 1,\n    \"Green\": 2\n  }\n}\n",
            &[2..=5],
        );
        named("a.yaml", "x:\n  Red: 1\n  Green: 2\ny: 1\n", &[2..=3]);
        // Statements that follow each other, and words in comments.
        named("a.py", "def f():\n    Red()\n    Green()\n", &[]);
        named("a.py", "# Red, Green\nx = 1\n", &[]);
    }

    #[test]
    fn one_name_in_a_table_or_a_choice() {
        let one = ["Red".to_owned()];
        let text = "x = {\n    \"Red\": 1,\n}\nRed()\ny = f(Red)\n";
        assert_eq!(groups_naming("a.py", text, &one, 1), [1..=3]);
        let text =
            "fn f(c: C) -> u8 {\n    match c {\n        C::Red => 1,\n        _ => 2,\n    }\n}\n";
        assert_eq!(groups_naming("a.rs", text, &one, 1), [2..=5]);
    }
}
