//! What went wrong, for people and for programs: the exit code, a sentence, and what to do next.

use super::exit::ExitCode;
use super::report::ErrorReport;
use super::terminal::{print, say};
use crate::engine::EngineError;
use crate::engine::openai::ServerError;
use crate::flow::FlowError;
use crate::search::SearchError;
use crate::workspace::journal::{JournalError, JournaledError, OpenError};
use crate::workspace::{CommitError, WorkspaceError};

/// Anything that ends a run without an edit: its exit code, and what is said about it.
pub(super) struct Failure {
    pub code: ExitCode,
    pub error: ErrorReport,
}

impl Failure {
    pub fn new(code: ExitCode, kind: &str, message: impl ToString) -> Failure {
        Failure {
            code,
            error: ErrorReport {
                kind: kind.to_owned(),
                message: message.to_string(),
                hints: Vec::new(),
            },
        }
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.error.hints.push(hint.into());
        self
    }
}

pub(super) fn workspace_failure(error: WorkspaceError) -> Failure {
    let message = error.to_string();
    match error {
        WorkspaceError::Root { .. } => {
            Failure::new(ExitCode::Usage, "root", message).hint("--root names the folder to edit")
        }
        WorkspaceError::Missing { .. } => {
            Failure::new(ExitCode::Usage, "not_found", message).hint("paths are relative to --root")
        }
        WorkspaceError::Outside { .. } => Failure::new(ExitCode::NotMade, "outside", message)
            .hint("nothing outside the folder is read or written; --root sets it"),
        WorkspaceError::NotAFile { .. } => Failure::new(ExitCode::Usage, "not_a_file", message),
        WorkspaceError::Read { .. } => Failure::new(ExitCode::Environment, "unreadable", message),
        WorkspaceError::NotText { .. } => Failure::new(ExitCode::NotMade, "not_text", message),
        WorkspaceError::TooLarge { .. } => Failure::new(ExitCode::NotMade, "too_large", message),
        WorkspaceError::Path(_) => Failure::new(ExitCode::NotMade, "path", message),
    }
}

pub(super) fn engine_failure(error: EngineError) -> Failure {
    let message = error.to_string();
    match error {
        EngineError::Load { .. } => {
            let is_damaged = message.contains("error loading model");
            let failure = Failure::new(ExitCode::Environment, "model", message);
            let failure = if is_damaged {
                failure.hint("it may be damaged or cut off: fetch it again")
            } else {
                failure
            };
            failure.hint("slotwright models lists what --model, or else SLOTWRIGHT_MODEL, may name")
        }
        EngineError::Adapter { .. } => Failure::new(ExitCode::Environment, "model", message)
            .hint("--adapter none goes without one"),
        EngineError::PromptTooLong { .. } => Failure::new(ExitCode::NotMade, "too_long", message),
        EngineError::Crashed { .. } => {
            Failure::new(ExitCode::Environment, "model_crashed", message)
                .hint("-v shows llama.cpp's log")
        }
        EngineError::Memory { .. } => Failure::new(ExitCode::Environment, "memory", message)
            .hint("close other programs, or use a smaller model or one with fewer bits a weight")
            .hint(
                "--skip-memory-check tries it all the same; it may become very slow or be killed",
            ),
        EngineError::Hangs { .. } => Failure::new(ExitCode::Environment, "model_hangs", message)
            .hint("--model-timeout waits longer, -v shows llama.cpp's log"),
        EngineError::Compute { .. } => {
            Failure::new(ExitCode::Environment, "model", message).hint("-v shows llama.cpp's log")
        }
        EngineError::Schema { .. } => Failure::new(ExitCode::Usage, "schema", message),
        EngineError::Process(_) => Failure::new(ExitCode::Environment, "environment", message),
        EngineError::Server(error) => server_failure(&error),
    }
}

