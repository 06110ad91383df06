//! Sketches: whole files with parts left out. Where nothing tells the place of a part, a model says
//! it (`--model`).

use crate::app::Say;
use crate::app::folders;
use crate::app::model_arguments::ModelChoice;
use crate::app::running_model::{self, Model};
use crate::apply::{EditOutcome, EditResult, FailedKind, Plan, leaves_out};
use crate::engine::Progress;
use crate::failure::Failure;
use crate::flow::{FlowError, GenerateOptions, Given, Session, Spot, Verdict, where_to};
use crate::format::{Action, FileEdit, Over, Patch};
use crate::locate::miss::LineRange;
use crate::locate::sketch::{Completed, Sketch, Unplaced};
use crate::prompt::Profile;
use crate::review::{Warning, WarningKind};
use crate::workspace::Workspace;
use std::collections::BTreeMap;
use std::ops::Range;

/// A sketch that says too little about the place of a part.
pub(super) struct UnplacedSketch {
    /// Which edit of the patch, counted from 0.
    edit: usize,
    /// Its file.
    pub path: String,
    /// The file's text.
    pub file: String,
    /// The sketch.
    draft: String,
}

/// What tells the place of a part.
#[derive(Clone, Copy, Debug)]
enum ToldBy {
    /// The file has lines like it there.
    Likeness,
    /// There is no other place.
    Order,
    /// A model, with this certainty, 0 to 1.
    Model(f64),
}

/// Warns of the parts of sketches that a plan places, and of lines that sketches remove without new
/// ones in their place.
pub(super) fn warnings(plan: &Plan) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for (path, applied) in plan.applied() {
        for part in &applied.placed {
            let lines = part.lines.first - 1..part.lines.last;
            let placed = placed(&part.line, &lines, &part.removes, ToldBy::Likeness);
            warnings.push(WarningKind::Placed.says(format!("{path}: {placed}")));
        }
        for lines in &applied.removed {
            warnings.push(removed(path, *lines));
        }
    }
    warnings
}

fn removed(path: &str, lines: LineRange) -> Warning {
    WarningKind::Shrinks.says(format!(
        "{path}: {lines} are removed: the sketch has no marker where they are"
    ))
}

/// Where a part of a sketch goes. `line` is its first line. `lines` are those that it replaces,
/// counted from 0; if there are none, it goes before the first. `removes` are the names of the
/// definitions in them that the sketch lacks.
fn placed(line: &str, lines: &Range<usize>, removes: &[String], told_by: ToldBy) -> String {
    let mut place = if lines.is_empty() {
        format!("it goes before line {}", lines.start + 1)
    } else {
        format!("it replaces {}", LineRange::of(lines))
    };
    if !removes.is_empty() {
        place += &format!(", and {} is gone", removes.join(", "));
    }
    match told_by {
        ToldBy::Model(certainty) => {
            let percent = 100.0 * certainty;
            format!("a model chose the place of {line:?}: {place} ({percent:.0} % certain)")
        }
        ToldBy::Likeness => format!("{line:?} goes where the file has lines like it: {place}"),
        ToldBy::Order => format!("{line:?} has no other place: {place}"),
    }
}

/// The sketches of a plan that failed because nothing tells where a part goes.
pub(super) fn unplaced(patch: &Patch, plan: &Plan, workspace: &Workspace) -> Vec<UnplacedSketch> {
    let edits = patch.file_edits().zip(&plan.outcomes).enumerate();
    edits
        .filter_map(|(edit, (file_edit, outcome))| {
            unplaced_sketch(edit, file_edit, outcome, workspace)
        })
        .collect()
}

fn unplaced_sketch(
    edit: usize,
    file_edit: &FileEdit,
    outcome: &EditOutcome,
    workspace: &Workspace,
) -> Option<UnplacedSketch> {
    let Action::Write { text, over } = file_edit.action.itself() else {
        return None;
    };
    if !matches!(&outcome.result, EditResult::Failed(failed) if failed.kind == FailedKind::LeftOut)
        || !leaves_out(text, *over)
    {
        return None;
    }
    let path = outcome.path.clone()?;
    let file = workspace.read(&path).ok()?.shown().to_owned();
    // If the file itself has such lines, the complete text would be taken for a sketch again.
    if leaves_out(&file, Over::Anything) || Sketch::of(&file, text).is_err() {
        return None;
    }
    Some(UnplacedSketch {
        edit,
        path,
        file,
        draft: text.clone(),
    })
}

/// Asks a model where the parts of these sketches go. A sketch whose parts it can all place becomes
/// a whole text in the patch, and its warnings are returned. Another one stays as it is, and the
/// reason is said.
pub(super) async fn place(
    sketches: Vec<UnplacedSketch>,
    patch: &mut Patch,
    asker: &mut Asker<'_>,
) -> Result<Vec<Warning>, Failure> {
    let mut all = Vec::new();
    for sketch in sketches {
        let Some((text, warnings)) = completed(&sketch, asker).await? else {
            continue;
        };
        all.extend(warnings);
        if let Some(file_edit) = patch.file_edits_mut().nth(sketch.edit) {
            file_edit.path = Some(sketch.path);
            file_edit.action = Action::Write {
                text,
                over: Over::Anything,
            };
        }
    }
    Ok(all)
}

