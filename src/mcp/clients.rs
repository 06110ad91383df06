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
    /// Where the person puts it.
    pub fn place(self) -> &'static str {
        match self {
            McpClient::ClaudeCode => "a shell, in the project's folder",
            McpClient::Opencode => "opencode.json in the project's folder",
            McpClient::Goose => "~/.config/goose/config.yaml",
            McpClient::Zed => "settings.json of Zed, or .zed/settings.json in the project's folder",
            McpClient::Cursor => ".cursor/mcp.json in the project's folder",
        }
    }

    /// What they put there.
    pub fn config(self) -> &'static str {
        match self {
            McpClient::ClaudeCode => {
                "claude mcp add --transport stdio slotwright -- slotwright mcp\n"
            }
            McpClient::Opencode => {
                r#"{
  "mcp": {
    "slotwright": { "type": "local", "command": ["slotwright", "mcp"], "enabled": true }
  }
}
"#
            }
            McpClient::Goose => {
                "extensions:\n  slotwright:\n    name: slotwright\n    type: stdio\n    \
                 cmd: slotwright\n    args: [mcp]\n    enabled: true\n"
            }
            McpClient::Zed => {
                r#"{
  "context_servers": {
    "slotwright": { "command": "slotwright", "args": ["mcp"] }
  }
}
"#
            }
            McpClient::Cursor => {
                r#"{
  "mcpServers": {
    "slotwright": {
      "command": "slotwright",
      "args": ["mcp", "--root", "${workspaceFolder}"]
    }
  }
}
"#
            }
        }
    }
}
