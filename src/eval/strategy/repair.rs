//! Edits and tests in turn, until the task's check passes or the attempts are spent.

use super::attempt::{Attempt, Made, not_asked};
use crate::engine::{Engine, EngineError};
use crate::eval::checks::Checks;
use crate::eval::task::EvalTask;
use crate::eval::tree::{Tree, write_tree};
use crate::prompt::Profile;
use crate::repair::{self, Record, RepairError, RepairEvent, RepairOptions, RepairSession, Status};
use crate::workspace::Workspace;

/// As many as `slotwright repair` makes by itself.
const ATTEMPTS: usize = 5;

/// Mends a task in a folder that holds its files and those of its check, which no edit may change.
///
/// # Errors
/// If the engine failed; it may not answer again.
pub async fn repair<E: Engine>(
    sentence: &str,
    task: &EvalTask,
    checks: &Checks,
    profile: &Profile,
    engine: &mut E,
) -> Result<Attempt, EngineError> {
    let Some(check) = &task.check else {
        return Ok(Attempt::without_check());
    };
    let mut attempt = Attempt::new();
    let options = RepairOptions {
        command: check
            .command
            .iter()
            .map(|word| quoted(word))
            .collect::<Vec<_>>()
            .join(" "),
        test_file: None,
        max_attempts: ATTEMPTS,
        max_steps: 1,
        time: check.time,
        sandbox: checks.options,
        program: checks.program.clone(),
    };
    let mut files = task.before.clone();
    files.extend(check.files.clone());
    attempt.made = match in_folder(sentence, &files, &options, profile, engine).await {
        Ok(record) => {
            let all = record.test_attempts.iter().chain(&record.attempts);
            attempt.answers = all.flat_map(|attempt| attempt.answers.clone()).collect();
            attempt.n_tried = Some(record.attempts.len());
            made(&record, &task.before)
        }
        Err(RepairError::Flow(error)) => not_asked(error)?,
        Err(error) => Made::NotRepaired("not_run", error.to_string()),
    };
    Ok(attempt)
}

async fn in_folder<E: Engine>(
    sentence: &str,
    files: &Tree,
    options: &RepairOptions,
    profile: &Profile,
    engine: &mut E,
) -> Result<Record, RepairError> {
    let failed = |source| {
        RepairError::Sandbox(crate::sandbox::SandboxError::Folder {
            folder: std::env::temp_dir(),
            source,
        })
    };
    let folder = tempfile::tempdir().map_err(failed)?;
    write_tree(folder.path(), files).map_err(failed)?;
    let workspace = Workspace::open(folder.path())?;
    let on_event = &mut |_: RepairEvent| ();
    let mut session = RepairSession {
        workspace: &workspace,
        engine,
        profile,
        options,
        on_event,
    };
    repair::repair(sentence, &mut session).await
}

fn made(record: &Record, before: &Tree) -> Made {
    match record.status {
        Some(Status::Success) => {
            let mut after = before.clone();
            for change in &record.changes {
                after.insert(change.path.clone(), change.after.clone());
            }
            Made::Edited(after)
        }
        status => Made::NotRepaired(
            status.map_or("not_run", Status::word),
            record.reason.clone(),
        ),
    }
}

/// A word as the shell reads it back.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
