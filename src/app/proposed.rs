//! What a model's edits come to before the gate: the change with its warnings and remarks, or why
//! there is none.

use crate::diff::Seam;
use crate::edit::{Replacement, Swap};
use crate::engine::End;
use crate::failure::{Failure, FailureKind};
use crate::flow::steps::{Elsewhere, FailedStep, StepEdit, Steps, Uses};
use crate::flow::{Evidence, MechanicsError, Verdict};
use crate::locate::Rung;
use crate::locate::free_slots::FreeSlotsError;
use crate::patched::FileChange;
use crate::review::gate::{Proposal, ProposedFile};
use crate::review::{self, KeptName, Warning, WarningKind};
use crate::slots::Reason;
use crate::task::Task;
use crate::text::{Text, visible};
use crate::workspace::Change;
use std::collections::BTreeMap;

/// How the model that answered has to be judged.
#[derive(Clone, Debug, Default)]
pub(crate) struct Judged {
    /// Whether its answers were forced to fit the files.
    pub is_forced: bool,
    /// Below this certainty an edit has a warning.
    pub min_certainty: f64,
    /// The kinds of warnings in spite of which an edit is written that nobody is asked about.
    pub accept: Vec<String>,
}

/// A change for the gate, with all that a [`Proposal`] borrows.
#[derive(Clone, Debug)]
pub(crate) struct Proposed {
    pub files: Vec<ProposedFile>,
    pub remarks: Vec<String>,
    pub warnings: Vec<Warning>,
    pub description: String,
}

impl Proposed {
    /// What edits make of the files. `changes`: of all of them together.
    pub fn of(
        edits: &[StepEdit],
        changes: &[FileChange],
        judged: &Judged,
        task: &Task,
    ) -> Proposed {
        Proposed {
            files: changes
                .iter()
                .map(|change| in_edits(change, edits))
                .collect(),
            remarks: remarks(edits),
            warnings: warnings(edits, changes, judged, task),
            description: task.sentence().to_owned(),
        }
    }

    /// Warns of the uses of a changed name that stay in other files.
    pub fn warn_of_uses(&mut self, kept: Option<KeptName>, judged: &Judged) {
        if let Some(kept) = kept {
            self.warnings.push(kept.warning());
            Warning::accept(&mut self.warnings, &judged.accept);
        }
    }

    /// Warns of a further edit that is missing.
    pub fn warn_of_left_out(&mut self, steps: &Steps, judged: &Judged) {
        if let Some(why) = steps.left_out() {
            let message = stops_here(why);
            self.warnings.push(WarningKind::Partial.says(message));
            Warning::accept(&mut self.warnings, &judged.accept);
        }
    }

    /// The same for the gate.
    pub fn proposal(&self) -> Proposal<'_> {
        let Proposed {
            files,
            remarks,
            warnings,
            description,
        } = self;
        Proposal {
            files,
            remarks,
            warnings,
            description,
        }
    }

    /// The files as the person knows them.
    pub fn paths(&self) -> Vec<String> {
        self.files.iter().map(|file| file.path.clone()).collect()
    }

    /// What is done to the folder.
    pub fn changes(&self) -> impl Iterator<Item = &Change> {
        self.files.iter().flat_map(|file| &file.changes)
    }
}

/// A file that a model's edits change, for the gate.
pub(crate) fn proposed_file(change: &FileChange) -> ProposedFile {
    let (path, changes) = (change.path.clone(), vec![change.change()]);
    ProposedFile {
        path,
        changes,
        diff: change.diff(),
        seams: Vec::new(),
    }
}

/// The same, where the edits can be told apart.
fn in_edits(change: &FileChange, edits: &[StepEdit]) -> ProposedFile {
    ProposedFile {
        seams: seams(change, edits).unwrap_or_default(),
        ..proposed_file(change)
    }
}

