//! What a person or a program asks to be edited.

use super::arguments::{EditCount, LinePlace};
use super::project::{Buffers, Project};
use crate::failure::{Failure, FailureKind, did_you_mean};
use crate::patched::Patched;
use crate::sandbox::SandboxOptions;
use crate::search::nearest_paths;
use crate::slots::Operation;
use crate::task::{Context, Earlier, PointedLine, Task};
use crate::text::line_bytes;
use crate::workspace::WorkspaceError;
use std::ops::RangeInclusive;

/// A task.
#[derive(Clone, Debug, Default)]
pub(crate) struct EditRequest {
    pub sentence: String,
    /// As [`Task::files`].
    pub files: Vec<String>,
    /// The only lines of the one file that may change, counted from 1.
    pub lines: Option<RangeInclusive<usize>>,
    /// The line that the person points at. Its file is the one to change.
    pub at: Option<LinePlace>,
    /// What was done just before, if that is known.
    pub earlier: Option<Earlier>,
    /// Files that the person has open, as paths: likelier than others, but not the only ones.
    pub open: Vec<String>,
    /// How many edits are made; without it the model decides.
    pub edits: Option<EditCount>,
    /// Files that are not saved in an editor.
    pub buffers: Buffers,
    /// Edits of the program's own that belong to the change. The model sees the files with them.
    pub beforehand: Vec<Patched>,
    /// Where a check runs.
    pub sandbox: SandboxOptions,
    /// As [`crate::flow::GenerateOptions::likely`].
    pub likely: Vec<String>,
    /// Other beginnings of the model's answers that are kept, for [`super::editor::Wish::Another`].
    pub branches: usize,
}

/// The longest text of given lines that a model is told beside its task, in bytes.
const MAX_LINES_TOLD: usize = 2_000;

/// Of a longer text the first and the last line are told, cut to so many characters.
const MAX_LINE_TOLD: usize = 200;

impl EditRequest {
    /// The task. Its files are checked, so that no model is loaded in vain.
    pub fn task(&self, project: &Project) -> Result<Task, Failure> {
        let task = Task::new(&self.sentence, self.files.clone()).map_err(|error| {
            Failure::new(FailureKind::EmptyTask, error)
                .hint("say what is to be changed, as in \"Rename foo to bar\"")
        })?;
        // What is open but is no file of the folder is no hint.
        let open = self.open.iter();
        let open = open.filter_map(|path| project.workspace.resolve_named(path).ok());
        let task = task.within(Context {
            earlier: self.earlier.clone(),
            open: open.collect(),
            ..Context::default()
        });
        if let Some(lines) = &self.lines {
            return self.within_lines(task, lines, project);
        }
        if let Some(at) = &self.at {
            return self.pointing_at(task, at, project);
        }
        for file in task.files() {
            resolve_named(file, project)?;
        }
        Ok(task)
    }

    /// A task about the line that the person points at.
    fn pointing_at(&self, task: Task, at: &LinePlace, project: &Project) -> Result<Task, Failure> {
        let path = resolve_named(&at.path, project)?;
        for file in &self.files {
            if project.workspace.resolve_named(file)? != path {
                let message = format!("line {} is one of {path}, and not of {file}", at.line);
                return Err(Failure::new(FailureKind::Lines, message)
                    .hint("name the file once: with its line"));
            }
        }
        let text = project.workspace.read(&path)?;
        let lines: Vec<&str> = text.shown().lines().collect();
        if at.line > lines.len() {
            let n = lines.len();
            let s = if n == 1 { "" } else { "s" };
            let message = format!("{path} has {n} line{s}, and no line {}", at.line);
            return Err(Failure::new(FailureKind::Lines, message));
        }

        let points_at = PointedLine {
            number: at.line,
            words: pointed_line(&path, &lines[..at.line]),
        };
        let context = Context {
            points_at: Some(points_at),
            ..task.context().clone()
        };
        Ok(task.only_in(path).within(context))
    }

    /// Limits a task to some lines of its file.
    fn within_lines(
        &self,
        task: Task,
        lines: &RangeInclusive<usize>,
        project: &Project,
    ) -> Result<Task, Failure> {
        let [file] = task.files() else {
            let message = "--lines needs one --file, not several";
            return Err(Failure::new(FailureKind::Lines, message));
        };
        if self.edits.is_some_and(|edits| edits.most > 1) {
            let message = "--lines is for one edit: after it, lines have other numbers";
            return Err(Failure::new(FailureKind::Lines, message).hint("leave --steps out"));
        }
        let path = resolve_named(file, project)?;
        let text = project.workspace.read(&path)?;
        let n_lines = text.shown().lines().count();
        if *lines.end() > n_lines {
            let s = if n_lines == 1 { "" } else { "s" };
            let end = lines.end();
            let message = format!("{path} has {n_lines} line{s}, and --lines goes to {end}");
            return Err(Failure::new(FailureKind::Lines, message));
        }

        let within = text.shown()[line_bytes(text.shown(), lines)].trim_end();
        let told = told_lines(within);
        let context = Context {
            notes: format!("Change nothing but these lines of {path}:\n{told}"),
            operations: Operation::possible_in(within),
            lines: Some(lines.clone()),
            ..task.context().clone()
        };
        Ok(task.within(context))
    }
}

/// The path of a file that the person named. Of a misspelt one the failure says which files are near.
fn resolve_named(path: &str, project: &Project) -> Result<String, Failure> {
    let workspace = &project.workspace;
    workspace.resolve_named(path).map_err(|error| {
        let is_missing = matches!(error, WorkspaceError::Missing { .. });
        let failure = Failure::from(error);
        if !is_missing {
            return failure;
        }
        failure.hints(did_you_mean(&nearest_paths(path, &workspace.list().paths)))
    })
}

/// Says which line is pointed at: the last of these.
fn pointed_line(path: &str, lines: &[&str]) -> String {
    let number = lines.len();
    let written = lines.iter().rev().find(|line| !line.trim().is_empty());
    let is_blank = lines[number - 1].trim().is_empty();
    let which = match written {
        Some(line) if is_blank => format!("an empty line below `{}`", cut(line.trim())),
        Some(line) => format!("`{}`", cut(line.trim())),
        None => "an empty line".to_owned(),
    };
    format!("The person points at line {number} of {path}: {which}")
}

/// The lines that may change, as a model is told them.
fn told_lines(within: &str) -> String {
    if within.len() <= MAX_LINES_TOLD {
        return within.to_owned();
    }
    let mut lines = within.lines();
    let first = cut(lines.next().unwrap_or_default());
    match lines.last() {
        Some(last) => format!("{first}\n...\n{}", cut(last)),
        None => first,
    }
}

fn cut(line: &str) -> String {
    line.chars().take(MAX_LINE_TOLD).collect()
}
