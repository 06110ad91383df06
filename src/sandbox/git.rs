//! git, asked about a folder that may be a stranger's: nothing that its configuration names is
//! started.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The files of the repository around a folder that lie in it, relative to it. Empty if there is no
/// repository or no git.
pub(super) fn tracked(folder: &Path) -> Vec<PathBuf> {
    if !folder.ancestors().any(|f| f.join(".git").exists()) {
        return Vec::new();
    }

    let mut command = Command::new("git");
    command.arg("-C").arg(folder);
    command.args(["-c", "core.hooksPath=/dev/null"]);
    command.args(["-c", "core.fsmonitor=false"]);
    command.args(["ls-files", "-z", "--cached"]);
    // A hook that runs us has an index of its own.
    for (name, _) in std::env::vars_os() {
        if name.as_bytes().starts_with(b"GIT_") {
            command.env_remove(name);
        }
    }
    command
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null());

    match command.output() {
        Ok(output) if output.status.success() => output
            .stdout
            .split(|&byte| byte == 0)
            .filter(|name| !name.is_empty())
            .map(|name| PathBuf::from(OsStr::from_bytes(name)))
            .collect(),
        _ => Vec::new(),
    }
}
