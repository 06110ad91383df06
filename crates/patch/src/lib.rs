//! Applies what a language model wrote.
//!
#![doc = include_str!("../README.md")]

pub mod apply;
pub mod format;
pub mod hunk;
pub mod locate;

use slotwright_text::{diff, slots, syntax};
pub use slotwright_text::{edit, text};
