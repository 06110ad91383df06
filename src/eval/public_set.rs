//! Public sets of edit tasks that a person has on disk, in the form in which they are published.
//! This project holds no part of them.
//!
//! A row is JSON, one a line. It is run as its authors run it: the edited solution and the test are
//! joined to one program, and the solution is right if that program reaches its end.
//!
//! HumanEvalFix (of HumanEvalPack), `Python/…`, `Rust/…`, `JavaScript/…` and `Go/…`:
//! - keys: `task_id`, `prompt`, `buggy_solution`, `canonical_solution`, `test`, `entry_point`; of Go
//!   also `import` and `test_setup`
//! - task: "Fix bugs in ENTRY_POINT."
//! - program: `prompt`, a solution, `test` (`python3`; `rustc --test`; `node`; `go test`)
//!
//! EditEval (of InstructCoder):
//! - keys: `instruction`, `context`, `input`, `output`, `test`
//! - task: its instruction
//! - program: `context` with the solution in place of every `{{Code}}`, or the solution alone if
//!   there is no context; then `test`, then a call of its `check()` (`python3`)
//!
//! CanItEdit:
//! - keys: `name`, `before`, `after`, `tests`, `instruction_descriptive`, `instruction_lazy`
//! - task: its descriptive instruction; the other wording is the lazy one
//! - program: the solution, then `tests` (`python3`)
//!
//! QuixBugs:
//! - keys: `name`, `buggy_program`, `solution`, `docstring`, `tests`
//! - task: "Fix the bug in NAME."
//! - program: a solution with the docstring below it, then `tests` (`python3`)

use super::task::{BrokenTask, Check, EvalTask, SuiteError, Suites};
use super::tree::Tree;
use serde::Deserialize;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Duration;

/// Building a Rust test takes seconds on a slow machine.
const CHECK_TIME: Duration = Duration::from_secs(60);

/// What a context of EditEval has where the solution goes.
const CODE: &str = "{{Code}}";

const PYTHON_MARK: &str = "import pathlib\npathlib.Path('passed').touch()";

/// A longer row is no task.
const MAX_ROW_BYTES: usize = 4 << 20;

#[derive(Deserialize)]
#[serde(untagged)]
enum Row {
    HumanEvalFix(HumanEvalFix),
    EditEval(EditEval),
    CanItEdit(CanItEdit),
    QuixBugs(QuixBugs),
}

/// The sets that are read.
pub const NAMES: &str = "HumanEvalFix, EditEval, CanItEdit or QuixBugs";

#[derive(Deserialize)]
struct HumanEvalFix {
    task_id: String,
    prompt: String,
    buggy_solution: String,
    canonical_solution: String,
    #[serde(default)]
    bug_type: String,
    #[serde(default)]
    import: String,
    #[serde(default)]
    test_setup: String,
    test: String,
    entry_point: String,
}

#[derive(Deserialize)]
struct EditEval {
    #[serde(default)]
    task_id: serde_json::Value,
    instruction: String,
    #[serde(default)]
    context: String,
    input: String,
    output: String,
    test: String,
}

#[derive(Deserialize)]
struct CanItEdit {
    name: String,
    before: String,
    after: String,
    tests: String,
    instruction_descriptive: String,
    instruction_lazy: String,
}

#[derive(Deserialize)]
struct QuixBugs {
    name: String,
    buggy_program: String,
    solution: String,
    docstring: String,
    tests: String,
}

/// A file and how it is checked.
struct Program {
    file: &'static str,
    /// In a shell.
    command: String,
    check_files: Tree,
}

/// Reads a set. Each row's keys tell its format.
///
/// # Errors
/// If it cannot be read, or no row of it is of a known set. Rows that are not go to
/// [`Suites::broken`].
pub fn read(path: &Path) -> Result<Suites, SuiteError> {
    let file = std::fs::File::open(path).map_err(|error| SuiteError::read(path, error))?;
    let suite = path.file_stem().unwrap_or_default().to_string_lossy();
    let mut suites = Suites::default();
    for (i, line) in BufReader::new(file).lines().enumerate() {
        let line = line.map_err(|error| SuiteError::read(path, error))?;
        if line.trim().is_empty() {
            continue;
        }
        match task_of(&suite, i + 1, &line) {
            Ok(task) => suites.tasks.push(task),
            Err(reason) => {
                let task = format!("{suite}/line {}", i + 1);
                suites.broken.push(BrokenTask { task, reason });
            }
        }
    }

    if suites.tasks.is_empty() {
        let reason = suites.broken.first();
        let reason = reason.map_or("it is empty", |broken| &broken.reason);
        let message = format!("no row of it is a task of {NAMES} as JSON, one a line ({reason})");
        return Err(SuiteError::NotASet(path.to_owned(), message));
    }
    Ok(suites)
}

