//! Constrains a model's answer to edits that fit the files: token masks from an automaton over the
//! bytes of the answer.
//!
//! 1. A [`SlotSpec`] says which slots the answer fills in, and the facts that they must fit: the
//!    existing paths, the text shown.
//! 2. [`Constraint::new`] compiles it to an automaton.
//! 3. A [`mask::SlotMatcher`] drives the automaton with a model's vocabulary: take what is forced,
//!    compute the mask, choose a token, consume it.
//!
//! The automaton is deterministic and uses no grammar engine. An answer is a chain of segments,
//! which are made from [`crate::slots::shape`]. Every slot of a JSON answer ends at an unescaped
//! quote, and each kind of segment decides by itself which bytes may come next.
//!
//! | segment | accepts | state |
//! |---|---|---|
//! | literal | its bytes | a position in them |
//! | choice | one of a list: paths, operations, reasons | an interval of the sorted list |
//! | line | a shown line | a choice that knows the places of each line |
//! | excerpt | any stretch of the shown text between boundaries | an interval of a suffix array |
//! | place | the name of one of several places, or `none` | a choice made on entry |
//! | through | nothing, or the last line of an excerpt's block | a choice made on entry |
//! | text | any text | a few states for UTF-8 and escapes |
//! | fenced | lines of any text up to a fence | the same, and the backticks at a line's start |
//! | new path | a safe path that does not exist | an interval of the existing paths |
//!
//! ```
//! use slotwright_constrain::{Constraint, SlotSpec};
//! use slotwright_text::text::Shown;
//!
//! let shown = Shown::whole("a = 1\nb = 1\nif a:\n  b = 2\n  c = 3\n  d = 4\n");
//! let constraint = Constraint::new(&SlotSpec::Replace { shown, blocks: true });
//! assert!(constraint.accepts(br#"{"old":"a = 1","new":"a = 2"}"#));
//! assert!(constraint.accepts(br#"{"old":"1","place":"line 2","new":"2"}"#));
//! assert!(constraint.accepts(br#"{"old":"if a:","through":"  d = 4","new":""}"#));
//! assert!(!constraint.accepts(br#"{"old":"1","new":"2"}"#));
//! assert!(!constraint.accepts(br#"{"old":"c = 1","new":"c = 2"}"#));
//! ```
//!
//! **Invariants.** Every reachable state can be completed, so the automaton never runs into a dead
//! end. The one exception is a new path at its length limit. Every accepted answer parses as the
//! slots it was made for, and names places that exist. [`mask`] turns the automaton into token
//! masks, and reads quotes that a model forgot to escape.
//!
//! A [`Spec::Schema`] has no slots and is forced by llguidance: see [`schema`]. [`Spec::Free`] is
//! no constraint at all, for comparison.

mod automaton;
mod choice;
mod compile;
mod escape;
mod excerpt;
pub mod free;
mod free_text;
pub mod mask;
mod new_path;
mod reading;
pub mod schema;
mod segment;
mod spec;

use slotwright_text::edit;
pub use slotwright_text::{slots, text};
pub use toktrie;

pub use automaton::{Constraint, ConstraintState};
pub use spec::{NoEdit, PickFile, SlotSpec, SlotStyle, Spec};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod brute_force;
#[cfg(test)]
mod brute_force_masks;
