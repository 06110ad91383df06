//! `slotwright repair`: the issue to the loop, its success to the gate.

use super::command;
use super::models::ask_for_model;
use super::progress::ProgressLine;
use super::reviewer::{self, Review, Reviewed};
use super::terminal::AnswersFrom;
use crate::app::folders;
use crate::app::model_arguments::{ADVANCED, ModelArguments};
use crate::app::project::Project;
use crate::app::repair::{MAX_ATTEMPTS, TEST_SECONDS, proposed, without_success};
use crate::app::report::{CommandReport, ErrorReport, Output, Status as Commit};
use crate::app::running_model;
use crate::config::Color;
use crate::console::{say, say_more};
use crate::engine::Engine;
use crate::failure::ExitCode;
use crate::failure::{Failure, FailureKind};
use crate::repair::{
    self, Record, RepairError, RepairEvent, RepairOptions, RepairSession, RunRecord, Status,
};
use crate::review::gate::Policy;
use crate::sandbox::SandboxOptions;
use crate::workspace::Workspace;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;

pub(crate) const ABOUT: &str = "\
Mend a bug, proved by tests: red first, then green, and nothing that was green before is red.

The tests are run as they are. A test must show the bug: the one in --test-file, one that fails \
already, or one that the model writes. Then the model edits, and the tests are run, up to \
--max-attempts times; each time it sees what still fails and what was tried. What is green is \
proved in a fresh copy: red without the edit, green with it. All of this happens in throw-away \
copies. Existing tests, and the files that say how they are run, cannot be changed. At the end the \
diff is shown, and you are asked, as by edit. The bundled model sees the issue alone, and makes \
one edit an attempt; larger ones are told more.

Exit codes: 0 only if a success was written, 3 for one that was not confirmed, 1 if there is none.";

pub(crate) const EXAMPLES: &str = "Examples:
  slotwright repair --test \"python3 -m pytest -q\" \"total() ignores the discount\"
  slotwright repair --test \"cargo test --no-fail-fast\" --test-file tests/dates.rs \\
    \"Dates with one digit are refused\"
  slotwright repair --test \"make test\" --model ~/models/qwen2.5-coder-7b-q4.gguf --yes --json \\
    \"...\" > result.json";

/// The arguments of `slotwright repair`.
#[derive(Debug, Args)]
pub(crate) struct RepairArguments {
    /// What is wrong, in your words
    ///
    /// Quotes are needed only around what your shell reads itself: * $ ' ( ) and so on.
    #[arg(required = true, value_name = "ISSUE")]
    issue: Vec<String>,
    /// The folder to mend; it is only read until you say yes
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Runs the tests: a line for the shell, in the root of a copy
    #[arg(long, value_name = "CMD")]
    test: String,
    /// The file of the test that shows the bug; relative to --root
    #[arg(long, value_name = "PATH")]
    test_file: Option<String>,
    /// Give up after this many attempts
    #[arg(long, value_name = "N", default_value_t = MAX_ATTEMPTS)]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=50))]
    #[arg(help_heading = ADVANCED, hide_short_help = true)]
    max_attempts: u8,
    /// The most edits of one attempt; one that mends a part is kept anyway, for the next attempt
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=20))]
    #[arg(help_heading = ADVANCED, hide_short_help = true)]
    steps: u8,
    /// Give up if the tests as they are take longer; later runs may take five times what the first
    /// did
    #[arg(long, value_name = "SECONDS", default_value_t = TEST_SECONDS)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    test_timeout: u32,
    /// Write a success without asking
    #[arg(long, short)]
    yes: bool,
    /// Print one JSON object instead of a diff
    #[arg(long)]
    json: bool,
    /// Copy folders of dependencies too (node_modules, target, …), for tests that write in them
    #[arg(long)]
    #[arg(help_heading = ADVANCED, hide_short_help = true)]
    copy_dependencies: bool,
    /// Run the tests even where nothing confines them
    #[arg(long)]
    #[arg(help_heading = ADVANCED, hide_short_help = true)]
    no_sandbox: bool,
    #[command(flatten)]
    model: ModelArguments,
}

/// The result of `repair`; its schema is `schemas/repair.json`.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct RepairReport {
    /// What came of the loop.
    #[serde(flatten)]
    pub record: Record,
    /// What became of a success in the folder itself: `done`, `not_confirmed` or `not_made`.
    pub commit: Commit,
    /// Why nothing was written, if nothing was.
    pub error: Option<ErrorReport>,
    /// The model's own name.
    pub model: String,
    /// The prompt profile.
    pub profile: String,
    /// Tokens of one file that the model is shown at most.
    pub shown_tokens: usize,
}

impl CommandReport for RepairReport {
    fn end(&mut self) -> (&mut Commit, &mut Option<ErrorReport>) {
        (&mut self.commit, &mut self.error)
    }
}

