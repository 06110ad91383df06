//! What the tools do, one after the other.

use super::text;
use super::tools::{
    EditParameters, EditResult, FindParameters, FindResult, ListEditsParameters, ListEditsResult,
    PatchParameters, Took, UndoParameters, WriteParameters, WriteResult,
};
use crate::app::arguments::{EditCount, LinePlace};
use crate::app::earlier::{self, Earlier};
use crate::app::editor::{Again, Editor, First, Wish};
use crate::app::find::{FoundFile, find};
use crate::app::offer::Offer;
use crate::app::patch::{FailedEdits, PatchRequest, PlannedPatch};
use crate::app::project::Buffers;
use crate::app::proposed::Proposed;
use crate::app::report::{ApplyReport, Report, Status};
use crate::app::request::EditRequest;
use crate::app::undo::{Undone, WrittenEdit};
use crate::engine::Progress;
use crate::failure::{Failure, FailureKind};
use crate::review::Warning;
use crate::review::gate::{Passed, Policy};
use crate::sandbox::SandboxOptions;
use crate::serve::Desk;
use sha2::{Digest, Sha256};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The longest sentence of a task, in bytes. No model here reads a longer one in time.
const MAX_SENTENCE: usize = 16 << 10;

/// Edits that wait for their `write`. The oldest one is forgotten.
const MAX_PROPOSALS: usize = 32;

/// How long a task may go on from what was written before it.
const GOES_ON: Duration = Duration::from_secs(60 * 60);
/// What the tools may do.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeskOptions {
    /// Whether the caller may name a check.
    pub allows_check: bool,
    /// Where checks run.
    pub sandbox: SandboxOptions,
}

/// A folder, the model, and the edits that were shown and not written yet.
pub(super) struct McpDesk {
    root: PathBuf,
    editor: Editor,
    options: DeskOptions,
    proposals: VecDeque<Shown>,
    n_proposed: u64,
    /// What was written last, and when.
    last: Option<(Instant, Earlier)>,
}

/// An edit that was shown.
struct Shown {
    token: String,
    proposed: Proposed,
    offer: Box<Offer>,
}

impl Desk for McpDesk {
    async fn settle(&mut self) {
        self.editor.settle().await;
    }

    fn rest(&mut self) {
        self.editor.rest();
    }
}

impl McpDesk {
    pub fn new(root: PathBuf, editor: Editor, options: DeskOptions) -> McpDesk {
        McpDesk {
            root,
            editor,
            options,
            proposals: VecDeque::new(),
            n_proposed: 0,
            last: None,
        }
    }

    pub async fn edit(
        &mut self,
        parameters: EditParameters,
        progress: &mut dyn FnMut(Progress),
    ) -> EditResult {
        let mut report = Report::default();
        let first = match parameters.amend.clone() {
            Some(token) => {
                let amended = self.amended(&token, parameters, &mut report, progress);
                amended.await.map(First::Offer)
            }
            None => self.first(parameters, &mut report, progress).await,
        };

        let mut result = EditResult::default();
        match first {
            Ok(First::Offer(offer)) => {
                let proposed = offer.proposed(&mut report);
                result.certainty = Some(offer.certainty());
                result.remarks.clone_from(&proposed.remarks);
                result.token = Some(self.keep(proposed, offer));
            }
            Ok(First::NothingToDo { claim, certainty }) => {
                result.certainty = Some(certainty);
                result.remarks = vec![claim];
            }
            Err(failure) => {
                result.error = Some(text::for_caller(failure));
                return result;
            }
        }

        EditResult {
            status: report.status,
            files: report.files,
            diff: report.diff,
            warnings: report.warnings,
            check: report.check,
            took: Took {
                model: report.stats.model,
                prompt_tokens: report.stats.prompt_tokens,
                reused_tokens: report.stats.reused_tokens,
                load_seconds: report.stats.ms.load / 1e3,
                seconds: report.stats.ms.total / 1e3,
            },
            ..result
        }
    }

