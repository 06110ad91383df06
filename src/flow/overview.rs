//! What a model would see that is asked in one question: the files that the task seems to be about, as much of them as fits.

use super::FlowError;
use super::selection::{candidates, room_beside, show};
use crate::engine::{Engine, Progress};
use crate::prompt::Profile;
use crate::task::Task;
use crate::text::Shown;
use crate::workspace::Workspace;

/// A file of which fewer tokens fit than this, a few lines, is left out.
const WORTH_SHOWING: usize = 64;

/// Tokens of the words around a file.
const AROUND: usize = 24;

/// What is shown.
#[derive(Debug)]
pub struct Overview {
    /// Paths, and what is shown of each; the likeliest first.
    pub files: Vec<(String, Shown)>,
    /// All paths that there are.
    pub listing: Vec<String>,
}

/// Finds the files, and what of them is shown beside the task and the `words` of the question.
///
/// # Errors
/// As [`super::edit()`].
pub async fn overview<E: Engine>(
    task: &Task,
    workspace: &Workspace,
    profile: &Profile,
    engine: &mut E,
    words: &str,
    progress: &mut dyn FnMut(Progress),
) -> Result<Overview, FlowError> {
    let room = room_beside(task, profile, engine).await?;
    let context = engine.model().context_tokens;
    let n_words = engine.count_tokens(&[words]).await?[0];
    let files = candidates(task, workspace, profile, engine, room, progress).await?;
    let mut room = room.min(context.saturating_sub(profile.budget().fill_tokens + n_words));
    // The likeliest first, whatever the order of the list.
    let mut paths: Vec<String> = files.rows.into_iter().map(|row| row.path).collect();
    paths.sort_by_key(|path| files.likely.as_ref() != Some(path));
    let mut shown = Vec::new();
    for path in paths {
        let text = workspace.read(&path)?;
        if room < WORTH_SHOWING || text.shown().trim().is_empty() {
            continue;
        }
        let part = match show(task, &path, &text, profile, engine, room).await {
            Ok((part, _)) => part,
            Err(FlowError::FileTooLong { .. }) => continue,
            Err(error) => return Err(error),
        };
        let cost = engine.count_tokens(&[&part.prompt_text()]).await?[0] + AROUND;
        room = room.saturating_sub(cost);
        shown.push((path, part));
    }
    Ok(Overview { files: shown, listing: files.existing })
}
