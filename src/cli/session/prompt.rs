//! The prompt: a line that is edited, with history and completion.

use super::completion::Completion;
use super::history::History;
use crate::cli::terminal::take_typed;
use crate::console::say;
use crate::failure::{Failure, FailureKind};
use rustyline::error::ReadlineError;
use rustyline::history::{History as _, MemHistory};
use rustyline::{CompletionType, Config, Editor};
use std::io::ErrorKind;
use std::sync::Mutex;

/// What came from the prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Typed {
    Line(String),
    /// A Ctrl-C, which took back what was typed.
    Cleared,
    /// A Ctrl-C at an empty line.
    Interrupted,
    /// It is no UTF-8.
    Unreadable,
    /// Ctrl-D, or the terminal has gone.
    End,
}

/// A prompt, while it is not shown.
pub(super) struct Prompt {
    /// `None` while another thread waits for a line.
    editor: Option<Editor<Completion, MemHistory>>,
    history: History,
    is_history_said: bool,
}

impl Prompt {
    pub fn new(completion: Completion) -> Result<Prompt, Failure> {
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .history_ignore_space(true)
            .max_history_size(1_000)
            .map_err(failed)?
            .build();
        let history = History::of_person();
        // If it cannot be shortened, it is longer.
        let _ = history.shorten();
        let mut lines = MemHistory::with_config(&config);
        for line in history.lines() {
            lines.add_owned(line).map_err(failed)?;
        }

        let mut editor = Editor::with_history(config, lines).map_err(failed)?;
        editor.set_helper(Some(completion));
        Ok(Prompt {
            editor: Some(editor),
            history,
            is_history_said: false,
        })
    }

    /// Waits for a line. What was typed before stands in it already.
    pub async fn line(&mut self, prompt: &str) -> Result<Typed, Failure> {
        let typed = self.read(prompt).await?;
        if let Typed::Line(line) = &typed
            && !line.trim().is_empty()
        {
            self.keep(line);
        }
        Ok(typed)
    }

    /// Waits for a line that is no part of the history.
    pub async fn further_line(&mut self, prompt: &str) -> Result<Typed, Failure> {
        self.read(prompt).await
    }

    async fn read(&mut self, prompt: &str) -> Result<Typed, Failure> {
        let mut editor = self.editor.take().expect("one line is read at a time");
        if let Some(completion) = editor.helper_mut() {
            completion.forget_files();
            completion.is_empty.set(true);
        }
        let prompt = prompt.to_owned();
        let reading = tokio::task::spawn_blocking(move || {
            let typed = take_typed();
            show_notes_later(true);
            let line = editor.readline_with_initial(&prompt, (typed.trim_start(), ""));
            show_notes_later(false);
            (editor, line)
        });
        let (editor, line) = reading.await.map_err(failed)?;

        let is_empty = editor.helper().is_none_or(|it| it.is_empty.get());
        self.editor = Some(editor);
        match line {
            Ok(line) => Ok(Typed::Line(line)),
            Err(ReadlineError::Interrupted) if is_empty => Ok(Typed::Interrupted),
            Err(ReadlineError::Interrupted) => Ok(Typed::Cleared),
            Err(ReadlineError::Eof) => Ok(Typed::End),
            Err(ReadlineError::Io(error)) if error.kind() == ErrorKind::InvalidData => {
                Ok(Typed::Unreadable)
            }
            Err(error) => Err(failed(error)),
        }
    }

    fn keep(&mut self, line: &str) {
        let Some(editor) = &mut self.editor else {
            return;
        };
        // A line that begins with a space, or that was there just before, is not.
        if !editor.add_history_entry(line).unwrap_or_default() {
            return;
        }
        if let Err(error) = self.history.add(line)
            && !self.is_history_said
        {
            say(&format!("what you type is not kept: {error}"));
            self.is_history_said = true;
        }
    }
}

fn failed(error: impl ToString) -> Failure {
    Failure::new(FailureKind::Environment, error)
}

/// What was said while the prompt was shown; `None` while it is not.
static NOTES: Mutex<Option<Vec<String>>> = Mutex::new(None);

/// Says a line, after the prompt if that is shown now.
pub(super) fn say_note(text: &str) {
    let mut notes = NOTES
        .lock()
        .expect("nothing panics while it holds the lock");
    match notes.as_mut() {
        Some(notes) => notes.push(text.to_owned()),
        None => say(text),
    }
}

fn show_notes_later(later: bool) {
    let mut notes = NOTES
        .lock()
        .expect("nothing panics while it holds the lock");
    let kept = std::mem::replace(&mut *notes, later.then(Vec::new));
    for note in kept.unwrap_or_default() {
        say(&note);
    }
}
