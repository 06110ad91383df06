//! Whether a change leaves code that no longer parses or leaves code out; the definitions and the
//! colours of code.
//!
//! A file is parsed before and after, with tree-sitter's grammars. Only what is new counts: a file
//! that was broken already, a dialect or a template is not held against a change that did not make
//! it so. SWE-agent showed for Python that refusing edits that break the syntax gives better results
//! (Yang et al., 2024: <https://arxiv.org/abs/2405.15793>).
//!
//! A grammar is not a compiler. It takes some texts that the language does not have, so that a
//! change without a [`Break`] is not thereby right; and grammars exist for the [`Language`]s only.
//! Without the feature `grammars` there are none, and nothing is ever a break.

mod around;
mod changed;
mod comment;
#[cfg(feature = "grammars")]
mod declared;
mod definitions;
#[cfg(feature = "grammars")]
mod faults;
#[cfg(feature = "grammars")]
mod grammars;
mod highlight;
#[cfg(feature = "grammars")]
mod indentation;
mod info_string;
mod language;
mod left_out;
#[cfg(all(test, feature = "grammars"))]
mod tests;

use crate::text::line_diff;
pub use around::{groups_naming, statement_lines};
pub use changed::{ChangedDefinition, DefinitionChange, changed_definitions};
pub use definitions::{Definition, DefinitionKind, definitions};
#[cfg(feature = "grammars")]
use faults::faults;
#[cfg(feature = "grammars")]
pub use grammars::grammar;
pub use highlight::{Class, highlights};
pub use info_string::{info_string, names_language};
pub use language::Language;
pub use left_out::{ChangedText, LeftOut, left_out};
use similar::DiffTag;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// In a file that was broken already, a fault counts at most this many lines from a changed one. A
/// grammar finds its way back from a fault by guessing, and elsewhere it may guess otherwise now.
const NEAR: usize = 3;

/// Where a change broke a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Break {
    /// The language, by the file's name.
    pub language: Language,
    /// The line after the change, counted from 1: the first one of the fault that was changed, or
    /// where it begins. A missing bracket is often noticed far below.
    pub line: usize,
    /// That line's text, without the whitespace around it.
    pub text: String,
}

/// Where the text of `path` no longer parses, and did before. `before`: `None` for a new file.
///
/// `None` also where there is no grammar, or the text is too long or takes too long.
pub fn breaks(path: &str, before: Option<&str>, after: &str) -> Option<Break> {
    let language = dialect(Language::of_file(path, before.unwrap_or(after))?, before);
    let new = faults(language, after)?;
    if new.is_empty() {
        return None;
    }

    let old = match before {
        Some(before) => faults(language, before)?,
        None => Vec::new(),
    };
    let change = ChangedLines::of(before.unwrap_or_default(), after);
    let fault = if old.is_empty() {
        new.first()?
    } else {
        change.first_made_fault(&old, &new)?
    };

    // A fault may be as long as the file, and the part of it that was changed says more.
    let changed = change
        .come
        .iter()
        .find(|lines| lines.start.max(fault.start) < lines.end.min(fault.end));
    let line = changed.map_or(fault.start, |lines| lines.start.max(fault.start));
    let text = after.lines().nth(line).unwrap_or_default();
    Some(Break {
        language,
        line: line + 1,
        text: text.trim().to_owned(),
    })
}

/// A text with spaces in the place of comments and strings, where words are no code; each line stays
/// as long as it is. The text itself if there is no grammar.
pub fn without_prose<'t>(path: &str, text: &'t str) -> Cow<'t, str> {
    let Some(language) = Language::of(path) else {
        return Cow::Borrowed(text);
    };
    let mut code = text.to_owned();
    for (range, class) in highlights(language, text, 0..text.len()) {
        if matches!(class, Class::Comment | Class::Text) {
            blank(&mut code, range);
        }
    }
    Cow::Owned(code)
}

/// Puts spaces in the place of some text, but not of newlines.
pub fn blank(text: &mut String, range: Range<usize>) {
    let spaces: String = text[range.clone()]
        .bytes()
        .map(|byte| if byte == b'\n' { '\n' } else { ' ' })
        .collect();
    text.replace_range(range, &spaces);
}

/// JSON that has commas after last items may have more of them.
fn dialect(language: Language, before: Option<&str>) -> Language {
    if language == Language::Json
        && let Some(before) = before
        && faults(Language::Json, before).is_some_and(|faults| !faults.is_empty())
        && faults(Language::Jsonc, before).is_some_and(|faults| faults.is_empty())
    {
        Language::Jsonc
    } else {
        language
    }
}

/// Without grammars nothing is known of any text.
#[cfg(not(feature = "grammars"))]
fn faults(_: Language, _: &str) -> Option<Vec<Range<usize>>> {
    None
}

/// Which lines a change replaced by which. Lines count from 0.
#[derive(Default)]
struct ChangedLines {
    /// From the lines that stayed to what they were before.
    was: HashMap<usize, usize>,
    /// Lines before that did not stay.
    gone: Vec<Range<usize>>,
    /// The lines in their place.
    come: Vec<Range<usize>>,
}

impl ChangedLines {
    fn of(before: &str, after: &str) -> ChangedLines {
        let before: Vec<&str> = before.lines().collect();
        let after: Vec<&str> = after.lines().collect();
        let mut change = ChangedLines::default();
        for op in line_diff::diff(&before, &after) {
            if op.tag() == DiffTag::Equal {
                change.was.extend(op.new_range().zip(op.old_range()));
            } else {
                change.gone.push(op.old_range());
                change.come.push(op.new_range());
            }
        }
        change
    }

    /// The first of the `new` faults that the change made, in a file that had faults before.
    fn first_made_fault<'n>(
        &self,
        old: &[Range<usize>],
        new: &'n [Range<usize>],
    ) -> Option<&'n Range<usize>> {
        // A fault that the change touched tells nothing: it cannot be read.
        let is_unreadable = old
            .iter()
            .any(|fault| self.gone.iter().any(|lines| meet(fault, lines, 0)));
        if new.len() <= old.len() || is_unreadable {
            return None;
        }

        let known: HashSet<usize> = old.iter().map(|fault| fault.start).collect();
        new.iter().find(|fault| {
            let was = self.was.get(&fault.start);
            let is_known = was.is_some_and(|line| known.contains(line));
            let is_near = self.come.iter().any(|lines| meet(fault, lines, NEAR));
            !is_known && is_near
        })
    }
}

/// Whether two ranges of lines, either of which may be empty, touch within a distance.
fn meet(a: &Range<usize>, b: &Range<usize>, distance: usize) -> bool {
    a.start <= b.end + distance && b.start <= a.end + distance
}
