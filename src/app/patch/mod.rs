//! A patch and a folder, to the change that it makes there.

mod folder;
mod parse;
mod remarks;
mod sketches;

pub(crate) use parse::{read, read_file};

use crate::app::Say;
use crate::app::model_arguments::ModelChoice;
use crate::app::project::{Buffers, Project};
use crate::app::proposed::Proposed;
use crate::app::report::{ApplyReport, ErrorReport, Status, warning_reports};
use crate::apply::{self, Plan, PlannedFile};
use crate::engine::Progress;
use crate::failure::{Failure, FailureKind};
use crate::format::{Action, Patch};
use crate::review::Warning;
use crate::review::gate::ProposedFile;
use crate::text::Text;
use crate::workspace::Workspace;
use folder::OnDisk;
use sketches::Doubts;
use std::path::Path;

/// A patch as somebody hands it over.
#[derive(Clone, Copy)]
pub(crate) struct PatchSource<'a> {
    pub text: &'a str,
    /// The file that it was read from.
    pub name: Option<&'a Path>,
    /// How it is written; none, or `auto`, if that is to be recognised.
    pub format: Option<&'a str>,
    /// The one file that it is about, whatever it calls it.
    pub file: Option<&'a str>,
    pub direction: Direction,
    pub failed: FailedEdits,
    /// The kinds of warnings in spite of which it is written that nobody is asked about.
    pub accept: &'a [String],
}

/// A patch for a folder, and how it is to be applied.
#[derive(Clone, Debug)]
pub(crate) struct PatchRequest {
    pub text: String,
    /// The one file that it is about, if it does not say so.
    pub file: Option<String>,
    pub failed: FailedEdits,
    /// The kinds of warnings in spite of which it is written.
    pub accept: Vec<String>,
    /// Files that are not saved in an editor.
    pub buffers: Buffers,
}

/// Which way a patch is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Forth,
    /// It is taken back.
    Back,
}

/// What an edit that cannot be made means for the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailedEdits {
    /// None is made.
    Refuse,
    /// The others are made.
    LeaveOut,
}

/// A patch, what it comes to, and what asks for a second look.
pub(crate) struct PlannedPatch {
    patch: Patch,
    /// The one file that it is about, if somebody has named it.
    file: Option<String>,
    plan: Plan,
    /// The file that it was read from.
    name: Option<String>,
    failed: FailedEdits,
    accept: Vec<String>,
    pub warnings: Vec<Warning>,
}

impl PlannedPatch {
    /// Works out the change that a patch makes in a folder; `None` if the files have all of it
    /// already.
    ///
    /// # Errors
    /// With lines that say of each failed edit what is there instead.
    pub fn in_project(
        project: &Project,
        request: &PatchRequest,
        report: &mut ApplyReport,
    ) -> Result<(PlannedPatch, Option<Proposed>), (Failure, Vec<String>)> {
        project.recover();
        project.pend(&request.buffers);
        let accept = [request.accept.as_slice(), &project.config.accept].concat();
        let source = PatchSource {
            text: &request.text,
            name: None,
            format: None,
            file: request.file.as_deref(),
            direction: Direction::Forth,
            failed: request.failed,
            accept: &accept,
        };
        let workspace = &project.workspace;
        let planned = PlannedPatch::of(&source, workspace, report)
            .map_err(|failure| (failure, Vec::new()))?;
        match planned.proposed(workspace, report) {
            Ok(proposed) => Ok((planned, proposed)),
            Err(failure) => Err((failure, planned.explained())),
        }
    }