/// The task of a line, counted from 1.
fn task_of(suite: &str, n_line: usize, line: &str) -> Result<EvalTask, String> {
    if line.len() > MAX_ROW_BYTES {
        return Err("it is too long for a task".to_owned());
    }
    match serde_json::from_str(line) {
        Ok(Row::HumanEvalFix(row)) => human_eval_fix(suite, row),
        Ok(Row::EditEval(row)) => Ok(edit_eval(suite, n_line, row)),
        Ok(Row::CanItEdit(row)) => Ok(can_it_edit(suite, row)),
        Ok(Row::QuixBugs(row)) => Ok(quix_bugs(suite, row)),
        Err(_) => Err("it has the keys of no known set".to_owned()),
    }
}

fn human_eval_fix(suite: &str, row: HumanEvalFix) -> Result<EvalTask, String> {
    let (language, number) = row.task_id.split_once('/').unwrap_or((&row.task_id, ""));
    let mut head = row.prompt;
    let program = match language {
        "Python" => python(&row.entry_point, &row.test),
        "JavaScript" => javascript(&row.test),
        "Rust" => rust(row.test),
        "Go" => {
            head = format!("package main\n\n{}{head}", row.import);
            go(&row.test_setup, &row.test)
        }
        other => {
            let known = "Python, Rust, JavaScript, Go";
            return Err(format!(
                "{other} is not among the languages that can be checked ({known})"
            ));
        }
    };

    let solutions = [row.buggy_solution, row.canonical_solution];
    let mut task = task(
        suite,
        number,
        program,
        solutions.map(|text| head.clone() + &text),
    );
    task.language = language.to_lowercase();
    task.name = format!("{suite}/{}-{number}", task.language);
    task.wordings = vec![format!("Fix bugs in {}.", row.entry_point)];
    task.category = row.bug_type;
    if task.category.is_empty() {
        task.category = "bug".to_owned();
    }
    Ok(task)
}

fn edit_eval(suite: &str, n_line: usize, row: EditEval) -> EvalTask {
    let number = match row.task_id {
        serde_json::Value::String(id) => id.rsplit('/').next().unwrap_or_default().to_owned(),
        serde_json::Value::Number(id) => id.to_string(),
        _ => n_line.to_string(),
    };
    let context = if row.context.is_empty() {
        CODE
    } else {
        &row.context
    };

    let mut around: Vec<String> = context.split(CODE).map(str::to_owned).collect();
    let end = around.last_mut().expect("a split has a part");
    *end += &format!("\n{}\ncheck()", row.test);
    let program = joined("solution.py", &around, PYTHON_MARK, "python3 -B all.py");
    EvalTask {
        wordings: vec![row.instruction],
        ..task(suite, &number, program, [row.input, row.output])
    }
}

fn can_it_edit(suite: &str, row: CanItEdit) -> EvalTask {
    let program = with_test(&row.tests);
    EvalTask {
        wordings: vec![row.instruction_descriptive, row.instruction_lazy],
        ..task(suite, &row.name, program, [row.before, row.after])
    }
}

fn quix_bugs(suite: &str, row: QuixBugs) -> EvalTask {
    let program = with_test(&row.tests);
    // As its authors' files have it: below the code.
    let solutions = [row.buggy_program, row.solution];
    let solutions = solutions.map(|text| format!("{text}\n\n{}\n", row.docstring));
    EvalTask {
        wordings: vec![format!("Fix the bug in {}.", row.name)],
        category: "bug".to_owned(),
        ..task(suite, &row.name, program, solutions)
    }
}

