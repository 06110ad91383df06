//! What `mcp` and `acp` have in common: tasks in folders, with a model that stays loaded.

use super::apply::{Direction, FailedEdits, PatchSource, PlannedPatch};
use super::failure::{Failure, flow_failure, journaled_failure, workspace_failure};
use super::folders;
use super::judged::{self, Judged, Proposed, least_certainty};
use super::model_arguments::{ModelArguments, ModelChoice};
use super::recovery;
use super::repair::{MAX_ATTEMPTS, TEST_SECONDS, repair_failure, without_success};
use super::report::{ApplyReport, Report, Status};
use super::reviewer::{gate_failure, warning_reports};
use super::running_model::{self, Model};
use super::settings;
use super::terminal::say;
use super::undo::{Undone, WrittenEdit, take_back, written};
use super::{edit::probability, exit::ExitCode};
use crate::config::{Config, InForce};
use crate::engine::{Engine, Progress};
use crate::flow::steps::{self, Steps, edit_in_steps};
use crate::flow::{GenerateOptions, Session, uses};
use crate::repair::{self, RepairEvent, RepairOptions, RepairSession};
use crate::review;
use crate::review::Warning;
use crate::review::gate::{Gate, GateError, Passed, Policy, Reviewer};
use crate::sandbox::SandboxOptions;
use crate::search::{self, windows::best_blocks};
use crate::serve::{Desk, Resident, StartEngine};
use crate::task::Task;
use crate::text::{BlockSize, Outline, Text};
use crate::workspace::{Change, Workspace};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What `mcp` and `acp` are told of the model.
#[derive(Debug, Args)]
pub(super) struct ServingArguments {
    /// Free the model's memory when nobody has asked for so long; the next task loads it again
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    idle: u32,
    /// As for edit: how sure the model has to be of what it wrote, from 0 to 1, for an edit without
    /// a warning
    #[arg(long, value_name = "X", value_parser = probability)]
    min_certainty: Option<f64>,
    /// Keep nothing on disk of what the model read
    #[arg(long)]
    no_cache: bool,
    #[command(flatten)]
    model: ModelArguments,
}

impl ServingArguments {
    /// How long the model stays loaded without a task.
    pub fn idle(&self) -> Duration {
        Duration::from_secs(self.idle.into())
    }

    /// Tells a person at a terminal that nobody will answer here.
    pub fn warn_at_a_terminal(&self, who: &str) {
        if io::stdin().is_terminal() {
            say(&format!(
                "slotwright: this speaks to {who}, which has to start it: see docs/editors.md. \
                 Ctrl-C ends it"
            ));
        }
    }

    fn flags(&self) -> Config {
        Config {
            min_certainty: self.min_certainty,
            ..self.model.flags()
        }
    }
}

/// The model that serves, and how it is asked. It is loaded when the first edit comes.
pub(super) struct ModelDesk {
    flags: Config,
    resident: Resident<Starter>,
    /// The last edits that the model could be made to go on with.
    open: Option<OpenEdits>,
    n_open: u64,
}

/// Edits that the model ended, though their answer may have more.
struct OpenEdits {
    number: u64,
    root: PathBuf,
    task: EditTask,
    steps: Steps,
}

struct Starter {
    choice: ModelChoice,
    cache: Cache,
}

/// Whether what the model read is kept on disk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cache {
    Kept,
    None,
}

impl StartEngine for Starter {
    type Engine = Model;
    type Error = Failure;

    async fn start(&mut self, progress: &mut dyn FnMut(Progress)) -> Result<Model, Failure> {
        let prefixes = (self.cache == Cache::Kept).then(folders::prefixes);
        Ok(running_model::start(&self.choice, prefixes, progress)
            .await?
            .0)
    }
}

impl Desk for ModelDesk {
    async fn settle(&mut self) {
        if self.resident.starter().cache == Cache::Kept {
            self.resident.keep_read().await;
        }
    }

    fn rest(&mut self) {
        self.resident.unload();
    }
}

/// What is to be edited.
#[derive(Clone, Debug)]
pub(super) struct EditTask {
    pub sentence: String,
    /// As [`Task::files`].
    pub files: Vec<String>,
    pub max_steps: Option<usize>,
    pub buffers: Buffers,
    /// Whether the edits are kept for [`ModelDesk::go_on`].
    pub may_go_on: bool,
}

