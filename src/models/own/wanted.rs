//! From a name to the file that is fetched.

use super::error::{StoreError, StoreErrorKind};
use super::hub::{Hub, RemoteFile, Repository};
use crate::models::catalogue::{self, Entry};
use crate::models::file_name;

/// Quantizations that are taken if none is named, as llama.cpp does it.
const USUAL: [&str; 2] = ["Q4_K_M", "Q8_0"];

/// The most files that a message lists.
const SHOWN: usize = 12;

/// What is fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The publisher's repository.
    pub repository: String,
    /// The licence, as its publisher calls it.
    pub licence: Option<String>,
    /// The entry of the catalogue that it is.
    pub entry: Option<&'static Entry>,
    /// The file.
    pub file: RemoteFile,
}

/// What a name means: a short name of the catalogue, or `PUBLISHER/REPOSITORY[:FILE]`, where FILE
/// may also be a quantization. For the latter the hub is asked.
///
/// # Errors
/// [`StoreErrorKind::Reference`], [`StoreErrorKind::File`], [`StoreErrorKind::Split`], and what a request to
/// a hub may fail with.
pub async fn plan(hub: &Hub, name: &str) -> Result<Plan, StoreError> {
    if let Some(entry) = catalogue::entry(name) {
        let file = RemoteFile::new(&entry.file, entry.bytes, &entry.sha256);
        return Ok(Plan {
            repository: entry.repository.clone(),
            licence: Some(entry.licence.clone()),
            entry: Some(entry),
            file: file.expect("a test reads the catalogue"),
        });
    }

    let Some((repository, wanted)) = reference(name) else {
        let entries = catalogue::entries().iter();
        let names: Vec<&str> = entries.map(|entry| entry.name.as_str()).collect();
        let message = format!(
            "{name:?} is neither in the catalogue nor PUBLISHER/REPOSITORY[:FILE]; the catalogue \
             has {}",
            names.join(", ")
        );
        return Err(StoreError::new(StoreErrorKind::Reference, message));
    };
    let repository = hub.repository(repository).await?;
    let file = choose(&repository, wanted)?.clone();
    let mut entries = catalogue::entries().iter();
    Ok(Plan {
        entry: entries.find(|entry| entry.sha256 == file.sha256),
        repository: repository.name,
        licence: repository.licence,
        file,
    })
}

/// Takes `[hf.co/]PUBLISHER/REPOSITORY[:FILE]` apart.
fn reference(name: &str) -> Option<(&str, Option<&str>)> {
    let mut name = name.trim();
    for host in ["https://", "huggingface.co/", "hf.co/"] {
        name = name.strip_prefix(host).unwrap_or(name);
    }
    let (repository, wanted) = match name.split_once(':') {
        Some((repository, wanted)) => (repository, Some(wanted)),
        None => (name, None),
    };
    let (publisher, title) = repository.split_once('/')?;
    let is_whole = is_name(publisher) && is_name(title) && wanted != Some("");
    is_whole.then_some((repository, wanted))
}

/// Whether a publisher or a repository may be called so.
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('.')
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

/// The file that is wanted: the one with this path, or the only one whose path has it as a part.
/// Without a wish it is the only model, or else the one with a usual quantization.
fn choose<'r>(
    repository: &'r Repository,
    wanted: Option<&str>,
) -> Result<&'r RemoteFile, StoreError> {
    let models: Vec<&RemoteFile> = repository.files.iter().filter(|f| is_model(f)).collect();
    let found = match wanted {
        Some(wanted) => with(&models, wanted),
        None if models.len() == 1 => models.clone(),
        None => {
            let mut usual = USUAL.iter().map(|usual| with(&models, usual));
            usual.find(|found| !found.is_empty()).unwrap_or_default()
        }
    };

    let name = &repository.name;
    if let Some(file) = found.iter().find(|file| is_part(file)) {
        let file = file.path();
        let message =
            format!("{file} of {name} is one of several parts, and only whole models are fetched");
        return Err(StoreError::new(StoreErrorKind::Split, message));
    }
    let problem = match (found.as_slice(), wanted) {
        (&[file], _) => return Ok(file),
        _ if models.is_empty() => "has no GGUF file".to_owned(),
        ([], Some(wanted)) => format!("has no file {wanted:?}"),
        (_, Some(wanted)) => format!("has several files for {wanted:?}"),
        (_, None) => "has several models".to_owned(),
    };
    let paths: Vec<&str> = models.iter().take(SHOWN).map(|file| file.path()).collect();
    let more = if models.len() > SHOWN { ", …" } else { "" };
    let message = format!(
        "{name} {problem}; its files are: {}{more}",
        paths.join(", ")
    );
    Err(StoreError::new(StoreErrorKind::File, message))
}

