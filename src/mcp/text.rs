//! Results as text that a small model can read: what came of it, then what to do next.

use super::results::{EditResult, FindResult, ListEditsResult, PatchResult, WriteResult};
use crate::app::report::{ErrorReport, Status, WarningReport};
use crate::app::undo::WrittenEdit;
use crate::failure::{Failure, FailureKind};
use crate::review::WarningKind;
use crate::text::visible;

/// What the caller of a tool can do about a failure; `None` if that is what a person at a terminal
/// can do.
fn next_step(kind: FailureKind) -> Option<&'static str> {
    Some(match kind {
        FailureKind::Arguments => "call the tool again with the arguments of its schema",
        FailureKind::Lines => "call edit again with a line that the file has",
        FailureKind::Declined => {
            "call edit again with the file, and name the text and what it should become"
        }
        FailureKind::Warning(WarningKind::Unsure) => {
            "call edit again in other words: name the text and what it should become"
        }
        FailureKind::Truncated | FailureKind::TaskTooLong => {
            "ask for a smaller change, in fewer words"
        }
        FailureKind::Mechanics => {
            "name the file and the text, or write the change yourself with apply_patch"
        }
        FailureKind::Stale => "look at the file, and make the edit again",
        FailureKind::Token => {
            "call edit again: a token is good for one write, while the server runs"
        }
        FailureKind::NotConfirmed => "ask the person what they want instead",
        FailureKind::Client => {
            "tell the person: started with --yes, the server leaves the question to its client"
        }
        FailureKind::Exists => "name the file in file, to change it",
        FailureKind::Malformed => "mend what is there, and send the whole patch again",
        FailureKind::Denied => "leave check out; only the person can allow it, with --allow-check",
        FailureKind::NotFound | FailureKind::NotAFile | FailureKind::NoFiles => {
            "call find: it gives the files for a sentence"
        }
        FailureKind::Outside | FailureKind::Path => "only files under the root can be edited",
        FailureKind::NoEdit => {
            "send search/replace blocks under the name of their file, or a unified diff, \
             or name the file in file"
        }
        FailureKind::SeveralFiles => "leave file out",
        FailureKind::NotApplied => "mend the edits that failed, and send the patch again",
        FailureKind::NotTheLast => "call undo without a number: it takes back the last edit",
        FailureKind::NoSuchEdit | FailureKind::NothingToUndo => {
            "call list_edits: it gives the edits and their numbers"
        }
        FailureKind::Locked => "call the tool again",
        _ => return None,
    })
}

/// A failure as a result has it, with what the caller of a tool can do next. What only options and
/// commands can do, the person has to.
pub(super) fn for_caller(failure: Failure) -> ErrorReport {
    let next_step = next_step(failure.kind);
    let mut error = ErrorReport::from(failure);
    if let Some(next_step) = next_step {
        error.hints = vec![next_step.to_owned()];
    } else {
        for hint in &mut error.hints {
            if hint.contains("--") || hint.contains("slotwright ") {
                *hint = format!("tell the person: {hint}");
            }
        }
    }
    error
}

/// What a failure makes of a call.
pub(super) fn status(failure: &Failure) -> Status {
    if failure.kind == FailureKind::NotConfirmed {
        Status::NotConfirmed
    } else {
        Status::NotMade
    }
}

pub(super) fn of_edit(result: &EditResult) -> String {
    let mut text = match (&result.status, &result.token) {
        (_, Some(token)) => format!("Not written yet. To write it: write, token {token:?}.\n"),
        (Status::AlreadyDone, None) => "Nothing to do: the files have it already.\n".to_owned(),
        _ => String::new(),
    };
    if let (Some(certainty), Some(_)) = (result.certainty, &result.token) {
        text += &format!("certainty {certainty:.2}\n");
    }
    add_warnings(&mut text, &result.warnings);
    add_lines(&mut text, &result.remarks);
    add_error(&mut text, result.error.as_ref());
    text + &result.diff
}

/// `done`: what it did to the files.
pub(super) fn of_write(result: &WriteResult, done: &str) -> String {
    let files = result.files.join(", ");
    let mut text = match result.status {
        Status::Done => format!("{done} {files}: {}\n", result.what),
        Status::PartlyDone => {
            format!("{done} {files}, and only a part of it: {}\n", result.what)
        }
        _ => String::new(),
    };
    add_lines(&mut text, &result.remarks);
    add_error(&mut text, result.error.as_ref());
    text
}

pub(super) fn of_patch(result: &PatchResult) -> String {
    let PatchResult {
        report,
        done,
        remarks,
        misses,
    } = result;
    let mut text = match report.status {
        Status::Done => format!("{}\n", sentence(done)),
        Status::PartlyDone => format!("{}, without the edits that failed\n", sentence(done)),
        Status::WouldBeDone => "Not written: dry_run.\n".to_owned(),
        Status::AlreadyDone => "Nothing to do: the files have all of this already.\n".to_owned(),
        Status::NotConfirmed | Status::NotMade => String::new(),
    };
    add_warnings(&mut text, &report.warnings);
    add_error(&mut text, report.error.as_ref());
    add_lines(&mut text, remarks);
    add_lines(&mut text, misses);
    text + &report.diff
}

/// `Wrote a.py, removed b.py`.
fn sentence(done: &[String]) -> String {
    let done = done.join(", ");
    let first = done.chars().next().map_or(0, char::len_utf8);
    done[..first].to_uppercase() + &done[first..]
}

pub(super) fn of_list(result: &ListEditsResult) -> String {
    let mut text = String::new();
    add_error(&mut text, result.error.as_ref());
    if result.edits.is_empty() && result.error.is_none() {
        text += "Nothing was written under the root yet.\n";
    }
    for edit in &result.edits {
        let WrittenEdit { number, state, .. } = edit;
        let (what, files) = (visible(&edit.what), edit.files.join(", "));
        text += &format!(
            "{number}: {}, {} ago, in {}: {what}\n",
            state.word(),
            edit.ago(),
            visible(&files)
        );
    }
    text
}

pub(super) fn of_find(result: &FindResult) -> String {
    let mut text = String::new();
    add_error(&mut text, result.error.as_ref());
    if result.files.is_empty() && result.error.is_none() {
        text += "No file has a word of this.\nnext: use other words, or names from the code\n";
    }
    for file in &result.files {
        text += &file.path;
        if !file.words.is_empty() {
            text += &format!(" ({})", file.words.join(", "));
        }
        text.push('\n');
        for window in &file.windows {
            for (idx, line) in window.text.lines().enumerate() {
                text += &format!("  {}: {line}\n", window.first_line + idx);
            }
        }
    }
    text
}

fn add_lines(text: &mut String, lines: &[String]) {
    for line in lines {
        *text += line;
        text.push('\n');
    }
}

fn add_warnings(text: &mut String, warnings: &[WarningReport]) {
    for WarningReport { kind, message, .. } in warnings {
        *text += &format!("warning {kind}: {message}\n");
    }
}

fn add_error(text: &mut String, error: Option<&ErrorReport>) {
    let Some(error) = error else { return };
    *text += &format!("{}\n", error.message);
    for hint in &error.hints {
        *text += &format!("next: {hint}\n");
    }
}
