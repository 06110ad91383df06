//! The other places that have a text which an edit replaced: which of them does the task mean too?
//!
//! "Change 0666 to 0644, all of them": slots name one place, and models end there. Asked in a word how
//! far a task reaches, small models guess. What they tell well is what they were taught to write. So the
//! lines around each place go to the model without its adapter, and at each one the probability of the
//! line with the new text is compared with that of the line as it is. Nothing is written freely.

use super::outcome::FlowError;
use super::session::{Follow, Session};
use super::steps::{Elsewhere, StepEdit, Steps};
use crate::constrain::Spec;
use crate::edit::{Replacement, Swap, whole_token_ranges};
use crate::engine::{Engine, Given, Limits, Part, Request, Weights};
use crate::patched::Patched;
use crate::prompt::lines::{Lines, written};
use crate::slots::Operation;
use crate::slots::fenced::Fence;
use crate::task::Task;
use crate::text::ident::is_identifier;
use crate::text::{Text, boundary_offsets, line_diff, line_end, line_start};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::{Duration, Instant};

/// A line belongs to the task if the new text is more likely there by this much, in natural logarithms.
/// A model that has just written the new text is inclined to write it again. With Qwen2.5-Coder-1.5B 1 of
/// 71 lines that were to stay is above it, and 15 of 38 that were to change.
const LEAST_LEAD: f64 = 6.5;

/// The most places that the model is asked about. Where it takes them all, the others go with them.
const MOST_ASKED: usize = 8;

/// A text that is in more lines is a common one, and is not asked about.
const MOST_LINES: usize = 30;

/// Lines that are shown above and below a place.
const AROUND: usize = 2;

/// The longest search. What was not found by then stays.
const DEADLINE: Duration = Duration::from_secs(1);

/// A line that has the old text.
struct Place {
    path: String,
    /// Counted from 1.
    number: usize,
    /// The file's text.
    text: Text,
    /// The line without its end, in the file's text.
    line: Range<usize>,
    /// Where it has the old text.
    found: Vec<Range<usize>>,
}

/// Replaces in other places too what the steps replaced, where the task means them. What became of them
/// is in [`Steps::elsewhere`].
pub(super) async fn everywhere<E: Engine>(
    task: &Task,
    steps: &mut Steps,
    session: &mut Session<'_, E>,
) -> Result<(), FlowError> {
    let is_open = session.options.follow != Follow::No && task.context().lines.is_none();
    if !is_open || steps.failed.is_some() {
        return Ok(());
    }

    let mut seen: Vec<Swap> = Vec::new();
    for idx in 0..steps.edits.len() {
        let Some(swap) = swap(&steps.edits[idx]) else {
            continue;
        };
        if seen.contains(&swap) {
            continue;
        }
        seen.push(swap.clone());
        let places = places(&swap, steps, task, session);
        if places.is_empty() || places.len() > MOST_LINES {
            continue;
        }

        let meant = ask(&swap, &places, &steps.edits[idx], task, session).await?;
        steps.replace_elsewhere(swap, places, &meant, session);
    }
    Ok(())
}

/// What an edit swaps, if it is slots that do. A block that was written anew has what the model wanted,
/// and the other uses of a name are found without a model (`uses`).
fn swap(edit: &StepEdit) -> Option<Swap> {
    let Patched {
        operation,
        before,
        replacements,
        ..
    } = &edit.patched;
    let swap = match operation {
        Operation::Replace | Operation::ReplaceAll => Swap::of(before.shown(), replacements)?,
        _ => return None,
    };
    let is_rename = *operation == Operation::ReplaceAll && is_identifier(&swap.old);
    (!is_rename).then_some(swap)
}

