//! The files that a message can be about.

use std::collections::BTreeSet;

/// The files of a folder, and how tools name them.
#[derive(Clone, Debug, Default)]
pub struct Listed(BTreeSet<String>);

impl Listed {
    /// These paths, relative to the root.
    pub fn new(paths: impl IntoIterator<Item = String>) -> Listed {
        Listed(paths.into_iter().collect())
    }

    /// The file that a tool means. It may run in a folder below the root: then the one file whose path
    /// ends so is meant. `None` if there is none, or there are several.
    pub fn resolve(&self, written: &str) -> Option<String> {
        let path = written.strip_prefix("file://").unwrap_or(written);
        let path = path.trim_start_matches("./");
        if self.0.contains(path) {
            return Some(path.to_owned());
        }
        if path.is_empty() || path.starts_with('/') {
            return None;
        }
        let end = format!("/{}", path.trim_start_matches("../"));
        let mut ending = self.0.iter().filter(|listed| listed.ends_with(&end));
        let found = ending.next()?;
        ending.next().is_none().then(|| found.clone())
    }
}
