//! Edits that the model has made so far in one answer. Every edit refers to the original files.

use super::target::{Candidates, PromptRoom, SeenFile, Target};
use crate::constrain::PickFile;
use crate::edit::{EditSet, Replacement, whole_token_ranges};
use crate::patched::Patched;
use crate::slots::{Operation, Position, Slots};
use crate::text::{EncodeError, Shown, line_bytes_around};
use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

/// Edits that the model has made so far in one answer.
#[derive(Clone, Debug)]
pub struct SoFar {
    /// What the first question offered.
    pub(super) candidates: Arc<Candidates>,
    pub(super) room: PromptRoom,
    /// The lines of the answer, two for each edit.
    pub(super) lines: Vec<String>,
    /// The file that the prompt shows.
    pub(super) shown: Option<SeenFile>,
    edited: Vec<EditedFile>,
}

/// A file with edits.
#[derive(Clone, Debug)]
struct EditedFile {
    /// The original file.
    file: SeenFile,
    replaced: Vec<Replaced>,
    /// Lines beside which the model wanted lines that are there already: models write them again and
    /// again.
    closed: Vec<Range<usize>>,
    /// What may still change, once that was asked.
    open: OnceCell<OpenParts>,
}

/// The parts of a file that may still change.
#[derive(Clone, Debug)]
struct OpenParts {
    /// Lines that may be replaced.
    lines: Shown,
    /// Lines that may get new ones above or below them. A line that has some on both sides is not
    /// offered again.
    anchors: Shown,
}

#[derive(Clone, Debug)]
struct Replaced {
    /// In the original file.
    replacement: Replacement,
    /// Whether these are lines above a line. They come after lines below the line before.
    is_above: bool,
}

impl SoFar {
    /// Before the first edit.
    pub(super) fn none(candidates: Arc<Candidates>, room: PromptRoom) -> SoFar {
        SoFar {
            candidates,
            room,
            lines: Vec::new(),
            shown: None,
            edited: Vec::new(),
        }
    }

    /// The same after the lines of one more edit. `line`: the one with its slots.
    pub(super) fn after_lines(mut self, target: &Target, line: &str) -> SoFar {
        self.lines.extend([target.pick.clone(), line.to_owned()]);
        self.shown = match target.operation {
            Operation::Create => target.beside.clone(),
            _ => Some(target.file()),
        };
        self
    }

    /// Adds an edit of an original file. Returns it with what all edits of that file make of it;
    /// `None` if it changes nothing that was not changed before.
    pub(super) fn add(
        &mut self,
        target: &Target,
        slots: &Slots,
        patched: Patched,
    ) -> Option<Result<Patched, EncodeError>> {
        if target.operation == Operation::Create {
            return Some(Ok(patched));
        }
        let is_above = matches!(slots, Slots::Insert(it) if it.position == Position::Before);
        self.edited_file(target).add(patched, is_above)
    }

    fn edited_file(&mut self, target: &Target) -> &mut EditedFile {
        let edited = &mut self.edited;
        let idx = edited.iter().position(|it| it.file.path == target.path);
        let idx = idx.unwrap_or_else(|| {
            edited.push(EditedFile {
                file: target.file(),
                replaced: Vec::new(),
                closed: Vec::new(),
                open: OnceCell::new(),
            });
            edited.len() - 1
        });
        &mut edited[idx]
    }

    /// The original of a file that was edited.
    pub(super) fn file(&self, path: &str) -> Option<&SeenFile> {
        self.edited(path).map(|edited| &edited.file)
    }

    /// The parts of a file that an operation may still change.
    pub(super) fn open(&self, file: &SeenFile, operation: Operation) -> Shown {
        match self.edited(&file.path) {
            Some(edited) => edited.open(operation).clone(),
            None => file.shown.clone(),
        }
    }

    fn edited(&self, path: &str) -> Option<&EditedFile> {
        self.edited.iter().find(|edited| edited.file.path == path)
    }

    /// The files that a further edit may be of.
    pub(super) fn choices(&self) -> Vec<PickFile> {
        let mut choices = self.candidates.choices.clone();
        for file in &mut choices {
            let Some(edited) = self.edited(&file.path) else {
                continue;
            };
            file.operations.retain(|&operation| {
                let open = &edited.open(operation).windows;
                let text: String = open.iter().map(|window| window.text.as_str()).collect();
                !text.trim().is_empty() && Operation::possible_in(&text).contains(&operation)
            });
        }
        choices.retain(|file| !file.operations.is_empty());
        choices
    }
}

impl Replaced {
    /// The bytes that are not offered again: whole lines, or the place of an insertion.
    fn taken(&self, text: &str) -> Range<usize> {
        let Replacement { range, new } = &self.replacement;
        // The last line of a file goes with the newline before it, which is another line's.
        let is_of_line_before = new.is_empty() && text[range.clone()].starts_with('\n');
        let range = range.start + usize::from(is_of_line_before)..range.end;
        if range.is_empty() {
            range
        } else {
            line_bytes_around(text, &range)
        }
    }

    /// The line that these lines were inserted beside, with its newline.
    fn anchor(&self, text: &str) -> Option<Range<usize>> {
        let Range { start, end } = self.replacement.range;
        if start != end {
            return None;
        }
        let before = text[..start].strip_suffix('\n').map_or(start, str::len);
        let within = if self.is_above { start } else { before };
        Some(line_bytes_around(text, &(within..within)))
    }
}

