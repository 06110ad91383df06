//! Stage 2, `Pick → Slots`: what exactly to do.

use super::free_pick;
use super::outcome::{Asked, FlowError, MechanicsError, Stage, Verdict};
use super::room;
use super::session::{Drafting, GenerateOptions, Session};
use super::so_far::SoFar;
use super::target::Target;
use crate::constrain::{SlotSpec, SlotStyle, Spec};
use crate::engine::{Engine, Given, Limits, Progress, Request, Weights};
use crate::prompt::{Profile, Question, Wording};
use crate::search::lines::{self, Room};
use crate::search::named;
use crate::slots::fenced::{self, Fence};
use crate::slots::{Operation, Slots};
use crate::syntax::info_string;
use crate::task::Task;
use crate::workspace::check_path;

/// The lines of a file that an answer may be drafted from.
const LIKELY_LINES: Room = Room {
    lines: 3,
    bytes: 1_000,
};

/// A block that is written anew may grow by so many tokens, whatever its length: some 30 lines.
const NEW_TOKENS: usize = 300;

/// What stage 2 is asked about.
pub(super) struct Picked<'a> {
    pub task: &'a Task,
    pub so_far: &'a SoFar,
    pub target: &'a Target,
    /// Tokens of the answer so far.
    pub spent: usize,
}

/// Asks for the slots, with a given beginning of the answer or none. Gives them, or what came of an
/// answer without any.
pub(super) async fn ask<E: Engine>(
    picked: &Picked<'_>,
    session: &mut Session<'_, E>,
    given: Option<Given>,
    stages: &mut Vec<Stage>,
) -> Result<Asked<Slots>, FlowError> {
    let Picked {
        so_far,
        target: Target {
            operation, open, ..
        },
        ..
    } = picked;
    let forces_answers = session.engine.forces_answers();
    let style = style(&session.options.profile, forces_answers);
    let mut spec = SlotSpec::of(
        *operation,
        open.clone(),
        so_far.candidates.existing.clone(),
        style,
    );
    if let SlotSpec::Create { spelled, .. } = &mut spec {
        let paths = named::paths_in(picked.task.sentence());
        *spelled = paths
            .filter(|path| check_path(path).is_ok())
            .map(str::to_owned)
            .collect();
    }
    if let SlotSpec::Rewrite { blocks, fence } = &mut spec {
        let Target {
            path,
            text,
            blocks: offered,
            ..
        } = picked.target;
        blocks.clone_from(offered);
        let language = info_string(path, text.shown());
        *fence = Fence::around(text.shown(), &language).expect("it was tried before");
    }
    let spec = ended(spec, &session.options.profile);
    let answer = answer(&spec, picked, session, given, stages).await?;
    Ok(answer.and_then(|answer| {
        parsed(&answer, *operation, &spec, forces_answers)
            .map_err(|error| Box::new(Verdict::Mechanics(error)))
    }))
}

/// A block may be named by its last line only where the constraint holds that line to the file. Models
/// that were not trained for it take that line for the new text.
fn style(profile: &Profile, forces_answers: bool) -> SlotStyle {
    let is_natural = matches!(
        profile,
        Profile::Instruct {
            wording: Wording::Natural,
            ..
        }
    );
    SlotStyle {
        blocks: forces_answers && !is_natural,
        side_first: is_natural,
    }
}

/// The same, with the end that the model writes: one that was trained for several edits goes on to the
/// next line in any case.
fn ended(spec: SlotSpec, profile: &Profile) -> SlotSpec {
    let is_fenced = matches!(spec, SlotSpec::Rewrite { .. });
    if profile.takes_several_edits() && !is_fenced {
        SlotSpec::GoesOn(Box::new(spec))
    } else {
        spec
    }
}

