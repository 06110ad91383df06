//! The hub cache of Hugging Face: `models--ORG--NAME/refs/main` names a commit, and
//! `snapshots/COMMIT/…` has links into `blobs/`, where a file's name is its SHA-256.

use super::stock::{Found, Stock, is_sha256};
use super::tree::{self, Name};
use crate::models::file_name;
use crate::models::model_folders::Store;
use crate::models::unusable::Unusable;
use std::fs;
use std::path::{Path, PathBuf};

/// Quantizations may be in folders of their own.
const MAX_DEPTH: usize = 2;

/// Finds the models of a cache.
pub(super) fn read(cache: &Path, stock: &mut Stock) {
    let entries = match fs::read_dir(cache) {
        Ok(entries) => entries,
        Err(error) => return stock.note(Store::Hub, cache, &error),
    };
    let mut repositories = Vec::new();
    for entry in entries.flatten() {
        let name = entry.file_name();
        if let Some(name) = name.to_str().and_then(|name| name.strip_prefix("models--")) {
            repositories.push((entry.path(), name.replacen("--", "/", 1)));
        }
    }
    repositories.sort();

    for (folder, repository) in repositories {
        let Some(snapshot) = snapshot(&folder, stock) else {
            continue;
        };
        let files = tree::files(Store::Hub, &snapshot, MAX_DEPTH, stock);
        if files.is_empty() && has_safetensors(&snapshot) {
            let flaw = Some(Unusable::Safetensors);
            stock.found.push(Found {
                name: repository,
                ..Found::unnamed(Store::Hub, snapshot, 0, flaw)
            });
            continue;
        }

        let mut models = tree::models(Store::Hub, files);
        tree::name_all(&mut models, |_| Name::Repository(repository.clone()));
        for model in &mut models {
            model.sha256 = sha256(&model.path);
        }
        stock.found.extend(models);
    }
}

/// The snapshot that `refs/main` names, or else the only one.
fn snapshot(repository: &Path, stock: &mut Stock) -> Option<PathBuf> {
    let snapshots = repository.join("snapshots");
    if let Ok(commit) = fs::read_to_string(repository.join("refs/main")) {
        // A commit goes into a path, so it must not lead elsewhere.
        let commit = commit.trim();
        let is_name = !commit.is_empty() && commit.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let folder = snapshots.join(commit);
        if is_name && folder.is_dir() {
            return Some(folder);
        }
    }

    match fs::read_dir(&snapshots) {
        Ok(entries) => {
            // Fetched by commit, or by another branch: any of them is what the person has.
            let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            folders.sort();
            folders.pop()
        }
        Err(error) => {
            stock.note(Store::Hub, &snapshots, &error);
            None
        }
    }
}

/// The name of the blob that a file is a link to.
fn sha256(path: &Path) -> Option<String> {
    let target = fs::read_link(path).ok()?;
    let name = file_name::of(&target)?;
    is_sha256(name).then(|| name.to_ascii_lowercase())
}

fn has_safetensors(snapshot: &Path) -> bool {
    let entries = fs::read_dir(snapshot).into_iter().flatten().flatten();
    let mut names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.any(|name| name.ends_with(".safetensors"))
}