pub(crate) fn run(arguments: &RepairArguments) -> ExitCode {
    command::run(Output::of_flag(arguments.json), "repair", async |report| {
        repair(arguments, report).await
    })
}

async fn repair(
    arguments: &RepairArguments,
    report: &mut RepairReport,
) -> Result<ExitCode, Failure> {
    let flags = arguments.model.flags();
    let project = Project::open(&arguments.root, flags, say)?;
    let Project {
        workspace, config, ..
    } = &project;
    let issue = arguments.issue.join(" ");
    if issue.trim().is_empty() {
        return Err(RepairError::NoIssue.into());
    }
    if arguments.test.trim().is_empty() {
        let failure = Failure::new(FailureKind::NoTestCommand, "the test command is empty");
        return Err(failure.hint("--test \"python3 -m pytest\" says how the tests are run"));
    }
    let test_file = arguments
        .test_file
        .as_ref()
        .map(|path| workspace.resolve_named(path))
        .transpose()?;
    project.recover();

    let mut progress = ProgressLine::new();
    let mut choice = arguments.model.choice(config);
    if let Some(model) = ask_for_model(&choice, AnswersFrom::Input).await? {
        choice.model = Some(model);
    }
    let (mut engine, profile) =
        running_model::start(&choice, Some(folders::prefixes()), say, &mut |p| {
            progress.show(p);
        })
        .await?;
    report.model = engine.model().name.clone();
    report.profile = profile.name().to_owned();
    report.shown_tokens = profile.budget().shown_tokens;

    let options = RepairOptions {
        command: arguments.test.clone(),
        test_file,
        max_attempts: arguments.max_attempts.into(),
        max_steps: arguments.steps.into(),
        time: Duration::from_secs(arguments.test_timeout.into()),
        sandbox: SandboxOptions {
            copy_dependencies: arguments.copy_dependencies,
            allow_none: arguments.no_sandbox,
        },
        program: std::env::current_exe()
            .map_err(|error| Failure::new(FailureKind::Environment, error))?,
    };

    let mut on_event = |event: RepairEvent| match event {
        RepairEvent::Model(of_model) => progress.show(of_model),
        event => {
            progress.clear();
            say(&event.to_string());
            progress = ProgressLine::new(); // one that was cleared shows nothing any more
        }
    };
    let mut session = RepairSession {
        workspace,
        engine: &mut engine,
        profile: &profile,
        options: &options,
        on_event: &mut on_event,
    };
    let record = repair::repair(&issue, &mut session).await;
    progress.clear();
    drop(engine);
    report.record = record?;
    conclude(arguments, workspace, config.color, report).await
}

/// Brings a success to the gate.
async fn conclude(
    arguments: &RepairArguments,
    workspace: &Workspace,
    color: Color,
    report: &mut RepairReport,
) -> Result<ExitCode, Failure> {
    let record = &report.record;
    if record.status != Some(Status::Success) {
        let last = record.red.as_ref().or(record.baseline.as_ref());
        if let (Some(Status::BaselineBroken), Some(run)) = (record.status, last) {
            quote(run);
        }
        return Err(without_success(record));
    }

    summarize(record);
    let proposed = proposed(record, &arguments.issue.join(" "));
    let policy = if arguments.yes {
        Policy::Yes
    } else {
        Policy::Ask
    };
    let review = Review {
        unasked_hint: "pass --yes to write a success",
        if_changed: Some("the tests have not been run with this text"),
        ..Review::new(policy, Output::of_flag(arguments.json), color)
    };
    let reviewed = reviewer::pass(&proposed.proposal(), workspace, review).await?;
    report.commit = Commit::Done;
    if let (Reviewed::Written(written), false) = (reviewed, arguments.json) {
        say(&written.to_string());
    }
    Ok(ExitCode::Done)
}

/// What a person needs to know before saying yes, apart from the diff.
fn summarize(record: &Record) {
    for (word, when, run) in [
        ("red", "without the edit", &record.red),
        ("green", "with it", &record.green),
    ] {
        if let Some(run) = run {
            say(&format!("{word} {when}, in a fresh copy: {run}"));
            quote(run);
        }
    }
    let (n, n_tests) = (record.attempts.len(), record.test_attempts.len());
    let tests = if n_tests > 0 {
        format!(", and {n_tests} at a test that shows the bug")
    } else {
        String::new()
    };
    say(&format!(
        "it took {n} attempt{}{tests}",
        if n == 1 { "" } else { "s" }
    ));
}

/// Lines of an output that a person is shown.
const SHOWN_LINES: usize = 20;

fn quote(run: &RunRecord) {
    let lines: Vec<&str> = run.output.lines().collect();
    for line in lines.iter().take(SHOWN_LINES) {
        say_more(&format!("  | {line}"));
    }
    if lines.len() > SHOWN_LINES {
        say_more(&format!("  | [{} lines more]", lines.len() - SHOWN_LINES));
    }
}
