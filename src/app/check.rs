//! The check of an offer: a command that the person named, which complains of edits or passes.

use super::check_end::CheckEnd;
use super::editor::{Editor, milliseconds_since, profile};
use super::folders;
use super::offer::{Asked, Offer};
use super::repair::TEST_SECONDS;
use super::report::Report;
use crate::check::{Against, CheckOptions, Checked, Checker};
use crate::engine::Progress;
use crate::failure::Failure;
use std::time::{Duration, Instant};

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
