//! Files that a patch is applied to, in memory.

use slotwright::apply::Files;
use slotwright::text::Text;
use std::collections::BTreeMap;

/// Paths and bytes.
pub struct InMemory {
    pub files: BTreeMap<String, Vec<u8>>,
    pub listing: Vec<String>,
}

impl InMemory {
    pub fn new(files: BTreeMap<String, Vec<u8>>) -> InMemory {
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
        let decode =
            |bytes: &Vec<u8>| Text::decode(bytes.clone()).map_err(|error| error.to_string());
        self.files.get(path).map(decode).transpose()
    }
}
