//! One prompt, from its words to what is written.

use super::buffer::{decoded, is_same, lacks_characters, with_last_newline};
use super::client::{Client, Permission};
use super::prompt::{Attached, UndoWish, Wish};
use super::question::{self, Question};
use super::session::{Made, Session};
use crate::cli::apply::FailedEdits;
use crate::cli::exit::ExitCode;
use crate::cli::failure::Failure;
use crate::cli::judged::Proposed;
use crate::cli::report::ApplyReport;
use crate::cli::serving::{Buffers, EditTask, EditorChange, ModelDesk, PatchTask, RepairTask};
use crate::cli::undo::Undone;
use crate::engine::Progress;
use crate::repair::RepairEvent;
use crate::review::gate::{Decision, Notice, Policy, ProposedFile, Reviewer};
use crate::sandbox::SandboxOptions;
use crate::serve::Handle;
use crate::text::Text;
use crate::workspace::Change;
use agent_client_protocol::v1::schema::{
    ContentBlock, StopReason, ToolCallStatus, ToolCallUpdateFields, ToolKind,
};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The shortest time between two signs of progress.
const PROGRESS_EVERY: Duration = Duration::from_millis(250);

/// Files that are read from the editor before the model is asked.
const LIKELY_FILES: usize = 3;

/// Edits that `/undo list` shows.
const LISTED_EDITS: usize = 20;

/// How often an edit is made again because a file turned out to be unsaved in the editor.
const MAX_REREADS: usize = 3;

/// How every prompt is worked on.
#[derive(Clone, Copy, Debug)]
pub(super) struct PromptOptions {
    /// Edits of a prompt.
    pub max_steps: Option<usize>,
    /// Where the tests of a repair run.
    pub sandbox: SandboxOptions,
}

/// One prompt of a session.
pub(super) struct Turn {
    pub desk: Handle<ModelDesk>,
    pub client: Client,
    pub session: Session,
    pub options: PromptOptions,
    /// Names its piece of work in the conversation.
    pub id: String,
}

impl Turn {
    /// Does what the prompt asks for. All that went wrong is said in the conversation.
    pub async fn run(&self, wish: Wish) -> StopReason {
        let done = match wish {
            Wish::Edit { sentence, files } => self.edit(sentence, files).await,
            Wish::More => self.more().await,
            Wish::Apply { patch, attached } => self.apply(patch, attached).await,
            Wish::Undo(wish) => self.undo(wish).await,
            Wish::Repair { command, issue } => self.repair(command, issue).await,
        };
        match done {
            Ok(stop) => stop,
            Err(failure) => {
                self.client.end(&self.id, ToolCallStatus::Failed);
                self.client.say(&said(&failure));
                StopReason::EndTurn
            }
        }
    }

    /// Shows that the prompt was cancelled.
    pub fn cancelled(&self) {
        self.client.end(&self.id, ToolCallStatus::Failed);
    }

    async fn edit(&self, sentence: String, files: Vec<PathBuf>) -> Result<StopReason, Failure> {
        self.client
            .begin(&self.id, &title(&sentence), ToolKind::Edit);
        self.session.keep_open(None);
        let named = |path: &PathBuf| path.to_string_lossy().into_owned();
        let files: Vec<String> = files.iter().map(named).collect();
        let mut buffers = Buffers::new();
        for file in self.likely(&sentence, &files).await? {
            self.read_unsaved(Path::new(&file), &mut buffers).await?;
        }
        for _ in 0..MAX_REREADS {
            let task = EditTask {
                sentence: sentence.clone(),
                files: files.clone(),
                max_steps: self.options.max_steps,
                buffers: buffers.clone(),
                may_go_on: true,
            };
            let (root, progress) = (self.session.root.clone(), self.progress());
            let work = self.desk.run(async move |desk| {
                let mut progress = progress;
                desk.edit(&root, task, &mut progress).await
            });
            let edited = work.await.map_err(ended)??;
            if edited.report.stats.ms.load > 0.0 {
                self.client
                    .say(&format!("Model: {}", edited.report.stats.model));
            }
            let proposed = match edited.proposed {
                Ok(proposed) => proposed,
                Err(claim) => {
                    self.client.end(&self.id, ToolCallStatus::Completed);
                    self.client.say(&format!("Nothing to do: {claim}"));
                    return Ok(StopReason::EndTurn);
                }
            };
            if !self.finds_unsaved(&proposed, &mut buffers).await? {
                let open = edited.open;
                return self
                    .offer(Made {
                        proposed,
                        buffers,
                        open,
                        must_ask: false,
                    })
                    .await;
            }
        }
        Err(unsettled())
    }

