//! The edits of an unfinished answer, of which all are of the files as they were before the first.

use super::patched::Patched;
use super::target::{Candidates, PromptRoom, SeenFile, Target};
use crate::constrain::PickFile;
use crate::edit::{EditSet, Replacement};
use crate::slots::{Operation, Position, Slots};
use crate::text::{EncodeError, Shown, Text, line_bytes_around};
use std::ops::Range;
use std::rc::Rc;

/// The edits of an unfinished answer.
#[derive(Debug)]
pub(super) struct SoFar {
    /// What the first question offered.
    pub candidates: Rc<Candidates>,
    pub room: PromptRoom,
    /// Two for each edit.
    pub lines: Vec<String>,
    /// The file that the prompt shows.
    pub shown: Option<SeenFile>,
    /// The files that are edited, as they were before the first edit.
    edited: Vec<Edited>,
}

/// A file that is edited.
#[derive(Debug)]
pub(super) struct Edited {
    /// As it was.
    file: SeenFile,
    /// What was replaced in it.
    replaced: Vec<Replaced>,
    /// After that.
    after: Vec<u8>,
}

/// What was replaced in a file as it was.
#[derive(Debug)]
struct Replaced {
    range: Range<usize>,
    /// The bytes that it has become.
    n_new: usize,
    /// Whether these are lines above a line. They come after lines below the line before.
    is_above: bool,
}

/// The second line of an edit.
pub(super) struct Filled {
    pub line: String,
    /// Whether it inserts above a line.
    pub is_above: bool,
}

impl Filled {
    /// `slots`: what the line says.
    pub fn new(line: &str, slots: &Slots) -> Filled {
        let is_above = matches!(slots, Slots::Insert(it) if it.position == Position::Before);
        Filled { line: line.to_owned(), is_above }
    }

    fn replaced(&self, replacements: &[Replacement]) -> impl Iterator<Item = Replaced> {
        let is_above = self.is_above;
        let replaced = move |Replacement { range, new }: &Replacement| Replaced {
            range: range.clone(),
            n_new: new.len(),
            is_above,
        };
        replacements.iter().map(replaced)
    }
}

impl SoFar {
    /// Before the first edit.
    pub fn none(candidates: Rc<Candidates>, room: PromptRoom) -> SoFar {
        SoFar { candidates, room, lines: Vec::new(), shown: None, edited: Vec::new() }
    }

    /// The same, after one more edit.
    pub fn and(mut self, target: &Target, filled: &Filled, patched: &Patched) -> SoFar {
        self.lines.extend([target.pick.clone(), filled.line.clone()]);
        let Target { path, text, shown, beside, operation, .. } = target;
        if *operation == Operation::Create {
            self.shown.clone_from(beside);
            return self;
        }
        let file = SeenFile { path: path.clone(), text: text.clone(), shown: shown.clone() };
        self.shown = Some(file.clone());
        let after = patched.after.clone();
        match self.edited_mut(path) {
            Some(edited) => edited.after = after,
            None => {
                let replaced = filled.replaced(&patched.replacements).collect();
                self.edited.push(Edited { file, replaced, after });
            }
        }
        self
    }

    /// A file as it was before the first edit, if it was edited.
    pub fn file(&self, path: &str) -> Option<&SeenFile> {
        self.edited(path).map(|edited| &edited.file)
    }

    /// What of a file may still change.
    pub fn open(&self, file: &SeenFile) -> Shown {
        match self.edited(&file.path) {
            Some(edited) => edited.open(),
            None => file.shown.clone(),
        }
    }

    /// A file that was edited, to edit it once more.
    pub fn edited_mut(&mut self, path: &str) -> Option<&mut Edited> {
        self.edited.iter_mut().find(|edited| edited.file.path == path)
    }

    fn edited(&self, path: &str) -> Option<&Edited> {
        self.edited.iter().find(|edited| edited.file.path == path)
    }

    /// The files that a further edit may be of.
    pub fn choices(&self) -> Vec<PickFile> {
        let mut choices = self.candidates.choices.clone();
        for edited in &self.edited {
            if let Some(choice) = choices.iter_mut().find(|file| file.path == edited.file.path) {
                let open: String =
                    edited.open().windows.into_iter().map(|window| window.text).collect();
                let possible = Operation::possible_in(&open);
                choice.operations.retain(|operation| possible.contains(operation));
            }
        }
        choices.retain(|file| {
            let is_left = self.edited(&file.path).is_none_or(|it| !it.open().windows.is_empty());
            is_left && !file.operations.is_empty()
        });
        choices
    }
}

impl Edited {
    fn open(&self) -> Shown {
        let text = self.file.text.shown();
        let removed = self.replaced.iter().filter(|r| !r.range.is_empty());
        let mut lines: Vec<_> = removed.map(|r| line_bytes_around(text, &r.range)).collect();
        lines.sort_by_key(|range| range.start);
        self.file.shown.without(text, &lines)
    }

    /// Puts an edit of the file as it was into the file as it is now, without what it would change
    /// once more. None if nothing is left of it.
    pub fn add(
        &mut self,
        patched: Patched,
        filled: &Filled,
    ) -> Option<Result<Patched, EncodeError>> {
        let new: Vec<Replacement> =
            patched.replacements.iter().filter_map(|r| self.outside(r)).collect();
        if new.is_empty() {
            return None;
        }
        let moved = |Replacement { range, new }: &Replacement| {
            let start = self.moved(range.start, filled.is_above);
            Replacement { range: start..start + range.len(), new: new.clone() }
        };
        let replacements: Vec<Replacement> = new.iter().map(moved).collect();
        let place = |at: usize| self.moved(at, true);
        let seen = patched.seen.iter().map(|seen| place(seen.start)..place(seen.end)).collect();
        let before = Text::decode(self.after.clone()).expect("an edited text is a text");
        let after = match EditSet::of_sorted(replacements.clone()).apply(&before) {
            Ok(after) => after,
            Err(error) => return Some(Err(error)),
        };
        self.replaced.extend(filled.replaced(&new));
        Some(Ok(Patched { before, after, replacements, seen, ..patched }))
    }

    /// What a replacement changes that was not replaced before. A removal may take an empty line along
    /// that is gone already.
    fn outside(&self, r: &Replacement) -> Option<Replacement> {
        let Range { mut start, mut end } = r.range.clone();
        for Replaced { range: other, .. } in &self.replaced {
            let is_apart = end <= other.start || other.end <= start;
            match (is_apart, r.new.is_empty()) {
                (true, _) => {}
                (false, true) if start < other.start => end = other.start,
                (false, true) => start = other.end,
                (false, false) => return None,
            }
        }
        let is_left = start < end || !r.new.is_empty();
        is_left.then(|| Replacement { range: start..end, new: r.new.clone() })
    }

    /// Where a place of the file as it was is now. Of what was inserted there, lines above a line come
    /// last, and of equal ones the later.
    fn moved(&self, at: usize, is_above: bool) -> usize {
        let is_before = |r: &&Replaced| {
            let is_there = r.range.is_empty() && r.range.start == at;
            if is_there { !r.is_above || is_above } else { r.range.end <= at }
        };
        let before = self.replaced.iter().filter(is_before);
        let (gained, lost) =
            before.fold((0, 0), |(gained, lost), r| (gained + r.n_new, lost + r.range.len()));
        at + gained - lost
    }
}
