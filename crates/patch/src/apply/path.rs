//! Finds the file that an edit of a patch means.

use super::plan::{Failed, FailedKind, Files};
use crate::format::{Action, FileEdit, Over};
use crate::text::paths::{Resolved, ends_like, plain_path, resolve_path};
use std::collections::HashSet;

/// The path of the file of an edit. `made` are the files that the patch makes.
pub(super) fn path_of(
    file_edit: &FileEdit,
    file: Option<&str>,
    made: &HashSet<String>,
    files: &dyn Files,
) -> Result<String, Failed> {
    if let Some(file) = file {
        return Ok(file.to_owned());
    }
    if let Action::OneOf { names, action } = &file_edit.action {
        return one_of(names, action, files);
    }
    let Some(named) = &file_edit.path else {
        return Err(Failed::new(
            FailedKind::NoPath,
            "the patch does not say which file it is about",
            "name it above the edit, or say which file the whole patch is for",
        ));
    };

    let path = without_placeholder(plain_path(named), files);
    let may_be_new = match file_edit.action {
        Action::Write { over, .. } => !matches!(over, Over::File | Over::Version),
        _ => made.contains(&path),
    };
    // A hidden or ignored file is not listed, but a patch may name it.
    if may_be_new || is_there(&path, files) {
        return Ok(path);
    }
    match resolve_path(&path, files.listing()) {
        Resolved::File(found) => found_path(&file_edit.action, path, found),
        Resolved::Ambiguous(candidates) => Err(Failed::new(
            FailedKind::AmbiguousPath,
            format!("{named:?} may mean {} files", candidates.len()),
            format!("write one of their paths: {}", candidates.join(", ")),
        )),
        // The file's own result will say that it does not exist.
        Resolved::Missing => Ok(path),
    }
}

/// Prompts write `path/to/` for some folder, and models repeat it.
fn without_placeholder(path: String, files: &dyn Files) -> String {
    const PLACEHOLDER: &str = "path/to/";
    match path.strip_prefix(PLACEHOLDER) {
        Some(rest)
            if !files
                .listing()
                .iter()
                .any(|other| other.starts_with(PLACEHOLDER)) =>
        {
            rest.to_owned()
        }
        _ => path,
    }
}

fn is_there(path: &str, files: &dyn Files) -> bool {
    files.read(path).is_ok_and(|text| text.is_some())
}

/// Whether one of two paths ends like the other, so that they differ only in outer folders.
fn are_alike(one: &str, other: &str) -> bool {
    ends_like(one, other) || ends_like(other, one)
}

/// The path of an edit whose file is not there under `path`, but perhaps as `found`. A wrong folder
/// means another file, and a deleted or moved file must be named exactly.
fn found_path(action: &Action, path: String, found: String) -> Result<String, Failed> {
    match action {
        Action::Delete { .. } if ends_like(&path, &found) => Err(Failed::new(
            FailedKind::NoFile,
            format!("there is no {path} to delete, and nothing says that {found} is meant"),
            format!("write the path of the file: {found}"),
        )),
        Action::Delete { .. } | Action::Move { .. } => Ok(path),
        _ if are_alike(&path, &found) => Ok(found),
        _ => Ok(path),
    }
}

/// Whether nothing is searched, so that the file is a new one.
fn makes_a_file(action: &Action) -> bool {
    match action {
        Action::Write { over, .. } => matches!(over, Over::Nothing | Over::NothingOrVersion),
        Action::Edit(hunk) => hunk.old().all(|line| line.trim().is_empty()),
        _ => false,
    }
}

/// The only file among names in prose. Other names are no files, such as `config.timeout`.
fn one_of(names: &[String], action: &Action, files: &dyn Files) -> Result<String, Failed> {
    let mut found: Vec<String> = Vec::new();
    for name in names {
        let path = plain_path(name);
        if is_there(&path, files) {
            found.push(path);
            continue;
        }
        match resolve_path(&path, files.listing()) {
            Resolved::File(other) if are_alike(&path, &other) => found.push(other),
            Resolved::Ambiguous(candidates) => found.extend(candidates),
            Resolved::File(_) | Resolved::Missing => {}
        }
    }
    found.sort();
    found.dedup();

    let (kind, message) = match (found.as_slice(), names) {
        ([path], _) => return Ok(path.clone()),
        ([], [name]) if makes_a_file(action) => return Ok(plain_path(name)),
        ([], [name]) => (
            FailedKind::NoFile,
            format!("the text above the edit names {name:?}, and there is no such file"),
        ),
        ([], names) => (
            FailedKind::NoPath,
            format!(
                "the text above the edit names no file that is there ({})",
                names.join(", ")
            ),
        ),
        (several, _) => (
            FailedKind::AmbiguousPath,
            format!(
                "the text above the edit does not say which of {} files is meant: {}",
                several.len(),
                several.join(", ")
            ),
        ),
    };
    let next = "write the path of the file alone on the line above the edit";
    Err(Failed::new(kind, message, next))
}
