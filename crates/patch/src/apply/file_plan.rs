//! Works out what one file becomes after all of its edits.

use super::elided::{in_pieces, rest_of_code};
use super::plan::{Applied, EditResult, Exchanged, Failed, FailedKind, Files, PlannedFile};
use super::whole_text::{self, WholeText, exists, missing};
use crate::edit::{self, Edit, EditSet, Replacement, SlotsError};
use crate::format::{Action, FileEdit, LineEdit, Over};
use crate::hunk::Hunk;
use crate::locate::miss::{LineRange, Miss, Reason};
use crate::locate::{Haystack, Located, Lookup, Rung, locate, locate_all};
use crate::slots::{Insert, Slots};
use crate::text::paths::{ends_like, plain_path};
use crate::text::{EncodeError, Shown, Text};

/// The new state of a file, if it changes, and the result of each of its edits.
type Planned = (Option<PlannedFile>, Vec<EditResult>);

const ALREADY_APPLIED: EditResult = EditResult::AlreadyApplied { lines: None };

/// Plans the edits of one file.
pub(super) fn of_file(path: &str, file_edits: &[&FileEdit], files: &dyn Files) -> Planned {
    planned(path, file_edits, files).unwrap_or_else(|failed| {
        let results = vec![EditResult::Failed(failed); file_edits.len()];
        (None, results)
    })
}

/// # Errors
/// Why none of the edits can be done.
fn planned(path: &str, file_edits: &[&FileEdit], files: &dyn Files) -> Result<Planned, Failed> {
    let there = read(path, files)?;
    let n_edits = file_edits.len();

    let mut actions = file_edits.iter().map(|file_edit| file_edit.action.itself());
    if let Some(from) = actions.clone().find_map(|action| match action {
        Action::Copy { from } => Some(plain_path(from)),
        _ => None,
    }) {
        let before = read(&from, files)?.ok_or_else(|| missing(&from))?;
        let mut plan = FilePlan::new(path, Some(before), n_edits);
        plan.copied_from = Some(from);
        let (file, results) = plan.made(file_edits, files);
        return match (there, file) {
            (Some(there), Some(file)) if file.after.as_deref() == Some(there.bytes()) => {
                Ok((None, vec![ALREADY_APPLIED; n_edits]))
            }
            (Some(_), Some(_)) => Err(exists(path)),
            (_, file) => Ok((file, results)),
        };
    }

    // A file that was moved already has its edits under its new name.
    if there.is_none()
        && let Some(to) = actions.find_map(|action| match action {
            Action::Move { to } => Some(plain_path(to)),
            _ => None,
        })
        && let Ok(Some(moved)) = files.read(&to)
    {
        return Ok(FilePlan::new(&to, Some(moved), n_edits).made(file_edits, files));
    }
    Ok(FilePlan::new(path, there, n_edits).made(file_edits, files))
}

fn read(path: &str, files: &dyn Files) -> Result<Option<Text>, Failed> {
    let next = "leave this file out of the patch";
    files
        .read(path)
        .map_err(|message| Failed::new(FailedKind::Unreadable, message, next))
}

/// The state of one file while its edits are worked out. An edit is known by its index.
struct FilePlan<'p> {
    path: &'p str,
    before: Option<Text>,
    /// Replacements in the original text, each with its edit.
    replacements: Vec<(usize, Replacement)>,
    /// Hunks to search in the text after the other edits, each with its edit.
    later: Vec<(usize, Hunk)>,
    /// The whole new text, with its edit.
    written: Option<(usize, WholeText)>,
    is_deleted: bool,
    moved_to: Option<String>,
    /// The file whose text `before` is, if this one is a copy of it.
    copied_from: Option<String>,
    is_executable: Option<bool>,
    /// The result of each edit. Until it is known, it applies with nothing to find.
    results: Vec<EditResult>,
}

