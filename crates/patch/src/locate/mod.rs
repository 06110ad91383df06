//! Finds the place of an edit that was not made under our constraint.
//!
//! The searched text is compared with the file's in ten ways ([`Rung`]), from exact to by tokens.
//! The first rung that finds it decides. Nothing is guessed, but for the parts of a sketch, which
//! says so ([`sketch::Completed::by_likeness`]). Either the text occurs once, or the
//! patch says which place it means, or the edit is refused with a list of all places. Every rung
//! ignores some differences, and the new text restores them: lines that stay are the file's own,
//! and new lines take its indentation.
//!
//! | file | what it does |
//! |---|---|
//! | `haystack`, `fold` | the file, and the ignored differences |
//! | `ladder`, `sequences`, `fuzzy`, `rewrite` | the ten ways of comparing |
//! | `hunk_search`, `tie_breaks`, `already` | one hunk's places, and which of them is meant |
//! | `fit` | from a place to replacements |
//! | `conclude`, `found`, `miss` | the result of the search, or why it failed |
//! | `free_slots`, `sketch`, `alike` | two callers: a server's slots, and files with parts left out |

mod alike;
mod already;
mod conclude;
mod fit;
mod fold;
mod found;
pub mod free_slots;
mod fuzzy;
mod haystack;
mod hunk_search;
mod ladder;
pub mod miss;
mod rewrite;
mod sequences;
pub mod sketch;
pub mod stretch;
#[cfg(test)]
mod testing;
mod tie_breaks;

pub use conclude::{locate, locate_all};
pub use fit::Unfit;
pub use found::{Located, Lookup, Rung};
pub use haystack::Haystack;
