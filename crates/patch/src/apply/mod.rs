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

/// Works out the result of a patch. `file` names the only file of the patch, whatever path the
/// patch gives. Failed edits are left out of [`Plan::files`]; the caller decides whether to write
/// the rest. Somebody should look at what [`Applied::placed`] and [`Applied::removed`] say before.
pub fn apply(patch: &Patch, file: Option<&str>, files: &dyn Files) -> Plan {
    let named = file.and_then(|_| as_named(patch));
    let mut patch = root::rooted(named.as_ref().unwrap_or(patch), files);
    let left_out = take_stray_ends(&mut patch, file, files);
    let all: Vec<&FileEdit> = patch.file_edits().collect();
    let mut results: Vec<Option<EditResult>> = vec![None; all.len()];
    let mut paths: Vec<Option<String>> = Vec::with_capacity(all.len());
    let mut by_file: Vec<(String, Vec<usize>)> = Vec::new();
    let made: HashSet<String> = all
        .iter()
        .filter_map(|file_edit| makes(file_edit))
        .collect();
    for (i, file_edit) in all.iter().enumerate() {
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
            let failed = Failed::new(kind, message, next);
            results[i] = Some(EditResult::Failed(failed));
            paths.push(file_edit.path.clone());
            continue;
        }
        match path_of(file_edit, file, &made, files) {
            Ok(path) => {
                match by_file.iter_mut().find(|(other, _)| *other == path) {
                    Some((_, file_edits)) => file_edits.push(i),
                    None => by_file.push((path.clone(), vec![i])),
                }
                paths.push(Some(path));
            }
            Err(failed) => {
                results[i] = Some(EditResult::Failed(failed));
                paths.push(file_edit.path.clone());
            }
        }
    }
    let mut planned: Vec<PlannedFile> = Vec::new();
    for (path, indices) in by_file {
        let file_edits: Vec<&FileEdit> = indices.iter().map(|&i| all[i]).collect();
        let (file, mut file_results) = of_file(&path, &file_edits, files);
        // If two files get the same name, one would be lost.
        let target = |file: &PlannedFile| {
            file.after
                .as_ref()
                .map(|_| file.moved_to.as_ref().unwrap_or(&file.path).clone())
        };
        match file.as_ref().and_then(target).filter(|to| {
            planned
                .iter()
                .any(|other| target(other).as_ref() == Some(to))
        }) {
            Some(to) => {
                let message = format!(
                    "{path} cannot become {to}: another part of the patch puts a file there"
                );
                let failed = Failed::new(
                    FailedKind::Exists,
                    message,
                    "give each file a name of its own",
                );
                file_results = vec![EditResult::Failed(failed); file_edits.len()];
            }
            None => planned.extend(file),
        }
        for (i, result) in indices.into_iter().zip(file_results) {
            results[i] = Some(result);
        }
    }
    let formats = patch
        .parts
        .iter()
        .flat_map(|part| part.file_edits.iter().map(|_| part.format));
    let outcomes = all.iter().zip(formats).zip(paths).zip(results);
    let mut outcomes: Vec<EditOutcome> = outcomes
        .map(|(((file_edit, format), path), result)| EditOutcome {
            patch_line: file_edit.line,
            format,
            path,
            result: result.expect("each file_edit has a file or failed"),
        })
        .collect();
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

/// Takes the ends of texts that belong to the answer and not to the file. Gives them for each edit.
fn take_stray_ends(patch: &mut Patch, file: Option<&str>, files: &dyn Files) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for file_edit in patch.file_edits_mut() {
        if !stray_end::is_likely(file_edit.action.itself()) {
            all.push(Vec::new());
            continue;
        }
        let path = file
            .map(str::to_owned)
            .or_else(|| path_of(file_edit, file, &HashSet::new(), files).ok());
        let path = path.unwrap_or_default();
        let before = files.read(&path).ok().flatten();
        let before = before.as_ref().map_or("", Text::shown);
        let taken = stray_end::without(file_edit.action.itself(), &path, before);
        let mut left_out = Vec::new();
        if let Some((action, parts)) = taken {
            *file_edit.action.itself_mut() = action;
            left_out = parts;
        }
        all.push(left_out);
    }
    all
}

/// The patch, if somebody has named its file: then a whole text under prose is one. `None` if it
/// has none.
fn as_named(patch: &Patch) -> Option<Patch> {
    let is_alone = patch.file_edits().count() == 1;
    let is_version = |action: &Action| match action {
        Action::Write { over, .. } => {
            *over == Over::Version || (is_alone && *over == Over::NothingOrVersion)
        }
        _ => false,
    };
    if !patch
        .file_edits()
        .any(|file_edit| is_version(file_edit.action.itself()))
    {
        return None;
    }
    let mut named = patch.clone();
    for file_edit in named.file_edits_mut() {
        let action = file_edit.action.itself();
        if let Action::Write { text, .. } = action
            && is_version(action)
        {
            file_edit.action = Action::Write {
                text: text.clone(),
                over: Over::Anything,
            };
        }
    }
    Some(named)
}

/// The path of a file that an edit makes.
fn makes(file_edit: &FileEdit) -> Option<String> {
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
