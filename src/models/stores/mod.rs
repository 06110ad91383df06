//! The models in each store: their names and files. No file of a model is opened here.
//!
//! A store that is not there has no models. One that cannot be read is an [`Unread`], and the
//! others are read all the same.

mod hub;
mod lm_studio;
mod ollama;
mod stock;
mod tree;

pub use stock::Unread;
pub(super) use stock::{Found, Stock};

use super::places::{Places, Store};
use std::path::Path;

/// Looks through all stores.
pub(super) fn read(places: &Places) -> Stock {
    let mut stock = Stock::default();
    let mut trees: Vec<(Store, &Path)> = Vec::new();
    trees.extend(
        places
            .own
            .iter()
            .map(|folder| (Store::Own, folder.as_path())),
    );
    trees.extend(
        places
            .folders
            .iter()
            .map(|folder| (Store::Folder, folder.as_path())),
    );
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
