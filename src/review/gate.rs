//! The gate: the steps between a proposed change and a written one.
//!
//! `edit`, `apply` and `repair` all end here. No other code writes a new edit to the person's folder;
//! undo, what finishes an interrupted write, and the bytes that an editor lost when it saved an edit go
//! through the journal. [`Gate::pass`] takes these steps, in this order:
//!
//! 1. The diff is shown, then the remarks and the warnings.
//! 2. Every change is checked against the folder. A stale change ends here, before the question.
//! 3. A dry run ends here.
//! 4. The person is asked, and may take a part only or type something else. With [`Policy::Yes`]
//!    there is no question, and a warning that was not accepted stops the change.
//! 5. The changes are committed through the journal, so that they can be undone. If the journal
//!    cannot be used, a single file is written nevertheless; several files are refused.
//!
//! The gate knows no terminal: it shows and asks through a [`Reviewer`].

use super::Warning;
use crate::diff::Seam;
use crate::workspace::journal::{Journal, JournalError, JournaledError, OpenError, Recovered};
use crate::workspace::{Change, CommitError, Workspace};
use std::io;
use std::path::Path;

/// A change that is complete and could be written.
#[derive(Clone, Copy, Debug)]
pub struct Proposal<'a> {
    /// The files, at least one.
    pub files: &'a [ProposedFile],
    /// Further remarks for the person, one line each.
    pub remarks: &'a [String],
    /// Reasons for a second look at the change.
    pub warnings: &'a [Warning],
    /// The task or command that led to the change, as the journal will list it.
    pub description: &'a str,
}

/// A file of a change, before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProposedFile {
    /// As the person knows it, relative to the root. A moved file has its new path.
    pub path: String,
    /// What is done to the folder, at least one; two for a moved file, which is made and removed.
    pub changes: Vec<Change>,
    /// The same as a unified diff.
    pub diff: String,
    /// The places between several edits of the file; empty if they are not known.
    pub seams: Vec<Seam>,
}

/// Who decides whether a change is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The person is asked.
    Ask,
    /// The person said yes beforehand, except to warnings that they did not accept.
    Yes,
    /// Nothing is written.
    DryRun,
}

/// The answer of a person who was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// All of it is written, as it was shown.
    All,
    /// Only these changes are written, or with another text: the person took some hunks and left
    /// others, or typed something else.
    Instead(Vec<Change>),
    /// Nothing is written.
    No,
}

/// The person at the gate, who sees the change and says yes or no.
pub trait Reviewer {
    /// Shows the diffs of a proposal. With [`Policy::Ask`] they must reach the person who will be
    /// asked.
    ///
    /// # Errors
    /// If they cannot be shown. Then nothing is written.
    fn show(&mut self, files: &[ProposedFile], policy: Policy) -> io::Result<()>;

