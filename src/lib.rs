//! slotwright edits files with a local model that can only fill in what fits those files.
//!
//! A small model is bad at operating tools and good at filling slots. So it operates none. The
//! program lists the files, finds the likely ones, and asks two questions: which file and which
//! operation, then the slots of that operation. It does everything else itself. The model cannot
//! give an answer that does not fit, because the constraint on its output is made from the files
//! themselves. A path is a file that exists. An anchor is a line that was shown. The text to
//! replace is a stretch of what was shown; where it occurs more than once, the model says which
//! place it means.
//!
//! # The story
//!
//! ```text
//! Task ─ search ─▶ question 1 ─▶ Pick ─ show ─▶ question 2 ─▶ Slots
//!                      │                            │
//!                      └─ constrain, next to the logits, in the model's process
//!
//! Slots ─ place ─▶ Edit ─▶ EditSet ─ apply ─▶ Patched ─ gate ─▶ commit
//! ```
//!
//! [`flow::edit`] is this line as code. Edits that others wrote come in from the side:
//!
//! ```text
//! patch ─ parse ─▶ Patch ─ locate ─▶ replacements ─▶ Plan ─ gate ─▶ commit
//! ```
//!
//! [`apply::apply`] is that line. [`repair`] loops the first line in throw-away copies, with tests
//! as the judge.
//!
//! # The map
//!
//! A module imports only modules below it; a test checks that. Those that touch nothing and are no part
//! of the program's own story are crates that others can use alone: `slotwright-text`,
//! `slotwright-patch` and `slotwright-constrain`.
//!
//! | module | what it is | touches |
//! |---|---|---|
//! | [`command_line`] | which command does what | nothing |
//! | [`cli`] | a person at a terminal: arguments in; diff, question and exit code out | the terminal |
//! | [`acp`] | an agent in an editor | only through `console` |
//! | [`mcp`] | tools for another agent | only through `console` |
//! | [`console`] | what is said, and results | standard input, output and error |
//! | [`app`] | tasks in, proposals out: what a terminal, an editor and an agent share | only through others |
//! | [`failure`] | why a command ends without an edit, and what to do next | nothing |
//! | [`config`] | what a person and a project have set, and where | their two files |
//! | [`eval`] | tasks with a known answer, and how models do on them | its own folders, commands |
//! | [`check`] | a command that complains after an edit, and the edits that it asks for | copies |
//! | [`repair`] | a bug and a test command to an edit that makes the tests pass | copies |
//! | [`flow`] | the pipeline up to the gate | only through `workspace`, `engine` |
//! | [`review`] | what every edit passes before it is written: warnings, then the gate | only through `workspace` |
//! | [`apply`] | a patch and files to what the files become | nothing |
//! | [`prompt`] | how a model is asked | nothing |
//! | [`serve`] | an engine that stays loaded, and tasks that take turns | a thread |
//! | [`engine`] | a model in a child process or on a server | processes, the network, its cache |
//! | [`models`] | the models on this machine: found, fetched, named, chosen from | headers of models, the network, its folder |
//! | [`patched`] | a file before and after its edits | nothing |
//! | [`locate`] | where an edit that others wrote belongs | nothing |
//! | [`mod@format`] | the formats in which others write edits, a file each | nothing |
//! | [`hunk`] | what a hunk of a patch searches, and its new text | nothing |
//! | [`search`] | which files and which parts a task is about | only through `workspace` |
//! | [`sandbox`] | a throw-away copy of a folder, and commands in it | files, processes |
//! | [`workspace`] | the folder being edited: list, read, commit; journal, undo | files |
//! | [`constrain`] | slots and facts to an automaton, and that to token masks | nothing |
//! | [`edit`] | slots to an edit, an edit to an edit set | nothing |
//! | [`diff`] | a file before and after: the unified diff, and its hunks | nothing |
//! | [`syntax`] | whether a change breaks code or leaves it out; definitions; colours | nothing |
//! | [`task`] | what the person asked for | nothing |
//! | [`slots`] | what a model fills in, and the shape of it | nothing |
//! | [`http`] | what all HTTP clients here have in common | nothing |
//! | [`text`] | a file's text: decoding, line endings, boundaries, windows | nothing |
//!
//! # Key types
//!
//! [`task::Task`], [`slots::Pick`], [`slots::Slots`], [`edit::Edit`], [`edit::EditSet`],
//! [`patched::Patched`], [`flow::Outcome`]. Between them are [`text::Text`] and [`text::Shown`],
//! [`constrain::Constraint`] and [`constrain::mask::Matcher`], [`engine::Engine`] and
//! [`flow::Session`]. For patches: [`format::Patch`], [`hunk::Hunk`],
//! [`locate::Haystack`], [`locate::miss::Miss`], [`apply::Plan`].
//!
//! # Invariants
//!
//! - Whatever a constraint accepts parses as the slots it was made for, and its edit applies. An
//!   answer that does not end within its budget is truncated and never applied.
//! - Text of files and tasks never becomes a control token ([`engine::Part`]).
//! - Matching and constraining know no file, process or model; `constrain` knows no llama.cpp.
//! - An edit that was not made under the constraint is found in exactly one place or refused
//!   ([`locate`]; [`locate::free_slots`] for the slots that a model on a server fills). Of a sketch a
//!   place is proposed: [`apply::Applied::placed`].
//! - Nothing is sent over a network except to the server that the person named, whose address is
//!   shown first, or to fetch a model that the person asked for ([`models::own`]).
//! - An edit set is complete before anything is written. Only [`review::gate`] commits one.
//! - A file is written whole or not at all, under the root, and only if it still holds what was
//!   read. Of several files either all are written or none ([`workspace::journal`]).
//! - `unsafe` is in `engine` alone, each use with its reason.

pub mod acp;
pub mod app;
pub mod check;
pub mod cli;
pub mod command_line;
pub mod config;
pub mod console;
pub mod engine;
pub mod eval;
pub mod failure;
pub mod flow;
pub mod http;
pub mod mcp;
pub mod models;
pub mod patched;
pub mod prompt;
pub mod repair;
pub mod review;
pub mod sandbox;
pub mod search;
pub mod serve;
pub mod task;
pub mod workspace;

pub use slotwright_constrain as constrain;
pub use slotwright_patch::{apply, format, hunk, locate};
pub use slotwright_text::{diff, edit, slots, syntax, text};
