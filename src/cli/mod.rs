//! The command line: arguments to values, values to what a person or a script reads.
//!
//! A file a subcommand. Results go to standard output, everything else to standard error; the exit
//! code says which kind of result it was.

mod apply;
mod command;
mod diff;
mod edit;
mod eval;
mod failure;
mod folders;
mod gate;
mod model;
mod progress;
mod repair;
mod report;
mod undo;
mod warm;

use crate::risk;
use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;

pub use repair::RepairReport;
pub use report::{ApplyReport, Report};

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCode {
    /// Done, already done, or a dry run that would be done.
    Done = 0,
    /// Not made: not found, ambiguous, declined, truncated, refused (by `--yes` too).
    NotMade = 1,
    /// Wrong usage or configuration.
    Usage = 2,
    /// Not confirmed; nothing was written.
    NotConfirmed = 3,
    /// The environment: a broken model, a full disk.
    Environment = 4,
    /// Some edits of a patch were written and others not, as `--partial` allows.
    PartlyDone = 5,
    /// Interrupted.
    Interrupted = 130,
}

const EXIT_CODES: &str = "Exit codes:
  0    done, already done, or a dry run that would be done
  1    no edit was made, or --yes refused it
  2    wrong usage or configuration
  3    not confirmed, nothing written
  4    the environment: the model, the disk
  5    some edits of a patch were written, others could not be made (--partial)
  130  interrupted";

#[derive(Debug, Parser)]
#[command(name = "slotwright", version, about = "Edits files with a local model that can only fill in what fits them.", long_about = None)]
#[command(after_help = EXIT_CODES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make the edit that a sentence asks for
    #[command(long_about = EDIT_ABOUT, after_help = EDIT_EXAMPLES)]
    Edit(EditArguments),
    /// Mend a bug, proved by tests
    #[command(long_about = REPAIR_ABOUT, after_help = REPAIR_EXAMPLES)]
    Repair(RepairArguments),
    /// Apply a patch that another model or tool wrote
    #[command(long_about = APPLY_ABOUT, after_help = APPLY_EXAMPLES)]
    Apply(ApplyArguments),
    /// Let the model read files ahead of time, so that the first edit in them is as fast as the
    /// second
    #[command(long_about = WARM_ABOUT)]
    Warm(WarmArguments),
    /// Measure how often edits come out right, by model and by how it is asked
    #[command(long_about = EVAL_ABOUT, after_help = EVAL_EXAMPLES)]
    Eval(EvalArguments),
    /// Take back what was written last, if nobody has changed it since
    #[command(long_about = UNDO_ABOUT)]
    Undo(UndoArguments),
    /// Remove the journals of all folders (nothing can be undone then) and the cache
    Purge,
    /// The process that the model runs in; not for people
    #[command(name = crate::engine::process::CHILD_ARGUMENT, hide = true)]
    ModelProcess,
    /// The processes that commands run under; not for people
    #[cfg(unix)]
    #[command(name = crate::sandbox::process::CHILD_ARGUMENT, hide = true)]
    SandboxProcess {
        #[arg(long)]
        inside: bool,
    },
}

const EDIT_ABOUT: &str = "Make the edit that a sentence asks for.

The model chooses one file and one operation (replace, replace everywhere in the file, insert, create), then fills in its slots: \
text that stands in the file, and new text. The change is shown as a diff. On a terminal you are asked before anything is \
written; elsewhere nothing is written without --yes. What asks for a second look is said before the question, and --yes refuses \
to write it: an edit that the model was unsure of, a rename to a name that the file has already, and text that is replaced in \
parts of a long file that the model did not see.";

const WARM_ABOUT: &str = "Let the model read files ahead of time, so that the first edit in them is as fast as the second.

