//! The edits of an unfinished answer, of which all are of the files as they were before the first.

use super::target::{Candidates, PromptRoom, SeenFile, Target};
use crate::constrain::PickFile;
use crate::edit::{EditSet, Replacement, whole_token_ranges};
use crate::patched::Patched;
use crate::slots::{Operation, Position, Slots};
use crate::text::{EncodeError, Shown, line_bytes_around};
use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

/// The edits of an unfinished answer.
#[derive(Debug)]
pub(super) struct SoFar {
    /// What the first question offered.
    pub candidates: Arc<Candidates>,
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
    /// What was replaced in it, as it was written.
    replaced: Vec<Replaced>,
    /// What of it may still change, once that was asked.
    open: OnceCell<Open>,
}

/// What of a file may still change.
#[derive(Debug)]
struct Open {
    /// By a replacement.
    lines: Shown,
    /// By lines beside it. A line that has new ones beside it is not offered again: models write the
    /// same ones once more.
    anchors: Shown,
}

#[derive(Debug)]
struct Replaced {
    /// In the file as it was.
    replacement: Replacement,
    /// Whether these are lines above a line. They come after lines below the line before.
    is_above: bool,
}

impl Replaced {
    /// The line that these lines were inserted beside, with its newline.
    fn anchor(&self, text: &str) -> Option<Range<usize>> {
        let Range { start: at, end } = self.replacement.range;
        let before = text[..at].strip_suffix('\n').map_or(at, str::len);
        let within = if self.is_above { at } else { before };
        (at == end).then(|| line_bytes_around(text, &(within..within)))
    }
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
        Filled {
            line: line.to_owned(),
            is_above,
        }
    }

    fn replaced(&self, replacements: Vec<Replacement>) -> impl Iterator<Item = Replaced> {
        let is_above = self.is_above;
        replacements.into_iter().map(move |replacement| Replaced {
            replacement,
            is_above,
        })
    }
}

impl SoFar {
    /// Before the first edit.
    pub fn none(candidates: Arc<Candidates>, room: PromptRoom) -> SoFar {
        SoFar {
            candidates,
            room,
            lines: Vec::new(),
            shown: None,
            edited: Vec::new(),
        }
    }

    /// The same, after the lines of one more edit.
    pub fn after_lines(mut self, target: &Target, filled: &Filled) -> SoFar {
        self.lines
            .extend([target.pick.clone(), filled.line.clone()]);
        self.shown = match target.operation {
            Operation::Create => target.beside.clone(),
            _ => Some(target.file()),
        };
        self
    }

    /// Adds an edit of a file as it was. Gives the edit with what all edits of that file have made of
    /// it; none if it changes nothing that was not changed before.
    pub fn add(
        &mut self,
        target: &Target,
        filled: &Filled,
        patched: Patched,
    ) -> Option<Result<Patched, EncodeError>> {
        if target.operation == Operation::Create {
            return Some(Ok(patched));
        }
        let at = self
            .edited
            .iter()
            .position(|edited| edited.file.path == target.path);
        let at = at.unwrap_or_else(|| {
            let file = target.file();
            self.edited.push(Edited {
                file,
                replaced: Vec::new(),
                open: OnceCell::new(),
            });
            self.edited.len() - 1
        });
        self.edited[at].add(patched, filled)
    }

    /// A file as it was before the first edit, if it was edited.
    pub fn file(&self, path: &str) -> Option<&SeenFile> {
        self.edited(path).map(|edited| &edited.file)
    }

    /// What of a file an operation may still change.
    pub fn open(&self, file: &SeenFile, operation: Operation) -> Shown {
        match self.edited(&file.path) {
            Some(edited) => edited.open(operation).clone(),
            None => file.shown.clone(),
        }
    }

    fn edited(&self, path: &str) -> Option<&Edited> {
        self.edited.iter().find(|edited| edited.file.path == path)
    }