impl EditedFile {
    fn open(&self, operation: Operation) -> &Shown {
        let OpenParts { lines, anchors } = self.open.get_or_init(|| self.open_parts());
        if operation == Operation::Insert {
            anchors
        } else {
            lines
        }
    }

    /// What is shown without what was replaced. Nothing of it reaches over a place where lines were
    /// inserted.
    fn open_parts(&self) -> OpenParts {
        let text = self.file.text.shown();
        let mut taken = Vec::new();
        let mut anchors = self.closed.clone();
        let mut above = Vec::new();
        let mut below = Vec::new();
        for replaced in &self.replaced {
            taken.push(replaced.taken(text));
            let side = if replaced.is_above {
                &mut above
            } else {
                &mut below
            };
            side.extend(replaced.anchor(text));
        }
        above.retain(|anchor| below.contains(anchor));
        anchors.extend(above);
        anchors.extend(taken.iter().cloned());
        OpenParts {
            lines: self.shown_without(taken),
            anchors: self.shown_without(anchors),
        }
    }

    fn shown_without(&self, mut ranges: Vec<Range<usize>>) -> Shown {
        ranges.sort_by_key(|range| (range.start, range.end));
        self.file.shown.without(self.file.text.shown(), &ranges)
    }

    fn add(&mut self, patched: Patched, is_above: bool) -> Option<Result<Patched, EncodeError>> {
        if let Some(anchor) = self.repeated(&patched, is_above) {
            self.closed.push(anchor);
            self.open.take();
            return None;
        }
        let changes_new_text = self.replace_in_new_text(&patched);
        let mut new = Vec::new();
        for replacement in &patched.replacements {
            new.extend(self.outside(replacement));
        }
        if new.is_empty() && !changes_new_text {
            return None;
        }

        for replacement in new.iter().cloned() {
            self.replaced.push(Replaced {
                replacement,
                is_above,
            });
        }
        self.open.take();
        let mut all: Vec<&Replaced> = self.replaced.iter().collect();
        // At one place the earlier comes first.
        all.sort_by_key(|it| {
            let Range { start, end } = it.replacement.range;
            (start, end, it.is_above)
        });
        let all = all.into_iter().map(|it| it.replacement.clone()).collect();
        let after = EditSet::of_sorted(all).apply(&self.file.text);
        let after = after.map_err(|error| error.of(&self.file.path));
        Some(after.map(|after| Patched {
            after,
            replacements: new,
            ..patched
        }))
    }

    /// The line beside which an insertion puts lines where there are new ones already: on the same
    /// side, or the same ones on the other.
    fn repeated(&self, patched: &Patched, is_above: bool) -> Option<Range<usize>> {
        let [replacement] = patched.replacements.as_slice() else {
            return None;
        };
        let text = self.file.text.shown();
        let new = Replaced {
            replacement: replacement.clone(),
            is_above,
        };
        let anchor = new.anchor(text)?;
        let mut others = self.replaced.iter();
        let is_repeated = others.any(|other| {
            let is_same = other.replacement.new.trim() == replacement.new.trim();
            (other.is_above == is_above || is_same) && other.anchor(text) == Some(anchor.clone())
        });
        is_repeated.then_some(anchor)
    }

    /// Replaces in new text too what is replaced everywhere. Returns whether there was any.
    fn replace_in_new_text(&mut self, patched: &Patched) -> bool {
        let (Operation::ReplaceAll, Some(Replacement { range, new })) =
            (patched.operation, patched.replacements.first())
        else {
            return false;
        };
        let old = &self.file.text.shown()[range.clone()];
        let mut is_replaced = false;
        for Replaced { replacement, .. } in &mut self.replaced {
            for range in whole_token_ranges(&replacement.new, old).into_iter().rev() {
                replacement.new.replace_range(range, new);
                is_replaced = true;
            }
        }
        is_replaced
    }

    /// The parts of a replacement that were not replaced before. Of a removal only parts with text
    /// count: it may have taken a newline or an empty line along.
    fn outside(&self, r: &Replacement) -> Vec<Replacement> {
        let text = self.file.text.shown();
        let mut pieces = vec![r.range.clone()];
        for Replaced { replacement, .. } in &self.replaced {
            let other = &replacement.range;
            if r.range.is_empty() && r.range == *other && r.new.trim() == replacement.new.trim() {
                return Vec::new(); // the same lines at the same place, beside its other line
            }
            if !pieces.iter().any(|piece| overlap(piece, other)) {
                continue;
            }
            if !r.new.is_empty() {
                return Vec::new();
            }
            pieces = pieces.iter().flat_map(|it| minus(it, other)).collect();
            pieces.retain(|it| it.start < it.end && !text[it.clone()].trim().is_empty());
        }
        let mut outside = Vec::new();
        for range in pieces {
            let new = r.new.clone();
            outside.push(Replacement { range, new });
        }
        outside
    }
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// A range without another one. The parts may be empty or reversed.
fn minus(range: &Range<usize>, other: &Range<usize>) -> Vec<Range<usize>> {
    if !overlap(range, other) {
        return vec![range.clone()];
    }
    vec![
        range.start..other.start.max(range.start),
        other.end..range.end,
    ]
}
