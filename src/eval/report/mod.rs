//! The record of an evaluation for people.
//!
//! [`table`] is for a terminal, [`markdown`] for a README, [`html`] for looking into every run. The
//! tables and sentences in all three are made once, in `summary`. [`compare`] tells two records
//! apart. [`write()`] leaves any of the reports as a file.

pub mod compare;
mod file;
pub mod html;
pub mod markdown;
mod summary;
pub mod table;

pub use file::{ReportFormat, WriteError, write};
