//! One change of a file's text.

use std::ops::Range;

/// One range of a file's shown text, and its new text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// Byte range in [`Text::shown`](crate::text::Text::shown).
    pub range: Range<usize>,
    /// The text that replaces the range.
    pub new: String,
}

impl Replacement {
    /// Inserts text at a byte offset.
    pub fn insertion(at: usize, new: String) -> Replacement {
        Replacement { range: at..at, new }
    }

    /// Removes a range.
    pub fn removal(range: Range<usize>) -> Replacement {
        Replacement {
            range,
            new: String::new(),
        }
    }
}
