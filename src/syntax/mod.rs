//! Whether a change leaves code that no longer parses.
//!
//! A file is parsed before and after, with tree-sitter's grammars. Only what is new counts: a file
//! that was broken already, a dialect or a template is not held against a change that did not make
//! it so. SWE-agent showed for Python that refusing edits that break the syntax gives better results
//! (Yang et al., 2024: <https://arxiv.org/abs/2405.15793>).
//!
//! A grammar is not a compiler. It takes some texts that the language does not have, so that a
//! change without a [`Break`] is not thereby right; and grammars exist for the [`Language`]s only.
//! Without the feature `grammars` there are none, and nothing is ever a break.

mod faults;
#[cfg(feature = "grammars")]
mod grammars;
#[cfg(feature = "grammars")]
mod indentation;
mod language;
#[cfg(all(test, feature = "grammars"))]
mod tests;

use crate::text::line_diff;
use faults::{Fault, faults};
#[cfg(feature = "grammars")]
pub use grammars::grammar;
pub use language::Language;
use similar::DiffOp;
use std::collections::{HashMap, HashSet};

/// In a file that was broken already, a fault counts at most this many lines from a changed one. A
/// grammar finds its way back from a fault by guessing, and elsewhere it may guess otherwise now.
const NEAR: usize = 3;

/// Where a change broke a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Break {
    /// By the file's name.
    pub language: Language,
    /// The line after the change, counted from 1. A missing bracket is often noticed far below.
    pub line: usize,
    /// That line's text, without the whitespace around it.
    pub text: String,
}

/// Where the text of `path` no longer parses, and did before. `before`: none for a new file.
///
/// `None` also where there is no grammar, or the text is too long or takes too long.
pub fn breaks(path: &str, before: Option<&str>, after: &str) -> Option<Break> {
    let language = Language::of(path)?;
    let new = faults(language, after)?;
    if new.is_empty() {
        return None;
    }
    let fault = match before {
        None => new.first(),
        Some(before) => {
            let old = faults(language, before)?;
            if old.is_empty() { new.first() } else { worse(before, &old, after, &new) }
        }
    }?;
    let text = after.lines().nth(fault.lines.start).unwrap_or_default().trim().to_owned();
    Some(Break { language, line: fault.lines.start + 1, text })
}

/// The first of the `new` faults that the change made, in a file that had faults before.
fn worse<'n>(before: &str, old: &[Fault], after: &str, new: &'n [Fault]) -> Option<&'n Fault> {
    if new.len() <= old.len() {
        return None;
    }
    let (old_lines, new_lines): (Vec<&str>, Vec<&str>) =
        (before.lines().collect(), after.lines().collect());
    // From the lines that stayed to what they were before, and those that did not stay.
    let mut was = HashMap::new();
    let (mut gone, mut come) = (Vec::new(), Vec::new());
    for op in line_diff::diff(&old_lines, &new_lines) {
        match op {
            DiffOp::Equal { old_index, new_index, len } => {
                was.extend((0..len).map(|i| (new_index + i, old_index + i)));
            }
            _ => {
                gone.push(op.old_range());
                come.push(op.new_range());
            }
        }
    }
    // What cannot be read tells nothing of a change in it.
    if old.iter().any(|fault| gone.iter().any(|lines| meet(&fault.lines, lines, 0))) {
        return None;
    }
    let known: HashSet<usize> = old.iter().map(|fault| fault.lines.start).collect();
    let is_known =
        |fault: &Fault| was.get(&fault.lines.start).is_some_and(|line| known.contains(line));
    new.iter()
        .filter(|fault| !is_known(fault))
        .find(|fault| come.iter().any(|lines| meet(&fault.lines, lines, NEAR)))
}

/// Whether two ranges of lines, either of which may be empty, touch within a distance.
fn meet(a: &std::ops::Range<usize>, b: &std::ops::Range<usize>, distance: usize) -> bool {
    a.start <= b.end + distance && b.start <= a.end + distance
}
