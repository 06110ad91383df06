//! Further edits, for what a check complains of after the first ones.
//!
//! The model is asked about one complaint at a time, in a small question: the lines around its place, then
//! its file, then the files of the edits themselves. Edits are kept only if fewer complaints are left.
//! A block that is still complained of at the end is written anew.

use super::checker::{Checked, Checker};
use super::complaint::{Complaint, Place};
use crate::engine::{Engine, Progress};
use crate::flow::steps::{Steps, edit_in_steps};
use crate::flow::{Continuation, GenerateOptions, Session};
use crate::patched::{FileChange, Patched};
use crate::prompt::Profile;
use crate::repair::guard::{Judges, is_test_file};
use crate::repair::output::both_ends;
use crate::review::change_breaks;
use crate::slots::{FilePick, Operation, Pick};
use crate::syntax::definitions;
use crate::task::{Context, Task};
use crate::text::line_bytes;
use std::collections::{BTreeSet, HashSet};
use std::ops::RangeInclusive;
use tracing::debug;

/// The most times that the model is asked for further edits, besides a block written anew.
pub const MOST_FURTHER: usize = 3;

/// Lines above and below a place that may change, where it is in no definition.
const AROUND: usize = 10;

/// A longer definition is not offered as a whole, in lines.
const LONGEST_DEFINITION: usize = 150;

/// With so many complaints about a file, its lines are not asked about one by one.
const MANY: usize = 3;

/// Places of one complaint whose lines are asked about.
const MOST_PLACES: usize = 2;

/// The longest diff and the longest text of complaints that a model is told, in bytes.
const MAX_TOLD: usize = 3_000;

/// The longest message within a sentence, in bytes.
const MAX_SAID: usize = 300;

/// How a model hears of a complaint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telling {
    /// In the notes of the task: the edits so far, and the output.
    Notes,
    /// In the sentence itself, for models that learned from sentences alone.
    Sentence,
}

impl Telling {
    /// What suits a model.
    pub fn of(profile: &Profile) -> Telling {
        if profile.learned_from_sentences() {
            Telling::Sentence
        } else {
            Telling::Notes
        }
    }
}

/// Edits after which nothing more is asked.
#[derive(Debug)]
pub struct Mended {
    /// The edits: those from before, and the further ones that were kept.
    pub steps: Steps,
    /// What the check says of them.
    pub checked: Checked,
    /// How many times further edits were kept.
    pub n_kept: usize,
}

/// Where a further edit may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Within {
    /// The lines around the place, or the definition that has it.
    Lines,
    /// The file of the place.
    File,
    /// The files of the edits, one of which is the cause.
    Edited,
}

/// A question for a further edit.
struct Question {
    task: Task,
    options: GenerateOptions,
}

/// Has the model go on with edits that a check complains of. Where it cannot be asked, or the check can
/// be run no more, the edits are those that were best so far.
pub async fn mend<E: Engine>(
    task: &Task,
    (steps, checked): (Steps, Checked),
    checker: &mut Checker,
    session: &mut Session<'_, E>,
) -> Mended {
    let mut mending = Mending {
        task,
        mended: Mended {
            steps,
            checked,
            n_kept: 0,
        },
        tried: HashSet::new(),
        checker,
        session,
    };
    // Given lines have other numbers after an edit.
    if !mending.mended.checked.new.is_empty() && task.context().lines.is_none() {
        mending.run().await;
    }
    mending.mended
}

struct Mending<'a, 's, E> {
    task: &'a Task,
    mended: Mended,
    /// What was asked before: where, and about which file and message.
    tried: HashSet<(Within, String, String)>,
    checker: &'a mut Checker,
    session: &'a mut Session<'s, E>,
}

impl<E: Engine> Mending<'_, '_, E> {
    async fn run(&mut self) {
        for _ in 0..MOST_FURTHER {
            let Some(question) = self.next_question() else {
                break;
            };
            if !self.goes_on_after(question).await {
                return;
            }
        }
        if let Some(question) = self.rewriting() {
            self.goes_on_after(question).await;
        }
    }

    /// Asks for further edits, and keeps them if they are better. Returns whether there is more to ask.
    async fn goes_on_after(&mut self, question: Question) -> bool {
        let options = std::mem::replace(&mut self.session.options, question.options);
        let made = edit_in_steps(&question.task, self.session).await;
        self.session.options = options;
        let made = match made {
            Ok(made) => made,
            Err(error) => {
                debug!(%error, "no further edit for a complaint");
                return true;
            }
        };

        let steps = &mut self.mended.steps;
        let n_before = steps.edits.len();
        let broke = breaks(&steps.changes());
        steps.stages.extend(made.stages);
        if made.failed.is_some() {
            self.take_back(made.edits.into_iter().map(|edit| edit.patched));
            return true;
        }
        steps.edits.extend(made.edits);
        let changes = steps.changes();
        let may_be_better = !changes.is_empty() && (broke || !breaks(&changes));
        let checked = if may_be_better {
            let command = self.checker.command().to_owned();
            (self.session.progress)(Progress::Checking(command));
            self.checker.check(changes).await
        } else {
            Ok(self.mended.checked.clone())
        };

        match checked {
            Ok(checked) if is_better(&checked, &self.mended.checked) => {
                self.mended.checked = checked;
                self.mended.n_kept += 1;
                // The answer from before cannot go on in files that are others now.
                self.mended.steps.continuation = Continuation::default();
            }
            rejected => {
                let edits = self.mended.steps.edits.split_off(n_before);
                self.take_back(edits.into_iter().map(|edit| edit.patched));
                if let Err(error) = rejected {
                    debug!(%error, "the check cannot be run any more");
                    return false;
                }
            }
        }
        !self.mended.checked.new.is_empty()
    }

