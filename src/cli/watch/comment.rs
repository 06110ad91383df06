//! A comment of a file that is a task.

use crate::app::instruction::{Instruction, instructions};
use crate::text::Text;

/// A comment that is a task.
#[derive(Clone, Debug)]
pub(super) struct Comment {
    /// Relative to the root.
    pub path: String,
    /// The file as it was read.
    pub text: Text,
    pub instruction: Instruction,
    /// How many comments with the same words are before it in the file.
    pub nth: usize,
}

impl Comment {
    /// Those of a file, in its order.
    pub fn all(path: &str, text: &Text) -> Vec<Comment> {
        let mut comments: Vec<Comment> = Vec::new();
        for instruction in instructions(path, text.shown()) {
            let before = comments.iter().map(|it| &it.instruction.comment);
            comments.push(Comment {
                path: path.to_owned(),
                text: text.clone(),
                nth: before.filter(|it| **it == instruction.comment).count(),
                instruction,
            });
        }
        comments
    }
}
