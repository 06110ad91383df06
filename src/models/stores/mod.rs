//! The models in each store: their names and files. No file of a model is opened here.
//!
//! A store that is not there has no models. One that cannot be read is an [`Unread`], and the
//! others are read nevertheless.

mod hub;
mod lm_studio;
mod ollama;
mod stock;
mod tree;

pub use stock::Unread;
pub(super) use stock::{Found, Stock};

use super::model_folders::{ModelFolders, Store};

/// Looks through all stores.
pub(super) fn read(folders: &ModelFolders) -> Stock {
    let mut stock = Stock::default();
    for (store, folder) in &folders.0 {
        match store {
            Store::Ollama => ollama::read(folder, &mut stock),
            Store::Hub => hub::read(folder, &mut stock),
            Store::LmStudio => {
                let models = lm_studio::folder(folder, &mut stock);
                tree::read(*store, &models, &mut stock);
            }
            _ => tree::read(*store, folder, &mut stock),
        }
    }
    stock
}
