//! One prompt, from its words to the question to the person.

use super::buffer::lacks_characters;
use super::client::{Client, Permission};
use super::markdown::markdown;
use super::notes;
use super::prompt::{Attached, UndoWish, Wish};
use super::question::{self, Question};
use super::session::{Made, Mode, Session};
use crate::app::arguments::EditCount;
use crate::app::earlier;
use crate::app::editor::{self, Again, Editor, First};
use crate::app::find::find;
use crate::app::offer::Offer;
use crate::app::patch::{FailedEdits, PatchRequest, PlannedPatch, read_file};
use crate::app::project::{Buffers, Project};
use crate::app::proposed::Proposed;
use crate::app::repair::RepairRequest;
use crate::app::report::{ApplyReport, Report, Stats};
use crate::app::request::EditRequest;
use crate::app::talk;
use crate::engine::Progress;
use crate::failure::{Failure, FailureKind};
use crate::repair::RepairEvent;
use crate::sandbox::SandboxOptions;
use crate::serve::Handle;
use agent_client_protocol::v1::schema::{
    ContentBlock, SessionUpdate, StopReason, ToolCallStatus, ToolCallUpdateFields, ToolKind,
    UsageUpdate,
};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
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
    /// The most edits of a prompt; without it the model decides.
    pub max_steps: Option<usize>,
    /// Where the tests of a repair, and a check, run.
    pub sandbox: SandboxOptions,
}

/// One prompt of a session.
pub(super) struct Turn {
    pub desk: Handle<Editor>,
    pub client: Client,
    pub session: Session,
    pub options: PromptOptions,
    /// The folder that it is about.
    pub root: PathBuf,
    /// Names its piece of work in the conversation.
    pub id: String,
    /// What that piece of work is, in words. Empty before it has begun.
    pub title: Mutex<String>,
    /// Whether something is being written, which is not cancelled any more.
    pub writes: AtomicBool,
}

impl Turn {
    /// Does what the prompt asks for. Failures are said in the conversation.
    pub async fn run(&self, wish: Wish) -> StopReason {
        let done = match wish {
            Wish::Edit {
                sentence,
                files,
                open,
                at,
            } => {
                let request = EditRequest {
                    files: paths(files),
                    open: paths(open),
                    sentence,
                    at,
                    ..EditRequest::default()
                };
                self.edit(request).await
            }
            Wish::Answer(answer) => {
                self.client.say(&answer);
                Ok(StopReason::EndTurn)
            }
            Wish::More => self.again("Go on", editor::Wish::More).await,
            Wish::Also(sentence) => {
                let title = title(&sentence);
                self.again(&title, editor::Wish::FollowUp(sentence)).await
            }
            Wish::Apply { patch, attached } => self.apply(patch, attached).await,
            Wish::Undo(wish) => self.undo(wish).await,
            Wish::Repair { command, issue } => self.repair(command, issue).await,
        };
        match done {
            Ok(stop) => stop,
            Err(failure) => {
                self.end(ToolCallStatus::Failed, &failure.message);
                self.client.say(&said(&failure));
                StopReason::EndTurn
            }
        }
    }

    /// Shows that the prompt was cancelled.
    pub fn cancelled(&self) {
        self.end(ToolCallStatus::Failed, "cancelled");
    }

    /// Whether something is being written.
    pub fn is_writing(&self) -> bool {
        self.writes.load(Ordering::Relaxed)
    }

    /// From now on the prompt is not cancelled any more.
    pub(super) fn begins_to_write(&self) {
        self.writes.store(true, Ordering::Relaxed);
    }

    /// Shows that a piece of work begins.
    fn begin(&self, title: &str, kind: ToolKind) {
        title.clone_into(&mut self.title());
        self.client.begin(&self.id, title, kind);
    }