    /// The files that the edit is probably of. If one that is not saved is known beforehand, the
    /// model need not be asked twice.
    async fn likely(&self, sentence: &str, named: &[String]) -> Result<Vec<String>, Failure> {
        if !named.is_empty() || !self.client.fs.read_text_file {
            return Ok(named.to_vec());
        }
        let (root, sentence) = (self.session.root.clone(), sentence.to_owned());
        let work = self
            .desk
            .run(async move |desk| desk.find(&root, &sentence, LIKELY_FILES).await);
        // Why nothing is found is said when the edit is made.
        let found = work.await.map_err(ended)?.unwrap_or_default();
        Ok(found.into_iter().map(|file| file.path).collect())
    }

    async fn apply(
        &self,
        mut patch: String,
        attached: Vec<Attached>,
    ) -> Result<StopReason, Failure> {
        self.client.begin(&self.id, "Apply a patch", ToolKind::Edit);
        for attached in attached {
            patch += &match attached {
                Attached::Text(text) => text,
                Attached::File(path) => self.patch_in(&path).await?,
            };
            patch.push('\n');
        }
        let mut buffers = Buffers::new();
        for _ in 0..MAX_REREADS {
            let task = PatchTask {
                text: patch.clone(),
                file: None,
                failed: FailedEdits::Refuse,
                accept: Vec::new(),
                buffers: buffers.clone(),
            };
            let root = self.session.root.clone();
            let work = self.desk.run(async move |desk| {
                let planned = desk.plan_patch(&root, &task, &mut ApplyReport::default());
                planned.map(|(_, proposed)| proposed)
            });
            let proposed = match work.await.map_err(ended)? {
                Ok(proposed) => proposed,
                Err((failure, lines)) => {
                    self.client.say(&lines.join("\n"));
                    return Err(failure);
                }
            };
            let Some(proposed) = proposed else {
                self.client.end(&self.id, ToolCallStatus::Completed);
                self.client
                    .say("Nothing to do: the files have all of this already.");
                return Ok(StopReason::EndTurn);
            };
            if !self.finds_unsaved(&proposed, &mut buffers).await? {
                return self
                    .offer(Made {
                        proposed,
                        buffers,
                        open: None,
                        must_ask: false,
                    })
                    .await;
            }
        }
        Err(unsettled())
    }

    /// The text of a file that the person has attached, as the editor has it, else as the disk has.
    async fn patch_in(&self, path: &Path) -> Result<String, Failure> {
        let on_disk = crate::cli::apply::read_patch(Some(path));
        match (on_disk, self.client.read(path).await) {
            (Ok((on_disk, _)), Some(text)) if lacks_characters(&text, &on_disk) => Ok(on_disk),
            (_, Some(text)) => Ok(text),
            (on_disk, None) => on_disk.map(|(text, _)| text),
        }
    }

    async fn repair(&self, command: String, issue: String) -> Result<StopReason, Failure> {
        self.client.begin(
            &self.id,
            &format!("Repair until {command:?} passes"),
            ToolKind::Execute,
        );
        if command.is_empty() || issue.is_empty() {
            let message = "a repair needs a test command and what is wrong";
            return Err(Failure::new(ExitCode::Usage, "empty_issue", message)
                .hint("/repair make test, and on the next line: total() ignores the discount"));
        }
        let (root, client, progress) = (
            self.session.root.clone(),
            self.client.clone(),
            self.progress(),
        );
        let task = RepairTask {
            issue,
            command,
            sandbox: self.options.sandbox,
        };
        let work = self.desk.run(async move |desk| {
            let mut progress = progress;
            let mut on_event = |event: RepairEvent| match event {
                RepairEvent::Model(step) => progress(step),
                event => client.say(&event.to_string()),
            };
            desk.repair(&root, &task, &mut on_event).await
        });
        let proposed = work.await.map_err(ended)??;
        // The tests ran with what is on disk, so an unsaved file was not tested.
        let mut buffers = Buffers::new();
        if self.finds_unsaved(&proposed, &mut buffers).await? {
            let files: Vec<&str> = buffers.keys().map(String::as_str).collect();
            return Err(save_first(&files));
        }
        self.offer(Made {
            proposed,
            buffers,
            open: None,
            must_ask: false,
        })
        .await
    }

