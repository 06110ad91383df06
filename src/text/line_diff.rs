//! The difference between two texts, in bounded time.

use similar::{Algorithm, DiffOp};
use std::hash::Hash;
use std::time::{Duration, Instant};

/// The time limit of an exact diff. After it, the diff replaces more lines than necessary.
const DEADLINE: Duration = Duration::from_millis(500);

/// The diff steps from `old` to `new`, which may be lines or characters (Myers, 1986).
pub fn diff<T: Eq + Hash>(old: &[T], new: &[T]) -> Vec<DiffOp> {
    let deadline = Some(Instant::now() + DEADLINE);
    similar::capture_diff_slices_deadline(Algorithm::Myers, old, new, deadline)
}