/// The lines that have the old text and that no edit has changed: those of the edited files first.
fn places<E>(swap: &Swap, steps: &Steps, task: &Task, session: &Session<'_, E>) -> Vec<Place> {
    let workspace = session.workspace;
    let changes = steps.changes();
    let mut paths: Vec<String> = changes.iter().map(|change| change.path.clone()).collect();
    if task.files().is_empty() {
        paths.extend(workspace.list().paths);
    }
    if let Some(editable) = &task.context().editable {
        paths.retain(|path| editable.contains(path));
    }

    let mut places = Vec::new();
    let mut seen = BTreeSet::new();
    let begun = Instant::now();
    for path in paths {
        if begun.elapsed() > DEADLINE || places.len() > MOST_LINES {
            break;
        }
        if !seen.insert(path.clone()) {
            continue;
        }
        let Ok(text) = workspace.read(&path) else {
            continue;
        };
        let change = changes.iter().find(|change| change.path == path);
        let before = change.map(|change| change.before.as_ref().map_or("", Text::shown));
        places.extend(places_of(swap, &path, text, before));
    }
    places
}

/// The places of one file. `before`: its text before the edits, if it has some.
fn places_of(swap: &Swap, path: &str, text: Text, before: Option<&str>) -> Vec<Place> {
    let shown = text.shown();
    if !shown.contains(&swap.old) {
        return Vec::new();
    }
    let changed = before.map_or_else(BTreeSet::new, |before| changed_lines(before, shown));

    let mut places: Vec<Place> = Vec::new();
    for found in whole_token_ranges(shown, &swap.old) {
        let line = line_start(shown, found.start)..line_end(shown, found.end);
        let number = shown[..line.start].matches('\n').count() + 1;
        if changed.contains(&number) {
            continue;
        }
        match places.last_mut().filter(|last| last.number == number) {
            Some(last) => last.found.push(found),
            None => places.push(Place {
                path: path.to_owned(),
                number,
                text: text.clone(),
                line,
                found: vec![found],
            }),
        }
    }
    places
}

/// The lines of a new text, counted from 1, that the old one does not have there.
fn changed_lines(before: &str, after: &str) -> BTreeSet<usize> {
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let replaced = line_diff::replaced(&line_diff::diff(&old, &new), &old);
    let lines = replaced.into_iter().flat_map(|(_, lines)| lines);
    lines.map(|idx| idx + 1).collect()
}

/// Asks about each place. Returns which of them the task means, of those that were asked about: none
/// where the model cannot be asked so.
async fn ask<E: Engine>(
    swap: &Swap,
    places: &[Place],
    edit: &StepEdit,
    task: &Task,
    session: &mut Session<'_, E>,
) -> Result<Vec<bool>, FlowError> {
    let path = &edit.patched.path;
    let (was, is) = around_edit(edit);
    let asked = &places[..places.len().min(MOST_ASKED)];
    let mut lines = vec![Lines { path, text: &was }];
    for place in asked {
        let (path, text) = (place.path.as_str(), &place.text.shown()[place.around()]);
        lines.push(Lines { path, text });
    }
    let all: String = lines.iter().map(|it| it.text).collect();
    let profile = &session.options.profile;
    let fence = Fence::around(&all, "").filter(|_| session.engine.forces_answers());
    let question = fence.and_then(|fence| {
        let question = profile.lines(&lines, task.sentence(), &fence)?;
        Some((question, fence))
    });
    let Some((question, fence)) = question else {
        return Ok(vec![false; asked.len()]);
    };

    // The answer so far, as the model decided it.
    let mut answer = written(Lines { path, text: &is }, &fence);
    let mut meant = Vec::new();
    for place in asked {
        let around = place.around();
        let shown = place.text.shown();
        let differs = place.differs();
        let kept = &shown[differs.clone()];
        let replaced = place.replaced(&differs, swap);
        let mut prompt = question.clone();
        prompt.push(Part::Text(format!(
            "{answer}File {}:\n{}{}",
            place.path,
            fence.head(None),
            &shown[around.start..differs.start]
        )));
        let log_kept = log_probability(&prompt, kept, session).await?;
        let log_replaced = log_probability(&prompt, &replaced, session).await?;

        let is_meant = log_replaced - log_kept >= LEAST_LEAD;
        let text = if is_meant {
            place.replaced(&around, swap)
        } else {
            shown[around].to_owned()
        };
        let (path, text) = (place.path.as_str(), text.as_str());
        answer += &written(Lines { path, text }, &fence);
        meant.push(is_meant);
    }
    Ok(meant)
}

