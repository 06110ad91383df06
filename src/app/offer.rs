//! Edits that were made for a task and are not written yet, and what else the model can be asked.

use super::check_end::CheckEnd;
use super::earlier;
use super::project::Project;
use super::proposed::{Judged, Proposed, also_renamed, elsewhere, unfinished};
use super::report::{Report, Status, warning_reports};
use super::request::EditRequest;
use crate::check::{Checked, Checker, mend};
use crate::engine::{Engine, Progress, Sampling};
use crate::failure::{Failure, FailureKind, did_you_mean};
use crate::flow::follow::follow;
use crate::flow::steps::{self, StepEdit, Steps, steps_after};
use crate::flow::{self, Answers, Follow, GenerateOptions, Session, places};
use crate::prompt::Profile;
use crate::review::{KeptName, change_breaks};
use crate::search::nearest_paths;
use crate::task::{Standing, Task};
use crate::text::Text;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Files as they would be. Two offers with the same are the same.
type After = Vec<(String, Vec<u8>)>;

/// What a model is asked for.
#[derive(Clone)]
pub(super) struct Asking {
    pub task: Task,
    /// The task as the person reads it: a follow-up with what it follows up on.
    pub about: Task,
    /// The edits that are not written and that the task goes on from: the program's own, and those that
    /// a follow-up is about.
    pub base: Vec<StepEdit>,
    /// Further answers to the task, the likeliest first.
    pub answers: Option<Answers>,
}

/// Edits that were made for a task, and the answers that led to them.
pub(crate) struct Offer {
    pub project: Project,
    pub(super) request: EditRequest,
    pub(super) asking: Asking,
    /// All edits that are not written: those that a follow-up goes on from, too.
    pub(super) steps: Steps,
    pub(super) judged: Judged,
    /// What the person should know of how answers were forced.
    pub(super) notes: Vec<String>,
    /// What was offered before, this one included.
    pub(super) seen: Vec<After>,
    /// Random answers that were asked for.
    pub(super) n_random: u64,
    /// What runs the check, once it has run.
    pub(super) checker: Option<Checker>,
    /// What the check says of these edits; `None` if there is no check.
    pub(super) check: Option<CheckEnd>,
}

/// An offer as it was before the model was asked once more.
pub(crate) struct OfferState {
    asking: Asking,
    steps: Steps,
    judged: Judged,
    notes: Vec<String>,
    seen: Vec<After>,
    check: Option<CheckEnd>,
}

/// The model that answers, and its prompt format.
pub(super) struct Asked<'a, E> {
    pub engine: &'a mut E,
    pub profile: Profile,
    pub progress: &'a mut dyn FnMut(Progress),
}

impl Asking {
    fn of(task: Task, request: &EditRequest) -> Asking {
        let mut base = Vec::new();
        for patched in &request.beforehand {
            base.push(StepEdit {
                patched: patched.clone(),
                certainty: BTreeMap::new(),
            });
        }
        Asking {
            about: task.clone(),
            task,
            base,
            answers: None,
        }
    }
}

impl Offer {
    /// What a request asks for in a folder. The model was not asked yet.
    pub fn of(project: Project, request: EditRequest) -> Result<Offer, Failure> {
        project.pend(&request.buffers);
        project.pend_beforehand(&request.beforehand);
        let task = request.task(&project)?;
        project.leave_offered_check();
        Ok(Offer::new(project, task, request))
    }

    /// Nothing was asked yet.
    fn new(project: Project, task: Task, request: EditRequest) -> Offer {
        Offer {
            project,
            asking: Asking::of(task, &request),
            request,
            steps: Steps::default(),
            judged: Judged::default(),
            notes: Vec::new(),
            seen: Vec::new(),
            n_random: 0,
            checker: None,
            check: None,
        }
    }

    /// The same task without what was written before it, where the answer is none or a doubtful one: the
    /// task may be about something else, and what was written leads a small model astray.
    pub(super) fn asking_without_last(&self, steps: &Steps) -> Result<Option<Asking>, Failure> {
        let earlier = self.request.earlier.as_ref();
        let has_last = earlier.is_some_and(|earlier| earlier.standing == Standing::Written);
        let is_sure = steps.certainty() >= self.judged.min_certainty && !Offer::breaks(steps);
        if !has_last || is_sure {
            return Ok(None);
        }
        let request = EditRequest {
            earlier: None,
            ..self.request.clone()
        };
        let task = request.task(&self.project)?;
        Ok(Some(Asking::of(task, &request)))
    }

    /// What [`Offer::restore`] needs.
    pub fn state(&self) -> OfferState {
        OfferState {
            asking: self.asking.clone(),
            steps: self.steps.copied(),
            judged: self.judged.clone(),
            notes: self.notes.clone(),
            seen: self.seen.clone(),
            check: self.check.clone(),
        }
    }

