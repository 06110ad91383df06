//! Code that a change loses.

use super::warning::{Warning, WarningKind};
use crate::patched::{FileChange, Patched};
use crate::search::is_about_file_itself;
use crate::slots::Operation;
use crate::syntax::{self, ChangedText, LeftOut};
use crate::task::Task;
use crate::text::ident::has_word;
use crate::text::{Text, defined_name, elision, visible};

/// Warns of files that have a new mark for left-out code, or a comment in the place of code. `files`
/// holds the path of each, and its text before and after, `None` where there is no file.
pub fn elided<'a>(
    files: impl IntoIterator<Item = (&'a str, Option<&'a Text>, Option<&'a [u8]>)>,
) -> Vec<Warning> {
    let mut texts = Vec::new();
    for (path, before, after) in files {
        let after = after.and_then(|bytes| Text::decode_after(before, bytes.to_vec()).ok());
        texts.push((path, before.map_or("", Text::shown), after));
    }
    let mut changed = Vec::new();
    for (path, before, after) in &texts {
        changed.push(ChangedText {
            path,
            before,
            after: after.as_ref().map_or("", Text::shown),
        });
    }

    let in_place = syntax::left_out(&changed);
    let mut warnings: Vec<Warning> = in_place.iter().map(left_out).collect();
    for text in &changed {
        let is_found = in_place.iter().any(|found| found.path == text.path);
        if !is_found && let Some(line) = new_mark(text) {
            warnings.push(WarningKind::Elided.says(left_out_where(text.path, line)));
        }
    }
    warnings
}

/// The line of a new mark for left-out code.
fn new_mark<'t>(text: &ChangedText<'t>) -> Option<&'t str> {
    let mut after = text.after.lines().map(str::trim);
    after.find(|line| {
        elision::is_elision(line) && !text.before.lines().any(|old| old.trim() == *line)
    })
}

fn left_out_where(path: &str, line: &str) -> String {
    let line = visible(line);
    format!("{path}: the new text leaves code out where it says `{line}`")
}

fn left_out(found: &LeftOut) -> Warning {
    let mut message = left_out_where(&found.path, &found.line);
    let n_lines = found.n_lines;
    if n_lines > 0 {
        let s = if n_lines == 1 { "" } else { "s" };
        message += &format!(": {n_lines} line{s} of the file would be gone");
        if !found.names.is_empty() {
            message += &format!(", with {}", found.names.join(", "));
        }
    }
    WarningKind::Elided.says(message)
}

/// The command that deletes a file.
pub fn deletion(path: &str) -> String {
    format!("rm '{}'", path.replace('\'', r"'\''"))
}

/// Warns of a change that only takes lines out of a file, if all of them go, or if the task names
/// the file and nothing in those lines: it may mean the file itself. `edits` are those of the file.
pub fn empties<'e>(
    task: &Task,
    change: &FileChange,
    edits: impl Iterator<Item = &'e Patched>,
) -> Option<Warning> {
    let before = change.before.as_ref()?;
    let after = Text::decode_after(Some(before), change.after.clone()).ok()?;
    let mut removed = String::new();
    for edit in edits {
        for replacement in &edit.replacements {
            if !replacement.new.trim().is_empty() {
                return None;
            }
            removed += &edit.before.shown()[replacement.range.clone()];
            removed.push('\n');
        }
    }

    let path = &change.path;
    let is_empty = after.shown().trim().is_empty();
    if !is_empty && !is_about_file_itself(task, path, &removed) {
        return None;
    }
    let n_before = before.shown().lines().count();
    let n_removed = n_before - after.shown().lines().count();
    let deletion = deletion(path);
    Some(WarningKind::Shrinks.says(format!(
        "{n_removed} of {n_before} lines of {path} go, and the file stays: to delete it, \
         run {deletion}"
    )))
}

/// Warns of a rewritten block that lacks definitions which the task does not name.
pub fn loses(task: &Task, patched: &Patched) -> Option<Warning> {
    if patched.operation != Operation::Rewrite {
        return None;
    }
    let after = Text::decode_after(Some(&patched.before), patched.after.clone()).ok()?;
    let mut names: Vec<&str> = Vec::new();
    for name in patched.before.shown().lines().filter_map(defined_name) {
        let is_gone = !has_word(after.shown(), name) && !has_word(task.sentence(), name);
        if is_gone && !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() {
        return None;
    }

    let are = if names.len() == 1 { "is" } else { "are" };
    let names = names.join(", ");
    let path = &patched.path;
    Some(WarningKind::Shrinks.says(format!(
        "{names} of {path} {are} gone, and the task does not say so"
    )))
}
