//! Finds the file that an edit of a patch means.

use super::plan::{Failed, FailedKind, Files};
use crate::format::{Action, FileEdit, Over};
use crate::text::paths::{Resolved, ends_like, plain_path, resolve_path};
use std::collections::HashSet;

/// The path of the file of an edit. `made`: the files that the patch makes.
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
        let next = "name it above the edit, or with --file";
        return Err(Failed::new(
            FailedKind::NoPath,
            "the patch does not say which file it is about",
            next,
        ));
    };
    let path = plain_path(named);
    // Prompts write `path/to/` for some folder, and models repeat it.
    let is_placeholder = |_: &&str| {
        !files
            .listing()
            .iter()
            .any(|other| other.starts_with("path/to/"))
    };
    let path = path
        .strip_prefix("path/to/")
        .filter(is_placeholder)
        .unwrap_or(&path)
        .to_owned();
    let may_be_new = match file_edit.action {
        Action::Write { over, .. } => !matches!(over, Over::File | Over::Version),
        _ => made.contains(&path),
    };
    // A hidden or ignored file is not listed, but a patch may name it.
    if may_be_new || files.read(&path).is_ok_and(|text| text.is_some()) {
        return Ok(path);
    }
    // A wrong folder means another file. A deleted or moved file must be named exactly.
    let must_be_exact = matches!(
        file_edit.action,
        Action::Delete { .. } | Action::Move { .. }
    );
    match resolve_path(&path, files.listing()) {
        Resolved::File(found)
            if !must_be_exact && (ends_like(&path, &found) || ends_like(&found, &path)) =>
        {
            Ok(found)
        }
        Resolved::File(found)
            if matches!(file_edit.action, Action::Delete { .. }) && ends_like(&path, &found) =>
        {
            Err(Failed::new(
                FailedKind::NoFile,
                format!("there is no {path} to delete, and nothing says that {found} is meant"),
                format!("write the path of the file: {found}"),
            ))
        }
        Resolved::File(_) => Ok(path),
        Resolved::Ambiguous(candidates) => {
            let next = format!("write one of their paths: {}", candidates.join(", "));
            Err(Failed::new(
                FailedKind::AmbiguousPath,
                format!("{named:?} may mean {} files", candidates.len()),
                next,
            ))
        }
        // The file's own result will say that it does not exist.
        Resolved::Missing => Ok(path),
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
    let next = "write the path of the file alone on the line above the edit";
    let mut found: Vec<String> = Vec::new();
    for name in names {
        let path = plain_path(name);
        let candidates = match resolve_path(&path, files.listing()) {
            _ if files.read(&path).is_ok_and(|text| text.is_some()) => vec![path],
            Resolved::File(other) if ends_like(&path, &other) || ends_like(&other, &path) => {
                vec![other]
            }
            Resolved::Ambiguous(candidates) => candidates,
            Resolved::File(_) | Resolved::Missing => Vec::new(),
        };
        found.extend(candidates);
    }
    found.sort();
    found.dedup();
    match (found.as_slice(), names) {
        ([path], _) => Ok(path.clone()),
        ([], [name]) if makes_a_file(action) => Ok(plain_path(name)),
        ([], [name]) => Err(Failed::new(
            FailedKind::NoFile,
            format!("the text above the edit names {name:?}, and there is no such file"),
            next,
        )),
        ([], names) => Err(Failed::new(
            FailedKind::NoPath,
            format!(
                "the text above the edit names no file that is there ({})",
                names.join(", ")
            ),
            next,
        )),
        (several, _) => Err(Failed::new(
            FailedKind::AmbiguousPath,
            format!(
                "the text above the edit does not say which of {} files is meant: {}",
                several.len(),
                several.join(", ")
            ),
            next,
        )),
    }
}
