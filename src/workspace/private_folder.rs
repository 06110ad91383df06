//! A folder for what is the program's own: only its owner may look into it.

use std::io;
use std::path::Path;

/// Makes the folder, and those around it, as far as they are missing.
pub(crate) fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
