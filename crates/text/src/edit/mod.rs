//! From slots to an edit set: pure functions on text, without files.
//!
//! `Slots → Edit` finds where the slots' text occurs in the file ([`place`]). `Edit → EditSet`
//! completes the edit ([`EditSet::of`]): the anchor stays, and new lines fit the indentation. An
//! emptied line goes with its newline and with empty lines that would be too many. An edit set is
//! complete before anything is written.

mod blocks;
mod continued;
mod edit_set;
mod indent;
mod place;
mod removal;
mod rename;
mod replacement;
mod swap;
#[cfg(test)]
mod tests;
mod whitespace;

pub use blocks::{NamedBlock, WHOLE_FILE, rewritten_block, shown_definitions};
pub use continued::keep_continued_lines;
pub use edit_set::{EditSet, rewritten, whole_token_ranges};
pub use indent::{Style, opens_block};
pub use place::{Edit, SlotsError, place, place_name};
pub use rename::{begun_rename, declares, renamed_definition};
pub use replacement::Replacement;
pub use swap::Swap;
pub use whitespace::{keeps_blank_lines, without_blank_lines};
