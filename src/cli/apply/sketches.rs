//! Sketches: whole files with parts left out. Where nothing tells the place of a part, a model says
//! it (`--model`).

use crate::apply::{EditResult, FailedKind, Plan};
use crate::cli::failure::{Failure, flow_failure};
use crate::cli::folders;
use crate::cli::model;
use crate::cli::model_arguments::ModelChoice;
use crate::cli::progress::ProgressLine;
use crate::engine::Engine;
use crate::flow::{GenerateOptions, Session, where_to};
use crate::format::{Action, Over, Patch};
use crate::gate::Warning;
use crate::locate::miss::LineRange;
use crate::locate::sketch::{Sketch, is_marker};
use crate::workspace::Workspace;
use std::collections::BTreeMap;
use std::ops::Range;

/// The kind of warning about a place that a model chose.
pub(super) const PLACED: &str = "placed";

/// A sketch that cannot be placed without being told more.
pub(super) struct UnplacedSketch {
    /// Which edit of the patch, counted from 0.
    edit: usize,
    /// Its file.
    path: String,
    /// The file's text.
    file: String,
    /// The sketch.
    draft: String,
}

/// A part of a sketch, and where a model says that it goes.
#[derive(Clone, Debug)]
pub(super) struct PlacedPiece {
    path: String,
    /// Its first line.
    line: String,
    /// The lines that it replaces, counted from 0; if there are none, it goes before the first.
    lines: Range<usize>,
    certainty: f64,
}

/// The sketches of a plan that failed because nothing tells where a part goes.
pub(super) fn unplaced(patch: &Patch, plan: &Plan, workspace: &Workspace) -> Vec<UnplacedSketch> {
    let sketch = |edit: usize| {
        let (file_edit, outcome) = (patch.file_edits().nth(edit)?, &plan.outcomes[edit]);
        let EditResult::Failed(failed) = &outcome.result else { return None };
        let (Action::Write { text, .. }, Some(path)) =
            (file_edit.action.itself(), outcome.path.as_ref())
        else {
            return None;
        };
        let file = workspace.read(path).ok()?.shown().to_owned();
        // If the file itself has such lines, the complete text would be taken for a sketch again.
        let is_sketch = failed.kind == FailedKind::LeftOut
            && text.lines().any(is_marker)
            && !file.lines().any(is_marker);
        is_sketch.then(|| UnplacedSketch { edit, path: path.clone(), file, draft: text.clone() })
    };
    (0..plan.outcomes.len()).filter_map(sketch).collect()
}

/// Asks a model where the parts of these sketches go. A sketch whose parts it can place all becomes
/// a whole text in the patch; another one stays as it is.
pub(super) async fn place(
    sketches: Vec<UnplacedSketch>,
    patch: &mut Patch,
    choice: &ModelChoice,
    workspace: &Workspace,
) -> Result<Vec<PlacedPiece>, Failure> {
    let progress = ProgressLine::new();
    let show = &mut |p| progress.show(p);
    let (mut engine, profile) = model::start(choice, Some(folders::prefixes()), show).await?;
    let options = GenerateOptions::new(profile);
    let mut session = Session { workspace, engine: &mut engine, options, progress: show };
    let mut placed = Vec::new();
    for sketch in sketches {
        let Some((text, pieces)) = completed(&sketch, &mut session).await? else { continue };
        placed.extend(pieces);
        if let Some(file_edit) = patch.file_edits_mut().nth(sketch.edit) {
            file_edit.path = Some(sketch.path);
            file_edit.action = Action::Write { text, over: Over::Anything };
        }
    }
    Ok(placed)
}

/// The complete text of a sketch, and the pieces that the model placed; none if it does not say
/// where one of them goes.
async fn completed<E: Engine>(
    sketch: &UnplacedSketch,
    session: &mut Session<'_, E>,
) -> Result<Option<(String, Vec<PlacedPiece>)>, Failure> {
    let Ok(parts) = Sketch::of(&sketch.file, &sketch.draft) else { return Ok(None) };
    let mut given = BTreeMap::new();
    let mut placed = Vec::new();
    loop {
        let unplaced = match parts.completed(&given) {
            Ok(text) => return Ok(Some((text, placed))),
            // A piece is asked about once.
            Err(unplaced) if given.contains_key(&unplaced.piece) => return Ok(None),
            Err(unplaced) => unplaced,
        };
        let n_lines = unplaced.within.len();
        let is_blank = |line: &str| line.trim().is_empty();
        let (lines, certainty) =
            match sketch.file.lines().skip(unplaced.within.start).take(n_lines).all(is_blank) {
                // There is only one place.
                true => (unplaced.within.start..unplaced.within.start, 1.0),
                false => {
                    let asked = where_to(&unplaced.text, &sketch.path, &unplaced.within, session);
                    let Ok(spot) = asked.await.map_err(flow_failure)? else { return Ok(None) };
                    (spot.lines, spot.certainty)
                }
            };
        placed.push(PlacedPiece {
            path: sketch.path.clone(),
            line: unplaced.text.lines().next().unwrap_or_default().trim().to_owned(),
            lines: lines.clone(),
            certainty,
        });
        given.insert(unplaced.piece, lines);
    }
}

impl PlacedPiece {
    /// What asks for a second look.
    pub fn warning(&self, accepted: bool) -> Warning {
        let PlacedPiece { path, line, lines, certainty } = self;
        let place = match lines.is_empty() {
            true => format!("it goes before line {}", lines.start + 1),
            false => format!("it replaces {}", LineRange::of(lines)),
        };
        let message = format!(
            "{path}: a model chose the place of {line:?}: {place} ({:.0} % certain)",
            100.0 * certainty
        );
        Warning { kind: PLACED, message, accepted }
    }
}