/// What a task came to.
pub(super) struct Edited {
    /// As `edit --json` prints it.
    pub report: Report,
    /// The change, or what shows that there is nothing to do.
    pub proposed: Result<Proposed, String>,
    /// The certainty of the least certain edit, 0 to 1.
    pub certainty: f64,
    /// For [`ModelDesk::go_on`]; none where the model cannot go on.
    pub open: Option<u64>,
}

/// A patch, and how it is to be applied.
#[derive(Clone, Debug)]
pub(super) struct PatchTask {
    pub text: String,
    /// The one file that it is about, if it does not say so.
    pub file: Option<String>,
    pub failed: FailedEdits,
    /// The kinds of warnings in spite of which it is written that nobody is asked about.
    pub accept: Vec<String>,
    /// As [`EditTask::buffers`].
    pub buffers: Buffers,
}

/// A bug to mend.
#[derive(Clone, Debug)]
pub(super) struct RepairTask {
    /// What is wrong.
    pub issue: String,
    /// Runs the tests: a line for the shell.
    pub command: String,
    /// Where they run.
    pub sandbox: SandboxOptions,
}

/// What an editor has made of a file that was not saved there.
#[derive(Clone, Debug)]
pub(super) struct EditorChange {
    /// Relative to the root.
    pub path: String,
    /// The text in the editor, with newlines only.
    pub before: String,
    pub after: String,
    /// The file before the change.
    pub on_disk: Text,
}

/// Files as an editor has them, by path relative to the root, where they are not saved.
pub(super) type Buffers = BTreeMap<String, Vec<u8>>;

/// A file that a sentence may be about.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct FoundFile {
    /// Relative to the root.
    pub path: String,
    /// Definitions and words of the sentence that tell it apart.
    pub words: Vec<String>,
    /// The parts of it that matter most, best first.
    pub windows: Vec<FoundWindow>,
}

/// A part of a file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct FoundWindow {
    /// The number of its first line, counted from 1.
    pub first_line: usize,
    /// The lines themselves, with newlines only.
    pub text: String,
}

/// Windows of one file that are shown.
const WINDOWS: usize = 2;

impl ModelDesk {
    /// Nothing is loaded yet, but the configuration is read and must be right.
    pub fn new(arguments: &ServingArguments) -> Result<ModelDesk, Failure> {
        let flags = arguments.flags();
        // A project's file never names a model, so no folder is needed to choose one.
        let InForce { config, .. } = settings::load(flags.clone(), None)?;
        let choice = arguments.model.choice(&config);
        let cache = if arguments.no_cache {
            Cache::None
        } else {
            Cache::Kept
        };
        let resident = Resident::new(Starter { choice, cache });
        Ok(ModelDesk {
            flags,
            resident,
            open: None,
            n_open: 0,
        })
    }

    /// A folder, with what is in force there.
    pub fn open(&self, root: &Path) -> Result<(Workspace, InForce), Failure> {
        settings::open(root, self.flags.clone())
    }

