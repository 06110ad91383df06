//! The check of an offer: a command that the person named, which complains of edits or passes. A project
//! may offer a command; it runs only where the person said yes to it.

use super::editor::{Editor, milliseconds_since, profile};
use super::folders;
use super::offer::{Asked, Offer};
use super::project::Project;
use super::proposed::{Judged, Proposed};
use super::repair::TEST_SECONDS;
use super::report::{CheckReport, CheckResult, ComplaintReport, Report};
use crate::check::{Against, CheckOptions, Checked, Checker, Complaint, name_of};
use crate::config::PROJECT_FILE;
use crate::engine::Progress;
use crate::failure::{Failure, FailureKind};
use crate::review::{Warning, WarningKind};
use crate::workspace::private_folder::make_private_folder;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Complaints that a warning names.
const MOST_NAMED: usize = 3;

/// What a check says of an offer.
#[derive(Clone, Debug)]
pub(super) struct CheckEnd {
    command: String,
    /// What it says, or why it could not be run.
    checked: Result<Checked, String>,
    /// How many times further edits were kept.
    n_kept: usize,
}

/// What the person says to a project's check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CheckAnswer {
    Run,
    Ignore,
}

impl CheckAnswer {
    fn word(self) -> &'static str {
        match self {
            CheckAnswer::Run => "run",
            CheckAnswer::Ignore => "ignore",
        }
    }
}

impl Project {
    /// Puts the project's check in force, if the person said yes to this very command in this folder.
    pub(super) fn take_answered_check(&mut self) {
        let Some(command) = self.offered_check.take() else {
            return;
        };
        let answer = std::fs::read_to_string(self.answer_file(&command));
        match answer.as_deref().map(str::trim) {
            Ok(word) if word == CheckAnswer::Run.word() => self.config.check = Some(command),
            Ok(word) if word == CheckAnswer::Ignore.word() => {}
            _ => self.offered_check = Some(command),
        }
    }

    /// Remembers what the person says to the check that the project offers.
    ///
    /// # Errors
    /// If that cannot be kept. Then the check is not run.
    pub fn answer_check(&mut self, answer: CheckAnswer) -> Result<(), Failure> {
        let Some(command) = &self.offered_check else {
            return Ok(());
        };
        let file = self.answer_file(command);
        let folder = file.parent().expect("it lies in a folder");
        let kept = make_private_folder(folder).and_then(|()| std::fs::write(&file, answer.word()));
        kept.map_err(|error| {
            let message = format!("cannot write {}: {error}", file.display());
            Failure::new(FailureKind::Write, message)
        })?;
        self.take_answered_check();
        Ok(())
    }

    /// Says that a check which the project offers is not run, where nobody was asked.
    pub(super) fn leave_offered_check(&self) {
        if let Some(command) = &self.offered_check {
            (self.say)(&format!(
                "the check of {PROJECT_FILE} is not run, since you have not said yes to it: \
                 --check {command:?} runs it"
            ));
        }
    }

    fn answer_file(&self, command: &str) -> PathBuf {
        let name = name_of(self.workspace.root(), command);
        folders::check_answers().join(name)
    }
}

impl Editor {
    /// Runs the check of an offer, if there is one, and has the model mend what it complains of. A check
    /// that cannot be run is no error, but said with the offer.
    pub(super) async fn check(
        &mut self,
        offer: &mut Offer,
        report: &mut Report,
        progress: &mut dyn FnMut(Progress),
    ) {
        let command = offer.project.config.check.clone();
        let Some(command) = command.filter(|command| !command.trim().is_empty()) else {
            return;
        };
        let started = Instant::now();
        let before = report.stats.ms.total;
        progress(Progress::Checking(command.clone()));
        let checked = match offer.checked(&command).await {
            Ok(checked) => checked,
            Err(why) => {
                offer.check = Some(CheckEnd {
                    command,
                    checked: Err(why),
                    n_kept: 0,
                });
                return;
            }
        };

        let mut end = (checked.clone(), 0);
        if !checked.new.is_empty() {
            let shown_tokens = offer.project.config.shown_tokens;
            let mut checker = offer.checker.take().expect("it has just run");
            let work = self.model.run(progress, async |engine, progress| {
                let profile = profile(engine, shown_tokens, &mut report.stats)?;
                let asked = Asked {
                    engine,
                    profile,
                    progress,
                };
                Ok::<_, Failure>(offer.mend(checked.clone(), &mut checker, asked).await)
            });
            // Where the model cannot be asked any more, its first edits stay.
            if let Ok(Ok(mended)) = work.await {
                end = mended;
            }
            offer.checker = Some(checker);
            offer.seen.push(Offer::after(&offer.steps));
            report.add_stages(&offer.steps.stages);
        }
        let (checked, n_kept) = end;
        offer.check = Some(CheckEnd {
            command,
            checked: Ok(checked),
            n_kept,
        });
        report.stats.ms.total = before + milliseconds_since(started);
    }
}

impl Offer {
    /// Runs the check on the edits. The first time the folder is copied, and checked as it is.
    ///
    /// # Errors
    /// Why it cannot be run.
    async fn checked(&mut self, command: &str) -> Result<Checked, String> {
        let checker = match &mut self.checker {
            Some(checker) => checker,
            None => {
                let options = CheckOptions {
                    command: command.to_owned(),
                    program: std::env::current_exe().map_err(|error| error.to_string())?,
                    sandbox: self.request.sandbox,
                    time: Duration::from_secs(TEST_SECONDS.into()),
                    against: Against::Before,
                    kept: Some(folders::checks()),
                    files: self.request.buffers.clone(),
                };
                let checker = Checker::of(self.project.workspace.root(), &options).await;
                self.checker
                    .insert(checker.map_err(|error| error.to_string())?)
            }
        };
        let checked = checker.check(self.steps.changes()).await;
        checked.map_err(|error| error.to_string())
    }
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
