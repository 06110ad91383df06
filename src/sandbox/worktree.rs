//! A copy that git knows as a worktree.
//!
//! git makes the worktree without any files, since checking them out would run filters that the
//! repository names. The files are copied as they are, and the index with them, so that git says
//! of the copy what it says of the original. Afterwards the repository's folder about it is
//! removed, and nothing else has changed in it.

use super::error::SandboxError;
use super::git;
use super::layout::{copy_in, worktree_record_in};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A worktree that the repository knows. It forgets it when this is dropped.
#[derive(Debug)]
pub(super) struct Worktree {
    sandbox: PathBuf,
    top: PathBuf,
    repository: PathBuf,
    git_folder: PathBuf,
    about: PathBuf,
}

impl Worktree {
    /// Adds one, without files, where the copy goes in a sandbox's folder.
    pub(super) fn add(root: &Path, sandbox: &Path) -> Result<Worktree, SandboxError> {
        let failed = |reason: String| SandboxError::Worktree {
            root: root.to_path_buf(),
            reason,
        };
        let asked = [
            "rev-parse",
            "--path-format=absolute",
            "--show-toplevel",
            "--git-common-dir",
            "--git-dir",
        ];
        let answer = ask(root, &asked.map(OsStr::new)).map_err(failed)?;
        let paths: Vec<PathBuf> = answer
            .split(|&b| b == b'\n')
            .map(|line| PathBuf::from(OsStr::from_bytes(line)))
            .collect();
        let [top, repository, git_folder, ..] = &paths[..] else {
            return Err(failed("git did not say where its repository is".to_owned()));
        };
        let copy = copy_in(sandbox);
        let add = ["worktree", "add", "--detach", "--no-checkout"].map(OsStr::new);
        ask(
            root,
            &[&add[..], &[copy.as_os_str(), OsStr::new("HEAD")]].concat(),
        )
        .map_err(failed)?;
        let link = fs::read(copy.join(".git")).map_err(|error| failed(error.to_string()))?;
        let about = link
            .strip_prefix(b"gitdir: ")
            .unwrap_or_default()
            .trim_ascii();
        let worktree = Worktree {
            sandbox: sandbox.to_path_buf(),
            top: top.clone(),
            repository: repository.clone(),
            git_folder: git_folder.clone(),
            about: PathBuf::from(OsStr::from_bytes(about)),
        };
        // For the case that the program is killed.
        fs::write(worktree_record_in(sandbox), about).map_err(|error| failed(error.to_string()))?;
        Ok(worktree)
    }

    /// The root of the original.
    pub(super) fn top(&self) -> &Path {
        &self.top
    }

    /// The folder of the repository, shared by all worktrees.
    pub(super) fn repository(&self) -> &Path {
        &self.repository
    }

    /// Gives the worktree the original's index.
    pub(super) fn adopt_index(&self) -> Result<(), SandboxError> {
        for entry in fs::read_dir(&self.git_folder)
            .into_iter()
            .flatten()
            .flatten()
        {
            let name = entry.file_name();
            if name == "index" || name.as_bytes().starts_with(b"sharedindex.") {
                let copied = fs::copy(entry.path(), self.about.join(&name));
                copied.map_err(|source| SandboxError::Copy {
                    path: entry.path(),
                    source,
                })?;
            }
        }
        Ok(())
    }
}

impl Drop for Worktree {
    fn drop(&mut self) {
        forget(&self.sandbox);
    }
}

/// Removes what a repository knows of the worktree in a sandbox's folder, if there is one.
pub(super) fn forget(sandbox: &Path) {
    let Ok(about) = fs::read(worktree_record_in(sandbox)) else {
        return;
    };
    let about = PathBuf::from(OsStr::from_bytes(&about));
    let is_ours = fs::read(about.join("gitdir")).is_ok_and(|path| {
        path.trim_ascii() == copy_in(sandbox).join(".git").as_os_str().as_bytes()
    });
    if let Some(all) = about
        .parent()
        .filter(|all| is_ours && all.file_name() == Some(OsStr::new("worktrees")))
    {
        // `git worktree prune` removes what cannot be removed here.
        let _ = fs::remove_dir_all(&about);
        let _ = fs::remove_dir(all); // only if there is no other
    }
}

/// The answer of git, without the last newline.
fn ask(root: &Path, arguments: &[&OsStr]) -> Result<Vec<u8>, String> {
    let output = git::command(root)
        .args(arguments)
        .output()
        .map_err(|error| format!("git cannot be run: {error}"))?;
    if output.status.success() {
        return Ok(output.stdout.trim_ascii_end().to_vec());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(said
        .lines()
        .next_back()
        .unwrap_or("git failed")
        .trim_start_matches("fatal: ")
        .to_owned())
}
