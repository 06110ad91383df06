//! The files that a sentence is about, without a model.

use super::project::Project;
use crate::failure::{Failure, FailureKind};
use crate::search::{self, windows::best_blocks};
use crate::task::Task;
use crate::text::{BlockSize, Outline};
use schemars::JsonSchema;
use serde::Serialize;

/// A file that a sentence may be about.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct FoundFile {
    /// Relative to the root.
    pub path: String,
    /// Definitions and words of the sentence that tell it apart.
    pub words: Vec<String>,
    /// The parts of it that matter most, best first.
    pub windows: Vec<FoundWindow>,
}

/// A part of a file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct FoundWindow {
    /// The number of its first line, counted from 1.
    pub first_line: usize,
    /// The lines themselves, with newlines only.
    pub text: String,
}

/// The most windows of one file that are shown.
const WINDOWS: usize = 2;

/// The files and the parts of them that a sentence may be about, best first.
pub(crate) async fn find(
    project: &Project,
    sentence: &str,
    max_files: usize,
) -> Result<Vec<FoundFile>, Failure> {
    let task = Task::new(sentence, Vec::new())
        .map_err(|error| Failure::new(FailureKind::EmptyTask, error))?;
    let workspace = &project.workspace;
    let found = search::find_files(&task, workspace, max_files, &mut |_| {}).await?;
    let mut files = Vec::new();
    for ranked in found.ranked {
        let text = workspace.read(&ranked.path)?;
        let text = text.shown();
        let blocks = best_blocks(
            task.sentence(),
            (text, &Outline::of(text)),
            BlockSize::SMALL,
            &[],
        );
        let mut windows = Vec::new();
        for block in blocks.into_iter().take(WINDOWS) {
            windows.push(FoundWindow {
                first_line: block.first_line,
                text: text[block.range].trim_end().to_owned(),
            });
        }
        files.push(FoundFile {
            path: ranked.path,
            words: ranked.words,
            windows,
        });
    }
    Ok(files)
}
