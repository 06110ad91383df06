//! What the tools write: an edit that was shown, or a patch. The person may be asked in between.

use super::asked::{Asked, AskedChange, Planned};
use super::desk::McpDesk;
use super::question::{Answer, Asking, Question};
use super::reply::Written;
use super::results::{PatchResult, WriteResult};
use super::text;
use super::tools::{PatchParameters, UndoParameters, WriteParameters};
use crate::app::earlier;
use crate::app::patch::{FailedEdits, PatchRequest, PlannedPatch};
use crate::app::project::Buffers;
use crate::app::proposed::Proposed;
use crate::app::report::Status;
use crate::app::undo::Undone;
use crate::failure::{Failure, FailureKind};
use crate::review::gate::Policy;
use crate::review::{Warning, WarningKind};
use std::time::Instant;

/// Questions that wait for their answer. The oldest one is forgotten.
const MAX_QUESTIONS: usize = 32;

/// How far a call came that may write.
pub(super) enum Writing {
    Over(Box<Written>),
    /// The person has to say yes first.
    Asks(Question),
}

impl From<Written> for Writing {
    fn from(written: Written) -> Writing {
        Writing::Over(Box::new(written))
    }
}

impl McpDesk {
    pub async fn write(&mut self, parameters: WriteParameters, asking: Asking) -> Writing {
        let WriteParameters { token, accept } = parameters;
        let written = match asking {
            Asking::Through => match self.question_of(&token).await {
                Ok(question) => {
                    let asked = AskedChange::Edit(token);
                    return self.ask(question, asked);
                }
                Err(failure) => Err(failure),
            },
            Asking::Nobody => self.write_edit(&token, &accept).await,
        };
        Written::Edit(written.unwrap_or_else(WriteResult::from)).into()
    }

    /// Asks about the edit with a token, if it can still be written.
    async fn question_of(&mut self, token: &str) -> Result<Question, Failure> {
        let at = self.position(token)?;
        let proposed = &self.proposals[at].proposed;
        let project = self.editor.open(&self.root)?;
        project.write(proposed, Policy::DryRun).await?;
        Question::of(proposed)
    }

    /// Writes the edit with a token. If a file has changed since, it is forgotten.
    async fn write_edit(&mut self, token: &str, accept: &[String]) -> Result<WriteResult, Failure> {
        let at = self.position(token)?;
        let mut proposed = self.proposals[at].proposed.clone();
        proposed.remarks.clear(); // edit has given them
        Warning::accept(&mut proposed.warnings, accept);

        let _journal = self.journal.lock().await;
        let project = self.editor.open(&self.root)?;
        let written = project.write(&proposed, Policy::Yes).await;
        if let Err(failure) = &written
            && failure.kind != FailureKind::Stale
        {
            return Err(failure.clone()); // it may be tried again
        }
        let shown = self.proposals.remove(at).expect("it is there");
        let (_, mut remarks) = written?;
        self.last = Some((Instant::now(), earlier::written(&proposed)));
        for warning in &proposed.warnings {
            if warning.kind == WarningKind::Partial {
                remarks.push(warning.message.clone());
            }
        }
        Ok(WriteResult {
            status: shown.offer.status_when_written(),
            files: proposed.paths(),
            what: proposed.description,
            remarks,
            error: None,
        })
    }

