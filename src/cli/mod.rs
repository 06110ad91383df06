//! The command line: arguments to values, values to what a person or a script reads.
//!
//! Each subcommand has a file or a folder of its own, which holds its arguments too. Results go to
//! standard output, everything else to standard error; the exit code says which kind of result it
//! was.

mod acp;
mod apply;
mod command;
mod completions;
mod config;
mod consent;
mod diff;
mod edit;
mod edit_count;
mod eval;
mod exit;
mod failure;
mod folders;
mod json_lines;
mod judged;
mod log;
mod man;
mod mcp;
mod model_arguments;
mod model_reference;
mod models;
mod progress;
mod purge;
mod recovery;
mod repair;
mod report;
mod reviewer;
mod running_model;
mod serving;
mod settings;
mod terminal;
mod undo;

pub use config::ConfigReport;
pub use exit::ExitCode;
pub use models::{ModelsReport, StoreReport};
pub use repair::RepairReport;
pub use report::{ApplyReport, Report};

use clap::{CommandFactory, Parser, Subcommand};
use exit::EXIT_CODES;
use std::ffi::OsString;
use terminal::say;

#[derive(Debug, Parser)]
#[command(name = "slotwright", version, long_about = None, after_help = EXIT_CODES)]
#[command(about = "Edits files with a local model that can only fill in what fits them.")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make the edit that a sentence asks for
    #[command(long_about = edit::ABOUT, after_help = edit::EXAMPLES)]
    Edit(edit::EditArguments),
    /// Mend a bug, proved by tests
    #[command(long_about = repair::ABOUT, after_help = repair::EXAMPLES)]
    Repair(repair::RepairArguments),
    /// Apply a patch that another model or tool wrote
    #[command(long_about = apply::ABOUT, after_help = apply::EXAMPLES)]
    Apply(apply::ApplyArguments),
    /// List the models on this machine, and which one is used; fetch others
    #[command(long_about = models::ABOUT)]
    Models(models::ModelsArguments),
    /// Offer edit tools to another agent: Claude Code, opencode, goose, Zed, Cursor (MCP)
    #[command(long_about = mcp::ABOUT, after_help = mcp::EXAMPLES)]
    Mcp(mcp::McpArguments),
    /// Be an agent in an editor: Zed, JetBrains, Neovim, Emacs (ACP)
    #[command(long_about = acp::ABOUT, after_help = acp::EXAMPLES)]
    Acp(acp::AcpArguments),
    /// Measure how often edits come out right, by model and by how it is asked
    #[command(long_about = eval::ABOUT, after_help = eval::EXAMPLES)]
    Eval(eval::EvalArguments),
    /// Take back what was written last
    #[command(long_about = undo::ABOUT, after_help = undo::EXAMPLES)]
    Undo(undo::UndoArguments),
    /// Remove the journals of all folders (nothing can be undone then) and the cache
    Purge,
    /// Show which settings are in force, and where each comes from
    #[command(long_about = config::about())]
    Config(config::ConfigArguments),
    /// Print completions for a shell
    #[command(long_about = completions::ABOUT, after_help = completions::EXAMPLES)]
    Completions(completions::CompletionsArguments),
    /// Print the manual page, or write all of them into a folder
    #[command(long_about = man::ABOUT, after_help = man::EXAMPLES)]
    Man(man::ManArguments),
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

/// The command line without the processes that only the program itself starts: generators list
/// hidden commands too.
fn for_people() -> clap::Command {
    let all = Arguments::command();
    clap::Command::new(env!("CARGO_PKG_NAME"))
        .version(env!("CARGO_PKG_VERSION"))
        .about(all.get_about().cloned().unwrap_or_default())
        .after_help(EXIT_CODES)
        .subcommand_required(true)
        .subcommands(
            all.get_subcommands()
                .filter(|command| !command.is_hide_set())
                .cloned(),
        )
}

/// Runs the program.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    log::show_events();
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // clap prints help and version to standard output, mistakes to standard error.
            let _ = error.print();
            return if error.use_stderr() {
                ExitCode::Usage
            } else {
                ExitCode::Done
            };
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
        Command::Models(arguments) => models::run(&arguments),
        Command::Mcp(arguments) => mcp::run(&arguments),
        Command::Acp(arguments) => acp::run(&arguments),
        Command::Eval(arguments) => eval::run(&arguments),
        Command::Undo(arguments) => undo::run(&arguments),
        Command::Purge => purge::run(),
        Command::Config(arguments) => config::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments, for_people()),
        Command::Man(arguments) => man::run(&arguments, for_people()),
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
