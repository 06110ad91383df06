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

mod comment;
mod definitions;
mod fault;
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
pub use definitions::{Definition, definitions};
use fault::Fault;
#[cfg(feature = "grammars")]
use faults::faults;
#[cfg(feature = "grammars")]
pub use grammars::grammar;
pub use highlight::{Class, highlights};
pub use info_string::{info_string, names_language};
pub use language::Language;
pub use left_out::{ChangedText, LeftOut, left_out};
use similar::DiffOp;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// In a file that was broken already, a fault counts at most this many lines from a changed one. A
/// grammar finds its way back from a fault by guessing, and elsewhere it may guess otherwise now.
const NEAR: usize = 3;

/// Where a change broke a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Break {
    /// By the file's name.
    pub language: Language,
    /// The line after the change, counted from 1: the first one of the fault that was changed, or
    /// where it begins. A missing bracket is often noticed far below.
    pub line: usize,
    /// That line's text, without the whitespace around it.
    pub text: String,
}

/// Where the text of `path` no longer parses, and did before. `before`: none for a new file.
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
    let difference = Difference::of(before.unwrap_or_default(), after);
    let fault = if old.is_empty() {
        new.first()
    } else {
        difference.first_made_fault(&old, &new)
    }?;
    // A fault may be as long as the file, and the part of it that was changed says more.
    let is_in_fault =
        |lines: &&Range<usize>| lines.start.max(fault.lines.start) < lines.end.min(fault.lines.end);
    let changed = difference.come.iter().find(is_in_fault);
    let line = changed.map_or(fault.lines.start, |lines| {
        lines.start.max(fault.lines.start)
    });
    let text = after
        .lines()
        .nth(line)
        .unwrap_or_default()
        .trim()
        .to_owned();
    Some(Break {
        language,
        line: line + 1,
        text,
    })
}

/// A text with blanks in the place of comments and strings, where words are no code; each line stays
/// as long as it is. The text itself where there is no grammar.
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

/// Puts blanks in the place of some text, but not of newlines.
pub fn blank(text: &mut String, range: Range<usize>) {
    let blanks: String = text[range.clone()]
        .bytes()
        .map(|byte| if byte == b'\n' { '\n' } else { ' ' })
        .collect();
    text.replace_range(range, &blanks);
}

/// JSON that has commas behind last items may have more of them.
fn dialect(language: Language, before: Option<&str>) -> Language {
    let n_faults = |language: Language| Some(faults(language, before?)?.len());
    let is_jsonc = || n_faults(Language::Json) > Some(0) && n_faults(Language::Jsonc) == Some(0);
    if language == Language::Json && is_jsonc() {
        Language::Jsonc
    } else {
        language
    }
}

/// Without grammars nothing is known of any text.
#[cfg(not(feature = "grammars"))]
fn faults(_: Language, _: &str) -> Option<Vec<Fault>> {
    None
}

/// Which lines a change replaced by which. Lines count from 0.
struct Difference {
    /// From the lines that stayed to what they were before.
    was: HashMap<usize, usize>,
    /// Lines before that did not stay.
    gone: Vec<Range<usize>>,
    /// What is there instead.
    come: Vec<Range<usize>>,
}

impl Difference {
    fn of(before: &str, after: &str) -> Difference {
        let (before, after): (Vec<&str>, Vec<&str>) =
            (before.lines().collect(), after.lines().collect());
        let mut difference = Difference {
            was: HashMap::new(),
            gone: Vec::new(),
            come: Vec::new(),
        };
        for op in line_diff::diff(&before, &after) {
            if let DiffOp::Equal {
                old_index,
                new_index,
                len,
            } = op
            {
                difference
                    .was
                    .extend((0..len).map(|i| (new_index + i, old_index + i)));
            } else {
                difference.gone.push(op.old_range());
                difference.come.push(op.new_range());
            }
        }
        difference
    }

    /// The first of the `new` faults that the change made, in a file that had faults before.
    fn first_made_fault<'n>(&self, old: &[Fault], new: &'n [Fault]) -> Option<&'n Fault> {
        // What cannot be read tells nothing of a change in it.
        let is_unreadable =
            |fault: &Fault| self.gone.iter().any(|lines| meet(&fault.lines, lines, 0));
        if new.len() <= old.len() || old.iter().any(is_unreadable) {
            return None;
        }
        let known: HashSet<usize> = old.iter().map(|fault| fault.lines.start).collect();
        let is_known = |fault: &Fault| {
            self.was
                .get(&fault.lines.start)
                .is_some_and(|line| known.contains(line))
        };
        let is_near = |fault: &Fault| {
            self.come
                .iter()
                .any(|lines| meet(&fault.lines, lines, NEAR))
        };
        new.iter().find(|fault| !is_known(fault) && is_near(fault))
    }
}

/// Whether two ranges of lines, either of which may be empty, touch within a distance.
fn meet(a: &Range<usize>, b: &Range<usize>, distance: usize) -> bool {
    a.start <= b.end + distance && b.start <= a.end + distance
}
