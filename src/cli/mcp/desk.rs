//! What the tools do, one after the other.

use super::tools::{
    EditParameters, EditResult, FindParameters, FindResult, ListEditsParameters, ListEditsResult,
    PatchParameters, Took, UndoParameters, WriteParameters, WriteResult,
};
use crate::cli::apply::FailedEdits;
use crate::cli::exit::ExitCode;
use crate::cli::failure::Failure;
use crate::cli::judged::Proposed;
use crate::cli::report::{ApplyReport, Status};
use crate::cli::serving::{EditTask, ModelDesk, PatchTask};
use crate::cli::undo::Undone;
use crate::engine::Progress;
use crate::review::Warning;
use crate::review::gate::{Decision, Notice, Passed, Policy, ProposedFile, Reviewer};
use crate::serve::Desk;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::PathBuf;

/// The longest sentence of a task, in bytes. No model here reads a longer one in time.
const MAX_SENTENCE: usize = 16 << 10;

/// Edits that wait for their `write`. The oldest one is forgotten.
const MAX_PROPOSALS: usize = 32;

/// A folder, the model, and the edits that were shown and not written yet.
pub(super) struct McpDesk {
    root: PathBuf,
    model: ModelDesk,
    proposals: VecDeque<(String, Proposed)>,
    n_proposed: u64,
}

impl Desk for McpDesk {
    async fn settle(&mut self) {
        self.model.settle().await;
    }

    fn rest(&mut self) {
        self.model.rest();
    }
}

impl McpDesk {
    pub fn new(root: PathBuf, model: ModelDesk) -> McpDesk {
        McpDesk {
            root,
            model,
            proposals: VecDeque::new(),
            n_proposed: 0,
        }
    }

    pub async fn edit(
        &mut self,
        parameters: EditParameters,
        progress: &mut dyn FnMut(Progress),
    ) -> EditResult {
        let edited = match self.task(parameters) {
            Ok(task) => self.model.edit(&self.root, task, progress).await,
            Err(failure) => Err(failure),
        };
        let edited = match edited {
            Ok(edited) => edited,
            Err(failure) => {
                return EditResult {
                    error: Some(failure.error),
                    ..EditResult::default()
                };
            }
        };
        let (report, certainty) = (edited.report, Some(edited.certainty));
        let (remarks, proposed) = match edited.proposed {
            Ok(proposed) => (proposed.remarks.clone(), Some(proposed)),
            Err(claim) => (vec![claim], None),
        };
        EditResult {
            status: report.status,
            token: proposed.map(|proposed| self.keep(proposed)),
            files: report.files,
            diff: report.diff,
            certainty,
            warnings: report.warnings,
            remarks,
            error: None,
            took: Took {
                model: report.stats.model,
                prompt_tokens: report.stats.prompt_tokens,
                reused_tokens: report.stats.reused_tokens,
                load_seconds: report.stats.ms.load / 1e3,
                seconds: report.stats.ms.total / 1e3,
            },
        }
    }

    fn task(&self, parameters: EditParameters) -> Result<EditTask, Failure> {
        let EditParameters { task, file, steps } = parameters;
        check_sentence(&task)?;
        if let Some(steps) = steps.filter(|steps| !(1..=20).contains(steps)) {
            let message = format!("steps is {steps}, and must be from 1 to 20");
            return Err(Failure::new(ExitCode::Usage, "arguments", message));
        }
        let files = file.into_iter().collect();
        Ok(EditTask {
            sentence: task,
            files,
            max_steps: steps,
            buffers: BTreeMap::new(),
            may_go_on: false,
        })
    }

    /// Keeps a change for `write`. Its token is of this process and this call only: a client must
    /// not write with the token of an earlier server what it has never seen.
    fn keep(&mut self, proposed: Proposed) -> String {
        self.n_proposed += 1;
        let mut hash = Sha256::new();
        hash.update(format!("{} {}", std::process::id(), self.n_proposed));
        proposed
            .files
            .iter()
            .for_each(|file| hash.update(&file.diff));
        let token: String = hash.finalize()[..4]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        self.proposals.push_back((token.clone(), proposed));
        if self.proposals.len() > MAX_PROPOSALS {
            self.proposals.pop_front();
        }
        token
    }

    pub async fn write(&mut self, parameters: WriteParameters) -> WriteResult {
        let WriteParameters { token, accept } = parameters;
        let Some(at) = self.proposals.iter().position(|(other, _)| *other == token) else {
            let message = "there is no edit with this token; nothing was written";
            return Failure::new(ExitCode::NotMade, "token", message).into();
        };
        let mut proposed = self.proposals[at].1.clone();
        proposed.remarks.clear(); // edit has given them
        Warning::accept(&mut proposed.warnings, &accept);
        match self.pass(&proposed, Policy::Yes).await {
            Ok((_, remarks)) => {
                self.proposals.remove(at);
                let (files, what) = (proposed.paths(), proposed.description);
                WriteResult {
                    status: Status::Done,
                    what,
                    files,
                    remarks,
                    error: None,
                }
            }
            Err(failure) => {
                if failure.error.kind == "stale" {
                    self.proposals.remove(at); // it will never be written
                }
                failure.into()
            }
        }
    }

