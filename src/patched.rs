//! A file before and after an edit, and after all edits of an answer.

use crate::diff::{FileDiff, unified};
use crate::edit::{EditSet, Replacement};
use crate::locate::Rung;
use crate::slots::Operation;
use crate::text::Text;
use crate::workspace::Change;
use std::ops::Range;

/// A file before and after an edit.
#[derive(Clone, Debug)]
pub struct Patched {
    /// Relative to the root.
    pub path: String,
    /// What is done: what the model chose, or a rename of all uses where it renamed a definition.
    pub operation: Operation,
    /// The file as the model saw it; empty for a new one.
    pub before: Text,
    /// The file's bytes after the edit, and after those before it in the same answer.
    pub after: Vec<u8>,
    /// What is replaced, in file order.
    pub replacements: Vec<Replacement>,
    /// How the answer's text was found in the file.
    pub rung: Rung,
    /// The parts of the file that the model saw, in file order: byte ranges of [`Text::shown`].
    pub seen: Vec<Range<usize>>,
}

impl Patched {
    /// A file with another text at these places, which are disjoint and sorted. `None` if its encoding
    /// cannot hold it.
    pub fn replacing(
        path: &str,
        before: Text,
        places: Vec<Range<usize>>,
        new: &str,
    ) -> Option<Patched> {
        let mut replacements = Vec::new();
        for range in places {
            let new = new.to_owned();
            replacements.push(Replacement { range, new });
        }
        let edit_set = EditSet::of_sorted(replacements);
        Some(Patched {
            path: path.to_owned(),
            operation: Operation::Replace,
            after: edit_set.apply(&before).ok()?,
            replacements: edit_set.replacements().to_vec(),
            rung: Rung::Exact,
            seen: Vec::new(),
            before,
        })
    }

    /// The file before and after, for a diff.
    pub fn diff(&self) -> FileDiff<'_> {
        let before = (self.operation != Operation::Create).then_some(&self.before);
        FileDiff::of(&self.path, before, Some(&self.after))
    }
}

/// A file before and after all edits.
#[derive(Clone, Debug)]
pub struct FileChange {
    /// Relative to the root.
    pub path: String,
    /// `None` for a new file.
    pub before: Option<Text>,
    /// Its bytes after all edits.
    pub after: Vec<u8>,
}

impl FileChange {
    /// Whether there is anything to write.
    pub fn is_change(&self) -> bool {
        let before = self.before.as_ref();
        before.is_none_or(|text| text.bytes() != self.after)
    }

    /// The change as a unified diff.
    pub fn diff(&self) -> String {
        unified(&FileDiff::of(
            &self.path,
            self.before.as_ref(),
            Some(&self.after),
        ))
    }

    /// The change as the workspace commits it.
    pub fn change(&self) -> Change {
        match &self.before {
            Some(before) => Change::replace(&self.path, before.bytes(), &self.after),
            None => Change::create(&self.path, &self.after),
        }
    }
}
