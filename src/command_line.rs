//! The command line as a whole: which command does what.
//!
//! Commands for people are in [`crate::cli`], `slotwright acp` in [`crate::acp`], and `slotwright mcp`
//! in [`crate::mcp`].

use crate::console::{EXIT_CODES, say, say_more};
use crate::failure::ExitCode;
use crate::{acp, cli, console, mcp};
use clap::error::{ContextKind, ContextValue};
use clap::{ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::{OsStr, OsString};

#[derive(Debug, Parser)]
#[command(name = "slotwright", version, long_about = None, after_help = EXIT_CODES)]
#[command(
    about = "Edits files with a local model that can only fill in what fits them. Alone on a terminal: a session."
)]
#[command(args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(
        flatten,
        next_help_heading = "Options without a command, on a terminal"
    )]
    session: cli::session::SessionArguments,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make the edit that a sentence asks for
    #[command(long_about = cli::edit::ABOUT, after_help = cli::edit::EXAMPLES)]
    Edit(cli::edit::EditArguments),
    /// Mend a bug, proved by tests
    #[command(long_about = cli::repair::ABOUT, after_help = cli::repair::EXAMPLES)]
    Repair(cli::repair::RepairArguments),
    /// Apply a patch that another model or tool wrote
    #[command(long_about = cli::apply::ABOUT, after_help = cli::apply::EXAMPLES)]
    Apply(cli::apply::ApplyArguments),
    /// Make the edits that comments ask for, when a file is saved
    #[command(long_about = cli::watch::ABOUT, after_help = cli::watch::EXAMPLES)]
    Watch(cli::watch::WatchArguments),
    /// List the models on this machine, and which one is used; fetch others
    #[command(long_about = cli::models::ABOUT)]
    Models(cli::models::ModelsArguments),
    /// Offer edit tools to another agent: Claude Code, Codex, Cursor, VS Code, … (MCP)
    #[command(long_about = mcp::ABOUT, after_help = mcp::EXAMPLES)]
    Mcp(mcp::McpArguments),
    /// Be an agent in an editor: Zed, JetBrains, Neovim, Emacs (ACP)
    #[command(long_about = acp::ABOUT, after_help = acp::EXAMPLES)]
    Acp(acp::AcpArguments),
    /// Measure how often edits come out right, by model and by how it is asked
    #[command(long_about = cli::eval::ABOUT, after_help = cli::eval::EXAMPLES)]
    Eval(cli::eval::EvalArguments),
    /// Take back what was written last
    #[command(long_about = cli::undo::ABOUT, after_help = cli::undo::EXAMPLES)]
    Undo(cli::undo::UndoArguments),
    /// Remove the cache, or the undo history of all folders
    #[command(long_about = cli::purge::ABOUT, after_help = cli::purge::EXAMPLES)]
    Purge(cli::purge::PurgeArguments),
    /// Show which settings are in force, and where each comes from
    #[command(long_about = cli::config::about())]
    Config(cli::config::ConfigArguments),
    /// Print what a bug report needs: version, system, devices, models, settings
    #[command(long_about = cli::report::ABOUT)]
    Report,
    /// Print a skill for agents that have a shell
    #[command(long_about = cli::skill::ABOUT, after_help = cli::skill::EXAMPLES)]
    Skill,
    /// Print completions for a shell
    #[command(long_about = cli::completions::ABOUT, after_help = cli::completions::EXAMPLES)]
    Completions(cli::completions::CompletionsArguments),
    /// Print the manual page, or write all of them into a folder
    #[command(long_about = cli::man::ABOUT, after_help = cli::man::EXAMPLES)]
    Man(cli::man::ManArguments),
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

/// The command line. The short help leaves out most of what is for a session.
fn program() -> clap::Command {
    Arguments::command().mut_args(|arg| {
        let is_for_all = ["help", "version", "root", "model"].contains(&arg.get_id().as_str());
        arg.hide_short_help(!is_for_all)
    })
}

