//! The difference between two texts, in bounded time.

use super::{EncodeError, Text};
use similar::{Algorithm, DiffOp, DiffTag};
use std::hash::Hash;
use std::ops::Range;
use std::time::{Duration, Instant};

/// The time limit of an exact diff. After it, the diff replaces more lines than necessary.
const DEADLINE: Duration = Duration::from_millis(500);

/// The diff steps from `old` to `new`, which may be lines or characters (Myers, 1986).
pub fn diff<T: Eq + Hash>(old: &[T], new: &[T]) -> Vec<DiffOp> {
    let deadline = Some(Instant::now() + DEADLINE);
    similar::capture_diff_slices_deadline(Algorithm::Myers, old, new, deadline)
}

impl Text {
    /// The file's bytes with another text. Lines that both have keep their bytes.
    ///
    /// # Errors
    /// [`EncodeError`] if the file's encoding cannot express the new lines.
    pub fn rewritten(&self, shown: &str) -> Result<Vec<u8>, EncodeError> {
        let old: Vec<&str> = self.shown().split_inclusive('\n').collect();
        let new: Vec<&str> = shown.split_inclusive('\n').collect();
        self.with_lines(&diff(&old, &new), &old, &new)
    }

    /// The file's bytes after some diff steps from its lines `old` to `new`, both with endings.
    pub fn with_lines(
        &self,
        steps: &[DiffOp],
        old: &[&str],
        new: &[&str],
    ) -> Result<Vec<u8>, EncodeError> {
        let mut replacements = Vec::new();
        for (bytes, lines) in replaced(steps, old) {
            replacements.push((bytes, new[lines].concat()));
        }
        self.splice(
            replacements
                .iter()
                .map(|(bytes, new)| (bytes.clone(), new.as_str())),
        )
    }
}

/// The lines that diff steps replace: their bytes in the old text, and the new lines. `old`: the
/// lines of the old text with their endings.
pub fn replaced(steps: &[DiffOp], old: &[&str]) -> Vec<(Range<usize>, Range<usize>)> {
    let mut replaced = Vec::new();
    let mut at = 0;
    for step in steps {
        let len: usize = old[step.old_range()].iter().map(|line| line.len()).sum();
        if step.tag() != DiffTag::Equal {
            replaced.push((at..at + len, step.new_range()));
        }
        at += len;
    }
    replaced
}
