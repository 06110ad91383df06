//! What stands between an edit and the disk: the checks that ask for a second look, and the gate.
//!
//! The constraint makes every edit one that applies. It cannot make it the right edit. Some
//! mistakes can be seen without knowing what was meant: the model nearly wrote something else, two
//! names become one, or text is replaced where the model never looked. These checks are pure and
//! give a [`Warning`] each. The [`gate`] shows the warnings, and refuses the change where no
//! person is asked.
//!
//! | file | what it warns of |
//! |---|---|
//! | `certainty` | an answer that the model was not sure of |
//! | `occurrences` | a replacement of every occurrence: merged names, places that were not shown |
//! | `leftover` | an old name that is still used |
//! | `losses` | code that was left out, files that shrink, definitions that are gone |
//! | `broken` | a file that no longer parses |

mod broken;
mod certainty;
pub mod gate;
mod leftover;
mod losses;
mod occurrences;
#[cfg(test)]
mod tests;
mod warning;

pub use broken::{breaks, change_breaks};
pub use certainty::{
    MIN_CERTAINTY, MIN_CERTAINTY_ADAPTED, MIN_CERTAINTY_IN_WORDS, doubt, min_certainty, unsure,
};
pub use leftover::{KeptName, Renamed, leftover};
pub use losses::{deletion, elided, empties, loses};
pub use occurrences::{line_names, merge, reach, unseen};
pub use warning::{Warning, WarningKind};
