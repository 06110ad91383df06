//! The person's own editor, for text that the model wrote.

use crate::cli::terminal;
use crate::console::TERMINAL_IS_LENT;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::Ordering;
use tokio::process::Command;

/// Lets the person change a text. `path` gives the temporary file its ending, so that the editor
/// knows the language.
///
/// # Errors
/// In words, if the editor did not end well. The text is then as it was.
pub(super) async fn edited(text: &str, path: &str) -> Result<String, String> {
    let editor = editor();
    let cannot = |what: &str, error: &dyn std::fmt::Display| format!("cannot {what}: {error}");
    let name = Path::new(path)
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let mut file = tempfile::Builder::new()
        .prefix("slotwright-")
        .suffix(&format!("-{name}"))
        .tempfile()
        .map_err(|error| cannot("make a temporary file", &error))?;
    file.write_all(text.as_bytes())
        .map_err(|error| cannot("write a temporary file", &error))?;
    let status = run(&editor, file.path()).await;
    let status = status.map_err(|error| cannot("start a shell for the editor", &error))?;
    let editor = editor.to_string_lossy();
    if !status.success() {
        return Err(format!(
            "the editor ({editor}) failed: {status}; $EDITOR names another one"
        ));
    }
    let bytes = std::fs::read(file.path());
    let bytes = bytes.map_err(|error| cannot("read what was typed", &error))?;
    String::from_utf8(bytes).map_err(|_| format!("the editor ({editor}) did not save UTF-8"))
}

/// As for git: a line for the shell, so that it may have arguments.
fn editor() -> OsString {
    let named = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    named("VISUAL")
        .or_else(|| named("EDITOR"))
        .unwrap_or_else(|| "vi".into())
}

async fn run(editor: &OsString, path: &Path) -> io::Result<std::process::ExitStatus> {
    let mut line = editor.clone();
    line.push(" \"$@\"");
    let mut command = Command::new("sh");
    command
        .arg("-c")
        .arg(line)
        .arg("sh")
        .arg(path)
        .kill_on_drop(true);
    // Standard input may be the patch, and standard output a file.
    if let Ok(terminal) = terminal::terminal() {
        command.stdout(
            terminal
                .try_clone()
                .map_or_else(|_| Stdio::inherit(), Stdio::from),
        );
        command.stdin(terminal);
    }
    let mut child = command.spawn()?;
    TERMINAL_IS_LENT.store(true, Ordering::Relaxed);
    let status = child.wait().await;
    TERMINAL_IS_LENT.store(false, Ordering::Relaxed);
    status
}
