//! The models that were measured, with what is needed to fetch them: `models/catalogue.toml`.

use serde::Deserialize;
use std::sync::LazyLock;

/// A model of the catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its short name.
    pub name: String,
    /// The publisher's repository at Hugging Face.
    pub repository: String,
    /// The file in it.
    pub file: String,
    /// The size of the file.
    pub bytes: u64,
    /// The hash of the file, in hexadecimal.
    pub sha256: String,
    /// The licence, as SPDX names it.
    pub licence: String,
    /// Percent of 255 small tasks that it gets right, with our adapter where it has one; `None` if it
    /// was not measured.
    pub right: Option<u8>,
    /// Percent of 60 of them without an adapter.
    pub right_alone: Option<u8>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Catalogue {
    model: Vec<Entry>,
}

static CATALOGUE: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let text = include_str!("../../models/catalogue.toml");
    toml::from_str::<Catalogue>(text)
        .expect("a test reads it")
        .model
});

/// All entries, the one that is recommended first.
pub fn entries() -> &'static [Entry] {
    &CATALOGUE
}

/// The entry with this short name. Upper and lower case are the same.
pub fn entry(name: &str) -> Option<&'static Entry> {
    entries()
        .iter()
        .find(|entry| entry.name.eq_ignore_ascii_case(name))
}

/// The entry of a model that names itself so, in any quantization: spaces and signs do not count.
pub(super) fn entry_named(name: &str) -> Option<&'static Entry> {
    entries().iter().find(|entry| {
        let repository = entry.repository.rsplit('/').next().unwrap_or_default();
        letters(repository.trim_end_matches("-GGUF")) == letters(name)
    })
}

/// The letters and digits of a model's name, in lower case: some write `Qwen2.5-Coder`, some
/// `Qwen2.5 Coder`.
pub(crate) fn letters(name: &str) -> String {
    name.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

/// The entry that a file is: by its hash if it is known, else by its name and size.
pub(super) fn entry_of(
    sha256: Option<&str>,
    file_name: Option<&str>,
    bytes: u64,
) -> Option<&'static Entry> {
    let file_name = file_name.unwrap_or_default();
    entries().iter().find(|entry| match sha256 {
        Some(sha256) => entry.sha256 == sha256,
        None => entry.bytes == bytes && file_name.eq_ignore_ascii_case(&entry.file),
    })
}

impl Entry {
    /// The command that fetches it.
    pub fn fetch_command(&self) -> String {
        format!("slotwright models pull {}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_whole() {
        assert!(entries().len() >= 2);
        for entry in entries() {
            let is_lower_hex = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
            assert_eq!(entry.sha256.len(), 64, "{}", entry.name);
            assert!(entry.sha256.bytes().all(is_lower_hex), "{}", entry.name);
            assert!(entry.file.ends_with(".gguf") && entry.repository.contains('/'));
            for right in [entry.right, entry.right_alone] {
                assert!(right.is_none_or(|right| right <= 100));
            }
            let name = entry.file.split("-q4").next().unwrap().replace('-', " ");
            assert_eq!(entry_named(&name), Some(entry));
        }
    }

    #[test]
    fn a_file_is_known_by_its_hash_or_by_name_and_size() {
        let first = &entries()[0];
        let by_hash = entry_of(Some(&first.sha256), None, 1);
        assert_eq!(by_hash, Some(first));
        assert_eq!(
            entry_of(Some(&"0".repeat(64)), Some(&first.file), first.bytes),
            None
        );
        let shouted = first.file.to_uppercase();
        assert_eq!(entry_of(None, Some(&shouted), first.bytes), Some(first));
        assert_eq!(entry_of(None, Some(&first.file), first.bytes - 1), None);
    }
}
