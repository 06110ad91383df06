//! The proof of a success, in copies that no earlier run has touched.

use super::error::RepairError;
use super::judge::{Expected, Finding};
use super::trial::{TestRun, Trial};
use crate::patched::FileChange;

/// Two runs that show that an edit mends the bug.
pub(super) struct Proof {
    /// Without the edit.
    pub red: TestRun,
    /// With the edit.
    pub green: TestRun,
}

/// Tests a fresh copy without the edit and another one with it. `None` if the first one is not red,
/// or the second one is not green.
///
/// In the copy of the attempts, earlier runs may have left files, and a test may fail only the first
/// time.
pub(super) async fn prove(
    trial: &Trial,
    test: &[FileChange],
    edit: &[FileChange],
    expected: &Expected,
) -> Result<Option<Proof>, RepairError> {
    let red = trial.fresh(&[test])?.run_tests().await?;
    match red.finding(expected) {
        Finding::Red { .. } | Finding::NotBuilt { .. } => {}
        // A run that took too long, for one, shows nothing.
        _ => return Ok(None),
    }

    let green = trial.fresh(&[test, edit])?.run_tests().await?;
    Ok((green.finding(expected) == Finding::Green).then_some(Proof { red, green }))
}
