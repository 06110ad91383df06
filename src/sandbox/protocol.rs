//! The messages between the program and the processes of a sandbox: JSON, one value a line.
//!
//! ```text
//! program ──CommandSpec──▶ watching process ──CommandSpec──▶ process inside
//!         ◀──ChildEvent──                   ◀──ChildEvent──
//! ```

use super::command::{Command, Ended};
use super::isolation::Isolation;
use super::layout::Space;
use super::limits::Limits;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// The hidden argument that makes the binary the process that watches a command.
pub const CHILD_ARGUMENT: &str = "sandbox-process";

/// With it, the binary becomes the command's parent, which restricts itself first.
pub const INSIDE: &str = "--inside";

/// How long a process may take for quick work, such as killing and removing.
pub(super) const GRACE: Duration = Duration::from_secs(30);

/// What commands of one sandbox have in common.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Setting {
    /// The sandbox's own folder.
    pub(super) space: Space,
    /// The original's path, at which a command sees the copy as well.
    pub(super) stand_in: Option<PathBuf>,
    /// Folders of dependencies, and the names in the sandbox that lead to them.
    pub(super) dependencies: Vec<(PathBuf, PathBuf)>,
    /// Other paths that may be read.
    pub(super) read: Vec<PathBuf>,
    /// Whether namespaces are worth trying: a failed try leaves a process half in them.
    pub(super) namespaces: bool,
    /// Run the command without isolation, if there is none.
    pub(super) allow_none: bool,
}

/// The orders for a process of the sandbox.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct CommandSpec {
    pub(super) setting: Setting,
    /// `None` if the process is only to find out what isolation there is.
    pub(super) command: Option<Command>,
    pub(super) limits: Limits,
    /// What the watching process has set up already.
    pub(super) isolation: Isolation,
}

impl CommandSpec {
    pub(super) fn new(setting: &Setting, command: &Command, limits: &Limits) -> CommandSpec {
        CommandSpec {
            setting: setting.clone(),
            command: Some(command.clone()),
            limits: *limits,
            isolation: Isolation::default(),
        }
    }

    pub(super) fn probe(setting: &Setting) -> CommandSpec {
        CommandSpec {
            setting: setting.clone(),
            command: None,
            limits: Limits {
                time: GRACE,
                ..Limits::default()
            },
            isolation: Isolation::default(),
        }
    }

    pub(super) fn to_line(&self) -> serde_json::Result<Vec<u8>> {
        line_of(self)
    }
}

/// A message of a process of the sandbox: `Isolated` once, and then one of the others.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum ChildEvent {
    /// What isolation there is. A command that needs isolation has not been started without it.
    Isolated(Isolation),
    /// The command has ended, and none of its processes is left.
    Ended { end: Ended, time: Duration },
    /// This many processes could not be killed.
    LeftBehind(usize),
    /// The process itself failed.
    Failed(String),
}

impl ChildEvent {
    /// Writes the message as a line.
    pub(super) fn write(&self, to: &mut impl Write) -> std::io::Result<()> {
        to.write_all(&line_of(self)?)?;
        to.flush()
    }
}

fn line_of(value: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    Ok(line)
}