    fn title(&self) -> MutexGuard<'_, String> {
        self.title
            .lock()
            .expect("nothing panics while it holds the lock")
    }

    /// Shows that the piece of work has ended, if it had begun. `result` replaces what was shown of its
    /// progress.
    fn end(&self, status: ToolCallStatus, result: &str) {
        let title = self.title().clone();
        if title.is_empty() {
            return;
        }
        let content = ContentBlock::from(markdown(result));
        let fields = ToolCallUpdateFields::new().title(title).status(status);
        self.client
            .change(&self.id, fields.content(vec![content.into()]));
    }

    /// Does a piece of work in the session's folder, when it is its turn.
    pub(super) async fn at_desk<T: Send + 'static>(
        &self,
        work: impl AsyncFnOnce(&mut Editor, Project) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let root = self.root.clone();
        let done = self.desk.run(async move |editor: &mut Editor| {
            let done = match editor.open(&root) {
                Ok(project) => work(editor, project).await,
                Err(failure) => Err(failure),
            };
            (done, notes::take())
        });
        let (done, notes) = done.await.map_err(ended)?;
        for note in notes {
            self.client.say(&note);
        }
        done
    }

    /// The same, with the model of the session.
    async fn with_model<T: Send + 'static>(
        &self,
        work: impl AsyncFnOnce(&mut Editor, Project) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let model = self.session.model();
        self.at_desk(async move |editor, project| {
            editor.choose(model.as_deref());
            work(editor, project).await
        })
        .await
    }

    async fn edit(&self, request: EditRequest) -> Result<StopReason, Failure> {
        self.begin(&title(&request.sentence), ToolKind::Edit);
        self.session.keep_open(None);
        self.session.keep_folder(self.root.clone());
        let mut buffers = Buffers::new();
        for file in self.likely(&request).await? {
            self.read_unsaved(Path::new(&file), &mut buffers).await?;
        }

        let most = self.options.max_steps;
        for _ in 0..MAX_REREADS {
            let request = EditRequest {
                earlier: self.session.last(),
                edits: most.map(|most| EditCount { least: 1, most }),
                buffers: buffers.clone(),
                sandbox: self.options.sandbox,
                ..request.clone()
            };
            let Some((offer, proposed)) = self.offered(request).await? else {
                return Ok(StopReason::EndTurn);
            };
            if !self.finds_unsaved(&proposed, &mut buffers).await? {
                let made = Made {
                    proposed,
                    buffers,
                    must_ask: false,
                };
                return self.offer(made, Some(offer)).await;
            }
        }
        Err(unsettled())
    }

    /// The edits of a task. `None` if there is nothing to do, which is said.
    async fn offered(
        &self,
        request: EditRequest,
    ) -> Result<Option<(Box<Offer>, Proposed)>, Failure> {
        let mut progress = self.progress();
        let (offered, stats) = self
            .with_model(async move |editor, project| {
                project.recover();
                let mut report = Report::default();
                let first = editor.first(project, request, &mut report, &mut progress);
                let first = first.await?;
                let offered = match first {
                    First::Offer(offer) => {
                        let proposed = offer.proposed(&mut report);
                        Ok((offer, proposed))
                    }
                    First::NothingToDo { claim, .. } => Err(claim),
                };
                Ok((offered, report.stats))
            })
            .await?;
        if stats.ms.load > 0.0 {
            self.client.say(&format!("Model: {}", stats.model));
        }
        self.show_usage(&stats);
        match offered {
            Ok(offered) => Ok(Some(offered)),
            Err(claim) => {
                let result = format!("Nothing to do: {claim}");
                self.end(ToolCallStatus::Completed, &result);
                self.client.say(&result);
                Ok(None)
            }
        }
    }

    /// Shows how much of the model's context window the longest question took.
    fn show_usage(&self, stats: &Stats) {
        let stages = stats.stages.iter().map(|stage| &stage.stats);
        let used = stages.map(|it| it.prompt_tokens + it.forced_tokens + it.sampled_tokens);
        if let (Some(used), Some(size)) = (used.max(), stats.context_tokens) {
            let usage = UsageUpdate::new(used as u64, size as u64);
            self.client.update(SessionUpdate::UsageUpdate(usage));
        }
    }

    /// The files that the edit is probably of. If one that is not saved is known beforehand, the
    /// model need not be asked twice.
    async fn likely(&self, request: &EditRequest) -> Result<Vec<String>, Failure> {
        let EditRequest { files, open, .. } = request;
        if !self.client.fs.read_text_file {
            return Ok(files.clone());
        }
        if !files.is_empty() {
            self.refuse_unwritten(files).await?;
            return Ok(files.clone());
        }
        let sentence = request.sentence.clone();
        // Why nothing is found is said when the edit is made.
        let found = self
            .at_desk(async move |_, project| {
                let found = find(&project, &sentence, LIKELY_FILES).await;
                Ok(found.unwrap_or_default())
            })
            .await?;
        let found = found.into_iter().map(|file| file.path);
        Ok(open.iter().cloned().chain(found).collect())
    }

    /// Refuses a file that only the editor has.
    async fn refuse_unwritten(&self, files: &[String]) -> Result<(), Failure> {
        for file in files {
            let path = Path::new(file);
            if !path.exists() && self.client.read(path).await.is_some() {
                return Err(save_first(&[file]));
            }
        }
        Ok(())
    }

    async fn apply(
        &self,
        mut patch: String,
        attached: Vec<Attached>,
    ) -> Result<StopReason, Failure> {
        self.begin("Apply a patch", ToolKind::Edit);
        self.session.keep_folder(self.root.clone());
        for attached in attached {
            patch += &match attached {
                Attached::Text(text) => text,
                Attached::File(path) => self.patch_in(&path).await?,
            };
            patch.push('\n');
        }

        let mut buffers = Buffers::new();
        for _ in 0..MAX_REREADS {
            let request = PatchRequest {
                text: patch.clone(),
                file: None,
                failed: FailedEdits::Refuse,
                accept: Vec::new(),
                buffers: buffers.clone(),
            };
            let planned = self
                .at_desk(async move |_, project| {
                    let report = &mut ApplyReport::default();
                    Ok(PlannedPatch::in_project(&project, &request, report))
                })
                .await?;
            let proposed = match planned {
                Ok((_, proposed)) => proposed,
                Err((failure, lines)) => {
                    if !lines.is_empty() {
                        self.client.say(&lines.join("\n"));
                    }
                    return Err(failure);
                }
            };
            let Some(proposed) = proposed else {
                let result = "Nothing to do: the files have all of this already.";
                self.end(ToolCallStatus::Completed, result);
                self.client.say(result);
                return Ok(StopReason::EndTurn);
            };
            if !self.finds_unsaved(&proposed, &mut buffers).await? {
                let made = Made {
                    proposed,
                    buffers,
                    must_ask: false,
                };
                return self.offer(made, None).await;
            }
        }
        Err(unsettled())
    }

    /// The text of a file that the person has attached, as the editor has it, else as the disk has.
    async fn patch_in(&self, path: &Path) -> Result<String, Failure> {
        let file = path.to_owned();
        // A pipe or a stalled disk must not keep other sessions waiting.
        let on_disk = tokio::task::spawn_blocking(move || {
            if file.metadata().is_ok_and(|it| !it.is_file()) {
                let message = format!("{} is no regular file", file.display());
                return Err(Failure::new(FailureKind::UnreadablePatch, message));
            }
            read_file(&file)
        });
        let on_disk = on_disk.await.map_err(ended)?;
        match (on_disk, self.client.read(path).await) {
            (Ok(on_disk), Some(text)) if lacks_characters(&text, &on_disk) => Ok(on_disk),
            (_, Some(text)) => Ok(text),
            (on_disk, None) => on_disk,
        }
    }

    async fn repair(&self, command: String, issue: String) -> Result<StopReason, Failure> {
        let title = format!("Repair until {command:?} passes");
        self.begin(&title, ToolKind::Execute);
        self.session.keep_folder(self.root.clone());

        let client = self.client.clone();
        let mut progress = self.progress();
        let request = RepairRequest {
            issue,
            command,
            sandbox: self.options.sandbox,
        };
        let proposed = self
            .with_model(async move |editor, project| {
                let mut on_event = |event: RepairEvent| match event {
                    RepairEvent::Model(step) => progress(step),
                    event => client.say(&event.to_string()),
                };
                editor.repair(&project, &request, &mut on_event).await
            })
            .await?;
        // The tests ran with what is on disk, so an unsaved file was not tested.
        let mut buffers = Buffers::new();
        if self.finds_unsaved(&proposed, &mut buffers).await? {
            let files: Vec<&str> = buffers.keys().map(String::as_str).collect();
            return Err(save_first(&files));
        }
        let made = Made {
            proposed,
            buffers,
            must_ask: false,
        };
        self.offer(made, None).await
    }

    /// Has the model go on with the edits that were shown last, or change them.
    async fn again(&self, title: &str, wish: editor::Wish) -> Result<StopReason, Failure> {
        self.begin(title, ToolKind::Edit);
        let open = self.session.take_open();
        let can_be_done = |offer: &Offer| wish != editor::Wish::More || offer.can_go_on();
        let Some((made, offer)) = open.filter(|(_, offer)| can_be_done(offer)) else {
            let message = "there are no edits to go on with";
            return Err(Failure::new(FailureKind::NothingOpen, message));
        };
        let (made, offer) = self.gone_on(made, offer, wish).await?;
        self.offer(made, offer).await
    }

    /// The change after one more edit, or otherwise. If there is none, that is said, and the change is
    /// the same.
    async fn gone_on(
        &self,
        made: Made,
        mut offer: Box<Offer>,
        wish: editor::Wish,
    ) -> Result<(Made, Option<Box<Offer>>), Failure> {
        let mut progress = self.progress();
        let (again, proposed, offer) = self
            .with_model(async move |editor, _| {
                let mut report = Report::default();
                let again = editor.again(&mut offer, wish, &mut report, &mut progress);
                let again = again.await?;
                let proposed = offer.proposed(&mut report);
                Ok((again, proposed, offer))
            })
            .await?;
        // Whoever wants more looks at all of it, even where edits are always allowed.
        let before = Made {
            must_ask: true,
            ..made
        };
        if let Again::Same(Some(failure)) = again {
            let why = said(&failure);
            self.client.say(&format!("No further edit: {why}"));
            return Ok((before, None));
        }

        let mut buffers = before.buffers.clone();
        self.finds_unsaved(&proposed, &mut buffers).await?;
        let mut unsaved: Vec<&str> = buffers.keys().map(String::as_str).collect();
        unsaved.retain(|path| proposed.changes().any(|change| change.path == *path));
        // The model has not read what the person typed since; and an editor gets one file.
        let is_read = |path: &&str| before.buffers.contains_key(*path);
        let is_one_file = unsaved.is_empty() || proposed.changes().count() == 1;
        if !is_one_file || !unsaved.iter().all(is_read) {
            let why = said(&save_first(&unsaved));
            self.client.say(&format!("No further edit: {why}"));
            return Ok((before, None));
        }
        let made = Made {
            proposed,
            buffers,
            must_ask: true,
        };
        Ok((made, Some(offer)))
    }

    /// Shows a change, asks, and writes it. `offer`: what the model can go on with.
    async fn offer(&self, made: Made, offer: Option<Box<Offer>>) -> Result<StopReason, Failure> {
        // Before the question: some editors cancel a prompt whose change is rejected.
        let is_open = offer.is_some();
        let can_go_on = offer.as_ref().is_some_and(|offer| offer.can_go_on());
        self.session
            .keep_open(offer.map(|offer| (made.clone(), offer)));
        match self.permission(&made).await? {
            Permission::Once => {}
            Permission::Always if self.session.mode() == Mode::WriteSure => {}
            Permission::Always => {
                self.session.set_mode(Mode::WriteSure);
                self.client.show_options();
            }
            Permission::Rejected => {
                self.end(ToolCallStatus::Failed, "not written");
                let mut said = "Nothing was written.".to_owned();
                if can_go_on {
                    said += " If an edit is missing, /more has the model go on with these.";
                }
                if is_open {
                    said += " /also changes them, or adds to them: say what else you want.";
                }
                self.client.say(&said);
                return Ok(StopReason::EndTurn);
            }
            Permission::Cancelled => return Ok(StopReason::Cancelled),
        }
        self.session.keep_open(None);
        let written = earlier::written(&made.proposed);
        self.write(made).await?;
        self.session.keep_last(Some(written));
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
        if is_sure && !must_ask && self.session.mode() == Mode::WriteSure {
            return Ok(Permission::Always);
        }

        let mut permission = Permission::Once;
        for idx in 0..proposed.files.len() {
            let question = Question::about(proposed, idx, &self.root);
            match self.client.ask(&self.id, question).await? {
                Permission::Once => {}
                Permission::Always => permission = Permission::Always,
                refused => return Ok(refused),
            }
        }
        Ok(permission)
    }

    /// All files of a change, before and after.
    pub(super) fn all_of(&self, proposed: &Proposed) -> ToolCallUpdateFields {
        let root = &self.root;
        let mut locations = Vec::new();
        let mut diffs = Vec::new();
        for file in &proposed.files {
            locations.extend(question::locations(file, root));
            diffs.extend(question::diffs(file, root));
        }
        ToolCallUpdateFields::new()
            .content(diffs)
            .locations(locations)
    }

    async fn undo(&self, wish: UndoWish) -> Result<StopReason, Failure> {
        if wish == UndoWish::List {
            let title = "What was written";
            self.begin(title, ToolKind::Read);
            return self.list_edits().await;
        }
        self.begin("Undo", ToolKind::Edit);
        let number = match wish {
            UndoWish::Last | UndoWish::List => None,
            UndoWish::Number(number) => Some(number),
            UndoWish::Unclear(words) => {
                let message = format!("{words:?} is no number of an edit");
                return Err(Failure::new(FailureKind::NoSuchEdit, message));
            }
        };
        let in_editor = self.undone_in_editor(number).await?;
        let undone = self
            .at_desk(async move |_, project| match in_editor {
                Some(number) => project.undone_in_editor(number),
                None => project.undo(number),
            })
            .await?;

        self.session.keep_last(None);
        let files = undone.files.join(", ");
        let result = format!("Took back in {files}: {}", undone.what);
        self.end(ToolCallStatus::Completed, &result);
        self.client.say(&result);
        Ok(StopReason::EndTurn)
    }

    async fn list_edits(&self) -> Result<StopReason, Failure> {
        let edits = self
            .at_desk(async move |_, project| project.written())
            .await?;
        let mut list = String::new();
        for edit in edits.iter().take(LISTED_EDITS) {
            list += &format!("- {edit}\n");
        }
        if list.is_empty() {
            "Nothing was written in this folder yet.".clone_into(&mut list);
        }
        self.end(ToolCallStatus::Completed, &list);
        self.client.say(&list);
        Ok(StopReason::EndTurn)
    }

    /// Shows how far the model is, now and then, and with which file.
    fn progress(&self) -> impl FnMut(Progress) + Send + use<> {
        let client = self.client.clone();
        let id = self.id.clone();
        let mut shown: Option<Instant> = None;
        let mut about = String::new();
        move |step| {
            if let Progress::Showing(path) = &step {
                about = format!("{path}: ");
            }
            if shown.is_some_and(|shown| shown.elapsed() < PROGRESS_EVERY) {
                return;
            }
            shown = Some(Instant::now());
            let step = match step {
                Progress::Showing(_) => "asking the model".to_owned(),
                step => step.to_string(),
            };
            let text = ContentBlock::from(markdown(&format!("{about}{step}")));
            client.change(&id, ToolCallUpdateFields::new().content(vec![text.into()]));
        }
    }
}

fn paths(paths: Vec<PathBuf>) -> Vec<String> {
    let paths = paths.into_iter();
    paths
        .map(|path| path.to_string_lossy().into_owned())
        .collect()
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

fn said(failure: &Failure) -> String {
    let failure = talk::with_next_step(failure.clone());
    let mut said = failure.message;
    for hint in &failure.hints {
        said += &format!("\n- {hint}");
    }
    said
}

pub(super) fn ended(error: impl ToString) -> Failure {
    Failure::new(FailureKind::Interrupted, error)
}

pub(super) fn save_first(files: &[&str]) -> Failure {
    let message = format!(
        "{} has changes that are not saved; nothing was written",
        files.join(", ")
    );
    Failure::new(FailureKind::Unsaved, message).hint("save it, and ask again")
}

pub(super) fn unsettled() -> Failure {
    let message = "the files change in the editor while they are edited; nothing was written";
    Failure::new(FailureKind::Stale, message).hint("ask again")
}
