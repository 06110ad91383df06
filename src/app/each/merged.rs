//! What became of all files: their edits as one change, and what is known once it is written.

use super::result::FileResult;
use crate::app::proposed::Proposed;
use crate::app::report::{EditReport, Report, Stats, warning_reports};
use crate::failure::Failure;
use crate::review::Warning;
use crate::workspace::{KeptResults, Workspace};
use std::collections::BTreeMap;

/// Edits that are not written unseen: the warnings of each file that were not accepted.
pub(crate) type Refused = BTreeMap<String, Vec<Warning>>;

/// What became of the files.
#[derive(Debug)]
pub(crate) struct Each {
    /// Of each file that was asked about, sorted by path.
    pub results: Vec<FileResult>,
    /// How many match.
    pub n_files: usize,
    /// What asking the model took in this run.
    pub stats: Stats,
    /// `None` where the state folder cannot be used.
    pub(super) kept: Option<KeptResults>,
    /// See [`crate::app::proposed::Judged::accept`].
    pub(super) accept: Vec<String>,
    pub(super) sentence: String,
}

impl Each {
    /// Whether it was stopped before all files were asked about.
    pub fn is_stopped(&self) -> bool {
        self.results.len() < self.n_files
    }

    /// The texts of the last edit: the next one probably has them too.
    pub(super) fn likely(&self) -> Vec<String> {
        let mut likely = Vec::new();
        let last = self.results.iter().rfind(|it| it.is_edit());
        for EditReport { old, new, .. } in last.into_iter().flat_map(|it| &it.report.edits) {
            let texts = [old, new].into_iter().filter(|text| !text.is_empty());
            likely.extend(texts.cloned());
        }
        likely
    }

    /// Adds the result of a file, and keeps it.
    pub(super) fn add(&mut self, result: FileResult) -> &FileResult {
        if let Some(kept) = &self.kept {
            result.keep(kept);
        }
        self.results.push(result);
        self.results.last().expect("it was just added")
    }

    /// The same failure, with what was kept in spite of it.
    pub(super) fn ended_by(&self, failure: Failure) -> Failure {
        let n_kept = self.results.iter().filter(|it| it.is_kept()).count();
        if n_kept == 0 || self.kept.is_none() {
            return failure;
        }
        let n_files = self.n_files;
        failure.hint(format!(
            "{n_kept} of {n_files} files are done and kept: the same command goes on with the others"
        ))
    }

    /// The edits that nobody may write unseen, because of warnings that were not accepted. What is
    /// written without them may have further warnings, and those are refused too.
    pub fn refused(&self) -> Refused {
        let mut refused = Refused::new();
        loop {
            let n_before = refused.len();
            let edited = self.edited(&refused);
            for result in &edited {
                let mut warnings = result.warnings(&edited, &self.accept);
                warnings.retain(|warning| !warning.accepted);
                if !warnings.is_empty() {
                    refused.insert(result.path().to_owned(), warnings);
                }
            }
            if refused.len() == n_before {
                return refused;
            }
        }
    }

    /// The files with an edit, without those that are left out.
    fn edited(&self, left_out: &Refused) -> Vec<&FileResult> {
        let results = self.results.iter();
        results
            .filter(|it| it.is_edit() && !left_out.contains_key(it.path()))
            .collect()
    }

    /// The change for the gate. The report has it afterwards. It has no files if there is no edit.
    pub fn proposed(&self, left_out: &Refused, report: &mut Report) -> Proposed {
        let edited = self.edited(left_out);
        let mut proposed = Proposed {
            files: Vec::new(),
            remarks: Vec::new(),
            warnings: Vec::new(),
            description: self.sentence.trim().to_owned(),
        };
        for result in &edited {
            let path = result.path();
            let remarks = result.report.remarks.iter();
            proposed.files.push(result.proposed());
            proposed
                .remarks
                .extend(remarks.map(|it| format!("{path}: {it}")));
            proposed
                .warnings
                .extend(result.warnings(&edited, &self.accept));
            report.edits.extend(result.report.edits.iter().cloned());
            report.diff += &result.report.diff;
        }
        report.files = proposed.paths();
        report.warnings = warning_reports(&proposed.warnings);
        proposed
    }

    /// Files that could not be edited, though the model did not decline.
    pub fn n_failed(&self) -> usize {
        let results = self.results.iter();
        results.filter(|it| it.failure().is_some()).count()
    }

    /// After these files were written: if the same command has nothing left to do, forgets what was
    /// kept. Else it will go on, and not edit them once more.
    pub fn written(&self, files: &[String], left_out: &Refused, workspace: &Workspace) {
        let Some(kept) = &self.kept else { return };
        if !self.is_stopped() && self.n_failed() == 0 && left_out.is_empty() {
            kept.forget();
            return;
        }
        for path in files {
            if let Ok(text) = workspace.read(path) {
                FileResult::written(path, text.bytes()).keep(kept);
            }
        }
    }
}
