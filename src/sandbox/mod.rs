//! A throw-away copy of a folder, and commands that run in it with limits.
//!
//! Commands come from a test suite that a model has just edited: they may hang, fork, fill the disk
//! or write where they should not. So they run in a copy, in processes that have restricted
//! themselves before they became the command:
//!
//! ```text
//! Sandbox::of(root) ── copy ──▶ folder ── run(command) ──▶ Ran { end, output, time }
//!
//! slotwright ──spec──▶ sandbox-process (watches, kills, counts) ──▶ sandbox-process --inside (restricts itself) ──▶ command
//! ```
//!
//! What restricts them is what the system has; [`Isolation`] says which. Without Landlock and a
//! wall before the network nothing is run, unless [`Options::allow_none`] is set. When the program
//! is killed, the watching process sees its pipe close and kills the command; the folder is removed
//! at the next start.

#[cfg(target_os = "linux")]
mod cgroup;
#[cfg(target_os = "linux")]
mod confine;
#[cfg(unix)]
mod copy;
#[cfg(unix)]
mod environment;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(unix)]
mod git;
#[cfg(unix)]
mod inside;
mod isolation;
mod output;
#[cfg(unix)]
mod place;
#[cfg(unix)]
pub mod process;
#[cfg(unix)]
mod supervise;
#[cfg(target_os = "linux")]
mod view;
#[cfg(unix)]
mod watch;
#[cfg(unix)]
mod worktree;

pub use isolation::Isolation;
pub use output::Output;

use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How a sandbox is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// How its folder comes about.
    pub kind: Kind,
    /// Ignored folders of dependencies and build results are copied; else dependencies are there to
    /// be read only, and build results are missing.
    pub copy_dependencies: bool,
    /// Commands run even where nothing keeps them from the person's files and the network.
    pub allow_none: bool,
}

/// How the folder of a sandbox comes about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// The files as they stand, without the repository.
    #[default]
    Copy,
    /// The same files as a git worktree: git commands that only read work in it, and say what they
    /// say in the original.
    Worktree,
}

/// What a command may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// How long it may run.
    pub time: Duration,
    /// Memory of all its processes, in bytes.
    pub memory: u64,
    /// The size of any one file that it writes, in bytes.
    pub file_size: u64,
    /// What it may add to the sandbox, in bytes.
    pub disk: u64,
    /// Processes at a time. Where a control group counts, each thread is one.
    pub processes: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            time: Duration::from_secs(600),
            memory: 8 << 30,
            file_size: 1 << 30,
            disk: 8 << 30,
            processes: 1024,
        }
    }
}

/// Where the kernel's own count of processes refuses: so many above the limit, so that passing it
/// is noticed as such.
#[cfg(unix)]
const SLACK: u32 = 16;

/// What is run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    /// A line for `sh -c`.
    Shell(String),
    /// A program, found on the PATH, and its arguments.
    Program(Vec<String>),
}

/// What came of a command.
#[derive(Clone, Debug, PartialEq)]
pub struct Ran {
    /// How it ended.
    pub end: Ended,
    /// What it wrote.
    pub output: Output,
    /// How long it took.
    pub time: Duration,
}

/// How a command ended. Whatever it was, none of its processes is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// By itself, with this exit code; 127 where there is no such program.
    Exited(i32),
    /// By this signal.
    Signal(i32),
    /// See [`Limits::time`].
    TimedOut,
    /// See [`Limits::disk`].
    TooMuchDisk,
    /// See [`Limits::memory`].
    TooMuchMemory,
    /// See [`Limits::processes`].
    TooManyProcesses,
}

/// Why there is no sandbox, or why a command could not be run in it.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// A file or folder could not be copied or made.
    #[error("cannot copy {} into the sandbox: {source}", path.display())]
    Copy {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The sandbox's own folder could not be made.
    #[error("cannot make a sandbox in {}: {source}", folder.display())]
    Place {
        /// Where.
        folder: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// git could not make a worktree.
    #[error("cannot make a git worktree of {}: {reason}; a plain copy needs no repository", root.display())]
    Worktree {
        /// The folder.
        root: PathBuf,
        /// What git says.
        reason: String,
    },
    /// Nothing on this system keeps a command from the person's files and the network.
    #[error(
        "commands cannot be confined here ({isolation}); --no-sandbox runs them all the same, with what you may do"
    )]
    NoIsolation {
        /// What there is.
        isolation: Box<Isolation>,
    },
    /// The process that watches the command failed.
    #[error("the sandbox failed: {0}")]
    Process(String),
    /// Processes that could not be killed.
    #[error("{n} processes of the command could not be killed")]
    LeftBehind {
        /// How many.
        n: usize,
    },
    /// Not a system of Unix's kind.
    #[error("commands cannot be run in a sandbox on this system")]
    Unsupported,
}

