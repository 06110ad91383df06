//! `mcp` and `acp` with the clients that others wrote: the Python SDKs of both protocols
//! (`pip install mcp agent-client-protocol`). `SLOTWRIGHT_TEST_PYTHON` names the Python that has
//! them. The bundled model answers.

use crate::support::{PROGRAM, Run, folder, quiet};
use std::path::{Path, PathBuf};
use std::process::Command;

const TOOL: &[u8] =
    b"def process_item(item):\n    return len(item)\n\n\nprint(process_item('x'))\n";

/// A Python that has this module; none, with a message, if there is none.
fn python(module: &str) -> Option<PathBuf> {
    let python = std::env::var_os("SLOTWRIGHT_TEST_PYTHON").unwrap_or_else(|| "python3".into());
    let imported = Command::new(&python).args(["-c", &format!("import {module}")]).output();
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
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/clients").join(client);
    let mut command = Command::new(python);
    quiet(command.arg(script).arg(PROGRAM).arg(dir.path()).args(arguments));
    let run = Run::from(command.output().unwrap());
    assert!(run.code == Some(0) && run.stdout.contains("all is well"), "{run:#?}");
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
