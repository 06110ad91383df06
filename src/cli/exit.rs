//! How the program ends.

/// The exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCode {
    /// Done, already done, or a dry run that would be done.
    Done = 0,
    /// Not made: not found, ambiguous, declined, truncated, refused (by `--yes` too).
    NotMade = 1,
    /// Wrong usage or configuration.
    Usage = 2,
    /// Not confirmed; nothing was written.
    NotConfirmed = 3,
    /// The environment: a broken model, a full disk.
    Environment = 4,
    /// Some edits of a patch were written and others not, as `--partial` allows.
    PartlyDone = 5,
    /// Interrupted.
    Interrupted = 130,
}

/// The same for `--help`.
pub(super) const EXIT_CODES: &str = "Exit codes:
  0    done, already done, or a dry run that would be done
  1    no edit was made, or --yes refused it
  2    wrong usage or configuration
  3    not confirmed, nothing written
  4    the environment: the model, the disk
  5    some edits of a patch were written, others could not be made (--partial)
  130  interrupted";
