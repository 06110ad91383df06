//! LM Studio: a home with `settings.json`, and a tree `PUBLISHER/REPOSITORY/FILE.gguf`.

use super::stock::Stock;
use crate::models::model_folders::Store;
use serde::Deserialize;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Settings {
    downloads_folder: Option<PathBuf>,
}

/// The folder with the models of a home.
pub(super) fn folder(home: &Path, stock: &mut Stock) -> PathBuf {
    let usual = home.join("models");
    let path = home.join("settings.json");
    let settings = match std::fs::read(&path) {
        Ok(settings) => settings,
        Err(error) => {
            stock.note(Store::LmStudio, &path, &error);
            return usual;
        }
    };

    match serde_json::from_slice::<Settings>(&settings) {
        Ok(settings) => settings
            .downloads_folder
            .filter(|f| f.is_absolute())
            .unwrap_or(usual),
        Err(error) => {
            stock.note_once(Store::LmStudio, &path, error.to_string());
            usual
        }
    }
}
