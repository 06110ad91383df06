//! What a person should know about a patch before saying yes, apart from the diff.

use crate::apply::{EditResult, Plan, PlannedFile};
use crate::diff::{self, FileDiff};
use crate::format::{Action, Format, Patch};
use crate::review::{self, Warning, WarningKind};
use crate::text::Text;
use crate::text::paths::plain_path;

/// A shorter file is looked through at a glance.
const MIN_LINES_THAT_SHRINK: usize = 8;

/// Failed edits that are explained at length.
const MAX_EXPLAINED: usize = 10;

/// Characters of a line by which a patch is known in a list.
const MAX_GLIMPSE: usize = 40;

/// No further one is explained after so many bytes.
const MAX_BYTES: usize = 10_000;

/// What about a patch asks for a second look, apart from its sketches.
pub(super) fn warnings(patch: &Patch, plan: &Plan) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for other in &patch.not_read {
        let line = other.line;
        let message = match &other.path {
            Some(path) => format!(
                "line {line} of the patch begins what may be all of {path}, and was not read: \
                 other parts of the patch edit that file, or only the text above names it"
            ),
            None => format!(
                "the patch was read as {}; line {line} begins what looks like {}, and was not read",
                format_name(patch),
                other.format.name()
            ),
        };
        warnings.push(WarningKind::Mixed.says(message));
    }

    if patch
        .file_edits()
        .any(|file_edit| matches!(file_edit.action.itself(), Action::Lines(_)))
    {
        let message = "the patch names lines by number only: \
                       whether they are the ones of this file cannot be told";
        warnings.push(WarningKind::Numbers.says(message));
    }

    warnings.extend(review::elided(plan.files.iter().map(|file| {
        let path = file.moved_to.as_ref().unwrap_or(&file.path);
        (path.as_str(), file.before.as_ref(), file.after.as_deref())
    })));
    for file in &plan.files {
        if let Some((n_before, n_after)) = shrinks(file, patch, plan) {
            let path = &file.path;
            warnings.push(WarningKind::Shrinks.says(format!(
                "all of {path} is replaced: its {n_before} lines by {n_after}"
            )));
        }
        let path = file.moved_to.as_ref().unwrap_or(&file.path);
        if let Some(after) = &file.after {
            warnings.extend(review::breaks(path, file.before.as_ref(), after));
        }
    }
    warnings
}

/// The number of lines before and after, for a file whose whole text is replaced by one of half its
/// lines or fewer.
fn shrinks(file: &PlannedFile, patch: &Patch, plan: &Plan) -> Option<(usize, usize)> {
    let n_before = n_lines(file.before.as_ref()?.bytes());
    let n_after = n_lines(file.after.as_ref()?);
    if n_before < MIN_LINES_THAT_SHRINK || n_after * 2 > n_before {
        return None;
    }
    let mut edits = patch.file_edits().zip(&plan.outcomes);
    let is_replaced = edits.any(|(file_edit, outcome)| {
        matches!(file_edit.action.itself(), Action::Write { .. })
            && outcome.path.as_ref() == Some(&file.path)
    });
    is_replaced.then_some((n_before, n_after))
}

fn n_lines(bytes: &[u8]) -> usize {
    bytes.split_inclusive(|&byte| byte == b'\n').count()
}

/// What the program made of the patch. The failed edits come last, and have several lines.
pub(super) fn remarks(patch: &Patch, plan: &Plan) -> Vec<String> {
    let mut remarks = Vec::new();
    if patch.format().is_none() {
        remarks.push(format!("the patch has several formats: {}", formats(patch)));
    }
    if !patch.asides.is_empty() {
        let lines: Vec<String> = patch.asides.iter().map(usize::to_string).collect();
        let lines = lines.join(", ");
        remarks.push(format!(
            "not read, as it names no file: the code on line {lines}"
        ));
    }
    for (path, applied) in plan.applied() {
        if !applied.left_out.is_empty() {
            let parts = applied.left_out.join(" ");
            remarks.push(format!("left out at the end of {path}: {parts}"));
        }
    }

    let outcomes = plan.outcomes.iter();
    let already =
        outcomes.filter(|outcome| matches!(outcome.result, EditResult::AlreadyApplied { .. }));
    let n_already = already.count();
    if n_already > 0 {
        let n = plan.outcomes.len();
        remarks.push(format!("{n_already} of {n} edits were made already"));
    }

    for (file_edit, outcome) in patch.file_edits().zip(&plan.outcomes) {
        let line = outcome.patch_line;
        match (&file_edit.path, &file_edit.action, &outcome.path) {
            (Some(named), _, Some(path)) if plain_path(named) != *path => {
                remarks.push(format!("line {line}: {named:?} is taken for {path}"));
            }
            (None, Action::OneOf { names, .. }, Some(path)) if is_among(path, names) => {
                remarks.push(format!(
                    "line {line}: the edit is taken for one of {path}, named in the text above"
                ));
            }
            _ => {}
        }
    }
    remarks.extend(explained(plan));
    remarks
}