    /// Makes this the earlier offer again, after the model was stopped somewhere on its way to another.
    pub fn restore(&mut self, state: OfferState) {
        let OfferState {
            asking,
            steps,
            judged,
            notes,
            seen,
            check,
        } = state;
        self.asking = asking;
        self.steps = steps;
        self.judged = judged;
        self.notes = notes;
        self.seen = seen;
        self.check = check;
        // It may have been stopped too, with only some files in its copy.
        self.checker = None;
    }

    /// Asks for the edits of another sentence instead.
    pub(super) fn reworded(&self, sentence: &str) -> Result<Asking, Failure> {
        self.pend(&[]);
        let request = EditRequest {
            sentence: sentence.to_owned(),
            ..self.request.clone()
        };
        self.project.pend_beforehand(&request.beforehand);
        Ok(Asking::of(request.task(&self.project)?, &request))
    }

    /// Asks for a change of these edits, or for what they lack. The files are as they would be, so that
    /// the model may also undo a part. The person points at nothing any more.
    pub(super) fn followed_up(&self, sentence: &str) -> Result<Asking, Failure> {
        let Asking { about, .. } = &self.asking;
        self.pend(&self.steps.edits);
        let request = EditRequest {
            sentence: sentence.to_owned(),
            lines: self.lines_now()?,
            at: None,
            earlier: Some(earlier::unwritten(about.sentence(), &self.steps.changes())),
            ..self.request.clone()
        };
        Ok(Asking {
            task: request.task(&self.project)?,
            about: about.and(sentence),
            base: self.steps.edits.clone(),
            answers: None,
        })
    }

    /// The only lines that may change, as these edits leave them.
    fn lines_now(&self) -> Result<Option<RangeInclusive<usize>>, Failure> {
        let mut changes = self.steps.changes();
        let (Some(lines), Some(change)) = (&self.request.lines, changes.pop()) else {
            return Ok(None);
        };
        let n_before = change.before.as_ref().map_or(0, n_lines);
        let after = Text::decode_after(change.before.as_ref(), change.after);
        let n_after = after.as_ref().map_or(n_before, n_lines);
        let end = (lines.end() + n_after).saturating_sub(n_before);
        if end < *lines.start() {
            let message = "nothing is left of the lines that may change";
            return Err(Failure::new(FailureKind::Lines, message));
        }
        Ok(Some(*lines.start()..=end))
    }

    /// Shows a model the files as an editor has them, with these edits.
    fn pend(&self, edits: &[StepEdit]) {
        let Project { workspace, .. } = &self.project;
        workspace.forget_pending();
        self.project.pend(&self.request.buffers);
        for StepEdit { patched, .. } in edits {
            workspace.pend(&patched.path, patched.after.clone());
        }
    }

    /// Whether the model could be made to go on with these edits.
    pub fn can_go_on(&self) -> bool {
        self.steps.can_go_on()
    }

    /// The certainty of the least certain edit, 0 to 1.
    pub fn certainty(&self) -> f64 {
        self.steps.certainty()
    }

    /// What is reported once it is written.
    pub fn status_when_written(&self) -> Status {
        match self.steps.left_out() {
            Some(_) => Status::PartlyDone,
            None => Status::Done,
        }
    }

    /// The files as they would be.
    pub(super) fn after(steps: &Steps) -> After {
        let mut after = After::new();
        for change in steps.changes() {
            after.push((change.path, change.after));
        }
        after
    }

    /// Whether a file would no longer parse.
    pub(super) fn breaks(steps: &Steps) -> bool {
        let changes = steps.changes();
        changes.iter().any(|it| change_breaks(it).is_some())
    }

    /// Asks for the next likeliest answer, or for a random one. `None` if there is no other.
    pub(super) async fn next<E: Engine>(
        &mut self,
        sampling: Sampling,
        asked: Asked<'_, E>,
    ) -> Result<Option<Steps>, Failure> {
        self.pend(&self.asking.base);
        let options = self.options(sampling, asked.profile);
        let Asking {
            task,
            base,
            answers,
            ..
        } = &mut self.asking;
        let mut session = Session {
            workspace: &self.project.workspace,
            engine: asked.engine,
            options,
            progress: asked.progress,
        };

        let first = match sampling {
            Sampling::Random { .. } => {
                session.options.branches = 0;
                Some(flow::edit(task, &mut session).await?)
            }
            Sampling::Greedy => {
                let answers = match answers {
                    Some(answers) => answers,
                    None => answers.insert(Answers::to(task.clone(), &mut session).await?),
                };
                answers.next(&mut session).await?
            }
        };
        let Some(first) = first else { return Ok(None) };
        session.options.branches = 0;
        let mut steps = steps_after(task, first, &mut session).await?;
        follow(task, &mut steps, &mut session).await;
        Ok(Some(steps.preceded_by(base)))
    }

