//! How long the parts of a prompt and its answer may be.

use crate::text::BlockSize;

/// How long the parts of a prompt and its answer may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Files listed in stage 1.
    pub rows: usize,
    /// Tokens of the text shown of a file, where the model's context has room for more.
    pub shown_tokens: usize,
    /// The blocks that a longer file is shown in.
    pub blocks: BlockSize,
    /// Tokens of the lines that are repeated after the task: no token is less than a byte.
    pub line_tokens: usize,
    /// Tokens of stage 1's answer.
    pub pick_tokens: usize,
    /// Tokens of stage 2's answer.
    pub fill_tokens: usize,
}

/// [`Budget::shown_tokens`] for an instruct model on the CPU, or on a server, of which it is not known
/// what computes and how long its context is.
pub const SHOWN_ON_CPU: usize = 1_500;

/// [`Budget::shown_tokens`] for an instruct model that computes on a GPU, which reads them in a
/// second.
pub const SHOWN_ON_GPU: usize = 6_000;
