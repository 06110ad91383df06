//! `slotwright acp`: an agent for editors, over standard input and output.

mod buffer;
mod client;
mod prompt;
mod question;
mod server;
mod session;
mod stdio;
mod turn;

use super::command::ended_early;
use super::exit::ExitCode;
use super::failure::{Failure, exit_code};
use super::serving::{ModelDesk, ServingArguments};
use crate::sandbox::SandboxOptions;
use crate::serve::Worker;
use clap::Args;
use server::AcpServer;
use turn::PromptOptions;

pub(super) const ABOUT: &str = "\
Be an agent in an editor: Zed, JetBrains, Neovim, Emacs (Agent Client Protocol, standard input and \
output).

A prompt is a task, and the files that it mentions are its files. The edit is shown as a diff, and \
written when you say yes. A file that is not saved is read from the editor and changed there. \
/more has the model go on where an edit is missing, /apply applies a patch, /undo takes back what \
was written last, /repair mends a bug with a test. \
The model is loaded at the first prompt and stays loaded.";

pub(super) const EXAMPLES: &str = "Examples:
  slotwright acp --model qwen2.5-coder:1.5b

How each editor is told to start it: docs/editors.md";

/// What `slotwright acp` is told.
#[derive(Debug, Args)]
pub(super) struct AcpArguments {
    /// Make up to N edits for a prompt, in one file or several, until the model says that it is
    /// done; all are shown and written together [default: 8 with an adapter of ours, and 1 for other
    /// models]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=20))]
    steps: Option<u8>,
    /// Run the tests of /repair even where nothing confines them
    #[arg(long)]
    no_sandbox: bool,
    #[command(flatten)]
    serving: ServingArguments,
}

pub(super) fn run(arguments: &AcpArguments) -> ExitCode {
    exit_code(serve(arguments))
}

fn serve(arguments: &AcpArguments) -> Result<(), Failure> {
    let environment =
        |error: std::io::Error| Failure::new(ExitCode::Environment, "environment", error);
    let desk = ModelDesk::new(&arguments.serving)?;
    arguments.serving.warn_at_a_terminal("an editor");
    let worker = Worker::start(arguments.serving.idle(), move || desk).map_err(environment)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(environment)?;
    let server = AcpServer::new(
        worker.handle(),
        PromptOptions {
            max_steps: arguments.steps.map(usize::from),
            sandbox: SandboxOptions {
                allow_none: arguments.no_sandbox,
                ..SandboxOptions::default()
            },
        },
    );
    let served = runtime.block_on(async {
        tokio::select! {
            () = ended_early() => {
                Err(Failure::new(ExitCode::Interrupted, "interrupted", "interrupted"))
            }
            served = server.serve() => served.map_err(|error| {
                Failure::new(ExitCode::Environment, "editor", format!("the connection: {error}"))
            }),
        }
    });
    // A thread that still waits for standard input must not keep the program.
    runtime.shutdown_background();
    // A commit that has begun is finished.
    drop(worker);
    served
}
