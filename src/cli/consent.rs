//! `--yes` and `--dry-run`.

use crate::gate::Policy;
use clap::Args;

/// Who decides whether a change is written.
#[derive(Debug, Args)]
pub(super) struct ConsentArguments {
    /// Write without asking
    #[arg(long, short, conflicts_with = "dry_run")]
    yes: bool,
    /// Show the diff, write nothing
    #[arg(long, short = 'n')]
    pub dry_run: bool,
}

impl ConsentArguments {
    pub fn policy(&self) -> Policy {
        match self {
            ConsentArguments { dry_run: true, .. } => Policy::DryRun,
            ConsentArguments { yes: true, .. } => Policy::Yes,
            _ => Policy::Ask,
        }
    }
}
