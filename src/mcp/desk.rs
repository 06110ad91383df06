//! The folder, the model, and what the tools have shown.

use super::asked::Asked;
use super::lookup::{JournalLock, check_sentence};
use super::results::{EditResult, Took};
use super::text;
use super::tools::{AmendParameters, EditParameters};
use crate::app::arguments::{EditCount, LinePlace};
use crate::app::earlier::Earlier;
use crate::app::editor::{Again, Editor, First, Wish};
use crate::app::offer::Offer;
use crate::app::proposed::Proposed;
use crate::app::report::{Report, Status};
use crate::app::request::EditRequest;
use crate::engine::Progress;
use crate::failure::{Failure, FailureKind};
use crate::sandbox::SandboxOptions;
use crate::serve::Desk;
use sha2::{Digest, Sha256};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::{Duration, Instant};

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
    pub root: PathBuf,
    pub editor: Editor,
    options: DeskOptions,
    pub journal: JournalLock,
    pub proposals: VecDeque<Shown>,
    n_proposed: u64,
    /// The changes that the person is asked about.
    pub asked: VecDeque<Asked>,
    /// What was written last, and when.
    pub last: Option<(Instant, Earlier)>,
}

/// An edit that was shown.
pub(super) struct Shown {
    token: String,
    pub proposed: Proposed,
    pub offer: Box<Offer>,
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
    pub fn new(
        root: PathBuf,
        editor: Editor,
        options: DeskOptions,
        journal: JournalLock,
    ) -> McpDesk {
        McpDesk {
            root,
            editor,
            options,
            journal,
            proposals: VecDeque::new(),
            n_proposed: 0,
            asked: VecDeque::new(),
            last: None,
        }
    }

    pub async fn edit(
        &mut self,
        parameters: EditParameters,
        progress: &mut dyn FnMut(Progress),
    ) -> EditResult {
        let mut report = Report::default();
        let first = self.first(parameters, &mut report, progress).await;
        self.shown(first, report)
    }

    /// Changes an edit that was shown. If that cannot be done, it is kept as it was.
    pub async fn amend(
        &mut self,
        parameters: AmendParameters,
        progress: &mut dyn FnMut(Progress),
    ) -> EditResult {
        let mut report = Report::default();
        let amended = self.amended(parameters, &mut report, progress).await;
        self.shown(amended.map(First::Offer), report)
    }

    /// What the caller is shown of an edit.
    fn shown(&mut self, first: Result<First, Failure>, mut report: Report) -> EditResult {
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
            steps,
            check,
        } = parameters;
        check_sentence(&task)?;
        let mut project = self.editor.open(&self.root)?;
        let pointed = file
            .as_ref()
            .and_then(|file| file.parse::<LinePlace>().ok());
        let is_whole = |file: &String| project.workspace.resolve_named(file).is_ok();
        let steps = steps.filter(|most| *most > 1); // small models write 1 for every task
        let (files, at) = match (file, pointed) {
            (Some(file), Some(_)) if is_whole(&file) => (vec![file], None),
            (_, Some(at)) => (Vec::new(), Some(at)),
            (file, None) => (file.into_iter().collect(), None),
        };
        let request = EditRequest {
            sentence: task,
            files,
            at,
            earlier: self.last(),
            edits: steps.map(|most| EditCount { least: 1, most }),
            sandbox: self.options.sandbox,
            ..EditRequest::default()
        };
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
        {
            let _journal = self.journal.lock().await;
            project.recover();
        }
        self.editor.first(project, request, report, progress).await
    }

    /// The edit with a token as the task changes it.
    async fn amended(
        &mut self,
        parameters: AmendParameters,
        report: &mut Report,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Box<Offer>, Failure> {
        let AmendParameters { token, task } = parameters;
        check_sentence(&task)?;
        let at = self.position(&token)?;
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
    pub fn position(&self, token: &str) -> Result<usize, Failure> {
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
        let digits = hash.finalize()[..4]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>();
        let token = format!("e{digits}"); // a small model must not take it for a number
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
}
