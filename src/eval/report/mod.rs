//! The record of an evaluation for people.
//!
//! [`table`] is for a terminal, [`markdown`] for a README, [`html`] for looking into every run. The
//! tables and sentences in all three are made once, in `summary`. [`compare`] compares two
//! records. [`write()`] writes any of the reports to a file.

pub mod compare;
mod file;
pub mod html;
pub mod markdown;
mod summary;
pub mod table;

pub use file::{ReportFormat, WriteError, write};