    /// Has the model go on with the edits that were shown last.
    async fn more(&self) -> Result<StopReason, Failure> {
        self.client.begin(&self.id, "Go on", ToolKind::Edit);
        let Some(made) = self.session.take_open() else {
            let message = "there are no edits to go on with";
            return Err(Failure::new(ExitCode::Usage, "nothing_open", message));
        };
        let made = self.gone_on(made).await?;
        self.offer(made).await
    }

    /// Shows a change, asks, and writes it.
    async fn offer(&self, made: Made) -> Result<StopReason, Failure> {
        // Before the question: some editors cancel a prompt whose change is rejected.
        self.session.keep_open(Some(&made));
        match self.permission(&made).await? {
            Permission::Once => {}
            Permission::Always => self.session.allow_always(),
            Permission::Rejected => {
                self.client.end(&self.id, ToolCallStatus::Failed);
                let more = match made.open {
                    Some(_) => " If an edit is missing, /more has the model go on with these.",
                    None => "",
                };
                self.client.say(&format!("Nothing was written.{more}"));
                return Ok(StopReason::EndTurn);
            }
            Permission::Cancelled => return Ok(StopReason::Cancelled),
        }
        self.session.keep_open(None);
        let Made {
            mut proposed,
            mut buffers,
            ..
        } = made;
        // Others were only shown to the model.
        buffers.retain(|path, _| proposed.changes().any(|change| change.path == *path));
        // Whoever said yes has seen the warnings.
        proposed
            .warnings
            .iter_mut()
            .for_each(|warning| warning.accepted = true);
        let files = proposed.paths().join(", ");
        let fields = self.all_of(&proposed).title(format!("Change {files}"));
        self.client
            .change(&self.id, fields.status(ToolCallStatus::InProgress));
        let unsaved: Vec<&str> = buffers.keys().map(String::as_str).collect();
        if unsaved.is_empty() {
            // The person may have typed while the question was open.
            if self.finds_unsaved(&proposed, &mut Buffers::new()).await? {
                return Err(unsettled());
            }
            self.write_by_gate(proposed).await?;
        } else {
            self.write_by_editor(&proposed, &unsaved).await?;
        }
        self.client.end(&self.id, ToolCallStatus::Completed);
        self.client
            .say(&format!("Wrote {files}. /undo takes it back."));
        Ok(StopReason::EndTurn)
    }

    /// Shows a change, and asks of each file whether it may be written. Some editors show of a
    /// question the first diff only, and nobody may say yes to a file that they have not seen.
    async fn permission(&self, made: &Made) -> Result<Permission, Failure> {
        let Made {
            proposed, must_ask, ..
        } = made;
        self.client.change(&self.id, self.all_of(proposed));
        for line in question::notes(proposed) {
            self.client.say(&line);
        }
        let is_sure = proposed.warnings.iter().all(|warning| warning.accepted);
        if is_sure && !must_ask && self.session.is_always_allowed() {
            return Ok(Permission::Always);
        }
        let mut permission = Permission::Once;
        for idx in 0..proposed.files.len() {
            let question = Question::about(proposed, idx, &self.session.root);
            match self.client.ask(&self.id, question).await? {
                Permission::Once => {}
                Permission::Always => permission = Permission::Always,
                refused => return Ok(refused),
            }
        }
        Ok(permission)
    }

    /// All files of a change, before and after.
    fn all_of(&self, proposed: &Proposed) -> ToolCallUpdateFields {
        let (root, files) = (&self.session.root, &proposed.files);
        let locations = files
            .iter()
            .flat_map(|file| question::locations(file, root));
        let diffs = files.iter().flat_map(|file| question::diffs(file, root));
        ToolCallUpdateFields::new()
            .content(diffs.collect::<Vec<_>>())
            .locations(locations.collect::<Vec<_>>())
    }

