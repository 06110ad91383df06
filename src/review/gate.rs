//! The gate: the steps between a proposed change and a written one.
//!
//! `edit`, `apply` and `repair` all end here. No other code writes a new edit to the person's folder;
//! undo, what finishes an interrupted write, and the bytes that an editor lost when it saved an edit go
//! through the journal. [`Gate::pass`] takes these steps, in this order:
//!
//! 1. The diff is shown, then the remarks and the warnings.
//! 2. Every change is checked against the folder. A stale change ends here, before anybody is
//!    asked.
//! 3. A dry run ends here.
//! 4. The person is asked, and may take a part only or type something else. With [`Policy::Yes`]
//!    nobody is asked, and a warning that was not accepted stops the change.
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

/// What would become of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProposedFile {
    /// As the person knows it, relative to the root. A moved file has its new path.
    pub path: String,
    /// What is done to the folder, at least one; two for a moved file, which is made and removed.
    pub changes: Vec<Change>,
    /// The same as a unified diff.
    pub diff: String,
    /// Where several edits of it may be told apart; none if that is not known.
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
    /// The journal cannot be used. What is written all the same cannot be undone.
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
    /// The policy was [`Policy::Ask`], and there was nobody to ask. [`Policy::Yes`] would refuse
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
        let mut changes: Vec<Change> = proposal
            .files
            .iter()
            .flat_map(|file| file.changes.clone())
            .collect();
        for change in &changes {
            self.workspace.check(change).map_err(GateError::Check)?;
        }
        let refused = || -> Vec<Warning> {
            proposal
                .warnings
                .iter()
                .filter(|warning| !warning.accepted)
                .cloned()
                .collect()
        };
        match self.policy {
            Policy::DryRun => return Ok(Passed::WouldBeWritten),
            Policy::Yes if !refused().is_empty() => return Err(GateError::Warned(refused())),
            Policy::Yes => {}
            Policy::Ask if !self.reviewer.can_be_asked() => {
                return Err(GateError::NobodyToAsk(refused()));
            }
            Policy::Ask => match self
                .reviewer
                .decide(&question(proposal), proposal.files)
                .await
            {
                Decision::All => {}
                Decision::Instead(instead) => {
                    let is_proposed = |change: &Change| {
                        let is_of = |other: &Change| {
                            (&other.path, &other.before) == (&change.path, &change.before)
                        };
                        changes.iter().any(is_of)
                    };
                    assert!(
                        instead.iter().all(is_proposed),
                        "a change that was not shown"
                    );
                    if instead.is_empty() {
                        return Err(GateError::NotConfirmed);
                    }
                    changes = instead;
                }
                Decision::No => return Err(GateError::NotConfirmed),
            },
        }
        self.write(&changes, proposal.description)?;
        Ok(Passed::Written)
    }

    fn show(&mut self, proposal: &Proposal) -> Result<(), GateError> {
        self.reviewer
            .show(proposal.files, self.policy)
            .map_err(GateError::Output)?;
        for remark in proposal.remarks {
            self.reviewer.tell(Notice::Remark(remark));
        }
        for warning in proposal.warnings {
            self.reviewer.tell(Notice::Warning(warning));
        }
        Ok(())
    }

    fn write(&mut self, changes: &[Change], description: &str) -> Result<(), GateError> {
        match (
            Journal::open_and_recover(self.state, self.workspace),
            changes,
        ) {
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

fn question(proposal: &Proposal) -> String {
    if let [file] = proposal.files {
        return question_about(file);
    }
    let is_deletion =
        |file: &&ProposedFile| matches!(file.changes[..], [Change { after: None, .. }]);
    let (deleted, others): (Vec<_>, Vec<_>) = proposal.files.iter().partition(is_deletion);
    let other = match others.as_slice() {
        [] => None,
        [file] if matches!(file.changes[..], [Change { before: None, .. }]) => {
            Some(format!("make the file {}", file.path))
        }
        files => Some(format!("change {}", named(files))),
    };
    let deletion = (!deleted.is_empty()).then(|| format!("delete {}", named(&deleted)));
    let asked = [other, deletion]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" and ");
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
    use crate::review::WarningKind;
    use std::fs;
    use std::path::PathBuf;

    /// A folder with two files, a state folder, and the answer of the reviewer.
    struct GateTest {
        root: tempfile::TempDir,
        state: tempfile::TempDir,
        workspace: Workspace,
        policy: Policy,
        warnings: Vec<Warning>,
        /// `None`: there is nobody to ask.
        answer: Option<Decision>,
    }

    /// A reviewer with a fixed answer. It remembers what it was shown and told.
    #[derive(Default)]
    struct Scripted {
        answer: Option<Decision>,
        /// Whether showing the diff fails.
        is_closed: bool,
        seen: Vec<String>,
        /// A file to write while the person thinks, and its text.
        meanwhile: Option<(PathBuf, &'static str)>,
    }

    impl Reviewer for &mut Scripted {
        fn show(&mut self, files: &[ProposedFile], _: Policy) -> io::Result<()> {
            self.seen.push(files[0].diff.clone());
            if self.is_closed {
                Err(io::ErrorKind::BrokenPipe.into())
            } else {
                Ok(())
            }
        }

        fn tell(&mut self, notice: Notice<'_>) {
            self.seen.push(match notice {
                Notice::Remark(remark) => remark.to_owned(),
                Notice::Warning(warning) => format!("warning {}", warning.kind.word()),
                Notice::Recovered(recovered) => format!("recovered {}", recovered.entry.what),
                Notice::CannotBeUndone(_) => "cannot be undone".to_owned(),
            });
        }

        fn can_be_asked(&self) -> bool {
            self.answer.is_some()
        }

        async fn decide(&mut self, question: &str, _: &[ProposedFile]) -> Decision {
            self.seen.push(question.to_owned());
            if let Some((path, text)) = &self.meanwhile {
                fs::write(path, text).unwrap();
            }
            self.answer.clone().unwrap()
        }
    }

    impl GateTest {
        fn new(policy: Policy) -> GateTest {
            let root = tempfile::tempdir().unwrap();
            fs::write(root.path().join("a"), "a").unwrap();
            fs::write(root.path().join("b"), "b").unwrap();
            let workspace = Workspace::open(root.path()).unwrap();
            let state = tempfile::tempdir().unwrap();
            GateTest {
                root,
                state,
                workspace,
                policy,
                warnings: Vec::new(),
                answer: Some(Decision::All),
            }
        }

        fn warned(mut self, kind: WarningKind, accepted: bool) -> GateTest {
            self.warnings.push(Warning {
                accepted,
                ..kind.says("look again")
            });
            self
        }

        fn answered(mut self, answer: Option<Decision>) -> GateTest {
            self.answer = answer;
            self
        }

        /// Makes the state folder unusable for a journal.
        fn without_journal(self) -> GateTest {
            fs::write(self.state.path().join("journal"), "not a folder").unwrap();
            self
        }

        fn put(&self, path: &str, text: &str) {
            fs::write(self.root.path().join(path), text).unwrap();
        }

        fn reviewer(&self) -> Scripted {
            Scripted {
                answer: self.answer.clone(),
                ..Scripted::default()
            }
        }

        /// Passes changes through the gate, and returns the result.
        fn pass(&self, changes: &[Change], reviewer: &mut Scripted) -> Result<Passed, GateError> {
            let file = |change: &Change| ProposedFile {
                path: change.path.clone(),
                changes: vec![change.clone()],
                diff: "the diff".to_owned(),
                seams: Vec::new(),
            };
            let files: Vec<ProposedFile> = changes.iter().map(file).collect();
            let proposal = Proposal {
                files: &files,
                remarks: &["a remark".to_owned()],
                warnings: &self.warnings,
                description: "the task",
            };
            let state = self.state.path();
            let mut gate = Gate {
                workspace: &self.workspace,
                state,
                policy: self.policy,
                reviewer,
            };
            let runtime = tokio::runtime::Builder::new_current_thread()
                .build()
                .unwrap();
            runtime.block_on(gate.pass(&proposal))
        }

        /// Checks the result, what the reviewer saw, and the files' content afterwards.
        #[track_caller]
        fn check(&self, changes: &[Change], expected: &str, seen: &[&str], files: [&str; 2]) {
            let mut reviewer = self.reviewer();
            let passed = self.pass(changes, &mut reviewer);
            let came =
                passed.map_or_else(|error| error.to_string(), |passed| format!("{passed:?}"));
            assert!(came.contains(expected), "{came}");
            assert_eq!(reviewer.seen, seen);
            self.holds(files);
        }

        #[track_caller]
        fn holds(&self, files: [&str; 2]) {
            let there = ["a", "b"].map(|path| fs::read_to_string(self.root.path().join(path)));
            assert_eq!(there.map(Result::unwrap), files);
        }

        fn entries(&self) -> usize {
            let journal = Journal::open(self.state.path(), &self.workspace).unwrap();
            journal.entries().unwrap().len()
        }
    }

    fn one() -> [Change; 1] {
        [Change::replace("a", b"a", b"A")]
    }

    fn two() -> [Change; 2] {
        [
            Change::replace("a", b"a", b"A"),
            Change::replace("b", b"b", b"B"),
        ]
    }

    #[test]
    fn a_confirmed_change_is_written_and_can_be_undone() {
        let setting = GateTest::new(Policy::Ask);
        setting.check(
            &two(),
            "Written",
            &["the diff", "a remark", "Change 2 files?"],
            ["A", "B"],
        );
        let journal = Journal::open(setting.state.path(), &setting.workspace).unwrap();
        assert_eq!(
            journal.undo(&setting.workspace, None).unwrap().what,
            "the task"
        );
        setting.holds(["a", "b"]);
    }

    #[test]
    fn only_a_yes_is_a_yes() {
        let setting = GateTest::new(Policy::Ask).answered(Some(Decision::No));
        setting.check(
            &one(),
            "not confirmed; nothing was written",
            &["the diff", "a remark", "Change a?"],
            ["a", "b"],
        );
        assert_eq!(setting.entries(), 0);
    }

    #[test]
    fn where_nobody_can_be_asked_nothing_is_written() {
        let setting = GateTest::new(Policy::Ask)
            .answered(None)
            .warned(WarningKind::Unsure, false)
            .warned(WarningKind::Merge, true);
        let mut reviewer = setting.reviewer();
        let refused = setting.pass(&one(), &mut reviewer);
        let Err(GateError::NobodyToAsk(warnings)) = refused else {
            panic!("{refused:?}")
        };
        assert_eq!(
            warnings
                .iter()
                .map(|warning| warning.kind)
                .collect::<Vec<_>>(),
            [WarningKind::Unsure]
        );
        setting.holds(["a", "b"]);
    }

    #[test]
    fn a_dry_run_writes_nothing() {
        let setting = GateTest::new(Policy::DryRun).warned(WarningKind::Unsure, false);
        let seen = ["the diff", "a remark", "warning unsure"];
        setting.check(&one(), "WouldBeWritten", &seen, ["a", "b"]);
        assert_eq!(setting.entries(), 0);
        setting.put("a", "theirs");
        setting.check(
            &one(),
            "a was changed by somebody else",
            &seen,
            ["theirs", "b"],
        );
    }

    #[test]
    fn a_stale_change_is_refused_before_the_question() {
        for policy in [Policy::Ask, Policy::Yes] {
            let setting = GateTest::new(policy);
            setting.put("b", "theirs");
            setting.check(
                &two(),
                "b was changed by somebody else",
                &["the diff", "a remark"],
                ["a", "theirs"],
            );
        }
    }

    #[test]
    fn a_change_that_goes_stale_during_the_question_is_refused_too() {
        let setting = GateTest::new(Policy::Ask);
        let mut reviewer = setting.reviewer();
        reviewer.meanwhile = Some((setting.root.path().join("b"), "theirs"));
        let refused = setting.pass(&two(), &mut reviewer);
        assert!(
            matches!(
                refused,
                Err(GateError::Commit(JournaledError::Commit(
                    CommitError::Stale { .. }
                )))
            ),
            "{refused:?}"
        );
        setting.holds(["a", "theirs"]);
    }

    #[test]
    fn yes_refuses_a_warning_that_was_not_accepted() {
        let setting = GateTest::new(Policy::Yes)
            .warned(WarningKind::Unsure, true)
            .warned(WarningKind::Merge, false);
        let mut reviewer = setting.reviewer();
        let refused = setting.pass(&one(), &mut reviewer);
        let Err(GateError::Warned(warnings)) = refused else {
            panic!("{refused:?}")
        };
        assert_eq!(
            warnings
                .iter()
                .map(|warning| warning.kind)
                .collect::<Vec<_>>(),
            [WarningKind::Merge]
        );
        assert_eq!(
            reviewer.seen,
            ["the diff", "a remark", "warning unsure", "warning merge"]
        );
        setting.holds(["a", "b"]);
    }

    #[test]
    fn an_accepted_warning_is_told_and_the_change_written() {
        let setting = GateTest::new(Policy::Yes).warned(WarningKind::Unsure, true);
        let seen = ["the diff", "a remark", "warning unsure"];
        setting.check(&one(), "Written", &seen, ["A", "b"]);
    }

    #[test]
    fn a_person_who_is_asked_decides_about_warnings() {
        let setting = GateTest::new(Policy::Ask).warned(WarningKind::Unsure, false);
        let seen = ["the diff", "a remark", "warning unsure", "Change a?"];
        setting.check(&one(), "Written", &seen, ["A", "b"]);
    }

    #[test]
    fn without_a_journal_a_single_file_is_written_and_several_are_refused() {
        let setting = GateTest::new(Policy::Yes).without_journal();
        setting.check(
            &two(),
            "cannot use the journal in ",
            &["the diff", "a remark"],
            ["a", "b"],
        );
        let seen = ["the diff", "a remark", "cannot be undone"];
        setting.check(&one(), "Written", &seen, ["A", "b"]);
    }

    #[test]
    fn nothing_is_written_while_another_program_writes() {
        let setting = GateTest::new(Policy::Yes);
        let held = Journal::open(setting.state.path(), &setting.workspace).unwrap();
        let refused = setting.pass(&one(), &mut setting.reviewer());
        let is_locked = |error: &GateError| {
            matches!(
                error,
                GateError::Journal(OpenError::Journal(JournalError::Locked { .. }))
            )
        };
        assert!(refused.as_ref().is_err_and(is_locked), "{refused:?}");
        setting.holds(["a", "b"]);
        drop(held);
        assert_eq!(
            setting.pass(&one(), &mut setting.reviewer()).unwrap(),
            Passed::Written
        );
    }

    #[test]
    fn a_diff_that_cannot_be_shown_is_not_written() {
        let setting = GateTest::new(Policy::Yes);
        let mut reviewer = Scripted {
            is_closed: true,
            ..setting.reviewer()
        };
        let refused = setting.pass(&one(), &mut reviewer);
        assert!(matches!(refused, Err(GateError::Output(_))), "{refused:?}");
        setting.holds(["a", "b"]);
    }

    #[test]
    fn the_question_names_what_happens() {
        let check = |files: &[(&str, &[Change])], expected: &str| {
            let file = |(path, changes): &(&str, &[Change])| ProposedFile {
                path: (*path).to_owned(),
                changes: changes.to_vec(),
                diff: String::new(),
                seams: Vec::new(),
            };
            let files: Vec<ProposedFile> = files.iter().map(file).collect();
            let proposal = Proposal {
                files: &files,
                remarks: &[],
                warnings: &[],
                description: "",
            };
            assert_eq!(question(&proposal), expected);
        };
        check(&[("a", &one())], "Change a?");
        check(&[("n", &[Change::create("n", b"")])], "Make the file n?");
        let gone = [Change::remove("a", b"a")];
        check(&[("a", &gone)], "Delete a?");
        let moved = [Change::create("n", b"a"), Change::remove("a", b"a")];
        check(&[("n", &moved)], "Move a to n?");
        let [a, b] = two();
        check(
            &[("a", &[a]), ("b", std::slice::from_ref(&b))],
            "Change 2 files?",
        );
        check(
            &[("a", &gone), ("b", std::slice::from_ref(&b))],
            "Change b and delete a?",
        );
        check(
            &[("a", &gone), ("n", &[Change::create("n", b"")])],
            "Make the file n and delete a?",
        );
        check(
            &[("a", &gone), ("b", &[Change::remove("b", b"b")])],
            "Delete 2 files?",
        );
        let files: [(&str, &[Change]); 3] = [("a", &gone), ("b", &[b]), ("n", &moved)];
        check(&files, "Change 2 files and delete a?");
    }

    #[test]
    fn a_person_may_take_a_part_or_type_something_else() {
        let mine = vec![Change::replace("b", b"b", b"mine")];
        let setting = GateTest::new(Policy::Ask).answered(Some(Decision::Instead(mine)));
        setting.check(
            &two(),
            "Written",
            &["the diff", "a remark", "Change 2 files?"],
            ["a", "mine"],
        );
        let journal = Journal::open(setting.state.path(), &setting.workspace).unwrap();
        let files = journal.entries().unwrap().remove(0).1.files;
        assert_eq!(
            files.iter().map(|file| &file.path).collect::<Vec<_>>(),
            ["b"]
        );
        journal.undo(&setting.workspace, None).unwrap();
        setting.holds(["a", "b"]);
        drop(journal);
        let none = setting.answered(Some(Decision::Instead(Vec::new())));
        let seen = &["the diff", "a remark", "Change 2 files?"];
        none.check(
            &two(),
            "not confirmed; nothing was written",
            seen,
            ["a", "b"],
        );
    }

    #[test]
    #[should_panic = "a change that was not shown"]
    fn what_was_not_shown_is_not_written() {
        let other = Decision::Instead(vec![Change::replace("b", b"b", b"B")]);
        let setting = GateTest::new(Policy::Ask).answered(Some(other));
        let _ = setting.pass(&one(), &mut setting.reviewer());
    }
}
