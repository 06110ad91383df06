//! Repairs in a folder, up to the gate.

use super::editor::{Editor, profile};
use super::project::Project;
use super::proposed::{Proposed, proposed_file};
use super::report::Stats;
use crate::engine::Progress;
use crate::failure::{Failure, FailureKind};
use crate::repair::{self, Record, RepairEvent, RepairOptions, RepairSession, Status};
use crate::sandbox::SandboxOptions;
use std::time::Duration;

/// A bug to mend.
#[derive(Clone, Debug)]
pub(crate) struct RepairRequest {
    /// What is wrong.
    pub issue: String,
    /// Runs the tests: a line for the shell.
    pub command: String,
    /// Where they run.
    pub sandbox: SandboxOptions,
}

impl Editor {
    /// Mends a bug in a copy of a folder, up to the gate.
    pub async fn repair(
        &mut self,
        project: &Project,
        request: &RepairRequest,
        on_event: &mut dyn FnMut(RepairEvent),
    ) -> Result<Proposed, Failure> {
        project.recover();
        let program = std::env::current_exe()
            .map_err(|error| Failure::new(FailureKind::Environment, error))?;
        let options = RepairOptions {
            command: request.command.clone(),
            test_file: None,
            max_attempts: MAX_ATTEMPTS.into(),
            max_steps: 1,
            time: Duration::from_secs(TEST_SECONDS.into()),
            sandbox: request.sandbox,
            program,
        };
        let shown_tokens = project.config.shown_tokens;

        let silent: &mut dyn FnMut(Progress) = &mut |_| {};
        let work = self.model.run(silent, async |engine, _| {
            let profile = profile(engine, shown_tokens, &mut Stats::default())?;
            let mut session = RepairSession {
                workspace: &project.workspace,
                engine,
                profile: &profile,
                options: &options,
                on_event,
            };
            let record = repair::repair(&request.issue, &mut session).await?;
            Ok::<_, Failure>(record)
        });
        let record = work.await??;
        if record.status != Some(Status::Success) {
            return Err(without_success(&record));
        }
        Ok(proposed(&record, &request.issue))
    }
}

/// The change of a success, for the gate.
pub(crate) fn proposed(record: &Record, issue: &str) -> Proposed {
    Proposed {
        files: record.changes.iter().map(proposed_file).collect(),
        remarks: Vec::new(),
        warnings: Vec::new(),
        description: issue.to_owned(),
    }
}

/// Attempts of a repair, if the person does not say how many.
pub(crate) const MAX_ATTEMPTS: u8 = 5;

/// Seconds that the tests as they are may take, if the person does not say how many.
pub(crate) const TEST_SECONDS: u32 = 600;

/// What a loop without a success comes to. The folder is as it was.
pub(crate) fn without_success(record: &Record) -> Failure {
    let kind = match record.status {
        Some(Status::Exhausted) => FailureKind::Exhausted,
        Some(Status::NotReproduced) => FailureKind::NotReproduced,
        Some(Status::BaselineBroken) => FailureKind::BaselineBroken,
        Some(Status::Refused) => FailureKind::Refused,
        Some(Status::Success) | None => FailureKind::NotMade,
    };
    let failure = Failure::new(kind, format!("{}; nothing was written", record.reason));
    match record.status {
        Some(Status::BaselineBroken) => failure
            .hint(
                "mend the tests or the test command first; \
                     they run in a copy, where ignored folders may be missing",
            )
            .hint(
                "if that is the bug, say so in the issue: \
                     \"... does not compile\", or what is missing",
            ),
        Some(Status::NotReproduced) => {
            failure.hint("write a test that fails because of the bug, and name it with --test-file")
        }
        Some(Status::Exhausted) => failure
            .hint("say more exactly what is wrong, and in which file or function")
            .hint("--max-attempts tries more often, --model names a larger model"),
        Some(Status::Refused) => {
            failure.hint("say more exactly what is wrong, or use a larger model (--model)")
        }
        _ => failure,
    }
}