fn server_failure(error: &ServerError) -> Failure {
    let environment = || Failure::new(ExitCode::Environment, "server", error);
    match error {
        ServerError::Reference { .. } => Failure::new(ExitCode::Usage, "model", error)
            .hint("a model on a server is named like this: --model http://127.0.0.1:8080/v1#NAME"),
        ServerError::KeyInTheClear { .. } => Failure::new(ExitCode::Usage, "server_key", error)
            .hint("use https, or a tunnel to that machine (ssh -L)")
            .hint("if the server needs no key, set SLOTWRIGHT_API_KEY to nothing"),
        ServerError::BadKey { variable } => Failure::new(ExitCode::Usage, "server_key", error)
            .hint(format!("set {variable} to the key alone")),
        ServerError::Unreachable { .. } => {
            environment().hint("is the server running, and the address right?")
        }
        ServerError::Certificate { .. } => environment()
            .hint("SSL_CERT_FILE names a file of certificates to trust instead of the system's"),
        ServerError::Redirect { to, .. } => environment().hint(format!(
            "if you trust it, name that address: --model {to}#NAME"
        )),
        ServerError::Refused {
            status: 401 | 403, ..
        } => environment().hint("the key is read from SLOTWRIGHT_API_KEY, or else OPENAI_API_KEY"),
        ServerError::Refused { status: 404, .. } | ServerError::NotAnApi { .. } => {
            environment().hint("the address of the API usually ends in /v1")
        }
        ServerError::Refused {
            status: 400 | 413 | 422,
            ..
        } => environment().hint(
            "if the context is too short, name fewer files or start the server with a longer one",
        ),
        ServerError::Refused { .. } | ServerError::Busy { .. } => {
            environment().hint("try again later")
        }
        ServerError::Cut { .. } => {
            environment().hint("try again; the server's own log may say why")
        }
        ServerError::TooLong { .. } => {
            environment().hint("the server may not heed max_tokens, or its model may repeat itself")
        }
        ServerError::TimeOut { .. } => environment().hint("--model-timeout waits longer"),
        ServerError::NoSuchModel { .. } => {
            environment().hint("name one of them behind a #: --model http://HOST/v1#NAME")
        }
        ServerError::CannotDo(_) => Failure::new(ExitCode::Usage, "server", error),
    }
}

pub(super) fn flow_failure(error: FlowError) -> Failure {
    let message = error.to_string();
    match error {
        FlowError::Search(error) => search_failure(error),
        FlowError::Emptied { .. } => {
            Failure::new(ExitCode::NotMade, "stale", message).hint("run the same command again")
        }
        FlowError::ContextTooShort { .. } => Failure::new(ExitCode::Environment, "model", message)
            .hint("use a model with a longer context"),
        FlowError::TaskTooLong { .. } => Failure::new(ExitCode::Usage, "task_too_long", message)
            .hint("say it in fewer words, or use a model with a longer context"),
        FlowError::FileTooLong { .. } => Failure::new(ExitCode::NotMade, "file_too_long", message)
            .hint("use a model with a longer context"),
        FlowError::Workspace(error) => workspace_failure(error),
        FlowError::Engine(error) => engine_failure(error),
    }
}

