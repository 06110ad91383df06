//! A folder with GGUF files: `PUBLISHER/REPOSITORY/FILE.gguf`, or files as they lie.

use super::stock::{Found, Stock};
use crate::models::file_name;
use crate::models::places::Store;
use crate::models::unusable::Unusable;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

/// How deep a folder is looked through.
const MAX_DEPTH: usize = 5;

/// The most entries that are looked at below one folder. Somebody may have named their home.
const MAX_ENTRIES: usize = 20_000;

/// What the models of a folder are called by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// The folders above a file: publisher and repository.
    Path,
    /// The file's name, which has publisher and repository in it: `USER_REPOSITORY_FILE.gguf`.
    Flat,
}

/// Finds the models below a folder.
pub(super) fn read(store: Store, root: &Path, naming: Naming, stock: &mut Stock) {
    let depth = if naming == Naming::Flat { 0 } else { MAX_DEPTH };
    let files = files(store, root, depth, stock);
    let models = models(files, |_| None);
    stock.found.extend(named(
        models,
        |path| match naming {
            Naming::Path => in_folders(path.strip_prefix(root).unwrap_or(path)),
            Naming::Flat => flat(path),
        },
        store,
    ));
}

/// A GGUF file, with its size. A link that leads nowhere has none.
pub(super) type File = (PathBuf, Option<u64>);

/// The GGUF files below a folder, in order.
pub(super) fn files(store: Store, root: &Path, depth: usize, stock: &mut Stock) -> Vec<File> {
    let mut files = Vec::new();
    // The nearest first, so that a file that links lead to twice has its shorter path.
    let mut folders = VecDeque::from([(root.to_owned(), depth)]);
    let mut seen = HashSet::new();
    let mut n_left = MAX_ENTRIES;
    while let Some((folder, depth)) = folders.pop_front() {
        if let Ok(real) = fs::canonicalize(&folder)
            && !seen.insert(real)
        {
            continue;
        }
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                stock.note(store, &folder, &error);
                continue;
            }
        };
        for entry in entries {
            if n_left == 0 {
                let reason = format!("it has more than {MAX_ENTRIES} files and folders");
                stock.note_once(store, root, reason);
                return files;
            }
            n_left -= 1;
            let path = match entry {
                Ok(entry) => entry.path(),
                Err(error) => {
                    stock.note(store, &folder, &error);
                    break;
                }
            };
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

/// A model of one file or of several parts, without a name.
pub(super) struct Unnamed {
    path: PathBuf,
    bytes: u64,
    sha256: Option<String>,
    flaw: Option<Unusable>,
}

/// Puts the parts of split models together. `sha256` gives the hash of a file, if it is known.
pub(super) fn models(files: Vec<File>, sha256: impl Fn(&Path) -> Option<String>) -> Vec<Unnamed> {
    // By folder, beginning of the name, and number of parts.
    let mut split: BTreeMap<(PathBuf, String, u32), Vec<(u32, File)>> = BTreeMap::new();
    let mut models = Vec::new();
    for (path, bytes) in files {
        let name = file_name::of(&path).unwrap_or_default().to_owned();
        let part = file_name::stem(&name).and_then(file_name::part);
        if let Some(part) = part {
            let folder = path.parent().unwrap_or(Path::new("")).to_owned();
            let key = (folder, part.base.to_owned(), part.n_parts);
            split
                .entry(key)
                .or_default()
                .push((part.number, (path, bytes)));
            continue;
        }
        let flaw = match bytes {
            None => Some(Unusable::FileMissing),
            Some(_) => file_name::no_model(&name),
        };
        models.push(Unnamed {
            sha256: sha256(&path),
            path,
            bytes: bytes.unwrap_or_default(),
            flaw,
        });
    }
    for ((folder, base, n_parts), parts) in split {
        let has = |number: u32| {
            parts
                .iter()
                .any(|(n, (_, bytes))| *n == number && bytes.is_some())
        };
        let flaw = (1..=n_parts)
            .find(|&number| !has(number))
            .map(|part| Unusable::PartMissing { part, n_parts })
            .or_else(|| file_name::no_model(&base));
        let first = file_name::Part {
            base: &base,
            number: 1,
            n_parts,
        };
        models.push(Unnamed {
            path: folder.join(file_name::other_part(first, 1)),
            bytes: parts.iter().filter_map(|(_, (_, bytes))| *bytes).sum(),
            // That of one part says nothing of the whole.
            sha256: None,
            flaw,
        });
    }
    models
}

/// Gives models their names. `naming` says what the file at a path is called.
pub(super) fn named(
    models: Vec<Unnamed>,
    naming: impl Fn(&Path) -> Name,
    store: Store,
) -> Vec<Found> {
    let tagged = |path: &Path, is_by_file: bool| match naming(path) {
        Name::Whole(name) => name,
        Name::Repository(repository) => {
            let stem = stem(path);
            let tag = file_name::quantization(&stem)
                .filter(|_| !is_by_file)
                .unwrap_or(stem);
            format!("{repository}:{tag}")
        }
    };
    // What lies beside a model must not take the name of its quantization.
    let is_beside = |model: &Unnamed| {
        use Unusable::{DraftHead, ImportanceMatrix, VisionProjector};
        matches!(
            model.flaw,
            Some(VisionProjector | ImportanceMatrix | DraftHead)
        )
    };
    let mut n_named: BTreeMap<String, usize> = BTreeMap::new();
    for model in &models {
        *n_named
            .entry(tagged(&model.path, is_beside(model)))
            .or_default() += 1;
    }
    let found = models.into_iter().map(|model| {
        // Two files with the same quantization are told apart by their own names.
        let mut name = tagged(&model.path, is_beside(&model));
        if n_named[&name] > 1 {
            name = tagged(&model.path, true);
        }
        let Unnamed {
            path,
            bytes,
            sha256,
            flaw,
        } = model;
        Found {
            store,
            name,
            path,
            bytes,
            sha256,
            flaw,
        }
    });
    found.collect()
}

/// What a model is called.
pub(super) enum Name {
    /// This.
    Whole(String),
    /// A repository, which may have several files.
    Repository(String),
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

/// By the name of a file in llama.cpp's flat cache. The end of the repository cannot be told for
/// certain; that of most ends in GGUF.
fn flat(path: &Path) -> Name {
    let stem = stem(path);
    let parts = stem.split_once('_').and_then(|(user, rest)| {
        let end = rest
            .to_ascii_lowercase()
            .rfind("gguf_")
            .map(|at| at + "gguf".len());
        let at = end.or_else(|| rest.find('_'))?;
        Some(format!("{user}/{}", &rest[..at]))
    });
    match parts {
        Some(repository) => Name::Repository(repository),
        None => Name::Whole(stem),
    }
}

fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    file_name::whole(file_name::stem(&name).unwrap_or(&name)).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_names_have_a_publisher_and_a_repository() {
        for (file, name) in [
            (
                "ggml-org_Qwen2.5-Coder-1.5B-Q8_0-GGUF_qwen2.5-coder-1.5b-q8_0.gguf",
                "ggml-org/Qwen2.5-Coder-1.5B-Q8_0-GGUF:Q8_0",
            ),
            ("user_repo_model-q4_0.gguf", "user/repo:Q4_0"),
            ("model.gguf", "model"),
        ] {
            let model = Unnamed {
                path: PathBuf::from(file),
                bytes: 1,
                sha256: None,
                flaw: None,
            };
            let found = named(vec![model], flat, Store::LlamaCpp);
            assert_eq!(found[0].name, name);
        }
    }
}
