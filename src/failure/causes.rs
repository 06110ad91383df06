//! Errors of other modules as failures.

use super::{Failure, FailureKind, did_you_mean};
use crate::engine::EngineError;
use crate::flow::FlowError;
use crate::repair::RepairError;
use crate::search::SearchError;
use crate::workspace::journal::{JournalError, JournaledError, OpenError};
use crate::workspace::{CommitError, WorkspaceError};

impl From<WorkspaceError> for Failure {
    fn from(error: WorkspaceError) -> Failure {
        let message = error.to_string();
        match error {
            WorkspaceError::Root { .. } => {
                Failure::new(FailureKind::Root, message).hint("--root names the folder to edit")
            }
            WorkspaceError::Missing { .. } => {
                Failure::new(FailureKind::NotFound, message).hint("paths are relative to --root")
            }
            WorkspaceError::Outside { .. } => Failure::new(FailureKind::Outside, message)
                .hint("nothing outside the folder is read or written; --root sets it"),
            WorkspaceError::NotAFile { .. } => Failure::new(FailureKind::NotAFile, message),
            WorkspaceError::Read { .. } => Failure::new(FailureKind::Unreadable, message),
            WorkspaceError::NotText { .. } => Failure::new(FailureKind::NotText, message),
            WorkspaceError::TooLarge { .. } => Failure::new(FailureKind::TooLarge, message),
            WorkspaceError::Path(_) => Failure::new(FailureKind::Path, message),
        }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Failure {
        let message = error.to_string();
        match error {
            EngineError::Load { .. } => {
                let is_damaged = message.contains("error loading model");
                let failure = Failure::new(FailureKind::Model, message);
                let failure = if is_damaged {
                    failure.hint("it may be damaged or cut off: fetch it again")
                } else {
                    failure
                };
                failure.hint("slotwright models lists what --model, or else SLOTWRIGHT_MODEL, may name")
            }
            EngineError::Device { .. } => Failure::new(FailureKind::Environment, message)
                .hint("slotwright models lists what there is; --device auto takes the best"),
            EngineError::Adapter { .. } => Failure::new(FailureKind::Model, message)
                .hint("--adapter none goes without one"),
            EngineError::PromptTooLong { .. } => Failure::new(FailureKind::PromptTooLong, message),
            EngineError::Crashed { .. } => {
                Failure::new(FailureKind::ModelCrashed, message)
                    .hint("-v shows llama.cpp's log")
            }
            EngineError::Memory { .. } => Failure::new(FailureKind::Memory, message)
                .hint("close other programs, or use a smaller model or one with fewer bits a weight")
                .hint(
                    "--skip-memory-check tries it all the same; it may become very slow or be killed",
                ),
            EngineError::Hangs { .. } => Failure::new(FailureKind::ModelHangs, message)
                .hint("--model-timeout waits longer, -v shows llama.cpp's log"),
            EngineError::Compute { .. } => {
                Failure::new(FailureKind::Model, message).hint("-v shows llama.cpp's log")
            }
            EngineError::Schema { .. } => Failure::new(FailureKind::Schema, message),
            EngineError::Process(_) => Failure::new(FailureKind::Environment, message),
            EngineError::Server(error) => error.into(),
        }
    }
}

impl From<FlowError> for Failure {
    fn from(error: FlowError) -> Failure {
        let message = error.to_string();
        match error {
            FlowError::Search(error) => error.into(),
            FlowError::Emptied { .. } => {
                Failure::new(FailureKind::Stale, message).hint("run the same command again")
            }
            FlowError::ContextTooShort { .. } => {
                Failure::new(FailureKind::Model, message).hint("use a model with a longer context")
            }
            FlowError::TaskTooLong { .. } => Failure::new(FailureKind::TaskTooLong, message)
                .hint("say it in fewer words, or use a model with a longer context"),
            FlowError::FileTooLong { .. } => Failure::new(FailureKind::FileTooLong, message)
                .hint("use a model with a longer context"),
            FlowError::Workspace(error) => error.into(),
            FlowError::Engine(error) => error.into(),
        }
    }
}

impl From<SearchError> for Failure {
    fn from(error: SearchError) -> Failure {
        let message = error.to_string();
        match error {
            SearchError::NoFiles { left_out, .. } => {
                let mut failure = Failure::new(FailureKind::NoFiles, message);
                const SHOWN: usize = 5;
                for (path, reason) in left_out.iter().take(SHOWN) {
                    failure = failure.hint(format!("left out {path:?}: {reason}"));
                }
                if left_out.len() > SHOWN {
                    failure = failure.hint(format!("and {} more", left_out.len() - SHOWN));
                }
                failure.hint(
                    "hidden and ignored files are edited only if the task or --file gives their path",
                )
            }
            SearchError::NotListed { nearest, .. } => Failure::new(FailureKind::NotFound, message)
                .hints(did_you_mean(&nearest))
                .hint("it may be misspelt; a hidden or ignored file needs its path from the folder")
                .hint("to create it, say so first, without --file: \"Create the file …\""),
            SearchError::Workspace(error) => error.into(),
        }
    }
}

impl From<RepairError> for Failure {
    fn from(error: RepairError) -> Failure {
        let message = error.to_string();
        match error {
            RepairError::NoIssue => Failure::new(FailureKind::EmptyIssue, message).hint(
                "say what is wrong: \
                     slotwright repair --test \"make test\" \"total() ignores the discount\"",
            ),
            RepairError::Sandbox(_) => Failure::new(FailureKind::Sandbox, message)
                .hint("--no-sandbox runs the tests where nothing confines them"),
            RepairError::Write(error) => error.into(),
            RepairError::Workspace(error) => error.into(),
            RepairError::Flow(error) => error.into(),
        }
    }
}

impl From<CommitError> for Failure {
    fn from(error: CommitError) -> Failure {
        let message = error.to_string();
        match error {
            CommitError::Stale { .. } => {
                Failure::new(FailureKind::Stale, message).hint("run the same command again")
            }
            CommitError::Exists { .. } => {
                Failure::new(FailureKind::Exists, message).hint("name it with --file to edit it")
            }
            CommitError::ReadOnly { .. } => {
                Failure::new(FailureKind::ReadOnly, message).hint("chmod u+w makes it writable")
            }
            CommitError::Io { .. } => Failure::new(FailureKind::Write, message),
            CommitError::Path(_) => Failure::new(FailureKind::Path, message),
        }
    }
}

impl From<JournaledError> for Failure {
    fn from(error: JournaledError) -> Failure {
        let message = error.to_string();
        match error {
            JournaledError::Commit(error) => error.into(),
            JournaledError::NothingToUndo { .. } => {
                Failure::new(FailureKind::NothingToUndo, message)
                    .hint("slotwright undo --list shows what was written")
            }
            JournaledError::NoSuchEntry { .. } => Failure::new(FailureKind::NoSuchEdit, message)
                .hint("slotwright undo --list shows the edits with their numbers"),
            JournaledError::NotInForce { .. } => Failure::new(FailureKind::NothingToUndo, message)
                .hint("slotwright undo --list shows which edits are in force"),
            JournaledError::NotSaved { .. } => Failure::new(FailureKind::Unsaved, message)
                .hint("take it back in the editor (/undo there), or save the file and undo again"),
            JournaledError::NotTheLast { later, .. } => {
                let mut failure = Failure::new(FailureKind::NotTheLast, message);
                for (number, entry) in later.iter().rev() {
                    failure = failure.hint(format!("edit {number} is: {}", entry.what));
                }
                failure
            }
            JournaledError::ChangedSince { kept_in, .. } => {
                let kept_in = kept_in.display();
                Failure::new(FailureKind::ChangedSince, message).hint(format!(
                    "put back by hand, or with git, what you need: both versions of every file are \
                     in {kept_in}"
                ))
            }
            JournaledError::HalfDone { kept_in, .. } => Failure::new(
                FailureKind::HalfWritten,
                message,
            )
            .hint(
                "mend that, and run slotwright here again: it finishes the change, or takes it \
                         back where somebody has changed a file",
            )
            .hint(format!(
                "both versions of every file are in {}",
                kept_in.display()
            )),
            JournaledError::Journal(JournalError::Locked { .. }) => Failure::new(
                FailureKind::Locked,
                format!("{message}; nothing was written"),
            )
            .hint("run the same command again"),
            JournaledError::Journal(JournalError::Io { .. }) => {
                Failure::new(FailureKind::Journal, message)
                    .hint("XDG_STATE_HOME names another folder for it")
            }
        }
    }
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Failure {
        JournaledError::from(error).into()
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Failure {
        let message = error.to_string();
        match error {
            OpenError::Journal(error) => error.into(),
            OpenError::Recovery { folder, .. } => Failure::new(FailureKind::Recovery, message)
                .hint(format!(
                    "all its bytes, before and after, are in {}",
                    folder.display()
                ))
                .hint(
                    "mend what is in the way and run slotwright again, \
                         or forget the change with slotwright purge history",
                ),
        }
    }
}
