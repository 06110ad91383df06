//! One command, run on a copy of a folder with edits and without.

use super::complaint::{CheckRun, Complaint};
use super::kept::Kept;
use super::options::{Against, CheckOptions};
use super::read::{Listed, read};
use crate::patched::FileChange;
use crate::repair::ENVIRONMENT;
use crate::repair::output::both_ends;
use crate::sandbox::{Command, Ended, Limits, Sandbox, SandboxError};
use crate::text::Text;
use crate::workspace::{CommitError, Workspace, WorkspaceError};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tracing::debug;

/// A run with edits may take this many times what the one without them took.
const TIMES_BASELINE: u32 = 3;

/// The shortest limit of a run with edits.
const SHORTEST_LIMIT: Duration = Duration::from_secs(10);

/// What is kept of an output that nothing can be read from, in bytes.
const MAX_END: usize = 1_500;

/// A check of one folder.
#[derive(Debug)]
pub struct Checker {
    sandbox: Sandbox,
    command: String,
    /// The folder, whose path tools may print.
    root: PathBuf,
    limits: Limits,
    before: CheckRun,
    /// What is in the copy now.
    put: Vec<FileChange>,
}

/// What a check says of some edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Whether it passes.
    pub passed: bool,
    /// What it complains of because of the edits. Empty also if it fails as it did before them.
    pub new: Vec<Complaint>,
}

/// Why a check cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// There is no copy, or nothing confines the command.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The copy cannot be read.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// An edit cannot be made in the copy.
    #[error(transparent)]
    Put(#[from] CommitError),
    /// There is no such program.
    #[error("the command cannot be run: {0}")]
    NoProgram(String),
    /// The command does not end by itself.
    #[error("without the edit, {0}")]
    Stopped(String),
}

impl Checker {
    /// Copies a folder, and runs the command on it as it is, unless a run is kept.
    ///
    /// # Errors
    /// [`CheckError`] if that is not possible, or it takes too long.
    pub async fn of(root: &Path, options: &CheckOptions) -> Result<Checker, CheckError> {
        let sandbox = Sandbox::of(root, &options.program, &options.sandbox)?;
        let workspace = Workspace::open(sandbox.folder())?;
        for (path, bytes) in &options.files {
            workspace.overwrite(path, Some(bytes))?;
        }
        let mut checker = Checker {
            sandbox,
            command: options.command.clone(),
            root: root.to_path_buf(),
            limits: Limits {
                time: options.time,
                ..Limits::default()
            },
            before: CheckRun::default(),
            put: Vec::new(),
        };
        if options.against == Against::Before {
            checker.before = checker.baseline(options).await?;
            let time = checker.before.time * TIMES_BASELINE;
            checker.limits.time = time.max(SHORTEST_LIMIT);
        }
        Ok(checker)
    }

    /// The command, as the person gave it.
    pub fn command(&self) -> &str {
        &self.command
    }

    /// Runs the command without edits.
    async fn baseline(&self, options: &CheckOptions) -> Result<CheckRun, CheckError> {
        let kept = Kept::of(&self.root, options);
        if let Some(run) = kept.as_ref().and_then(Kept::read) {
            debug!("the check of the folder as it is was run before");
            return Ok(run);
        }
        let (end, run) = self.run().await?;
        match end {
            Ended::Exited(126 | 127) => Err(CheckError::NoProgram(last_line(&run.end))),
            Ended::Exited(_) => {
                if let Some(Err(error)) = kept.map(|kept| kept.write(&run)) {
                    debug!(%error, "the check of the folder as it is cannot be kept");
                }
                Ok(run)
            }
            _ => Err(CheckError::Stopped(run.end)),
        }
    }

    /// Runs the command with some edits of the folder.
    ///
    /// # Errors
    /// [`CheckError`] if the copy or the sandbox fails. A command that takes too long complains.
    pub async fn check(&mut self, changes: Vec<FileChange>) -> Result<Checked, CheckError> {
        let workspace = Workspace::open(self.sandbox.folder())?;
        for change in std::mem::take(&mut self.put) {
            let before = change.before.as_ref().map(Text::bytes);
            workspace.overwrite(&change.path, before)?;
        }
        for change in &changes {
            workspace.overwrite(&change.path, Some(&change.after))?;
        }
        self.put = changes;
        let (_, run) = self.run().await?;
        Ok(Checked {
            passed: run.passed,
            new: run.new_since(&self.before),
        })
    }

    async fn run(&self) -> Result<(Ended, CheckRun), CheckError> {
        let command = Command::Shell(format!("{ENVIRONMENT}\n{}", self.command));
        let ran = self.sandbox.run(&command, &self.limits).await?;
        let mut output = ran.output.text();
        for folder in [self.sandbox.folder(), &self.root] {
            let folder = folder.display().to_string();
            output = output.replace(&format!("{folder}/"), "");
        }

        let workspace = Workspace::open(self.sandbox.folder())?;
        let mut complaints = read(&output, &Listed::new(workspace.list().paths));
        let mut end = both_ends(output.trim_end(), MAX_END);
        if let Some(why) = stopped(ran.end, self.limits.time) {
            end = format!("the check was stopped: {why}");
            complaints.push(Complaint::of_whole_run(&end));
        }
        let run = CheckRun {
            passed: ran.end == Ended::Exited(0),
            complaints,
            end,
            time: ran.time,
        };
        Ok((ran.end, run))
    }
}

/// Why a command did not end by itself, if it did not.
fn stopped(end: Ended, time: Duration) -> Option<String> {
    Some(match end {
        Ended::Exited(_) => return None,
        Ended::TimedOut => format!("it took longer than {} s", time.as_secs()),
        Ended::Signal(signal) => format!("ended by signal {signal}"),
        Ended::TooMuchDisk => "it wrote more than it may".to_owned(),
        Ended::TooMuchMemory => "it took more memory than it may".to_owned(),
        Ended::TooManyProcesses => "it started more processes than it may".to_owned(),
    })
}

fn last_line(output: &str) -> String {
    output.lines().next_back().unwrap_or_default().to_owned()
}
