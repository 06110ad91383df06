//! Lines of several places that a model would write with a change: to compare how likely it finds them.

use super::rewrite::SYSTEM;
use super::{Part, Profile};
use crate::slots::fenced::Fence;
use std::fmt::Write;

/// Some lines of a file.
#[derive(Clone, Copy, Debug)]
pub struct Lines<'a> {
    /// The file, relative to the root.
    pub path: &'a str,
    /// The lines as they are.
    pub text: &'a str,
}

impl Profile {
    /// The question that asks for these lines with a task's change, and the markup before the answer.
    /// `None` for a model without words, or one on a server, whose answers cannot be begun.
    pub fn lines(&self, lines: &[Lines<'_>], task: &str, fence: &Fence) -> Option<Vec<Part>> {
        let Profile::Instruct { template, .. } = self else {
            return None;
        };
        if !self.continues_answers() {
            return None;
        }
        let mut question = String::new();
        for it in lines {
            question += &written(*it, fence);
        }
        let _ = write!(
            question,
            "Task: {task}\n\nWrite all of it with this change."
        );
        Some(template.conversation(SYSTEM, &[], &question))
    }
}

/// Lines as the question shows them, and as the answer has them.
pub fn written(lines: Lines<'_>, fence: &Fence) -> String {
    let Lines { path, text } = lines;
    format!("File {path}:\n{}\n\n", fence.enclose(text))
}
