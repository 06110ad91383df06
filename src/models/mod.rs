//! Models on disk.

pub mod gguf;
