//! Where one text does not parse.

use super::language::Language;
use super::{grammars, indentation};
use arborium::tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};
use std::ops::{ControlFlow, Range};
use std::time::{Duration, Instant};

/// A longer text is not parsed, bytes.
pub(super) const MAX_BYTES: usize = 1 << 20;

/// The longest that a text is parsed. 60 KB take 50 ms at most; some junk would take minutes.
const DEADLINE: Duration = Duration::from_secs(1);

/// In a text that nests deeper, some grammars give up by ending the process: they have a fixed
/// room to remember open blocks and strings in.
const MAX_DEPTH: usize = 200;

/// The faults of a text, in its order: lines counted from 0, at least one each. `None` if the text
/// was not read to its end, which says nothing.
pub(super) fn faults(language: Language, text: &str) -> Option<Vec<Range<usize>>> {
    let tree = parsed(language, text)?;
    let mut faults = Vec::new();
    let mut cursor = tree.walk();
    // In the text's order, without recursion: a hostile text nests as deep as it is long.
    loop {
        let node = cursor.node();
        if is_fault(language, node, text) {
            let last = node.end_position().row.max(node.start_position().row);
            faults.push(node.start_position().row..last + 1);
        }

        let may_have_more = match language {
            Language::Python | Language::Html => true,
            _ => node.has_error(),
        };
        if may_have_more && !node.is_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some(faults);
            }
        }
    }
}

fn is_fault(language: Language, node: Node<'_>, text: &str) -> bool {
    let is_wrong = node.is_error() || node.is_missing() || node.kind() == "erroneous_end_tag";
    match language {
        Language::Python => is_wrong || !indentation::is_right(node, text),
        Language::Jsonc => is_wrong && !is_last_comma(node, text),
        _ => is_wrong,
    }
}

/// Whether a fault of JSON is a comma after the last item of an array or object, or what the grammar
/// misses there.
fn is_last_comma(node: Node<'_>, text: &str) -> bool {
    let before = beside(node, |node| node.prev_sibling());
    let after = beside(node, |node| node.next_sibling());
    let is_comma = if node.is_missing() {
        before == Some(",")
    } else {
        text.get(node.byte_range()) == Some(",") && !matches!(before, Some("[" | "{"))
    };
    is_comma && matches!(after, Some("]" | "}"))
}

/// The kind of the next node in a direction that is no comment.
fn beside(node: Node<'_>, step: fn(Node<'_>) -> Option<Node<'_>>) -> Option<&'static str> {
    let nodes = std::iter::successors(step(node), |&node| step(node));
    nodes
        .map(|node| node.kind())
        .find(|&kind| kind != "comment")
}

/// Parses a text, in bounded time. `None` if it is too long, nests too deep, or takes too long.
pub(super) fn parsed(language: Language, text: &str) -> Option<Tree> {
    if text.len() > MAX_BYTES || nests_deep(text) {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(&grammars::grammar(language)).ok()?;
    let begun = Instant::now();
    let mut progress = |_: &ParseState| {
        if begun.elapsed() > DEADLINE {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    parser.parse_with_options(
        &mut |at: usize, _| text.as_bytes().get(at..).unwrap_or_default(),
        None,
        Some(options),
    )
}

/// By the brackets that are open, and by what a line begins with: spaces and the dashes of YAML,
/// of which one line can open many blocks.
fn nests_deep(text: &str) -> bool {
    let mut depth = 0usize;
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_DEPTH {
            return true;
        }
    }

    text.lines().any(|line| {
        let indent = line.trim_start_matches([' ', '\t', '-', '?', ':']);
        line.len() - indent.len() > MAX_DEPTH
    })
}
