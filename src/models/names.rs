//! What a person may call a model.
//!
//! Tried in this order, in any case: its name (Ollama's, or `PUBLISHER/REPOSITORY[:QUANTIZATION]`),
//! its file's name, a short name of the catalogue, and a part of its name if only one model has it.
//! Paths and servers are not names; the command line tells them apart before.

use super::catalogue::{self, Entry};
use super::listing::{Flawed, Listing, Model};
use super::places::Store;

/// The most names that a message lists.
const SHOWN: usize = 6;

/// How much alike two names must be, from 0 to 1, for one to be meant by the other.
const ALIKE: f64 = 0.75;

/// Why a name names no model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// Several models have it in their names.
    #[error("{name:?} could be several: {}", listed(candidates))]
    Several {
        /// What was asked for.
        name: String,
        /// The models' names.
        candidates: Vec<String>,
    },
    /// The one that is meant cannot be used.
    #[error("{found} cannot be used: {reason}")]
    Unusable {
        /// The model's name.
        found: String,
        /// Why not.
        reason: String,
    },
    /// No model has it.
    #[error("no model on this machine is called {name:?}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The names that are most like it.
        nearest: Vec<String>,
        /// The entry of the catalogue that is meant, or most like it.
        entry: Option<&'static Entry>,
    },
}

fn listed(names: &[String]) -> String {
    let shown = names
        .iter()
        .take(SHOWN)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// A model, by one of its names.
#[derive(Clone, Copy, Debug)]
pub struct Called<'m> {
    /// The model.
    pub model: &'m Model,
    /// The name that is meant.
    pub name: &'m str,
}

impl Listing {
    /// The model that a person means by a name.
    ///
    /// # Errors
    /// [`NameError`].
    pub fn find(&self, name: &str) -> Result<Called<'_>, NameError> {
        let wanted = Wanted::of(name);
        let is_name = |model: &Model, store, name: &str| wanted.is_name_of(model, store, name);
        if let Some(found) = one(name, best_quantization(self.called(is_name), &wanted))? {
            return Ok(found);
        }
        let is_stem = |model: &Model, _, _: &str| {
            model
                .stem()
                .is_some_and(|stem| stem.eq_ignore_ascii_case(name))
        };
        if let Some(found) = one(name, self.called(is_stem))? {
            return Ok(found);
        }
        let entry = catalogue::entry(name);
        if let Some(entry) = entry {
            let is_entry = |model: &Model, _, _: &str| model.entry == Some(entry);
            if let Some(found) = one(name, self.called(is_entry))? {
                return Ok(found);
            }
        }
        let part = folded(&wanted.whole());
        let has_part = |text: &str| folded(text).contains(&part);
        let is_part =
            |model: &Model, _, name: &str| has_part(name) || model.stem().is_some_and(has_part);
        if !part.is_empty()
            && let Some(found) = one(name, self.called(is_part))?
        {
            return Ok(found);
        }
        Err(self.unknown(name, &part, entry))
    }

    /// The models that are meant, each by the first of its names that is.
    fn called(&self, is_meant: impl Fn(&Model, Store, &str) -> bool) -> Vec<Called<'_>> {
        let called = |model| {
            let mut names = Model::names(model);
            let (_, name) = names.find(|(store, name)| is_meant(model, *store, name))?;
            Some(Called { model, name })
        };
        self.models.iter().filter_map(called).collect()
    }

    fn unknown(&self, name: &str, part: &str, entry: Option<&'static Entry>) -> NameError {
        let has_part = |flawed: &&Flawed| !part.is_empty() && folded(&flawed.name).contains(part);
        if let Some(flawed) = self.flawed.iter().find(has_part) {
            let (found, reason) = (flawed.name.clone(), flawed.reason.to_string());
            return NameError::Unusable { found, reason };
        }
        // The publisher is rarely written, and must not make names differ.
        let alike = |other: &str| {
            let last = other.rsplit('/').next().unwrap_or(other);
            let likeness = |text: &str| strsim::jaro_winkler(part, &folded(text));
            likeness(other).max(likeness(last))
        };
        let mut nearest: Vec<(f64, &str)> = self
            .models
            .iter()
            .flat_map(Model::names)
            .map(|(_, name)| (alike(name), name))
            .filter(|(alike, _)| *alike >= ALIKE)
            .collect();
        nearest.sort_by(|a, b| b.0.total_cmp(&a.0));
        let nearest = nearest
            .into_iter()
            .take(3)
            .map(|(_, name)| name.to_owned())
            .collect();
        let entry = entry.or_else(|| {
            let entries = catalogue::entries()
                .iter()
                .map(|entry| (alike(&entry.name), entry));
            let best = entries.max_by(|a, b| a.0.total_cmp(&b.0))?;
            (best.0 >= ALIKE).then_some(best.1)
        });
        NameError::Unknown {
            name: name.to_owned(),
            nearest,
            entry,
        }
    }
}

