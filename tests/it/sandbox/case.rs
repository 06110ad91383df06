//! A folder, a sandbox of it, and what the test sees of both.

use crate::support::{PROGRAM, folder};
use slotwright::sandbox::{Command, Limits, Ran, Sandbox, SandboxOptions};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A folder, a place for sandboxes of it, and what the folder was before.
pub struct Case {
    pub root: TempDir,
    pub place: TempDir,
    pub before: BTreeMap<PathBuf, Entry>,
    pub program: PathBuf,
}

/// Contents or target, permissions, and the time of the last change in nanoseconds.
pub type Entry = (Vec<u8>, u32, i128);

pub fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Entry> {
    let mut entries = BTreeMap::new();
    let mut next = vec![folder.to_path_buf()];
    while let Some(path) = next.pop() {
        let metadata = fs::symlink_metadata(&path).unwrap();
        let content = if metadata.is_dir() {
            next.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
            Vec::new()
        } else if metadata.is_symlink() {
            fs::read_link(&path)
                .unwrap()
                .into_os_string()
                .into_encoded_bytes()
        } else {
            fs::read(&path).unwrap()
        };
        let time = i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec());
        entries.insert(path, (content, metadata.mode(), time));
    }
    entries
}

impl Case {
    pub fn new(files: &[(&str, &[u8])]) -> Case {
        Case::of(folder(files))
    }

    pub fn of(root: TempDir) -> Case {
        let before = snapshot(root.path());
        Case {
            root,
            place: tempfile::tempdir().unwrap(),
            before,
            program: PathBuf::from(PROGRAM),
        }
    }

    pub fn root(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap()
    }

    pub fn sandbox(&self, options: &SandboxOptions) -> Sandbox {
        Sandbox::within(self.place.path(), self.root.path(), &self.program, options).unwrap()
    }

    /// Runs a command in a sandbox of its own. Afterwards the original is as before, and the
    /// sandbox is gone.
    #[track_caller]
    pub fn run_within(&self, command: &str, limits: &Limits) -> Ran {
        let sandbox = self.sandbox(&SandboxOptions::default());
        let ran = run(&sandbox, command, limits);
        drop(sandbox);
        self.check();
        ran
    }

    #[track_caller]
    pub fn run(&self, command: &str) -> Ran {
        self.run_within(command, &limits())
    }

    #[track_caller]
    pub fn check(&self) {
        assert!(
            self.before == snapshot(self.root.path()),
            "the original has changed"
        );
        let left: Vec<_> = fs::read_dir(self.place.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(left, ["lock"], "the sandbox is still there");
    }
}

/// Enough for a loaded machine.
pub fn limits() -> Limits {
    Limits {
        time: Duration::from_secs(120),
        ..Limits::default()
    }
}

pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

pub fn run(sandbox: &Sandbox, command: &str, limits: &Limits) -> Ran {
    runtime()
        .block_on(sandbox.run(&Command::Shell(command.to_owned()), limits))
        .unwrap()
}

pub fn has(program: &str) -> bool {
    let found = std::process::Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let has = found.is_ok_and(|status| status.success());
    if !has {
        eprintln!("skipped: there is no {program} here");
    }
    has
}

/// Processes that were called with this argument. A command is found by a number that it alone
/// waits for.
pub fn running(word: &str) -> usize {
    let is_called_with = |entry: &fs::DirEntry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        line.split(|&byte| byte == 0)
            .any(|argument| argument == word.as_bytes())
    };
    fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter(is_called_with)
        .count()
}

pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