    /// Reads a patch, and works out what it comes to. The report then has its edits.
    pub fn of(
        source: &PatchSource<'_>,
        workspace: &Workspace,
        report: &mut ApplyReport,
    ) -> Result<PlannedPatch, Failure> {
        let mut patch = parse::parse(source.text, source.format)?;
        if source.direction == Direction::Back {
            patch = patch.reversed().ok_or_else(|| {
                let message = "the patch cannot be reversed: \
                               of some file it does not say what was there before";
                Failure::new(FailureKind::NotReversible, message)
                    .hint("slotwright undo takes back what slotwright wrote")
            })?;
        }
        report.format = Some(remarks::format_name(&patch).to_owned());
        for file_edit in patch.file_edits_mut() {
            // Absolute paths and links, as they are under the root.
            if let Some(real) = file_edit
                .path
                .as_ref()
                .and_then(|path| workspace.resolve_named(path).ok())
            {
                file_edit.path = Some(real);
            }
        }
        let file = match source.file {
            Some(named) => {
                let file = workspace.resolve_named(named)?;
                is_about_one_file(&patch, &file, workspace)?;
                Some(file)
            }
            None => None,
        };
        let mut planned = PlannedPatch {
            patch,
            file,
            plan: Plan::default(),
            name: source.name.map(|path| path.display().to_string()),
            failed: source.failed,
            accept: source.accept.to_vec(),
            warnings: Vec::new(),
        };
        planned.plan(Doubts::default(), workspace, report);
        Ok(planned)
    }

    /// Works out what the patch comes to. `doubts`: of what a model placed.
    fn plan(&mut self, mut doubts: Doubts, workspace: &Workspace, report: &mut ApplyReport) {
        let files = OnDisk {
            workspace,
            listing: workspace.list().paths,
        };
        self.plan = apply::apply(&self.patch, self.file.as_deref(), &files);
        doubts.append(Doubts::of(&self.plan));
        self.warnings = doubts.warnings();
        self.warnings
            .extend(remarks::warnings(&self.patch, &self.plan));
        Warning::accept(&mut self.warnings, &self.accept);
        report.rungs = apply::rungs(&self.plan.outcomes).into_iter().collect();
        report.edits.clone_from(&self.plan.outcomes);
        report.warnings = warning_reports(&self.warnings);
    }

    /// Whether a model could say where the parts of a sketch go.
    pub fn has_unplaced(&self, workspace: &Workspace) -> bool {
        !sketches::unplaced(&self.patch, &self.plan, workspace).is_empty()
    }

    /// Lets a model say where the parts of sketches go that cannot be placed without. It is not
    /// loaded if there are none.
    pub async fn place_by_model(
        &mut self,
        choice: &ModelChoice,
        workspace: &Workspace,
        report: &mut ApplyReport,
        (say, progress): (Say, &mut dyn FnMut(Progress)),
    ) -> Result<(), Failure> {
        let sketches = sketches::unplaced(&self.patch, &self.plan, workspace);
        if sketches.is_empty() {
            return Ok(());
        }
        let read: Vec<(String, String)> = sketches
            .iter()
            .map(|sketch| (sketch.path.clone(), sketch.file.clone()))
            .collect();
        let mut asker = sketches::Asker {
            choice,
            workspace,
            started: None,
            say,
            progress,
        };
        let doubts = sketches::place(sketches, &mut self.patch, &mut asker).await?;
        self.plan(doubts, workspace, report);
        // The complete texts are of the files as they were when the model was asked.
        let is_other = |file: &&PlannedFile| {
            let was = read
                .iter()
                .find(|(path, _)| *path == file.path)
                .map(|(_, text)| text);
            was.is_some_and(|was| file.before.as_ref().map(Text::shown) != Some(was))
        };
        match self.plan.files.iter().find(is_other) {
            Some(file) => {
                let message = format!(
                    "{} was changed by somebody else meanwhile; nothing was written",
                    file.path
                );
                Err(Failure::new(FailureKind::Stale, message).hint("run the same command again"))
            }
            None => Ok(()),
        }
    }