    /// Makes the edits of a task, up to the gate.
    pub async fn edit(
        &mut self,
        root: &Path,
        task: EditTask,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Edited, Failure> {
        self.steps(root, task, None, progress).await
    }

    /// Has the model make a further edit after the last ones, which have this number: see
    /// [`steps::go_on`].
    pub async fn go_on(
        &mut self,
        number: u64,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Edited, Failure> {
        let Some(open) = self.open.take_if(|open| open.number == number) else {
            let message =
                "the model has worked on another task since, and cannot go on with this one";
            return Err(Failure::new(ExitCode::NotMade, "stale", message));
        };
        let OpenEdits {
            root, task, steps, ..
        } = open;
        self.steps(&root, task, Some(steps), progress).await
    }

    /// The edits of a task, or one more than `before`.
    async fn steps(
        &mut self,
        root: &Path,
        edit_task: EditTask,
        mut before: Option<Steps>,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Edited, Failure> {
        let started = Instant::now();
        let EditTask {
            sentence,
            files,
            max_steps,
            buffers,
            may_go_on,
        } = &edit_task;
        let task = Task::new(sentence, files.clone()).map_err(|error| {
            Failure::new(ExitCode::Usage, "empty_task", error).hint("say what is to be changed")
        })?;
        let (workspace, InForce { config, .. }) = self.open(root)?;
        for file in task.files() {
            // Before a model is loaded for nothing.
            workspace.resolve_named(file).map_err(workspace_failure)?;
        }
        // The model must see whole what an interrupted program left half done.
        let _ = recovery::open_journal(&workspace);
        for (path, bytes) in buffers {
            workspace.pend(path, bytes.clone());
        }
        let edits = before.iter().flat_map(|steps| &steps.edits);
        edits.for_each(|edit| workspace.pend(&edit.patched.path, edit.patched.after.clone()));
        let mut report = Report::default();
        let was_loaded = self.resident.is_loaded();
        let mut n_begun = 0;
        let work = self.resident.run(progress, async |engine, progress| {
            n_begun += 1;
            if n_begun > 1 && before.is_some() {
                // It has begun to go on, and cannot do that twice.
                let message = "the model's process had ended, and it is loaded again";
                return Err(Failure::new(ExitCode::NotMade, "stale", message));
            }
            report.stats.ms.load = started.elapsed().as_secs_f64() * 1e3;
            let profile = engine.inner().profile(config.shown_tokens)?;
            report.stats.model.clone_from(&engine.model().name);
            report.stats.profile = profile.name().to_owned();
            report.stats.shown_tokens = profile.budget().shown_tokens;
            report
                .stats
                .computed_on
                .clone_from(&engine.model().computes_on);
            let (is_forced, min_certainty) =
                (engine.forces_answers(), review::min_certainty(&profile));
            let options = GenerateOptions {
                most_edits: *max_steps,
                ..GenerateOptions::new(profile)
            };
            let mut session = Session {
                workspace: &workspace,
                engine,
                options,
                progress,
            };
            let steps = match &mut before {
                None => edit_in_steps(&task, &mut session).await,
                Some(steps) => {
                    let gone_on = steps::go_on(&task, steps, &mut session).await;
                    gone_on.map(|()| std::mem::take(steps))
                }
            };
            let notes = engine.inner().take_notes();
            Ok::<_, Failure>((
                steps.map_err(flow_failure)?,
                notes,
                is_forced,
                min_certainty,
            ))
        });
        let (mut steps, notes, is_forced, min_certainty) = work.await??;
        if was_loaded && n_begun == 1 {
            report.stats.ms.load = 0.0;
        }
        report.stats.ms.total = started.elapsed().as_secs_f64() * 1e3;
        report.add_stages(&steps.stages);
        let min_certainty = config.min_certainty.unwrap_or(min_certainty);
        let judged = Judged {
            is_forced,
            min_certainty,
            accept: config.accept,
        };
        workspace.forget_pending();
        let remarks = notes
            .into_iter()
            .chain(judged::unfinished(&steps))
            .collect();
        let mut edited = conclude(sentence, &mut steps, &judged, remarks, report)?;
        if let Ok(proposed) = &mut edited.proposed {
            let uses = uses::elsewhere(&steps.edits, &steps.changes(), &workspace, &task);
            proposed.warn_of_uses(uses, &judged);
            edited.report.warnings = warning_reports(&proposed.warnings);
        }
        if *may_go_on && edited.proposed.is_ok() && steps.can_go_on() {
            self.n_open += 1;
            let (number, root) = (self.n_open, root.to_owned());
            self.open = Some(OpenEdits {
                number,
                root,
                task: edit_task,
                steps,
            });
            edited.open = Some(self.n_open);
        }
        Ok(edited)
    }

    /// Works out what a patch makes of a folder; no change if the files have all of it already.
    ///
    /// # Errors
    /// With lines that say of each edit that failed what is there instead.
    pub fn plan_patch(
        &self,
        root: &Path,
        task: &PatchTask,
        report: &mut ApplyReport,
    ) -> Result<(PlannedPatch, Option<Proposed>), (Failure, Vec<String>)> {
        let alone = |failure| (failure, Vec::new());
        let (workspace, in_force) = self.open(root).map_err(alone)?;
        let _ = recovery::open_journal(&workspace);
        for (path, bytes) in &task.buffers {
            workspace.pend(path, bytes.clone());
        }
        let accept = [task.accept.as_slice(), &in_force.config.accept].concat();
        let source = PatchSource {
            text: &task.text,
            name: None,
            format: None,
            file: task.file.as_deref(),
            direction: Direction::Forth,
            failed: task.failed,
            accept: &accept,
        };
        let planned = PlannedPatch::of(&source, &workspace, report).map_err(alone)?;
        match planned.proposed(&workspace, report) {
            Ok(proposed) => Ok((planned, proposed)),
            Err(failure) => Err((failure, planned.explained())),
        }
    }

    /// Mends a bug in a copy of a folder, up to the gate.
    pub async fn repair(
        &mut self,
        root: &Path,
        task: &RepairTask,
        on_event: &mut dyn FnMut(RepairEvent),
    ) -> Result<Proposed, Failure> {
        let (workspace, InForce { config, .. }) = self.open(root)?;
        let _ = recovery::open_journal(&workspace);
        let program = std::env::current_exe()
            .map_err(|error| Failure::new(ExitCode::Environment, "environment", error))?;
        let silent = &mut |_| {};
        let work = self.resident.run(silent, async |engine, _| {
            let profile = engine.inner().profile(config.shown_tokens)?;
            let options = RepairOptions {
                command: task.command.clone(),
                test_file: None,
                max_attempts: MAX_ATTEMPTS.into(),
                max_steps: 1,
                time: Duration::from_secs(TEST_SECONDS.into()),
                sandbox: task.sandbox,
                program: program.clone(),
            };
            let mut session = RepairSession {
                workspace: &workspace,
                engine,
                profile: &profile,
                options: &options,
                on_event,
            };
            repair::repair(&task.issue, &mut session)
                .await
                .map_err(repair_failure)
        });
        let record = work.await??;
        if record.status != Some(repair::Status::Success) {
            return Err(without_success(&record));
        }
        Ok(Proposed {
            files: record.changes.iter().map(judged::proposed_file).collect(),
            remarks: Vec::new(),
            warnings: Vec::new(),
            description: task.issue.clone(),
        })
    }

    /// The files and the parts of them that a sentence may be about, best first; no model is asked.
    pub async fn find(
        &self,
        root: &Path,
        sentence: &str,
        max_files: usize,
    ) -> Result<Vec<FoundFile>, Failure> {
        let task = Task::new(sentence, Vec::new())
            .map_err(|error| Failure::new(ExitCode::Usage, "empty_task", error))?;
        let (workspace, _) = self.open(root)?;
        let found = search::find_files(&task, &workspace, max_files, &mut |_| {}).await;
        let found = found.map_err(|error| flow_failure(error.into()))?;
        let mut files = Vec::new();
        for ranked in found.ranked {
            let text = workspace.read(&ranked.path).map_err(workspace_failure)?;
            let text = text.shown();
            let blocks = best_blocks(task.sentence(), text, &Outline::of(text), BlockSize::SMALL);
            let windows = blocks.into_iter().take(WINDOWS).map(|block| FoundWindow {
                first_line: block.first_line,
                text: text[block.range].trim_end().to_owned(),
            });
            let windows = windows.collect();
            files.push(FoundFile {
                path: ranked.path,
                words: ranked.words,
                windows,
            });
        }
        Ok(files)
    }

    /// Lets a change pass the gate of its folder.
    pub async fn pass(
        &self,
        root: &Path,
        proposed: &Proposed,
        policy: Policy,
        reviewer: impl Reviewer,
    ) -> Result<Passed, Failure> {
        let (workspace, _) = self.open(root)?;
        let state = folders::state();
        let mut gate = Gate {
            workspace: &workspace,
            state: &state,
            policy,
            reviewer,
        };
        let passed = gate.pass(&proposed.proposal()).await;
        passed.map_err(|error| match error {
            GateError::Warned(warnings) => warned(&warnings),
            error => gate_failure(error, "nobody was asked"),
        })
    }

    /// Takes back what was written last in a folder. If `number` is given, it must be that edit's.
    pub fn undo(&self, root: &Path, number: Option<u64>) -> Result<Undone, Failure> {
        let (workspace, _) = self.open(root)?;
        let journal = recovery::open_journal(&workspace)?;
        take_back(&journal, &workspace, number)
    }

    /// Puts a change that an editor has made into the folder's journal.
    pub fn record(&self, root: &Path, change: &EditorChange, what: &str) -> Result<(), Failure> {
        let EditorChange {
            path,
            before,
            after,
            on_disk,
        } = change;
        let (workspace, _) = self.open(root)?;
        let journal = recovery::open_journal(&workspace)?;
        let bytes = |text: &str| {
            on_disk.rewritten(text).map_err(|error| {
                Failure::new(ExitCode::NotMade, "encoding", format!("{path}: {error}"))
            })
        };
        let change = Change::replace(path, &bytes(before)?, &bytes(after)?);
        let recorded = journal.record(&workspace, &change, on_disk.bytes(), what);
        recorded.map_err(journaled_failure)
    }

    /// A file's text before the last edit that was written to it on disk.
    pub fn before_last_edit(&self, root: &Path, path: &str) -> Result<Option<String>, Failure> {
        let (workspace, _) = self.open(root)?;
        let journal = recovery::open_journal(&workspace)?;
        let before = journal.before_last_commit(path);
        let before = before.map_err(|error| journaled_failure(error.into()))?;
        let text = before.and_then(|bytes| Text::decode(bytes).ok());
        Ok(text.map(|text| text.shown().to_owned()))
    }

    /// The edit that `undo` would take back, if an editor has made it: its number, its file, and the
    /// text in the editor before and after.
    pub fn made_in_editor(
        &self,
        root: &Path,
        number: Option<u64>,
    ) -> Result<Option<(u64, String, String, String)>, Failure> {
        let (workspace, _) = self.open(root)?;
        let journal = recovery::open_journal(&workspace)?;
        let made = journal.made_in_editor(number);
        let made = made.map_err(|error| journaled_failure(error.into()))?;
        let text = |bytes: Option<Vec<u8>>| Text::decode(bytes.unwrap_or_default()).ok();
        Ok(made.and_then(
            |(
                number,
                Change {
                    path,
                    before,
                    after,
                    ..
                },
            )| {
                let (before, after) = (text(before)?, text(after)?);
                Some((
                    number,
                    path,
                    before.shown().to_owned(),
                    after.shown().to_owned(),
                ))
            },
        ))
    }

    /// Records that an editor has taken back the edit with this number, which it had made.
    pub fn undone_in_editor(&self, root: &Path, number: u64) -> Result<Undone, Failure> {
        let (workspace, _) = self.open(root)?;
        let journal = recovery::open_journal(&workspace)?;
        let undone = journal.undone_in_editor(&workspace, number);
        undone.map(Undone::from).map_err(journaled_failure)
    }

    /// What was written in a folder, the newest first.
    pub fn written(&self, root: &Path) -> Result<Vec<WrittenEdit>, Failure> {
        let (workspace, _) = self.open(root)?;
        written(&recovery::open_journal(&workspace)?)
    }
}

/// Warnings that nobody accepted.
fn warned(warnings: &[Warning]) -> Failure {
    let mut kinds: Vec<&str> = warnings.iter().map(|it| it.kind.word()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let message = format!(
        "it has warnings ({}); nothing was written",
        kinds.join(", ")
    );
    let hint = format!("look at the diff again: if it is right, call again with accept: {kinds:?}");
    Failure::new(ExitCode::NotMade, "warned", message).hint(hint)
}

/// Edits, or why there are none.
fn conclude(
    sentence: &str,
    steps: &mut Steps,
    judged: &Judged,
    remarks: Vec<String>,
    mut report: Report,
) -> Result<Edited, Failure> {
    let certainty = least_certainty(&steps.edits);
    if let Some(failed) = steps.failed.take() {
        let certainty = failed.certainty;
        let claim = judged::without_edit(failed, judged)?;
        report.status = Status::AlreadyDone;
        return Ok(Edited {
            report,
            proposed: Err(claim),
            certainty,
            open: None,
        });
    }
    let changes = steps.changes();
    if changes.is_empty() {
        report.status = Status::AlreadyDone;
        let claim = "the edits take each other back".to_owned();
        return Ok(Edited {
            report,
            proposed: Err(claim),
            certainty,
            open: None,
        });
    }
    report.add_edits(steps.edits.iter().map(|edit| &edit.patched), &changes);
    let mut proposed = Proposed::of(&steps.edits, &changes, judged, sentence);
    proposed.remarks.extend(remarks);
    report.status = Status::WouldBeDone;
    Ok(Edited {
        report,
        proposed: Ok(proposed),
        certainty,
        open: None,
    })
}
