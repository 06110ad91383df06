//! The colours of code: what each part of a text is, by its grammar's own query.

#[cfg(feature = "grammars")]
use super::faults::parsed;
#[cfg(feature = "grammars")]
use super::grammars::{grammar, highlights_query};
use super::language::Language;
#[cfg(feature = "grammars")]
use arborium::tree_sitter::{Query, QueryCursor, StreamingIterator};
#[cfg(feature = "grammars")]
use std::cmp::Reverse;
use std::ops::Range;

/// What a part of a text is, as far as colours tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A comment.
    Comment,
    /// A keyword.
    Keyword,
    /// A string or a character.
    Text,
    /// A number, or a constant of the language itself.
    Number,
    /// A function's or a tag's name.
    Function,
    /// A type's name.
    Type,
}

impl Class {
    /// By the name of a capture, which is the same in most editors: `keyword.function`.
    #[cfg(feature = "grammars")]
    fn of(capture: &str) -> Option<Class> {
        let (first, rest) = capture.split_once('.').unwrap_or((capture, ""));
        Some(match first {
            "comment" => Class::Comment,
            "keyword" | "conditional" | "repeat" | "exception" | "import" => Class::Keyword,
            "string" | "character" | "escape" => Class::Text,
            "number" | "float" | "boolean" => Class::Number,
            "constant" if rest == "builtin" => Class::Number,
            "function" | "tag" => Class::Function,
            "type" => Class::Type,
            _ => return None,
        })
    }
}

/// The coloured parts of some of a text, disjoint and in its order: byte ranges. There are none
/// without a grammar, or if the text is not parsed (it is too long, or takes too long).
#[cfg(feature = "grammars")]
pub fn highlights(language: Language, text: &str, of: Range<usize>) -> Vec<(Range<usize>, Class)> {
    let mut classes: Vec<Option<Class>> = vec![None; of.len()];
    for (range, class) in captures(language, text, &of).unwrap_or_default() {
        let start = range.start.max(of.start);
        let end = range.end.min(of.end);
        if start < end {
            classes[start - of.start..end - of.start].fill(class);
        }
    }

    let mut parts = Vec::new();
    let mut start = of.start;
    for run in classes.chunk_by(|a, b| a == b) {
        let end = start + run.len();
        parts.extend(run[0].map(|class| (start..end, class)));
        start = end;
    }
    parts
}

/// What the query of a grammar finds in some of a text. A later range overrides an earlier one: a
/// part of a part tells more, and of two patterns the later one, since queries are written so.
#[cfg(feature = "grammars")]
fn captures(
    language: Language,
    text: &str,
    of: &Range<usize>,
) -> Option<Vec<(Range<usize>, Option<Class>)>> {
    let tree = parsed(language, text)?;
    let query = Query::new(&grammar(language), highlights_query(language)).ok()?;
    let mut cursor = QueryCursor::new();
    cursor.set_byte_range(of.clone());

    let mut captured = Vec::new();
    let mut matches = cursor.matches(&query, tree.root_node(), text.as_bytes());
    while let Some(found) = matches.next() {
        for capture in found.captures {
            let name = query.capture_names()[capture.index as usize];
            if !name.starts_with('_') {
                let range = capture.node.byte_range();
                captured.push((range, found.pattern_index, Class::of(name)));
            }
        }
    }
    captured.sort_by_key(|(range, pattern, _)| (range.start, Reverse(range.end), *pattern));
    let captured = captured.into_iter();
    Some(captured.map(|(range, _, class)| (range, class)).collect())
}

/// Without grammars nothing is coloured.
#[cfg(not(feature = "grammars"))]
pub fn highlights(_: Language, _: &str, _: Range<usize>) -> Vec<(Range<usize>, Class)> {
    Vec::new()
}
