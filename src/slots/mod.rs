//! What a model is asked to fill in: the pick of stage 1, and the slots of each operation in stage
//! 2.
//!
//! The structs here are what a complete answer parses to. [`shape`] is the one table of the keys
//! that an answer has; they appear in its order, without whitespace between tokens. The constraint
//! made from the same table ([`crate::constrain::SlotSpec`]) only lets answers through that parse.
//! `schemas/` holds the JSON Schemas made from the structs, for servers that cannot take our
//! constraint.

mod answers;
mod names;
pub mod partial;
pub mod shape;

pub use answers::{
    Create, CreatePick, CreateWord, FilePick, Insert, NonePick, NoneWord, Pick, Replace,
    ReplaceAll, Slots, answer_schema,
};
pub use names::{NO_OPERATION, NO_PLACE, Operation, Position, Reason, Slot};
