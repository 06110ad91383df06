//! Public sets of edit tasks, where a person has them on disk. They are read as they are published;
//! nothing of them is in this project.
//!
//! A row is JSON, one a line.
//!
//! HumanEvalFix (of HumanEvalPack), `Python/…` and `Rust/…`:
//! - keys: `task_id`, `prompt`, `declaration`, `buggy_solution`, `test`, `entry_point`
//! - task: "Fix bugs in ENTRY_POINT."
//! - right if the test passes (`python3`; `rustc --test`)
//!
//! EditEval (of InstructCoder):
//! - keys: `instruction`, `input`, `test`
//! - task: its instruction
//! - right if the test passes after the edited file (`python3`)

use super::task::{BrokenTask, Check, EvalTask, SuiteError, Suites};
use super::tree::Tree;
use serde::Deserialize;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Duration;

/// Building a Rust test takes seconds on a slow machine.
const CHECK_TIME: Duration = Duration::from_secs(60);

/// A longer row is no task.
const MAX_ROW_BYTES: usize = 4 << 20;

#[derive(Deserialize)]
#[serde(untagged)]
enum Row {
    HumanEvalFix(HumanEvalFix),
    EditEval(EditEval),
}

#[derive(Deserialize)]
struct HumanEvalFix {
    task_id: String,
    prompt: String,
    #[serde(default)]
    declaration: String,
    buggy_solution: String,
    #[serde(default)]
    bug_type: String,
    test: String,
    entry_point: String,
}

#[derive(Deserialize)]
struct EditEval {
    #[serde(default)]
    task_id: serde_json::Value,
    instruction: String,
    input: String,
    test: String,
}

/// Reads a set. The format is told from each row's keys.
///
/// # Errors
/// If it cannot be read, or no row of it is of a known set. Rows that are not go to
/// [`Suites::broken`].
pub fn read(path: &Path) -> Result<Suites, SuiteError> {
    let failed = |source| SuiteError::Read { path: path.to_path_buf(), source };
    let suite = path
        .file_stem()
        .map_or_else(|| "set".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let mut suites = Suites::default();
    for (i, line) in BufReader::new(std::fs::File::open(path).map_err(failed)?).lines().enumerate()
    {
        let line = line.map_err(failed)?;
        if line.trim().is_empty() {
            continue;
        }
        let row = match line.len() > MAX_ROW_BYTES {
            true => Err("it is too long for a task".to_owned()),
            false => serde_json::from_str::<Row>(&line)
                .map_err(|_| "it has the keys of no known set".to_owned()),
        };
        let task = match row {
            Ok(Row::HumanEvalFix(row)) => human_eval_fix(&suite, row),
            Ok(Row::EditEval(row)) => Ok(edit_eval(&suite, i, row)),
            Err(reason) => Err(reason),
        };
        match task {
            Ok(task) => suites.tasks.push(task),
            Err(reason) => {
                let task = format!("{suite}/line {}", i + 1);
                suites.broken.push(BrokenTask { task, reason });
            }
        }
    }
    if suites.tasks.is_empty() {
        let reason = suites.broken.first().map_or("it is empty", |broken| broken.reason.as_str());
        let reason = format!(
            "no row of it is a task of HumanEvalFix or EditEval as JSON, one a line ({reason})"
        );
        return Err(SuiteError::NotASet { path: path.to_path_buf(), reason });
    }
    Ok(suites)
}

fn human_eval_fix(suite: &str, row: HumanEvalFix) -> Result<EvalTask, String> {
    let (language, number) = row.task_id.split_once('/').unwrap_or((&row.task_id, ""));
    let (file, source, check) = match language {
        // The prompt is imports, signature and what the function should do.
        "Python" => {
            let test = format!(
                "from solution import *\nfrom solution import {}\n{}\n",
                row.entry_point, row.test
            );
            let command = ["python3", "-B", "check_solution.py"].map(str::to_owned).to_vec();
            (
                "solution.py",
                format!("{}{}", row.prompt, row.buggy_solution),
                (command, "check_solution.py", test),
            )
        }
        // The prompt is a comment; imports and signature are the declaration. The test is a module
        // beside the function.
        "Rust" => {
            let build = "cat solution.rs check_solution.rs > all.rs \
                         && rustc --edition 2021 --test -A warnings -o all all.rs && ./all";
            let command = ["sh", "-c", build].map(str::to_owned).to_vec();
            let source = format!("{}{}{}", row.prompt, row.declaration, row.buggy_solution);
            ("solution.rs", source, (command, "check_solution.rs", row.test))
        }
        other => {
            return Err(format!(
                "{other} is not among the languages that can be checked (Python, Rust)"
            ));
        }
    };
    let (command, check_file, test) = check;
    Ok(EvalTask {
        name: format!("{suite}/{}-{number}", language.to_lowercase()),
        suite: suite.to_owned(),
        wordings: vec![format!("Fix bugs in {}.", row.entry_point)],
        category: if row.bug_type.is_empty() { "bug".to_owned() } else { row.bug_type },
        level: "hard".to_owned(),
        language: language.to_lowercase(),
        declines: false,
        before: Tree::from([(file.to_owned(), ended(source))]),
        accepted: Vec::new(),
        check: Some(Check {
            command,
            time: CHECK_TIME,
            files: Tree::from([(check_file.to_owned(), ended(test))]),
        }),
    })
}

fn edit_eval(suite: &str, i: usize, row: EditEval) -> EvalTask {
    let number = match row.task_id {
        serde_json::Value::String(id) => id.rsplit('/').next().unwrap_or_default().to_owned(),
        serde_json::Value::Number(id) => id.to_string(),
        _ => (i + 1).to_string(),
    };
    // The test goes on where the program ends: it may use its names and call its own `check`.
    let joined = "cat solution.py check_solution.py > all.py && python3 -B all.py";
    EvalTask {
        name: format!("{suite}/{number}"),
        suite: suite.to_owned(),
        wordings: vec![row.instruction],
        category: "edit".to_owned(),
        level: "hard".to_owned(),
        language: "python".to_owned(),
        declines: false,
        before: Tree::from([("solution.py".to_owned(), ended(row.input))]),
        accepted: Vec::new(),
        check: Some(Check {
            command: ["sh", "-c", joined].map(str::to_owned).to_vec(),
            time: CHECK_TIME,
            files: Tree::from([("check_solution.py".to_owned(), ended(row.test))]),
        }),
    }
}

/// With a newline at its end.
fn ended(text: String) -> Vec<u8> {
    let text = if text.ends_with('\n') { text } else { text + "\n" };
    text.into_bytes()
}
