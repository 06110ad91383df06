//! `--model REF`: which GGUF file that is.

use etcetera::BaseStrategy;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The bundled model travels inside the binary, so that one copied file works alone.
static BUNDLED: &[u8] = include_bytes!("../../models/bundled.gguf");

/// A model to load.
#[derive(Debug)]
pub(super) struct ModelFile {
    pub path: PathBuf,
    pub is_bundled: bool,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum ModelError {
    #[error("{0} names a server; models on servers are not supported yet")]
    NotYet(String),
    #[error("cannot unpack the bundled model into {}: {source}", folder.display())]
    Unpack { folder: PathBuf, source: io::Error },
}

pub(super) fn resolve(reference: &str) -> Result<ModelFile, ModelError> {
    if reference.starts_with("http://") || reference.starts_with("https://") {
        return Err(ModelError::NotYet(reference.to_owned()));
    }
    if !reference.is_empty() && reference != "bundled" {
        return Ok(ModelFile { path: PathBuf::from(reference), is_bundled: false });
    }
    let folder = cache_folder();
    let path = unpack(&folder, BUNDLED).map_err(|source| ModelError::Unpack { folder, source })?;
    Ok(ModelFile { path, is_bundled: true })
}

fn cache_folder() -> PathBuf {
    let cache = etcetera::choose_base_strategy().map_or_else(|_| std::env::temp_dir(), |xdg| xdg.cache_dir());
    cache.join("slotwright").join("models")
}

/// Puts the model there once. llama.cpp maps a file, so it needs one; whatever is there already is compared
/// byte for byte (6 MB in a millisecond), which says more than a hash would, and replaced if it differs.
fn unpack(folder: &Path, model: &[u8]) -> io::Result<PathBuf> {
    make_private_folder(folder)?;
    let path = folder.join(concat!("bundled-", env!("CARGO_PKG_VERSION"), ".gguf"));
    if std::fs::read(&path).is_ok_and(|there| there == model) {
        return Ok(path);
    }
    // Renamed into place: a second program that starts meanwhile sees all of it or nothing.
    let temporary = folder.join(format!(".unpacking-{}", std::process::id()));
    let written = std::fs::File::create(&temporary).and_then(|mut file| file.write_all(model));
    written.and_then(|()| std::fs::rename(&temporary, &path)).inspect_err(|_| {
        let _ = std::fs::remove_file(&temporary); // the first error is the one to report
    })?;
    Ok(path)
}

fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_model_is_unpacked_once_and_mended() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("a/b");
        let path = unpack(&folder, b"model").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"model");
        std::fs::write(&path, b"damaged").unwrap();
        assert_eq!(unpack(&folder, b"model").unwrap(), path);
        assert_eq!(std::fs::read(&path).unwrap(), b"model");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "nothing else is left there");
    }

    #[cfg(unix)]
    #[test]
    fn its_folder_is_the_owners_only() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("slotwright");
        unpack(&folder, b"model").unwrap();
        assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    }
}
