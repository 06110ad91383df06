//! Works out what one file becomes after all edits for it.

use super::elided::{in_pieces, rest_of_code};
use super::plan::{Applied, EditResult, Exchanged, Failed, FailedKind, Files, PlannedFile};
use super::whole_text::{self, WholeText, exists, missing};
use crate::edit::{self, Edit, EditSet, Replacement, SlotsError};
use crate::format::{Action, FileEdit, LineEdit, Over};
use crate::hunk::Hunk;
use crate::locate::miss::{LineRange, Reason};
use crate::locate::{Haystack, Located, Lookup, Rung, locate, locate_all};
use crate::slots::{Insert, Slots};
use crate::text::paths::{ends_like, plain_path};
use crate::text::{Shown, Text};
use std::ops::Range;

/// The new state of one file, and the result of each edit for it.
pub(super) fn of_file(
    path: &str,
    file_edits: &[&FileEdit],
    files: &dyn Files,
) -> (Option<PlannedFile>, Vec<EditResult>) {
    let fail_all = |failed: Failed| {
        (
            None,
            file_edits
                .iter()
                .map(|_| EditResult::Failed(failed.clone()))
                .collect(),
        )
    };
    let read = |path: &str| {
        let next = "leave this file out of the patch";
        files
            .read(path)
            .map_err(|message| Failed::new(FailedKind::Unreadable, message, next))
    };
    let there = match read(path) {
        Ok(there) => there,
        Err(failed) => return fail_all(failed),
    };
    let n_edits = file_edits.len();
    let actions = || file_edits.iter().map(|file_edit| file_edit.action.itself());
    let copied_from = actions().find_map(|action| match action {
        Action::Copy { from } => Some(plain_path(from)),
        _ => None,
    });
    if let Some(from) = copied_from {
        let before = match read(&from) {
            Ok(Some(before)) => before,
            Ok(None) => return fail_all(missing(&from)),
            Err(failed) => return fail_all(failed),
        };
        let mut plan = FilePlan::new(path, Some(before), n_edits);
        plan.copied_from = Some(from);
        let (file, results) = plan.made(file_edits, files);
        return match (there, file) {
            (Some(there), Some(file)) if file.after.as_deref() == Some(there.bytes()) => (
                None,
                vec![EditResult::AlreadyApplied { lines: None }; n_edits],
            ),
            (Some(_), Some(_)) => fail_all(exists(path)),
            (_, file) => (file, results),
        };
    }
    // A file that was moved already has its edits under its new name.
    let moved_to = actions().find_map(|action| match action {
        Action::Move { to } if there.is_none() => Some(plain_path(to)),
        _ => None,
    });
    match moved_to.map(|to| (files.read(&to), to)) {
        Some((Ok(Some(moved)), to)) => {
            FilePlan::new(&to, Some(moved), n_edits).made(file_edits, files)
        }
        _ => FilePlan::new(path, there, n_edits).made(file_edits, files),
    }
}

/// The state of one file while its edits are worked out.
struct FilePlan<'p> {
    path: &'p str,
    before: Option<Text>,
    /// Replacements in the original text, each with the index of its edit.
    replacements: Vec<(usize, Replacement)>,
    /// Hunks to search in the text after the other edits, each with the index of its edit.
    later: Vec<(usize, Hunk)>,
    /// The whole new text, with the index of its edit.
    written: Option<(usize, WholeText)>,
    deleted: bool,
    moved_to: Option<String>,
    /// The file whose text `before` is, if this one is a copy of it.
    copied_from: Option<String>,
    is_executable: Option<bool>,
    results: Vec<Option<EditResult>>,
}