/// Asks where a text goes that is part of the task. Gives the slots of the operation without text,
/// or what came of an answer without any.
pub(super) async fn ask_where<E: Engine>(
    picked: &Picked<'_>,
    session: &mut Session<'_, E>,
    stages: &mut Vec<Stage>,
) -> Result<Result<Slots, Box<Verdict>>, FlowError> {
    let Target {
        operation, open, ..
    } = picked.target;
    let SlotStyle { blocks, side_first } =
        style(&session.options.profile, session.engine.forces_answers());
    let shown = open.clone();
    let spec = SlotSpec::Where {
        operation: *operation,
        shown,
        blocks,
        side_first,
    };
    let spec = ended(spec, &session.options.profile);
    let answer = answer(&spec, picked, session, None, stages).await?;
    Ok(answer.result.and_then(|answer| {
        Slots::parse_place(*operation, &answer)
            .map_err(|error| Box::new(Verdict::Mechanics(error.into())))
    }))
}

/// The answer to stage 2, or what came of one that does not end.
async fn answer<E: Engine>(
    spec: &SlotSpec,
    picked: &Picked<'_>,
    session: &mut Session<'_, E>,
    given: Option<Given>,
    stages: &mut Vec<Stage>,
) -> Result<Asked<String>, FlowError> {
    let Picked {
        task,
        so_far,
        target,
        spent,
    } = picked;
    let GenerateOptions {
        profile,
        sampling,
        drafting,
        ..
    } = &session.options;
    let Target {
        path,
        operation,
        shown,
        open,
        pick,
        beside,
        ..
    } = target;
    let likely = || {
        lines::most_relevant(task.sentence(), open, LIKELY_LINES, lines::Ends::Skip)
            .into_iter()
            .map(|line| line.text)
            .chain([task.sentence().to_owned()])
            .collect()
    };
    let file = match operation {
        Operation::Create => beside
            .as_ref()
            .map(|file| (file.path.as_str(), &file.shown)),
        _ => Some((path.as_str(), shown)),
    };
    let (rows, lines) = (&so_far.candidates.rows, &so_far.lines);
    let question = Question {
        task: &profile.told(task),
        rows,
        file,
        so_far: lines,
    };
    let context = session.engine.model().context_tokens;
    let mut answer_tokens = room::answer_tokens(&profile.budget(), context) - spent;
    // A server's model may think first.
    if let SlotSpec::Rewrite { blocks, .. } = spec
        && session.engine.forces_answers()
    {
        let texts: Vec<&str> = blocks.iter().map(|block| block.text.as_str()).collect();
        let longest = session.engine.count_tokens(&texts).await?.into_iter().max();
        let grown = room::GROWTH * longest.unwrap_or(0) + NEW_TOKENS;
        answer_tokens = answer_tokens.min(grown);
    }
    let is_rewrite = *operation == Operation::Rewrite;
    // A server's model writes code best as it always does.
    let is_free = is_rewrite && !session.engine.forces_answers();
    let request = Request {
        fixed_parts: if is_rewrite { 0 } else { profile.fixed_parts() },
        weights: if is_rewrite {
            Weights::Base
        } else {
            Weights::Adapted
        },
        sampling: *sampling,
        likely: (*drafting == Drafting::On).then(likely),
        given,
        branches: session.options.branches,
        ..Request::new(
            profile.fill(&question, pick, spec),
            if is_free {
                Spec::Free
            } else {
                Spec::Slots(spec.clone())
            },
            Limits { answer_tokens },
        )
    };
    if let Some((path, _)) = file {
        (session.progress)(Progress::Showing(path.to_owned()));
    }
    let answer = session.engine.complete(&request, session.progress).await?;
    Ok(Stage::record(stages, operation.word(), answer))
}

/// An answer that nobody forced may name a new file that exists.
fn parsed(
    answer: &str,
    operation: Operation,
    spec: &SlotSpec,
    forces_answers: bool,
) -> Result<Slots, MechanicsError> {
    if let SlotSpec::Rewrite { blocks, fence } = spec {
        let names: Vec<&str> = blocks.iter().map(|block| block.name.as_str()).collect();
        let only = if let [only] = names[..] {
            Some(only)
        } else {
            None
        };
        let rewrite = match forces_answers {
            true => fence.read(answer, only),
            false => fenced::find(answer, &names),
        };
        return rewrite.map(Slots::Rewrite).ok_or(MechanicsError::NoFence);
    }
    let slots = Slots::parse(operation, answer)?;
    if forces_answers {
        Ok(slots)
    } else {
        Ok(free_pick::named(slots, spec)?)
    }
}