/// The command line without the processes that only the program itself starts: generators list
/// hidden commands too.
fn for_people() -> clap::Command {
    let all = program();
    clap::Command::new(env!("CARGO_PKG_NAME"))
        .version(env!("CARGO_PKG_VERSION"))
        .about(all.get_about().cloned().unwrap_or_default())
        .after_help(EXIT_CODES)
        .args_conflicts_with_subcommands(true)
        .args(all.get_arguments().cloned())
        .subcommands(
            all.get_subcommands()
                .filter(|command| !command.is_hide_set())
                .cloned(),
        )
}

/// Runs the program.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    console::log::show_events();
    let given: Vec<OsString> = arguments.into_iter().collect();
    let parsed = with_hyphenated_sentence(&given);
    let arguments = match parsed.unwrap_or_else(|| parse(program(), &given)) {
        Ok(arguments) => arguments,
        Err(mut error) => {
            suggest(&mut error, &given);
            return misused(&error);
        }
    };
    if arguments.command.as_ref().is_none_or(is_for_people) {
        console::set_color();
    }
    if cfg!(windows) {
        say("Windows is not supported yet");
        return ExitCode::Environment;
    }
    let Some(command) = arguments.command else {
        return session(&arguments.session, &given);
    };
    match command {
        Command::Edit(arguments) => cli::edit::run(&arguments),
        Command::Repair(arguments) => cli::repair::run(&arguments),
        Command::Apply(arguments) => cli::apply::run(&arguments),
        Command::Watch(arguments) => cli::watch::run(&arguments),
        Command::Models(arguments) => cli::models::run(&arguments),
        Command::Mcp(arguments) => mcp::run(&arguments),
        Command::Acp(arguments) if arguments.fetch_model => cli::models::fetch_one(),
        Command::Acp(arguments) => acp::run(&arguments),
        Command::Eval(arguments) => cli::eval::run(&arguments),
        Command::Undo(arguments) => cli::undo::run(&arguments),
        Command::Purge(arguments) => cli::purge::run(&arguments),
        Command::Config(arguments) => cli::config::run(&arguments),
        Command::Report => cli::report::run(),
        Command::Skill => cli::skill::run(),
        Command::Completions(arguments) => cli::completions::run(&arguments, for_people()),
        Command::Man(arguments) => cli::man::run(&arguments, for_people()),
        Command::ModelProcess => crate::engine::child::run(),
        #[cfg(unix)]
        Command::SandboxProcess { inside } => sandbox_process(inside),
    }
}

/// The commands of `models` that a person may take for commands.
const OF_MODELS: [&str; 4] = ["list", "ls", "pull", "import"];

/// Says what an unknown command may mean, where clap has no good guess: a sentence without `edit`, and a
/// command that is part of another one. Commands that are not for people are not suggested.
fn suggest(error: &mut clap::Error, arguments: &[OsString]) {
    let unknown = arguments.get(1).map(|word| word.to_string_lossy());
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return;
    };
    if unknown.is_none_or(|unknown| unknown != *word) {
        return; // it is another command's
    }
    let word = word.clone();
    let mut near = match error.remove(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::Strings(names)) => names,
        _ => Vec::new(),
    };
    near.retain(|name| for_people().find_subcommand(name).is_some());

    let words = arguments[1..].iter().map(|word| word.to_string_lossy());
    let words: Vec<_> = words.collect();
    let sentence = words.join(" ");
    // clap takes "set" for "edit" too.
    let is_misspelt_edit = word.starts_with('e') && near.iter().any(|name| name == "edit");
    let is_sentence = words.len() > 2 || word.contains(char::is_whitespace);
    let tip = if is_sentence && near.first().is_none_or(|name| name == "edit") {
        let sentence = match sentence.split_once(' ') {
            Some((_, rest)) if is_misspelt_edit => rest,
            _ => &sentence,
        };
        format!("to make an edit: slotwright edit {sentence:?}")
    } else if OF_MODELS.contains(&word.as_str()) {
        format!("did you mean slotwright models {sentence}?")
    } else if !near.is_empty() {
        error.insert(
            ContextKind::SuggestedSubcommand,
            ContextValue::Strings(near),
        );
        return;
    } else {
        "slotwright --help lists the commands".to_owned()
    };
    error.insert(
        ContextKind::Suggested,
        ContextValue::StyledStrs(vec![tip.into()]),
    );
}

