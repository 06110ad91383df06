//! `slotwright mcp`: edit tools for other agents, over standard input and output.

mod arguments;
mod bounds;
mod clients;
mod desk;
mod server;
mod stdio;
mod text;
mod tools;

use crate::app::serving::ServingArguments;
use crate::console::{exit_code, print_shown, say, serve_until_ended, warn_at_a_terminal};
use crate::failure::{ExitCode, Failure, FailureKind};
use crate::sandbox::SandboxOptions;
use clap::Args;
use clients::McpClient;
use desk::{DeskOptions, McpDesk};
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use server::McpServer;
use std::path::PathBuf;
use stdio::Stdio;

pub(crate) const ABOUT: &str = "\
Offer edit tools to another agent (Model Context Protocol, standard input and output).

The tools: edit makes an edit from a sentence and shows it, write writes it, apply_patch applies \
what the agent wrote, undo takes back what was written last, list_edits lists what was written, \
find finds the files for a sentence. \
Nothing outside --root is read or written. The model is loaded at the first edit and stays \
loaded. Messages for people go to standard error.";

pub(crate) const EXAMPLES: &str = "Examples:
  slotwright mcp --print-config claude-code
  claude mcp add --transport stdio slotwright -- slotwright mcp";

/// The arguments of `slotwright mcp`.
#[derive(Debug, Args)]
pub(crate) struct McpArguments {
    /// The folder to edit; nothing outside it is read or written
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Print what a client is told to start this server, and end
    #[arg(long, value_name = "CLIENT")]
    print_config: Option<McpClient>,
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
            print_shown(client.config())
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
    let desk = McpDesk::new(root.clone(), editor, options);
    serve_until_ended(arguments.serving.idle(), desk, async |desk| {
        speak(McpServer::new(&root, desk)).await
    })
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
