//! The run of a check on a folder as it is, kept on disk: the next edit needs it again, and the folder
//! is mostly the same.

use super::complaint::CheckRun;
use super::options::CheckOptions;
use crate::workspace::private_folder::make_private_folder;
use crate::workspace::{IgnoredPaths, Listing};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where the run of a command in a folder is kept, and what it is a run of.
pub(super) struct Kept {
    path: PathBuf,
    hash: String,
}

/// What the file holds. The run of other files, or by another version, is of no use.
#[derive(Serialize, Deserialize)]
struct KeptRun {
    hash: String,
    run: CheckRun,
}

impl Kept {
    /// The place for the command of these options in a folder, as its files are now. `None` if nothing
    /// is to be kept.
    pub fn of(root: &Path, options: &CheckOptions) -> Option<Kept> {
        let folder = options.kept.as_ref()?;
        Some(Kept {
            path: folder.join(name_of(root, &options.command) + ".json"),
            hash: hash_of(root, options),
        })
    }

    /// The run, if it was of the same files.
    pub fn read(&self) -> Option<CheckRun> {
        let bytes = fs::read(&self.path).ok()?;
        let kept: KeptRun = serde_json::from_slice(&bytes).ok()?;
        (kept.hash == self.hash).then_some(kept.run)
    }

    /// Keeps a run.
    ///
    /// # Errors
    /// If it cannot be written; then the command runs again next time.
    pub fn write(self, run: &CheckRun) -> io::Result<()> {
        make_private_folder(self.path.parent().unwrap_or(Path::new(".")))?;
        let kept = KeptRun {
            hash: self.hash,
            run: run.clone(),
        };
        fs::write(&self.path, serde_json::to_vec(&kept)?)
    }
}

/// A name for a command in a folder.
pub fn name_of(root: &Path, command: &str) -> String {
    let parts = [root.as_os_str().as_encoded_bytes(), command.as_bytes()];
    hex(&digest(parts))
}

/// A hash of everything that decides how a command ends: the files that are listed, and hidden ones in
/// the root, where tools have their settings.
fn hash_of(root: &Path, options: &CheckOptions) -> String {
    let mut paths = Listing::of(root).paths;
    paths.extend(Listing::of_hidden(IgnoredPaths::none(), root).paths);
    paths.sort_unstable();
    paths.dedup();
    let mut parts = vec![env!("CARGO_PKG_VERSION").as_bytes().to_vec()];
    for path in paths {
        let bytes = match options.files.get(&path) {
            Some(bytes) => Sha256::digest(bytes),
            None => Sha256::digest(fs::read(root.join(&path)).unwrap_or_default()),
        };
        parts.push(path.into_bytes());
        parts.push(bytes.to_vec());
    }
    hex(&digest(parts))
}

/// A hash of some parts, each with its length before it.
fn digest(parts: impl IntoIterator<Item: AsRef<[u8]>>) -> Vec<u8> {
    let mut hash = Sha256::new();
    for part in parts {
        let part = part.as_ref();
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize()[..16].to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
