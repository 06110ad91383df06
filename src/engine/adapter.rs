//! Adapters: small trained additions to a model's weights (LoRA, Hu et al., 2021:
//! <https://arxiv.org/abs/2106.09685>), as GGUF files that llama.cpp reads beside the model.
//!
//! Ours teach a model to fill slots without instructions and worked examples. Each belongs to one
//! base model, in any quantization, and travels inside the program.

use super::error::EngineError;
use crate::models::catalogue::letters;
use crate::models::gguf::{GgufError, MetadataReader, Value};
use crate::workspace::private_folder::make_private_folder;
use crate::workspace::temporary::Temporary;
use cap_std::fs::Dir;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Which adapter is loaded with a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AdapterChoice {
    /// No adapter.
    #[default]
    None,
    /// Our own for this model, if there is one. llama.cpp reads only files, so it is unpacked.
    Own {
        /// The folder that it is unpacked into.
        folder: PathBuf,
    },
    /// This GGUF file.
    File(PathBuf),
}

/// An adapter that travels inside the program.
struct OwnAdapter {
    /// The base model's `general.name`.
    base: &'static str,
    bytes: &'static [u8],
}

/// `models/README.md` says how they were made and what they get right.
const OWN: &[OwnAdapter] = &[
    OwnAdapter {
        base: "Qwen2.5-Coder-0.5B-Instruct",
        bytes: include_bytes!("../../models/adapters/qwen2.5-coder-0.5b-instruct.gguf"),
    },
    OwnAdapter {
        base: "Qwen2.5-Coder-1.5B-Instruct",
        bytes: include_bytes!("../../models/adapters/qwen2.5-coder-1.5b-instruct.gguf"),
    },
];

/// Whether there is an adapter of ours for the model of this `general.name`.
pub fn has_own_adapter(model: &str) -> bool {
    OWN.iter().any(|own| is_of(model, own.base))
}

/// An adapter to be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AdapterFile {
    pub path: PathBuf,
    pub n_bytes: u64,
    /// Its name in descriptions of the model.
    pub name: String,
    /// The metadata value `slotwright.profile`.
    pub profile: Option<String>,
    /// The metadata value `slotwright.base`: the `general.name` of the model it belongs to.
    base: Option<String>,
}

impl AdapterChoice {
    /// The file for the model of this `general.name`. Our own is only an addition: where it cannot
    /// be unpacked there is none.
    ///
    /// # Errors
    /// [`EngineError::Adapter`] if a file that was named cannot be read, or says that it is for
    /// another model.
    pub(super) fn file(&self, model: &str) -> Result<Option<AdapterFile>, EngineError> {
        match self {
            AdapterChoice::None => Ok(None),
            AdapterChoice::Own { folder } => Ok(own_adapter(folder, model)),
            AdapterChoice::File(path) => match named_adapter(path, model) {
                Ok(file) => Ok(Some(file)),
                Err(reason) => Err(EngineError::Adapter {
                    path: path.display().to_string(),
                    reason,
                }),
            },
        }
    }
}

fn own_adapter(folder: &Path, model: &str) -> Option<AdapterFile> {
    let own = OWN.iter().find(|own| is_of(model, own.base))?;
    let name = format!("adapter-{}.gguf", letters(own.base));
    let path = unpack(folder, &name, own.bytes).ok()?;
    AdapterFile::read(path, "slotwright's adapter".to_owned()).ok()
}

fn named_adapter(path: &Path, model: &str) -> Result<AdapterFile, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let file =
        AdapterFile::read(path.to_owned(), name.into_owned()).map_err(|error| error.to_string())?;
    match &file.base {
        Some(base) if !is_of(model, base) => {
            Err(format!("it is for {base}, and the model is {model}"))
        }
        _ => Ok(file),
    }
}

impl AdapterFile {
    fn read(path: PathBuf, name: String) -> Result<AdapterFile, GgufError> {
        let file = std::fs::File::open(&path)?;
        let n_bytes = file.metadata()?.len();
        let mut reader = MetadataReader::new(file)?;
        let mut profile = None;
        let mut base = None;
        while let Some((key, _)) = reader.next_key()? {
            let wanted = match key.as_str() {
                "slotwright.profile" => &mut profile,
                "slotwright.base" => &mut base,
                _ => {
                    reader.skip()?;
                    continue;
                }
            };
            if let Value::Text(text) = reader.value()? {
                *wanted = text;
            }
        }
        Ok(AdapterFile {
            path,
            n_bytes,
            name,
            profile,
            base,
        })
    }
}

/// Whether a model of this name is that base model. A quantized model has a longer name.
fn is_of(model: &str, base: &str) -> bool {
    letters(model).starts_with(&letters(base))
}

/// Puts a file that travels inside the program where llama.cpp can map it, once. Whatever is there
/// already is compared byte for byte (6 MB in a millisecond), which says more than a hash would,
/// and replaced if it differs.
///
/// # Errors
/// If it can be neither read nor written there.
pub fn unpack(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
    make_private_folder(folder)?;
    let path = folder.join(name);
    if std::fs::read(&path).is_ok_and(|there| there == bytes) {
        return Ok(path);
    }
    // A second program that starts meanwhile sees all of it or nothing.
    let folder = Dir::open_ambient_dir(folder, cap_std::ambient_authority())?;
    let mut temporary = Temporary::new(&folder)?;
    temporary.file().write_all(bytes)?;
    temporary.replace(Path::new(name))?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_model_is_known_in_every_quantization() {
        let base = "Qwen2.5-Coder-0.5B-Instruct";
        for model in [
            "Qwen2.5 Coder 0.5B Instruct AWQ",
            "qwen2.5-coder-0.5b-instruct",
        ] {
            assert!(is_of(model, base), "{model}");
        }
        for model in [
            "Qwen2.5 Coder 0.5B",
            "Qwen2.5 0.5B Instruct",
            "Qwen2.5 Coder 1.5B Instruct",
        ] {
            assert!(!is_of(model, base), "{model}");
        }
    }

    #[test]
    fn a_file_is_unpacked_once_and_mended() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("a/b");
        let path = unpack(&folder, "x.gguf", b"model").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"model");
        std::fs::write(&path, b"damaged").unwrap();
        assert_eq!(unpack(&folder, "x.gguf", b"model").unwrap(), path);
        assert_eq!(std::fs::read(&path).unwrap(), b"model");
        assert_eq!(
            std::fs::read_dir(&folder).unwrap().count(),
            1,
            "nothing else is left there"
        );
    }

    #[cfg(unix)]
    #[test]
    fn its_folder_is_the_owners_only() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("slotwright");
        unpack(&folder, "x.gguf", b"model").unwrap();
        assert_eq!(
            std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777,
            0o700
        );
    }

    #[test]
    fn a_file_that_is_no_adapter_is_refused_with_its_path() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("notes.txt");
        std::fs::write(&path, "hello").unwrap();
        let error = AdapterChoice::File(path.clone()).file("any").unwrap_err();
        assert_eq!(
            error,
            EngineError::Adapter {
                path: path.display().to_string(),
                reason: "it is no GGUF file".to_owned()
            }
        );
    }
}
