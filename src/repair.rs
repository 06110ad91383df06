//! Red to green, bounded.
pub mod output;
