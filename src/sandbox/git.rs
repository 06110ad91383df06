//! git, asked about a folder that may be a stranger's: nothing that its configuration names is
//! started.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// `git` in a folder, without hooks and without locks that are only for speed.
pub(super) fn command(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder);
    for setting in [
        "core.hooksPath=/dev/null",
        "core.fsmonitor=false",
        "worktree.useRelativePaths=false",
    ] {
        command.args(["-c", setting]);
    }
    for name in std::env::vars_os()
        .map(|(name, _)| name)
        .filter(|name| name.as_bytes().starts_with(b"GIT_"))
    {
        command.env_remove(name); // a hook that runs us has its own index
    }
    command
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .stdin(Stdio::null());
    command
}

/// The files of the repository around a folder that lie in it, relative to it; none where there is
/// no repository or no git.
pub(super) fn tracked(folder: &Path) -> Vec<PathBuf> {
    if !folder.ancestors().any(|f| f.join(".git").exists()) {
        return Vec::new();
    }
    match command(folder)
        .args(["ls-files", "-z", "--cached"])
        .output()
    {
        Ok(output) if output.status.success() => {
            let names = output
                .stdout
                .split(|&byte| byte == 0)
                .filter(|name| !name.is_empty());
            names
                .map(|name| PathBuf::from(OsStr::from_bytes(name)))
                .collect()
        }
        _ => Vec::new(),
    }
}
