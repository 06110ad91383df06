//! What became of one file, and how it is kept for a later run of the same task.

use crate::app::offer::Offer;
use crate::app::report::{EachReport, Report, Status, WarningReport};
use crate::diff::Seam;
use crate::failure::{Failure, FailureKind};
use crate::review::gate::ProposedFile;
use crate::review::{KeptName, Warning, WarningKind};
use crate::text::ident::has_word;
use crate::workspace::{Change, KeptResults};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What became of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FileResult {
    pub report: EachReport,
    /// The name that the edit changes and that other files have.
    uses: Option<KeptName>,
    /// See [`ProposedFile::seams`]: lines before and after.
    seams: Vec<(usize, usize)>,
    /// The file's bytes; `None` if it could not be read.
    #[serde(skip)]
    before: Option<Vec<u8>>,
    /// Its bytes after the edit; empty if there is none.
    #[serde(skip)]
    after: Vec<u8>,
    /// Why nothing is known: it is tried again in the next run.
    #[serde(skip)]
    failure: Option<Failure>,
}

impl FileResult {
    fn new(path: &str, status: Status) -> FileResult {
        FileResult {
            report: EachReport {
                path: path.to_owned(),
                status,
                ..EachReport::default()
            },
            uses: None,
            seams: Vec::new(),
            before: None,
            after: Vec::new(),
            failure: None,
        }
    }

    /// An edit of this file. What the offer has for other files is left out.
    pub(super) fn edited(path: &str, offer: &Offer, report: &mut Report) -> FileResult {
        let (proposed, uses) = offer.by_itself(report);
        let file = proposed.files.into_iter().find(|file| file.path == path);
        let Some(ProposedFile {
            mut changes,
            diff,
            seams,
            ..
        }) = file
        else {
            let message = "the model's edit is of another file";
            return FileResult::failed(path, Failure::new(FailureKind::NotMade, message));
        };
        let change = changes.remove(0);
        if let Err(error) = offer.project.workspace.check(&change) {
            return FileResult::failed(path, error.into());
        }

        let mut result = FileResult::new(path, Status::WouldBeDone);
        result.report.edits = std::mem::take(&mut report.edits);
        result.report.edits.retain(|edit| edit.path == path);
        result.report.diff = diff;
        result.report.certainty = Some(offer.certainty());
        result.report.warnings = std::mem::take(&mut report.warnings);
        result.report.remarks = proposed.remarks;
        result.uses = uses;
        result.seams = seams.iter().map(|seam| (seam.old, seam.new)).collect();
        result.before = change.before;
        result.after = change.after.unwrap_or_default();
        result
    }

    /// A file in which there is nothing to do, as `claim` says.
    pub(super) fn done(path: &str, claim: &str, certainty: f64) -> FileResult {
        let mut result = FileResult::new(path, Status::AlreadyDone);
        result.report.certainty = Some(certainty);
        result.report.remarks = vec![claim.to_owned()];
        result
    }

    /// A file for which the model declines.
    pub(super) fn declined(path: &str, failure: Failure) -> FileResult {
        let mut result = FileResult::new(path, Status::NotMade);
        result.report.error = Some(failure.into());
        result
    }

    /// A file that cannot be edited, or not this time.
    pub(super) fn failed(path: &str, failure: Failure) -> FileResult {
        FileResult {
            failure: Some(failure.clone()),
            ..FileResult::declined(path, failure)
        }
    }

    /// A file that was written and has these bytes now.
    pub(super) fn written(path: &str, bytes: &[u8]) -> FileResult {
        FileResult {
            before: Some(bytes.to_vec()),
            ..FileResult::new(path, Status::Done)
        }
    }

    /// The same, of a file with these bytes, after so long.
    pub(super) fn of(mut self, before: Option<Vec<u8>>, took: Duration) -> FileResult {
        self.before = self.before.or(before);
        self.report.seconds = took.as_secs_f64();
        self
    }

    pub fn path(&self) -> &str {
        &self.report.path
    }

    /// Why nothing is known of it.
    pub fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// Whether a later run need not ask again.
    pub(super) fn is_kept(&self) -> bool {
        self.failure.is_none()
    }

    /// Whether there is an edit.
    pub fn is_edit(&self) -> bool {
        self.report.status == Status::WouldBeDone
    }

    /// Why there is no edit, in a line; `None` if there is one.
    pub fn without_edit(&self) -> Option<String> {
        let path = self.path();
        match self.report.status {
            Status::AlreadyDone => {
                Some(format!("nothing to do: {}", self.report.remarks.join("; ")))
            }
            Status::Done => Some(format!("{path} was written before, by the same command")),
            _ => {
                let error = self.report.error.as_ref()?;
                let message = error.message.trim_end_matches("; nothing was written");
                Some(format!("{path}: {message}"))
            }
        }
    }

    /// Keeps it for later runs. If that fails, the model is asked again.
    pub(super) fn keep(&self, kept: &KeptResults) {
        let Some(before) = self.before.as_ref().filter(|_| self.is_kept()) else {
            return;
        };
        let mut bytes = serde_json::to_vec(self).expect("a result is plain data");
        bytes.push(b'\n');
        bytes.extend(&self.after);
        let _ = kept.put(self.path(), before, &bytes);
    }

    /// What was kept of a file with these bytes.
    pub(super) fn kept(kept: &KeptResults, path: &str, before: &[u8]) -> Option<FileResult> {
        let bytes = kept.get(path, before)?;
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let result: FileResult = serde_json::from_slice(&bytes[..end]).ok()?;
        Some(FileResult {
            before: Some(before.to_vec()),
            after: bytes[end + 1..].to_vec(),
            ..result
        })
    }

    /// Its edit for the gate.
    pub(super) fn proposed(&self) -> ProposedFile {
        let path = self.path();
        let before = self.before.as_deref().unwrap_or_default();
        let seams = self.seams.iter().map(|&(old, new)| Seam { old, new });
        ProposedFile {
            path: path.to_owned(),
            changes: vec![Change::replace(path, before, &self.after)],
            diff: self.report.diff.clone(),
            seams: seams.collect(),
        }
    }

    /// The reasons to look at it again if `edited` are written too.
    pub(super) fn warnings(&self, edited: &[&FileResult], accept: &[String]) -> Vec<Warning> {
        let mut warnings = Vec::new();
        for WarningReport { kind, message, .. } in &self.report.warnings {
            let mut kinds = WarningKind::ALL.into_iter();
            let Some(kind) = kinds.find(|it| it.word() == kind) else {
                continue;
            };
            warnings.push(kind.says(format!("{}: {message}", self.path())));
        }

        if let Some(mut uses) = self.uses.clone() {
            uses.paths.retain(|path| {
                let other = edited.iter().find(|it| it.path() == path);
                other.is_none_or(|it| has_word(&String::from_utf8_lossy(&it.after), &uses.old))
            });
            warnings.extend((!uses.paths.is_empty()).then(|| uses.warning()));
        }
        Warning::accept(&mut warnings, accept);
        warnings
    }
}
