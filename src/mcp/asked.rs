//! Changes that wait for the person's answer.

use super::results::PatchResult;
use super::text;
use crate::app::patch::PlannedPatch;
use crate::app::project::Project;
use crate::app::proposed::Proposed;
use crate::app::report::Status;
use crate::failure::{Failure, FailureKind};
use crate::review::gate::{Passed, Policy};

/// A change that the person is asked about.
pub(super) struct Asked {
    pub state: String,
    pub change: AskedChange,
}

pub(super) enum AskedChange {
    /// The edit with this token.
    Edit(String),
    Patch(Box<Planned>),
}

/// A patch, and the change that it comes to.
pub(super) struct Planned {
    pub patch: PlannedPatch,
    pub proposed: Proposed,
    pub result: PatchResult,
}

impl Planned {
    pub async fn write(mut self, project: &Project, policy: Policy) -> PatchResult {
        match project.write(&self.proposed, policy).await {
            Ok((Passed::WouldBeWritten, remarks)) => {
                self.result.report.status = Status::WouldBeDone;
                self.result.remarks = remarks;
                self.result
            }
            Ok((Passed::Written, remarks)) => {
                let PatchResult { report, done, .. } = &mut self.result;
                report.status = self.patch.status_when_written();
                *done = self.patch.done(&report.files);
                if report.is_exact() {
                    report.diff.clear();
                }
                self.result.remarks = remarks;
                self.result
            }
            Err(failure) => self.refused(failure),
        }
    }

    pub fn refused(mut self, failure: Failure) -> PatchResult {
        if failure.kind != FailureKind::Warned {
            self.result.report.diff.clear();
        }
        self.result.report.status = text::status(&failure);
        self.result.report.error = Some(text::for_caller(failure));
        self.result
    }
}
