//! A folder for the program's own data, which only its owner may read.

use std::io;
use std::path::Path;

/// Makes the folder and its missing parents.
pub(crate) fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
