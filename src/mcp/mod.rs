//! `slotwright mcp`: edit tools for other agents, over standard input and output.

mod arguments;
mod asked;
mod bounds;
mod clients;
mod desk;
mod lookup;
mod question;
mod reply;
mod results;
mod server;
mod stdio;
mod text;
mod tools;
mod writing;

use crate::app::serving::ServingArguments;
use crate::console::{exit_code, print_shown, say, serve_until_ended, warn_at_a_terminal};
use crate::failure::{ExitCode, Failure, FailureKind};
use crate::sandbox::SandboxOptions;
use crate::serve::Worker;
use clap::Args;
use clients::{McpClient, server_options};
use desk::{DeskOptions, McpDesk};
use lookup::{JournalLock, LookupDesk};
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use schemars::Schema;
use server::{McpServer, ServerOptions};
use std::collections::BTreeMap;
use std::path::PathBuf;
use stdio::Stdio;

pub(crate) const ABOUT: &str = "\
Offer edit tools to another agent (Model Context Protocol, standard input and output).

The tools: edit makes an edit from a sentence and shows it, amend changes it, write writes it, apply_patch applies \
what the agent wrote, undo takes back what was written last, list_edits lists what was written, \
find finds the files for a sentence. \
Nothing outside --root is read or written. A client that can show a question asks you before write \
and apply_patch change a file. The model is loaded at the first edit and stays loaded. Messages for \
people go to standard error.";

pub(crate) const EXAMPLES: &str = "Examples:
  slotwright mcp --print-config claude-code
  slotwright mcp --root ~/project --print-config codex
  claude mcp add --transport stdio slotwright -- slotwright mcp";

/// The arguments of `slotwright mcp`.
#[derive(Debug, Args)]
pub(crate) struct McpArguments {
    /// The folder to edit; nothing outside it is read or written
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Print what a client is told to start this server with the other options given here, and end
    #[arg(long, value_name = "CLIENT")]
    print_config: Option<McpClient>,
    /// Do not ask before something is written: the client asks before it calls write and apply_patch. A
    /// change with a warning is written only if the agent accepts the warning
    #[arg(long)]
    yes: bool,
    /// Let the agent name a command that checks an edit (check of the tool edit), instead of --check
    #[arg(long)]
    allow_check: bool,
    /// Run checks even where nothing confines them
    #[arg(long)]
    no_sandbox: bool,
    #[command(flatten)]
    serving: ServingArguments,
}

pub(crate) fn run(arguments: &McpArguments) -> ExitCode {
    exit_code(match arguments.print_config {
        Some(client) => {
            say(&format!("for {}:", client.place()));
            let arguments: Vec<String> = std::env::args_os()
                .map(|argument| argument.to_string_lossy().into_owned())
                .collect();
            print_shown(&client.config(&server_options(&arguments)))
        }
        None => serve(arguments),
    })
}

fn serve(arguments: &McpArguments) -> Result<(), Failure> {
    let editor = arguments.serving.editor(say)?;
    // A wrong root or configuration is better said now than by every tool.
    let project = editor.open(&arguments.root)?;
    let root = project.workspace.root().to_path_buf();
    warn_at_a_terminal("an agent");
    let options = DeskOptions {
        allows_check: arguments.allow_check,
        sandbox: SandboxOptions {
            allow_none: arguments.no_sandbox,
            ..SandboxOptions::default()
        },
    };
    let journal = JournalLock::default();
    let lookup = LookupDesk {
        root: root.clone(),
        editor: arguments.serving.editor(say)?,
        journal: JournalLock::clone(&journal),
    };
    let idle = arguments.serving.idle();
    let lookup = Worker::start(idle, move || lookup)
        .map_err(|error| Failure::new(FailureKind::Environment, error))?;
    let desk = McpDesk::new(root.clone(), editor, options, journal);
    serve_until_ended(idle, desk, async |desk| {
        let options = ServerOptions {
            asks: !arguments.yes,
            allows_check: arguments.allow_check,
        };
        speak(McpServer::new(&root, desk, lookup.handle(), options)).await
    })
}

/// The schemas of the tools' structured content, by tool.
pub fn result_schemas() -> BTreeMap<&'static str, Schema> {
    results::schemas()
}

/// Serves until the client goes away.
async fn speak(server: McpServer) -> Result<(), Failure> {
    match server.serve(Stdio::new()).await {
        Ok(running) => {
            let _ = running.waiting().await; // whyever it ended, the client is gone
            Ok(())
        }
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => {
            let message = format!("the client does not begin as MCP does: {error}");
            Err(Failure::new(FailureKind::Client, message)
                .hint("slotwright mcp --print-config CLIENT says how it is started"))
        }
    }
}