/// A model that is started for the first question.
pub(super) struct Asker<'a> {
    pub choice: &'a ModelChoice,
    pub workspace: &'a Workspace,
    /// `None` before the first question.
    pub started: Option<(Model, Profile)>,
    pub say: Say,
    pub progress: &'a mut dyn FnMut(Progress),
}

impl Asker<'_> {
    /// Where given lines go, or why the model does not say.
    async fn ask(&mut self, given: Given<'_>) -> Result<Result<Spot, String>, Failure> {
        if self.started.is_none() {
            let prefixes = Some(folders::prefixes());
            let started =
                running_model::start(self.choice, prefixes, self.say, self.progress).await?;
            self.started = Some(started);
        }
        let (engine, profile) = self.started.as_mut().expect("it was started");
        let options = GenerateOptions::new(profile.clone());
        let mut session = Session {
            workspace: self.workspace,
            engine,
            options,
            progress: self.progress,
        };
        match where_to(given, &mut session).await {
            Ok(Ok(spot)) => Ok(Ok(spot)),
            Ok(Err(verdict)) => Ok(Err(reason(&verdict))),
            Err(error @ (FlowError::TaskTooLong { .. } | FlowError::FileTooLong { .. })) => {
                Ok(Err(error.to_string()))
            }
            Err(error) => Err(Failure::from(error)),
        }
    }
}

/// The complete text of a sketch, with its warnings; `None` if the model does not say where one of its
/// parts goes.
async fn completed(
    sketch: &UnplacedSketch,
    asker: &mut Asker<'_>,
) -> Result<Option<(String, Vec<Warning>)>, Failure> {
    let Ok(parts) = Sketch::of(&sketch.file, &sketch.draft) else {
        return Ok(None);
    };
    let mut given = BTreeMap::new();
    // By part: its first line, and what tells its place.
    let mut chosen: Vec<(usize, String, ToldBy)> = Vec::new();
    loop {
        let unplaced = match parts.completed(&given) {
            Ok(completed) => {
                let warnings = completed_warnings(&sketch.path, &parts, &completed, chosen);
                return Ok(Some((completed.text, warnings)));
            }
            Err(unplaced) => unplaced,
        };
        let Unplaced {
            piece,
            text,
            within,
            is_start_known,
            mut alike,
            ..
        } = unplaced;
        let line = text.lines().next().unwrap_or_default().trim().to_owned();

        if is_start_known {
            // They all begin with its first line. More than that must be like it.
            match alike.first().filter(|lines| lines.len() > 1) {
                Some(lines) => {
                    given.insert(piece, lines.clone());
                    chosen.push((piece, line, ToldBy::Likeness));
                    continue;
                }
                None => alike.clear(),
            }
        }
        let mut offered = sketch.file.lines().skip(within.start).take(within.len());
        if offered.all(|line| line.trim().is_empty()) {
            given.insert(piece, within.start..within.start);
            chosen.push((piece, line, ToldBy::Order));
            continue;
        }

        let question = Given {
            text: &text,
            path: &sketch.path,
            within: &within,
            alike: &alike,
            replaces: is_start_known,
        };
        match asker.ask(question).await? {
            Ok(Spot { lines, certainty }) => {
                given.insert(piece, lines);
                chosen.push((piece, line, ToldBy::Model(certainty)));
            }
            Err(why) => {
                let path = &sketch.path;
                (asker.say)(&format!(
                    "{path}: the model does not say where {line:?} goes: {why}"
                ));
                return Ok(None);
            }
        }
    }
}

/// The warnings of a completed sketch, in the order of the file.
fn completed_warnings(
    path: &str,
    parts: &Sketch,
    completed: &Completed,
    chosen: Vec<(usize, String, ToldBy)>,
) -> Vec<Warning> {
    let mut texts = Vec::new();
    for (piece, line, told_by) in chosen {
        let lines = &completed.places[&piece];
        let removes = parts.removes(lines);
        texts.push((lines.start, placed(&line, lines, &removes, told_by)));
    }
    for guess in &completed.by_likeness {
        let lines = &guess.lines;
        let text = placed(&guess.line, lines, &guess.removes, ToldBy::Likeness);
        texts.push((lines.start, text));
    }
    texts.sort_by_key(|(start, _)| *start);

    let mut warnings = Vec::new();
    for (_, text) in texts {
        warnings.push(WarningKind::Placed.says(format!("{path}: {text}")));
    }
    for lines in &completed.removed {
        warnings.push(removed(path, LineRange::of(lines)));
    }
    warnings
}

/// Why an answer gives no place.
fn reason(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Truncated(_) => "its answer did not end".to_owned(),
        Verdict::Mechanics(error) => error.to_string(),
        _ => "it declined".to_owned(),
    }
}