    /// The files that a further edit may be of.
    pub fn choices(&self) -> Vec<PickFile> {
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

impl Edited {
    fn open(&self, operation: Operation) -> &Shown {
        let Open { lines, anchors } = self.open.get_or_init(|| self.without_replaced());
        if operation == Operation::Insert {
            anchors
        } else {
            lines
        }
    }

    /// What is shown without what was replaced. Nothing of it reaches over a place where lines were
    /// inserted.
    fn without_replaced(&self) -> Open {
        let text = self.file.text.shown();
        let taken = |Replaced {
                         replacement: Replacement { range, new },
                         ..
                     }: &Replaced| {
            // The last line of a file goes with the newline before it, which is another line's.
            let is_of_line_before = new.is_empty() && text[range.clone()].starts_with('\n');
            let range = range.start + usize::from(is_of_line_before)..range.end;
            if range.is_empty() {
                range
            } else {
                line_bytes_around(text, &range)
            }
        };
        let without = |mut taken: Vec<Range<usize>>| {
            taken.sort_by_key(|range| (range.start, range.end));
            self.file.shown.without(text, &taken)
        };
        let taken: Vec<Range<usize>> = self.replaced.iter().map(taken).collect();
        let anchors = self
            .replaced
            .iter()
            .filter_map(|replaced| replaced.anchor(text));
        let with_anchors = taken.iter().cloned().chain(anchors).collect();
        Open {
            lines: without(taken),
            anchors: without(with_anchors),
        }
    }

    fn add(&mut self, patched: Patched, filled: &Filled) -> Option<Result<Patched, EncodeError>> {
        let is_written = self.rewrite(&patched);
        let new: Vec<Replacement> = patched
            .replacements
            .iter()
            .flat_map(|r| self.outside(r))
            .collect();
        if new.is_empty() && !is_written {
            return None;
        }
        self.replaced.extend(filled.replaced(new.clone()));
        self.open.take();
        let mut all: Vec<&Replaced> = self.replaced.iter().collect();
        // At one place the earlier comes first.
        all.sort_by_key(|it| {
            (
                it.replacement.range.start,
                it.replacement.range.end,
                it.is_above,
            )
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

    /// What is replaced everywhere is replaced in new text, too. Whether there was any.
    fn rewrite(&mut self, patched: &Patched) -> bool {
        let (Operation::ReplaceAll, Some(Replacement { range, new })) =
            (patched.operation, patched.replacements.first())
        else {
            return false;
        };
        let old = &self.file.text.shown()[range.clone()];
        let mut is_written = false;
        for Replaced { replacement, .. } in &mut self.replaced {
            for range in whole_token_ranges(&replacement.new, old).into_iter().rev() {
                replacement.new.replace_range(range, new);
                is_written = true;
            }
        }
        is_written
    }

    /// What a replacement changes that was not replaced before. Of a removal that is what has text: it
    /// may have taken a newline or an empty line along.
    fn outside(&self, r: &Replacement) -> Vec<Replacement> {
        let touches = |piece: &Range<usize>, other: &Range<usize>| {
            piece.start < other.end && other.start < piece.end
        };
        let mut pieces = vec![r.range.clone()];
        for Replaced { replacement, .. } in &self.replaced {
            let other = &replacement.range;
            if r.range.is_empty() && r.range == *other && r.new.trim() == replacement.new.trim() {
                return Vec::new(); // the same lines at the same place, beside its other line
            }
            if !pieces.iter().any(|piece| touches(piece, other)) {
                continue;
            }
            if !r.new.is_empty() {
                return Vec::new();
            }
            let parts = |piece: Range<usize>| match touches(&piece, other) {
                true => vec![
                    piece.start..other.start.max(piece.start),
                    other.end..piece.end,
                ],
                false => vec![piece],
            };
            let text = self.file.text.shown();
            pieces = pieces.into_iter().flat_map(parts).collect();
            pieces
                .retain(|piece| piece.start < piece.end && !text[piece.clone()].trim().is_empty());
        }
        pieces
            .into_iter()
            .map(|range| Replacement {
                range,
                new: r.new.clone(),
            })
            .collect()
    }
}
