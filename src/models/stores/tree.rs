//! A folder with GGUF files: `PUBLISHER/REPOSITORY/FILE.gguf`, or files as they lie.

use super::stock::{Found, Stock};
use crate::models::file_name;
use crate::models::model_folders::Store;
use crate::models::unusable::Unusable;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

/// How deep a folder is looked through.
const MAX_DEPTH: usize = 5;

/// The most entries that are looked at below one folder. It may be a person's whole home.
const MAX_ENTRIES: usize = 20_000;

/// Finds the models below a folder. They are called by the folders above them.
pub(super) fn read(store: Store, root: &Path, stock: &mut Stock) {
    // The cache of older versions of llama.cpp is flat, and may hold a hub cache, too.
    let depth = if store == Store::LlamaCpp {
        0
    } else {
        MAX_DEPTH
    };
    let files = files(store, root, depth, stock);
    let mut models = models(store, files);
    name_all(&mut models, |path| {
        in_folders(path.strip_prefix(root).unwrap_or(path))
    });
    stock.found.extend(models);
}

/// A GGUF file, with its size. A link that leads nowhere has none.
pub(super) type File = (PathBuf, Option<u64>);

/// The GGUF files below a folder, in order.
pub(super) fn files(store: Store, root: &Path, depth: usize, stock: &mut Stock) -> Vec<File> {
    let mut files = Vec::new();
    // The nearest first, so that a file that links lead to twice has its shorter path.
    let mut folders = VecDeque::from([(root.to_owned(), depth)]);
    let mut seen = HashSet::new();
    let mut n_entries = 0;
    while let Some((folder, depth)) = folders.pop_front() {
        let is_new = fs::canonicalize(&folder).map_or(true, |real| seen.insert(real));
        if !is_new {
            continue;
        }
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                stock.note(store, &folder, &error);
                continue;
            }
        };

        for entry in entries.flatten() {
            n_entries += 1;
            if n_entries > MAX_ENTRIES {
                let reason = format!("it has more than {MAX_ENTRIES} files and folders");
                stock.note_once(store, root, reason);
                return files;
            }
            let path = entry.path();
            let is_gguf = file_name::of(&path).and_then(file_name::stem).is_some();
            match fs::metadata(&path) {
                Ok(metadata) if metadata.is_dir() && depth > 0 => {
                    folders.push_back((path, depth - 1));
                }
                Ok(metadata) if metadata.is_file() && is_gguf => {
                    files.push((path, Some(metadata.len())));
                }
                Err(_) if is_gguf => files.push((path, None)),
                _ => {}
            }
        }
    }
    files.sort();
    files
}

/// Numbers and sizes of the parts of a split model.
type Parts = Vec<(u32, Option<u64>)>;

/// The models that files are, without names. The parts of split models are put together.
pub(super) fn models(store: Store, files: Vec<File>) -> Vec<Found> {
    // By folder, beginning of the name, and number of parts.
    let mut split: BTreeMap<(PathBuf, String, u32), Parts> = BTreeMap::new();
    let mut models = Vec::new();
    for (path, bytes) in files {
        let name = file_name::of(&path).unwrap_or_default();
        if let Some(part) = file_name::stem(name).and_then(file_name::part) {
            let folder = path.parent().unwrap_or(Path::new("")).to_owned();
            let key = (folder, part.base.to_owned(), part.n_parts);
            split.entry(key).or_default().push((part.number, bytes));
            continue;
        }
        let flaw = match bytes {
            None => Some(Unusable::FileMissing),
            Some(_) => file_name::no_model(name),
        };
        models.push(Found::unnamed(store, path, bytes.unwrap_or_default(), flaw));
    }

    for ((folder, base, n_parts), parts) in split {
        let whole = parts.iter().filter(|(_, bytes)| bytes.is_some());
        let here: HashSet<u32> = whole.map(|(number, _)| *number).collect();
        let missing = (1..=n_parts).find(|number| !here.contains(number));
        let flaw = match missing {
            Some(part) => Some(Unusable::PartMissing { part, n_parts }),
            None => file_name::no_model(&base),
        };
        let first = folder.join(file_name::part_name(&base, 1, n_parts));
        let bytes = parts.iter().filter_map(|(_, bytes)| *bytes).sum();
        models.push(Found::unnamed(store, first, bytes, flaw));
    }
    models
}

/// What the models of a folder are called.
pub(super) enum Name {
    /// This.
    Whole(String),
    /// This repository, which may have several files, and what tells them apart.
    Repository(String),
}

impl Name {
    fn with(self, tag: &str) -> String {
        match self {
            Name::Whole(name) => name,
            Name::Repository(repository) => format!("{repository}:{tag}"),
        }
    }
}

/// Gives models their names. `naming` says what the files at a path are called.
pub(super) fn name_all(models: &mut [Found], naming: impl Fn(&Path) -> Name) {
    let mut n_named: HashMap<String, usize> = HashMap::new();
    for model in &mut *models {
        let stem = stem(&model.path);
        let quantization = file_name::quantization(&stem).unwrap_or_else(|| stem.clone());
        // What lies beside a model must not take the name of its quantization.
        let tag = match model.flaw {
            Some(Unusable::VisionProjector | Unusable::ImportanceMatrix | Unusable::DraftHead) => {
                stem
            }
            _ => quantization,
        };
        model.name = naming(&model.path).with(&tag);
        *n_named.entry(model.name.clone()).or_default() += 1;
    }

    // Two files with the same quantization are told apart by their own names.
    for model in models {
        if n_named[&model.name] > 1 {
            model.name = naming(&model.path).with(&stem(&model.path));
        }
    }
}

/// By the folders above a file.
fn in_folders(path: &Path) -> Name {
    let folders: Vec<String> = path
        .parent()
        .into_iter()
        .flat_map(Path::components)
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    match folders.as_slice() {
        [] => Name::Whole(stem(path)),
        // Jan calls every file so, in a folder that has the model's name.
        folders if stem(path) == "model" => Name::Whole(folders.join("/")),
        [folder] => Name::Whole(format!("{folder}/{}", stem(path))),
        [publisher, repository, ..] => Name::Repository(format!("{publisher}/{repository}")),
    }
}

fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    file_name::whole(file_name::stem(&name).unwrap_or(&name)).to_owned()
}