    /// The change for the gate; none if the files have all of it already.
    ///
    /// # Errors
    /// If edits cannot be made, and the others are not to be made without them.
    pub fn proposed(
        &self,
        workspace: &Workspace,
        report: &mut ApplyReport,
    ) -> Result<Option<Proposed>, Failure> {
        let PlannedPatch { patch, plan, .. } = self;
        let failure = self.failure();
        if let Some(failure) = &failure
            && (self.failed == FailedEdits::Refuse || plan.files.is_empty())
        {
            return Err(failure.clone());
        }
        if plan.files.is_empty() {
            report.status = Status::AlreadyDone;
            return Ok(None);
        }
        let files: Vec<ProposedFile> = plan
            .files
            .iter()
            .map(|file| folder::proposed(workspace, file))
            .collect();
        report.files = files.iter().map(|file| file.path.clone()).collect();
        report.diff = files.iter().map(|file| file.diff.as_str()).collect();
        report.error = failure.map(ErrorReport::from);
        Ok(Some(Proposed {
            files,
            remarks: remarks::remarks(patch, plan),
            warnings: self.warnings.clone(),
            description: self.description(),
        }))
    }

    /// Edits that cannot be made.
    pub fn n_failed(&self) -> usize {
        self.plan.failed().count()
    }

    /// All that failed, in a sentence, and what to send again; `None` if all edits can be made.
    pub fn failure(&self) -> Option<Failure> {
        let n = self.plan.outcomes.len();
        let n_failed = self.n_failed();
        if n_failed == 0 {
            return None;
        }

        let leaves_out = self.failed == FailedEdits::LeaveOut;
        let written = if !leaves_out || self.plan.files.is_empty() {
            "nothing was written"
        } else if n == n_failed + 1 {
            "the other one can"
        } else {
            "the others can"
        };
        let message = if n == 1 {
            format!("the edit cannot be made; {written}")
        } else {
            format!("{n_failed} of {n} edits cannot be made; {written}")
        };
        let failure = Failure::new(FailureKind::NotApplied, message);
        if leaves_out || n_failed == n {
            return Some(failure);
        }
        let again = "mend what failed, and send the whole patch again with the others as they are";
        let partial = "--partial writes the others and leaves these out";
        Some(failure.hint(again).hint(partial))
    }

    /// Why they cannot, each with what is there instead.
    pub fn explained(&self) -> Vec<String> {
        remarks::explained(&self.plan)
    }

    /// What was done to the files that were written, in words.
    pub fn done(&self, written: &[String]) -> Vec<String> {
        let is_written =
            |file: &&PlannedFile| written.contains(file.moved_to.as_ref().unwrap_or(&file.path));
        self.plan
            .files
            .iter()
            .filter(is_written)
            .map(remarks::done)
            .collect()
    }

    /// What is reported once it is written.
    pub fn status_when_written(&self) -> Status {
        if self.n_failed() > 0 {
            Status::PartlyDone
        } else {
            Status::Done
        }
    }

    /// What the journal calls it.
    fn description(&self) -> String {
        let name = self
            .name
            .as_ref()
            .map_or_else(String::new, |name| format!(" {name}"));
        let n_made = self.plan.outcomes.len() - self.n_failed();
        let edits = if n_made == 1 { "edit" } else { "edits" };
        format!("apply{name} ({n_made} {edits})")
    }
}

/// `--file` sends all of a patch to one file: not one that is about several, or about another one
/// that is there.
fn is_about_one_file(patch: &Patch, file: &str, workspace: &Workspace) -> Result<(), Failure> {
    let refuse = |message: String| {
        Err(Failure::new(FailureKind::SeveralFiles, message).hint("leave --file out"))
    };
    let mut names: Vec<&str> = patch
        .file_edits()
        .filter_map(|file_edit| file_edit.path.as_deref())
        .collect();
    names.sort_unstable();
    names.dedup();
    match names.as_slice() {
        [] => Ok(()),
        [name] if *name == file => Ok(()),
        [name] => {
            let goes =
                |action: &Action| matches!(action, Action::Delete { .. } | Action::Move { .. });
            let is_there = workspace.resolve_named(name).is_ok();
            if is_there || patch.file_edits().any(|file_edit| goes(&file_edit.action)) {
                return refuse(format!("the patch is about {name}, not about {file}"));
            }
            Ok(())
        }
        several => refuse(format!(
            "the patch is about {} files ({}), not about one",
            several.len(),
            several.join(", ")
        )),
    }
}