Reading a file costs a large model seconds on a processor. What it made of the file is kept in the cache folder, which only you \
can read: what was not used for two weeks goes, and what was used longest ago when it takes more than 2 GiB. An edit keeps what it \
has read there too (edit --no-cache does not), and slotwright purge removes it all. A file that is too long to be shown whole \
cannot be read ahead: which parts of it are shown depends on the task.";

const APPLY_ABOUT: &str = "Apply a patch that another model or tool wrote, or refuse it with what to do next.

The formats are recognised: search/replace blocks (Aider, Cline, Roo Code), Codex patches, unified and git diffs, JSON edits \
(old_string and new_string, our own slots), whole files in fences with or without \"... existing code ...\", context and normal \
diffs, ed scripts, RCS diffs; with the prose around them.

The text to change is looked for as it is, and then with other line endings, trailing blanks, typographic quotes, indentation, \
tabs, blank lines, escapes or line numbers; what is written takes the file's own. It must stand in one place: of several none is \
guessed, and names, numbers and strings must be right. All edits are made or none, unless --partial is given. slotwright undo \
takes them back.

A fence under a file name is the whole new text of that file. What asks for a second look is said before the question, and --yes \
refuses to write it (see --accept).";

const APPLY_EXAMPLES: &str = "Examples:
  slotwright apply answer.md
  pbpaste | slotwright apply --dry-run
  git diff HEAD~1 | slotwright apply --reverse --yes
  slotwright apply --json --yes --partial edits.json > result.json";

/// What `slotwright apply` is told.
#[derive(Debug, Args)]
pub(crate) struct ApplyArguments {
    /// The patch; standard input if it is - or missing
    #[arg(value_name = "PATCH-FILE")]
    patch: Option<PathBuf>,
    /// The folder to edit; nothing outside it is read or written
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// The one file that the patch is about, whatever it calls it; relative to --root
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// How the patch is written, if that is not to be recognised
    #[arg(long, value_name = "NAME", value_parser = format_names())]
    format: Option<String>,
    /// Write without asking
    #[arg(long, short, conflicts_with = "dry_run")]
    yes: bool,
    /// Show the diff, write nothing
    #[arg(long, short = 'n')]
    dry_run: bool,
    /// What --yes writes in spite of a warning (repeatable): shrinks (a whole-file text that drops
    /// most of the file), numbers (lines that are named by number only), mixed (parts in another
    /// format were not read)
    #[arg(long, value_name = "WARNING", value_delimiter = ',', value_parser = ["shrinks", "numbers", "mixed"], hide_possible_values = true)]
    accept: Vec<String>,
    /// Make the edits that can be made, if others cannot (exit code 5)
    #[arg(long)]
    partial: bool,
    /// Take the patch back: what it inserts is looked for, what it deletes is put there
    #[arg(long, short = 'R')]
    reverse: bool,
    /// Print one JSON object instead of a diff
    #[arg(long)]
    json: bool,
}

fn format_names() -> Vec<&'static str> {
    std::iter::once("auto")
        .chain(crate::format::Format::ALL.map(crate::format::Format::name))
        .collect()
}

const UNDO_ABOUT: &str = "Take back what was written last in a folder, if nobody has changed it since.

Every edit is kept in a journal outside the folder, with the bytes before and after, for 30 days and 100 edits at most. `undo` again \
takes back the one before. A file that was changed since is left as it is, and so is all of that edit.";

/// What `slotwright undo` is told.
#[derive(Debug, Args)]
pub(crate) struct UndoArguments {
    /// The folder that was edited
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Show what was written, the newest first; undo nothing
    #[arg(long)]
    list: bool,
}

const EDIT_EXAMPLES: &str = "Examples:
  slotwright edit \"In sample.swift, rename the function processItem to handleItem everywhere.\"
  slotwright edit --file src/config.py --dry-run \"Change max_retries from 3 to 5\"
  slotwright edit --model http://127.0.0.1:8080/v1#qwen2.5-coder --file src/config.py \"...\"
  slotwright edit --model ~/models/qwen2.5-coder-7b-q4.gguf --yes --json \"...\" > result.json";

