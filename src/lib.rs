//! slotwright edits files with a local model that can only fill in what fits them.
//!
//! A small model is bad at operating tools and good at filling slots. So it operates none: the
//! program lists the files, asks which one and which operation, asks for that operation's slots,
//! and does the rest itself. And it cannot fill a slot with something that does not fit, because
//! the constraint on its output is made from the very files it edits: a path is a file that exists,
//! an anchor a line that was shown, old text a stretch of what was shown, and where that stands
//! more than once the model says which it means.
//!
//! # The story
//!
//! ```text
//! Task ──list, search──▶ question 1 ──▶ Pick ──show──▶ question 2 ──▶ Slots ──locate──▶ Edit ──▶ EditSet ──▶ Patched ──gate──▶ commit
//!                           │                              │
//!                           └──── constrain, beside the logits, in the model's process ────┘
//! ```
//!
//! [`flow::edit`] is this line as code, on one screen. What another model or tool wrote comes in
//! from the side:
//!
//! ```text
//! patch ──parse──▶ Patch ──locate──▶ replacements ──▶ Plan ──gate──▶ commit
//! ```
//!
//! [`apply::apply`] is that line. [`repair`] loops the first one, with tests as the judge, in
//! throw-away copies.
//!
//! # The map
//!
//! | module | what it is | touches |
//! |---|---|---|
//! | [`task`] | what the person asked for | nothing |
//! | [`text`] | a file's text as it is shown, and the way back to its bytes; windows, boundaries, places | nothing |
//! | [`slots`] | what a model is asked to fill in | nothing |
//! | [`constrain`] | slots and facts to an automaton over bytes, and that to token masks | nothing |
//! | [`edit`] | slots to an edit, an edit to an edit set; [`locate`]: where an edit of any other model belongs | nothing |
//! | [`mod@format`] | how other models and tools write edits, a format a file | nothing |
//! | [`apply`] | a patch and the files it is about, to what they become | nothing |
//! | [`diff`] | a file before and after, as a unified diff | nothing |
//! | [`prompt`] | the two questions in a model's own words | nothing |
//! | [`workspace`] | the folder being edited: list, read, commit; the journal, undo | files |
//! | [`engine`] | where answers come from: a model in a child process, or on a server ([`engine::openai`]) | processes, the model, the network |
//! | [`risk`] | what about an edit asks for a second look | nothing |
//! | [`gate`] | everything a change passes before it is written: diff, warnings, question, commit | files, through `workspace` |
//! | [`sandbox`] | a throw-away copy of a folder, and commands that run in it with limits | files, processes |
//! | [`flow`] | the pipeline up to the gate | only through `workspace` and `engine` |
//! | [`repair`] | a bug and a test command, to an edit that makes the tests pass | copies of the folder |
//! | [`eval`] | tasks with a right answer, and what models make of them | folders of its own, commands in a sandbox |
//! | [`cli`] | arguments in, diff, question and exit code out | the terminal |
//!
//! # Key types
//!
//! [`task::Task`], [`slots::Pick`], [`slots::Slots`], [`edit::Edit`], [`edit::EditSet`],
//! [`flow::Patched`], [`flow::Outcome`]; between them [`text::Text`] and [`text::Shown`],
//! [`constrain::Constraint`] and [`constrain::mask::Matcher`], [`engine::Engine`]. For patches:
//! [`format::Patch`], [`locate::hunk::Hunk`], [`locate::Haystack`], [`locate::miss::Miss`],
//! [`apply::Plan`].
//!
//! # Invariants
//!
//! - Whatever a constraint lets through parses as the slots it was made for, and its edit applies.
//!   What does not end within its budget is truncated and never applied.
//! - Text of files and tasks never becomes a control token ([`engine::Part`]).
//! - Matching and constraining know no file, process or model; `constrain` knows no llama.cpp.
//! - What was not made under the constraint is found in exactly one place or refused ([`locate`];
//!   for the slots that a server's model fills [`locate::free_slots`]).
//! - Nothing is sent over a network but to the server that the person named, whose address is shown
//!   before.
//! - An edit set is complete before anything is written, and only [`workspace::Workspace`] writes.
//! - A file is written whole or not at all, under the root, and only if it still holds what was
//!   read. Of several either all are written or none ([`workspace::journal`]).
//! - `unsafe` is found in `engine` alone, each use with its reason.

pub mod apply;
pub mod cli;
pub mod constrain;
pub mod diff;
pub mod edit;
pub mod engine;
pub mod eval;
pub mod flow;
pub mod format;
pub mod gate;
pub mod locate;
pub mod prompt;
pub mod repair;
pub mod risk;
pub mod sandbox;
pub mod search;
pub mod slots;
pub mod task;
pub mod text;
pub mod workspace;
