//! The check that a project's file offers. The project may be a stranger's, so the command runs only
//! where the person said yes to it, in this folder.

use super::folders;
use crate::check::name_of;
use crate::failure::{Failure, FailureKind};
use crate::workspace::private_folder::make_private_folder;
use std::path::{Path, PathBuf};

/// What the person says to a project's check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CheckAnswer {
    Run,
    Ignore,
}

impl CheckAnswer {
    fn word(self) -> &'static str {
        match self {
            CheckAnswer::Run => "run",
            CheckAnswer::Ignore => "ignore",
        }
    }
}

/// What the person said to a command in a folder; `None` if they were not asked.
pub(super) fn answer_to(command: &str, root: &Path) -> Option<CheckAnswer> {
    let said = std::fs::read_to_string(answer_file(command, root)).ok()?;
    let mut answers = [CheckAnswer::Run, CheckAnswer::Ignore].into_iter();
    answers.find(|answer| answer.word() == said.trim())
}

/// Remembers what the person says to a command in a folder.
///
/// # Errors
/// If that cannot be kept. Then the check is not run.
pub(super) fn remember(answer: CheckAnswer, command: &str, root: &Path) -> Result<(), Failure> {
    let file = answer_file(command, root);
    let folder = file.parent().expect("it lies in a folder");
    let kept = make_private_folder(folder).and_then(|()| std::fs::write(&file, answer.word()));
    kept.map_err(|error| {
        let message = format!("cannot write {}: {error}", file.display());
        Failure::new(FailureKind::Write, message)
    })
}

fn answer_file(command: &str, root: &Path) -> PathBuf {
    folders::check_answers().join(name_of(root, command))
}
