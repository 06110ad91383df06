//! The program's side of a sandbox's processes: starts the watching process, sends it the command,
//! and receives what happened.

use super::command::Ran;
use super::error::SandboxError;
use super::isolation::Isolation;
use super::output::{Kept, Output};
use super::protocol::{CHILD_ARGUMENT, ChildEvent, CommandSpec, GRACE};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdout};

fn program_with(program: &Path, environment: &[(OsString, OsString)]) -> std::process::Command {
    let mut command = std::process::Command::new(program);
    command
        .arg(CHILD_ARGUMENT)
        .env_clear()
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // Ctrl-C is for the program: it knows what must be finished first.
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
}

fn line_of(spec: &CommandSpec) -> Result<Vec<u8>, SandboxError> {
    spec.to_line()
        .map_err(|error| SandboxError::Process(error.to_string()))
}

fn failed(what: &str, error: impl std::fmt::Display) -> SandboxError {
    SandboxError::Process(format!("{what}: {error}"))
}

/// Finds out what isolation there is.
pub(super) fn probe(
    program: &Path,
    environment: &[(OsString, OsString)],
    spec: &CommandSpec,
) -> Result<Isolation, SandboxError> {
    let started = program_with(program, environment).spawn();
    let mut child = started.map_err(|error| failed(&program.display().to_string(), error))?;
    let mut stdin = child.stdin.take();
    let stdout = child.stdout.take();
    if let Some(stdin) = &mut stdin {
        // If it is gone, it says nothing either.
        let _ = stdin.write_all(&line_of(spec)?);
    }

    let mut isolation = None;
    for line in stdout
        .into_iter()
        .flat_map(|out| BufReader::new(out).lines())
    {
        match line.ok().and_then(|line| serde_json::from_str(&line).ok()) {
            Some(ChildEvent::Isolated(found)) => isolation = Some(found),
            Some(ChildEvent::Failed(reason)) => return Err(SandboxError::Process(reason)),
            _ => {}
        }
    }
    drop(stdin);

    let output = child.wait_with_output();
    let output = output.map_err(|error| failed("waiting for it", error))?;
    isolation.ok_or_else(|| {
        let said = String::from_utf8_lossy(&output.stderr);
        SandboxError::Process(last_line(&said, &output.status.to_string()))
    })
}

fn last_line(said: &str, otherwise: &str) -> String {
    said.lines().next_back().unwrap_or(otherwise).to_owned()
}

/// Runs a command. Dropping the future kills it.
pub(super) async fn run(
    program: &Path,
    environment: &[(OsString, OsString)],
    spec: &CommandSpec,
) -> Result<Ran, SandboxError> {
    let mut command = tokio::process::Command::from(program_with(program, environment));
    let child = command.spawn();
    let child = child.map_err(|error| failed(&program.display().to_string(), error))?;
    let mut running = Running { child };
    // The process has its own clock; this one is for the case that it hangs itself.
    match tokio::time::timeout(spec.limits.time.saturating_add(GRACE), running.listen(spec)).await {
        Ok(ran) => ran,
        Err(_) => Err(SandboxError::Process(
            "the process that watches the command hangs".to_owned(),
        )),
    }
}

/// The watching process. When this is dropped, the process ends and is waited for.
struct Running {
    child: tokio::process::Child,
}

impl Running {
    async fn listen(&mut self, spec: &CommandSpec) -> Result<Ran, SandboxError> {
        let (Some(stdout), Some(stderr)) = (self.child.stdout.take(), self.child.stderr.take())
        else {
            return Err(SandboxError::Process("it has no pipes".to_owned()));
        };
        if let Some(stdin) = &mut self.child.stdin {
            // If it is gone, its status says why.
            let _ = stdin.write_all(&line_of(spec)?).await;
        }

        let (last, output) = tokio::join!(last_event(stdout), all_output(stderr));
        let status = self.child.wait().await;
        let status = status.map_err(|error| failed("waiting for it", error))?;
        outcome(last, output, &status.to_string())
    }
}

async fn last_event(stdout: ChildStdout) -> Option<ChildEvent> {
    let mut lines = tokio::io::BufReader::new(stdout).lines();
    let mut last = None;
    while let Ok(Some(line)) = lines.next_line().await {
        last = serde_json::from_str(&line).ok().or(last);
    }
    last
}

async fn all_output(mut stderr: ChildStderr) -> Output {
    let mut kept = Kept::default();
    let mut block = vec![0; 1 << 16];
    while let Ok(n @ 1..) = stderr.read(&mut block).await {
        kept.push(&block[..n]);
    }
    kept.finish()
}

fn outcome(last: Option<ChildEvent>, output: Output, status: &str) -> Result<Ran, SandboxError> {
    match last {
        Some(ChildEvent::Ended { end, time }) => Ok(Ran { end, output, time }),
        Some(ChildEvent::LeftBehind(n)) => Err(SandboxError::LeftBehind { n }),
        Some(ChildEvent::Failed(reason)) => Err(SandboxError::Process(reason)),
        Some(ChildEvent::Isolated(isolation)) if !isolation.confines() => {
            Err(SandboxError::NoIsolation {
                isolation: Box::new(isolation),
            })
        }
        Some(ChildEvent::Isolated(_)) | None => {
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
                // It has failed to clean up. Without it, the kernel does the rest.
                let _ = self.child.start_kill();
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}
