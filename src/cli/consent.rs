//! `--yes` and `--dry-run`.

use crate::review::WarningKind;
use crate::review::gate::Policy;
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

/// The help of `--accept`, with the kinds of warnings that a command can have.
pub(super) fn accept_help(kinds: &[WarningKind]) -> String {
    let mut words = Vec::new();
    for kind in kinds {
        words.push(format!("{} ({})", kind.word(), kind.about()));
    }
    let words = words.join(", ");
    format!("What --yes writes in spite of a warning (repeatable): {words}")
}
