//! Reading ahead: the model reads the beginning of later prompts before there is a task.

use super::outcome::FlowError;
use crate::engine::{Ahead, Engine, Progress};
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

/// Reads the beginning of stage 2 for a file. `path` is relative to the root.
pub async fn file<E: Engine>(
    path: &str,
    workspace: &Workspace,
    profile: &Profile,
    engine: &mut E,
    progress: &mut dyn FnMut(Progress),
) -> Result<Read, FlowError> {
    let text = workspace.read(path)?;
    if text.shown().trim().is_empty() {
        return Ok(Read::Blank);
    }
    let budget = profile.budget();
    let context =
        engine.model().context_tokens.saturating_sub(budget.fill_tokens + budget.line_tokens);
    let max = budget.shown_tokens.min(context);
    let n_tokens = engine.count_tokens(&[text.shown()]).await?[0];
    if n_tokens > max {
        return Ok(Read::TooLong { n_tokens, max });
    }
    let prompt = profile.fill_ahead(path, &Shown::whole(text.shown()));
    Ok(Read::Tokens(engine.read(&Ahead { prompt, is_pick: false }, progress).await?))
}

/// Reads the beginning that every prompt of stage 1 has.
pub async fn instructions<E: Engine>(
    profile: &Profile,
    engine: &mut E,
    progress: &mut dyn FnMut(Progress),
) -> Result<Read, FlowError> {
    let prompt = profile.pick_ahead();
    if prompt.is_empty() {
        return Ok(Read::Unknown);
    }
    Ok(Read::Tokens(engine.read(&Ahead { prompt, is_pick: true }, progress).await?))
}
