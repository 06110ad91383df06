//! `slotwright acp`: an agent for editors, over standard input and output.

mod buffer;
mod client;
mod markdown;
mod notes;
mod options;
mod prompt;
mod question;
mod server;
mod session;
mod sessions;
mod stdio;
mod stored;
mod turn;
mod wrapped;
mod write;

use crate::app::serving::ServingArguments;
use crate::console::{exit_code, serve_until_ended, warn_at_a_terminal};
use crate::failure::{ExitCode, Failure, FailureKind};
use crate::sandbox::SandboxOptions;
use clap::Args;
use server::AcpServer;
use turn::PromptOptions;

pub(crate) const ABOUT: &str = "\
Be an agent in an editor: Zed, JetBrains, Neovim, Emacs (Agent Client Protocol, standard input and \
output).

A prompt is a task, and the files that it mentions are its files. The edit is shown as a diff, and \
written when you say yes. A file that is not saved is read from the editor and changed there. \
/more has the model go on where an edit is missing, /apply applies a patch, /undo takes back what \
was written last, /repair mends a bug with a test. \
The model is loaded at the first prompt and stays loaded.";

pub(crate) const EXAMPLES: &str = "Examples:
  slotwright acp --model qwen2.5-coder:1.5b

How each editor is told to start it: docs/editors.md";

/// The arguments of `slotwright acp`.
#[derive(Debug, Args)]
pub(crate) struct AcpArguments {
    /// Make up to N edits for a prompt, in one file or several, until the model says that it is
    /// done; all are shown and written together [default: 8 with an adapter of ours, and 1 for other
    /// models]
    #[arg(long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=20))]
    steps: Option<u8>,
    /// Ask on this terminal which model is to be fetched, fetch it, and end: for editors that start it in
    /// a terminal of theirs
    #[arg(long)]
    pub fetch_model: bool,
    /// Run the tests of /repair, and the check, even where nothing confines them
    #[arg(long)]
    no_sandbox: bool,
    #[command(flatten)]
    serving: ServingArguments,
}

pub(crate) fn run(arguments: &AcpArguments) -> ExitCode {
    exit_code(serve(arguments))
}

fn serve(arguments: &AcpArguments) -> Result<(), Failure> {
    let editor = arguments.serving.editor(notes::say)?;
    warn_at_a_terminal("an editor");
    let options = PromptOptions {
        max_steps: arguments.steps.map(usize::from),
        sandbox: SandboxOptions {
            allow_none: arguments.no_sandbox,
            ..SandboxOptions::default()
        },
    };
    serve_until_ended(arguments.serving.idle(), editor, async |desk| {
        let served = AcpServer::new(desk, options).serve().await;
        served
            .map_err(|error| Failure::new(FailureKind::Editor, format!("the connection: {error}")))
    })
}
