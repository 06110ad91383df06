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
    /// The file's bytes with another text, whose lines that are the same keep their bytes.
    ///
    /// # Errors
    /// [`EncodeError`] if the file's encoding cannot express the others.
    pub fn rewritten(&self, shown: &str) -> Result<Vec<u8>, EncodeError> {
        let lines = |text| -> Vec<&str> { str::split_inclusive(text, '\n').collect() };
        let (old, new) = (lines(self.shown()), lines(shown));
        let replaced = replaced(&diff(&old, &new), &old).into_iter();
        let replaced: Vec<(Range<usize>, String)> = replaced
            .map(|(bytes, lines)| (bytes, new[lines].concat()))
            .collect();
        self.splice(
            replaced
                .iter()
                .map(|(bytes, new)| (bytes.clone(), new.as_str())),
        )
    }
}

/// The lines that diff steps replace: their bytes in the old text, and the new lines. `old`: the
/// lines of the old text with their endings.
pub fn replaced(steps: &[DiffOp], old: &[&str]) -> Vec<(Range<usize>, Range<usize>)> {
    let bytes = |lines: Range<usize>| old[lines].iter().map(|line| line.len()).sum::<usize>();
    let (mut at, mut line) = (0, 0);
    let mut replaced = Vec::new();
    for step in steps {
        let (tag, from, to) = step.as_tag_tuple();
        at += bytes(line..from.start);
        let end = at + bytes(from.clone());
        if tag != DiffTag::Equal {
            replaced.push((at..end, to));
        }
        (at, line) = (end, from.end);
    }
    replaced
}
