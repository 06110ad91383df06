//! The comments that the person has answered, or that the model could make no edit of.

use super::comment::Comment;
use crate::workspace::Workspace;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Those that are not tasks again, as long as their file is the same.
#[derive(Default)]
pub(super) struct Answered(HashSet<Key>);

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    path: String,
    /// A hash of the file's bytes.
    file: u64,
    comment: String,
    nth: usize,
}

impl Key {
    fn of(comment: &Comment) -> Key {
        let mut hasher = DefaultHasher::new();
        comment.text.bytes().hash(&mut hasher);
        Key {
            path: comment.path.clone(),
            file: hasher.finish(),
            comment: comment.instruction.comment.clone(),
            nth: comment.nth,
        }
    }
}

impl Answered {
    pub fn has(&self, comment: &Comment) -> bool {
        self.0.contains(&Key::of(comment))
    }

    pub fn add(&mut self, comment: &Comment) {
        self.0.insert(Key::of(comment));
    }

    /// Adds a comment whose edit was just written, so that an undo does not lead to the same edit. What
    /// was declined in the file before stays so, and what the edit has brought is no task.
    pub fn add_written(&mut self, written: &Comment, workspace: &Workspace) {
        self.add(written);
        let path = &written.path;
        let Ok(text) = workspace.read(path) else {
            return;
        };
        let before = Comment::all(path, &written.text);
        for comment in Comment::all(path, &text) {
            let mut same = before.iter();
            let was_there = same.find(|it| {
                (&it.instruction.comment, it.nth) == (&comment.instruction.comment, comment.nth)
            });
            if was_there.is_none_or(|it| self.has(it)) {
                self.add(&comment);
            }
        }
    }
}
