//! One prompt, from its words to the question to the person.

use super::buffer::lacks_characters;
use super::client::{Client, Permission};
use super::prompt::{Attached, UndoWish, Wish};
use super::question::{self, Question};
use super::session::{Made, Session};
use crate::app::arguments::{EditCount, LinePlace};
use crate::app::earlier;
use crate::app::editor::{self, Again, Editor, First};
use crate::app::find::find;
use crate::app::offer::Offer;
use crate::app::patch::{FailedEdits, PatchRequest, PlannedPatch, read_file};
use crate::app::project::{Buffers, Project};
use crate::app::proposed::Proposed;
use crate::app::repair::RepairRequest;
use crate::app::report::{ApplyReport, Report};
use crate::app::request::EditRequest;
use crate::engine::Progress;
use crate::failure::{Failure, FailureKind};
use crate::repair::RepairEvent;
use crate::review::WarningKind;
use crate::sandbox::SandboxOptions;
use crate::serve::Handle;
use agent_client_protocol::v1::schema::{
    ContentBlock, StopReason, ToolCallStatus, ToolCallUpdateFields, ToolKind,
};
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
    /// Names its piece of work in the conversation.
    pub id: String,
}

impl Turn {
    /// Does what the prompt asks for. Failures are said in the conversation.
    pub async fn run(&self, wish: Wish) -> StopReason {
        let done = match wish {
            Wish::Edit {
                sentence,
                files,
                at,
            } => self.edit(sentence, files, at).await,
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

    /// Does a piece of work in the session's folder, when it is its turn.
    pub(super) async fn at_desk<T: Send + 'static>(
        &self,
        work: impl AsyncFnOnce(&mut Editor, Project) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let root = self.session.root.clone();
        let result = self.desk.run(async move |editor: &mut Editor| {
            let project = editor.open(&root)?;
            work(editor, project).await
        });
        result.await.map_err(ended)?
    }

    async fn edit(
        &self,
        sentence: String,
        files: Vec<PathBuf>,
        at: Option<LinePlace>,
    ) -> Result<StopReason, Failure> {
        self.client
            .begin(&self.id, &title(&sentence), ToolKind::Edit);
        self.session.keep_open(None);
        let mut named = Vec::new();
        for file in files {
            named.push(file.to_string_lossy().into_owned());
        }
        let mut buffers = Buffers::new();
        for file in self.likely(&sentence, &named).await? {
            self.read_unsaved(Path::new(&file), &mut buffers).await?;
        }

        let most = self.options.max_steps;
        for _ in 0..MAX_REREADS {
            let request = EditRequest {
                sentence: sentence.clone(),
                files: named.clone(),
                at: at.clone(),
                earlier: self.session.last(),
                edits: most.map(|most| EditCount { least: 1, most }),
                buffers: buffers.clone(),
                sandbox: self.options.sandbox,
                ..EditRequest::default()
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
            .at_desk(async move |editor, project| {
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
        match offered {
            Ok(offered) => Ok(Some(offered)),
            Err(claim) => {
                self.client.end(&self.id, ToolCallStatus::Completed);
                self.client.say(&format!("Nothing to do: {claim}"));
                Ok(None)
            }
        }
    }

    /// The files that the edit is probably of. If one that is not saved is known beforehand, the
    /// model need not be asked twice.
    async fn likely(&self, sentence: &str, named: &[String]) -> Result<Vec<String>, Failure> {
        if !named.is_empty() || !self.client.fs.read_text_file {
            return Ok(named.to_vec());
        }
        let sentence = sentence.to_owned();
        // Why nothing is found is said when the edit is made.
        let found = self
            .at_desk(async move |_, project| {
                let found = find(&project, &sentence, LIKELY_FILES).await;
                Ok(found.unwrap_or_default())
            })
            .await?;
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
        match (read_file(path), self.client.read(path).await) {
            (Ok(on_disk), Some(text)) if lacks_characters(&text, &on_disk) => Ok(on_disk),
            (_, Some(text)) => Ok(text),
            (on_disk, None) => on_disk,
        }
    }

    async fn repair(&self, command: String, issue: String) -> Result<StopReason, Failure> {
        let title = format!("Repair until {command:?} passes");
        self.client.begin(&self.id, &title, ToolKind::Execute);
        if command.is_empty() || issue.is_empty() {
            let message = "a repair needs a test command and what is wrong";
            return Err(Failure::new(FailureKind::EmptyIssue, message)
                .hint("/repair make test, and on the next line: total() ignores the discount"));
        }

        let client = self.client.clone();
        let mut progress = self.progress();
        let request = RepairRequest {
            issue,
            command,
            sandbox: self.options.sandbox,
        };
        let proposed = self
            .at_desk(async move |editor, project| {
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
        self.client.begin(&self.id, title, ToolKind::Edit);
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
            .at_desk(async move |editor, _| {
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
            Permission::Always => self.session.allow_always(),
            Permission::Rejected => {
                self.client.end(&self.id, ToolCallStatus::Failed);
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
    pub(super) fn all_of(&self, proposed: &Proposed) -> ToolCallUpdateFields {
        let root = &self.session.root;
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
            self.client.begin(&self.id, title, ToolKind::Read);
            return self.list_edits().await;
        }
        self.client.begin(&self.id, "Undo", ToolKind::Edit);
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
        self.client.end(&self.id, ToolCallStatus::Completed);
        let files = undone.files.join(", ");
        self.client
            .say(&format!("Took back in {files}: {}", undone.what));
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
        self.client.end(&self.id, ToolCallStatus::Completed);
        self.client.say(&list);
        Ok(StopReason::EndTurn)
    }

    /// Shows how far the model is, now and then.
    fn progress(&self) -> impl FnMut(Progress) + Send + use<> {
        let client = self.client.clone();
        let id = self.id.clone();
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

/// What the person can do about a failure; `None` if its own hints say it.
fn next_step(kind: FailureKind) -> Option<&'static str> {
    Some(match kind {
        FailureKind::Declined => "name the file, the text, and what it should become",
        FailureKind::Warning(WarningKind::Unsure) => {
            "say it in other words: name the text and what it should become"
        }
        FailureKind::Truncated | FailureKind::TaskTooLong => "ask for a smaller change",
        FailureKind::Mechanics => "name the file and the text to change",
        FailureKind::Stale | FailureKind::Locked => "ask again",
        FailureKind::NotFound | FailureKind::NoFiles => {
            "mention the file, or say that it is to be created"
        }
        FailureKind::Outside | FailureKind::Path => {
            "only files of this session's folder are edited"
        }
        FailureKind::NothingOpen => {
            "/also is for edits that were just shown and not written; so is /more, of a model with an \
             adapter of ours"
        }
        FailureKind::NoEdit => "put the name of the file above each block",
        FailureKind::NotApplied => "mend what failed, and apply the patch again",
        FailureKind::NothingToUndo => {
            "the editor's own undo may help; /undo list shows older edits"
        }
        FailureKind::NoSuchEdit => "/undo list shows the edits with their numbers",
        FailureKind::NotReproduced => "write a test that fails because of the bug, and ask again",
        _ => return None,
    })
}

fn said(failure: &Failure) -> String {
    let mut said = failure.message.clone();
    match next_step(failure.kind) {
        Some(next_step) => said += &format!("\n- {next_step}"),
        None => {
            for hint in &failure.hints {
                said += &format!("\n- {hint}");
            }
        }
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
