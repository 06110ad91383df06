//! What the person asked for.

/// A person's sentence, verbatim, and optionally the files it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    sentence: String,
    files: Vec<String>,
}

/// A task without a word in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the task is empty")]
pub struct EmptyTask;

impl Task {
    /// `files` are paths under the root as the person gave them; none means any file under the root.
    pub fn new(sentence: &str, files: Vec<String>) -> Result<Task, EmptyTask> {
        if sentence.trim().is_empty() {
            return Err(EmptyTask);
        }
        Ok(Task { sentence: sentence.trim().to_owned(), files })
    }

    /// The sentence.
    pub fn sentence(&self) -> &str {
        &self.sentence
    }

    /// The files that the person named.
    pub fn files(&self) -> &[String] {
        &self.files
    }
}
