//! What each client is told so that it starts the server with the options that were given.

use clap::ValueEnum;
use serde_json::Value;
use std::path::{Path, absolute};

/// A program that starts MCP servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum McpClient {
    ClaudeCode,
    Codex,
    Gemini,
    Qwen,
    Opencode,
    Goose,
    Zed,
    Cursor,
    Vscode,
    /// .mcp.json, which several clients read
    McpJson,
}

impl McpClient {
    /// Where the person puts it.
    pub fn place(self) -> &'static str {
        match self {
            McpClient::ClaudeCode => "a shell, in the project's folder",
            McpClient::Codex => "~/.codex/config.toml",
            McpClient::Gemini => ".gemini/settings.json in the project's folder",
            McpClient::Qwen => ".qwen/settings.json in the project's folder",
            McpClient::Opencode => "opencode.json in the project's folder",
            McpClient::Goose => "~/.config/goose/config.yaml",
            McpClient::Zed => "settings.json of Zed, or .zed/settings.json in the project's folder",
            McpClient::Cursor => ".cursor/mcp.json in the project's folder",
            McpClient::Vscode => ".vscode/mcp.json in the project's folder",
            McpClient::McpJson => ".mcp.json in the project's folder",
        }
    }

    /// What they put there. `options`: those that the server is started with.
    pub fn config(self, options: &[String]) -> String {
        let mut arguments = vec!["mcp".to_owned()];
        arguments.extend_from_slice(options);
        // These start servers in a folder of their own.
        let has_root = options.iter().any(|option| option.starts_with("--root"));
        if matches!(self, McpClient::Cursor | McpClient::Vscode) && !has_root {
            arguments.extend(["--root", "${workspaceFolder}"].map(str::to_owned));
        }
        let args = list(&arguments);

        match self {
            McpClient::ClaudeCode => {
                let words = arguments.iter().map(|word| shell_word(word));
                let words = words.collect::<Vec<_>>().join(" ");
                format!("claude mcp add --transport stdio slotwright -- slotwright {words}\n")
            }
            McpClient::Codex => {
                format!("[mcp_servers.slotwright]\ncommand = \"slotwright\"\nargs = {args}\n")
            }
            McpClient::Goose => format!(
                "extensions:\n  slotwright:\n    name: slotwright\n    type: stdio\n    \
                 cmd: slotwright\n    args: {args}\n    enabled: true\n"
            ),
            McpClient::Opencode => {
                arguments.insert(0, "slotwright".to_owned());
                let command = list(&arguments);
                json(
                    "mcp",
                    &format!(r#""type": "local", "command": {command}, "enabled": true"#),
                )
            }
            McpClient::Zed => json("context_servers", &command(&args)),
            McpClient::Vscode => json(
                "servers",
                &format!(r#""type": "stdio", {}"#, command(&args)),
            ),
            McpClient::Gemini | McpClient::Qwen | McpClient::Cursor | McpClient::McpJson => {
                json("mcpServers", &command(&args))
            }
        }
    }
}

fn command(args: &str) -> String {
    format!(r#""command": "slotwright", "args": {args}"#)
}

fn json(servers: &str, server: &str) -> String {
    format!("{{\n  \"{servers}\": {{\n    \"slotwright\": {{ {server} }}\n  }}\n}}\n")
}

/// A list of texts as JSON has it. YAML and TOML read it too.
fn list(items: &[String]) -> String {
    let items = items
        .iter()
        .map(|item| Value::from(item.as_str()).to_string());
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

/// A word as a shell reads it.
fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The options of the command line for a server that is started elsewhere: without `--print-config`,
/// and with whole paths.
pub(super) fn server_options(arguments: &[String]) -> Vec<String> {
    let after = arguments.iter().skip_while(|argument| *argument != "mcp");
    let mut options = Vec::new();
    let mut after = after.skip(1);
    while let Some(argument) = after.next() {
        let (name, value) = match argument.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (argument.as_str(), None),
        };
        match (name, value) {
            ("--print-config", None) => _ = after.next(),
            ("--print-config", Some(_)) => {}
            ("--root" | "--model" | "--adapter", _) => {
                let value = value.or_else(|| after.next().map(String::as_str));
                options.push(name.to_owned());
                options.extend(value.map(|value| whole_path(name, value)));
            }
            _ => options.push(argument.clone()),
        }
    }
    options
}

/// The value of an option, as a whole path if it is one.
fn whole_path(option: &str, value: &str) -> String {
    let is_path = match option {
        "--root" => !value.contains("${"), // a client's own variable
        _ => Path::new(value).is_file(),
    };
    match absolute(value) {
        Ok(path) if is_path => path.display().to_string(),
        _ => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    fn options(words: &[&str]) -> Vec<String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        server_options(&words)
    }

    #[test]
    fn options_go_on_to_the_server() {
        let print = ["slotwright", "mcp", "--print-config", "zed"];
        assert_eq!(options(&print), [""; 0]);
        let given = [
            "slotwright",
            "mcp",
            "--model",
            "a b",
            "--print-config=zed",
            "--yes",
        ];
        assert_eq!(options(&given), ["--model", "a b", "--yes"]);
        let root = options(&["slotwright", "mcp", "--root=/tmp/a", "--check", "make test"]);
        assert_eq!(root, ["--root", "/tmp/a", "--check", "make test"]);
        let relative = options(&["slotwright", "mcp", "--root", "a"]);
        assert!(Path::new(&relative[1]).is_absolute(), "{relative:?}");
        let variable = options(&["slotwright", "mcp", "--root", "${workspaceFolder}"]);
        assert_eq!(variable, ["--root", "${workspaceFolder}"]);
    }

    /// What a client reads of its configuration is what was given.
    #[test]
    fn every_client_reads_the_same_words() {
        let words = ["--check", r#"test "$A" = 'b c' \ é"#, "--root", "/a folder"];
        let words: Vec<String> = words.map(str::to_owned).to_vec();
        let expected = [&["mcp".to_owned()], &words[..]].concat();
        for client in McpClient::value_variants() {
            let config = client.config(&words);
            let read: Vec<String> = match client {
                McpClient::ClaudeCode => {
                    let command = config.split_once("-- slotwright ").unwrap().1;
                    let mut shell = std::process::Command::new("sh");
                    let printed = shell.args(["-c", &format!("printf '%s\\0' {command}")]);
                    let printed = String::from_utf8(printed.output().unwrap().stdout).unwrap();
                    printed.split_terminator('\0').map(str::to_owned).collect()
                }
                McpClient::Codex => {
                    let config: toml::Value = toml::from_str(&config).unwrap();
                    let args = config["mcp_servers"]["slotwright"]["args"].clone();
                    args.try_into().unwrap()
                }
                McpClient::Goose => {
                    let line = config.lines().find(|line| line.contains("args: ")).unwrap();
                    serde_json::from_str(line.split_once("args: ").unwrap().1).unwrap()
                }
                McpClient::Opencode => {
                    let config: Value = serde_json::from_str(&config).unwrap();
                    let command = config["mcp"]["slotwright"]["command"].clone();
                    let command: Vec<String> = serde_json::from_value(command).unwrap();
                    assert_eq!(command[0], "slotwright");
                    command[1..].to_vec()
                }
                _ => {
                    let config: Value = serde_json::from_str(&config).unwrap();
                    let servers = config.as_object().unwrap().values().next().unwrap();
                    assert_eq!(servers["slotwright"]["command"], "slotwright");
                    serde_json::from_value(servers["slotwright"]["args"].clone()).unwrap()
                }
            };
            assert_eq!(read, expected, "{client:?}: {config}");
        }
    }
}
