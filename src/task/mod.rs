//! What the person asked for.

mod mentions;

pub use mentions::{Mentions, Opening, names_file};

use crate::slots::Operation;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// A person's sentence, verbatim, and optionally the files it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    sentence: String,
    mentions: Mentions,
    files: Vec<String>,
    context: Context,
}

/// What goes with a task beyond the person's sentence: what is known, and what may be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// What is known so far, in words and excerpts, for models that read more than a sentence: see
    /// [`crate::prompt::Profile::told`]. May be empty.
    pub notes: String,
    /// The only files that are listed, as paths under the root; `None` for all of them.
    pub editable: Option<BTreeSet<String>>,
    /// The operations that are offered.
    pub operations: Vec<Operation>,
    /// The only lines that may change, counted from 1, the last one included; `None` for all.
    pub lines: Option<RangeInclusive<usize>>,
    /// The line that the person points at: the edit begins there. `None` if they point at none.
    pub points_at: Option<PointedLine>,
    /// Whether the model must not decline. A model on a server still can.
    pub must_edit: bool,
}

/// A line of the only file of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointedLine {
    /// Counted from 1.
    pub number: usize,
    /// A sentence that says which line it is, for models that read more than the task.
    pub words: String,
}

impl Default for Context {
    fn default() -> Context {
        Context {
            notes: String::new(),
            editable: None,
            operations: Operation::ALL.to_vec(),
            lines: None,
            points_at: None,
            must_edit: false,
        }
    }
}

/// The sentence is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the task is empty")]
pub struct EmptyTask;

impl Task {
    /// `files` are paths under the root as the person gave them; if empty, any file is meant.
    pub fn new(sentence: &str, files: Vec<String>) -> Result<Task, EmptyTask> {
        if sentence.trim().is_empty() {
            return Err(EmptyTask);
        }
        Ok(Task {
            sentence: sentence.trim().to_owned(),
            mentions: Mentions::of(sentence.trim()),
            files,
            context: Context::default(),
        })
    }

    /// The same task with this context.
    pub fn within(self, context: Context) -> Task {
        Task { context, ..self }
    }

    /// The sentence.
    pub fn sentence(&self) -> &str {
        &self.sentence
    }

    /// The files that the sentence mentions.
    pub fn mentions(&self) -> &Mentions {
        &self.mentions
    }

    /// The files that the person named.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// The context.
    pub fn context(&self) -> &Context {
        &self.context
    }
}
