//! Reading ahead: the model reads the beginning of later prompts before there is a task.

use super::outcome::FlowError;
use super::room;
use super::session::GenerateOptions;
use crate::engine::{Ahead, Engine, Part, Progress};
use crate::prompt::Profile;
use crate::text::Shown;
use crate::workspace::Workspace;

/// The result of reading ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// So many tokens were read now. The rest of the prompt had been read before.
    Tokens(usize),
    /// The file is too long to be shown whole, and the task decides which parts are shown.
    TooLong {
        /// Tokens of the file.
        n_tokens: usize,
        /// The most tokens that are shown whole.
        max: usize,
    },
    /// The file has no text.
    Blank,
    /// The beginning of the prompt depends on the task.
    Unknown,
}

/// Reads the beginning of every question that shows a file. `path` is relative to the root.
pub async fn file<E: Engine>(
    path: &str,
    workspace: &Workspace,
    options: &GenerateOptions,
    engine: &mut E,
    progress: &mut dyn FnMut(Progress),
) -> Result<Read, FlowError> {
    let profile = &options.profile;
    let text = workspace.read(path)?;
    if text.shown().trim().is_empty() {
        return Ok(Read::Blank);
    }
    let budget = options.profile.budget();
    let context = engine.model().context_tokens;
    let context =
        context.saturating_sub(room::answer_tokens(&budget, context) + budget.line_tokens);
    let max = budget.shown_tokens.min(context);
    let n_tokens = engine.count_tokens(&[text.shown()]).await?[0];
    if n_tokens > max {
        return Ok(Read::TooLong { n_tokens, max });
    }
    let prompt = profile.file_ahead(path, &Shown::whole(text.shown()));
    Ok(Read::Tokens(
        engine.read(&ahead(prompt, profile), progress).await?,
    ))
}

fn ahead(prompt: Vec<Part>, profile: &Profile) -> Ahead {
    // In a conversation both stages begin alike.
    let is_pick = profile.continues_answers();
    Ahead {
        prompt,
        fixed_parts: profile.fixed_parts(),
        is_pick,
    }
}

/// Reads the beginning that every prompt has.
pub async fn instructions<E: Engine>(
    profile: &Profile,
    engine: &mut E,
    progress: &mut dyn FnMut(Progress),
) -> Result<Read, FlowError> {
    let prompt = profile.ahead();
    if prompt.is_empty() {
        return Ok(Read::Unknown);
    }
    Ok(Read::Tokens(
        engine.read(&ahead(prompt, profile), progress).await?,
    ))
}
