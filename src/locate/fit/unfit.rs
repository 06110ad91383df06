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
    /// The file has lines where the edit has none, and it does not say what becomes of them.
    #[error("the file has lines there that the edit does not mention")]
    Unmentioned {
        /// Those lines, counted from 0.
        lines: Range<usize>,
    },
    /// The file has blank lines where the edit has none, and it may mean before or after them; or
    /// it is about nothing but blank lines.
    #[error("it does not say what becomes of the blank lines there")]
    BlankLines,
    /// The file's line ends with another comma or semicolon, and what the new lines are to end with
    /// would be a guess.
    #[error("the file's line {line:?} ends otherwise, and so might the new ones")]
    LineEnd {
        /// The first such line.
        line: String,
    },
    /// The file spells a word of the lines that go with other quotes, dashes or accents, and new
    /// lines that replace no single line repeat it.
    #[error("the file writes {word:?} with other characters, and so might the new lines")]
    Spelling {
        /// The first such word, as the file has it.
        word: String,
    },
    /// The heading of the hunk is below the place.
    #[error("{heading:?}, which should stand above it, stands below")]
    Heading {
        /// What follows `@@`.
        heading: String,
    },
    /// Lines are to be added, and nothing says where.
    #[error("it adds lines and nothing says where")]
    Nowhere,
}

/// What is to be done, or why it is not.
pub(super) type Fit<T> = Result<T, Unfit>;
