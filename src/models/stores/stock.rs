//! What was found in the stores so far.

use crate::models::model_folders::Store;
use crate::models::unusable::Unusable;
use schemars::JsonSchema;
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};

/// A model as its store has it.
#[derive(Debug)]
pub(in crate::models) struct Found {
    pub store: Store,
    /// As people who use the store call it.
    pub name: String,
    /// The file, or the first part of it.
    pub path: PathBuf,
    /// Of all parts together.
    pub bytes: u64,
    /// SHA-256 in hexadecimal, if the store names its files by it.
    pub sha256: Option<String>,
    /// What is known to be wrong with it without opening it.
    pub flaw: Option<Unusable>,
}

impl Found {
    pub fn unnamed(store: Store, path: PathBuf, bytes: u64, flaw: Option<Unusable>) -> Found {
        Found {
            store,
            name: String::new(),
            path,
            bytes,
            sha256: None,
            flaw,
        }
    }
}

/// A store, or a part of it, that could not be read.
#[derive(Clone, Debug, thiserror::Error, Serialize, JsonSchema)]
#[error("{store}: cannot look for models in {path}: {reason}")]
pub struct Unread {
    /// Whose it is.
    pub store: String,
    /// The folder or file.
    pub path: String,
    /// Why not.
    pub reason: String,
}

/// All that is in the stores, in the order of [`Store`].
#[derive(Debug, Default)]
pub(in crate::models) struct Stock {
    pub found: Vec<Found>,
    pub unread: Vec<Unread>,
}

impl Stock {
    /// Notes what could not be read: once for each folder of a store, since one line is enough.
    /// What is not there is no failure.
    pub fn note(&mut self, store: Store, path: &Path, error: &io::Error) {
        if matches!(
            error.kind(),
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
        ) {
            return;
        }
        self.note_once(store, path, error.to_string());
    }

    pub fn note_once(&mut self, store: Store, path: &Path, reason: String) {
        let is_noted = self
            .unread
            .iter()
            .any(|unread| unread.store == store.name() && path.starts_with(&unread.path));
        if !is_noted {
            self.unread.push(Unread {
                store: store.name().to_owned(),
                path: path.to_string_lossy().into_owned(),
                reason,
            });
        }
    }
}

/// 64 hexadecimal digits.
pub(super) fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
