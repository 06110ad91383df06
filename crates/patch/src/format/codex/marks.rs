//! The lines that structure a patch, and the comparable form of its paths.

pub(super) const BEGIN: &str = "*** Begin Patch";
pub(super) const END: &str = "*** End Patch";
pub(super) const ADD: &str = "*** Add File:";
pub(super) const DELETE: &str = "*** Delete File:";
pub(super) const UPDATE: &str = "*** Update File:";
pub(super) const MOVE: &str = "*** Move to:";
pub(super) const END_OF_FILE: &str = "*** End of File";

/// The components of a path, equal for all spellings of it.
pub(super) fn plain(path: &str) -> Vec<String> {
    path.split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .map(str::to_owned)
        .collect()
}
