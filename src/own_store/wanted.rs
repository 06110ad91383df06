//! From a name to the files that are fetched.

use super::error::StoreError;
use super::hub::Hub;
use super::repository::{self, RemoteFile, Repository};
use super::transfer::Client;
use crate::models::catalogue::{self, Entry};
use crate::models::file_name::{self, Part};

/// Quantizations that are taken if none is named, as llama.cpp does it.
const USUAL: [&str; 2] = ["Q4_K_M", "Q8_0"];

/// What is fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The publisher's repository.
    pub repository: String,
    /// The licence, as its publisher calls it.
    pub licence: Option<String>,
    /// The entry of the catalogue that it is.
    pub entry: Option<&'static Entry>,
    /// The file, or all its parts in order.
    pub files: Vec<RemoteFile>,
}

impl Plan {
    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    fn of_entry(entry: &'static Entry) -> Plan {
        let file = RemoteFile::new(entry.file.clone(), entry.bytes, Some(entry.sha256.clone()));
        Plan {
            repository: entry.repository.clone(),
            licence: Some(entry.licence.clone()),
            entry: Some(entry),
            files: vec![file.expect("a test reads it")],
        }
    }
}

/// What a name means: a short name of the catalogue, or `PUBLISHER/REPOSITORY[:FILE]`, where FILE
/// may also be a quantization. For the latter the hub is asked.
///
/// # Errors
/// [`StoreError::Reference`], [`StoreError::File`], and what a hub may fail with.
pub async fn plan(hub: &Hub, name: &str) -> Result<Plan, StoreError> {
    if let Some(entry) = catalogue::entry(name) {
        return Ok(Plan::of_entry(entry));
    }
    let (repository, wanted) = reference(name).ok_or_else(|| StoreError::Reference {
        name: name.to_owned(),
    })?;
    let client = Client::new(hub)?;
    let repository = repository::ask(&client, repository).await?;
    choose(&repository, wanted)
}

/// Takes `[hf.co/]PUBLISHER/REPOSITORY[:FILE]` apart.
fn reference(name: &str) -> Option<(&str, Option<&str>)> {
    let name = name.trim();
    let hosts = [
        "https://huggingface.co/",
        "huggingface.co/",
        "https://hf.co/",
        "hf.co/",
    ];
    let name = hosts
        .iter()
        .find_map(|host| name.strip_prefix(host))
        .unwrap_or(name);
    let (repository, wanted) = match name.split_once(':') {
        Some((repository, wanted)) => (repository, Some(wanted)),
        None => (name, None),
    };
    let is_part = |part: &str| {
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        !part.is_empty() && !part.starts_with('.') && part.chars().all(is_allowed)
    };
    let (publisher, repository_name) = repository.split_once('/')?;
    let is_whole = is_part(publisher) && is_part(repository_name) && wanted != Some("");
    is_whole.then_some((repository, wanted))
}

/// A model in a repository: its only file, or its first part.
struct Candidate<'f> {
    file: &'f RemoteFile,
    stem: &'f str,
    part: Option<Part<'f>>,
}

fn choose(repository: &Repository, wanted: Option<&str>) -> Result<Plan, StoreError> {
    let candidates: Vec<Candidate> = repository.files.iter().filter_map(candidate).collect();
    let problem = |problem: String| StoreError::File {
        repository: repository.name.clone(),
        problem,
        files: candidates
            .iter()
            .map(|candidate| candidate.file.path().to_owned())
            .collect(),
    };
    if candidates.is_empty() {
        return Err(problem("has no GGUF file".to_owned()));
    }
    let with = |is_it: &dyn Fn(&Candidate) -> bool| -> Vec<&Candidate> {
        candidates
            .iter()
            .filter(|candidate| is_it(candidate))
            .collect()
    };
    let of_quantization = |wanted: &str| {
        with(&|candidate| {
            let quantization = file_name::quantization(candidate.stem);
            quantization.is_some_and(|own| own.eq_ignore_ascii_case(wanted))
        })
    };
    let found = match wanted {
        None if candidates.len() == 1 => with(&|_| true),
        None => USUAL
            .iter()
            .map(|usual| of_quantization(usual))
            .find(|found| !found.is_empty())
            .unwrap_or_default(),
        Some(wanted) => {
            let named = with(&|candidate| {
                [candidate.file.path(), candidate.file.name(), candidate.stem]
                    .iter()
                    .any(|own| own.eq_ignore_ascii_case(wanted))
            });
            if named.is_empty() {
                of_quantization(wanted)
            } else {
                named
            }
        }
    };
    let chosen = match (found.as_slice(), wanted) {
        ([chosen], _) => chosen,
        ([], Some(wanted)) => return Err(problem(format!("has no file {wanted:?}"))),
        (_, Some(wanted)) => return Err(problem(format!("has several files for {wanted:?}"))),
        (_, None) => return Err(problem("has several files".to_owned())),
    };
    let files = match chosen.part {
        None => vec![chosen.file.clone()],
        Some(part) => {
            let other = |number: u32| {
                let name = file_name::other_part(part, number);
                let folder = chosen
                    .file
                    .path()
                    .strip_suffix(chosen.file.name())
                    .unwrap_or_default();
                let path = format!("{folder}{name}");
                let mut files = repository.files.iter();
                files
                    .find(|file| file.path().eq_ignore_ascii_case(&path))
                    .cloned()
                    .ok_or_else(|| problem(format!("lacks a part: {path}")))
            };
            (1..=part.n_parts).map(other).collect::<Result<_, _>>()?
        }
    };
    let sum = chosen.file.sha256.as_deref();
    let entry = catalogue::entries()
        .iter()
        .find(|entry| Some(entry.sha256.as_str()) == sum);
    Ok(Plan {
        repository: repository.name.clone(),
        licence: repository.licence.clone(),
        entry,
        files,
    })
}

