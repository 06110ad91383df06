//! `slotwright mcp`: edit tools for other agents, over standard input and output.

mod arguments;
mod bounds;
mod clients;
mod desk;
mod server;
mod stdio;
mod text;
mod tools;

use super::command::ended_early;
use super::exit::ExitCode;
use super::failure::{Failure, exit_code, print_shown, workspace_failure};
use super::serving::{ModelDesk, ServingArguments};
use super::terminal::say;
use crate::serve::Worker;
use crate::workspace::Workspace;
use clap::Args;
use clients::McpClient;
use desk::McpDesk;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use server::McpServer;
use std::path::PathBuf;
use stdio::Stdio;

pub(super) const ABOUT: &str = "\
Offer edit tools to another agent (Model Context Protocol, standard input and output).

The tools: edit makes an edit from a sentence and shows it, write writes it, apply_patch applies \
what the agent wrote, undo takes back what was written last, list_edits lists what was written, \
find finds the files for a sentence. \
Nothing outside --root is read or written. The model is loaded at the first edit and stays \
loaded. Messages for people go to standard error.";

pub(super) const EXAMPLES: &str = "Examples:
  slotwright mcp --print-config claude-code
  claude mcp add --transport stdio slotwright -- slotwright mcp";

/// What `slotwright mcp` is told.
#[derive(Debug, Args)]
pub(super) struct McpArguments {
    /// The folder to edit; nothing outside it is read or written
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: PathBuf,
    /// Print what a client is told to start this server, and end
    #[arg(long, value_name = "CLIENT")]
    print_config: Option<McpClient>,
    #[command(flatten)]
    serving: ServingArguments,
}

pub(super) fn run(arguments: &McpArguments) -> ExitCode {
    exit_code(match arguments.print_config {
        Some(client) => {
            say(&format!("slotwright: for {}:", client.place()));
            print_shown(client.config())
        }
        None => serve(arguments),
    })
}

fn serve(arguments: &McpArguments) -> Result<(), Failure> {
    let environment =
        |error: std::io::Error| Failure::new(ExitCode::Environment, "environment", error);
    // A wrong root or configuration is better said now than by every tool.
    let workspace = Workspace::open(&arguments.root).map_err(workspace_failure)?;
    let root = workspace.root().to_path_buf();
    let model = ModelDesk::new(&arguments.serving)?;
    model.open(&root)?;
    arguments.serving.warn_at_a_terminal("an agent");
    let desk = McpDesk::new(root.clone(), model);
    let worker = Worker::start(arguments.serving.idle(), move || desk).map_err(environment)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(environment)?;
    let served = runtime.block_on(async {
        let server = McpServer::new(&root, worker.handle());
        tokio::select! {
            () = ended_early() => {
                Err(Failure::new(ExitCode::Interrupted, "interrupted", "interrupted"))
            }
            served = speak(server) => served,
        }
    });
    // A thread that still waits for standard input must not keep the program.
    runtime.shutdown_background();
    // A commit that has begun is finished.
    drop(worker);
    served
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
            Err(Failure::new(ExitCode::Environment, "client", message)
                .hint("slotwright mcp --print-config CLIENT says how it is started"))
        }
    }
}
