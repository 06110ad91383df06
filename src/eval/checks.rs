//! Commands that decide, in a sandbox: a task's check, a test of that check, and parsers that find
//! syntax errors.

use super::task::{Check, EvalTask};
use super::tree::{Tree, write_tree};
use crate::check::{Against, CheckOptions};
use crate::sandbox::{Command, Ended, Limits, Sandbox, SandboxOptions};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long parsing a file may take.
const SYNTAX_TIME: Duration = Duration::from_secs(20);

/// How commands are run.
#[derive(Clone, Debug)]
pub struct Checks {
    /// The running program. It starts them with fewer rights.
    pub program: PathBuf,
    /// The options of their sandboxes.
    pub options: SandboxOptions,
}

impl Checks {
    /// How the check of a task checks edits of it; `None` if it has none.
    pub(super) fn of_edits(&self, task: &EvalTask, against: Against) -> Option<CheckOptions> {
        let check = task.check.as_ref()?;
        Some(CheckOptions {
            command: check.line(),
            program: self.program.clone(),
            sandbox: self.options,
            time: check.time,
            against,
            kept: None,
            files: check.files.clone(),
        })
    }
}

/// Runs a check. Returns its output if it failed, and `None` if it passed.
///
/// # Errors
/// A sentence, if the check could not be run or did not end.
pub(super) async fn run_check(
    check: &Check,
    after: &Tree,
    checks: &Checks,
) -> Result<Option<String>, String> {
    let mut files = after.clone();
    files.extend(check.files.clone());
    let (end, said) = run(&check.command, &files, check.time, checks).await?;
    match end {
        Ended::Exited(0) => Ok(None),
        Ended::Exited(127) => Err(format!("the check cannot be run: {said}")),
        Ended::Exited(_) => Ok(Some(said)),
        Ended::TimedOut => Err(format!(
            "the check did not end within {} s",
            check.time.as_secs()
        )),
        other => Ok(Some(format!("the check was ended ({other:?}); {said}"))),
    }
}

/// The reason why a task's check tells nothing about an edit: the known right answer fails it, or
/// the folder passes it before any edit. `None` if it tells something.
pub async fn unsound(task: &EvalTask, checks: &Checks) -> Option<String> {
    let check = task.check.as_ref()?;
    let started = Instant::now();
    if let Some(right) = task.accepted.first() {
        match run_check(check, right, checks).await {
            Ok(None) => (),
            Ok(Some(said)) => {
                let last = said.lines().last().unwrap_or("it says nothing").to_owned();
                return Some(format!("its known right answer fails its check: {last}"));
            }
            Err(problem) => {
                return Some(format!("its known right answer is not checked: {problem}"));
            }
        }
    }

    // The bug may be an endless loop: the limit is a few times the time of the right answer.
    let enough = Duration::from_secs(5) + 3 * started.elapsed();
    let check = Check {
        time: check.time.min(enough),
        ..check.clone()
    };
    // A check that measures time may pass once by chance.
    for _ in 0..2 {
        if !matches!(run_check(&check, &task.before, checks).await, Ok(None)) {
            return None;
        }
    }
    Some("its check passes before any edit".to_owned())
}

/// Runs a command in a folder with these files. Returns how it ended and its last lines of output.
async fn run(
    command: &[String],
    files: &Tree,
    time: Duration,
    checks: &Checks,
) -> Result<(Ended, String), String> {
    let folder = tempfile::tempdir()
        .and_then(|folder| write_tree(folder.path(), files).map(|()| folder))
        .map_err(|error| format!("there is no folder to run commands in: {error}"))?;
    let sandbox = Sandbox::of(folder.path(), &checks.program, &checks.options)
        .map_err(|error| error.to_string())?;

    let limits = Limits {
        time,
        ..Limits::default()
    };
    let ran = sandbox
        .run(&Command::Program(command.to_vec()), &limits)
        .await
        .map_err(|error| error.to_string())?;

    let text = ran.output.text();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.retain(|line| !line.trim().is_empty());
    let last_lines = lines[lines.len().saturating_sub(3)..].join("\n");
    Ok((ran.end, last_lines.chars().take(400).collect()))
}

/// The syntax error of a file that had none before. `None` also if there is no parser for it.
pub(super) async fn syntax_error(
    path: &str,
    before: &Tree,
    after: &Tree,
    checks: &Checks,
) -> Option<String> {
    if let Some(bytes) = before.get(path)
        && broken(path, bytes, checks).await.is_some()
    {
        return None;
    }
    broken(path, after.get(path)?, checks).await
}

async fn broken(path: &str, bytes: &[u8], checks: &Checks) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    let command: &[&str] = match path.rsplit_once('.')?.1 {
        "json" => {
            let error = serde_json::from_str::<serde_json::Value>(text).err()?;
            return Some(error.to_string());
        }
        "toml" => {
            let error = toml::from_str::<toml::Table>(text).err()?;
            return error.message().lines().next().map(str::to_owned);
        }
        "py" => {
            let parse = "import ast; ast.parse(open('file', encoding='utf-8').read())";
            &["python3", "-c", parse]
        }
        "sh" => &["sh", "-n", "file"],
        _ => return None,
    };

    let command: Vec<String> = command.iter().copied().map(str::to_owned).collect();
    let files = Tree::from([("file".to_owned(), bytes.to_vec())]);
    match run(&command, &files, SYNTAX_TIME, checks).await {
        Ok((Ended::Exited(code), output)) if code != 0 && code != 127 => {
            Some(output.lines().last().unwrap_or_default().to_owned())
        }
        _ => None,
    }
}