impl<'p> FilePlan<'p> {
    fn new(path: &'p str, before: Option<Text>, n_edits: usize) -> FilePlan<'p> {
        FilePlan {
            path,
            before,
            replacements: Vec::new(),
            later: Vec::new(),
            written: None,
            is_deleted: false,
            moved_to: None,
            copied_from: None,
            is_executable: None,
            results: vec![EditResult::Applies(Applied::default()); n_edits],
        }
    }

    fn made(mut self, file_edits: &[&FileEdit], files: &dyn Files) -> Planned {
        let mut hunks: Vec<(usize, &Hunk)> = Vec::new();
        for (i, file_edit) in file_edits.iter().enumerate() {
            let result = match file_edit.action.itself() {
                Action::Edit(hunk) => {
                    hunks.push((i, hunk));
                    continue;
                }
                Action::Copy { .. } => continue,
                Action::Write { text, over } => self.write(i, text, *over),
                Action::Delete { holds } => self.delete(holds.as_deref(), files),
                Action::Move { to } => self.move_to(&plain_path(to), files),
                Action::Mode { is_executable } => self.set_mode(*is_executable, files),
                Action::Lines(lines) => self.change_lines(i, lines),
                Action::Insert(insert) => self.insert(i, insert),
                Action::Refused { .. } | Action::OneOf { .. } => {
                    unreachable!("neither is an edit of a file: see `apply` and `Action::itself`")
                }
            };
            self.set_result(i, result);
        }
        self.change_text(&hunks);
        self.finish()
    }

    fn set_result(&mut self, i: usize, result: Result<EditResult, Failed>) {
        self.results[i] = result.unwrap_or_else(EditResult::Failed);
    }

    /// Whether another edit of the patch already decided the whole file.
    fn is_settled(&self) -> bool {
        self.written.is_some() || self.is_deleted
    }

    fn overlaps(&self) -> Failed {
        let message = format!(
            "another part of the patch changes the same text of {}",
            self.path
        );
        Failed::new(FailedKind::Overlaps, message, "make one edit of the two")
    }

    fn existing(&self) -> Result<&Text, Failed> {
        self.before.as_ref().ok_or_else(|| missing(self.path))
    }

    fn write(&mut self, i: usize, text: &str, over: Over) -> Result<EditResult, Failed> {
        if self.is_settled() {
            return Err(self.overlaps());
        }
        let there = self.before.as_ref().map(Text::shown);
        let Some(whole) = whole_text::written(self.path, there, text, over)? else {
            return Ok(ALREADY_APPLIED);
        };
        self.written = Some((i, whole));
        Ok(applies())
    }

    fn delete(
        &mut self,
        holds: Option<&[String]>,
        files: &dyn Files,
    ) -> Result<EditResult, Failed> {
        let Some(before) = &self.before else {
            // It is gone already, unless another file may be meant.
            let mut others = files.listing().iter();
            if others.any(|other| ends_like(other, self.path) || ends_like(self.path, other)) {
                return Err(missing(self.path));
            }
            return Ok(ALREADY_APPLIED);
        };
        if let Some(holds) = holds {
            let lines = before.shown().lines().map(str::trim_end);
            if !lines.eq(holds.iter().map(|line| line.trim_end())) {
                let message = if holds.is_empty() {
                    format!("{} is not empty, and the patch leaves its lines", self.path)
                } else {
                    format!("{} does not hold what the patch deletes", self.path)
                };
                return Err(outdated(FailedKind::Place, message));
            }
        }

        if self.is_settled() {
            return Err(self.overlaps());
        }
        self.is_deleted = true;
        Ok(applies())
    }

    /// Lets the file be run as a program, or no longer.
    fn set_mode(&mut self, is_executable: bool, files: &dyn Files) -> Result<EditResult, Failed> {
        if self.before.is_none() && self.written.is_none() {
            return Err(missing(self.path));
        }
        let path = self.copied_from.as_deref().unwrap_or(self.path);
        if self.before.is_some() && files.is_executable(path) == is_executable {
            return Ok(ALREADY_APPLIED);
        }
        self.is_executable = Some(is_executable);
        Ok(applies())
    }

    fn move_to(&mut self, to: &str, files: &dyn Files) -> Result<EditResult, Failed> {
        let is_free = match files.read(to) {
            Ok(there) => there.is_none(),
            Err(message) => {
                let next = "choose another name";
                return Err(Failed::new(FailedKind::Unreadable, message, next));
            }
        };
        if self.before.is_none() && is_free {
            return Err(missing(self.path));
        }
        if self.before.is_none() || to == self.path {
            return Ok(ALREADY_APPLIED);
        }
        if !is_free {
            let message = format!(
                "{} cannot be moved: there is a file {to} already",
                self.path
            );
            let next = "delete that one first, or choose another name";
            return Err(Failed::new(FailedKind::Exists, message, next));
        }
        self.moved_to = Some(to.to_owned());
        Ok(applies())
    }

    fn change_lines(&mut self, i: usize, edit: &LineEdit) -> Result<EditResult, Failed> {
        let haystack = Haystack::new(self.path, self.existing()?);
        let Some(replacement) = haystack.by_number(edit.line, edit.n_deleted, &edit.new) else {
            let message = format!(
                "it changes lines from {} on, which {} does not have",
                edit.line, self.path
            );
            return Err(outdated(FailedKind::Lines, message));
        };
        let first = edit.line.max(1);
        let lines = LineRange {
            first,
            last: first + edit.n_deleted.saturating_sub(1),
        };
        self.replace(i, None, vec![lines], vec![replacement])
    }

    fn insert(&mut self, i: usize, insert: &Insert) -> Result<EditResult, Failed> {
        let before = self.existing()?;
        let slots = Slots::Insert(insert.clone());
        let set = match edit::place(&slots, &Shown::whole(before.shown())) {
            Ok(Some(edit @ Edit::Insert { .. })) => EditSet::of(&edit, self.path, before),
            Ok(_) => Err(SlotsError::NotShown),
            Err(error) => Err(error),
        };
        let set = set.map_err(|error| {
            let next = "copy the anchor line from the file; where it stands more than once, name \
                its place";
            Failed::new(FailedKind::Place, error.to_string(), next)
        })?;
        self.replace(
            i,
            Some(Rung::Exact),
            Vec::new(),
            set.replacements().to_vec(),
        )
    }

    /// Finds all hunks of the file in its text.
    fn change_text(&mut self, hunks: &[(usize, &Hunk)]) {
        if let ([(i, hunk)], None) = (hunks, &self.before)
            && hunk.old().all(|line| line.trim().is_empty())
        {
            // The hunk searches only blank lines, and there is no file: models create files in this
            // way.
            let text: String = hunk.new().flat_map(|line| [line, "\n"]).collect();
            let result = self.write(*i, &text, Over::Nothing);
            return self.set_result(*i, result);
        }
        if hunks.is_empty() {
            return;
        }

        let failed = match &self.before {
            None => Some(missing(self.path)),
            Some(_) => self.is_settled().then(|| self.overlaps()),
        };
        let Some(before) = self.before.clone().filter(|_| failed.is_none()) else {
            for (i, _) in hunks {
                self.results[*i] = EditResult::Failed(failed.clone().expect("there is no text"));
            }
            return;
        };
        let haystack = Haystack::new(self.path, &before);
        let only_hunks: Vec<&Hunk> = hunks.iter().map(|&(_, hunk)| hunk).collect();
        for (&(i, hunk), finding) in hunks.iter().zip(locate_all(&haystack, &only_hunks)) {
            let marker = rest_of_code(hunk, before.shown());
            let result = match finding {
                Ok(Lookup::Here(located)) if marker.is_none() => self.located(i, located),
                Ok(Lookup::AlreadyThere(lines)) if marker.is_none() => {
                    let lines = Some(LineRange::of(&lines));
                    Ok(EditResult::AlreadyApplied { lines })
                }
                // If both texts have a marker, it means the same lines in both.
                finding => match in_pieces(&haystack, hunk, before.shown()) {
                    Some(located) => self.located(i, located),
                    None => Err(match (marker, finding) {
                        (None, Err(miss)) => self.missed(i, hunk, miss),
                        (marker, _) => would_write_marker(marker.unwrap_or_default()),
                    }),
                },
            };
            self.set_result(i, result);
        }
    }

    /// A hunk that is not in the original text. Another hunk may write what it searches.
    fn missed(&mut self, i: usize, hunk: &Hunk, miss: Miss) -> Failed {
        // Several places stay ambiguous, whatever the other edits do.
        if matches!(miss.reason, Reason::NotFound { .. }) {
            self.later.push((i, hunk.clone()));
        }
        Failed::of(miss)
    }

    fn located(&mut self, i: usize, located: Located) -> Result<EditResult, Failed> {
        let lines: Vec<LineRange> = located.lines.iter().map(LineRange::of).collect();
        if located.replacements.is_empty() {
            return Ok(EditResult::AlreadyApplied {
                lines: lines.first().copied(),
            });
        }
        self.replace(i, Some(located.rung), lines, located.replacements)
    }

    /// Adds the replacements of an edit. What another edit does already counts once.
    fn replace(
        &mut self,
        i: usize,
        rung: Option<Rung>,
        lines: Vec<LineRange>,
        mut replacements: Vec<Replacement>,
    ) -> Result<EditResult, Failed> {
        let n_all = replacements.len();
        replacements.retain(|replacement| {
            let mut others = self.replacements.iter();
            replacement.range.is_empty() || !others.any(|(_, other)| other == replacement)
        });
        if replacements.is_empty() && n_all > 0 {
            return Ok(EditResult::AlreadyApplied {
                lines: lines.first().copied(),
            });
        }
        if self
            .replacements
            .iter()
            .any(|(_, other)| replacements.iter().any(|own| overlap(own, other)))
        {
            return Err(self.overlaps());
        }

        let shown = self.before.as_ref().map_or("", Text::shown);
        let applied = Applied {
            rung,
            lines,
            replacements: exchanged(shown, &replacements),
            ..Applied::default()
        };
        self.replacements
            .extend(replacements.into_iter().map(|replacement| (i, replacement)));
        Ok(EditResult::Applies(applied))
    }

    fn finish(mut self) -> Planned {
        let mut after = self.after();
        let before = self.before.take();

        // If an edit fails, its file is neither deleted, moved nor copied, even with `--partial`.
        let is_all_or_nothing =
            self.is_deleted || self.moved_to.is_some() || self.copied_from.is_some();
        if is_all_or_nothing && self.results.iter().any(is_failed) {
            let message = format!(
                "{} is to be edited, too, and not all of that can be done",
                self.path
            );
            let next = "mend the edits of this file first";
            let failed = Failed::new(FailedKind::Overlaps, message, next);
            for result in self.results.iter_mut().filter(|result| !is_failed(result)) {
                *result = EditResult::Failed(failed.clone());
            }
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
        (file, self.results)
    }

    /// The bytes of the file after all edits that can be done; `None` if there is no file then.
    fn after(&mut self) -> Option<Vec<u8>> {
        if self.is_deleted {
            return None;
        }
        let written = self.written.take();
        let Some(before) = self.before.clone() else {
            return written.map(|(i, whole)| self.created(i, &whole.text));
        };
        if let Some((i, whole)) = written {
            let replacements = edit::rewritten(self.path, before.shown(), &whole.text);
            let mut result = self.replace(i, None, Vec::new(), replacements);
            if let Ok(EditResult::Applies(applied)) = &mut result {
                applied.placed = whole.placed;
                applied.removed = whole.removed;
            }
            self.set_result(i, result);
        }

        let after = spliced(&before, &self.replacements).unwrap_or_else(|_| {
            self.refuse_unencodable(&before);
            spliced(&before, &self.replacements).expect("each of them can be expressed")
        });
        Some(self.with_later(&before, after))
    }

    /// The bytes of a new file.
    fn created(&mut self, i: usize, text: &str) -> Vec<u8> {
        let replacements = edit::rewritten(self.path, "", text);
        let new: String = replacements.into_iter().map(|made| made.new).collect();
        let exchanged = Exchanged {
            line: 1,
            old: String::new(),
            new: new.clone(),
        };
        self.results[i] = EditResult::Applies(Applied {
            replacements: vec![exchanged],
            ..Applied::default()
        });
        new.into_bytes()
    }

    /// Fails the edits whose new text the encoding cannot express.
    fn refuse_unencodable(&mut self, before: &Text) {
        for i in 0..self.results.len() {
            let own: Vec<(usize, Replacement)> = self
                .replacements
                .iter()
                .filter(|(owner, _)| *owner == i)
                .cloned()
                .collect();
            if let Err(error) = spliced(before, &own) {
                let message = error.clone().of(self.path).to_string();
                let failed = Failed::new(FailedKind::Encoding, message, error.next());
                self.results[i] = EditResult::Failed(failed);
                self.replacements.retain(|(owner, _)| *owner != i);
            }
        }
    }

    /// Applies hunks whose searched text an earlier hunk wrote. Each is tried on the text after the
    /// ones before it.
    fn with_later(&mut self, before: &Text, mut after: Vec<u8>) -> Vec<u8> {
        if self.replacements.is_empty() {
            return after;
        }
        let mut later = std::mem::take(&mut self.later)
            .into_iter()
            .filter(|(_, hunk)| !hunk.hints.is_ordered);
        while let Ok(text) = Text::decode_after(Some(before), after.clone()) {
            // All hunks that are not found share one look at the text.
            let haystack = Haystack::new(self.path, &text);
            let Some((i, located, bytes)) = later.find_map(|(i, hunk)| {
                let Ok(Lookup::Here(located)) = locate(&haystack, &hunk) else {
                    return None;
                };
                let replacements = located.replacements.iter();
                let bytes = text.splice(replacements.map(|r| (r.range.clone(), r.new.as_str())));
                Some((i, located, bytes.ok()?))
            }) else {
                break;
            };

            self.results[i] = EditResult::Applies(Applied {
                rung: Some(located.rung),
                lines: located.lines.iter().map(LineRange::of).collect(),
                replacements: exchanged(text.shown(), &located.replacements),
                ..Applied::default()
            });
            after = bytes;
        }
        after
    }
}

/// The result of an edit that needs no place.
fn applies() -> EditResult {
    EditResult::Applies(Applied::default())
}

fn is_failed(result: &EditResult) -> bool {
    matches!(result, EditResult::Failed(_))
}

fn outdated(kind: FailedKind, message: String) -> Failed {
    Failed::new(kind, message, "make the patch anew from the file as it is")
}

fn would_write_marker(line: &str) -> Failed {
    let message = format!("it would write {line:?} into the file in place of code");
    let next = "write the whole new text, or leave the marker out of both the searched and the \
        new text";
    Failed::new(FailedKind::LeftOut, message, next)
}

fn overlap(a: &Replacement, b: &Replacement) -> bool {
    let (a, b) = (&a.range, &b.range);
    a.start < b.end && b.start < a.end || (a.is_empty() && b.start < a.start && a.start < b.end)
}

fn exchanged(shown: &str, replacements: &[Replacement]) -> Vec<Exchanged> {
    let each = replacements.iter();
    each.map(|replacement| Exchanged::of(shown, replacement))
        .collect()
}

/// The bytes of a text after replacements. Insertions at one place stay in the patch's order.
fn spliced(before: &Text, replacements: &[(usize, Replacement)]) -> Result<Vec<u8>, EncodeError> {
    let mut sorted: Vec<_> = replacements
        .iter()
        .map(|(_, replacement)| (replacement.range.clone(), replacement.new.as_str()))
        .collect();
    sorted.sort_by_key(|(range, _)| (range.start, range.end));
    before.splice(sorted)
}