    pub async fn apply_patch(&mut self, parameters: PatchParameters, asking: Asking) -> Writing {
        let policy = if parameters.dry_run {
            Policy::DryRun
        } else {
            Policy::Yes
        };
        let mut result = PatchResult::default();
        let _journal = self.journal.clone().lock_owned().await;
        let planned = match self.plan(parameters, &mut result) {
            Ok(Some((patch, proposed))) => Planned {
                patch,
                proposed,
                result,
            },
            Ok(None) => return Written::Patch(result).into(),
            Err(failure) => {
                result.report.status = text::status(&failure);
                result.report.error = Some(text::for_caller(failure));
                return Written::Patch(result).into();
            }
        };
        let project = match self.editor.open(&self.root) {
            Ok(project) => project,
            Err(failure) => return Written::Patch(planned.refused(failure)).into(),
        };
        if asking == Asking::Nobody || policy == Policy::DryRun {
            return Written::Patch(planned.write(&project, policy).await).into();
        }
        // Nobody is asked about what cannot be written.
        let dry_run = project.write(&planned.proposed, Policy::DryRun).await;
        match dry_run.and_then(|_| Question::of(&planned.proposed)) {
            Ok(question) => self.ask(question, AskedChange::Patch(Box::new(planned))),
            Err(failure) => Written::Patch(planned.refused(failure)).into(),
        }
    }

    /// Works out what a patch comes to; `None` if the files have all of it already.
    fn plan(
        &self,
        parameters: PatchParameters,
        result: &mut PatchResult,
    ) -> Result<Option<(PlannedPatch, Proposed)>, Failure> {
        let failed = if parameters.partial {
            FailedEdits::LeaveOut
        } else {
            FailedEdits::Refuse
        };
        let request = PatchRequest {
            text: parameters.patch,
            file: parameters.file,
            failed,
            accept: parameters.accept,
            buffers: Buffers::new(), // what an editor has not saved is not known here
        };
        let project = self.editor.open(&self.root)?;
        let planned = PlannedPatch::in_project(&project, &request, &mut result.report);
        result.report.leave_out_texts(); // the caller wrote them
        let (patch, proposed) = match planned {
            Ok(planned) => planned,
            Err((failure, lines)) => {
                result.misses = lines;
                return Err(failure);
            }
        };
        result.report.error = patch.failure().map(text::for_caller);
        Ok(proposed.map(|proposed| (patch, proposed)))
    }

    /// Keeps a change until the person has answered.
    fn ask(&mut self, question: Question, change: AskedChange) -> Writing {
        self.asked.push_back(Asked {
            state: question.state.clone(),
            change,
        });
        if self.asked.len() > MAX_QUESTIONS {
            self.asked.pop_front();
        }
        Writing::Asks(question)
    }

    /// Writes the change that a question was about, exactly as it was shown, if the answer is yes.
    pub async fn answered(&mut self, state: &str, answer: Answer) -> Written {
        let at = self.asked.iter().position(|asked| asked.state == state);
        let Some(asked) = at.and_then(|at| self.asked.remove(at)) else {
            let message = "this question was answered already, or never asked; nothing was written";
            return Written::Edit(Failure::new(FailureKind::Token, message).into());
        };
        let confirmed = answer.confirms();
        match asked.change {
            AskedChange::Edit(token) => {
                // All warnings were in the question.
                let all: Vec<String> = WarningKind::WORDS.map(str::to_owned).to_vec();
                let written = match confirmed {
                    Ok(()) => self.write_edit(&token, &all).await,
                    Err(failure) => Err(failure),
                };
                Written::Edit(written.unwrap_or_else(WriteResult::from))
            }
            AskedChange::Patch(mut planned) => {
                let _journal = self.journal.lock().await;
                for warning in &mut planned.proposed.warnings {
                    warning.accepted = true;
                }
                let project = confirmed.and_then(|()| self.editor.open(&self.root));
                Written::Patch(match project {
                    Ok(project) => planned.write(&project, Policy::Yes).await,
                    Err(failure) => planned.refused(failure),
                })
            }
        }
    }

    pub async fn undo(&mut self, parameters: UndoParameters) -> WriteResult {
        self.last = None;
        let _journal = self.journal.lock().await;
        let project = self.editor.open(&self.root);
        let number = parameters.number.filter(|number| *number > 0); // 0: left out, by a small model
        match project.and_then(|project| project.undo(number)) {
            Ok(Undone { what, files }) => WriteResult {
                status: Status::Done,
                what,
                files,
                ..WriteResult::default()
            },
            Err(failure) => failure.into(),
        }
    }
}
