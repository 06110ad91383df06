//! The models in each store: their names and files. No file of a model is opened here.
//!
//! A store that is not there has no models. One that cannot be read is an [`Unread`], and the
//! others are read all the same.

mod hub;
mod lm_studio;
mod ollama;
mod tree;

use super::places::{Places, Store};
use super::unusable::Unusable;
use std::io;
use std::path::{Path, PathBuf};

/// A model as its store has it.
#[derive(Debug)]
pub(super) struct Found {
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

/// A store, or a part of it, that could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: cannot look for models in {}: {reason}", store.name(), path.display())]
pub struct Unread {
    /// Whose it is.
    pub store: Store,
    /// The folder or file.
    pub path: PathBuf,
    /// Why not.
    pub reason: String,
}

/// All that is in the stores, in the order of [`Store`].
#[derive(Debug, Default)]
pub(super) struct Stock {
    pub found: Vec<Found>,
    pub unread: Vec<Unread>,
}

/// Looks through all stores.
pub(super) fn read(places: &Places) -> Stock {
    let mut stock = Stock::default();
    let mut trees: Vec<(Store, &Path)> = Vec::new();
    trees.extend(places.own.iter().map(|folder| (Store::Own, folder.as_path())));
    trees.extend(places.folders.iter().map(|folder| (Store::Folder, folder.as_path())));
    for (store, folder) in trees {
        tree::read(store, folder, tree::Naming::Path, &mut stock);
    }
    for root in &places.ollama {
        ollama::read(root, &mut stock);
    }
    for home in &places.lm_studio {
        let folder = lm_studio::folder(home, &mut stock);
        tree::read(Store::LmStudio, &folder, tree::Naming::Path, &mut stock);
    }
    for cache in &places.hubs {
        hub::read(cache, &mut stock);
    }
    for cache in &places.llama_cpp {
        tree::read(Store::LlamaCpp, cache, tree::Naming::Flat, &mut stock);
    }
    for folder in &places.jan {
        tree::read(Store::Jan, folder, tree::Naming::Path, &mut stock);
    }
    for folder in &places.gpt4all {
        tree::read(Store::Gpt4All, folder, tree::Naming::Path, &mut stock);
    }
    stock
}

impl Stock {
    /// Notes what could not be read: once for each folder of a store, since one line is enough.
    /// What is not there is no failure.
    fn note(&mut self, store: Store, path: &Path, error: &io::Error) {
        if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
            return;
        }
        self.note_once(store, path, error.to_string());
    }

    fn note_once(&mut self, store: Store, path: &Path, reason: String) {
        let is_noted = |unread: &Unread| unread.store == store && path.starts_with(&unread.path);
        if !self.unread.iter().any(is_noted) {
            self.unread.push(Unread { store, path: path.to_owned(), reason });
        }
    }
}

/// 64 hexadecimal digits.
fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
