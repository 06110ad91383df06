//! Reading ahead: what the prompts of edits to come begin with, read before there is a task.

use super::outcome::FlowError;
use crate::engine::{Ahead, Engine, Progress};
use crate::prompt::Profile;
use crate::text::Shown;
use crate::workspace::Workspace;

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// So many tokens were read; the others of its prompt were read already.
    Tokens(usize),
    /// It is not shown whole, and which parts of it are depends on the task.
    TooLong {
        /// Of the file.
        n_tokens: usize,
        /// Of a file that is shown whole.
        max: usize,
    },
    /// There is nothing in it to edit.
    Blank,
    /// What the prompt begins with depends on the task.
    Unknown,
}

/// Reads a file's part of stage 2. `path` is relative to the root.
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

/// Reads what every prompt of stage 1 begins with.
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