    /// Shows the files as they were before some edits.
    fn take_back(&self, edits: impl DoubleEndedIterator<Item = Patched>) {
        for patched in edits.rev() {
            let before = patched.before.bytes().to_vec();
            self.session.workspace.pend(&patched.path, before);
        }
    }

    /// A question that was not asked before.
    fn next_question(&mut self) -> Option<Question> {
        for within in [Within::Lines, Within::File, Within::Edited] {
            for complaint in &self.mended.checked.new {
                let places = self.places(complaint);
                let mut asked: Vec<Option<&Place>> = places.into_iter().map(Some).collect();
                if within != Within::Lines {
                    asked.truncate(1);
                }
                if asked.is_empty() {
                    asked.push(None);
                }
                for place in asked {
                    let at = place.map_or(String::new(), |it| format!("{}:{}", it.path, it.line));
                    let key = (within, at, complaint.message.clone());
                    if self.tried.contains(&key) {
                        continue;
                    }
                    if let Some(question) = self.question(within, complaint, place) {
                        self.tried.insert(key);
                        return Some(question);
                    }
                }
            }
        }
        None
    }

    /// The places of a complaint that may be edited, the likeliest first: outside of what was edited
    /// before what was, and what judges last. Of a test, its own file is none.
    fn places<'c>(&self, complaint: &'c Complaint) -> Vec<&'c Place> {
        let mut places: Vec<&Place> = complaint.places.iter().rev().collect();
        places.retain(|place| {
            let is_own = complaint.test.is_some() && is_test_file(&place.path);
            !is_own && self.may_edit(&place.path)
        });
        let judges = Judges::new(self.checker.command(), None);
        places.sort_by_key(|place| (judges.include(&place.path), self.is_edited(place)));
        places.truncate(MOST_PLACES);
        places
    }

    /// The likeliest of them.
    fn place<'c>(&self, complaint: &'c Complaint) -> Option<&'c Place> {
        self.places(complaint).first().copied()
    }

    /// Whether the definition that has a place, or else its line, is not as it was before the edits.
    fn is_edited(&self, place: &Place) -> bool {
        let changes = self.mended.steps.changes();
        let Some(change) = changes.iter().find(|change| change.path == place.path) else {
            return false;
        };
        let (Some(before), Ok(now)) = (&change.before, self.session.workspace.read(&place.path))
        else {
            return true;
        };
        let lines = self.definition(place).unwrap_or(place.line..=place.line);
        !before
            .shown()
            .contains(&now.shown()[line_bytes(now.shown(), &lines)])
    }

    fn may_edit(&self, path: &str) -> bool {
        let workspace = self.session.workspace;
        let mut named = self.task.files().iter();
        let is_named = |file: &String| workspace.resolve_named(file).is_ok_and(|it| it == path);
        (self.task.files().is_empty() || named.any(is_named)) && workspace.read(path).is_ok()
    }

    fn question(
        &self,
        within: Within,
        complaint: &Complaint,
        place: Option<&Place>,
    ) -> Option<Question> {
        let edited: BTreeSet<String> = self.edited().into_iter().collect();
        let is_of_many = place.is_some_and(|place| self.n_about(&place.path) >= MANY);
        let (editable, lines) = match (within, place) {
            (Within::Lines, Some(place)) if !is_of_many => {
                let lines = self.lines_around(place)?;
                (BTreeSet::from([place.path.clone()]), Some(lines))
            }
            (Within::File, Some(place)) => (BTreeSet::from([place.path.clone()]), None),
            (Within::Edited, None) => (edited, None),
            (Within::Edited, Some(place)) if !edited.contains(&place.path) => (edited, None),
            _ => return None,
        };
        let options = GenerateOptions {
            branches: 0,
            // An answer that must not decline has no end.
            most_edits: (!is_of_many).then_some(1),
            least_edits: 1,
            // A block is written anew at the end.
            doubted_below: None,
            pick: None,
            ..self.session.options.clone()
        };
        let task = self.told(complaint, place, Telling::of(&options.profile))?;
        let context = Context {
            editable: Some(editable),
            lines,
            must_edit: !is_of_many,
            ..task.context().clone()
        };
        let task = task.within(context);
        Some(Question { task, options })
    }

    /// A question for the block of a complaint, to be written anew. The model reads it without an
    /// adapter, and understands notes.
    fn rewriting(&self) -> Option<Question> {
        let Profile::Instruct { .. } = self.session.options.profile else {
            return None;
        };
        let complaints = &self.mended.checked.new;
        let mut placed = complaints
            .iter()
            .filter_map(|it| Some((it, self.place(it)?)));
        let (complaint, place) = placed.next()?;
        let task = self.told(complaint, Some(place), Telling::Notes)?;
        let context = Context {
            editable: Some(BTreeSet::from([place.path.clone()])),
            lines: self.definition(place),
            ..task.context().clone()
        };
        let options = GenerateOptions {
            branches: 0,
            most_edits: Some(1),
            least_edits: 1,
            doubted_below: None,
            pick: Some(Pick::File(FilePick {
                path: place.path.clone(),
                operation: Operation::Rewrite,
            })),
            ..self.session.options.clone()
        };
        Some(Question {
            task: task.within(context),
            options,
        })
    }

    /// The task with a complaint.
    fn told(&self, complaint: &Complaint, place: Option<&Place>, telling: Telling) -> Option<Task> {
        let sentence = self.task.sentence();
        let at = place.map_or("the check".to_owned(), |place| {
            format!("{}:{}", place.path, place.line)
        });
        let (sentence, notes) = match telling {
            Telling::Notes => (sentence.to_owned(), self.notes(complaint, place)),
            Telling::Sentence => {
                let sentence = sentence.trim_end_matches('.');
                let said = both_ends(&complaint.message, MAX_SAID).replace('\n', " ");
                (format!("{sentence}. Now {at} says: {said}"), String::new())
            }
        };
        let mut operations = Operation::ALL.to_vec();
        operations.retain(|operation| *operation != Operation::Create);
        let task = Task::new(&sentence, self.task.files().to_vec()).ok()?;
        Some(task.within(Context {
            notes,
            operations,
            must_edit: true,
            ..Context::default()
        }))
    }

    /// What was done, and what the check prints now: about this complaint, and others of its file.
    fn notes(&self, complaint: &Complaint, place: Option<&Place>) -> String {
        let changes = self.mended.steps.changes();
        let diff: String = changes.iter().map(FileChange::diff).collect();
        let mut said = complaint.text.clone();
        for other in &self.mended.checked.new {
            let is_near = place.is_some_and(|place| self.is_about(other, &place.path));
            if is_near && other != complaint {
                said = format!("{said}\n{}", other.text);
            }
        }
        format!(
            "This part of the task is done, and is in the files already:\n{}\n\nNow `{}` fails:\n{}\n\n\
             Make the change that is still missing.",
            both_ends(diff.trim_end(), MAX_TOLD),
            self.checker.command(),
            both_ends(&said, MAX_TOLD)
        )
    }

    fn edited(&self) -> Vec<String> {
        let changes = self.mended.steps.changes();
        changes.into_iter().map(|change| change.path).collect()
    }

    fn n_about(&self, path: &str) -> usize {
        let complaints = self.mended.checked.new.iter();
        complaints.filter(|it| self.is_about(it, path)).count()
    }

    fn is_about(&self, complaint: &Complaint, path: &str) -> bool {
        self.place(complaint)
            .is_some_and(|place| place.path == path)
    }

    /// The lines around a place that may change, counted from 1. `None` if the file has no such line.
    fn lines_around(&self, place: &Place) -> Option<RangeInclusive<usize>> {
        if let Some(lines) = self.definition(place) {
            return Some(lines);
        }
        let text = self.session.workspace.read(&place.path).ok()?;
        let n_lines = text.shown().lines().count();
        let first = place.line.saturating_sub(AROUND).max(1);
        let last = (place.line + AROUND).min(n_lines);
        (first <= last).then_some(first..=last)
    }

    /// The lines of the smallest definition that has a place, counted from 1.
    fn definition(&self, place: &Place) -> Option<RangeInclusive<usize>> {
        let text = self.session.workspace.read(&place.path).ok()?;
        let mut around = definitions(&place.path, text.shown());
        around.retain(|it| it.lines.contains(&(place.line - 1)));
        let smallest = around
            .into_iter()
            .map(|it| it.lines)
            .min_by_key(ExactSizeIterator::len)?;
        (smallest.len() <= LONGEST_DEFINITION).then_some(smallest.start + 1..=smallest.end)
    }
}

fn breaks(changes: &[FileChange]) -> bool {
    changes.iter().any(|it| change_breaks(it).is_some())
}

/// Whether fewer complaints are left. One that says nothing may hide many.
fn is_better(checked: &Checked, before: &Checked) -> bool {
    let is_dark = |checked: &Checked| checked.new.iter().any(Complaint::is_of_whole_run);
    checked.new.len() < before.new.len() && (!is_dark(checked) || is_dark(before))
}
