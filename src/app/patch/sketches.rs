//! Sketches: whole files with parts left out. Where nothing tells the place of a part, a model says
//! it (`--model`).

use crate::app::Say;
use crate::app::folders;
use crate::app::model_arguments::ModelChoice;
use crate::app::running_model::{self, Model};
use crate::apply::{EditResult, FailedKind, Plan, leaves_out};
use crate::engine::Progress;
use crate::failure::Failure;
use crate::flow::{FlowError, GenerateOptions, Given, Session, Spot, Verdict, where_to};
use crate::format::{Action, Over, Patch};
use crate::locate::miss::LineRange;
use crate::locate::sketch::{Completed, Guess, Sketch, Unplaced};
use crate::prompt::Profile;
use crate::review::{Warning, WarningKind};
use crate::workspace::Workspace;
use std::collections::BTreeMap;
use std::ops::Range;

/// A sketch that cannot be placed without being told more.
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

/// What of sketches asks for a second look.
#[derive(Clone, Debug, Default)]
pub(super) struct Doubts {
    placed: Vec<PlacedPiece>,
    /// Lines that a sketch removes without new ones in their place, with the file.
    removed: Vec<(String, LineRange)>,
}

/// A part of a sketch, and where it goes.
#[derive(Clone, Debug)]
struct PlacedPiece {
    path: String,
    /// Its first line.
    line: String,
    /// The lines that it replaces, counted from 0; if there are none, it goes before the first.
    lines: Range<usize>,
    /// The names of the definitions in them that the sketch lacks.
    removes: Vec<String>,
    told_by: ToldBy,
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

impl Doubts {
    /// Those of a plan.
    pub fn of(plan: &Plan) -> Doubts {
        let mut doubts = Doubts::default();
        for (path, applied) in plan.applied() {
            doubts
                .placed
                .extend(applied.placed.iter().map(|part| PlacedPiece {
                    path: path.to_owned(),
                    line: part.line.clone(),
                    lines: part.lines.first - 1..part.lines.last,
                    removes: part.removes.clone(),
                    told_by: ToldBy::Likeness,
                }));
            doubts.removed.extend(
                applied
                    .removed
                    .iter()
                    .map(|lines| (path.to_owned(), *lines)),
            );
        }
        doubts
    }

    pub fn append(&mut self, other: Doubts) {
        self.placed.extend(other.placed);
        self.removed.extend(other.removed);
    }

    /// The same as warnings.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        for piece in &self.placed {
            warnings.push(WarningKind::Placed.says(piece.message()));
        }
        for (path, lines) in &self.removed {
            warnings.push(WarningKind::Shrinks.says(format!(
                "{path}: {lines} are removed: the sketch has no marker where they are"
            )));
        }
        warnings
    }
}

/// The sketches of a plan that failed because nothing tells where a part goes.
pub(super) fn unplaced(patch: &Patch, plan: &Plan, workspace: &Workspace) -> Vec<UnplacedSketch> {
    let sketch = |edit: usize| {
        let (file_edit, outcome) = (patch.file_edits().nth(edit)?, &plan.outcomes[edit]);
        let EditResult::Failed(failed) = &outcome.result else {
            return None;
        };
        let (Action::Write { text, over }, Some(path)) =
            (file_edit.action.itself(), outcome.path.as_ref())
        else {
            return None;
        };
        let file = workspace.read(path).ok()?.shown().to_owned();
        // If the file itself has such lines, the complete text would be taken for a sketch again.
        let is_sketch = failed.kind == FailedKind::LeftOut
            && leaves_out(text, *over)
            && !leaves_out(&file, Over::Anything);
        (is_sketch && Sketch::of(&file, text).is_ok()).then(|| UnplacedSketch {
            edit,
            path: path.clone(),
            file,
            draft: text.clone(),
        })
    };
    (0..plan.outcomes.len()).filter_map(sketch).collect()
}

/// Asks a model where the parts of these sketches go. A sketch whose parts it can place all becomes
/// a whole text in the patch. Another one stays as it is, and why is said.
pub(super) async fn place(
    sketches: Vec<UnplacedSketch>,
    patch: &mut Patch,
    asker: &mut Asker<'_>,
) -> Result<Doubts, Failure> {
    let mut all = Doubts::default();
    for sketch in sketches {
        let Some((text, doubts)) = completed(&sketch, asker).await? else {
            continue;
        };
        all.append(doubts);
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

/// The complete text of a sketch, and what of it asks for a second look; none if the model does not
/// say where one of its pieces goes.
async fn completed(
    sketch: &UnplacedSketch,
    asker: &mut Asker<'_>,
) -> Result<Option<(String, Doubts)>, Failure> {
    let Ok(parts) = Sketch::of(&sketch.file, &sketch.draft) else {
        return Ok(None);
    };
    let mut given = BTreeMap::new();
    // By piece: its first line, and what tells its place.
    let mut chosen: Vec<(usize, String, ToldBy)> = Vec::new();
    loop {
        let unplaced = match parts.completed(&given) {
            Ok(Completed {
                text,
                places,
                by_likeness,
                removed,
            }) => {
                let path = || sketch.path.clone();
                let chosen = chosen.into_iter().map(|(piece, line, told_by)| {
                    let lines = places[&piece].clone();
                    let removes = parts.removes(&lines);
                    PlacedPiece {
                        path: path(),
                        line,
                        lines,
                        removes,
                        told_by,
                    }
                });
                let alike = by_likeness.into_iter().map(
                    |Guess {
                         line,
                         lines,
                         removes,
                     }| {
                        PlacedPiece {
                            path: path(),
                            line,
                            lines,
                            removes,
                            told_by: ToldBy::Likeness,
                        }
                    },
                );
                let mut placed: Vec<PlacedPiece> = chosen.chain(alike).collect();
                placed.sort_by_key(|piece| piece.lines.start);
                let removed = removed
                    .iter()
                    .map(|lines| (path(), LineRange::of(lines)))
                    .collect();
                return Ok(Some((text, Doubts { placed, removed })));
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

/// Why no place came of an answer.
fn reason(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Truncated(_) => "its answer did not end".to_owned(),
        Verdict::Mechanics(error) => error.to_string(),
        _ => "it declined".to_owned(),
    }
}

impl PlacedPiece {
    fn message(&self) -> String {
        let PlacedPiece {
            path,
            line,
            lines,
            removes,
            told_by,
        } = self;
        let mut place = match lines.is_empty() {
            true => format!("it goes before line {}", lines.start + 1),
            false => format!("it replaces {}", LineRange::of(lines)),
        };
        if !removes.is_empty() {
            place += &format!(", and {} is gone", removes.join(", "));
        }
        match told_by {
            ToldBy::Model(certainty) => format!(
                "{path}: a model chose the place of {line:?}: {place} ({:.0} % certain)",
                100.0 * certainty
            ),
            ToldBy::Likeness => {
                format!("{path}: {line:?} goes where the file has lines like it: {place}")
            }
            ToldBy::Order => format!("{path}: {line:?} has no other place: {place}"),
        }
    }
}