    async fn first(
        &mut self,
        parameters: EditParameters,
        report: &mut Report,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<First, Failure> {
        let EditParameters {
            task,
            file,
            at,
            steps,
            check,
            ..
        } = parameters;
        check_sentence(&task)?;
        let at = at.map(|at| at.parse::<LinePlace>()).transpose();
        let at =
            at.map_err(|error| Failure::new(FailureKind::Arguments, format!("at: {error}")))?;
        if let Some(steps) = steps.filter(|steps| !(1..=20).contains(steps)) {
            let message = format!("steps is {steps}, and must be from 1 to 20");
            return Err(Failure::new(FailureKind::Arguments, message));
        }
        let request = EditRequest {
            sentence: task,
            files: file.into_iter().collect(),
            at,
            earlier: self.last(),
            edits: steps.map(|most| EditCount { least: 1, most }),
            sandbox: self.options.sandbox,
            ..EditRequest::default()
        };
        let mut project = self.editor.open(&self.root)?;
        if let Some(check) = check {
            if !self.options.allows_check {
                let message =
                    "this server runs no check that the caller names; nothing was written";
                return Err(Failure::new(FailureKind::Denied, message)
                    .hint("leave check out, or have the person start it with --allow-check"));
            }
            project.config.check = Some(check);
            project.offered_check = None;
        }
        project.recover();
        self.editor.first(project, request, report, progress).await
    }

    /// The edit with a token as the task changes it. If it cannot be changed, it is kept as it was.
    async fn amended(
        &mut self,
        token: &str,
        parameters: EditParameters,
        report: &mut Report,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Box<Offer>, Failure> {
        let EditParameters {
            task,
            file,
            at,
            steps,
            ..
        } = parameters;
        check_sentence(&task)?;
        if file.is_some() || at.is_some() || steps.is_some() {
            let message = "an edit is amended as it was asked for: leave out file, at and steps";
            return Err(Failure::new(FailureKind::Arguments, message));
        }
        let at = self.position(token)?;
        let offer = &mut self.proposals[at].offer;
        let wish = Wish::FollowUp(task);
        match self.editor.again(offer, wish, report, progress).await? {
            Again::Other => {
                report.status = Status::WouldBeDone;
                let amended = self.proposals.remove(at).expect("it is there");
                Ok(amended.offer)
            }
            Again::Same(why) => {
                let same = Failure::new(FailureKind::NotMade, "the edit is as it was");
                Err(why.unwrap_or(same))
            }
        }
    }

    /// Where the edit with a token is among those that were shown.
    fn position(&self, token: &str) -> Result<usize, Failure> {
        let at = self.proposals.iter().position(|shown| shown.token == token);
        let message = "there is no edit with this token; nothing was written";
        at.ok_or_else(|| Failure::new(FailureKind::Token, message))
    }

    /// What was written last, if a task may go on from it.
    fn last(&self) -> Option<Earlier> {
        let last = self.last.as_ref();
        let recent = last.filter(|(written, _)| written.elapsed() < GOES_ON);
        recent.map(|(_, earlier)| earlier.clone())
    }

    /// Keeps a change for `write`. Its token is of this process and this call only: a client must
    /// not write with the token of an earlier server what it has never seen.
    fn keep(&mut self, proposed: Proposed, offer: Box<Offer>) -> String {
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
        self.proposals.push_back(Shown {
            token: token.clone(),
            proposed,
            offer,
        });
        if self.proposals.len() > MAX_PROPOSALS {
            self.proposals.pop_front();
        }
        token
    }

    pub async fn write(&mut self, parameters: WriteParameters) -> WriteResult {
        let WriteParameters { token, accept } = parameters;
        let at = match self.position(&token) {
            Ok(at) => at,
            Err(failure) => return failure.into(),
        };
        let mut proposed = self.proposals[at].proposed.clone();
        proposed.remarks.clear(); // edit has given them
        Warning::accept(&mut proposed.warnings, &accept);

        let written = match self.editor.open(&self.root) {
            Ok(project) => project.write(&proposed, Policy::Yes).await,
            Err(failure) => Err(failure),
        };
        match written {
            Ok((_, remarks)) => {
                self.proposals.remove(at);
                self.last = Some((Instant::now(), earlier::written(&proposed)));
                WriteResult {
                    status: Status::Done,
                    files: proposed.paths(),
                    what: proposed.description,
                    remarks,
                    error: None,
                }
            }
            Err(failure) => {
                if failure.kind == FailureKind::Stale {
                    self.proposals.remove(at); // it will never be written
                }
                failure.into()
            }
        }
    }

    /// Gives the report, and further lines for the model.
    pub async fn apply_patch(&mut self, parameters: PatchParameters) -> (ApplyReport, Vec<String>) {
        let mut report = ApplyReport::default();
        match self.apply(parameters, &mut report).await {
            Ok(lines) => (report, lines),
            Err((failure, lines)) => {
                report.status = Status::NotMade;
                report.error = Some(text::for_caller(failure));
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
        let request = PatchRequest {
            text: patch,
            file,
            failed,
            accept,
            buffers: Buffers::new(), // what an editor has not saved is not known here
        };

        let project = self.editor.open(&self.root).map_err(without_lines)?;
        let (planned, proposed) = PlannedPatch::in_project(&project, &request, report)?;
        report.error = planned.failure().map(text::for_caller);
        let Some(proposed) = proposed else {
            return Ok(Vec::new());
        };
        let policy = if dry_run { Policy::DryRun } else { Policy::Yes };
        let written = project.write(&proposed, policy).await;
        let (passed, remarks) = written.map_err(without_lines)?;
        report.status = match passed {
            Passed::WouldBeWritten => Status::WouldBeDone,
            Passed::Written => planned.status_when_written(),
        };
        Ok(remarks)
    }

    pub fn undo(&mut self, parameters: UndoParameters) -> WriteResult {
        match self.take_back(parameters.number) {
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

    fn take_back(&mut self, number: Option<u64>) -> Result<Undone, Failure> {
        self.last = None;
        self.editor.open(&self.root)?.undo(number)
    }

    fn written(&self) -> Result<Vec<WrittenEdit>, Failure> {
        self.editor.open(&self.root)?.written()
    }

    async fn found(&self, sentence: &str, max_files: usize) -> Result<Vec<FoundFile>, Failure> {
        find(&self.editor.open(&self.root)?, sentence, max_files).await
    }

    pub fn list_edits(&mut self, parameters: ListEditsParameters) -> ListEditsResult {
        match self.written() {
            Ok(edits) => {
                let edits = edits.into_iter().take(parameters.max_edits.clamp(1, 100));
                ListEditsResult {
                    edits: edits.collect(),
                    error: None,
                }
            }
            Err(failure) => ListEditsResult {
                edits: Vec::new(),
                error: Some(text::for_caller(failure)),
            },
        }
    }

    pub async fn find(&mut self, parameters: FindParameters) -> FindResult {
        let FindParameters { task, max_files } = parameters;
        let found = match check_sentence(&task) {
            Ok(()) => self.found(&task, max_files.clamp(1, 20)).await,
            Err(failure) => Err(failure),
        };
        match found {
            Ok(files) => FindResult { files, error: None },
            Err(failure) => FindResult {
                files: Vec::new(),
                error: Some(text::for_caller(failure)),
            },
        }
    }
}

/// A failure with which there is nothing more to say.
fn without_lines(failure: Failure) -> (Failure, Vec<String>) {
    (failure, Vec::new())
}

fn check_sentence(sentence: &str) -> Result<(), Failure> {
    if sentence.len() <= MAX_SENTENCE {
        return Ok(());
    }
    let message = format!(
        "the task has {} bytes, and at most {MAX_SENTENCE}",
        sentence.len()
    );
    Err(Failure::new(FailureKind::TaskTooLong, message))
}

impl From<Failure> for WriteResult {
    fn from(failure: Failure) -> WriteResult {
        WriteResult {
            error: Some(text::for_caller(failure)),
            ..WriteResult::default()
        }
    }
}
