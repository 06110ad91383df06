//! What a parser finds.

use std::ops::Range;

/// A part of a text that its grammar does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Counted from 0; at least one.
    pub lines: Range<usize>,
}
