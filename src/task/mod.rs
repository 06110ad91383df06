//! What the person asked for.

mod mentions;

pub use mentions::{Mentions, Opening, names_file};

use crate::slots::Operation;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
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
    /// What was done just before, if that is known.
    pub earlier: Option<Earlier>,
    /// The files that the person has open, as paths under the root: likelier than others, but not the
    /// only ones.
    pub open: Vec<String>,
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

/// An edit that was made just before a task, which may go on from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Earlier {
    /// What was asked for.
    pub sentence: String,
    /// By file: its path, the lines that were taken out, and those that were put in. May be shortened.
    pub done: String,
    /// The paths of the files that were changed.
    pub files: Vec<String>,
    /// Whether it was written.
    pub standing: Standing,
}

/// Whether an edit was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Standing {
    /// It is only shown, and the task follows up on it. The files are as they would be.
    Unwritten,
    /// It was, and the task may be about something else.
    Written,
}

impl Default for Context {
    fn default() -> Context {
        Context {
            notes: String::new(),
            editable: None,
            operations: Operation::ALL.to_vec(),
            lines: None,
            points_at: None,
            earlier: None,
            open: Vec::new(),
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

    /// The same task about this file alone.
    pub fn only_in(self, path: String) -> Task {
        let files = vec![path];
        Task { files, ..self }
    }

    /// The same task after another one, as the person reads both: "first; second".
    pub fn and(&self, sentence: &str) -> Task {
        let first = self.sentence.trim_end_matches('.');
        Task {
            sentence: format!("{first}; {}", sentence.trim()),
            ..self.clone()
        }
    }

    /// The sentence.
    pub fn sentence(&self) -> &str {
        &self.sentence
    }

    /// What to search for: the sentence, with what it follows up on.
    pub fn searched(&self) -> Cow<'_, str> {
        let earlier = self.context.earlier.as_ref();
        let unwritten = earlier.filter(|it| it.standing == Standing::Unwritten);
        unwritten.map_or(Cow::Borrowed(&self.sentence), |it| self.after(it))
    }

    /// The same in one file: in one that was just edited, also with that edit.
    pub fn searched_in(&self, path: &str) -> Cow<'_, str> {
        let mut earlier = self.context.earlier.iter();
        match earlier.find(|it| it.files.iter().any(|file| file == path)) {
            Some(earlier) => self.after(earlier),
            None => self.searched(),
        }
    }

    fn after(&self, earlier: &Earlier) -> Cow<'_, str> {
        let Earlier { sentence, done, .. } = earlier;
        Cow::Owned(format!("{sentence}\n{done}\n{}", self.sentence))
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