    /// Tells the person something.
    fn tell(&mut self, notice: Notice<'_>);

    /// Whether there is a person who can be asked.
    fn can_be_asked(&self) -> bool;

    /// Asks whether the files are changed, and waits for the answer. Only a clear yes is one.
    fn decide(&mut self, question: &str, files: &[ProposedFile]) -> impl Future<Output = Decision>;
}

/// A message to a [`Reviewer`].
#[derive(Clone, Copy, Debug)]
pub enum Notice<'a> {
    /// One of [`Proposal::remarks`].
    Remark(&'a str),
    /// One of [`Proposal::warnings`].
    Warning(&'a Warning),
    /// An earlier, interrupted change was finished or rolled back.
    Recovered(&'a Recovered),
    /// The journal cannot be used. A file that is written now cannot be undone.
    CannotBeUndone(&'a JournalError),
}

/// The result of a change that passed the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// The change was written.
    Written,
    /// The change could be written, but it was a dry run.
    WouldBeWritten,
}

/// Why a change was not written. The folder is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    /// The diff could not be shown.
    #[error("cannot print the result: {0}; nothing was written")]
    Output(#[source] io::Error),
    /// A file has changed since the change was made, or cannot be written.
    #[error(transparent)]
    Check(CommitError),
    /// The policy was [`Policy::Yes`], and these warnings were not accepted.
    #[error("--yes does not write a change with a warning; nothing was written")]
    Warned(Vec<Warning>),
    /// The policy was [`Policy::Ask`], and no person could be asked. [`Policy::Yes`] would refuse
    /// these warnings.
    #[error("nobody to ask; nothing was written")]
    NobodyToAsk(Vec<Warning>),
    /// The person did not say yes.
    #[error("not confirmed; nothing was written")]
    NotConfirmed,
    /// The journal cannot be used, and several files are never written without it.
    #[error(transparent)]
    Journal(#[from] OpenError),
    /// The commit failed.
    #[error(transparent)]
    Commit(JournaledError),
}

/// The gate for one folder.
pub struct Gate<'a, R> {
    /// The folder being edited.
    pub workspace: &'a Workspace,
    /// The folder with the journals: see [`Journal::open`].
    pub state: &'a Path,
    /// Who decides.
    pub policy: Policy,
    /// The person who sees the change.
    pub reviewer: R,
}

impl<R: Reviewer> Gate<'_, R> {
    /// Takes a change through the gate: shows it, checks it, asks, and writes it.
    ///
    /// # Errors
    /// [`GateError`] if the change was not written.
    pub async fn pass(&mut self, proposal: &Proposal<'_>) -> Result<Passed, GateError> {
        self.show(proposal)?;
        let proposed = proposal.files.iter().flat_map(|file| &file.changes);
        let changes: Vec<Change> = proposed.cloned().collect();
        for change in &changes {
            self.workspace.check(change).map_err(GateError::Check)?;
        }

        let mut refused = proposal.warnings.to_vec();
        refused.retain(|warning| !warning.accepted);
        let changes = match self.policy {
            Policy::DryRun => return Ok(Passed::WouldBeWritten),
            Policy::Yes if refused.is_empty() => changes,
            Policy::Yes => return Err(GateError::Warned(refused)),
            Policy::Ask if self.reviewer.can_be_asked() => self.decided(proposal, changes).await?,
            Policy::Ask => return Err(GateError::NobodyToAsk(refused)),
        };

        self.write(&changes, proposal.description)?;
        Ok(Passed::Written)
    }

    /// Asks the person, and returns the changes to write.
    async fn decided(
        &mut self,
        proposal: &Proposal<'_>,
        changes: Vec<Change>,
    ) -> Result<Vec<Change>, GateError> {
        let question = question(proposal);
        match self.reviewer.decide(&question, proposal.files).await {
            Decision::All => Ok(changes),
            Decision::Instead(instead) => {
                for change in &instead {
                    let is_proposed = changes
                        .iter()
                        .any(|other| other.path == change.path && other.before == change.before);
                    assert!(is_proposed, "a change that was not shown");
                }
                if instead.is_empty() {
                    return Err(GateError::NotConfirmed);
                }
                Ok(instead)
            }
            Decision::No => Err(GateError::NotConfirmed),
        }
    }

    fn show(&mut self, proposal: &Proposal) -> Result<(), GateError> {
        let shown = self.reviewer.show(proposal.files, self.policy);
        shown.map_err(GateError::Output)?;
        for remark in proposal.remarks {
            self.reviewer.tell(Notice::Remark(remark));
        }
        for warning in proposal.warnings {
            self.reviewer.tell(Notice::Warning(warning));
        }
        Ok(())
    }

    fn write(&mut self, changes: &[Change], description: &str) -> Result<(), GateError> {
        let opened = Journal::open_and_recover(self.state, self.workspace);
        match (opened, changes) {
            (Ok((journal, recovered)), _) => {
                for recovered in &recovered {
                    self.reviewer.tell(Notice::Recovered(recovered));
                }
                let committed = journal.commit(self.workspace, changes, description);
                if let Some(error) = committed.map_err(GateError::Commit)? {
                    self.reviewer.tell(Notice::CannotBeUndone(&error));
                }
                Ok(())
            }
            // A single file is written whole or not at all, even without a journal.
            (Err(OpenError::Journal(error @ JournalError::Io { .. })), [change]) => {
                self.reviewer.tell(Notice::CannotBeUndone(&error));
                self.workspace
                    .write(change)
                    .map_err(|error| GateError::Commit(error.into()))
            }
            (Err(error), _) => Err(error.into()),
        }
    }
}

/// The question about a change.
pub fn question(proposal: &Proposal<'_>) -> String {
    if let [file] = proposal.files {
        return question_about(file);
    }
    let mut deleted = Vec::new();
    let mut others = Vec::new();
    for file in proposal.files {
        match file.changes[..] {
            [Change { after: None, .. }] => deleted.push(file),
            _ => others.push(file),
        }
    }

    let mut asked = Vec::new();
    match others.as_slice() {
        [] => {}
        [file] if matches!(file.changes[..], [Change { before: None, .. }]) => {
            asked.push(format!("make the file {}", file.path));
        }
        files => asked.push(format!("change {}", named(files))),
    }
    if !deleted.is_empty() {
        asked.push(format!("delete {}", named(&deleted)));
    }
    let asked = asked.join(" and ");
    asked[..1].to_uppercase() + &asked[1..] + "?"
}

/// The question about one file.
pub fn question_about(file: &ProposedFile) -> String {
    let ProposedFile { path, changes, .. } = file;
    match changes.as_slice() {
        [Change { before: None, .. }] => format!("Make the file {path}?"),
        [
            Change {
                before: None,
                path: to,
                ..
            },
            Change {
                after: None,
                path: from,
                ..
            },
        ] => {
            format!("Move {from} to {to}?")
        }
        [Change { after: None, .. }] => format!("Delete {path}?"),
        _ => format!("Change {path}?"),
    }
}

fn named(files: &[&ProposedFile]) -> String {
    match files {
        [file] => file.path.clone(),
        files => format!("{} files", files.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::WarningKind::{self, Merge, Unsure};
    use std::fs;

    /// A folder with the files a and b, and a reviewer with a fixed answer.
    struct Scene {
        root: tempfile::TempDir,
        state: tempfile::TempDir,
        workspace: Workspace,
        policy: Policy,
        warnings: Vec<Warning>,
        /// `None` if the reviewer cannot be asked.
        answer: Option<Decision>,
        /// Whether showing the diff fails.
        is_closed: bool,
        /// What b gets to hold while the reviewer thinks.
        meanwhile: Option<&'static str>,
    }

    /// The reviewer of a scene, and what it was shown and told.
    struct Scripted<'s>(&'s Scene, Vec<String>);

    impl Reviewer for &mut Scripted<'_> {
        fn show(&mut self, files: &[ProposedFile], _: Policy) -> io::Result<()> {
            self.1.push(files[0].diff.clone());
            if self.0.is_closed {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            Ok(())
        }

        fn tell(&mut self, notice: Notice<'_>) {
            self.1.push(match notice {
                Notice::Remark(remark) => remark.to_owned(),
                Notice::Warning(warning) => warning.kind.word().to_owned(),
                Notice::Recovered(recovered) => format!("recovered {}", recovered.entry.what),
                Notice::CannotBeUndone(_) => "cannot be undone".to_owned(),
            });
        }

        fn can_be_asked(&self) -> bool {
            self.0.answer.is_some()
        }

        async fn decide(&mut self, question: &str, _: &[ProposedFile]) -> Decision {
            self.1.push(question.to_owned());
            if let Some(text) = self.0.meanwhile {
                self.0.put("b", text);
            }
            self.0.answer.clone().unwrap()
        }
    }

    impl Scene {
        fn new(policy: Policy) -> Scene {
            let root = tempfile::tempdir().unwrap();
            let scene = Scene {
                workspace: Workspace::open(root.path()).unwrap(),
                root,
                state: tempfile::tempdir().unwrap(),
                policy,
                warnings: Vec::new(),
                answer: Some(Decision::All),
                is_closed: false,
                meanwhile: None,
            };
            scene.put("a", "a");
            scene.put("b", "b");
            scene
        }

        fn warned(mut self, kind: WarningKind, accepted: bool) -> Scene {
            let warning = kind.says("look again");
            self.warnings.push(Warning {
                accepted,
                ..warning
            });
            self
        }

        fn answered(self, answer: Option<Decision>) -> Scene {
            Scene { answer, ..self }
        }

        fn put(&self, path: &str, text: &str) {
            fs::write(self.root.path().join(path), text).unwrap();
        }

        fn journal(&self) -> Journal {
            Journal::open(self.state.path(), &self.workspace).unwrap()
        }

        /// Passes changes through the gate. Checks the result (for an error its message, with the
        /// warnings that were refused), what the reviewer saw after the diff, and the files.
        #[track_caller]
        fn check(&self, changes: &[Change], expected: &str, seen: &[&str], files: [&str; 2]) {
            let proposed = changes.iter().map(|change| ProposedFile {
                path: change.path.clone(),
                changes: vec![change.clone()],
                diff: "the diff".to_owned(),
                seams: Vec::new(),
            });
            let proposal = Proposal {
                files: &proposed.collect::<Vec<_>>(),
                remarks: &["a remark".to_owned()],
                warnings: &self.warnings,
                description: "the task",
            };
            let mut reviewer = Scripted(self, Vec::new());
            let mut gate = Gate {
                workspace: &self.workspace,
                state: self.state.path(),
                policy: self.policy,
                reviewer: &mut reviewer,
            };
            let runtime = tokio::runtime::Builder::new_current_thread().build();
            let passed = runtime.unwrap().block_on(gate.pass(&proposal));

            let came = match &passed {
                Ok(passed) => format!("{passed:?}"),
                Err(GateError::Warned(refused) | GateError::NobodyToAsk(refused)) => {
                    let words = refused.iter().map(|warning| warning.kind.word());
                    let words: Vec<&str> = words.collect();
                    format!("{}: {}", passed.as_ref().unwrap_err(), words.join(" "))
                }
                Err(error) => error.to_string(),
            };
            assert!(came.contains(expected), "{came}");
            assert_eq!(reviewer.1[0], "the diff");
            assert_eq!(reviewer.1[1..], *seen);
            self.holds(files);
        }

        #[track_caller]
        fn holds(&self, files: [&str; 2]) {
            let there = ["a", "b"].map(|path| fs::read_to_string(self.root.path().join(path)));
            assert_eq!(there.map(Result::unwrap), files);
        }
    }

    fn one() -> [Change; 1] {
        [Change::replace("a", b"a", b"A")]
    }

    fn two() -> [Change; 2] {
        let [a] = one();
        [a, Change::replace("b", b"b", b"B")]
    }

    const ASKED_ONE: [&str; 2] = ["a remark", "Change a?"];
    const ASKED_TWO: [&str; 2] = ["a remark", "Change 2 files?"];
    const SAME: [&str; 2] = ["a", "b"];

    #[test]
    fn a_confirmed_change_is_written_and_can_be_undone() {
        let scene = Scene::new(Policy::Ask);
        scene.check(&two(), "Written", &ASKED_TWO, ["A", "B"]);
        let undone = scene.journal().undo(&scene.workspace, None).unwrap();
        assert_eq!(undone.what, "the task");
        scene.holds(SAME);
    }

    #[test]
    fn only_a_yes_is_a_yes() {
        let scene = Scene::new(Policy::Ask).answered(Some(Decision::No));
        scene.check(
            &one(),
            "not confirmed; nothing was written",
            &ASKED_ONE,
            SAME,
        );
        assert!(scene.journal().entries().unwrap().is_empty());
    }

    #[test]
    fn where_nobody_can_be_asked_nothing_is_written() {
        let scene = Scene::new(Policy::Ask).answered(None);
        let scene = scene.warned(Unsure, false).warned(Merge, true);
        let seen = ["a remark", "unsure", "merge"];
        scene.check(&one(), "nothing was written: unsure", &seen, SAME);
    }

    #[test]
    fn a_dry_run_writes_nothing() {
        let scene = Scene::new(Policy::DryRun).warned(Unsure, false);
        let seen = ["a remark", "unsure"];
        scene.check(&one(), "WouldBeWritten", &seen, SAME);
        assert!(scene.journal().entries().unwrap().is_empty());
        scene.put("a", "theirs");
        let stale = "a was changed since it was read";
        scene.check(&one(), stale, &seen, ["theirs", "b"]);
    }

    #[test]
    fn a_stale_change_is_refused_before_the_question_and_after_it() {
        let stale = "b was changed since it was read";
        for policy in [Policy::Ask, Policy::Yes] {
            let scene = Scene::new(policy);
            scene.put("b", "theirs");
            scene.check(&two(), stale, &["a remark"], ["a", "theirs"]);
        }
        let scene = Scene {
            meanwhile: Some("theirs"),
            ..Scene::new(Policy::Ask)
        };
        scene.check(&two(), stale, &ASKED_TWO, ["a", "theirs"]);
    }

    #[test]
    fn a_warning_that_was_not_accepted_stops_yes_and_no_person() {
        let seen = ["a remark", "unsure", "merge"];
        let scene = Scene::new(Policy::Yes).warned(Unsure, true);
        scene.check(&one(), "Written", &seen[..2], ["A", "b"]);
        let scene = Scene::new(Policy::Yes).warned(Unsure, true);
        let scene = scene.warned(Merge, false);
        scene.check(&one(), "nothing was written: merge", &seen, SAME);
        let scene = Scene::new(Policy::Ask).warned(Unsure, false);
        let seen = ["a remark", "unsure", "Change a?"];
        scene.check(&one(), "Written", &seen, ["A", "b"]);
    }

    #[test]
    fn without_a_journal_a_single_file_is_written_and_several_are_refused() {
        let scene = Scene::new(Policy::Yes);
        fs::write(scene.state.path().join("journal"), "not a folder").unwrap();
        scene.check(&two(), "cannot use the journal in ", &["a remark"], SAME);
        let seen = ["a remark", "cannot be undone"];
        scene.check(&one(), "Written", &seen, ["A", "b"]);
    }

    #[test]
    fn nothing_is_written_while_another_program_writes() {
        let scene = Scene::new(Policy::Yes);
        let held = scene.journal();
        scene.check(&one(), "another slotwright", &["a remark"], SAME);
        drop(held);
        scene.check(&one(), "Written", &["a remark"], ["A", "b"]);
    }

    #[test]
    fn a_diff_that_cannot_be_shown_is_not_written() {
        let scene = Scene {
            is_closed: true,
            ..Scene::new(Policy::Yes)
        };
        scene.check(&one(), "cannot print the result", &[], SAME);
    }

    #[track_caller]
    fn check_question(files: &[(&str, &[Change])], expected: &str) {
        let files = files.iter().map(|(path, changes)| ProposedFile {
            path: (*path).to_owned(),
            changes: changes.to_vec(),
            diff: String::new(),
            seams: Vec::new(),
        });
        let proposal = Proposal {
            files: &files.collect::<Vec<_>>(),
            remarks: &[],
            warnings: &[],
            description: "",
        };
        assert_eq!(question(&proposal), expected);
    }

    #[test]
    fn the_question_names_what_happens() {
        let [a, b] = two().map(|change| [change]);
        let new = [Change::create("n", b"")];
        let gone = [Change::remove("a", b"a")];
        let moved = [Change::create("n", b"a"), Change::remove("a", b"a")];
        check_question(&[("a", &a)], "Change a?");
        check_question(&[("n", &new)], "Make the file n?");
        check_question(&[("a", &gone)], "Delete a?");
        check_question(&[("n", &moved)], "Move a to n?");
        check_question(&[("a", &a), ("b", &b)], "Change 2 files?");
        check_question(&[("a", &gone), ("b", &b)], "Change b and delete a?");
        check_question(
            &[("a", &gone), ("n", &new)],
            "Make the file n and delete a?",
        );
        let also_gone = [Change::remove("b", b"b")];
        check_question(&[("a", &gone), ("b", &also_gone)], "Delete 2 files?");
        let three: [(&str, &[Change]); 3] = [("a", &gone), ("b", &b), ("n", &moved)];
        check_question(&three, "Change 2 files and delete a?");
    }

    #[test]
    fn a_person_may_take_a_part_or_type_something_else() {
        let mine = vec![Change::replace("b", b"b", b"mine")];
        let scene = Scene::new(Policy::Ask).answered(Some(Decision::Instead(mine)));
        scene.check(&two(), "Written", &ASKED_TWO, ["a", "mine"]);
        let journal = scene.journal();
        let files = journal.entries().unwrap().remove(0).1.files;
        assert_eq!((files.len(), files[0].path.as_str()), (1, "b"));
        journal.undo(&scene.workspace, None).unwrap();
        scene.holds(SAME);
        drop(journal);

        let scene = scene.answered(Some(Decision::Instead(Vec::new())));
        scene.check(
            &two(),
            "not confirmed; nothing was written",
            &ASKED_TWO,
            SAME,
        );
    }

    #[test]
    #[should_panic = "a change that was not shown"]
    fn what_was_not_shown_is_not_written() {
        let other = Decision::Instead(vec![Change::replace("b", b"b", b"B")]);
        let scene = Scene::new(Policy::Ask).answered(Some(other));
        scene.check(&one(), "", &[], SAME);
    }
}