/// A Python solution with its test below it, in one file.
fn with_test(test: &str) -> Program {
    let around = [String::new(), format!("\n{test}")];
    joined("solution.py", &around, PYTHON_MARK, "python3 -B all.py")
}

/// A task of one file, in Python if nothing else is said, with the solutions before and after.
fn task(suite: &str, number: &str, program: Program, solutions: [String; 2]) -> EvalTask {
    let [before, after] = solutions.map(|text| tree(program.file, text));
    EvalTask {
        name: format!("{suite}/{number}"),
        suite: suite.to_owned(),
        wordings: Vec::new(),
        category: "edit".to_owned(),
        level: "hard".to_owned(),
        language: "python".to_owned(),
        earlier: None,
        declines: false,
        before,
        accepted: vec![after],
        check: Some(Check {
            command: ["sh", "-c", &program.command].map(str::to_owned).to_vec(),
            time: CHECK_TIME,
            files: program.check_files,
        }),
    }
}

/// The test imports the solution, so that a traceback names the file that can be edited.
fn python(entry_point: &str, test: &str) -> Program {
    let imports = format!("from solution import *\nfrom solution import {entry_point}\n");
    Program {
        file: "solution.py",
        command: reaches_end("python3 -B check_solution.py"),
        check_files: tree(
            "check_solution.py",
            format!("{imports}{test}\n{PYTHON_MARK}"),
        ),
    }
}

/// Node only prints what `console.assert` finds: here it throws.
fn javascript(test: &str) -> Program {
    let test = format!(";console.assert = require('assert');\n{test}");
    let mark = ";require('fs').writeFileSync('passed', '');";
    joined("solution.js", &[String::new(), test], mark, "node all.js")
}

/// Every row imports three crates, and nearly none uses them: they are empty here.
fn rust(test: String) -> Program {
    let run = "for crate in md5 rand regex; do echo 'pub trait Rng {} pub struct Regex;' \
               | rustc --crate-type rlib --crate-name $crate -o lib$crate.rlib - || exit; done; \
               rustc --edition 2021 --test -A warnings -o all all.rs \
               --extern md5=libmd5.rlib --extern rand=librand.rlib --extern regex=libregex.rlib \
               && { ./all > said || { cat said; exit 1; }; } \
               && { ! grep -q '^test result: ok. [1-9]' said || touch passed; }";
    joined("solution.rs", &[String::new(), test], "", run)
}

/// The tests use one function of a package that would have to be fetched.
fn go(setup: &str, test: &str) -> Program {
    const ASSERT: &str = "
type equals struct{ t *testing.T }

func (e equals) Equal(want, got any) {
    if !reflect.DeepEqual(want, got) {
        e.t.Fatalf(\"want %v, got %v\", want, got)
    }
}

var assert = struct{ New func(*testing.T) equals }{func(t *testing.T) equals { return equals{t} }}
";
    let setup = setup.replace("\"github.com/stretchr/testify/assert\"", "\"reflect\"");
    let mut check_files = tree("solution_test.go", format!("{setup}{ASSERT}{test}"));
    check_files.extend(tree("go.mod", "module solution\n\ngo 1.18".to_owned()));
    Program {
        file: "solution.go",
        command: "go test".to_owned(),
        check_files,
    }
}

/// A program that is a solution between other parts.
fn joined(file: &'static str, around: &[String], mark: &str, run: &str) -> Program {
    let mut check_files = Tree::new();
    let mut parts = Vec::new();
    for (i, part) in around.iter().enumerate() {
        let name = format!("check/{i}");
        check_files.extend(tree(&name, part.clone()));
        parts.push(name);
    }
    check_files.extend(tree("check/mark", mark.to_owned()));
    let parts = parts.join(&format!(" {file} "));
    let all = file.replace("solution", "all");
    let command = reaches_end(&format!("cat {parts} check/mark > {all} && {run}"));
    Program {
        file,
        command,
        check_files,
    }
}

/// The end of a program writes a mark: a solution that ends the process is not right by that.
fn reaches_end(run: &str) -> String {
    format!("{run} && {{ test -e passed || {{ echo 'it ended before its test did'; exit 1; }}; }}")
}

/// One file, with a newline at its end.
fn tree(path: &str, mut text: String) -> Tree {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Tree::from([(path.to_owned(), text.into_bytes())])
}
