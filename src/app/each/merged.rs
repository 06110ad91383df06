//! The edits of all files as one change, and what is known once it is written.

use super::Each;
use super::result::FileResult;
use crate::app::proposed::Proposed;
use crate::app::report::{Report, warning_reports};
use crate::review::Warning;
use crate::workspace::Workspace;
use std::collections::BTreeMap;

/// Edits that are not written unseen: the warnings of each file that were not accepted.
pub(crate) type Refused = BTreeMap<String, Vec<Warning>>;

impl Each {
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