/// The file with this path, or else those whose path has it as a part.
fn with<'r>(files: &[&'r RemoteFile], wanted: &str) -> Vec<&'r RemoteFile> {
    if let Some(file) = files.iter().find(|file| file.path() == wanted) {
        return vec![file];
    }
    let wanted = wanted.to_lowercase();
    let mut found = files.to_vec();
    found.retain(|file| file.path().to_lowercase().contains(&wanted));
    found
}

fn is_model(file: &RemoteFile) -> bool {
    file_name::stem(file.name()).is_some() && file_name::no_model(file.name()).is_none()
}

fn is_part(file: &RemoteFile) -> bool {
    file_name::stem(file.name()).is_some_and(|stem| file_name::part(stem).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository(files: &[&str]) -> Repository {
        Repository {
            name: "a/b".to_owned(),
            licence: None,
            files: files
                .iter()
                .filter_map(|path| RemoteFile::new(path, 7, ""))
                .collect(),
        }
    }

    #[test]
    fn names_are_taken_apart() {
        for (name, expected) in [
            ("Qwen/Q-GGUF", Some(("Qwen/Q-GGUF", None))),
            ("hf.co/a/b:q8_0", Some(("a/b", Some("q8_0")))),
            ("https://huggingface.co/a/b", Some(("a/b", None))),
            ("a/b:d/c.gguf", Some(("a/b", Some("d/c.gguf")))),
            ("qwen", None),
            ("a/b/c", None),
            ("../b", None),
            ("a/b:", None),
            ("a/b c", None),
        ] {
            assert_eq!(reference(name), expected, "{name}");
        }
    }

    #[test]
    fn the_usual_file_is_chosen_or_the_named_one() {
        let repository = repository(&[
            "README.md",
            "m-Q8_0.gguf",
            "m-q4_k_m.gguf",
            "mmproj-m-Q8_0.gguf",
            "f16/m-BF16.gguf",
            "f16/m-F16.gguf",
        ]);
        for (wanted, chosen) in [
            (None, "m-q4_k_m.gguf"),
            (Some("q8_0"), "m-Q8_0.gguf"),
            (Some("M-q8_0.gguf"), "m-Q8_0.gguf"),
            (Some("bf16"), "f16/m-BF16.gguf"),
            (Some("f16/m-F16.gguf"), "f16/m-F16.gguf"),
        ] {
            let file = choose(&repository, wanted).unwrap();
            assert_eq!(file.path(), chosen, "{wanted:?}");
        }
    }

    #[test]
    fn nothing_is_chosen_where_none_or_several_may_be_meant() {
        let two = ["m-Q2_K.gguf", "m-Q3_K.gguf"];
        let parts = [
            "q/m-Q8_0-00002-of-00002.gguf",
            "q/m-Q8_0-00001-of-00002.gguf",
        ];
        for (files, wanted, message) in [
            (two, None, "a/b has several models; its files are: m-Q2_K"),
            (two, Some("Q4"), "a/b has no file \"Q4\"; its files are: m-"),
            (two, Some("_k"), "a/b has several files for \"_k\""),
            (["a.safetensors", "README.md"], None, "a/b has no GGUF file"),
            (parts, None, "q/m-Q8_0-00002-of-00002.gguf of a/b is one of"),
            (parts, Some(parts[1]), "q/m-Q8_0-00001-of-00002.gguf of a/b"),
        ] {
            let error = choose(&repository(&files), wanted).unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }
}