    /// A change after which the model has gone on; the same one if nothing came of that, which is said.
    async fn gone_on(&self, made: Made) -> Result<Made, Failure> {
        let number = made.open.expect("only what is open is kept");
        let progress = self.progress();
        let work = self.desk.run(async move |desk| {
            let mut progress = progress;
            desk.go_on(number, &mut progress).await
        });
        // The edits before stand in any case.
        let before = Made {
            open: None,
            must_ask: true,
            ..made
        };
        let edited = match work.await.map_err(ended)? {
            Ok(edited) => edited,
            Err(failure) => {
                self.client
                    .say(&format!("No further edit: {}", said(&failure)));
                return Ok(before);
            }
        };
        let Ok(proposed) = edited.proposed else {
            self.client
                .say("No further edit: it would take back the ones before.");
            return Ok(before);
        };
        let mut buffers = before.buffers.clone();
        self.finds_unsaved(&proposed, &mut buffers).await?;
        let is_changed = |path: &String| proposed.changes().any(|change| change.path == *path);
        let unsaved: Vec<&str> = buffers
            .keys()
            .filter(|path| is_changed(path))
            .map(String::as_str)
            .collect();
        // The model has not read what the person typed since; and an editor gets one file.
        let is_new = |path: &&str| !before.buffers.contains_key(*path);
        if unsaved.iter().any(is_new) || (!unsaved.is_empty() && proposed.changes().count() > 1) {
            self.client
                .say(&format!("No further edit: {}", said(&save_first(&unsaved))));
            return Ok(before);
        }
        Ok(Made {
            proposed,
            buffers,
            open: edited.open,
            must_ask: true,
        })
    }

    async fn write_by_gate(&self, mut proposed: Proposed) -> Result<(), Failure> {
        proposed.remarks.clear(); // they were said
        let (root, listener) = (self.session.root.clone(), Listener(self.client.clone()));
        let work = self
            .desk
            .run(async move |desk| desk.pass(&root, &proposed, Policy::Yes, listener).await);
        work.await.map_err(ended)??;
        Ok(())
    }

    /// Gives a file that is not saved a new text in the editor, which has the only copy of the old.
    async fn write_by_editor(&self, proposed: &Proposed, unsaved: &[&str]) -> Result<(), Failure> {
        let changes: Vec<&Change> = proposed.changes().collect();
        let [
            Change {
                path,
                before: Some(before),
                after: Some(after),
                chmod: None,
                ..
            },
        ] = changes.as_slice()
        else {
            return Err(save_first(unsaved));
        };
        let absolute = self.session.root.join(path);
        let on_disk = self.on_disk(&absolute).await?;
        let Some((_, on_disk)) = on_disk.filter(|_| self.client.fs.write_text_file) else {
            return Err(save_first(unsaved));
        };
        let (before, after) = (decoded(before), decoded(after));
        if lacks_characters(&before, on_disk.shown()) {
            let failure = save_first(unsaved);
            return Err(failure.hint("the editor does not give all characters that the file has"));
        }
        if self.is_outdated(path, &before).await? {
            let message = format!(
                "{path} is in the editor as it was before the last edit; nothing was written"
            );
            return Err(Failure::new(ExitCode::NotMade, "unsaved", message)
                .hint("reload it there (or save it, if that is meant), and ask again"));
        }
        self.exchange(&absolute, &before, &after).await?;
        let (path, what) = (path.clone(), proposed.description.clone());
        let change = EditorChange {
            path,
            before,
            after,
            on_disk,
        };
        let root = self.session.root.clone();
        let work = self
            .desk
            .run(async move |desk| desk.record(&root, &change, &what));
        if let Err(failure) = work.await.map_err(ended)? {
            self.client.say(&format!(
                "This edit cannot be undone: {}",
                failure.error.message
            ));
        }
        Ok(())
    }

    /// Whether an editor has not noticed the last edit of a file. Written from there, the file would
    /// lose that edit.
    async fn is_outdated(&self, path: &str, in_editor: &str) -> Result<bool, Failure> {
        let (root, path) = (self.session.root.clone(), path.to_owned());
        let work = self
            .desk
            .run(async move |desk| desk.before_last_edit(&root, &path));
        // Without a journal nothing was written by this program.
        let before = work.await.map_err(ended)?.ok().flatten();
        Ok(before.is_some_and(|before| is_same(&before, in_editor)))
    }

