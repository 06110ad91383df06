//! Where an edit that was not made under our constraint is to be made.
//!
//! The searched text is compared with the file's in ten ways ([`Rung`]), from exact to by tokens.
//! The first rung on which it is found decides. Finding is never guessing: the text occurs once,
//! or the patch says which of the places it means, or the edit is refused with all of them. Every
//! rung sets something aside. The new text gets it back: lines that stay are the file's own, new
//! ones take its indentation.
//!
//! | file | what it does |
//! |---|---|
//! | `hunk`, `haystack`, `fold` | what is searched, where, and what is set aside in comparing |
//! | `ladder`, `sequences`, `fuzzy`, `rewrite` | the ten ways of comparing |
//! | `hunk_search`, `tie_breaks`, `already` | one hunk's places, and which of them is meant |
//! | `fit` | from a place to replacements |
//! | `conclude`, `miss` | what came of it, or why nothing did |
//! | `free_slots`, `sketch` | callers of all this: a server's slots, files with parts left out |

mod already;
mod conclude;
mod fit;
mod fold;
mod found;
pub mod free_slots;
mod fuzzy;
mod haystack;
pub mod hunk;
mod hunk_search;
mod ladder;
pub mod miss;
mod rewrite;
mod sequences;
pub mod sketch;
mod tie_breaks;

pub use conclude::{locate, locate_all};
pub use fit::Unfit;
pub use found::{Located, Lookup, Rung};
pub use haystack::Haystack;
