//! How much of the machine a command may use.

use serde::{Deserialize, Serialize};
use std::time::Duration;

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

impl Limits {
    /// Where the kernel refuses to start another process. That is some way above the limit, so that
    /// the watching process sees the limit passed and can say so.
    #[cfg(unix)]
    pub(super) fn kernel_processes(&self) -> u32 {
        const SLACK: u32 = 16;
        self.processes.saturating_add(SLACK)
    }
}
