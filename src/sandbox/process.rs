//! The process that a command runs under: what it is told, what it says, and the program's side of
//! it.
//!
//! It reads one `Spec` from standard input, which stays open: when it closes, the program is gone
//! or has lost interest, and everything is killed. It writes `Event`s to standard output; its
//! standard error is the command's output.

use super::output::Kept;
use super::{Command, Ended, Isolation, Limits, Output, Ran, SandboxError};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};

/// The hidden argument that makes the binary the process that watches a command.
pub const CHILD_ARGUMENT: &str = "sandbox-process";

/// With it, the process that becomes the command's parent, behind the walls.
pub const INSIDE: &str = "--inside";

/// How long the process may take to do what takes no time, such as to kill and to remove.
const GRACE: Duration = Duration::from_secs(30);

/// What commands of one sandbox have in common.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Setting {
    /// Where commands start.
    pub(super) folder: PathBuf,
    /// The name under which the copy is seen as well.
    pub(super) stand_in: Option<PathBuf>,
    /// The sandbox's own folder; see [`super::place`].
    pub(super) space: PathBuf,
    /// Folders of dependencies, and the names in the sandbox that lead to them.
    pub(super) dependencies: Vec<(PathBuf, PathBuf)>,
    /// What else may be read.
    pub(super) read: Vec<PathBuf>,
    /// Whether namespaces are worth trying: trying in vain leaves a process half in them.
    pub(super) namespaces: bool,
    /// Run it without isolation, if there is none.
    pub(super) allow_none: bool,
}

/// What the process is told.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Spec {
    pub(super) setting: Setting,
    /// Without one, it is only tried what isolation there is.
    pub(super) command: Option<Command>,
    pub(super) limits: Limits,
    /// What the watching process has set up already.
    pub(super) isolation: Isolation,
}

impl Spec {
    pub(super) fn new(setting: &Setting, command: &Command, limits: &Limits) -> Spec {
        let (setting, command) = (setting.clone(), Some(command.clone()));
        Spec { setting, command, limits: *limits, isolation: Isolation::default() }
    }

    pub(super) fn probe(setting: &Setting) -> Spec {
        let limits = Limits { time: GRACE, ..Limits::default() };
        Spec { setting: setting.clone(), command: None, limits, isolation: Isolation::default() }
    }
}

/// What the process says: `Isolated` once, and then one of the others.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Event {
    /// What isolation there is. A command that was not to run without any has not been started.
    Isolated(Isolation),
    /// The command has ended, and nothing of it is left.
    Ended { end: Ended, time: Duration },
    /// So many processes could not be killed.
    LeftBehind(usize),
    /// Something that should have worked did not.
    Failed(String),
}

impl Event {
    /// Writes it as a line.
    pub(super) fn write(&self, to: &mut impl Write) -> std::io::Result<()> {
        let mut line = serde_json::to_vec(self).map_err(std::io::Error::other)?;
        line.push(b'\n');
        to.write_all(&line)?;
        to.flush()
    }
}

/// Runs the process, as [`CHILD_ARGUMENT`] asks for, or as [`INSIDE`] does.
pub fn run_as_child(inside: bool) -> std::io::Result<()> {
    if inside { super::inside::run() } else { super::supervise::run() }
}

fn program_with(program: &Path, environment: &[(OsString, OsString)]) -> std::process::Command {
    let mut command = std::process::Command::new(program);
    command
        .arg(CHILD_ARGUMENT)
        .env_clear()
        .envs(environment.iter().map(|(name, value)| (name, value)));
    command.current_dir("/").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Ctrl-C is for the program: it knows what must be finished first.
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
}

fn line_of(spec: &Spec) -> Result<Vec<u8>, SandboxError> {
    let mut line =
        serde_json::to_vec(spec).map_err(|error| SandboxError::Process(error.to_string()))?;
    line.push(b'\n');
    Ok(line)
}

fn failed(what: &str, error: impl std::fmt::Display) -> SandboxError {
    SandboxError::Process(format!("{what}: {error}"))
}