    /// Has the model make one more edit. If it makes none, returns why.
    pub(super) async fn go_on<E: Engine>(
        &mut self,
        asked: Asked<'_, E>,
    ) -> Result<Option<String>, Failure> {
        self.pend(&self.steps.edits);
        let options = self.options(Sampling::Greedy, asked.profile);
        let mut session = Session {
            workspace: &self.project.workspace,
            engine: asked.engine,
            options: GenerateOptions {
                branches: 0,
                follow: Follow::Named,
                ..options
            },
            progress: asked.progress,
        };
        let task = &self.asking.task;
        let why = steps::go_on(task, &mut self.steps, &mut session).await?;
        follow(task, &mut self.steps, &mut session).await;
        Ok(why)
    }

    /// Has the model mend what a check complains of after these edits. Returns what the check says at
    /// the end, and how many times further edits were kept.
    pub(super) async fn mend<E: Engine>(
        &mut self,
        checked: Checked,
        checker: &mut Checker,
        asked: Asked<'_, E>,
    ) -> (Checked, usize) {
        self.pend(&self.steps.edits);
        let options = self.options(Sampling::Greedy, asked.profile);
        let steps = std::mem::take(&mut self.steps);
        let mut session = Session {
            workspace: &self.project.workspace,
            engine: asked.engine,
            options,
            progress: asked.progress,
        };
        let mended = mend(&self.asking.task, (steps, checked), checker, &mut session).await;
        self.steps = mended.steps;
        (mended.checked, mended.n_kept)
    }

    fn options(&self, sampling: Sampling, profile: Profile) -> GenerateOptions {
        let follow = Follow::usual(&profile);
        let options = GenerateOptions::new(profile);
        // An adapter that has not learned follow-ups is never sure of them, and the model without it
        // rather loses the first edits than amends them.
        let is_follow_up = self.asking.base.len() > self.request.beforehand.len();
        let doubted_below = options.doubted_below;
        GenerateOptions {
            doubted_below: doubted_below.map(|least| if is_follow_up { 0.0 } else { least }),
            sampling,
            branches: self.request.branches,
            likely: self.request.likely.clone(),
            most_edits: self.request.edits.map(|edits| edits.most),
            least_edits: self.request.edits.map_or(1, |edits| edits.least),
            follow,
            ..options
        }
    }

    /// The change for the gate, without a word on other files: where those are edited too, only all
    /// edits together tell which of them keep a changed name. The report has it afterwards.
    pub fn by_itself(&self, report: &mut Report) -> (Proposed, Option<KeptName>) {
        let Offer {
            project,
            asking,
            steps,
            ..
        } = self;
        let changes = steps.changes();
        // Answers that were passed over are pending no more.
        project.workspace.forget_pending();

        report.add_edits(steps.edits.iter().map(|edit| &edit.patched), &changes);
        let mut proposed = Proposed::of(&steps.edits, &changes, &self.judged, &asking.about);
        proposed.warn_of_left_out(steps, &self.judged);
        proposed.remarks.extend(self.notes.iter().cloned());
        proposed.remarks.extend(unfinished(steps));
        proposed.remarks.extend(self.misspelt());
        report.warnings = warning_reports(&proposed.warnings);
        (proposed, steps.kept_name().cloned())
    }

    /// Says which files the task names that are not there, where there is one that is nearly called so.
    fn misspelt(&self) -> Vec<String> {
        let workspace = &self.project.workspace;
        let changes = self.steps.changes();
        let mut named = self.asking.task.mentions().paths().to_vec();
        named.retain(|path| {
            let is_made = changes.iter().any(|change| change.path == *path);
            !is_made && workspace.resolve_named(path).is_err()
        });
        if named.is_empty() {
            return Vec::new();
        }

        let listed = workspace.list().paths;
        let mut remarks = Vec::new();
        for path in named {
            let (name, ending) = (file_name(&path), ending(&path));
            if listed.iter().any(|it| file_name(it) == name) {
                continue;
            }
            // `config.timeout` is no file.
            let mut near = nearest_paths(&path, &listed);
            near.retain(|it| self::ending(it) == ending);
            let near = did_you_mean(&near);
            remarks.extend(near.map(|near| format!("there is no file {path}; {near}")));
        }
        remarks
    }

    /// The change for the gate. The report has it afterwards.
    pub fn proposed(&self, report: &mut Report) -> Proposed {
        let steps = &self.steps;
        let (mut proposed, kept_name) = self.by_itself(report);
        proposed.warn_of_uses(kept_name, &self.judged);
        proposed.remarks.extend(also_renamed(steps));
        proposed.remarks.extend(elsewhere(steps));
        proposed.remarks.extend(places::remark(&steps.places));
        if let Some(check) = &self.check {
            check.tell(&mut proposed, &self.judged);
            report.check = Some(check.report());
        }
        report.warnings = warning_reports(&proposed.warnings);
        proposed
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// What follows the last dot of a file's name.
fn ending(path: &str) -> Option<&str> {
    Some(file_name(path).rsplit_once('.')?.1)
}

fn n_lines(text: &Text) -> usize {
    text.shown().lines().count()
}