/// What `slotwright edit` is told.
#[derive(Debug, Args)]
pub(crate) struct EditArguments {
    /// What is to be changed, in your words
    task: String,
    /// The folder to edit; nothing outside it is edited, nor shown to the model
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Only this file (repeatable); relative to --root. Hidden and ignored files may be named
    #[arg(long = "file", value_name = "PATH")]
    files: Vec<String>,
    /// Write without asking
    #[arg(long, short, conflicts_with = "dry_run")]
    yes: bool,
    /// Show the diff, write nothing
    #[arg(long, short = 'n')]
    dry_run: bool,
    /// Make up to so many edits, in one file or several, until the model says that it is done (the
    /// bundled one does not: give the number of files); all are shown as one diff, and written
    /// together
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=20))]
    steps: u8,
    /// How sure the model has to be of what it wrote, from 0 to 1: below it you are warned, and
    /// --yes refuses. 0 never warns of an edit that changes something [default: 0.5, measured for
    /// the bundled model; 0.1, a guess, for models that are asked in words]
    #[arg(long, value_name = "X", value_parser = probability)]
    min_certainty: Option<f64>,
    /// What --yes writes in spite of a warning (repeatable): unsure (see --min-certainty; that
    /// there is nothing to do is then believed), merge (the new name is in the file already),
    /// unseen (it is replaced where the model did not look)
    #[arg(long, value_name = "WARNING", value_delimiter = ',', value_parser = risk::Risk::ACCEPTABLE, hide_possible_values = true)]
    accept: Vec<String>,
    /// Print one JSON object instead of a diff
    #[arg(long)]
    json: bool,
    /// Print what the model wrote and what it took
    #[arg(long)]
    stats: bool,
    /// Read everything anew, and keep nothing of what the model read for later edits
    #[arg(long)]
    no_cache: bool,
    #[command(flatten)]
    model: ModelArguments,
}

const REPAIR_ABOUT: &str = "Mend a bug, proved by tests: red first, then green, and nothing that was green before is red.

The tests are run as they are. A test must show the bug: the one in --test-file, one that fails already, or one that the model \
writes. Then the model edits, and the tests are run, up to --max-attempts times; each time it is told what still fails and what \
was tried. What is green is proved in a fresh copy: red without the edit, green with it. All of this happens in throw-away copies. \
Existing tests, and the files that say how they are run, cannot be changed. At the end the diff is shown, and you are asked, as by \
edit. The bundled model is told the issue alone, and makes one edit an attempt; larger ones are told more.

Exit codes: 0 only if a success was written, 3 for one that was not confirmed, 1 if there is none.";

const REPAIR_EXAMPLES: &str = "Examples:
  slotwright repair --test \"python3 -m pytest -q\" \"total() ignores the discount\"
  slotwright repair --test \"cargo test --no-fail-fast\" --test-file tests/dates.rs \"Dates with one digit are refused\"
  slotwright repair --test \"make test\" --model ~/models/qwen2.5-coder-7b-q4.gguf --yes --json \"...\" > result.json";

/// What `slotwright repair` is told.
#[derive(Debug, Args)]
pub(crate) struct RepairArguments {
    /// What is wrong, in your words
    issue: String,
    /// The folder to mend; it is only read until you say yes
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Runs the tests: a line for the shell, in the root of a copy
    #[arg(long, value_name = "CMD")]
    test: String,
    /// The file of the test that shows the bug; relative to --root
    #[arg(long, value_name = "PATH")]
    test_file: Option<String>,
    /// Give up after so many attempts
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=50))]
    max_attempts: u8,
    /// Edits that an attempt may be made of [default: 3, and 1 for models that are told single
    /// sentences only]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=20))]
    steps: Option<u8>,
    /// Give up if the tests as they are take longer; later runs may take five times what the first
    /// did
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..))]
    test_timeout: u32,
    /// Write a success without asking
    #[arg(long, short)]
    yes: bool,
    /// Print one JSON object instead of a diff
    #[arg(long)]
    json: bool,
    /// Run the tests in git worktrees, with what is not committed put on top, and not in plain
    /// copies
    #[arg(long)]
    worktree: bool,
    /// Copy folders of dependencies too (node_modules, target, …), for tests that write in them
    #[arg(long)]
    copy_dependencies: bool,
    /// Run the tests even where nothing confines them
    #[arg(long)]
    no_sandbox: bool,
    #[command(flatten)]
    model: ModelArguments,
}

