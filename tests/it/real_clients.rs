//! `mcp` and `acp` with the clients that others wrote: the Python SDKs of both protocols
//! (`pip install mcp agent-client-protocol`; `SLOTWRIGHT_TEST_PYTHON` names the Python that has
//! them), and with the TypeScript SDK and the inspector of MCP, Claude Code and Codex (`npm install
//! @modelcontextprotocol/sdk @modelcontextprotocol/inspector @anthropic-ai/claude-code @openai/codex`;
//! `SLOTWRIGHT_TEST_NODE_MODULES` names their `node_modules`). The bundled model answers.

use crate::support::{PROGRAM, Run, folder, quiet};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

const TOOL: &[u8] =
    b"def process_item(item):\n    return len(item)\n\n\nprint(process_item('x'))\n";

/// A Python that has this module; none, with a message, if there is none.
fn python(module: &str) -> Option<PathBuf> {
    let python = std::env::var_os("SLOTWRIGHT_TEST_PYTHON").unwrap_or_else(|| "python3".into());
    let imported = Command::new(&python)
        .args(["-c", &format!("import {module}")])
        .output();
    if imported.is_ok_and(|imported| imported.status.success()) {
        return Some(python.into());
    }
    println!("skipped: no Python here has the module {module}; SLOTWRIGHT_TEST_PYTHON names one");
    None
}

#[track_caller]
fn check(module: &str, client: &str, arguments: &[&str]) {
    let Some(python) = python(module) else { return };
    let dir = folder(&[("tool.py", TOOL)]);
    let mut command = Command::new(python);
    quiet(
        command
            .arg(client_script(client))
            .arg(PROGRAM)
            .arg(dir.path())
            .args(arguments),
    );
    let run = Run::from(command.output().unwrap());
    assert!(
        run.code == Some(0) && run.stdout.contains("all is well"),
        "{run:#?}"
    );
}

#[test]
fn the_python_sdk_of_mcp_with_a_handshake() {
    check("mcp", "mcp_client.py", &["legacy"]);
}

#[test]
fn the_python_sdk_of_mcp_without_one() {
    check("mcp", "mcp_client.py", &["auto"]);
}

#[test]
fn the_python_sdk_of_acp() {
    check("acp", "acp_client.py", &[]);
}

/// The folder with node's packages, if it has this one and there is a node; none, with a message,
/// otherwise.
fn node_modules(package: &str) -> Option<PathBuf> {
    let named = std::env::var_os("SLOTWRIGHT_TEST_NODE_MODULES").map(PathBuf::from);
    let has_node = Command::new("node").arg("--version").output().is_ok();
    let modules = named.filter(|modules| has_node && modules.join(package).is_dir());
    if modules.is_none() {
        println!(
            "skipped: no node here has {package}; SLOTWRIGHT_TEST_NODE_MODULES names its folder"
        );
    }
    modules
}

fn client_script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/it/clients")
        .join(name)
}

#[test]
fn the_typescript_sdk_of_mcp() {
    let Some(modules) = node_modules("@modelcontextprotocol/sdk") else {
        return;
    };
    let dir = folder(&[("tool.py", TOOL)]);
    let mut command = Command::new("node");
    command
        .arg(client_script("mcp_client.mjs"))
        .arg(modules)
        .arg(PROGRAM)
        .arg(dir.path());
    let run = Run::from(quiet(&mut command).output().unwrap());
    assert!(
        run.code == Some(0) && run.stdout.contains("all is well"),
        "{run:#?}"
    );
}

#[test]
fn the_inspector_of_mcp() {
    let Some(modules) = node_modules("@modelcontextprotocol/inspector") else {
        return;
    };
    let dir = folder(&[("tool.py", TOOL)]);
    let inspect = |method: &[&str]| -> Value {
        let mut command = Command::new(modules.join(".bin/mcp-inspector"));
        command
            .args(["--cli", PROGRAM, "mcp", "--root"])
            .arg(dir.path())
            .args(method);
        let run = Run::from(quiet(&mut command).output().unwrap());
        serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run:#?}"))
    };
    let listed = inspect(&["--method", "tools/list"]);
    assert_eq!(
        listed["tools"].as_array().map(Vec::len),
        Some(7),
        "{listed}"
    );
    let call = [
        "--method",
        "tools/call",
        "--tool-name",
        "find",
        "--tool-arg",
    ];
    let found = inspect(&[&call[..], &["task=process_item"]].concat());
    assert_eq!(
        found["structuredContent"]["files"][0]["path"], "tool.py",
        "{found}"
    );
}

/// A program of node's packages, in the home folder and the project of somebody new.
fn new_person(modules: &Path, program: &str, home: &Path) -> Command {
    let mut command = Command::new(modules.join(".bin").join(program));
    let folders = [
        ("HOME", home),
        ("CODEX_HOME", home),
        ("CLAUDE_CONFIG_DIR", home),
    ];
    quiet(command.envs(folders)).current_dir(home);
    command
}

/// What the person is told to put into a client's configuration.
fn printed_config(client: &str) -> String {
    let mut command = Command::new(PROGRAM);
    let run = Run::from(
        command
            .args(["mcp", "--print-config", client])
            .output()
            .unwrap(),
    );
    run.stdout
        .replace("slotwright mcp", &format!("{PROGRAM} mcp"))
        .replace(
            "command = \"slotwright\"",
            &format!("command = \"{PROGRAM}\""),
        )
}

#[test]
fn claude_code_connects_as_it_is_told_to() {
    let Some(modules) = node_modules("@anthropic-ai/claude-code") else {
        return;
    };
    let home = folder(&[("tool.py", TOOL)]);
    let config = printed_config("claude-code");
    let mut words = config.split_whitespace().skip(1);
    let added = new_person(&modules, "claude", home.path())
        .args(&mut words)
        .output();
    Run::from(added.unwrap()).says(0, "");
    let listed = new_person(&modules, "claude", home.path())
        .args(["mcp", "list"])
        .output();
    let run = Run::from(listed.unwrap());
    assert!(
        run.code == Some(0) && run.stdout.contains("Connected"),
        "{run:#?}"
    );
}

#[test]
fn codex_reads_what_it_is_told() {
    let Some(modules) = node_modules("@openai/codex") else {
        return;
    };
    let config = printed_config("codex");
    let home = folder(&[("config.toml", config.as_bytes())]);
    let listed = new_person(&modules, "codex", home.path())
        .args(["mcp", "list", "--json"])
        .output();
    let run = Run::from(listed.unwrap());
    let listed: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run:#?}"));
    assert_eq!(listed[0]["name"], "slotwright", "{listed:#}");
    assert_eq!(listed[0]["transport"]["command"], PROGRAM, "{listed:#}");
    assert_eq!(
        listed[0]["transport"]["args"],
        serde_json::json!(["mcp"]),
        "{listed:#}"
    );
}
