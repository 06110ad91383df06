//! The isolation of a command, as a value.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What is in force. It is found out by trying, not by asking for versions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Isolation {
    /// Landlock's version (its ABI). Only the paths that are named may be read or written.
    pub landlock: Option<u32>,
    /// seccomp: no sockets but those between processes of this machine, no io_uring, no keyrings.
    pub seccomp: bool,
    /// The command's own namespaces: `user`, `pid`, `network`, `ipc`, `mount`.
    pub namespaces: Vec<String>,
    /// Limits of each process: `file_size`, `processes`, `core`.
    pub limits: Vec<String>,
    /// What is counted several times a second, over all processes: `memory`, `processes`, `disk`.
    pub watched: Vec<String>,
    /// What is not in force, and why.
    pub missing: Vec<String>,
}

impl Isolation {
    /// Whether a command can neither write outside nor reach the network.
    ///
    /// Without a mount namespace it could still change permissions and times of the person's files
    /// if it knew their names, and before Landlock's third version empty them, which is too much.
    pub fn confines(&self) -> bool {
        const KNOWS_TRUNCATION: u32 = 3;
        let min = if self.has_namespace("mount") {
            1
        } else {
            KNOWS_TRUNCATION
        };
        self.landlock.is_some_and(|abi| abi >= min)
            && (self.seccomp || self.has_namespace("network"))
    }

    /// Whether the command has its own namespace of this kind.
    pub fn has_namespace(&self, name: &str) -> bool {
        self.namespaces.iter().any(|n| n == name)
    }
}

impl fmt::Display for Isolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if let Some(abi) = self.landlock {
            parts.push(format!("landlock {abi}"));
        }
        if self.seccomp {
            parts.push("seccomp".to_owned());
        }
        for (name, what) in [
            ("namespaces", &self.namespaces),
            ("limits", &self.limits),
            ("watched", &self.watched),
        ] {
            if !what.is_empty() {
                parts.push(format!("{name} ({})", what.join(", ")));
            }
        }
        if !self.confines() {
            parts.insert(0, "no isolation".to_owned());
        }
        f.write_str(&parts.join(", "))?;
        if self.missing.is_empty() {
            Ok(())
        } else {
            write!(f, "; missing: {}", self.missing.join("; "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_is_in_force() {
        let none = Isolation {
            missing: vec!["Landlock (not in this kernel)".to_owned()],
            ..Isolation::default()
        };
        assert_eq!(
            none.to_string(),
            "no isolation; missing: Landlock (not in this kernel)"
        );
        assert!(!none.confines());
        let some = Isolation {
            landlock: Some(6),
            namespaces: vec!["pid".to_owned(), "network".to_owned()],
            limits: vec!["file_size".to_owned()],
            ..Isolation::default()
        };
        assert_eq!(
            some.to_string(),
            "landlock 6, namespaces (pid, network), limits (file_size)"
        );
        assert!(some.confines());
        let has_network = Isolation {
            namespaces: vec!["pid".to_owned()],
            ..some.clone()
        };
        assert!(!has_network.confines());
        // Before Landlock's third version files can be emptied, unless their names are hidden.
        let mut old = Isolation {
            landlock: Some(2),
            seccomp: true,
            ..some
        };
        assert!(!old.confines());
        old.namespaces.push("mount".to_owned());
        assert!(old.confines());
    }
}