#[derive(Debug, Args)]
pub(crate) struct WarmArguments {
    /// Files to be edited soon; relative to --root. Without any, only the list of files is read
    #[arg(value_name = "PATH")]
    files: Vec<String>,
    /// The folder to edit
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    #[command(flatten)]
    model: ModelArguments,
}

const EVAL_ABOUT: &str = "Measure how often edits come out right, by model and by how it is asked.

Every task of a suite is a folder, a sentence, and what is right: the folder afterwards, or a check that passes. A machine compares; \
what a model says of itself counts for nothing. Failures of the mechanics (no edit could be made from the answer), of judgment (an \
edit was made, and it is wrong), declined tasks and answers without an end are counted apart.

Strategies: naive (a free tool call with the whole new file), search_replace (a free answer of blocks, applied as slotwright apply \
does), schema (two stages in plain JSON Schemas), slots (two stages that can only say what fits the files: slotwright edit), repair \
(edits and the task's check in turn: slotwright repair).

Each run asks in the task's next wording. What was run is kept: interrupted, the same command goes on where it stopped. Checks run in \
a sandbox.";

const EVAL_EXAMPLES: &str = "Examples:
  slotwright eval --report ceiling.html
  slotwright eval --model small.gguf --model large.gguf --strategy slots --suite everyday --suite hard --report a.json
  slotwright eval --suite ~/my-suite --runs 1 --report b.json
  slotwright eval compare a.json b.json";

/// What `slotwright eval` is told.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct EvalArguments {
    #[command(subcommand)]
    command: Option<EvalCommand>,
    /// A bundled suite (seed, everyday, hard, decline, repair), a folder with tasks, or a file of
    /// HumanEvalFix or EditEval (repeatable) [default: the first four]
    #[arg(long = "suite", value_name = "SUITE")]
    suites: Vec<String>,
    /// Only tasks whose name has this in it
    #[arg(long, value_name = "TEXT")]
    task: Option<String>,
    /// A model: a GGUF file, "bundled", or http(s)://HOST/v1#NAME on a server (repeatable)
    #[arg(long = "model", value_name = "REF", env = "SLOTWRIGHT_MODEL", default_value = "bundled")]
    models: Vec<String>,
    /// How it is asked (repeatable): slots, schema, search_replace, naive; and repair, on tasks
    /// that have a check [default: the first four]
    #[arg(long = "strategy", value_name = "NAME", value_delimiter = ',', value_parser = ["slots", "schema", "search_replace", "naive", "repair"], hide_possible_values = true, hide_default_value = true, default_values = ["slots", "schema", "search_replace", "naive"])]
    strategies: Vec<String>,
    /// How often each task is run with each model and strategy
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// 0: always the likeliest token. Above: by probability, so that runs differ
    #[arg(long, value_name = "T", default_value_t = 0.0, allow_negative_numbers = true, value_parser = temperature)]
    temperature: f32,
    /// From which the seed of each run is made
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How long an answer may take
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u16).range(1..))]
    time: u16,
    /// Answers that a server is asked for at once; a model in a file gives one after the other
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    jobs: u16,
    /// Give stage 1's right answer, so that what is lost in choosing the file is told from what is
    /// lost in writing: pick
    #[arg(long, value_name = "WHAT", value_parser = ["pick"], hide_possible_values = true)]
    oracle: Option<String>,
    /// Ask the model afterwards whether it succeeded, and compare that with the verdict
    #[arg(long)]
    ask_claim: bool,
    /// Write all of it to a file: .json (for programs and for compare), .md, or .html (a page to
    /// look through) (repeatable)
    #[arg(long = "report", value_name = "FILE")]
    reports: Vec<PathBuf>,
    /// Begin anew, whatever an earlier, interrupted run of the same command has done
    #[arg(long)]
    fresh: bool,
    /// Run checks even where nothing confines them
    #[arg(long)]
    no_sandbox: bool,
    #[command(flatten)]
    process: ProcessArguments,
}

