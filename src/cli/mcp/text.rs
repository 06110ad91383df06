//! Results as text that a small model can read: what came of it, then what to do next.

use super::tools::{EditResult, FindResult, ListEditsResult, WriteResult};
use crate::cli::report::{ApplyReport, ErrorReport, Status, WarningReport};
use crate::cli::undo::WrittenEdit;
use crate::text::visible;

/// What the caller of a tool can do about an error. None: what a person at a terminal can do.
fn next_steps(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "arguments" => "call the tool again with the arguments of its schema",
        "declined" => "call edit again with the file, and name the text and what it should become",
        "unsure" => "call edit again in other words: name the text and what it should become",
        "truncated" | "task_too_long" => "ask for a smaller change, in fewer words",
        "mechanics" => "name the file and the text, or write the change yourself with apply_patch",
        "stale" => "look at the file, and make the edit again",
        "token" => "call edit again: a token is good for one write, while the server runs",
        "not_found" | "not_a_file" | "no_files" => "call find: it gives the files for a sentence",
        "outside" | "path" => "only files under the root can be edited",
        "no_edit" => {
            "send search/replace blocks under the name of their file, or a unified diff, \
             or name the file in file"
        }
        "several_files" => "leave file out",
        "not_applied" => "mend the edits that failed, and send the patch again",
        "not_the_last" => "call undo without a number: it takes back the last edit",
        "no_such_edit" | "nothing_to_undo" => {
            "call list_edits: it gives the edits and their numbers"
        }
        "locked" => "call the tool again",
        _ => return None,
    })
}

/// The same error, with what the caller of a tool can do next.
pub(super) fn for_caller(mut error: ErrorReport) -> ErrorReport {
    if let Some(next) = next_steps(&error.kind) {
        error.hints = vec![next.to_owned()];
    }
    error
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
    let mut text = match result.status {
        Status::Done => format!("{done} {}: {}\n", result.files.join(", "), result.what),
        _ => String::new(),
    };
    add_lines(&mut text, &result.remarks);
    add_error(&mut text, result.error.as_ref());
    text
}

pub(super) fn of_patch(report: &ApplyReport, lines: &[String]) -> String {
    let mut text = match report.status {
        Status::Done => format!("Wrote {}\n", report.files.join(", ")),
        Status::PartlyDone => {
            format!(
                "Wrote {}, without the edits that failed\n",
                report.files.join(", ")
            )
        }
        Status::WouldBeDone => "Not written: dry_run.\n".to_owned(),
        Status::AlreadyDone => "Nothing to do: the files have all of this already.\n".to_owned(),
        Status::NotConfirmed | Status::NotMade => String::new(),
    };
    add_warnings(&mut text, &report.warnings);
    add_error(&mut text, report.error.as_ref());
    add_lines(&mut text, lines);
    text + &report.diff
}

pub(super) fn of_list(result: &ListEditsResult) -> String {
    let mut text = String::new();
    add_error(&mut text, result.error.as_ref());
    if result.edits.is_empty() && result.error.is_none() {
        text += "Nothing was written under the root yet.\n";
    }
    for WrittenEdit {
        number,
        seconds_ago,
        state,
        what,
        files,
    } in &result.edits
    {
        let (what, files) = (visible(what), visible(&files.join(", ")).into_owned());
        text += &format!(
            "{number}: {}, {seconds_ago} s ago, in {files}: {what}\n",
            state.word()
        );
    }
    text
}

pub(super) fn of_find(result: &FindResult) -> String {
    let mut text = String::new();
    add_error(&mut text, result.error.as_ref());
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
        *text += line.strip_prefix("slotwright: ").unwrap_or(line);
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
