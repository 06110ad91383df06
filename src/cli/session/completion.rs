//! What Tab completes at the prompt: files after an `@`, commands after a `/`, and what follows these.

use super::words::COMMANDS;
use crate::app::model_reference::{self, BUNDLED};
use crate::workspace::Workspace;
use rustyline::completion::{Completer, Pair};
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{Context, Helper, Result};
use std::cell::{Cell, OnceCell};
use std::path::PathBuf;
use std::sync::Arc;

/// The most that is shown.
const MOST_SHOWN: usize = 100;

/// What can be completed, read when it is asked for.
pub(super) struct Completion {
    workspace: Arc<Workspace>,
    model_folders: Vec<PathBuf>,
    files: OnceCell<Vec<String>>,
    models: OnceCell<Vec<String>>,
    /// Whether there is no text at the prompt.
    pub is_empty: Cell<bool>,
}

impl Completion {
    pub fn new(workspace: Arc<Workspace>, model_folders: Vec<PathBuf>) -> Completion {
        Completion {
            workspace,
            model_folders,
            files: OnceCell::new(),
            models: OnceCell::new(),
            is_empty: Cell::new(true),
        }
    }

    /// Lists the files again when they are asked for next.
    pub fn forget_files(&mut self) {
        self.files = OnceCell::new();
    }

    fn files(&self) -> &[String] {
        self.files.get_or_init(|| self.workspace.list().paths)
    }

    fn models(&self) -> &[String] {
        self.models.get_or_init(|| {
            let listing = model_reference::listing(&self.model_folders);
            let mut names: Vec<String> = listing.models.into_iter().map(|it| it.name).collect();
            names.push(BUNDLED.to_owned());
            names
        })
    }

    /// What stands for the beginning of a line up to the cursor: where it begins, and the candidates.
    fn candidates(&self, line: &str) -> (usize, Vec<String>) {
        let start = line.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let word = &line[start..];
        let command = line.split_whitespace().next().unwrap_or_default();
        if start == 0 && word.starts_with('/') {
            let commands = COMMANDS.map(|(name, _, _)| format!("/{name} "));
            let mut commands = commands.to_vec();
            commands.retain(|command| command.starts_with(word));
            return (start, commands);
        }
        if let Some(path) = word.strip_prefix('@') {
            let mut files = matching(self.files(), path.trim_start_matches('"'));
            for file in &mut files {
                *file = mention(file);
            }
            return (start, files);
        }

        let known = match command {
            "/file" => matching(self.files(), word),
            "/model" => matching(self.models(), word),
            "/undo" => matching(&["list".to_owned()], word),
            _ => Vec::new(),
        };
        (start, known)
    }
}

/// A file as a sentence mentions it.
fn mention(path: &str) -> String {
    if path.contains(char::is_whitespace) {
        format!("@\"{path}\"")
    } else {
        format!("@{path}")
    }
}

/// Those that begin with a text; if there are none, those that contain it.
fn matching(known: &[String], text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let ways: [fn(&str, &str) -> bool; 2] = [|a, b| a.starts_with(b), |a, b| a.contains(b)];
    for is_match in ways {
        if found.is_empty() {
            let known = known.iter().filter(|it| is_match(it, text));
            found.extend(known.take(MOST_SHOWN).cloned());
        }
    }
    found
}

impl Completer for Completion {
    type Candidate = Pair;

    fn complete(&self, line: &str, pos: usize, _: &Context<'_>) -> Result<(usize, Vec<Pair>)> {
        let (start, candidates) = self.candidates(&line[..pos]);
        let mut pairs = Vec::new();
        for replacement in candidates {
            pairs.push(Pair {
                display: replacement.trim_end().to_owned(),
                replacement,
            });
        }
        Ok((start, pairs))
    }
}

impl Hinter for Completion {
    type Hint = String;

    /// There are no hints. It is called whenever the line changes, which tells whether it is empty.
    fn hint(&self, line: &str, _: usize, _: &Context<'_>) -> Option<String> {
        self.is_empty.set(line.is_empty());
        None
    }
}

impl Highlighter for Completion {}

impl Validator for Completion {}

impl Helper for Completion {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_commands_are_completed() {
        let dir = tempfile::tempdir().unwrap();
        for path in ["main.py", "main_test.py", "my tool.py"] {
            std::fs::write(dir.path().join(path), "x = 1\n").unwrap();
        }
        let workspace = Arc::new(Workspace::open(dir.path()).unwrap());
        let completion = Completion::new(workspace, Vec::new());
        let check = |line: &str, start: usize, expected: &[&str]| {
            assert_eq!(
                completion.candidates(line),
                (start, expected.iter().map(|it| (*it).to_owned()).collect()),
                "{line}"
            );
        };
        check("In @mai", 3, &["@main.py", "@main_test.py"]);
        check("In @test", 3, &["@main_test.py"]);
        check("@my", 0, &["@\"my tool.py\""]);
        check("In mai", 3, &[]);
        check("/un", 0, &["/undo "]);
        check("say /un", 4, &[]);
        check("/file main_", 6, &["main_test.py"]);
        check("/undo l", 6, &["list"]);
        check("/model bun", 7, &["bundled"]);
    }
}