    /// Gives a file a new text in the editor if it still has the old one there. The editor's own
    /// line endings stay.
    async fn exchange(&self, path: &Path, before: &str, after: &str) -> Result<(), Failure> {
        let stale = || {
            let message = format!("{} has changed since; nothing was written", path.display());
            Failure::new(ExitCode::NotMade, "stale", message).hint("ask again")
        };
        let there = self
            .client
            .read(path)
            .await
            .filter(|there| is_same(there, before));
        let there = Text::decode(there.ok_or_else(stale)?.into_bytes()).map_err(|_| stale())?;
        let new = there
            .rewritten(after)
            .ok()
            .and_then(|bytes| String::from_utf8(bytes).ok());
        self.client.write(path, &new.ok_or_else(stale)?).await
    }

    async fn undo(&self, wish: UndoWish) -> Result<StopReason, Failure> {
        let is_list = wish == UndoWish::List;
        let kind = if is_list {
            ToolKind::Read
        } else {
            ToolKind::Edit
        };
        self.client.begin(
            &self.id,
            if is_list { "What was written" } else { "Undo" },
            kind,
        );
        let number = match wish {
            UndoWish::Last => None,
            UndoWish::Number(number) => Some(number),
            UndoWish::List => return self.list_edits().await,
            UndoWish::Unclear(words) => {
                let message = format!("{words:?} is no number of an edit");
                return Err(Failure::new(ExitCode::Usage, "no_such_edit", message));
            }
        };
        let root = self.session.root.clone();
        let in_editor = self.undone_in_editor(number).await?;
        let work = self.desk.run(async move |desk| match in_editor {
            Some(number) => desk.undone_in_editor(&root, number),
            None => desk.undo(&root, number),
        });
        let Undone { what, files } = work.await.map_err(ended)??;
        self.client.end(&self.id, ToolCallStatus::Completed);
        self.client
            .say(&format!("Took back in {}: {what}", files.join(", ")));
        Ok(StopReason::EndTurn)
    }

    /// Takes an edit that was made in the editor back there, if its text is still the one after that
    /// edit. Gives its number.
    async fn undone_in_editor(&self, number: Option<u64>) -> Result<Option<u64>, Failure> {
        if !self.client.fs.write_text_file {
            return Ok(None);
        }
        let root = self.session.root.clone();
        let work = self
            .desk
            .run(async move |desk| desk.made_in_editor(&root, number));
        let Some((number, path, before, after)) = work.await.map_err(ended)?? else {
            return Ok(None);
        };
        let exchanged = self
            .exchange(&self.session.root.join(path), &after, &before)
            .await;
        match exchanged {
            Ok(()) => Ok(Some(number)),
            // It may be closed, or saved and changed since: the disk tells.
            Err(failure) if failure.error.kind == "stale" => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    async fn list_edits(&self) -> Result<StopReason, Failure> {
        let root = self.session.root.clone();
        let work = self.desk.run(async move |desk| desk.written(&root));
        let edits = work.await.map_err(ended)??;
        let list: String = edits
            .iter()
            .take(LISTED_EDITS)
            .map(|edit| format!("- {edit}\n"))
            .collect();
        let none = "Nothing was written in this folder yet.";
        self.client.end(&self.id, ToolCallStatus::Completed);
        self.client.say(if list.is_empty() { none } else { &list });
        Ok(StopReason::EndTurn)
    }

    /// Reads a file from the editor. If it is not saved there, its text goes with the buffers.
    /// Gives whether it was new there.
    ///
    /// A file that is not UTF-8 is not asked for: what an editor makes of it is not what it has.
    async fn read_unsaved(&self, path: &Path, buffers: &mut Buffers) -> Result<bool, Failure> {
        let absolute = self.session.root.join(path);
        let on_disk = self.on_disk(&absolute).await?;
        let is_utf8 = |text: &Text| std::str::from_utf8(text.bytes()).is_ok();
        let Some((path, on_disk)) = on_disk.filter(|(_, text)| is_utf8(text)) else {
            return Ok(false);
        };
        let Some(text) = self.client.read(&absolute).await else {
            return Ok(false);
        };
        if buffers.contains_key(&path) || is_same(&text, on_disk.shown()) {
            return Ok(false);
        }
        buffers.insert(path, with_last_newline(text, on_disk.shown()).into_bytes());
        Ok(true)
    }

    /// A file's path relative to the root, and its text on disk. None for one that cannot be edited:
    /// it is refused with its reason when the edit is made.
    async fn on_disk(&self, absolute: &Path) -> Result<Option<(String, Text)>, Failure> {
        let (root, named) = (
            self.session.root.clone(),
            absolute.to_string_lossy().into_owned(),
        );
        let work = self.desk.run(async move |desk| {
            let (workspace, _) = desk.open(&root)?;
            let path = workspace.resolve_named(&named).ok();
            let read = |path: String| workspace.read(&path).ok().map(|text| (path, text));
            Ok::<_, Failure>(path.and_then(read))
        });
        work.await.map_err(ended)?
    }

    /// Whether a change is of files that are not saved in the editor and were read from disk.
    async fn finds_unsaved(
        &self,
        proposed: &Proposed,
        buffers: &mut Buffers,
    ) -> Result<bool, Failure> {
        let mut found = false;
        for change in proposed.changes().filter(|change| change.before.is_some()) {
            found |= self.read_unsaved(Path::new(&change.path), buffers).await?;
        }
        Ok(found)
    }

    /// Shows how far the model is, now and then.
    fn progress(&self) -> impl FnMut(Progress) + Send + use<> {
        let (client, id) = (self.client.clone(), self.id.clone());
        let mut shown: Option<Instant> = None;
        move |step| {
            if shown.is_some_and(|shown| shown.elapsed() < PROGRESS_EVERY) {
                return;
            }
            shown = Some(Instant::now());
            let text = ContentBlock::from(step.to_string());
            client.change(&id, ToolCallUpdateFields::new().content(vec![text.into()]));
        }
    }
}

/// The first line of a sentence, for a heading.
fn title(sentence: &str) -> String {
    const SHOWN: usize = 80;
    let line = sentence.lines().next().unwrap_or_default();
    let shown: String = line.chars().take(SHOWN).collect();
    if shown.len() < sentence.len() {
        format!("{shown} …")
    } else {
        shown
    }
}

/// What the person can do about an error. None: what it says itself, or the agent's options.
fn next_step(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "declined" => "name the file, the text, and what it should become",
        "unsure" => "say it in other words: name the text and what it should become",
        "truncated" | "task_too_long" => "ask for a smaller change",
        "mechanics" => "name the file and the text to change",
        "stale" | "locked" => "ask again",
        "not_found" | "no_files" => "mention the file, or say that it is to be created",
        "outside" | "path" => "only files of this session's folder are edited",
        "nothing_open" => {
            "/more is for edits that were just shown and not written, by a model with an adapter of ours"
        }
        "no_edit" => "put the name of the file above each block",
        "not_applied" => "mend what failed, and apply the patch again",
        "nothing_to_undo" => "the editor's own undo may help; /undo list shows older edits",
        "no_such_edit" => "/undo list shows the edits with their numbers",
        "not_reproduced" => "write a test that fails because of the bug, and ask again",
        _ => return None,
    })
}