/// Whether a command speaks to people.
fn is_for_people(command: &Command) -> bool {
    match command {
        Command::ModelProcess => false,
        #[cfg(unix)]
        Command::SandboxProcess { .. } => false,
        _ => true,
    }
}

/// Holds a session, where there is a person at a terminal. Elsewhere a command is missing.
fn session(arguments: &cli::session::SessionArguments, given: &[OsString]) -> ExitCode {
    if cli::session::can_be_held() {
        return cli::session::run(arguments);
    }
    if given.len() > 1 {
        say(
            "these options are for a session, which needs a terminal with a prompt: name a command",
        );
        say_more(
            "  hint: slotwright edit \"...\" makes one edit; slotwright --help lists the commands",
        );
        return ExitCode::Usage;
    }
    let _ = program().write_help(&mut std::io::stderr()); // nobody reads it
    ExitCode::Usage
}

/// Prints help, version or a mistake.
fn misused(error: &clap::Error) -> ExitCode {
    // clap prints help and version to standard output, mistakes to standard error.
    let _ = error.print();
    if error.use_stderr() {
        ExitCode::Usage
    } else {
        ExitCode::Done
    }
}

fn parse(program: clap::Command, given: &[OsString]) -> Result<Arguments, clap::Error> {
    let matches = program.try_get_matches_from(given)?;
    Arguments::from_arg_matches(&matches)
}

/// The commands that take a sentence, and the name of that argument.
const SENTENCES: [(&str, &str); 2] = [("edit", "task"), ("repair", "issue")];

/// The arguments, if one of them is a sentence that begins like an option ("--verbose should be the
/// default"). An option has no whitespace, so that a mistyped one stays a mistake.
fn with_hyphenated_sentence(arguments: &[OsString]) -> Option<Result<Arguments, clap::Error>> {
    if !arguments.iter().any(|argument| is_hyphenated(argument)) {
        return None;
    }
    let mut command = program();
    for (name, sentence) in SENTENCES {
        command = command.mut_subcommand(name, |command| {
            // With several words, what is an option could not be told.
            command.mut_arg(sentence, |argument| {
                argument
                    .action(ArgAction::Set)
                    .num_args(1)
                    .allow_hyphen_values(true)
            })
        });
    }
    let matches = match command.try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => return is_of_option(&error).then_some(Err(error)),
    };

    let (name, of_command) = matches.subcommand()?;
    let (_, sentence) = SENTENCES.iter().find(|(command, _)| *command == name)?;
    let sentence = of_command.get_one::<String>(sentence)?;
    let is_sentence = is_hyphenated(OsStr::new(sentence));
    is_sentence.then(|| Arguments::from_arg_matches(&matches))
}

/// Whether a mistake is an option that there is not.
fn is_of_option(error: &clap::Error) -> bool {
    match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(argument)) => !is_hyphenated(OsStr::new(argument)),
        _ => false,
    }
}

/// Whether an argument begins like an option, and has several words.
fn is_hyphenated(argument: &OsStr) -> bool {
    let text = argument.to_string_lossy();
    text.starts_with('-') && text.trim().contains(char::is_whitespace)
}

#[cfg(unix)]
fn sandbox_process(inside: bool) -> ExitCode {
    use crate::sandbox::process::{Side, run_as_child};
    match run_as_child(if inside { Side::Inside } else { Side::Watching }) {
        Ok(()) => ExitCode::Done,
        Err(error) => {
            say(&format!("sandbox: {error}"));
            ExitCode::Environment
        }
    }
}
