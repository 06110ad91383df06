//! Ollama: `manifests/HOST/NAMESPACE/MODEL/TAG` names the layers of a model, and `blobs/sha256-X`
//! are the layers.

use super::stock::{Found, Stock, is_sha256};
use crate::models::model_folders::Store;
use crate::models::unusable::Unusable;
use serde::Deserialize;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The longest manifest that is read, in bytes. Usual ones have one or two thousand.
const MAX_MANIFEST: u64 = 1 << 20;

/// The most entries of one folder of manifests that are looked at.
const MAX_ENTRIES: usize = 10_000;

/// What a name without host, namespace and tag means.
const HOST: &str = "registry.ollama.ai";
const NAMESPACE: &str = "library";

#[derive(Deserialize)]
struct Manifest {
    /// `None` for a model that runs on Ollama's servers.
    layers: Option<Vec<Layer>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Layer {
    #[serde(default)]
    media_type: String,
    #[serde(default)]
    digest: String,
}

/// Reads the manifests below a root.
pub(super) fn read(root: &Path, stock: &mut Stock) {
    // HOST/NAMESPACE/MODEL/TAG
    const DEPTH: usize = 4;
    let mut level = vec![(root.join("manifests"), Vec::new())];
    for _ in 0..DEPTH {
        let mut below = Vec::new();
        for (folder, names) in level {
            match entries(&folder) {
                Ok(found) => below.extend(found.into_iter().map(|(path, name)| {
                    let names: Vec<String> = names.iter().cloned().chain([name]).collect();
                    (path, names)
                })),
                Err(error) => stock.note(Store::Ollama, &folder, &error),
            }
        }
        level = below;
    }

    for (path, names) in level {
        stock.found.push(model(root, &path, &names));
    }
}

/// Paths and names of what is in a folder, in order. Hidden files are no manifests.
fn entries(folder: &Path) -> io::Result<Vec<(PathBuf, String)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)?.take(MAX_ENTRIES) {
        let entry = entry?;
        match entry.file_name().into_string() {
            Ok(name) if !name.starts_with('.') => found.push((entry.path(), name)),
            _ => {}
        }
    }
    found.sort();
    Ok(found)
}

/// A model by its manifest. `names`: host, namespace, model, tag.
fn model(root: &Path, manifest: &Path, names: &[String]) -> Found {
    let mut found = Found::unnamed(Store::Ollama, manifest.to_owned(), 0, None);
    found.name = shown(names);
    match digest(manifest) {
        Err(flaw) => found.flaw = Some(flaw),
        Ok(digest) => {
            found.path = root.join("blobs").join(format!("sha256-{digest}"));
            match fs::metadata(&found.path) {
                Ok(metadata) if metadata.is_file() => found.bytes = metadata.len(),
                _ => found.flaw = Some(Unusable::FileMissing),
            }
            found.sha256 = Some(digest);
        }
    }
    found
}

/// The name as `ollama list` has it.
fn shown(names: &[String]) -> String {
    match names {
        [host, namespace, model, tag] if host == HOST && namespace == NAMESPACE => {
            format!("{model}:{tag}")
        }
        [host, namespace, model, tag] if host == HOST => format!("{namespace}/{model}:{tag}"),
        [before @ .., tag] => format!("{}:{tag}", before.join("/")),
        [] => String::new(),
    }
}

/// The digest of the layer that is the model, in hexadecimal.
fn digest(manifest: &Path) -> Result<String, Unusable> {
    let mut bytes = Vec::new();
    fs::File::open(manifest)
        .and_then(|file| file.take(MAX_MANIFEST).read_to_end(&mut bytes))
        .map_err(|error| Unusable::Manifest(error.to_string()))?;
    let manifest: Manifest =
        serde_json::from_slice(&bytes).map_err(|error| Unusable::Manifest(error.to_string()))?;

    let layers = manifest.layers.unwrap_or_default();
    let Some(model) = layer(&layers, "model") else {
        return Err(match layer(&layers, "tensor") {
            Some(_) => Unusable::Safetensors,
            None => Unusable::Remote,
        });
    };
    if layer(&layers, "adapter").is_some() {
        return Err(Unusable::NeedsAdapter);
    }
    // A digest goes into a path, so it must be one.
    match model.digest.strip_prefix("sha256:") {
        Some(digest) if is_sha256(digest) => Ok(digest.to_ascii_lowercase()),
        _ => Err(Unusable::Manifest(
            "the digest of its model is none".to_owned(),
        )),
    }
}

fn layer<'l>(layers: &'l [Layer], kind: &str) -> Option<&'l Layer> {
    layers.iter().find(|layer| {
        let prefix = "application/vnd.ollama.image.";
        layer.media_type.strip_prefix(prefix) == Some(kind)
    })
}