/// The lines around an edit, before and after it.
fn around_edit(edit: &StepEdit) -> (String, String) {
    let Patched {
        before,
        replacements,
        ..
    } = &edit.patched;
    let shown = before.shown();
    let Some(Replacement { range, new }) = replacements.first() else {
        return (String::new(), String::new());
    };
    let around = around(shown, range);
    let was = shown[around.clone()].to_owned();
    let is = [
        &shown[around.start..range.start],
        new,
        &shown[range.end..around.end],
    ]
    .concat();
    (was, is)
}

/// The whole lines of a range, and some above and below them.
fn around(shown: &str, range: &Range<usize>) -> Range<usize> {
    let mut start = line_start(shown, range.start);
    let mut end = line_end(shown, range.end);
    for _ in 0..AROUND {
        start = line_start(shown, start.saturating_sub(1));
        end = line_end(shown, (end + 1).min(shown.len()));
    }
    start..end
}

impl Place {
    fn around(&self) -> Range<usize> {
        around(self.text.shown(), &self.line)
    }

    /// What tells the line as it is from the line with the new text: as few bytes as possible, since each
    /// token is computed by itself. A space goes with the word after it, as in tokens, and what follows
    /// says where the text ends.
    fn differs(&self) -> Range<usize> {
        let shown = self.text.shown();
        let first = self.found.first().map_or(self.line.start, |it| it.start);
        let last = self.found.last().map_or(self.line.end, |it| it.end);
        let before = &shown[self.line.start..first];
        let rest = &shown[last..self.line.end];
        let next = boundary_offsets(rest).get(1).copied();
        let end = next.map_or((last + 1).min(shown.len()), |next| last + next);
        self.line.start + before.trim_end().len()..end
    }

    /// A range of the file, which has the whole of the old text, with the new text.
    fn replaced(&self, within: &Range<usize>, swap: &Swap) -> String {
        let shown = self.text.shown();
        let mut text = String::new();
        let mut at = within.start;
        for found in &self.found {
            text += &shown[at..found.start];
            text += &swap.new;
            at = found.end;
        }
        text + &shown[at..within.end]
    }
}

/// The natural logarithm of the probability that the model without its adapter goes on with a text.
async fn log_probability<E: Engine>(
    prompt: &[Part],
    text: &str,
    session: &mut Session<'_, E>,
) -> Result<f64, FlowError> {
    let limits = Limits {
        answer_tokens: text.len(),
    };
    let request = Request {
        weights: Weights::Base,
        given: Some(Given::Whole(text.to_owned())),
        ..Request::new(prompt.to_vec(), Spec::Free, limits)
    };
    let answer = session.engine.complete(&request, session.progress).await?;
    Ok(answer.likelihood.log)
}

impl Steps {
    /// Makes the edits of the places that are meant.
    fn replace_elsewhere<E>(
        &mut self,
        swap: Swap,
        places: Vec<Place>,
        meant: &[bool],
        session: &Session<'_, E>,
    ) {
        let are_all = meant.iter().all(|&is_meant| is_meant);
        let mut by_file: BTreeMap<String, Vec<Place>> = BTreeMap::new();
        let mut elsewhere = Elsewhere {
            swap,
            replaced: Vec::new(),
            kept: Vec::new(),
        };
        for (idx, place) in places.into_iter().enumerate() {
            let name = (place.path.clone(), place.number);
            if meant.get(idx).copied().unwrap_or(are_all) {
                elsewhere.replaced.push(name);
                by_file.entry(place.path.clone()).or_default().push(place);
            } else {
                elsewhere.kept.push(name);
            }
        }

        for (path, places) in by_file {
            let before = places[0].text.clone();
            let found = places.into_iter().flat_map(|place| place.found).collect();
            let Some(patched) = Patched::replacing(&path, before, found, &elsewhere.swap.new)
            else {
                // The encoding of this file cannot hold the new text.
                let (kept, replaced) = elsewhere.replaced.into_iter().partition(|it| it.0 == path);
                elsewhere.replaced = replaced;
                elsewhere.kept.extend::<Vec<_>>(kept);
                continue;
            };
            session.workspace.pend(&path, patched.after.clone());
            self.edits.push(StepEdit {
                patched,
                certainty: BTreeMap::new(),
            });
        }
        self.elsewhere.push(elsewhere);
    }
}