fn said(failure: &Failure) -> String {
    let message = &failure.error.message;
    match next_step(&failure.error.kind) {
        Some(next) => format!("{message}\n- {next}"),
        None => failure
            .error
            .hints
            .iter()
            .fold(message.clone(), |said, hint| said + "\n- " + hint),
    }
}

fn ended(error: impl ToString) -> Failure {
    Failure::new(ExitCode::Interrupted, "interrupted", error)
}

fn save_first(files: &[&str]) -> Failure {
    let message = format!(
        "{} has changes that are not saved; nothing was written",
        files.join(", ")
    );
    Failure::new(ExitCode::NotMade, "unsaved", message).hint("save it, and ask again")
}

fn unsettled() -> Failure {
    let message = "the files change in the editor while they are edited; nothing was written";
    Failure::new(ExitCode::NotMade, "stale", message).hint("ask again")
}

/// Tells the person what the gate has to say. They have been asked already.
struct Listener(Client);

impl Reviewer for Listener {
    fn show(&mut self, _: &[ProposedFile], _: Policy) -> io::Result<()> {
        Ok(())
    }

    fn tell(&mut self, notice: Notice<'_>) {
        match notice {
            Notice::Remark(_) | Notice::Warning(_) => {} // said before the question
            Notice::Recovered(recovered) => self.0.say(&format!(
                "An interrupted change was finished or taken back: {}",
                recovered.entry.what
            )),
            Notice::CannotBeUndone(error) => {
                self.0.say(&format!("This edit cannot be undone: {error}"));
            }
        }
    }

    fn can_be_asked(&self) -> bool {
        false
    }

    async fn decide(&mut self, _: &str, _: &[ProposedFile]) -> Decision {
        Decision::No
    }
}
