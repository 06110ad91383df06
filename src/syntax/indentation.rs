//! Python's indentation, which its grammar is lenient about: it takes a dedent to a column where
//! nothing began, a statement that is indented for no reason, and a block without statements.

use arborium::tree_sitter::Node;

/// Whether the statements of a block, the clauses of a statement and what a decorator belongs to
/// begin where they have to. True for every other node.
pub(super) fn is_right(node: Node<'_>, text: &str) -> bool {
    match node.kind() {
        "module" => {
            statements(node).all(|statement| indent(statement, text).is_none_or(str::is_empty))
        }
        "block" => {
            let mut indents = statements(node).map(|statement| indent(statement, text));
            // The first may follow the colon, on one line with those after it.
            match indents.next() {
                None => false,
                Some(None) => indents.all(|indent| indent.is_none()),
                Some(first) => indents.flatten().all(|indent| Some(indent) == first),
            }
        }
        "decorated_definition" => {
            let first = indent(node, text);
            statements(node).all(|part| indent(part, text) == first)
        }
        "elif_clause"
        | "else_clause"
        | "except_clause"
        | "except_group_clause"
        | "finally_clause" => {
            let of = node.parent().and_then(|statement| indent(statement, text));
            match (of, indent(node, text)) {
                (Some(of), Some(indent)) => of == indent,
                _ => true, // `x if a else b` is no statement
            }
        }
        _ => true,
    }
}

fn statements(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut child = node.child(0);
    std::iter::from_fn(move || {
        let this = child?;
        child = this.next_sibling();
        Some(this)
    })
    .filter(|child| child.is_named() && !child.is_extra() && !child.is_error())
}

/// The whitespace before a node, if it is the first of its line.
fn indent<'t>(node: Node<'_>, text: &'t str) -> Option<&'t str> {
    let before = &text[..node.start_byte()];
    let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    // A form feed is allowed there, and counts for nothing.
    let line = line.trim_start_matches(['\u{c}', '\u{feff}']);
    line.chars().all(|c| c == ' ' || c == '\t').then_some(line)
}
