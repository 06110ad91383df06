//! Stage 2, `Pick → Slots`: what exactly to do.

use super::free_pick;
use super::outcome::{Asked, FlowError, MechanicsError, Stage, Verdict};
use super::room;
use super::session::{Drafting, Session};
use super::so_far::SoFar;
use super::target::Target;
use super::wanted;
use crate::constrain::{SlotSpec, SlotStyle, Spec};
use crate::engine::{Engine, Given, Limits, Progress, Request, Weights};
use crate::prompt::{Profile, Question, Wording};
use crate::search::lines::{self, Room};
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

/// What question 2 is about.
pub(super) struct Picked<'a> {
    pub task: &'a Task,
    pub so_far: &'a SoFar,
    pub target: &'a Target,
    /// Tokens of the answer so far.
    pub spent: usize,
}

/// Asks for the slots, with a given beginning of the answer or none.
pub(super) async fn ask<E: Engine>(
    picked: &Picked<'_>,
    session: &mut Session<'_, E>,
    given: Option<Given>,
    stages: &mut Vec<Stage>,
) -> Result<Asked<Slots>, FlowError> {
    let operation = picked.target.operation;
    let forces_answers = session.engine.forces_answers();
    let spec = spec(picked, &session.options.profile, forces_answers);
    let answer = answer(&spec, picked, session, given, stages).await?;
    Ok(answer.and_then(|answer| {
        parsed(&answer, operation, &spec, forces_answers)
            .map_err(|error| Box::new(Verdict::Mechanics(error)))
    }))
}

/// What the slots must fit.
fn spec(picked: &Picked<'_>, profile: &Profile, forces_answers: bool) -> SlotSpec {
    let Picked {
        task,
        so_far,
        target,
        ..
    } = picked;
    let mut spec = SlotSpec::of(
        target.operation,
        target.open.clone(),
        so_far.candidates.existing.clone(),
        style(profile, forces_answers),
    );
    if let SlotSpec::Create { spelled, .. } = &mut spec {
        *spelled = task.mentions().paths().to_vec();
        spelled.retain(|path| check_path(path).is_ok());
    }
    if let SlotSpec::Rewrite { blocks, fence } = &mut spec {
        let text = target.text.shown();
        blocks.clone_from(&target.blocks);
        let language = info_string(&target.path, text);
        *fence = Fence::around(text, &language).expect("it was tried before");
    }
    ended(spec, profile)
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

/// Adds the end that the model writes: a model that was trained for several edits always goes on to
/// the next line.
fn ended(spec: SlotSpec, profile: &Profile) -> SlotSpec {
    let is_fenced = matches!(spec, SlotSpec::Rewrite { .. });
    if profile.takes_several_edits() && !is_fenced {
        SlotSpec::GoesOn(Box::new(spec))
    } else {
        spec
    }
}

/// Asks where a text goes that is part of the task. The slots have no text.
pub(super) async fn ask_where<E: Engine>(
    picked: &Picked<'_>,
    session: &mut Session<'_, E>,
    stages: &mut Vec<Stage>,
) -> Result<Result<Slots, Box<Verdict>>, FlowError> {
    let operation = picked.target.operation;
    let profile = &session.options.profile;
    let SlotStyle { blocks, side_first } = style(profile, session.engine.forces_answers());
    let spec = SlotSpec::Where {
        operation,
        shown: picked.target.open.clone(),
        blocks,
        side_first,
    };
    let spec = ended(spec, profile);
    let answer = answer(&spec, picked, session, None, stages).await?;
    Ok(answer.result.and_then(|answer| {
        Slots::parse_place(operation, &answer)
            .map_err(|error| Box::new(Verdict::Mechanics(error.into())))
    }))
}

/// Asks question 2.
async fn answer<E: Engine>(
    spec: &SlotSpec,
    picked: &Picked<'_>,
    session: &mut Session<'_, E>,
    given: Option<Given>,
    stages: &mut Vec<Stage>,
) -> Result<Asked<String>, FlowError> {
    let answer_tokens = answer_tokens(spec, picked, session).await?;
    let Picked {
        task,
        so_far,
        target,
        ..
    } = picked;
    let options = &session.options;
    let profile = &options.profile;
    let file = match target.operation {
        Operation::Create => {
            let beside = target.beside.as_ref();
            beside.map(|file| (file.path.as_str(), &file.shown))
        }
        _ => Some((target.path.as_str(), &target.shown)),
    };
    let question = Question {
        task: &profile.told(task),
        rows: &so_far.candidates.rows,
        file,
        so_far: &so_far.lines,
    };
    let prompt = profile.fill(&question, &target.pick, spec);

    let is_rewrite = target.operation == Operation::Rewrite;
    // A server's model writes code best as it always does.
    let constraint = if is_rewrite && !session.engine.forces_answers() {
        Spec::Free
    } else {
        Spec::Slots(spec.clone())
    };
    let mut request = Request {
        fixed_parts: profile.fixed_parts(),
        file_bytes: profile.file_bytes(&prompt, &question),
        sampling: options.sampling,
        likely: (options.drafting == Drafting::On).then(|| likely(task, target, &options.likely)),
        given,
        branches: options.branches,
        ..Request::new(prompt, constraint, Limits { answer_tokens })
    };
    if is_rewrite {
        request.fixed_parts = 0;
        request.file_bytes = 0;
        request.weights = Weights::Base;
    }
    if let Some((path, _)) = file {
        (session.progress)(Progress::Showing(path.to_owned()));
    }
    let answer = wanted::complete(&request, session).await?;
    Ok(Stage::record(stages, target.operation.word(), answer))
}

/// The tokens that the answer may have.
async fn answer_tokens<E: Engine>(
    spec: &SlotSpec,
    picked: &Picked<'_>,
    session: &mut Session<'_, E>,
) -> Result<usize, FlowError> {
    let context = session.engine.model().context_tokens;
    let budget = session.options.profile.budget();
    let most = room::answer_tokens(&budget, context) - picked.spent;
    let SlotSpec::Rewrite { blocks, .. } = spec else {
        return Ok(most);
    };
    // A server's model may think first.
    if !session.engine.forces_answers() {
        return Ok(most);
    }
    let texts: Vec<&str> = blocks.iter().map(|block| block.text.as_str()).collect();
    let counts = session.engine.count_tokens(&texts).await?;
    let longest = counts.into_iter().max().unwrap_or(0);
    Ok(most.min(room::GROWTH * longest + NEW_TOKENS))
}

/// Texts that an answer may be drafted from. `others`: of answers to the same task on other files.
fn likely(task: &Task, target: &Target, others: &[String]) -> Vec<String> {
    let sentence = task.sentence();
    let lines = lines::most_relevant(sentence, &target.open, LIKELY_LINES, lines::Ends::Skip);
    let mut texts = others.to_vec();
    texts.extend(lines.into_iter().map(|line| line.text));
    texts.push(sentence.to_owned());
    texts
}

/// Reads an answer. One that was not forced to fit may name a new file that exists.
fn parsed(
    answer: &str,
    operation: Operation,
    spec: &SlotSpec,
    forces_answers: bool,
) -> Result<Slots, MechanicsError> {
    if let SlotSpec::Rewrite { blocks, fence } = spec {
        let names: Vec<&str> = blocks.iter().map(|block| block.name.as_str()).collect();
        let rewrite = if forces_answers {
            let only = if names.len() == 1 {
                Some(names[0])
            } else {
                None
            };
            fence.read(answer, only)
        } else {
            fenced::find(answer, &names)
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