/// Finds out what isolation there is.
pub(super) fn probe(
    program: &Path,
    environment: &[(OsString, OsString)],
    spec: &Spec,
) -> Result<Isolation, SandboxError> {
    let started = program_with(program, environment).spawn();
    let mut child = started.map_err(|error| failed(&program.display().to_string(), error))?;
    let mut stdin = child.stdin.take();
    let stdout = child.stdout.take();
    if let Some(stdin) = &mut stdin {
        let _ = stdin.write_all(&line_of(spec)?); // if it is gone, it says nothing either
    }
    let mut isolation = None;
    for line in stdout.into_iter().flat_map(|stdout| BufReader::new(stdout).lines()) {
        match line.ok().and_then(|line| serde_json::from_str(&line).ok()) {
            Some(Event::Isolated(found)) => isolation = Some(found),
            Some(Event::Failed(reason)) => return Err(SandboxError::Process(reason)),
            _ => {}
        }
    }
    drop(stdin);
    let output = child.wait_with_output().map_err(|error| failed("waiting for it", error))?;
    isolation.ok_or_else(|| {
        SandboxError::Process(last_line(
            &String::from_utf8_lossy(&output.stderr),
            &output.status.to_string(),
        ))
    })
}

fn last_line(said: &str, otherwise: &str) -> String {
    said.lines().next_back().unwrap_or(otherwise).to_owned()
}

/// Runs a command.
pub(super) async fn run(
    program: &Path,
    environment: &[(OsString, OsString)],
    spec: &Spec,
) -> Result<Ran, SandboxError> {
    let mut command = tokio::process::Command::from(program_with(program, environment));
    let child = command.spawn().map_err(|error| failed(&program.display().to_string(), error))?;
    let mut running = Running { child };
    // The process has its own clock; this one is for the case that it hangs itself.
    match tokio::time::timeout(spec.limits.time.saturating_add(GRACE), running.listen(spec)).await {
        Ok(ran) => ran,
        Err(_) => {
            Err(SandboxError::Process("the process that watches the command hangs".to_owned()))
        }
    }
}

/// A process that is told to end, and waited for, when this is dropped.
struct Running {
    child: tokio::process::Child,
}

impl Running {
    async fn listen(&mut self, spec: &Spec) -> Result<Ran, SandboxError> {
        let (Some(stdout), Some(mut stderr)) = (self.child.stdout.take(), self.child.stderr.take())
        else {
            return Err(SandboxError::Process("it has no pipes".to_owned()));
        };
        if let Some(stdin) = &mut self.child.stdin {
            let _ = stdin.write_all(&line_of(spec)?).await; // if it is gone, its status says why
        }
        let events = async {
            let mut lines = tokio::io::BufReader::new(stdout).lines();
            let mut last = None;
            while let Ok(Some(line)) = lines.next_line().await {
                last = serde_json::from_str(&line).ok().or(last);
            }
            last
        };
        let output = async {
            let mut kept = Kept::default();
            let mut block = vec![0; 1 << 16];
            while let Ok(n @ 1..) = stderr.read(&mut block).await {
                kept.push(&block[..n]);
            }
            kept.finish()
        };
        let (last, output) = tokio::join!(events, output);
        let status = self.child.wait().await.map_err(|error| failed("waiting for it", error))?;
        outcome(last, output, &status.to_string())
    }
}

fn outcome(last: Option<Event>, output: Output, status: &str) -> Result<Ran, SandboxError> {
    match last {
        Some(Event::Ended { end, time }) => Ok(Ran { end, output, time }),
        Some(Event::LeftBehind(n)) => Err(SandboxError::LeftBehind { n }),
        Some(Event::Failed(reason)) => Err(SandboxError::Process(reason)),
        Some(Event::Isolated(isolation)) if !isolation.confines() => {
            Err(SandboxError::NoIsolation { isolation: Box::new(isolation) })
        }
        Some(Event::Isolated(_)) | None => {
            Err(SandboxError::Process(last_line(&output.text(), status)))
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let deadline = Instant::now() + GRACE;
        while let Ok(None) = self.child.try_wait() {
            if Instant::now() > deadline {
                let _ = self.child.start_kill(); // it has not done its work; the kernel does what is left of it
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}