impl<'p> FilePlan<'p> {
    fn new(path: &'p str, before: Option<Text>, n_edits: usize) -> FilePlan<'p> {
        FilePlan {
            path,
            before,
            replacements: Vec::new(),
            later: Vec::new(),
            written: None,
            deleted: false,
            moved_to: None,
            copied_from: None,
            is_executable: None,
            results: vec![None; n_edits],
        }
    }

    /// What the file becomes, and the result of each edit.
    fn made(
        mut self,
        file_edits: &[&FileEdit],
        files: &dyn Files,
    ) -> (Option<PlannedFile>, Vec<EditResult>) {
        let mut hunks: Vec<(usize, &Hunk)> = Vec::new();
        for (i, file_edit) in file_edits.iter().enumerate() {
            match file_edit.action.itself() {
                Action::Edit(hunk) => hunks.push((i, hunk)),
                Action::Write { text, over } => self.write(i, text, *over),
                Action::Delete { holds } => self.delete(i, holds.as_deref(), files),
                Action::Move { to } => self.move_to(i, &plain_path(to), files),
                Action::Copy { .. } => self.done(i),
                Action::Mode { is_executable } => self.mode(i, *is_executable, files),
                Action::Lines(lines) => self.lines(i, lines),
                Action::Insert(insert) => self.insert(i, insert),
                Action::Refused { .. } | Action::OneOf { .. } => {
                    unreachable!("neither is an edit of a file: see `apply` and `Action::itself`")
                }
            }
        }
        self.edit(&hunks);
        self.finish()
    }

    /// The edit applies, and there was nothing to find.
    fn done(&mut self, i: usize) {
        self.results[i] = Some(EditResult::Applies(Applied::default()));
    }

    fn already(&mut self, i: usize) {
        self.results[i] = Some(EditResult::AlreadyApplied { lines: None });
    }

    fn fail(&mut self, i: usize, failed: Failed) {
        self.results[i] = Some(EditResult::Failed(failed));
    }

    /// Whether another edit of the patch already decided the whole file.
    fn is_settled(&self) -> bool {
        self.written.is_some() || self.deleted
    }

    fn overlaps(&self) -> Failed {
        let message = format!(
            "another part of the patch changes the same text of {}",
            self.path
        );
        Failed::new(FailedKind::Overlaps, message, "make one edit of the two")
    }

    fn write(&mut self, i: usize, text: &str, over: Over) {
        if self.is_settled() {
            return self.fail(i, self.overlaps());
        }
        let there = self.before.as_ref().map(Text::shown);
        match whole_text::written(self.path, there, text, over) {
            Ok(Some(whole)) => self.written = Some((i, whole)),
            Ok(None) => self.already(i),
            Err(failed) => self.fail(i, failed),
        }
    }

    fn delete(&mut self, i: usize, holds: Option<&[String]>, files: &dyn Files) {
        let Some(before) = &self.before else {
            // It is gone already, unless another file may be meant.
            let is_like =
                |other: &String| ends_like(other, self.path) || ends_like(self.path, other);
            return match files.listing().iter().any(is_like) {
                true => self.fail(i, missing(self.path)),
                false => self.already(i),
            };
        };
        let plain = |line: &str| line.trim_end().to_owned();
        if holds.is_some_and(|holds| {
            !before
                .shown()
                .lines()
                .map(plain)
                .eq(holds.iter().map(|line| plain(line)))
        }) {
            let message = match holds {
                Some([]) => format!("{} is not empty, and the patch leaves its lines", self.path),
                _ => format!("{} does not hold what the patch deletes", self.path),
            };
            return self.fail(
                i,
                Failed::new(
                    FailedKind::Place,
                    message,
                    "make the patch anew from the file as it is",
                ),
            );
        }
        if self.is_settled() {
            return self.fail(i, self.overlaps());
        }
        self.deleted = true;
        self.done(i);
    }

    /// Lets the file be run as a program, or no longer.
    fn mode(&mut self, i: usize, is_executable: bool, files: &dyn Files) {
        let path = self.copied_from.as_deref().unwrap_or(self.path);
        match (&self.before, &self.written) {
            (None, None) => self.fail(i, missing(self.path)),
            (Some(_), _) if files.is_executable(path) == is_executable => self.already(i),
            _ => {
                self.is_executable = Some(is_executable);
                self.done(i);
            }
        }
    }

    fn move_to(&mut self, i: usize, to: &str, files: &dyn Files) {
        let is_free = match files.read(to) {
            Ok(there) => there.is_none(),
            Err(message) => {
                let failed = Failed::new(FailedKind::Unreadable, message, "choose another name");
                return self.fail(i, failed);
            }
        };
        if self.before.is_none() {
            return match is_free {
                true => self.fail(i, missing(self.path)),
                false => self.already(i),
            };
        }
        if to == self.path {
            self.already(i);
        } else if !is_free {
            let message = format!(
                "{} cannot be moved: there is a file {to} already",
                self.path
            );
            self.fail(
                i,
                Failed::new(
                    FailedKind::Exists,
                    message,
                    "delete that one first, or choose another name",
                ),
            );
        } else {
            self.moved_to = Some(to.to_owned());
            self.done(i);
        }
    }

    fn lines(&mut self, i: usize, edit: &LineEdit) {
        let Some(before) = &self.before else {
            return self.fail(i, missing(self.path));
        };
        match Haystack::new(self.path, before).by_number(edit.line, edit.n_deleted, &edit.new) {
            Some(replacement) => {
                let first = edit.line.max(1);
                let lines = LineRange {
                    first,
                    last: first + edit.n_deleted.saturating_sub(1),
                };
                self.applies(i, None, vec![lines], vec![replacement]);
            }
            None => {
                let message = format!(
                    "it changes lines from {} on, which {} does not have",
                    edit.line, self.path
                );
                self.fail(
                    i,
                    Failed::new(
                        FailedKind::Lines,
                        message,
                        "make the patch anew from the file as it is",
                    ),
                );
            }
        }
    }

    fn insert(&mut self, i: usize, insert: &Insert) {
        let Some(before) = &self.before else {
            return self.fail(i, missing(self.path));
        };
        let slots = Slots::Insert(insert.clone());
        let set = match edit::place(&slots, &Shown::whole(before.shown())) {
            Ok(Some(edit @ Edit::Insert { .. })) => EditSet::of(&edit, self.path, before),
            Ok(_) => Err(SlotsError::NotShown),
            Err(error) => Err(error),
        };
        match set {
            Ok(set) => self.applies(
                i,
                Some(Rung::Exact),
                Vec::new(),
                set.replacements().to_vec(),
            ),
            Err(error) => {
                let next = "copy the anchor line from the file; where it stands more than once, \
                    name its place";
                self.fail(i, Failed::new(FailedKind::Place, error.to_string(), next));
            }
        }
    }

    fn edit(&mut self, hunks: &[(usize, &Hunk)]) {
        if hunks.is_empty() {
            return;
        }
        if let ([(i, hunk)], None) = (hunks, &self.before)
            && hunk.old().all(|line| line.trim().is_empty())
        {
            // The hunk searches only blank lines, and there is no file: models create files in this
            // way.
            let text: String = hunk.new().flat_map(|line| [line, "\n"]).collect();
            return self.write(*i, &text, Over::Nothing);
        }
        let Some(before) = self.before.clone().filter(|_| !self.is_settled()) else {
            let failed = if self.before.is_none() {
                missing(self.path)
            } else {
                self.overlaps()
            };
            return hunks
                .iter()
                .for_each(|&(i, _)| self.fail(i, failed.clone()));
        };
        let haystack = Haystack::new(self.path, &before);
        let only_hunks: Vec<&Hunk> = hunks.iter().map(|&(_, hunk)| hunk).collect();
        for (&(i, hunk), finding) in hunks.iter().zip(locate_all(&haystack, &only_hunks)) {
            if let Some(line) = rest_of_code(hunk, before.shown()) {
                let message = format!("it would write {line:?} into the file in place of code");
                let next = "write the whole new text, or leave the marker out of both the \
                    searched and the new text";
                // If both texts have the marker, it means the same lines in both.
                match in_pieces(&haystack, hunk, before.shown()) {
                    Some(located) => self.located(i, located),
                    None => self.fail(i, Failed::new(FailedKind::LeftOut, message, next)),
                }
                continue;
            }
            match finding {
                Ok(Lookup::Here(located)) if located.replacements.is_empty() => {
                    let lines = located.lines.first().map(LineRange::of);
                    self.results[i] = Some(EditResult::AlreadyApplied { lines });
                }
                Ok(Lookup::Here(located)) => self.located(i, located),
                Ok(Lookup::AlreadyThere(lines)) => {
                    self.results[i] = Some(EditResult::AlreadyApplied {
                        lines: Some(LineRange::of(&lines)),
                    });
                }
                Err(miss) => match in_pieces(&haystack, hunk, before.shown()) {
                    Some(located) => self.located(i, located),
                    None => {
                        // Several places stay ambiguous, whatever the other edits do.
                        if matches!(miss.reason, Reason::NotFound { .. }) {
                            self.later.push((i, hunk.clone()));
                        }
                        self.fail(i, Failed::of(miss));
                    }
                },
            }
        }
    }

    fn located(&mut self, i: usize, located: Located) {
        let lines = located.lines.iter().map(LineRange::of).collect();
        self.applies(i, Some(located.rung), lines, located.replacements);
    }

    fn applies(
        &mut self,
        i: usize,
        rung: Option<Rung>,
        lines: Vec<LineRange>,
        replacements: Vec<Replacement>,
    ) {
        let overlaps = |a: &Replacement, b: &Replacement| {
            let (a, b) = (&a.range, &b.range);
            a.start < b.end && b.start < a.end
                || (a.is_empty() && b.start < a.start && a.start < b.end)
        };
        // Two equal edits count as one, and so does what two edits have in common.
        let is_made = |replacement: &Replacement| {
            !replacement.range.is_empty()
                && self
                    .replacements
                    .iter()
                    .any(|(_, other)| other == replacement)
        };
        let n_all = replacements.len();
        let replacements: Vec<Replacement> = replacements
            .into_iter()
            .filter(|replacement| !is_made(replacement))
            .collect();
        if replacements.is_empty() && n_all > 0 {
            self.results[i] = Some(EditResult::AlreadyApplied {
                lines: lines.first().copied(),
            });
            return;
        }
        let shown = self.before.as_ref().map_or("", Text::shown);
        let exchanged = replacements
            .iter()
            .map(|replacement| Exchanged::of(shown, replacement))
            .collect();
        if self
            .replacements
            .iter()
            .any(|(_, other)| replacements.iter().any(|r| overlaps(r, other)))
        {
            return self.fail(i, self.overlaps());
        }
        self.replacements
            .extend(replacements.into_iter().map(|replacement| (i, replacement)));
        let applied = Applied {
            rung,
            lines,
            replacements: exchanged,
            ..Applied::default()
        };
        self.results[i] = Some(EditResult::Applies(applied));
    }

    fn finish(mut self) -> (Option<PlannedFile>, Vec<EditResult>) {
        let mut after = self.after();
        let before = self.before.take();
        // If an edit fails, its file is neither deleted, moved nor copied, even with `--partial`.
        let is_all_or_nothing =
            self.deleted || self.moved_to.is_some() || self.copied_from.is_some();
        if is_all_or_nothing
            && self
                .results
                .iter()
                .any(|r| matches!(r, Some(EditResult::Failed(_))))
        {
            let failed = Failed::new(
                FailedKind::Overlaps,
                format!(
                    "{} is to be edited, too, and not all of that can be done",
                    self.path
                ),
                "mend the edits of this file first",
            );
            self.results = self
                .results
                .iter()
                .map(|r| match r {
                    Some(EditResult::Failed(_)) => r.clone(),
                    _ => Some(EditResult::Failed(failed.clone())),
                })
                .collect();
            self.moved_to = None;
            self.copied_from = None;
            self.is_executable = None;
            after = before.as_ref().map(|before| before.bytes().to_vec());
        }
        let changes = self.moved_to.is_some()
            || self.copied_from.is_some()
            || self.is_executable.is_some()
            || after.as_deref() != before.as_ref().map(Text::bytes);
        let file = changes.then(|| PlannedFile {
            path: self.path.to_owned(),
            moved_to: self.moved_to,
            copied_from: self.copied_from,
            is_executable: self.is_executable,
            before,
            after,
        });
        let results = self
            .results
            .into_iter()
            .map(|result| result.expect("each file_edit has its result"))
            .collect();
        (file, results)
    }

    fn after(&mut self) -> Option<Vec<u8>> {
        if self.deleted {
            return None;
        }
        let Some(before) = self.before.clone() else {
            let (i, WholeText { text, .. }) = self.written.take()?;
            let new = edit::rewritten(self.path, "", &text)
                .into_iter()
                .map(|replacement| replacement.new)
                .collect::<String>();
            let exchanged = Exchanged {
                line: 1,
                old: String::new(),
                new: new.clone(),
            };
            self.results[i] = Some(EditResult::Applies(Applied {
                replacements: vec![exchanged],
                ..Applied::default()
            }));
            return Some(new.into_bytes());
        };
        if let Some((
            i,
            WholeText {
                text,
                placed,
                removed,
            },
        )) = self.written.take()
        {
            let replacements = edit::rewritten(self.path, before.shown(), &text);
            self.applies(i, None, Vec::new(), replacements);
            if let Some(EditResult::Applies(applied)) = &mut self.results[i] {
                (applied.placed, applied.removed) = (placed, removed);
            }
        }
        let all = |replacements: &[(usize, Replacement)]| {
            before.splice(sorted(
                replacements
                    .iter()
                    .map(|(_, r)| (r.range.clone(), r.new.as_str())),
            ))
        };
        if let Ok(after) = all(&self.replacements) {
            return Some(self.with_later(&before, after));
        }
        // Only the edits fail whose new text the encoding cannot express.
        for i in 0..self.results.len() {
            let own = self
                .replacements
                .iter()
                .filter(|(owner, _)| *owner == i)
                .map(|(_, r)| (r.range.clone(), r.new.as_str()));
            if let Err(error) = before.splice(sorted(own)) {
                self.fail(
                    i,
                    Failed::new(
                        FailedKind::Encoding,
                        error.clone().of(self.path).to_string(),
                        error.next(),
                    ),
                );
                self.replacements.retain(|(owner, _)| *owner != i);
            }
        }
        let after = all(&self.replacements).expect("each of them can be expressed");
        Some(self.with_later(&before, after))
    }

    /// Applies hunks whose searched text an earlier hunk wrote. Each is tried on the text after the
    /// ones before it.
    fn with_later(&mut self, before: &Text, mut after: Vec<u8>) -> Vec<u8> {
        let mut later = std::mem::take(&mut self.later)
            .into_iter()
            .filter(|(_, hunk)| !hunk.hints.is_ordered);
        while !self.replacements.is_empty() {
            let Ok(text) = Text::decode_after(Some(before), after.clone()) else {
                break;
            };
            let haystack = Haystack::new(self.path, &text);
            // All hunks that are not found share one look at the text.
            let made = later.find_map(|(i, hunk)| {
                let Ok(Lookup::Here(located)) = locate(&haystack, &hunk) else {
                    return None;
                };
                let bytes = text
                    .splice(
                        located
                            .replacements
                            .iter()
                            .map(|r| (r.range.clone(), r.new.as_str())),
                    )
                    .ok()?;
                Some((i, located, bytes))
            });
            let Some((i, located, bytes)) = made else {
                break;
            };
            let exchanged = located
                .replacements
                .iter()
                .map(|r| Exchanged::of(text.shown(), r))
                .collect();
            let lines = located.lines.iter().map(LineRange::of).collect();
            let rung = Some(located.rung);
            let applied = Applied {
                rung,
                lines,
                replacements: exchanged,
                ..Applied::default()
            };
            self.results[i] = Some(EditResult::Applies(applied));
            after = bytes;
        }
        after
    }
}

/// Sorts replacements. The sort is stable, so insertions at one place stay in the patch's order.
fn sorted<'a>(
    replacements: impl Iterator<Item = (Range<usize>, &'a str)>,
) -> Vec<(Range<usize>, &'a str)> {
    let mut replacements: Vec<_> = replacements.collect();
    replacements.sort_by_key(|(range, _)| (range.start, range.end));
    replacements
}