fn search_failure(error: SearchError) -> Failure {
    let message = error.to_string();
    match error {
        SearchError::NoFiles { left_out, .. } => {
            let mut failure = Failure::new(ExitCode::NotMade, "no_files", message);
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
        SearchError::NotListed { .. } => Failure::new(ExitCode::Usage, "not_found", message)
            .hint("it may be misspelt; a hidden or ignored file needs its path from the folder")
            .hint("to create it, say so first, without --file: \"Create the file …\""),
        SearchError::Workspace(error) => workspace_failure(error),
    }
}

pub(super) fn commit_failure(error: CommitError) -> Failure {
    let message = error.to_string();
    match error {
        CommitError::Stale { .. } => {
            Failure::new(ExitCode::NotMade, "stale", message).hint("run the same command again")
        }
        CommitError::Exists { .. } => Failure::new(ExitCode::NotMade, "exists", message)
            .hint("name it with --file to edit it"),
        CommitError::ReadOnly { .. } => Failure::new(ExitCode::NotMade, "read_only", message)
            .hint("chmod u+w makes it writable"),
        CommitError::Io { .. } => Failure::new(ExitCode::Environment, "write", message),
        CommitError::Path(_) => Failure::new(ExitCode::NotMade, "path", message),
    }
}

pub(super) fn journaled_failure(error: JournaledError) -> Failure {
    let message = error.to_string();
    match error {
        JournaledError::Commit(error) => commit_failure(error),
        JournaledError::NothingToUndo { .. } => {
            Failure::new(ExitCode::NotMade, "nothing_to_undo", message)
                .hint("slotwright undo --list shows what was written")
        }
        JournaledError::NoSuchEntry { .. } => {
            Failure::new(ExitCode::NotMade, "no_such_edit", message)
                .hint("slotwright undo --list shows the edits with their numbers")
        }
        JournaledError::NotInForce { .. } => {
            Failure::new(ExitCode::NotMade, "nothing_to_undo", message)
                .hint("slotwright undo --list shows which edits are in force")
        }
        JournaledError::NotSaved { .. } => Failure::new(ExitCode::NotMade, "unsaved", message)
            .hint("take it back in the editor (/undo there), or save the file and undo again"),
        JournaledError::NotTheLast { later, .. } => {
            let failure = Failure::new(ExitCode::NotMade, "not_the_last", message);
            later
                .iter()
                .rev()
                .fold(failure, |failure, (number, entry)| {
                    failure.hint(format!("edit {number} is: {}", entry.what))
                })
        }
        JournaledError::ChangedSince { kept_in, .. } => Failure::new(
            ExitCode::NotMade,
            "changed_since",
            message,
        )
        .hint(format!(
            "put back by hand, or with git, what you need: both versions of every file are in {}",
            kept_in.display()
        )),
        JournaledError::HalfDone { kept_in, .. } => {
            Failure::new(ExitCode::Environment, "half_written", message)
                .hint(
                    "mend that, and run slotwright here again: it finishes the change, or takes it \
                     back where somebody has changed a file",
                )
                .hint(format!(
                    "both versions of every file are in {}",
                    kept_in.display()
                ))
        }
        JournaledError::Journal(JournalError::Locked { .. }) => Failure::new(
            ExitCode::NotMade,
            "locked",
            format!("{message}; nothing was written"),
        )
        .hint("run the same command again"),
        JournaledError::Journal(JournalError::Io { .. }) => {
            Failure::new(ExitCode::Environment, "journal", message)
                .hint("XDG_STATE_HOME names another folder for it")
        }
    }
}

pub(super) fn open_failure(error: OpenError) -> Failure {
    let message = error.to_string();
    match error {
        OpenError::Journal(error) => journaled_failure(error.into()),
        OpenError::Recovery { folder, .. } => {
            Failure::new(ExitCode::Environment, "recovery", message)
                .hint(format!(
                    "all its bytes, before and after, are in {}",
                    folder.display()
                ))
                .hint(
                    "mend what is in the way and run slotwright again, \
                     or forget the change with slotwright purge",
                )
        }
    }
}

/// Standard output is closed or full. `written`: what became of the edit.
pub(super) fn output_failure(error: &std::io::Error, written: &str) -> Failure {
    let message = format!("cannot print the result: {error}; {written}");
    Failure::new(ExitCode::Environment, "output", message)
}

/// Prints what a command only shows. A reader that has gone, such as `head`, wanted no more of it.
pub(super) fn print_shown(text: &str) -> Result<(), Failure> {
    match print(text) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            let message = format!("cannot print the result: {error}");
            Err(Failure::new(ExitCode::Environment, "output", message))
        }
        _ => Ok(()),
    }
}

/// Says an error and its hints to the person.
pub(super) fn say_error(error: &ErrorReport) {
    say(&format!("slotwright: {}", error.message));
    for hint in &error.hints {
        say(&format!("  hint: {hint}"));
    }
}

/// Ends a command that has no report. Says its failure, if it has one.
pub(super) fn exit_code(result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::Done,
        Err(failure) => {
            say_error(&failure.error);
            failure.code
        }
    }
}
