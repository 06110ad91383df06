//! The colours of code: what each part of a text is, by its grammar's own query.

#[cfg(feature = "grammars")]
use super::faults::parsed;
#[cfg(feature = "grammars")]
use super::grammars::{grammar, highlights_query};
use super::language::Language;
#[cfg(feature = "grammars")]
use arborium::tree_sitter::{Query, QueryCursor, StreamingIterator};
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

/// The coloured parts of some of a text, disjoint and in its order: byte ranges. None where there
/// is no grammar, or the text is not parsed (it is too long, or takes too long).
#[cfg(feature = "grammars")]
pub fn highlights(language: Language, text: &str, of: Range<usize>) -> Vec<(Range<usize>, Class)> {
    let Some(tree) = parsed(language, text) else {
        return Vec::new();
    };
    let query = Query::new(&grammar(language), highlights_query(language));
    let Ok(query) = query else { return Vec::new() };
    let mut cursor = QueryCursor::new();
    cursor.set_byte_range(of.clone());
    let mut captured = Vec::new();
    let mut matches = cursor.matches(&query, tree.root_node(), text.as_bytes());
    while let Some(found) = matches.next() {
        for capture in found.captures {
            let name = query.capture_names()[capture.index as usize];
            if !name.starts_with('_') {
                captured.push((
                    capture.node.byte_range(),
                    found.pattern_index,
                    Class::of(name),
                ));
            }
        }
    }
    // A part of a part tells more, and of two patterns the later one: queries are written so.
    captured
        .sort_by_key(|(range, pattern, _)| (range.start, std::cmp::Reverse(range.end), *pattern));
    let mut classes: Vec<Option<Class>> = vec![None; of.len()];
    for (range, _, class) in captured {
        let (start, end) = (range.start.max(of.start), range.end.min(of.end));
        if start < end {
            classes[start - of.start..end - of.start].fill(class);
        }
    }
    let mut parts: Vec<(Range<usize>, Class)> = Vec::new();
    for (at, class) in classes.into_iter().enumerate() {
        let (at, Some(class)) = (of.start + at, class) else {
            continue;
        };
        match parts.last_mut() {
            Some((range, last)) if range.end == at && *last == class => range.end += 1,
            _ => parts.push((at..at + 1, class)),
        }
    }
    parts
}

/// Without grammars nothing is coloured.
#[cfg(not(feature = "grammars"))]
pub fn highlights(_: Language, _: &str, _: Range<usize>) -> Vec<(Range<usize>, Class)> {
    Vec::new()
}
