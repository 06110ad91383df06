//! What the person asked for.

use crate::slots::Operation;
use std::collections::BTreeSet;

/// A person's sentence, verbatim, and optionally the files it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    sentence: String,
    files: Vec<String>,
    context: Context,
}

/// What goes with a task beyond the person's sentence: what is known of it, and what may be done
/// about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// What came of it so far, in words and excerpts, for models that read more than a sentence:
    /// see [`crate::prompt::Profile::told`]. May be empty.
    pub notes: String,
    /// The only files that are listed, as paths under the root; none means all.
    pub editable: Option<BTreeSet<String>>,
    /// What may be done.
    pub operations: Vec<Operation>,
}

impl Default for Context {
    fn default() -> Context {
        Context { notes: String::new(), editable: None, operations: Operation::ALL.to_vec() }
    }
}

/// A task without a word in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the task is empty")]
pub struct EmptyTask;

impl Task {
    /// `files` are paths under the root as the person gave them; none means any file under the
    /// root.
    pub fn new(sentence: &str, files: Vec<String>) -> Result<Task, EmptyTask> {
        if sentence.trim().is_empty() {
            return Err(EmptyTask);
        }
        Ok(Task { sentence: sentence.trim().to_owned(), files, context: Context::default() })
    }

    /// The same task in this context.
    pub fn within(self, context: Context) -> Task {
        Task { context, ..self }
    }

    /// The sentence.
    pub fn sentence(&self) -> &str {
        &self.sentence
    }

    /// The files that the person named.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// What goes with it.
    pub fn context(&self) -> &Context {
        &self.context
    }
}