/// The model that a file begins, if it is one.
fn candidate(file: &RemoteFile) -> Option<Candidate<'_>> {
    let stem = file_name::stem(file.name())?;
    if file_name::no_model(file.name()).is_some() {
        return None;
    }
    let part = file_name::part(stem);
    let is_first = part.is_none_or(|part| part.number == 1);
    is_first.then_some(Candidate {
        file,
        stem: file_name::whole(stem),
        part,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository(files: &[&str]) -> Repository {
        let file = |path: &&str| RemoteFile::new((*path).to_owned(), 7, None);
        Repository {
            name: "a/b".to_owned(),
            licence: None,
            files: files.iter().filter_map(file).collect(),
        }
    }

    fn paths(plan: Plan) -> Vec<String> {
        plan.files
            .iter()
            .map(|file| file.path().to_owned())
            .collect()
    }

    #[test]
    fn names_are_taken_apart() {
        for (name, expected) in [
            ("Qwen/Q-GGUF", Some(("Qwen/Q-GGUF", None))),
            (
                "hf.co/Qwen/Q-GGUF:q8_0",
                Some(("Qwen/Q-GGUF", Some("q8_0"))),
            ),
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
        let files = [
            "README.md",
            "m-Q8_0.gguf",
            "m-q4_k_m.gguf",
            "mmproj-m-Q8_0.gguf",
            "f16/m-F16.gguf",
        ];
        let repository = repository(&files);
        for (wanted, chosen) in [
            (None, "m-q4_k_m.gguf"),
            (Some("Q8_0"), "m-Q8_0.gguf"),
            (Some("M-q8_0.gguf"), "m-Q8_0.gguf"),
            (Some("m-q8_0"), "m-Q8_0.gguf"),
            (Some("f16"), "f16/m-F16.gguf"),
            (Some("f16/m-F16.gguf"), "f16/m-F16.gguf"),
        ] {
            assert_eq!(
                paths(choose(&repository, wanted).unwrap()),
                [chosen],
                "{wanted:?}"
            );
        }
        let error = choose(&repository, Some("Q2_K")).unwrap_err();
        let StoreError::File { files, .. } = &error else {
            panic!("{error}")
        };
        assert_eq!(error.to_string(), "a/b has no file \"Q2_K\"");
        assert_eq!(files, &["m-Q8_0.gguf", "m-q4_k_m.gguf", "f16/m-F16.gguf"]);
    }

    #[test]
    fn nothing_is_chosen_where_several_may_be_meant() {
        let two = repository(&["m-Q2_K.gguf", "m-Q3_K.gguf"]);
        assert_eq!(
            choose(&two, None).unwrap_err().to_string(),
            "a/b has several files"
        );
        let twins = repository(&["m-Q8_0.gguf", "n-Q8_0.gguf"]);
        let error = choose(&twins, Some("q8_0")).unwrap_err().to_string();
        assert_eq!(error, "a/b has several files for \"q8_0\"");
        let none = repository(&["model.safetensors"]);
        assert_eq!(
            choose(&none, None).unwrap_err().to_string(),
            "a/b has no GGUF file"
        );
    }

    #[test]
    fn all_parts_of_a_split_model_are_taken() {
        let parts = [
            "q/m-Q8_0-00002-of-00002.gguf",
            "q/m-Q8_0-00001-of-00002.gguf",
        ];
        let plan = choose(&repository(&parts), None).unwrap();
        assert_eq!(plan.bytes(), 14);
        assert_eq!(paths(plan), [parts[1], parts[0]]);
        let error = choose(&repository(&parts[1..]), None)
            .unwrap_err()
            .to_string();
        assert_eq!(error, "a/b lacks a part: q/m-Q8_0-00002-of-00002.gguf");
    }
}
