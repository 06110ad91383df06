//! A folder that is edited: what is in force there, and its journal.

use super::offered_check::{CheckAnswer, answer_to, remember};
use super::proposed::Proposed;
use super::undo::{Undone, WrittenEdit, take_back, written};
use super::written::gate_failure;
use super::{Say, folders, settings};
use crate::config::{Config, InForce, PROJECT_FILE};
use crate::failure::{Failure, FailureKind};
use crate::patched::Patched;
use crate::review::Warning;
use crate::review::gate::{
    Decision, Gate, GateError, Notice, Passed, Policy, ProposedFile, Reviewer,
};
use crate::text::Text;
use crate::workspace::journal::{Journal, Recovered};
use crate::workspace::{Change, Workspace};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// The text of files that are not saved in an editor, by path relative to the root.
pub(crate) type Buffers = BTreeMap<String, Vec<u8>>;

/// A folder that is edited, with the configuration that is in force there.
#[derive(Debug)]
pub(crate) struct Project {
    pub workspace: Workspace,
    pub config: Config,
    /// The check that the project's file asks for, if the person has not answered yet.
    pub offered_check: Option<String>,
    say: Say,
}

/// A change that an editor has made to a file that was not saved there.
#[derive(Clone, Debug)]
pub(crate) struct EditorChange {
    /// Relative to the root.
    pub path: String,
    /// The text in the editor, with newlines only.
    pub before: String,
    pub after: String,
    /// The file before the change.
    pub on_disk: Text,
}

/// An edit that an editor has made, as the journal has it.
#[derive(Clone, Debug)]
pub(crate) struct EditorEdit {
    /// Its number in the journal.
    pub number: u64,
    /// Relative to the root.
    pub path: String,
    /// The text in the editor, with newlines only.
    pub before: String,
    pub after: String,
}

impl Project {
    /// Opens a folder.
    pub fn open(root: &Path, flags: Config, say: Say) -> Result<Project, Failure> {
        let workspace = Workspace::open(root)?;
        let has_flag = flags.check.is_some();
        let InForce {
            config,
            offered_check,
            ..
        } = settings::load(flags, Some(&workspace))?;
        let workspace = workspace
            .ignoring(&config.ignore)
            .map_err(|error| Failure::new(FailureKind::Config, error))?;
        let mut project = Project {
            workspace,
            config,
            offered_check,
            say,
        };
        if has_flag {
            project.offered_check = None;
        }
        project.take_answered_check();
        Ok(project)
    }

    /// Puts the check that the file offers in force, if the person said yes to it before.
    fn take_answered_check(&mut self) {
        let Some(command) = self.offered_check.take() else {
            return;
        };
        match answer_to(&command, self.workspace.root()) {
            Some(CheckAnswer::Run) => self.config.check = Some(command),
            Some(CheckAnswer::Ignore) => {}
            None => self.offered_check = Some(command),
        }
    }

    /// Remembers what the person says to the check that the file offers, and heeds it.
    ///
    /// # Errors
    /// If that cannot be kept. Then the check is not run.
    pub fn answer_check(&mut self, answer: CheckAnswer) -> Result<(), Failure> {
        if let Some(command) = &self.offered_check {
            remember(answer, command, self.workspace.root())?;
        }
        self.take_answered_check();
        Ok(())
    }

    /// Says that a check which the file offers is not run, where nobody was asked.
    pub(super) fn leave_offered_check(&self) {
        if let Some(command) = &self.offered_check {
            (self.say)(&format!(
                "the check of {PROJECT_FILE} is not run, since you have not said yes to it: \
                 --check {command:?} runs it"
            ));
        }
    }

    /// Finishes what an interrupted program left half done, so that a model sees whole files. If
    /// another program is writing there now, the gate will say so.
    pub fn recover(&self) {
        let _ = self.journal();
    }

    fn journal(&self) -> Result<Journal, Failure> {
        open_journal(&self.workspace, self.say)
    }

    /// Shows a model the files as an editor has them.
    pub fn pend(&self, buffers: &Buffers) {
        for (path, bytes) in buffers {
            self.workspace.pend(path, bytes.clone());
        }
    }

    /// Shows a model the files with edits that are not written.
    pub fn pend_beforehand(&self, edits: &[Patched]) {
        for patched in edits {
            self.workspace.pend(&patched.path, patched.after.clone());
        }
    }

    /// Lets a change pass the gate. Nobody is asked. Returns also what there is to say about it.
    pub async fn write(
        &self,
        proposed: &Proposed,
        policy: Policy,
    ) -> Result<(Passed, Vec<String>), Failure> {
        let mut gate = Gate {
            workspace: &self.workspace,
            state: &folders::state(),
            policy,
            reviewer: Notes(Vec::new()),
        };
        match gate.pass(&proposed.proposal()).await {
            Ok(passed) => Ok((passed, gate.reviewer.0)),
            Err(GateError::Warned(warnings)) => Err(warned(&warnings)),
            Err(error) => Err(gate_failure(error, "nobody was asked")),
        }
    }