/// The only model of several that are called so. Copies of one file are one.
fn one<'m>(name: &str, found: Vec<Called<'m>>) -> Result<Option<Called<'m>>, NameError> {
    let Some(&first) = found.first() else {
        return Ok(None);
    };
    let file = |called: &Called<'m>| (called.model.bytes, &called.model.header.name);
    if found.iter().all(|called| file(called) == file(&first)) {
        return Ok(Some(first));
    }
    let candidates = found.iter().map(|called| called.name.to_owned()).collect();
    Err(NameError::Several {
        name: name.to_owned(),
        candidates,
    })
}

/// Of the quantizations in a repository the one that llama.cpp would take, if none was named.
fn best_quantization<'m>(found: Vec<Called<'m>>, wanted: &Wanted) -> Vec<Called<'m>> {
    if wanted.tag.is_some() {
        return found;
    }
    let base = |called: &Called| Wanted::of(called.name).base;
    let is_one_repository = found
        .windows(2)
        .all(|pair| base(&pair[0]) == base(&pair[1]));
    let quantized = |quantization: &str| {
        let is_it = |called: &&Called| called.model.quantization().as_deref() == Some(quantization);
        found.iter().find(is_it).copied()
    };
    match quantized("Q4_K_M")
        .or_else(|| quantized("Q8_0"))
        .or(found.first().copied())
    {
        Some(best) if is_one_repository => vec![best],
        _ => found,
    }
}

/// A name, taken apart.
struct Wanted {
    /// In lower case, without the hosts and namespaces that go without saying.
    base: String,
    /// The tag or quantization.
    tag: Option<String>,
}

impl Wanted {
    fn of(name: &str) -> Wanted {
        let name = name.trim().to_lowercase();
        let hosts = [
            "https://huggingface.co/",
            "huggingface.co/",
            "hf.co/",
            "registry.ollama.ai/",
        ];
        let name = hosts
            .iter()
            .find_map(|host| name.strip_prefix(host))
            .unwrap_or(&name);
        let name = name.strip_prefix("library/").unwrap_or(name);
        // A host may have a port, but nobody's models are there.
        match name.rsplit_once(':') {
            Some((base, tag)) if !tag.contains('/') => Wanted {
                base: base.to_owned(),
                tag: Some(tag.to_owned()),
            },
            _ => Wanted {
                base: name.to_owned(),
                tag: None,
            },
        }
    }

    fn whole(&self) -> String {
        match &self.tag {
            Some(tag) => format!("{}:{tag}", self.base),
            None => self.base.clone(),
        }
    }

    /// Whether it is meant by a name that a model has in a store.
    fn is_name_of(&self, model: &Model, store: Store, name: &str) -> bool {
        let name = Wanted::of(name);
        if name.base != self.base {
            return false;
        }
        match (&self.tag, &name.tag) {
            (None, Some(tag)) => store != Store::Ollama || tag == "latest",
            (None, None) => true,
            (Some(tag), other) => {
                // A file may be named whole, or by how its name ends.
                let stem = model.stem().map(str::to_lowercase);
                let ends = |stem: String| {
                    let named = tag.strip_suffix(".gguf").unwrap_or(tag);
                    stem.strip_suffix(named)
                        .is_some_and(|before| before.is_empty() || before.ends_with(['-', '.']))
                };
                other.as_ref() == Some(tag) || stem.is_some_and(ends)
            }
        }
    }
}