/// The places between the edits of a file, if all are of the file as it was.
fn seams(change: &FileChange, edits: &[StepEdit]) -> Option<Vec<Seam>> {
    let before = change.before.as_ref()?;
    let text = before.shown();
    let mut replaced = Vec::new();
    for (i, StepEdit { patched, .. }) in edits.iter().enumerate() {
        if patched.path != change.path {
            continue;
        }
        if patched.before.bytes() != before.bytes() {
            return None;
        }
        for replacement in &patched.replacements {
            replaced.push((i, replacement));
        }
    }
    replaced.sort_by_key(|(_, replacement)| (replacement.range.start, replacement.range.end));

    let mut seams = Vec::new();
    // The edit before, and the line after it.
    let mut last = None;
    let mut end = 0;
    // Lines that were added and removed so far.
    let mut n_new = 0;
    let mut n_old = 0;
    for (i, Replacement { range, new }) in replaced {
        let line = n_lines(&text[..range.start]);
        if last.is_some_and(|last| last != i) && line >= end {
            seams.push(Seam {
                old: line,
                new: (line + n_new).checked_sub(n_old)?,
            });
        }
        n_new += n_lines(new);
        n_old += n_lines(&text[range.clone()]);
        let is_at_start = text[..range.end].is_empty() || text[..range.end].ends_with('\n');
        end = n_lines(&text[..range.end]) + usize::from(!is_at_start);
        last = Some(i);
    }

    let after = Text::decode_after(change.before.as_ref(), change.after.clone()).ok()?;
    (n_lines(after.shown()) + n_old == n_lines(text) + n_new).then_some(seams)
}

/// The newlines of a text.
fn n_lines(text: &str) -> usize {
    text.matches('\n').count()
}

impl Judged {
    fn accepts(&self, kind: WarningKind) -> bool {
        self.accept.iter().any(|word| word == kind.word())
    }
}

/// How the text was found, and how far an edit of every occurrence reaches.
fn remarks(edits: &[StepEdit]) -> Vec<String> {
    let rungs = edits
        .iter()
        .map(|edit| edit.patched.rung)
        .filter(|rung| *rung != Rung::Exact);
    let found = rungs.map(|rung| {
        format!("the model's text is not in the file as it wrote it; it was found {rung}")
    });
    let reaches = edits.iter().filter_map(|edit| review::reach(&edit.patched));
    found.chain(reaches).collect()
}

/// What about the edits asks for a second look.
fn warnings(
    edits: &[StepEdit],
    changes: &[FileChange],
    judged: &Judged,
    task: &Task,
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for edit in edits {
        let patched = &edit.patched;
        let mut of_file = edits.iter().filter(|it| it.patched.path == patched.path);
        let afterwards = &of_file.next_back().unwrap_or(edit).patched.after;
        warnings.extend(review::unsure(&edit.certainty, judged.min_certainty));
        warnings.extend(review::merge(patched));
        warnings.extend(review::unseen(patched));
        warnings.extend(review::leftover(patched, afterwards));
        warnings.extend(review::loses(task, patched));
    }

    warnings.extend(review::elided(changes.iter().map(|change| {
        let FileChange {
            path,
            before,
            after,
        } = change;
        (path.as_str(), before.as_ref(), Some(after.as_slice()))
    })));
    for change in changes {
        let patched = edits.iter().map(|edit| &edit.patched);
        let of_file = patched.filter(|it| it.path == change.path);
        warnings.extend(review::empties(task, change, of_file));
    }
    for change in changes {
        warnings.extend(review::change_breaks(change));
    }
    Warning::accept(&mut warnings, &judged.accept);
    warnings
}

/// What a task that led to no edit comes to: there is nothing to do, as this line of a file shows.
///
/// # Errors
/// Why there is no edit otherwise.
pub(crate) fn without_edit(failed: FailedStep, judged: &Judged) -> Result<String, Failure> {
    Err(match failed.verdict {
        Verdict::Proposed(_) => unreachable!("a step that failed has no edit"),
        // A model that does not understand a task often claims that it is done, or writes the text
        // that is there already.
        Verdict::AlreadyDone(Some(Evidence { path, line, text })) => {
            let claim = format!("{path} has it already on line {line}: `{}`", visible(&text));
            let Some(doubt) =
                review::doubt(failed.certainty).filter(|_| !judged.accepts(WarningKind::Unsure))
            else {
                return Ok(claim);
            };
            let message = format!("the model says that {claim}; {doubt}; nothing was written");
            Failure::new(FailureKind::Warning(WarningKind::Unsure), message)
                .hint("say it in other words, or use another model")
                .hint("--accept unsure takes it for done")
        }
        Verdict::AlreadyDone(None) => {
            let message = "the model's edit changes nothing; nothing was written";
            Failure::new(FailureKind::Declined, message)
                .hint("say it in other words, or use another model")
        }
        Verdict::Declined(Reason::AlreadyDone) => {
            let message = "the model says that it is done already, and shows no line that has it; \
                           nothing was written";
            Failure::new(FailureKind::Declined, message).hint("if it is not: say it in other words")
        }
        Verdict::Declined(Reason::NotInTheseFiles) => {
            let message = "the model declined: what is asked for has no place in these files";
            Failure::new(FailureKind::Declined, message)
                .hint("name the file in the task or with --file")
        }
        Verdict::Declined(Reason::Unclear) => Failure::new(
            FailureKind::Declined,
            "the model declined: the task is unclear to it",
        )
        .hint("name the text to change and what it should become"),
        Verdict::Truncated(End::NoToken) => {
            let message = "the model's vocabulary cannot spell what would have to come next; \
                           nothing was written";
            Failure::new(FailureKind::Truncated, message).hint("use another model for this file")
        }
        Verdict::Truncated(End::Repeats) => {
            let message =
                "the model's answer only repeated itself and was stopped; nothing was written";
            Failure::new(FailureKind::Truncated, message)
                .hint("say it in other words, or use another model")
        }
        Verdict::Truncated(_) => {
            let message = "the model's answer did not end within its budget; nothing was written";
            Failure::new(FailureKind::Truncated, message).hint("ask for a smaller change")
        }
        Verdict::Mechanics(error) if judged.is_forced => {
            Failure::new(FailureKind::Mechanics, &error)
                .hint("this is a bug in slotwright: please report it")
        }
        Verdict::Mechanics(error) => free_answer_failure(&error),
        Verdict::Refused(error) => Failure::new(FailureKind::Encoding, &error).hint(error.next()),
    })
}

