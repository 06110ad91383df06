//! Edits and tests in turn, until the task's check passes or no attempts are left.

use super::attempt::{Attempt, Made, not_asked};
use crate::engine::{Engine, EngineError};
use crate::eval::checks::Checks;
use crate::eval::task::Check;
use crate::eval::tree::{Tree, write_tree};
use crate::prompt::Profile;
use crate::repair::{self, Record, RepairError, RepairEvent, RepairOptions, RepairSession, Status};
use crate::sandbox::SandboxError;
use crate::workspace::Workspace;

/// The number of attempts that `slotwright repair` makes by default.
const ATTEMPTS: usize = 5;

/// Repairs a task in a folder that holds its files and those of its check, which no edit may
/// change.
///
/// # Errors
/// If the engine failed; it may not answer again.
pub async fn repair<E: Engine>(
    sentence: &str,
    (before, check): (&Tree, &Check),
    checks: &Checks,
    profile: &Profile,
    engine: &mut E,
) -> Result<Attempt, EngineError> {
    let options = RepairOptions {
        command: check.line(),
        test_file: None,
        max_attempts: ATTEMPTS,
        max_steps: 1,
        time: check.time,
        sandbox: checks.options,
        program: checks.program.clone(),
    };
    let mut files = before.clone();
    files.extend(check.files.clone());

    let mut attempt = Attempt::default();
    match in_folder(sentence, &files, &options, profile, engine).await {
        Ok(record) => {
            attempt.made = made(&record, before);
            attempt.n_tried = Some(record.attempts.len());
            for tried in record.test_attempts.into_iter().chain(record.attempts) {
                attempt.answers.extend(tried.answers);
            }
        }
        Err(RepairError::Flow(error)) => attempt.made = not_asked(error)?,
        Err(error) => attempt.made = Made::NotRepaired("not_run", error.to_string()),
    }
    Ok(attempt)
}

async fn in_folder<E: Engine>(
    sentence: &str,
    files: &Tree,
    options: &RepairOptions,
    profile: &Profile,
    engine: &mut E,
) -> Result<Record, RepairError> {
    let folder = tempfile::tempdir()
        .and_then(|folder| write_tree(folder.path(), files).map(|()| folder))
        .map_err(|source| {
            let folder = std::env::temp_dir();
            RepairError::Sandbox(SandboxError::Folder { folder, source })
        })?;
    let workspace = Workspace::open(folder.path())?;
    let mut session = RepairSession {
        workspace: &workspace,
        engine,
        profile,
        options,
        on_event: &mut |_: RepairEvent| (),
    };
    repair::repair(sentence, &mut session).await
}

fn made(record: &Record, before: &Tree) -> Made {
    if record.status == Some(Status::Success) {
        let mut after = before.clone();
        for change in &record.changes {
            after.insert(change.path.clone(), change.after.clone());
        }
        return Made::Edited(after);
    }
    let status = record.status.map_or("not_run", Status::word);
    Made::NotRepaired(status, record.reason.clone())
}