    async fn pass(
        &self,
        proposed: &Proposed,
        policy: Policy,
    ) -> Result<(Passed, Vec<String>), Failure> {
        let mut remarks = Vec::new();
        let reviewer = Listener(&mut remarks);
        let passed = self
            .model
            .pass(&self.root, proposed, policy, reviewer)
            .await?;
        Ok((passed, remarks))
    }

    /// Gives the report, and further lines for the model.
    pub async fn apply_patch(&mut self, parameters: PatchParameters) -> (ApplyReport, Vec<String>) {
        let mut report = ApplyReport::default();
        match self.apply(parameters, &mut report).await {
            Ok(lines) => (report, lines),
            Err((failure, lines)) => {
                report.status = Status::NotMade;
                report.error = Some(failure.error);
                (report, lines)
            }
        }
    }

    async fn apply(
        &mut self,
        parameters: PatchParameters,
        report: &mut ApplyReport,
    ) -> Result<Vec<String>, (Failure, Vec<String>)> {
        let PatchParameters {
            patch,
            file,
            partial,
            dry_run,
            accept,
        } = parameters;
        let failed = if partial {
            FailedEdits::LeaveOut
        } else {
            FailedEdits::Refuse
        };
        let buffers = BTreeMap::new(); // what an editor has not saved is not known here
        let task = PatchTask {
            text: patch,
            file,
            failed,
            accept,
            buffers,
        };
        let (planned, proposed) = self.model.plan_patch(&self.root, &task, report)?;
        let Some(proposed) = proposed else {
            return Ok(Vec::new());
        };
        let policy = if dry_run { Policy::DryRun } else { Policy::Yes };
        let (passed, remarks) = self
            .pass(&proposed, policy)
            .await
            .map_err(|failure| (failure, Vec::new()))?;
        report.status = match passed {
            Passed::WouldBeWritten => Status::WouldBeDone,
            Passed::Written => planned.status_when_written(),
        };
        Ok(remarks)
    }

    pub fn undo(&mut self, parameters: UndoParameters) -> WriteResult {
        match self.model.undo(&self.root, parameters.number) {
            Ok(Undone { what, files }) => WriteResult {
                status: Status::Done,
                what,
                files,
                remarks: Vec::new(),
                error: None,
            },
            Err(failure) => failure.into(),
        }
    }

    pub fn list_edits(&mut self, parameters: ListEditsParameters) -> ListEditsResult {
        match self.model.written(&self.root) {
            Ok(edits) => {
                let edits = edits.into_iter().take(parameters.max_edits.clamp(1, 100));
                ListEditsResult {
                    edits: edits.collect(),
                    error: None,
                }
            }
            Err(failure) => ListEditsResult {
                edits: Vec::new(),
                error: Some(failure.error),
            },
        }
    }

    pub async fn find(&mut self, parameters: FindParameters) -> FindResult {
        let FindParameters { task, max_files } = parameters;
        let found = match check_sentence(&task) {
            Ok(()) => {
                self.model
                    .find(&self.root, &task, max_files.clamp(1, 20))
                    .await
            }
            Err(failure) => Err(failure),
        };
        match found {
            Ok(files) => FindResult { files, error: None },
            Err(failure) => FindResult {
                files: Vec::new(),
                error: Some(failure.error),
            },
        }
    }
}

fn check_sentence(sentence: &str) -> Result<(), Failure> {
    if sentence.len() <= MAX_SENTENCE {
        return Ok(());
    }
    let message = format!(
        "the task has {} bytes, and at most {MAX_SENTENCE}",
        sentence.len()
    );
    Err(Failure::new(ExitCode::Usage, "task_too_long", message))
}

impl From<Failure> for WriteResult {
    fn from(failure: Failure) -> WriteResult {
        WriteResult {
            error: Some(failure.error),
            ..WriteResult::default()
        }
    }
}

/// Keeps what the gate has to say. The change was shown by the tool, and its caller decides.
struct Listener<'a>(&'a mut Vec<String>);

impl Reviewer for Listener<'_> {
    fn show(&mut self, _: &[ProposedFile], _: Policy) -> io::Result<()> {
        Ok(())
    }

    fn tell(&mut self, notice: Notice<'_>) {
        let line = match notice {
            Notice::Remark(remark) => remark.to_owned(),
            Notice::Warning(_) => return, // the report has them
            Notice::Recovered(recovered) => {
                format!(
                    "an interrupted change was finished or taken back: {}",
                    recovered.entry.what
                )
            }
            Notice::CannotBeUndone(error) => format!("this edit cannot be undone: {error}"),
        };
        self.0.push(line);
    }

    fn can_be_asked(&self) -> bool {
        false
    }

    async fn decide(&mut self, _: &str, _: &[ProposedFile]) -> Decision {
        Decision::No
    }
}
