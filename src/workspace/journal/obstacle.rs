//! What is in the way of undoing a commit that is not the last one.

use super::merge::Conflict;
use super::store::Entry;

/// What is in the way of undoing a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// Path relative to the root.
    pub path: String,
    /// Where in the file.
    pub place: Place,
    /// The commit that made the change, and its number. `None` if somebody else did.
    pub by: Option<(u64, Entry)>,
}

/// A part of a file that was changed since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Lines of the file as it is now, counted from 1.
    Lines {
        /// The first line.
        first: usize,
        /// The last line.
        last: usize,
    },
    /// The whole file: it was made, removed or replaced by something else.
    File,
}

impl From<Conflict> for Place {
    fn from(conflict: Conflict) -> Place {
        match conflict {
            Conflict::Lines(lines) => Place::Lines {
                first: lines.start + 1,
                last: lines.end.max(lines.start + 1),
            },
            Conflict::File => Place::File,
        }
    }
}
