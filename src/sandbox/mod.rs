//! A throw-away copy of a folder, and commands that run in it with limits.
//!
//! Commands come from a test suite that a model has just edited. They may hang, fork, fill the disk
//! or write where they should not. So they run in a copy, in processes that restrict themselves
//! first:
//!
//! ```text
//! Sandbox::of(root) ── copy ──▶ folder ── run(command) ──▶ Ran { end, output, time }
//!
//! slotwright ──CommandSpec──▶ sandbox-process           watches, kills, counts
//!                              └─▶ sandbox-process --inside     restricts itself
//!                                   └─▶ command
//! ```
//!
//! What restricts them is what the system has; [`Isolation`] says which. Without Landlock and a
//! closed network nothing is run, unless [`SandboxOptions::allow_none`] is set. When the program is
//! killed, the watching process sees its pipe close and kills the command. The folder is removed at
//! the next start.

mod command;
#[cfg(target_os = "linux")]
mod confine;
#[cfg(unix)]
mod copy;
#[cfg(unix)]
mod environment;
mod error;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(unix)]
mod folder;
#[cfg(unix)]
mod git;
#[cfg(unix)]
mod inside;
mod isolation;
#[cfg(unix)]
mod launch;
#[cfg(unix)]
mod layout;
mod limits;
mod output;
#[cfg(unix)]
pub mod process;
#[cfg(unix)]
mod protocol;
#[cfg(unix)]
mod supervise;
#[cfg(target_os = "linux")]
mod view;
#[cfg(unix)]
mod watch;

pub use command::{Command, Ended, Ran};
pub use error::SandboxError;
pub use isolation::Isolation;
pub use limits::Limits;
pub use output::Output;

use std::path::{Path, PathBuf};
#[cfg(unix)]
use tracing::debug;

/// How a sandbox is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SandboxOptions {
    /// Copy ignored folders of dependencies and build results. Otherwise dependencies can only be
    /// read, and build results are missing.
    pub copy_dependencies: bool,
    /// Run commands even where nothing keeps them from the person's files and the network.
    pub allow_none: bool,
}

/// A copy of a folder that commands run in. It is removed when this is dropped.
#[derive(Debug)]
pub struct Sandbox {
    isolation: Isolation,
    folder: PathBuf,
    #[cfg(unix)]
    setting: protocol::Setting,
    #[cfg(unix)]
    program: PathBuf,
    #[cfg(unix)]
    environment: Vec<(std::ffi::OsString, std::ffi::OsString)>,
    #[cfg(unix)]
    _own_folder: folder::SandboxFolder,
}

impl Sandbox {
    /// A sandbox of what is under `root`, in the person's cache folder. `program` is the running
    /// slotwright binary. What earlier, killed programs left there is removed.
    pub fn of(
        root: &Path,
        program: &Path,
        options: &SandboxOptions,
    ) -> Result<Sandbox, SandboxError> {
        Sandbox::within(&default_folder(), root, program, options)
    }

    /// The same in another private folder, which holds sandboxes only.
    pub fn within(
        folder: &Path,
        root: &Path,
        program: &Path,
        options: &SandboxOptions,
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
        {
            let spec = protocol::CommandSpec::new(&self.setting, command, limits);
            let ran = launch::run(&self.program, &self.environment, &spec).await?;
            debug!(end = ?ran.end, time = ?ran.time, "a command in a sandbox ended");
            Ok(ran)
        }
        #[cfg(not(unix))]
        Err(SandboxError::Unsupported)
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
    options: &SandboxOptions,
) -> Result<Sandbox, SandboxError> {
    let root = root.canonicalize().map_err(|source| SandboxError::Copy {
        path: root.to_path_buf(),
        source,
    })?;
    let own_folder =
        folder::SandboxFolder::make(within).map_err(|source| SandboxError::Folder {
            folder: within.to_path_buf(),
            source,
        })?;
    let space = own_folder.space();
    let environment = environment::of(&root, space);
    let mut setting = protocol::Setting {
        space: space.clone(),
        stand_in: None,
        dependencies: Vec::new(),
        read: environment::readable(&root),
        namespaces: true,
        allow_none: options.allow_none,
    };

    // First, since it is cheap: without isolation nothing needs to be copied, and what may be
    // linked depends on it.
    let spec = protocol::CommandSpec::probe(&setting);
    let isolation = launch::probe(program, &environment, &spec)?;
    debug!(folder = %space.path().display(), %isolation, "what confines a sandbox");
    if !isolation.confines() && !options.allow_none {
        return Err(SandboxError::NoIsolation {
            isolation: Box::new(isolation),
        });
    }
    setting.namespaces = isolation.has_namespace("user");

    let within = own_folder.within();
    let copy_options = copy::CopyOptions {
        dependencies: if options.copy_dependencies || !isolation.confines() {
            copy::Dependencies::Copy
        } else {
            copy::Dependencies::Link
        },
        links_out: if isolation.confines() {
            copy::LinksOut::Keep
        } else {
            copy::LinksOut::LeaveOut
        },
        except: within,
    };
    setting.dependencies = copy::copy(&root, &space.copy(), &space.dependencies(), &copy_options)?;

    // The copy also appears at the original's path, since some tools store absolute paths: Python's
    // editable installs, for one.
    if !setting.read.iter().any(|path| path.starts_with(&root)) && !within.starts_with(&root) {
        setting.stand_in = Some(root);
    }
    Ok(Sandbox {
        isolation,
        folder: space.copy(),
        setting,
        program: program.to_path_buf(),
        environment,
        _own_folder: own_folder,
    })
}
