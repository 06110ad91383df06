//! Evaluation: how often edits come out right, with which model and strategy, and which failures
//! are the program's and which the model's.
//!
//! [`suite`] and [`public_set`] read each [`task`]. [`run`] asks a model by each [`strategy`], and
//! [`judge`] compares the files: with the right ones, by the task's own command ([`checks`]), and
//! else by [`nearness`]. The [`record`] keeps a row for each run. [`report`] shows it, with the
//! intervals and paired tests of [`statistics`].
//!
//! A model's claim is never evidence: a run is [`record::Verdict::Right`] because the files say
//! so. And the kinds of failure are never mixed: see [`record::Verdict`].

pub mod checks;
mod claim;
pub mod judge;
pub mod known_answer;
pub mod nearness;
pub mod public_set;
pub mod record;
pub mod report;
pub mod run;
pub mod statistics;
pub mod strategy;
pub mod suite;
pub mod task;
pub mod tree;

pub use run::EvalConfig;