/// A copy of a folder that commands run in. It is removed when this is dropped.
#[derive(Debug)]
pub struct Sandbox {
    isolation: Isolation,
    folder: PathBuf,
    #[cfg(unix)]
    setting: process::Setting,
    #[cfg(unix)]
    program: PathBuf,
    #[cfg(unix)]
    environment: Vec<(std::ffi::OsString, std::ffi::OsString)>,
    // In the order in which they go: the repository forgets the worktree, then the folder is
    // removed.
    #[cfg(unix)]
    _worktree: Option<worktree::Worktree>,
    #[cfg(unix)]
    _place: place::Place,
}

impl Sandbox {
    /// A sandbox of what is under `root`, in the person's cache folder. `program` is the running
    /// slotwright binary. What earlier, killed programs left there is removed.
    pub fn of(root: &Path, program: &Path, options: &Options) -> Result<Sandbox, SandboxError> {
        Sandbox::within(&default_folder(), root, program, options)
    }

    /// The same in another private folder, which holds sandboxes only.
    pub fn within(
        folder: &Path,
        root: &Path,
        program: &Path,
        options: &Options,
    ) -> Result<Sandbox, SandboxError> {
        #[cfg(unix)]
        return make(folder, root, program, options);
        #[cfg(not(unix))]
        return Err(SandboxError::Unsupported);
    }

    /// The root of the copy.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What keeps commands from everything else.
    pub fn isolation(&self) -> &Isolation {
        &self.isolation
    }

    /// Runs a command in the copy's root. Dropping the future kills it and waits until it is gone.
    pub async fn run(&self, command: &Command, limits: &Limits) -> Result<Ran, SandboxError> {
        #[cfg(unix)]
        return process::run(
            &self.program,
            &self.environment,
            &process::Spec::new(&self.setting, command, limits),
        )
        .await;
        #[cfg(not(unix))]
        return Err(SandboxError::Unsupported);
    }
}

/// Where sandboxes lie: in the cache folder, beside what else can be made again.
fn default_folder() -> PathBuf {
    use etcetera::BaseStrategy;
    let cache = etcetera::choose_base_strategy()
        .map_or_else(|_| std::env::temp_dir(), |xdg| xdg.cache_dir());
    cache.join("slotwright").join("sandboxes")
}

#[cfg(unix)]
fn make(
    within: &Path,
    root: &Path,
    program: &Path,
    options: &Options,
) -> Result<Sandbox, SandboxError> {
    let root = root
        .canonicalize()
        .map_err(|source| SandboxError::Copy { path: root.to_path_buf(), source })?;
    let placed = |source| SandboxError::Place { folder: within.to_path_buf(), source };
    let place = place::Place::make(within).map_err(placed)?;
    let mut setting = process::Setting {
        folder: place.copy(),
        stand_in: None,
        space: place.folder().to_path_buf(),
        dependencies: Vec::new(),
        read: environment::readable(&root),
        namespaces: true,
        allow_none: options.allow_none,
    };
    let environment = environment::of(&root, &place);
    // First, since it is cheap: without isolation nothing needs to be copied, and what may be
    // linked depends on it.
    let isolation = process::probe(program, &environment, &process::Spec::probe(&setting))?;
    if !isolation.confines() && !options.allow_none {
        return Err(SandboxError::NoIsolation { isolation: Box::new(isolation) });
    }
    setting.namespaces = isolation.has_namespace("user");
    let worktree = match options.kind {
        Kind::Copy => None,
        Kind::Worktree => Some(worktree::Worktree::add(&root, &place)?),
    };
    let top = worktree.as_ref().map_or(root.as_path(), worktree::Worktree::top);
    let within = within.canonicalize().map_err(placed)?;
    let how = copy::How {
        dependencies: if options.copy_dependencies || !isolation.confines() {
            copy::Dependencies::Copy
        } else {
            copy::Dependencies::Link
        },
        links_out: isolation.confines(),
        except: &within,
    };
    setting.dependencies = copy::copy(top, &place.copy(), &place.dependencies(), &how)?;
    if let Some(worktree) = &worktree {
        worktree.adopt(&place)?;
        setting.read.push(worktree.repository().to_path_buf());
    }
    let beneath = root.strip_prefix(top).unwrap_or(Path::new(""));
    setting.folder =
        if beneath.as_os_str().is_empty() { place.copy() } else { place.copy().join(beneath) };
    // Under the original's name the copy serves what knows that name by heart, as Python's editable
    // installs do.
    if !setting.read.iter().any(|path| path.starts_with(top)) && !within.starts_with(top) {
        setting.stand_in = Some(top.to_path_buf());
    }
    Ok(Sandbox {
        isolation,
        folder: setting.folder.clone(),
        setting,
        program: program.to_path_buf(),
        environment,
        _worktree: worktree,
        _place: place,
    })
}
