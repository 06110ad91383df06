//! Why a place that was found is not changed.

use std::ops::Range;

/// Why a place that was found is not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// The new text's indentation has no counterpart in the file.
    #[error("the indentation of the new line {line:?} has no counterpart in the file")]
    Indentation {
        /// The first such line.
        line: String,
    },
    /// The file has lines that the edit leaves out, and the edit does not say what becomes of them.
    #[error("the file has lines there that the edit does not mention")]
    Unmentioned {
        /// Those lines, counted from 0.
        lines: Range<usize>,
    },
    /// The file has blank lines that the edit leaves out, and new lines may belong before or after
    /// them. Or the edit changes only blank lines.
    #[error("it does not say what becomes of the blank lines there")]
    BlankLines,
    /// The file's line ends with another comma or semicolon, so the end of the new lines would be a
    /// guess.
    #[error("the file's line {line:?} ends otherwise, and so might the new ones")]
    LineEnd {
        /// The first such line.
        line: String,
    },
    /// The file spells a word of the deleted lines with other quotes, dashes or accents. New lines
    /// that replace no single line repeat the word.
    #[error("the file writes {word:?} with other characters, and so might the new lines")]
    Spelling {
        /// The first such word, as the file has it.
        word: String,
    },
    /// The hunk's heading is below the place.
    #[error("{heading:?}, which should stand above it, stands below")]
    Heading {
        /// The text after `@@`.
        heading: String,
    },
    /// Lines are to be inserted, and nothing says where.
    #[error("it adds lines and nothing says where")]
    Nowhere,
}

/// A result, or the reason why a place is not changed.
pub(super) type Fit<T> = Result<T, Unfit>;
