//! The files that question 1 offers.

use super::outcome::FlowError;
use super::room::FILE_OVERHEAD;
use super::session::Session;
use super::target::{Candidates, PromptRoom};
use crate::constrain::PickFile;
use crate::engine::{Engine, Progress};
use crate::prompt::Row;
use crate::search;
use crate::slots::Operation;
use crate::task::Task;

/// Ranks the files, and keeps the best of them for which the prompt has room.
pub(super) async fn candidates<E: Engine>(
    task: &Task,
    session: &mut Session<'_, E>,
    room: PromptRoom,
) -> Result<Candidates, FlowError> {
    let Session {
        workspace,
        engine,
        options,
        progress,
    } = session;
    let profile = &options.profile;
    let searching = &mut |n_files| progress(Progress::Searching(n_files));
    let found = search::find_files(task, workspace, profile.budget().rows, searching).await?;

    let mut lines = Vec::new();
    for file in &found.ranked {
        lines.push(format!("{}\t{}\n", file.path, file.words.join(" ")));
    }
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let mut spent = 0;
    let mut n_fitting = 0;
    for cost in engine.count_tokens(&lines).await? {
        spent += cost + FILE_OVERHEAD;
        if spent > room.list {
            break;
        }
        n_fitting += 1;
    }

    let mut candidates = Candidates {
        rows: Vec::new(),
        choices: Vec::new(),
        existing: found.existing,
    };
    for mut file in found.ranked.into_iter().take(n_fitting.max(1)) {
        let operations = &mut file.operations;
        operations.retain(|&it| it != Operation::Rewrite || profile.offers_rewrite());
        candidates.choices.push(PickFile {
            path: file.path.clone(),
            operations: file.operations,
        });
        candidates.rows.push(Row {
            path: file.path,
            words: file.words,
        });
    }
    Ok(candidates)
}
