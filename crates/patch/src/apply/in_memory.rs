//! Files in memory.

use super::plan::Files;
use crate::text::Text;
use std::collections::BTreeMap;

/// Files that a patch is applied to, in memory: paths and bytes.
#[derive(Clone, Debug, Default)]
pub struct InMemory {
    files: BTreeMap<String, Vec<u8>>,
    listing: Vec<String>,
}

impl<P: Into<String>, B: Into<Vec<u8>>> FromIterator<(P, B)> for InMemory {
    fn from_iter<I: IntoIterator<Item = (P, B)>>(files: I) -> InMemory {
        let files: BTreeMap<String, Vec<u8>> = files
            .into_iter()
            .map(|(path, bytes)| (path.into(), bytes.into()))
            .collect();
        InMemory {
            listing: files.keys().cloned().collect(),
            files,
        }
    }
}

impl Files for InMemory {
    fn listing(&self) -> &[String] {
        &self.listing
    }

    fn read(&self, path: &str) -> Result<Option<Text>, String> {
        if path.split('/').any(|part| part == "..") || path.starts_with('/') {
            return Err(format!("{path} leads out of the folder"));
        }
        let Some(bytes) = self.files.get(path) else {
            return Ok(None);
        };
        Text::decode(bytes.clone())
            .map(Some)
            .map_err(|error| error.to_string())
    }
}
