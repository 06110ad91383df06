//! Applies a patch to its files, as values: files are read through [`Files`], and nothing is
//! written. Every edit has its own result, so that a caller can ask again for only the failed ones.

mod elided;
mod file_plan;
mod in_memory;
mod path;
mod plan;
mod root;
mod stray_end;
mod whole_text;

pub use elided::leaves_out;
pub use in_memory::InMemory;
pub use plan::{
    Applied, EditOutcome, EditResult, Exchanged, Failed, FailedKind, Files, PlacedPart, Plan,
    PlannedFile,
};

use crate::format::{Action, FileEdit, Over, Patch};
use crate::locate::Rung;
use crate::text::Text;
use crate::text::paths::plain_path;
use file_plan::of_file;
use path::path_of;
use std::collections::{BTreeMap, HashSet};

/// Works out what the files of a patch become. `file` is the only file of the patch, whatever path
/// the patch gives.
///
/// Failed edits are left out of [`Plan::files`], and the caller decides whether to write the rest. A
/// person should look first at what [`Applied::placed`] and [`Applied::removed`] name.
pub fn apply(patch: &Patch, file: Option<&str>, files: &dyn Files) -> Plan {
    let named = file.and_then(|_| as_named(patch));
    let mut patch = root::rooted(named.as_ref().unwrap_or(patch), files);
    let left_out = take_stray_ends(&mut patch, file, files);

    // Which file each edit is for.
    let all: Vec<&FileEdit> = patch.file_edits().collect();
    let made: HashSet<String> = all.iter().filter_map(|edit| made_path(edit)).collect();
    let mut outcomes: Vec<EditOutcome> = Vec::with_capacity(all.len());
    let mut by_file: Vec<(String, Vec<usize>)> = Vec::new();
    for part in &patch.parts {
        for file_edit in &part.file_edits {
            let mut outcome = EditOutcome {
                patch_line: file_edit.line,
                format: part.format,
                path: file_edit.path.clone(),
                result: EditResult::Applies(Applied::default()),
            };
            match target(file_edit, file, &made, files) {
                Ok(path) => {
                    outcome.path = Some(path.clone());
                    let i = outcomes.len();
                    match by_file.iter_mut().find(|(other, _)| *other == path) {
                        Some((_, indices)) => indices.push(i),
                        None => by_file.push((path, vec![i])),
                    }
                }
                Err(failed) => outcome.result = EditResult::Failed(failed),
            }
            outcomes.push(outcome);
        }
    }

    let mut planned: Vec<PlannedFile> = Vec::new();
    for (path, indices) in by_file {
        let file_edits: Vec<&FileEdit> = indices.iter().map(|&i| all[i]).collect();
        let (file, mut results) = of_file(&path, &file_edits, files);
        match file.as_ref().and_then(|file| lost_file(file, &planned)) {
            Some(failed) => results = vec![EditResult::Failed(failed); file_edits.len()],
            None => planned.extend(file),
        }
        for (i, result) in indices.into_iter().zip(results) {
            outcomes[i].result = result;
        }
    }

    for (outcome, left_out) in outcomes.iter_mut().zip(left_out) {
        if let EditResult::Applies(applied) = &mut outcome.result {
            applied.left_out = left_out;
        }
    }
    Plan {
        files: planned,
        outcomes,
    }
}

/// The path of the file that an edit is for. `made` are the files that the patch makes.
fn target(
    file_edit: &FileEdit,
    file: Option<&str>,
    made: &HashSet<String>,
    files: &dyn Files,
) -> Result<String, Failed> {
    if let Action::Refused {
        is_malformed,
        message,
        next,
    } = &file_edit.action
    {
        let kind = if *is_malformed {
            FailedKind::Malformed
        } else {
            FailedKind::Unsupported
        };
        return Err(Failed::new(kind, message, next));
    }
    path_of(file_edit, file, made, files)
}

/// Why a file cannot be written, if another one of the plan gets the same name: one would be lost.
fn lost_file(file: &PlannedFile, planned: &[PlannedFile]) -> Option<Failed> {
    let to = file.path_after()?;
    if !planned.iter().any(|other| other.path_after() == Some(to)) {
        return None;
    }
    let message = format!(
        "{} cannot become {to}: another part of the patch puts a file there",
        file.path
    );
    let next = "give each file a name of its own";
    Some(Failed::new(FailedKind::Exists, message, next))
}

/// Takes off the ends of new texts that belong to the answer and not to the file. Returns them for
/// each edit.
fn take_stray_ends(patch: &mut Patch, file: Option<&str>, files: &dyn Files) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for file_edit in patch.file_edits_mut() {
        let mut left_out = Vec::new();
        if stray_end::is_likely(file_edit.action.itself()) {
            let path = match file {
                Some(file) => file.to_owned(),
                None => path_of(file_edit, None, &HashSet::new(), files).unwrap_or_default(),
            };
            let before = files.read(&path).ok().flatten();
            let before = before.as_ref().map_or("", Text::shown);
            if let Some((action, parts)) =
                stray_end::without(file_edit.action.itself(), &path, before)
            {
                *file_edit.action.itself_mut() = action;
                left_out = parts;
            }
        }
        all.push(left_out);
    }
    all
}

/// The patch for a person who has named its file: a whole text under prose then is that file's. `None`
/// if the patch has no such text.
fn as_named(patch: &Patch) -> Option<Patch> {
    let is_alone = patch.file_edits().count() == 1;
    let mut named = patch.clone();
    let mut has_any = false;
    for file_edit in named.file_edits_mut() {
        let Action::Write { text, over } = file_edit.action.itself() else {
            continue;
        };
        if *over == Over::Version || (is_alone && *over == Over::NothingOrVersion) {
            has_any = true;
            file_edit.action = Action::Write {
                text: text.clone(),
                over: Over::Anything,
            };
        }
    }
    has_any.then_some(named)
}

/// The path of the file that an edit makes; `None` if it makes none.
fn made_path(file_edit: &FileEdit) -> Option<String> {
    match &file_edit.action {
        Action::Copy { .. }
        | Action::Write {
            over: Over::Nothing,
            ..
        } => file_edit.path.as_deref().map(plain_path),
        _ => None,
    }
}

/// How many edits were found on each rung.
pub fn rungs(outcomes: &[EditOutcome]) -> BTreeMap<Rung, usize> {
    let mut rungs = BTreeMap::new();
    for outcome in outcomes {
        if let EditResult::Applies(Applied {
            rung: Some(rung), ..
        }) = &outcome.result
        {
            *rungs.entry(*rung).or_default() += 1;
        }
    }
    rungs
}