#[derive(Debug, Subcommand)]
enum EvalCommand {
    /// Compare two reports: which tasks changed, and whether that may be chance
    Compare {
        /// A report (.json)
        first: PathBuf,
        /// Another one
        second: PathBuf,
    },
}

fn temperature(text: &str) -> Result<f32, String> {
    let value: f32 = text.parse().map_err(|_| "it is not a number".to_owned())?;
    if (0.0..=2.0).contains(&value) { Ok(value) } else { Err("it must be from 0 to 2".to_owned()) }
}

/// Which model, and how it is run.
#[derive(Debug, Args)]
struct ModelArguments {
    /// The model: a GGUF file, "bundled", or http(s)://HOST/v1#NAME on a server (its key from
    /// SLOTWRIGHT_API_KEY)
    #[arg(long, value_name = "REF", env = "SLOTWRIGHT_MODEL", default_value = "bundled")]
    model: String,
    #[command(flatten)]
    process: ProcessArguments,
}

/// How a model is run.
#[derive(Clone, Debug, Args)]
struct ProcessArguments {
    /// Threads to compute with [default: one for each physical core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Load a model even if it does not seem to fit into memory
    #[arg(long)]
    skip_memory_check: bool,
    /// Give up when the model process has been silent for so long; while it computes it is not. A
    /// server may take five times as long to begin its answer
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u16).range(1..))]
    model_timeout: u16,
    /// Show the log of llama.cpp
    #[arg(long, short)]
    verbose: bool,
}

fn probability(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "it is not a number".to_owned())?;
    if (0.0..=1.0).contains(&value) { Ok(value) } else { Err("it must be from 0 to 1".to_owned()) }
}

/// Runs the program.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // clap prints help and version to standard output, mistakes to standard error.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::Usage } else { ExitCode::Done };
        }
    };
    if cfg!(windows) {
        say("slotwright: Windows is not supported yet");
        return ExitCode::Environment;
    }
    match arguments.command {
        Command::Edit(arguments) => edit::run(&arguments),
        Command::Repair(arguments) => repair::run(&arguments),
        Command::Apply(arguments) => apply::run(&arguments),
        Command::Warm(arguments) => warm::run(&arguments),
        Command::Eval(arguments) => eval::run(&arguments),
        Command::Undo(arguments) => undo::undo(&arguments),
        Command::Purge => undo::purge(),
        Command::ModelProcess => crate::engine::child::run(),
        #[cfg(unix)]
        Command::SandboxProcess { inside } => {
            use crate::sandbox::process::{Side, run_as_child};
            match run_as_child(if inside { Side::Inside } else { Side::Watching }) {
                Ok(()) => ExitCode::Done,
                Err(error) => {
                    say(&format!("slotwright: sandbox: {error}"));
                    ExitCode::Environment
                }
            }
        }
    }
}

/// Something for the person to read. Names of files and models come from strangers, so it is made
/// safe for a terminal.
fn say(text: &str) {
    for line in text.lines() {
        let _ = writeln!(std::io::stderr().lock(), "{}", diff::visible(line));
    }
}

/// Whether to colour what goes there. NO_COLOR counts if it is set and not empty (no-color.org).
fn wants_color(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}
