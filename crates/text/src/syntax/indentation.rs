//! Python's indentation, which its grammar is lenient about: it takes a dedent to a column where
//! nothing began, a statement that is indented for no reason, and a block without statements.

use arborium::tree_sitter::Node;

/// Whether the statements of a block, the clauses of a statement and what a decorator belongs to
/// begin where they have to. True for every other node.
pub(super) fn is_right(node: Node<'_>, text: &str) -> bool {
    match node.kind() {
        "module" => statements(node)
            .iter()
            .all(|&statement| indent(statement, text).is_none_or(str::is_empty)),
        "block" => is_block_right(node, text),
        "decorated_definition" => {
            let first = indent(node, text);
            statements(node)
                .iter()
                .all(|&part| indent(part, text) == first)
        }
        "elif_clause"
        | "else_clause"
        | "except_clause"
        | "except_group_clause"
        | "finally_clause" => {
            let statement = node.parent().and_then(|statement| indent(statement, text));
            match (statement, indent(node, text)) {
                (Some(statement), Some(clause)) => statement == clause,
                _ => true, // `x if a else b` is no statement
            }
        }
        _ => true,
    }
}

/// Whether a block has statements, with the same indentation. The first may follow the colon, on
/// one line with those after it.
fn is_block_right(block: Node<'_>, text: &str) -> bool {
    let statements = statements(block);
    let mut indents = statements.iter().map(|&statement| indent(statement, text));
    match indents.next() {
        None => false,
        Some(None) => indents.all(|indent| indent.is_none()),
        Some(first) => indents.flatten().all(|indent| Some(indent) == first),
    }
}

fn statements(node: Node<'_>) -> Vec<Node<'_>> {
    // With a cursor: a node finds its next sibling from the root of the tree.
    let children = node.named_children(&mut node.walk()).collect::<Vec<_>>();
    children
        .into_iter()
        .filter(|child| !child.is_extra() && !child.is_error())
        .collect()
}

/// The whitespace before a node, if it is the first of its line.
fn indent<'t>(node: Node<'_>, text: &'t str) -> Option<&'t str> {
    // The parser knows where the line begins: it may be as long as the file.
    let start = node.start_byte();
    let line = &text[start - node.start_position().column..start];
    // A form feed is allowed there, and counts for nothing.
    let line = line.trim_start_matches(['\u{c}', '\u{feff}']);
    line.chars().all(|c| c == ' ' || c == '\t').then_some(line)
}
