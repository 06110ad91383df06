//! The slots that a model fills in: the pick of stage 1, and the slots of each operation in stage
//! 2.
//!
//! The structs here are the types of complete answers. [`shape`] is the one table of an answer's
//! keys. They appear in its order, without whitespace between tokens. The constraint comes from the
//! same table (the crate `slotwright-constrain`) and accepts only answers that parse. `schemas/` has
//! the JSON Schemas of the structs, for servers that cannot take our constraint.

mod answers;
pub mod fenced;
mod names;
pub mod partial;
pub mod shape;

pub use answers::{
    Create, CreatePick, CreateWord, FilePick, Insert, NonePick, NoneWord, Pick, Replace,
    ReplaceAll, Rewrite, Slots, answer_schema,
};
pub use names::{NO_OPERATION, NO_PLACE, Operation, Position, Reason, Slot, overall_certainty};
