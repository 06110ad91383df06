//! The machine's verdict on what a model made: never the model's own word.

use super::record::Verdict;
use super::strategy::{Attempt, Made};
use super::suite::{Check, EvalTask, Tree};
use crate::sandbox::{Command, Ended, Limits, Sandbox, SandboxOptions};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A verdict and what it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// Which it is.
    pub verdict: Verdict,
    /// In more detail: see [`super::record::Row::kind`].
    pub kind: &'static str,
    /// A sentence for people; may be empty.
    pub message: String,
}

impl Judgement {
    fn new(verdict: Verdict, kind: &'static str, message: impl Into<String>) -> Judgement {
        Judgement { verdict, kind, message: message.into() }
    }

    /// Whether the right thing was done: the edit, or none where none was right.
    pub fn passed(&self) -> bool {
        self.verdict == Verdict::Right
            || self.verdict == Verdict::Declined && self.kind == "rightly"
    }
}

/// The kind of a judgement where the check could not be run, or did not end: it passes nobody, and
/// is a problem of the task's.
pub const NOT_CHECKED: &str = "not_checked";

/// How long a file's syntax may be looked at.
const SYNTAX_TIME: Duration = Duration::from_secs(20);

/// Where commands are run.
#[derive(Clone, Debug)]
pub struct Checks {
    /// The running program, which confines them.
    pub program: PathBuf,
    /// How.
    pub options: SandboxOptions,
}

/// What an attempt is worth.
pub async fn judge(task: &EvalTask, attempt: &Attempt, checks: &Checks) -> Judgement {
    let after = match &attempt.made {
        Made::Mechanics(kind, message) => {
            return Judgement::new(Verdict::Mechanics, kind.name(), message);
        }
        Made::NotRepaired(status, reason) => {
            return Judgement::new(Verdict::Judgment, status, reason);
        }
        Made::Truncated => {
            return Judgement::new(
                Verdict::Truncated,
                "",
                "the answer did not end within its budget",
            );
        }
        Made::Declined(reason) => return declined(task, reason),
        Made::Edited(after) if *after == task.before && task.declines => {
            return declined(task, "it is left as it is");
        }
        Made::Edited(after) if *after == task.before => {
            return Judgement::new(Verdict::Judgment, "no_change", "the edit changes nothing");
        }
        Made::Edited(after) => after,
    };
    if task.declines {
        return Judgement::new(Verdict::Judgment, "edited", "no edit is right here");
    }
    if task.accepted.contains(after) {
        return Judgement::new(Verdict::Right, "", "");
    }
    let failed = match &task.check {
        None => None,
        Some(check) => match run_check(check, after, checks).await {
            Ok(None) => return Judgement::new(Verdict::Right, "", "its check passes"),
            Ok(Some(said)) => Some(said),
            Err(problem) => return Judgement::new(Verdict::Judgment, NOT_CHECKED, problem),
        },
    };
    for path in changed(&task.before, after) {
        if let Some(error) = syntax_error(path, &task.before, after, checks).await {
            return Judgement::new(
                Verdict::Judgment,
                "syntax",
                format!("{path} is broken: {error}"),
            );
        }
    }
    match failed {
        Some(said) => Judgement::new(Verdict::Judgment, "check_failed", said),
        None => Judgement::new(Verdict::Judgment, how_wrong(task, after), ""),
    }
}

fn declined(task: &EvalTask, reason: &str) -> Judgement {
    Judgement::new(Verdict::Declined, if task.declines { "rightly" } else { "wrongly" }, reason)
}

fn changed<'a>(before: &'a Tree, after: &'a Tree) -> Vec<&'a str> {
    let paths = before.keys().chain(after.keys().filter(|path| !before.contains_key(*path)));
    paths.filter(|path| before.get(*path) != after.get(*path)).map(String::as_str).collect()
}

