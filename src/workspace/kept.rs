//! What a long run has made so far, kept until it is written: a run that is killed goes on where it was.
//!
//! A run has a folder of its own under the state folder, named by all that its results depend on. A
//! result is a file there, named by what it is of. It is written whole or not at all.

use super::journal::hex;
use super::private_folder::make_private_folder;
use super::temporary::Temporary;
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long results are kept that nobody asks for.
const KEPT_FOR: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The results of one run.
#[derive(Debug)]
pub struct KeptResults {
    folder: PathBuf,
    dir: Dir,
}

impl KeptResults {
    /// Opens the results of a run, and makes its folder if there is none. `run`: all that they depend
    /// on apart from what each is of. Removes old ones of other runs.
    ///
    /// # Errors
    /// If the folder cannot be made.
    pub fn open(state: &Path, run: &str) -> io::Result<KeptResults> {
        let all = kept_results(state);
        forget_old(&all);
        let folder = all.join(&hex(run.as_bytes())[..32]);
        make_private_folder(&folder)?;
        let dir = Dir::open_ambient_dir(&folder, ambient_authority())?;
        Ok(KeptResults { folder, dir })
    }

    /// The result of a file with these bytes; `None` if there is none.
    pub fn get(&self, path: &str, before: &[u8]) -> Option<Vec<u8>> {
        self.dir.read(name(path, before)).ok()
    }

    /// Keeps the result of a file with these bytes.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn put(&self, path: &str, before: &[u8], result: &[u8]) -> io::Result<()> {
        let mut temporary = Temporary::new(&self.dir)?;
        temporary.file().write_all(result)?;
        temporary.file().sync_all()?;
        temporary.replace(Path::new(&name(path, before)))
    }

    /// Removes all of them. If this fails, they are removed when they are old.
    pub fn forget(&self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The folder under `state` with the results of all runs.
pub fn kept_results(state: &Path) -> PathBuf {
    state.join("each")
}

fn name(path: &str, before: &[u8]) -> String {
    hex(&[path.as_bytes(), b"\0", before].concat())
}

/// Removes the results of runs that kept none for long.
fn forget_old(all: &Path) {
    for run in std::fs::read_dir(all).into_iter().flatten().flatten() {
        let changed = run.metadata().and_then(|metadata| metadata.modified());
        let age = changed.ok().and_then(|changed| changed.elapsed().ok());
        if age.is_some_and(|age| age > KEPT_FOR) {
            let _ = std::fs::remove_dir_all(run.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_of_one_run_and_of_these_bytes() {
        let state = tempfile::tempdir().unwrap();
        let run = KeptResults::open(state.path(), "a run").unwrap();
        run.put("a.py", b"old", b"new").unwrap();

        let again = KeptResults::open(state.path(), "a run").unwrap();
        assert_eq!(again.get("a.py", b"old"), Some(b"new".to_vec()));
        assert_eq!(again.get("a.py", b"other"), None);
        assert_eq!(again.get("b.py", b"old"), None);
        let other = KeptResults::open(state.path(), "another").unwrap();
        assert_eq!(other.get("a.py", b"old"), None);

        again.forget();
        let again = KeptResults::open(state.path(), "a run").unwrap();
        assert_eq!(again.get("a.py", b"old"), None);
    }
}
