//! What a model sees that is asked in one question: the likeliest file as stage 1 shows it, and as
//! much of the next ones as there is room for beside it.

use super::candidates;
use super::outcome::FlowError;
use super::room::{self, WORTH_ASKING};
use super::session::Session;
use super::show;
use crate::engine::Engine;
use crate::prompt::Row;
use crate::task::Task;
use crate::text::Shown;

/// Tokens of the words around a file.
const AROUND: usize = 24;

/// What is shown.
#[derive(Debug)]
pub struct Overview {
    /// Paths, and what is shown of each; the likeliest first.
    pub files: Vec<(String, Shown)>,
    /// The files that the task may be about, best first: as stage 1 lists them.
    pub rows: Vec<Row>,
    /// Every path that was listed.
    pub listing: Vec<String>,
}

/// Finds the files, and what of them is shown beside the task and the `words` of the question.
///
/// # Errors
/// As [`super::edit()`].
pub async fn overview<E: Engine>(
    task: &Task,
    session: &mut Session<'_, E>,
    words: &str,
) -> Result<Overview, FlowError> {
    let room = room::for_files(task, session).await?;
    let candidates = candidates::candidates(task, session, room).await?;
    let n_words = session.engine.count_tokens(&[words]).await?[0];
    let context = session.engine.model().context_tokens;
    let of_answer = room::answer_tokens(&session.options.profile.budget(), context);
    let around = of_answer + n_words + room.list;
    let mut room = room.file.min(context.saturating_sub(around));

    let mut files = Vec::new();
    for row in &candidates.rows {
        let text = session.workspace.read(&row.path)?;
        if room < WORTH_ASKING || text.shown().trim().is_empty() {
            continue;
        }
        let shown = match show::show(task, &row.path, &text, session, room).await {
            Ok(shown) => shown,
            Err(FlowError::FileTooLong { .. }) => continue,
            Err(error) => return Err(error),
        };
        let n_tokens = session.engine.count_tokens(&[&shown.prompt_text()]).await?[0];
        room = room.saturating_sub(n_tokens + AROUND);
        files.push((row.path.clone(), shown));
    }

    Ok(Overview {
        files,
        rows: candidates.rows,
        listing: candidates.existing,
    })
}
