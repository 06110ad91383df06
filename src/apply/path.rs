//! Finds the file that an edit of a patch means.

use super::plan::{Failed, FailedKind, Files};
use crate::format::{Action, FileEdit, Over};
use crate::text::paths::{Resolved, plain_path, resolve_path};

pub(super) fn path_of(
    file_edit: &FileEdit,
    file: Option<&str>,
    files: &dyn Files,
) -> Result<String, Failed> {
    if let Some(file) = file {
        return Ok(file.to_owned());
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
    let is_placeholder =
        |_: &&str| !files.listing().iter().any(|other| other.starts_with("path/to/"));
    let path = path.strip_prefix("path/to/").filter(is_placeholder).unwrap_or(&path).to_owned();
    let may_be_new = match file_edit.action {
        Action::Write { over, .. } => over != Over::File,
        _ => false,
    };
    // A hidden or ignored file is not listed, but a patch may name it.
    if may_be_new || files.read(&path).is_ok_and(|text| text.is_some()) {
        return Ok(path);
    }
    // A wrong folder means another file. A deleted or moved file must be named exactly.
    let ends_like = |one: &str, other: &str| {
        one.strip_suffix(other).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    let must_be_exact = matches!(file_edit.action, Action::Delete { .. } | Action::Move { .. });
    match resolve_path(&path, files.listing()) {
        Resolved::File(found)
            if !must_be_exact && (ends_like(&path, &found) || ends_like(&found, &path)) =>
        {
            Ok(found)
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
