//! `--model REF`: which GGUF file that is, and its process.

use super::failure::{Failure, engine_failure};
use super::progress::ProgressLine;
use super::{ExitCode, ModelArguments, say};
use crate::engine::Engine;
use crate::engine::process::ModelProcess;
use crate::engine::protocol::Load;
use crate::prompt::Profile;
use crate::workspace::private_folder::make_private_folder;
use crate::workspace::temporary::Temporary;
use cap_std::fs::Dir;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The bundled model travels inside the binary, so that one copied file works alone.
static BUNDLED: &[u8] = include_bytes!("../../models/bundled.gguf");

/// A model to load.
#[derive(Debug)]
struct ModelFile {
    path: PathBuf,
    is_bundled: bool,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum ModelError {
    #[error("{0} names a server; models on servers are not supported yet")]
    NotYet(String),
    #[error("cannot unpack the bundled model into {}: {source}", folder.display())]
    Unpack { folder: PathBuf, source: io::Error },
}

/// Starts the model process; `prefixes` as in [`Load`].
pub(super) async fn start(
    arguments: &ModelArguments,
    prefixes: Option<PathBuf>,
    progress: &ProgressLine,
) -> Result<(ModelProcess, Profile), Failure> {
    let file = resolve(&arguments.model)?;
    if file.is_bundled {
        say("slotwright: using the bundled model: it is small, and knows simple edits only (--model names another)");
    }
    let program = std::env::current_exe().map_err(|error| Failure::new(ExitCode::Environment, "environment", error))?;
    let load = Load {
        model: file.path,
        threads: arguments.threads.map_or_else(num_cpus::get_physical, usize::from),
        verbose: arguments.verbose,
        check_memory: !arguments.skip_memory_check,
        prefixes,
    };
    let silence = Duration::from_secs(arguments.model_timeout.into());
    let engine = ModelProcess::start_within(&program, load, silence, &mut |p| progress.show(p)).await.map_err(engine_failure)?;
    let (profile, warning) = Profile::of(engine.model())
        .map_err(|error| Failure::new(ExitCode::Environment, "model", error).hint("a newer slotwright may know it"))?;
    if let Some(warning) = warning {
        say(&format!("slotwright: warning: {warning}"));
    }
    Ok((engine, profile))
}

fn resolve(reference: &str) -> Result<ModelFile, ModelError> {
    if reference.starts_with("http://") || reference.starts_with("https://") {
        return Err(ModelError::NotYet(reference.to_owned()));
    }
    if !reference.is_empty() && reference != "bundled" {
        return Ok(ModelFile { path: PathBuf::from(reference), is_bundled: false });
    }
    let folder = super::folders::cache().join("models");
    let path = unpack(&folder, BUNDLED).map_err(|source| ModelError::Unpack { folder, source })?;
    Ok(ModelFile { path, is_bundled: true })
}

/// Puts the model there once. llama.cpp maps a file, so it needs one; whatever is there already is compared
/// byte for byte (6 MB in a millisecond), which says more than a hash would, and replaced if it differs.
fn unpack(folder: &Path, model: &[u8]) -> io::Result<PathBuf> {
    make_private_folder(folder)?;
    const NAME: &str = concat!("bundled-", env!("CARGO_PKG_VERSION"), ".gguf");
    let path = folder.join(NAME);
    if std::fs::read(&path).is_ok_and(|there| there == model) {
        return Ok(path);
    }
    // A second program that starts meanwhile sees all of it or nothing.
    let folder = Dir::open_ambient_dir(folder, cap_std::ambient_authority())?;
    let mut temporary = Temporary::new(&folder)?;
    temporary.file().write_all(model)?;
    temporary.replace(Path::new(NAME))?;
    Ok(path)
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