/// A server's answer that is no edit of these files.
fn free_answer_failure(error: &MechanicsError) -> Failure {
    let message =
        format!("the model's answer is no edit of these files: {error}; nothing was written");
    let failure = Failure::new(FailureKind::Mechanics, message);
    let failure = match error {
        MechanicsError::Locate(FreeSlotsError::Miss(miss)) => {
            failure.hint(format!("it looked for {}", beginning(&miss.searched)))
        }
        _ => failure,
    };
    failure.hint("name the file and the text to change in the task, or use another model")
}

/// The beginning of a text's first line.
fn beginning(text: &str) -> String {
    const SHOWN: usize = 60;
    let line = text.trim().lines().next().unwrap_or_default();
    let shown: String = line.chars().take(SHOWN).collect();
    if shown.len() < text.trim().len() {
        format!("{shown:?} …")
    } else {
        format!("{shown:?}")
    }
}

/// Says that other files get the new name too.
pub(crate) fn also_renamed(steps: &Steps) -> Option<String> {
    let Uses { renamed, kept } = steps.uses.as_ref()?;
    if renamed.is_empty() {
        return None;
    }
    let (n, old) = (renamed.len(), &kept.old);
    let s = if n == 1 { "" } else { "s" };
    Some(format!(
        "{old} is used in {n} other file{s} ({}), where the model left it: \
         the new name is put there too",
        renamed.join(", ")
    ))
}

/// Says which other places have the new text too, and which keep the old one.
pub(crate) fn elsewhere(steps: &Steps) -> Vec<String> {
    let mut remarks = Vec::new();
    for Elsewhere {
        swap: Swap { old, new },
        replaced,
        kept,
    } in &steps.elsewhere
    {
        if !replaced.is_empty() {
            let places = places_in_words(replaced);
            remarks.push(format!("{old} becomes {new} elsewhere too: {places}"));
        }
        if !kept.is_empty() {
            let places = places_in_words(kept);
            remarks.push(format!("{old} stays elsewhere: {places}"));
        }
    }
    remarks
}

/// `a.py line 3, b.py lines 1, 4`.
fn places_in_words(places: &[(String, usize)]) -> String {
    let mut by_file: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (path, line) in places {
        by_file.entry(path).or_default().push(*line);
    }
    let files = by_file.iter();
    let words: Vec<String> = files
        .map(|(path, lines)| format!("{path} {}", review::line_names(lines)))
        .collect();
    words.join(", ")
}

fn stops_here(why: &str) -> String {
    format!("an edit may be missing: {why}")
}

/// Says that the model ended with something else than that the task is done. Of an edit that cannot be
/// made a warning says it.
pub(crate) fn unfinished(steps: &Steps) -> Option<String> {
    if steps.left_out().is_some() {
        return None;
    }
    if let Some(cut) = steps.cut() {
        return Some(stops_here(cut));
    }
    let reason = match steps.ended()? {
        Reason::AlreadyDone => return None,
        Reason::NotInTheseFiles => "the rest has no place in these files",
        Reason::Unclear => "the rest is unclear",
    };
    Some(format!("after these edits the model declined: {reason}"))
}