/// Whether a file is one that prose names; `--file` may have named another one.
fn is_among(path: &str, names: &[String]) -> bool {
    names.iter().any(|name| {
        let name = plain_path(name);
        name.ends_with(path) || path.ends_with(&name)
    })
}

/// The name of a patch's format, for `--format`; `mixed` if it has several.
pub(super) fn format_name(patch: &Patch) -> &'static str {
    patch.format().map_or("mixed", Format::name)
}

/// The formats of a patch's parts, each with the numbers of its edits.
fn formats(patch: &Patch) -> String {
    let mut formats = Vec::new();
    let mut n_above = 0;
    for part in &patch.parts {
        let first = n_above + 1;
        n_above += part.file_edits.len();
        let numbers = if first == n_above {
            format!("edit {first}")
        } else {
            format!("edits {first}-{n_above}")
        };
        formats.push(format!("{} ({numbers})", part.format.name()));
    }
    formats.join(", ")
}

/// The edits that failed, a text each: why, and in further lines what the file has instead.
pub(super) fn explained(plan: &Plan) -> Vec<String> {
    let mut others = plan.outcomes.iter().skip(1);
    let is_mixed = others.any(|other| other.format != plan.outcomes[0].format);
    let mut explained = Vec::new();
    let mut n_bytes = 0;
    for (idx, outcome) in plan.outcomes.iter().enumerate() {
        let EditResult::Failed(failed) = &outcome.result else {
            continue;
        };
        if explained.len() == MAX_EXPLAINED || n_bytes > MAX_BYTES {
            let n_more = plan.failed().count() - explained.len();
            explained.push(format!("and {n_more} more"));
            break;
        }

        let mut text = format!("edit {} (line {} of the patch", idx + 1, outcome.patch_line);
        if let Some(path) = &outcome.path {
            text += &format!(", {path}");
        }
        if is_mixed {
            text += &format!(", {}", outcome.format.name());
        }
        let lines = match &failed.miss {
            Some(miss) => miss.explained(),
            None => vec![failed.message.clone(), format!("next: {}", failed.next)],
        };
        text += &format!("): {}", lines.join("\n  "));
        n_bytes += text.len();
        explained.push(text);
    }
    explained
}

/// The first line that a patch changes in a file, or what it does to the file, so that two patches can
/// be told apart in a list.
pub(super) fn glimpse(file: &PlannedFile) -> String {
    let unified = diff::unified(&FileDiff::from(file));
    let hunks: Vec<&str> = unified
        .lines()
        .skip_while(|line| !line.starts_with("@@"))
        .collect();
    let is_edited = file.before.is_some() && file.after.is_some();
    match (is_edited, first(&hunks, '-'), first(&hunks, '+')) {
        (true, Some(old), Some(new)) => format!("`{old}` to `{new}`"),
        (true, Some(old), None) => format!("without `{old}`"),
        (true, None, Some(new)) => format!("with `{new}`"),
        _ => done(file),
    }
}

/// The beginning of the first line of hunks that has this sign.
fn first(hunks: &[&str], sign: char) -> Option<String> {
    let mut lines = hunks.iter();
    let line = lines.find_map(|line| line.strip_prefix(sign))?.trim();
    Some(match line.char_indices().nth(MAX_GLIMPSE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    })
}

/// What was done to a file, in words.
pub(super) fn done(file: &PlannedFile) -> String {
    let PlannedFile {
        path,
        moved_to,
        copied_from,
        is_executable,
        before,
        after,
    } = file;
    let is_same = before.as_ref().map(Text::bytes) == after.as_deref();
    match (moved_to, copied_from, before, after) {
        (Some(to), ..) => format!("moved {path} to {to}"),
        (_, Some(from), ..) => format!("copied {from} to {path}"),
        (.., None) => format!("removed {path}"),
        (_, _, None, _) => format!("made {path}"),
        _ if is_same && *is_executable == Some(true) => format!("made {path} executable"),
        _ if is_same && *is_executable == Some(false) => format!("made {path} not executable"),
        _ => format!("wrote {path}"),
    }
}
