//! From slots to an edit set: pure, from text to text, with no file in sight.
//!
//! `Slots → Edit` finds where the slots' text stands in the file ([`place`]); `Edit → EditSet`
//! makes it whole: the anchor stays, new lines fit the indentation, an emptied line goes with its
//! line feed and with the empty lines that would be too many ([`EditSet::of`]). An edit set is
//! complete before anything is written.

mod edit_set;
mod indent;
mod place;
mod removal;
#[cfg(test)]
mod tests;
mod whitespace;

pub(crate) use edit_set::whole_token_ranges;
pub use edit_set::{EditSet, Replacement, rewritten};
pub(crate) use indent::{Style, opens_block};
pub use place::{Edit, SlotsError, place, place_name};
pub(crate) use whitespace::{keeps_blank_lines, without_blank_lines};
