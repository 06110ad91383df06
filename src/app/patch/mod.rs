//! A patch and a folder, to the change that it makes there.

mod folder;
mod in_words;
mod parse;
mod remarks;
mod sketches;

pub(crate) use parse::{read, read_file};

use crate::app::Say;
use crate::app::model_arguments::ModelChoice;
use crate::app::project::{Buffers, Project};
use crate::app::proposed::Proposed;
use crate::app::report::{ApplyReport, ErrorReport, Status, warning_reports};
use crate::apply::{self, FailedKind, Plan, PlannedFile};
use crate::engine::Progress;
use crate::failure::{Failure, FailureKind};
use crate::format::{Action, Format, Patch};
use crate::review::Warning;
use crate::review::gate::ProposedFile;
use crate::text::Text;
use crate::workspace::Workspace;
use folder::OnDisk;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A patch as it is given, and how it is to be applied.
#[derive(Clone, Copy)]
pub(crate) struct PatchSource<'a> {
    pub text: &'a str,
    /// The file that it was read from.
    pub name: Option<&'a Path>,
    /// The name of its format; `None` or `auto` if it is to be recognised.
    pub format: Option<&'a str>,
    /// The one file that it is about, whatever it calls it.
    pub file: Option<&'a str>,
    pub direction: Direction,
    pub failed: FailedEdits,
    /// The words of the warnings that `--yes` accepts.
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
    /// The one file that it is about, if the person has named it.
    file: Option<String>,
    plan: Plan,
    /// The file that it was read from.
    name: Option<String>,
    failed: FailedEdits,
    accept: Vec<String>,
    /// What the text around its code tells to change, if that is all that says where the code goes.
    in_words: Option<(usize, String)>,
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

        // Absolute paths and links, as they are under the root.
        for file_edit in patch.file_edits_mut() {
            let path = file_edit.path.as_ref();
            if let Some(real) = path.and_then(|path| workspace.resolve_named(path).ok()) {
                file_edit.path = Some(real);
            }
        }
        let file = source.file.map(|file| workspace.resolve_named(file));
        let file = file.transpose()?;
        if let Some(file) = &file {
            check_one_file(&patch, file, workspace)?;
        }

        let mut planned = PlannedPatch {
            patch,
            file,
            plan: Plan::default(),
            name: source.name.map(|path| path.display().to_string()),
            failed: source.failed,
            accept: source.accept.to_vec(),
            in_words: in_words::told_in_words(source.text),
            warnings: Vec::new(),
        };
        // Other formats say themselves what is replaced.
        let is_code_alone = planned.patch.format() == Some(Format::WholeFile);
        planned.in_words = planned.in_words.filter(|_| is_code_alone);
        planned.plan(Vec::new(), workspace, report);
        Ok(planned)
    }

    /// Works out what the patch comes to. `placed` are the warnings of sketches that a model placed.
    fn plan(&mut self, mut placed: Vec<Warning>, workspace: &Workspace, report: &mut ApplyReport) {
        let files = OnDisk {
            workspace,
            listing: workspace.list().paths,
        };
        self.plan = apply::apply(&self.patch, self.file.as_deref(), &files);
        placed.extend(sketches::warnings(&self.plan));
        placed.extend(remarks::warnings(&self.patch, &self.plan));
        Warning::accept(&mut placed, &self.accept);
        self.warnings = placed;
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
        let mut texts = BTreeMap::new();
        for sketch in &sketches {
            texts.insert(sketch.path.clone(), sketch.file.clone());
        }
        let mut asker = sketches::Asker {
            choice,
            workspace,
            started: None,
            say,
            progress,
        };
        let placed = sketches::place(sketches, &mut self.patch, &mut asker).await?;
        self.plan(placed, workspace, report);

        // The complete texts are of the files as they were when the model was asked.
        for PlannedFile { path, before, .. } in &self.plan.files {
            let asked = texts.get(path);
            if asked.is_some_and(|asked| before.as_ref().map(Text::shown) != Some(asked)) {
                let message = format!("{path} was changed meanwhile; nothing was written");
                return Err(
                    Failure::new(FailureKind::Stale, message).hint("run the same command again")
                );
            }
        }
        Ok(())
    }

    /// The change for the gate; `None` if the files have all of it already.
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

        let planned = plan.files.iter();
        let files: Vec<ProposedFile> = planned
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
        let what = if n == 1 {
            "the edit".to_owned()
        } else {
            format!("{n_failed} of {n} edits")
        };
        let message = if !leaves_out || self.plan.files.is_empty() {
            format!("{what} cannot be made; nothing was written")
        } else {
            let are = if n_failed == 1 { "is" } else { "are" };
            format!("{what} cannot be made, and {are} left out")
        };
        let mut failure = Failure::new(FailureKind::NotApplied, message);
        if let Some((line, sentence)) = &self.in_words {
            let hint = format!(
                "line {line} tells in words what the code replaces ({sentence}), which is not read"
            );
            failure = failure.hint(hint).hint(parse::ASK_FOR_AN_EDIT);
        }
        let mut failed = self.plan.failed();
        if failed.any(|(_, failed)| failed.kind == FailedKind::NoPath) {
            failure = failure.hint("--file names the file that the whole patch is for");
        }
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
        let mut done = Vec::new();
        for file in &self.plan.files {
            if written.contains(file.moved_to.as_ref().unwrap_or(&file.path)) {
                done.push(remarks::done(file));
            }
        }
        done
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
        let mut description = "apply".to_owned();
        if let Some(name) = &self.name {
            description += &format!(" {name}");
        }
        let n_made = self.plan.outcomes.len() - self.n_failed();
        let s = if n_made == 1 { "" } else { "s" };
        description += &format!(" ({n_made} edit{s})");
        match self.plan.files.first() {
            Some(file) => format!("{description}: {}", remarks::glimpse(file)),
            None => description,
        }
    }
}

/// Refuses a patch that is not about `file`, to which `--file` sends all of it.
fn check_one_file(patch: &Patch, file: &str, workspace: &Workspace) -> Result<(), Failure> {
    let named = patch.file_edits().filter_map(|edit| edit.path.as_deref());
    let names: BTreeSet<&str> = named.collect();
    let mut message = None;
    if names.len() > 1 {
        let names: Vec<&str> = names.into_iter().collect();
        message = Some(format!(
            "the patch is about {} files ({}), not about one",
            names.len(),
            names.join(", ")
        ));
    } else if let Some(name) = names.first()
        && *name != file
    {
        let removes = patch
            .file_edits()
            .any(|edit| matches!(edit.action, Action::Delete { .. } | Action::Move { .. }));
        if removes || workspace.resolve_named(name).is_ok() {
            message = Some(format!("the patch is about {name}, not about {file}"));
        }
    }
    match message {
        Some(message) => {
            Err(Failure::new(FailureKind::SeveralFiles, message).hint("leave --file out"))
        }
        None => Ok(()),
    }
}