/// Ollama writes `model:size` where others write `model-size`.
fn folded(name: &str) -> String {
    name.to_lowercase().replace(':', "-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::header::Header;
    use crate::models::unusable::Unusable;
    use std::path::PathBuf;

    fn model(store: Store, name: &str, file: &str, bytes: u64) -> Model {
        Model {
            name: name.to_owned(),
            store,
            also_in: Vec::new(),
            also_called: Vec::new(),
            path: PathBuf::from(file),
            bytes,
            header: Header::default(),
            entry: catalogue::entry_of(None, Some(file), bytes),
            speed: None,
        }
    }

    fn listing() -> Listing {
        let entry = &catalogue::entries()[0];
        let repository = "Qwen/Qwen2.5-Coder-3B-Instruct-GGUF";
        Listing {
            models: vec![
                model(Store::Ollama, "qwen2.5-coder:1.5b", "sha256-0", 986),
                model(Store::Ollama, "llama3.2:latest", "sha256-1", 2_000),
                model(Store::Ollama, "llama3.2:1b", "sha256-2", 1_000),
                model(
                    Store::Ollama,
                    "hf.co/unsloth/SmolLM3-GGUF:Q4_K_M",
                    "sha256-3",
                    1_900,
                ),
                model(
                    Store::Hub,
                    &format!("{repository}:Q8_0"),
                    "q-3b-q8_0.gguf",
                    3_300,
                ),
                model(
                    Store::Hub,
                    &format!("{repository}:Q4_K_M"),
                    "q-3b-q4_k_m.gguf",
                    1_900,
                ),
                model(Store::Own, "qwen/official", &entry.file, entry.bytes),
                model(
                    Store::LmStudio,
                    "bartowski/Phi-GGUF:Q4_0",
                    "Phi-mini-Q4_0.gguf",
                    77,
                ),
                model(Store::Jan, "copies/Phi-GGUF:Q4_0", "Phi-mini-Q4_0.gguf", 77),
            ],
            flawed: vec![Flawed {
                name: "mllama:11b".to_owned(),
                store: Store::Ollama,
                path: PathBuf::new(),
                bytes: 1,
                reason: Unusable::UnknownArchitecture("mllama".to_owned()),
            }],
            ..Listing::default()
        }
    }

    #[test]
    fn models_are_found_by_what_people_call_them() {
        let listing = listing();
        for (asked, name) in [
            ("qwen2.5-coder:1.5b", "qwen2.5-coder:1.5b"),
            ("QWEN2.5-Coder:1.5B", "qwen2.5-coder:1.5b"),
            (
                "registry.ollama.ai/library/qwen2.5-coder:1.5b",
                "qwen2.5-coder:1.5b",
            ),
            ("llama3.2", "llama3.2:latest"),
            ("llama3.2:1b", "llama3.2:1b"),
            ("unsloth/SmolLM3-GGUF", "hf.co/unsloth/SmolLM3-GGUF:Q4_K_M"),
            ("smollm3", "hf.co/unsloth/SmolLM3-GGUF:Q4_K_M"),
            (
                "Qwen/Qwen2.5-Coder-3B-Instruct-GGUF",
                "Qwen/Qwen2.5-Coder-3B-Instruct-GGUF:Q4_K_M",
            ),
            (
                "hf.co/qwen/qwen2.5-coder-3b-instruct-gguf:q8_0",
                "Qwen/Qwen2.5-Coder-3B-Instruct-GGUF:Q8_0",
            ),
            (
                "Qwen/Qwen2.5-Coder-3B-Instruct-GGUF:q-3b-q8_0.gguf",
                "Qwen/Qwen2.5-Coder-3B-Instruct-GGUF:Q8_0",
            ),
            ("q-3b-q8_0", "Qwen/Qwen2.5-Coder-3B-Instruct-GGUF:Q8_0"),
            ("qwen2.5-coder-1.5b", "qwen/official"),
            (
                "coder-3b-instruct-gguf:q8",
                "Qwen/Qwen2.5-Coder-3B-Instruct-GGUF:Q8_0",
            ),
            ("phi", "bartowski/Phi-GGUF:Q4_0"),
        ] {
            let found = listing.find(asked).map(|called| called.name);
            assert_eq!(found.as_ref().ok(), Some(&name), "{asked}: {found:?}");
        }
    }

    #[test]
    fn every_name_of_a_file_is_one() {
        let names = [
            "my-coder:latest",
            "qwen2.5-coder:7b",
            "qwen2.5-coder:latest",
        ];
        let others = names[1..]
            .iter()
            .map(|name| (Store::Ollama, (*name).to_owned()));
        let shared = Model {
            also_called: others.collect(),
            ..model(Store::Ollama, names[0], "sha256-9", 4_700)
        };
        let listing = Listing {
            models: vec![shared],
            ..listing()
        };
        for name in names {
            assert_eq!(listing.find(name).unwrap().name, name);
        }
        assert_eq!(listing.find("my-coder").unwrap().name, "my-coder:latest");
        assert_eq!(
            listing.find("qwen2.5-coder").unwrap().name,
            "qwen2.5-coder:latest"
        );
        assert_eq!(listing.find("coder:7").unwrap().name, "qwen2.5-coder:7b");
        let error = listing.find("qwen2.5-codr:7b").unwrap_err();
        let NameError::Unknown { nearest, .. } = error else {
            panic!("{error}")
        };
        assert_eq!(nearest[0], "qwen2.5-coder:7b");
    }

    #[test]
    fn a_name_that_could_be_several_is_refused_with_them() {
        let error = listing().find("llama3").unwrap_err().to_string();
        assert_eq!(
            error,
            "\"llama3\" could be several: llama3.2:latest, llama3.2:1b"
        );
    }

    #[test]
    fn an_unknown_name_is_told_the_nearest() {
        let check = |asked: &str, near: &[&str], fetched: Option<&str>| {
            let error = listing().find(asked).unwrap_err();
            let NameError::Unknown { nearest, entry, .. } = error else {
                panic!("{error}")
            };
            assert_eq!(
                nearest.first().map(String::as_str),
                near.first().copied(),
                "{nearest:?}"
            );
            assert_eq!(entry.map(|entry| entry.name.as_str()), fetched, "{asked}");
        };
        check("lamma3.2", &["llama3.2:1b"], None);
        check(
            "qwen2.5-coder-0.5b",
            &["qwen2.5-coder:1.5b"],
            Some("qwen2.5-coder-0.5b"),
        );
        check(
            "qwen2.5-codr:0.5b",
            &["qwen2.5-coder:1.5b"],
            Some("qwen2.5-coder-0.5b"),
        );
        check("zzz", &[], None);
    }

    #[test]
    fn a_model_that_cannot_be_used_says_why() {
        let error = listing().find("mllama").unwrap_err().to_string();
        assert!(
            error.starts_with("mllama:11b cannot be used: the llama.cpp in"),
            "{error}"
        );
    }
}
