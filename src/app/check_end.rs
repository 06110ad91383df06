//! What the check of an offer says, for the review and the report.

use super::proposed::{Judged, Proposed};
use super::report::{CheckReport, CheckResult, ComplaintReport};
use crate::check::{Checked, Complaint};
use crate::review::{Warning, WarningKind};

/// Complaints that a warning names.
const MOST_NAMED: usize = 3;

/// What a check says of an offer.
#[derive(Clone, Debug)]
pub(super) struct CheckEnd {
    pub command: String,
    /// What it says, or why it could not be run.
    pub checked: Result<Checked, String>,
    /// How many times further edits were kept.
    pub n_kept: usize,
}

impl CheckEnd {
    /// Adds what the check says to a change: a remark, or a warning.
    pub fn tell(&self, proposed: &mut Proposed, judged: &Judged) {
        let after = match self.n_kept {
            0 => String::new(),
            1 => ", after a further edit".to_owned(),
            n => format!(", after {n} further edits"),
        };
        let warning = match &self.checked {
            Err(why) => WarningKind::Fails.says(format!("the check could not be run: {why}")),
            Ok(Checked { new, .. }) if !new.is_empty() => {
                let named = named(new);
                WarningKind::Fails.says(format!("the check fails{after}: {named}"))
            }
            Ok(Checked { passed: true, .. }) => {
                proposed.remarks.push(format!("check: passed{after}"));
                return;
            }
            Ok(_) => {
                let remark = format!("check: fails as it does without the edit{after}");
                proposed.remarks.push(remark);
                return;
            }
        };
        proposed.warnings.push(warning);
        Warning::accept(&mut proposed.warnings, &judged.accept);
    }

    /// The same for a report.
    pub fn report(&self) -> CheckReport {
        let (result, new, error) = match &self.checked {
            Ok(Checked { passed: true, .. }) => (CheckResult::Passed, &[][..], None),
            Ok(Checked { new, .. }) if new.is_empty() => {
                (CheckResult::FailsAsBefore, &[][..], None)
            }
            Ok(Checked { new, .. }) => (CheckResult::Fails, new.as_slice(), None),
            Err(why) => (CheckResult::NotRun, &[][..], Some(why.clone())),
        };
        let mut complaints = Vec::new();
        for complaint in new {
            complaints.push(ComplaintReport {
                place: complaint.place().cloned(),
                message: complaint.message.clone(),
            });
        }
        CheckReport {
            command: self.command.clone(),
            result,
            complaints,
            further_edits: self.n_kept,
            error,
        }
    }
}

/// The first complaints, in a line.
fn named(complaints: &[Complaint]) -> String {
    let mut named = Vec::new();
    for complaint in complaints.iter().take(MOST_NAMED) {
        named.push(match complaint.place() {
            Some(place) => format!("{}:{}: {}", place.path, place.line, complaint.message),
            None => complaint.message.clone(),
        });
    }
    if complaints.len() > MOST_NAMED {
        named.push(format!("and {} more", complaints.len() - MOST_NAMED));
    }
    named.join("; ")
}
