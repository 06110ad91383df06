//! Evaluation: how often edits come out right, with which model and strategy, and where the
//! mechanics end and the model's own ceiling begins.
//!
//! | module | what it is | touches |
//! |---|---|---|
//! | [`task`] | a task and what is right | nothing |
//! | [`suite`] | reads tasks: the bundled suites, folders | files |
//! | [`public_set`] | reads tasks: sets that others publish | files |
//! | [`tree`] | the files of a task as a value | files |
//! | [`strategy`] | how a model is asked: our slots, and what others do | the engine |
//! | [`known_answer`] | stage 1's right answer | nothing |
//! | [`checks`] | commands that decide, in a sandbox | commands |
//! | [`judge`] | what an attempt is worth | `checks` |
//! | [`nearness`] | how near a wrong edit comes to a right one | nothing |
//! | [`run`] | every model, strategy, task and run | folders of its own |
//! | `config`, `claim` | what is to be run; what a model says of its own edit | the engine |
//! | [`record`] | what an evaluation leaves behind, and its journal | files |
//! | [`statistics`] | shares with their intervals, paired tests, in words | nothing |
//! | [`report`] | the record for people; two records compared | files |
//!
//! What a model claims is never evidence: a run is [`record::Verdict::Right`] because the files say
//! so. And the kinds of failure are never mixed: see [`record::Verdict`].

pub mod checks;
mod claim;
mod config;
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

pub use config::EvalConfig;
