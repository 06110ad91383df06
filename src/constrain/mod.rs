//! The heart: an automaton over the bytes of an answer, made from the slots of one request and the
//! facts they must fit (the paths that exist, the text that was shown).
//!
//! It is deterministic and has no grammar engine under it. An answer is a chain of segments, which
//! `compile` makes from [`crate::slots::shape`]. Every slot ends at an unescaped quote, and each
//! kind of segment knows by itself which bytes may come next.
//!
//! | segment | lets through | how |
//! |---|---|---|
//! | literal | its bytes | a position in them |
//! | choice | one of a list: paths, operations, reasons | an interval of the sorted list |
//! | line | a shown line | a choice that knows where each line occurs |
//! | excerpt | any stretch of the shown text between boundaries | an interval of a suffix array |
//! | place | the name of one of several places, or `none` | a choice made when it is entered |
//! | through | nothing, or the last line of the block that an excerpt begins | likewise |
//! | text | any text | a few states for UTF-8 and escapes |
//! | new path | a safe path that does not exist | an interval of those that do |
//!
//! ```
//! use slotwright::constrain::{Constraint, SlotSpec};
//! use slotwright::text::Shown;
//!
//! let shown = Shown::whole("a = 1\nb = 1\n");
//! let constraint = Constraint::new(&SlotSpec::Replace { shown, blocks: true });
//! assert!(constraint.accepts(br#"{"old":"a = 1","new":"a = 2"}"#));
//! assert!(constraint.accepts(br#"{"old":"1","place":"line 2","new":"2"}"#));
//! assert!(constraint.accepts(br#"{"old":"a = 1","through":"b = 1","new":""}"#));
//! assert!(!constraint.accepts(br#"{"old":"1","new":"2"}"#));
//! assert!(!constraint.accepts(br#"{"old":"c = 1","new":"c = 2"}"#));
//! ```
//!
//! **Invariants.** Every state that can be reached can be completed (so a mask is never empty for
//! lack of a way on; the one exception is a new path at its length limit). Whatever is accepted
//! parses as the slots it was made for, and names places that exist. [`mask`] turns the automaton
//! into token masks.
//!
//! What has no slots, a [`Spec::Schema`], is another matter, and llguidance's: [`schema`]. To
//! compare with there is [`Spec::Free`], no constraint at all.

mod automaton;
mod choice;
mod compile;
mod escape;
mod excerpt;
pub mod free;
mod free_text;
pub mod mask;
mod new_path;
pub mod schema;
mod segment;
mod spec;

pub use automaton::{Constraint, ConstraintState};
pub use spec::{PickFile, SlotSpec, Spec};

#[cfg(test)]
mod brute_force;
