//! What a repository of a hub has.
//!
//! `/api/models/REPOSITORY?blobs=true` says it (<https://huggingface.co/docs/hub/api>).

use super::error::StoreError;
use super::transfer::{Client, Trouble};
use crate::http::safe;
use serde::Deserialize;

/// The most bytes that are read of what a hub says of a repository.
const MAX_BYTES: usize = 16 << 20;

/// What a repository has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repository {
    /// `PUBLISHER/NAME`.
    pub name: String,
    /// The licence, as its publisher calls it.
    pub licence: Option<String>,
    /// All its files.
    pub files: Vec<RemoteFile>,
}

/// A file of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteFile {
    /// Its path there. It is safe below a folder here.
    path: String,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256 in lower hexadecimal, if the publisher names it.
    pub sha256: Option<String>,
}

impl RemoteFile {
    /// A file, unless its path could lead out of a folder or be hidden in it.
    pub fn new(path: String, bytes: u64, sha256: Option<String>) -> Option<RemoteFile> {
        let is_name = |part: &str| {
            !part.is_empty()
                && !part.starts_with('.')
                && !part.contains(|c: char| c.is_control() || c == '\\' || c == ':')
        };
        path.split('/').all(is_name).then_some(RemoteFile {
            path,
            bytes,
            sha256,
        })
    }

    /// Its path in the repository, and in the folder for it here.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The last part of its path.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

/// Asks a hub what a repository has.
///
/// # Errors
/// Any [`StoreError`] of the network, [`StoreError::Missing`], [`StoreError::Denied`].
pub(super) async fn ask(client: &Client<'_>, name: &str) -> Result<Repository, StoreError> {
    let url = client.hub.description(name);
    let mut n_failed = 0;
    let body = loop {
        match client.body(&url, name, MAX_BYTES).await {
            Ok(body) => break body,
            Err(Trouble::Fatal(error)) => return Err(error),
            Err(Trouble::Passing { error, wait }) => {
                n_failed += 1;
                if !client.tries_again(n_failed, wait) {
                    return Err(error);
                }
                client.pause(n_failed, wait).await;
            }
        }
    };
    let described: Described =
        serde_json::from_slice(&body).map_err(|error| StoreError::NotAHub {
            address: client.hub.shown(),
            reason: error.to_string(),
        })?;
    Ok(described.repository(name))
}

/// What a hub says of a repository, as far as it matters here.
#[derive(Deserialize)]
struct Described {
    #[serde(default, rename = "cardData")]
    card: Option<Card>,
    #[serde(default)]
    tags: Vec<String>,
    siblings: Vec<Sibling>,
}

#[derive(Deserialize)]
struct Card {
    #[serde(default)]
    license: serde_json::Value,
}

#[derive(Deserialize)]
struct Sibling {
    rfilename: String,
    size: Option<u64>,
    lfs: Option<Lfs>,
}

#[derive(Deserialize)]
struct Lfs {
    sha256: Option<String>,
    size: Option<u64>,
}

impl Described {
    fn repository(self, name: &str) -> Repository {
        let of_card = self
            .card
            .and_then(|card| card.license.as_str().map(str::to_owned));
        let of_tags = || {
            let mut licences = self
                .tags
                .iter()
                .filter_map(|tag| tag.strip_prefix("license:"));
            licences.next().map(str::to_owned)
        };
        let licence = of_card.or_else(of_tags).map(|licence| safe(&licence));
        let files = self.siblings.into_iter().filter_map(|sibling| {
            let Sibling {
                rfilename,
                size,
                lfs,
            } = sibling;
            let lfs_size = lfs.as_ref().and_then(|lfs| lfs.size);
            let sha256 = lfs
                .and_then(|lfs| lfs.sha256)
                .map(|sum| sum.to_ascii_lowercase());
            let bytes = lfs_size.or(size)?;
            RemoteFile::new(rfilename, bytes, sha256)
        });
        Repository {
            name: name.to_owned(),
            licence,
            files: files.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_leads_elsewhere_is_no_file() {
        for path in [
            "../a.gguf",
            "/a.gguf",
            "a//b.gguf",
            ".a.gguf",
            "a\\b.gguf",
            "a\n.gguf",
            "c:a",
        ] {
            assert_eq!(RemoteFile::new(path.to_owned(), 1, None), None, "{path:?}");
        }
    }

    #[test]
    fn what_a_repository_has_is_read() {
        let body = r#"{
            "id": "a/b", "tags": ["gguf", "license:mit"], "gated": false,
            "siblings": [
                {"rfilename": "README.md", "size": 12},
                {"rfilename": "m-Q8_0.gguf", "size": 9, "lfs": {"sha256": "AB", "size": 9}},
                {"rfilename": "../m.gguf", "size": 9},
                {"rfilename": "unmeasured"}
            ]}"#;
        let repository = serde_json::from_str::<Described>(body)
            .unwrap()
            .repository("a/b");
        assert_eq!(repository.licence.as_deref(), Some("mit"));
        let files: Vec<_> = repository
            .files
            .iter()
            .map(|file| (file.path(), file.bytes))
            .collect();
        assert_eq!(files, [("README.md", 12), ("m-Q8_0.gguf", 9)]);
        assert_eq!(repository.files[1].sha256.as_deref(), Some("ab"));
        let card = r#"{"cardData": {"license": "apache-2.0"}, "siblings": []}"#;
        let repository = serde_json::from_str::<Described>(card)
            .unwrap()
            .repository("a/b");
        assert_eq!(repository.licence.as_deref(), Some("apache-2.0"));
    }
}
