//! Evaluation: how often edits come out right, with which model and strategy, and where the
//! mechanics end and the model's own ceiling begins.
//!
//! | module | what it is | touches |
//! |---|---|---|
//! | [`suite`] | tasks and what is right: the bundled suites, folders; [`public_set`]: sets that others publish | files |
//! | [`strategy`] | how a model is asked: our slots, and what others do | only through the engine |
//! | [`known_answer`] | stage 1's right answer | nothing |
//! | [`judge`] | what an attempt is worth | commands, in a sandbox |
//! | [`run`] | every model, strategy, task and run | folders of its own |
//! | [`record`] | what an evaluation leaves behind; its journal, so that an interrupted one goes on | files |
//! | [`statistics`] | shares with their intervals, paired tests, in words | nothing |
//! | [`report`] | the record for people: on a terminal, as Markdown, as a page; two records compared | files |
//!
//! What a model claims is never evidence: a run is [`record::Verdict::Right`] because the files say
//! so. And the kinds of failure are never mixed: see [`record::Verdict`].

pub mod judge;
pub mod known_answer;
pub mod public_set;
pub mod record;
pub mod report;
pub mod run;
pub mod statistics;
pub mod strategy;
pub mod suite;