    /// Takes back the edit with a number in the journal, or what was written last.
    pub fn undo(&self, number: Option<u64>) -> Result<Undone, Failure> {
        take_back(&self.journal()?, &self.workspace, number)
    }

    /// The edits that were written, the newest first.
    pub fn written(&self) -> Result<Vec<WrittenEdit>, Failure> {
        written(&self.journal()?)
    }

    /// Puts a change that an editor has made into the journal.
    pub fn record(&self, change: &EditorChange, what: &str) -> Result<(), Failure> {
        let EditorChange {
            path,
            before,
            after,
            on_disk,
        } = change;
        let before = encoded(path, before, on_disk)?;
        let after = encoded(path, after, on_disk)?;
        let change = Change::replace(path, &before, &after);
        let journal = self.journal()?;
        Ok(journal.record(&self.workspace, &change, on_disk.bytes(), what)?)
    }

    /// A file's text before the last edit that was written to it on disk.
    pub fn before_last_edit(&self, path: &str) -> Result<Option<String>, Failure> {
        let before = self.journal()?.before_last_commit(path)?;
        let text = before.and_then(|bytes| Text::decode(bytes).ok());
        Ok(text.map(|text| text.shown().to_owned()))
    }

    /// The edit with a number, or the last one, if an editor has made it.
    pub fn made_in_editor(&self, number: Option<u64>) -> Result<Option<EditorEdit>, Failure> {
        let Some((number, change)) = self.journal()?.made_in_editor(number)? else {
            return Ok(None);
        };
        let before = Text::decode(change.before.unwrap_or_default());
        let after = Text::decode(change.after.unwrap_or_default());
        let (Ok(before), Ok(after)) = (before, after) else {
            return Ok(None);
        };
        Ok(Some(EditorEdit {
            number,
            path: change.path,
            before: before.shown().to_owned(),
            after: after.shown().to_owned(),
        }))
    }

    /// Records that an editor has taken back the edit with this number, which it had made.
    pub fn undone_in_editor(&self, number: u64) -> Result<Undone, Failure> {
        let entry = self.journal()?.undone_in_editor(&self.workspace, number)?;
        Ok(entry.into())
    }
}

/// Keeps what the gate has to say. The change was shown before.
struct Notes(Vec<String>);

impl Reviewer for Notes {
    fn show(&mut self, _: &[ProposedFile], _: Policy) -> io::Result<()> {
        Ok(())
    }

    fn tell(&mut self, notice: Notice<'_>) {
        self.0.push(match notice {
            Notice::Remark(remark) => remark.to_owned(),
            Notice::Warning(_) => return, // they were shown with the change
            Notice::Recovered(recovered) => recovered_words(recovered),
            Notice::CannotBeUndone(error) => format!("this edit cannot be undone: {error}"),
        });
    }

    fn can_be_asked(&self) -> bool {
        false
    }

    async fn decide(&mut self, _: &str, _: &[ProposedFile]) -> Decision {
        Decision::No
    }
}

/// A text from an editor, in the encoding of its file.
fn encoded(path: &str, text: &str, on_disk: &Text) -> Result<Vec<u8>, Failure> {
    on_disk
        .rewritten(text)
        .map_err(|error| Failure::new(FailureKind::Encoding, format!("{path}: {error}")))
}

/// The failure of a change with warnings that were not accepted.
fn warned(warnings: &[Warning]) -> Failure {
    let mut kinds: Vec<&str> = warnings.iter().map(|it| it.kind.word()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let message = format!(
        "it has warnings ({}); nothing was written",
        kinds.join(", ")
    );
    let hint = format!("look at the diff again: if it is right, call again with accept: {kinds:?}");
    Failure::new(FailureKind::Warned, message).hint(hint)
}

/// Opens the journal of a folder, finishes what was interrupted, and says so.
pub(crate) fn open_journal(workspace: &Workspace, say: Say) -> Result<Journal, Failure> {
    let (journal, recovered) = Journal::open_and_recover(&folders::state(), workspace)?;
    for recovered in &recovered {
        say(&recovered_words(recovered));
    }
    Ok(journal)
}

/// Says what became of an interrupted change, in one line or two.
pub(crate) fn recovered_words(recovered: &Recovered) -> String {
    let Recovered {
        entry,
        changed,
        kept_in,
    } = recovered;
    let what = &entry.what;
    if changed.is_empty() {
        return format!("an interrupted change was finished: {what}");
    }
    format!(
        "an interrupted change was taken back: {what}\n  \
         {} changed meanwhile and stays as it is; both versions of every file are in {}",
        changed.join(", "),
        kept_in.display()
    )
}