/// In which way it differs from everything that would be right.
fn how_wrong(task: &EvalTask, after: &Tree) -> &'static str {
    let touched = changed(&task.before, after);
    let meant = task
        .accepted
        .iter()
        .flat_map(|accepted| changed(&task.before, accepted))
        .collect::<Vec<_>>();
    let without_blanks = |tree: &Tree| -> Vec<(String, Vec<u8>)> {
        let stripped = |bytes: &Vec<u8>| {
            bytes.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect()
        };
        tree.iter().map(|(path, bytes)| (path.clone(), stripped(bytes))).collect()
    };
    if !touched.iter().any(|path| meant.contains(path)) {
        "wrong_file"
    } else if task.accepted.iter().any(|accepted| without_blanks(accepted) == without_blanks(after))
    {
        "white_space"
    } else {
        "wrong_text"
    }
}

/// Runs a check; gives what it said if it failed.
///
/// # Errors
/// A sentence, if it came to no decision.
async fn run_check(check: &Check, after: &Tree, checks: &Checks) -> Result<Option<String>, String> {
    let mut files = after.clone();
    files.extend(check.files.clone());
    let (end, said) = run(&check.command, &files, check.time, checks).await?;
    match end {
        Ended::Exited(0) => Ok(None),
        Ended::Exited(127) => Err(format!("the check cannot be run: {said}")),
        Ended::Exited(_) => Ok(Some(said)),
        Ended::TimedOut => Err(format!("the check did not end within {} s", check.time.as_secs())),
        other => Ok(Some(format!("the check was ended ({other:?}); {said}"))),
    }
}

/// How a command ends in a folder with these files, and the last of what it says.
async fn run(
    command: &[String],
    files: &Tree,
    time: Duration,
    checks: &Checks,
) -> Result<(Ended, String), String> {
    let folder = tempfile::tempdir()
        .map_err(|error| format!("there is no folder to run commands in: {error}"))?;
    write_tree(folder.path(), files)
        .map_err(|error| format!("there is no folder to run commands in: {error}"))?;
    let sandbox = Sandbox::of(folder.path(), &checks.program, &checks.options)
        .map_err(|error| error.to_string())?;
    let limits = Limits { time, ..Limits::default() };
    let ran = sandbox
        .run(&Command::Program(command.to_vec()), &limits)
        .await
        .map_err(|error| error.to_string())?;
    let text = ran.output.text();
    let last: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let said = last[last.len().saturating_sub(3)..].join("\n").chars().take(400).collect();
    Ok((ran.end, said))
}

/// Writes files into a folder.
///
/// # Errors
/// Of the file system.
pub fn write_tree(folder: &Path, files: &Tree) -> std::io::Result<()> {
    for (path, bytes) in files {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, bytes)?;
    }
    Ok(())
}

/// What breaks a file that was whole before; none where nobody here can tell.
async fn syntax_error(path: &str, before: &Tree, after: &Tree, checks: &Checks) -> Option<String> {
    let bytes = after.get(path)?;
    let was_whole = match before.get(path) {
        Some(bytes) => broken(path, bytes, checks).await.is_none(),
        None => true,
    };
    if was_whole { broken(path, bytes, checks).await } else { None }
}

async fn broken(path: &str, bytes: &[u8], checks: &Checks) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    let first_line = |message: String| message.lines().next().unwrap_or_default().to_owned();
    let command: &[&str] = match path.rsplit_once('.')?.1 {
        "json" => {
            return serde_json::from_str::<serde_json::Value>(text)
                .err()
                .map(|error| error.to_string());
        }
        "toml" => {
            return toml::from_str::<toml::Table>(text)
                .err()
                .map(|error| first_line(error.message().to_owned()));
        }
        "py" => {
            &["python3", "-c", "import ast, sys; ast.parse(open('file', encoding='utf-8').read())"]
        }
        "sh" => &["sh", "-n", "file"],
        _ => return None,
    };
    let command: Vec<String> = command.iter().copied().map(str::to_owned).collect();
    let files = Tree::from([("file".to_owned(), bytes.to_vec())]);
    match run(&command, &files, SYNTAX_TIME, checks).await {
        Ok((Ended::Exited(code), said)) if code != 0 && code != 127 => {
            Some(said.lines().last().unwrap_or_default().to_owned())
        }
        _ => None,
    }
}
