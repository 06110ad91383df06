//! A comment of a file that is a task.

use crate::app::instruction::{Instruction, instructions};
use crate::text::Text;
use std::collections::HashMap;
use std::sync::Arc;

/// A comment that is a task.
#[derive(Clone, Debug)]
pub(super) struct Comment {
    /// Relative to the root.
    pub path: String,
    /// The file as it was read.
    pub text: Arc<Text>,
    pub instruction: Instruction,
    /// How many comments with the same words are before it in the file.
    pub nth: usize,
}

impl Comment {
    /// Those of a file, in its order.
    pub fn all(path: &str, text: &Text) -> Vec<Comment> {
        let text = Arc::new(text.clone());
        let mut counts: HashMap<String, usize> = HashMap::new();
        let mut comments = Vec::new();
        for instruction in instructions(path, text.shown()) {
            let count = counts.entry(instruction.comment.clone()).or_default();
            comments.push(Comment {
                path: path.to_owned(),
                text: Arc::clone(&text),
                nth: *count,
                instruction,
            });
            *count += 1;
        }
        comments
    }
}
