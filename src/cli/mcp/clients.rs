//! What each client is told so that it starts the server.

use clap::ValueEnum;

/// A program that starts MCP servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum McpClient {
    ClaudeCode,
    Opencode,
    Goose,
    Zed,
    Cursor,
}

impl McpClient {
    /// What to put where, ready to be copied.
    pub fn config(self) -> &'static str {
        match self {
            McpClient::ClaudeCode => {
                "# in the project's folder\n\
                 claude mcp add --transport stdio slotwright -- slotwright mcp\n"
            }
            McpClient::Opencode => concat!(
                "// opencode.json in the project's folder\n",
                r#"{
  "mcp": {
    "slotwright": { "type": "local", "command": ["slotwright", "mcp"], "enabled": true }
  }
}
"#
            ),
            McpClient::Goose => {
                "# ~/.config/goose/config.yaml\n\
                 extensions:\n  slotwright:\n    name: slotwright\n    type: stdio\n    \
                 cmd: slotwright\n    args: [mcp]\n    enabled: true\n"
            }
            McpClient::Zed => concat!(
                "// settings.json of Zed, or .zed/settings.json in the project\n",
                r#"{
  "context_servers": {
    "slotwright": { "command": "slotwright", "args": ["mcp"] }
  }
}
"#
            ),
            McpClient::Cursor => concat!(
                "// .cursor/mcp.json in the project's folder\n",
                r#"{
  "mcpServers": {
    "slotwright": {
      "command": "slotwright", "args": ["mcp", "--root", "${workspaceFolder}"]
    }
  }
}
"#
            ),
        }
    }
}
