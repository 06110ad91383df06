//! What a person may call a model: one of its names, or a part of one that no other model has.
//! Upper and lower case are the same.
//!
//! Its names are those in the stores (Ollama's, or `PUBLISHER/REPOSITORY[:QUANTIZATION]`), its
//! file's name, and its short name in the catalogue. Paths and servers are not names; the command
//! line tells them apart before.

use super::catalogue::{self, Entry};
use super::listing::{Listing, Model};

/// The most names that a message lists.
const SHOWN: usize = 10;

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
    /// The model cannot be used.
    #[error("{found} cannot be used: {reason}")]
    Unusable {
        /// The model's name.
        found: String,
        /// Why not.
        reason: String,
    },
    /// No model has it.
    #[error("no model on this machine is called {name:?}{}", those_here(here))]
    Unknown {
        /// What was asked for.
        name: String,
        /// The names of all models.
        here: Vec<String>,
        /// The entry of the catalogue that has this name.
        entry: Option<&'static Entry>,
    },
}

fn listed(names: &[String]) -> String {
    let shown = names[..names.len().min(SHOWN)].join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn those_here(names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    format!("; there are {}", listed(names))
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
        let asked = name.trim().to_lowercase();

        for is_meant in [is_name, is_part] {
            let found: Vec<Called> = self
                .models
                .iter()
                .filter_map(|model| model.called(&asked, is_meant))
                .collect();
            let Some(&first) = found.first() else {
                continue;
            };
            // Copies of one file are one model.
            if found.iter().all(|called| called.model.is_copy(first.model)) {
                return Ok(first);
            }
            return Err(NameError::Several {
                name: name.to_owned(),
                candidates: found.iter().map(|called| called.name.to_owned()).collect(),
            });
        }

        Err(self.unknown(name, &asked))
    }

    fn unknown(&self, name: &str, asked: &str) -> NameError {
        let unusable = self
            .flawed
            .iter()
            .find(|flawed| is_part(&flawed.name, asked));
        if let Some(flawed) = unusable {
            return NameError::Unusable {
                found: flawed.name.clone(),
                reason: flawed.reason.to_string(),
            };
        }

        NameError::Unknown {
            name: name.to_owned(),
            here: self.models.iter().map(|model| model.name.clone()).collect(),
            entry: catalogue::entry(asked),
        }
    }
}

impl Model {
    /// The first of its names that is meant. A file's name and a short name of the catalogue stand
    /// for the name in the store.
    fn called(&self, asked: &str, is_meant: fn(&str, &str) -> bool) -> Option<Called<'_>> {
        let in_a_store = self.names().find(|name| is_meant(name, asked));
        let entry = self.entry.map(|entry| entry.name.as_str());
        let is_else_meant = [self.stem(), entry]
            .into_iter()
            .flatten()
            .any(|name| is_meant(name, asked));

        let name = in_a_store.or(is_else_meant.then_some(&self.name))?;
        Some(Called { model: self, name })
    }

    fn is_copy(&self, other: &Model) -> bool {
        self.bytes == other.bytes && self.header.name == other.header.name
    }
}

/// Whether a name is the one that was asked for. Ollama's tag `latest` goes without saying.
fn is_name(name: &str, asked: &str) -> bool {
    let name = name.to_lowercase();
    name == asked || name.strip_suffix(":latest") == Some(asked)
}

fn is_part(name: &str, asked: &str) -> bool {
    !asked.is_empty() && name.to_lowercase().contains(asked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::header::Header;
    use crate::models::listing::Flawed;
    use crate::models::model_folders::Store;
    use crate::models::unusable::Unusable;
    use std::path::PathBuf;

    fn model(store: Store, name: &str, file: &str, bytes: u64) -> Model {
        Model {
            name: name.to_owned(),
            store,
            others: Vec::new(),
            path: PathBuf::from(file),
            bytes,
            header: Header::default(),
            entry: catalogue::entry_of(None, Some(file), bytes),
        }
    }

    fn listing() -> Listing {
        let entry = &catalogue::entries()[0];
        let phi = "Phi-mini-Q4_0.gguf";
        Listing {
            models: vec![
                model(Store::Ollama, "qwen2.5-coder:1.5b", "sha256-0", 986),
                model(Store::Ollama, "llama3.2:latest", "sha256-1", 2_000),
                model(Store::Ollama, "llama3.2:1b", "sha256-2", 1_000),
                model(Store::Hub, "Qwen/3B-GGUF:Q8_0", "q-3b-q8_0.gguf", 3_300),
                model(Store::Hub, "Qwen/3B-GGUF:Q4_K_M", "q-3b-q4_k_m.gguf", 9),
                model(Store::Own, "qwen/official", &entry.file, entry.bytes),
                model(Store::LmStudio, "bartowski/Phi-GGUF:Q4_0", phi, 77),
                model(Store::Jan, "copies/Phi-GGUF:Q4_0", phi, 77),
            ],
            flawed: vec![Flawed {
                name: "mllama:11b".to_owned(),
                store: Store::Ollama,
                path: PathBuf::new(),
                bytes: 1,
                reason: Unusable::Remote,
            }],
            ..Listing::default()
        }
    }

    #[test]
    fn models_are_found_by_a_name_or_a_part_that_no_other_has() {
        let listing = listing();
        for (asked, name) in [
            ("QWEN2.5-Coder:1.5B", "qwen2.5-coder:1.5b"),
            ("llama3.2", "llama3.2:latest"),
            ("llama3.2:1b", "llama3.2:1b"),
            ("q-3b-q8_0", "Qwen/3B-GGUF:Q8_0"),
            ("3b-gguf:q8", "Qwen/3B-GGUF:Q8_0"),
            ("qwen2.5-coder-1.5b", "qwen/official"),
            ("phi", "bartowski/Phi-GGUF:Q4_0"),
        ] {
            let found = listing.find(asked).map(|called| called.name);
            assert_eq!(found.as_ref().ok(), Some(&name), "{asked}: {found:?}");
        }
    }

    #[test]
    fn what_names_no_model_says_why() {
        let check = |listing: &Listing, asked: &str, message: &str| {
            assert_eq!(listing.find(asked).unwrap_err().to_string(), message);
        };
        let mut listing = listing();
        let several = "\"llama3\" could be several: llama3.2:latest, llama3.2:1b";
        check(&listing, "llama3", several);
        let unusable =
            "mllama:11b cannot be used: it runs on Ollama's servers, not on this machine";
        check(&listing, "mllama", unusable);
        listing.models.truncate(2);
        let none = "no model on this machine is called \"zzz\"";
        let two = format!("{none}; there are qwen2.5-coder:1.5b, llama3.2:latest");
        check(&listing, "zzz", &two);
        let many = (0..12).map(|n| model(Store::Folder, &format!("m{n}"), "m.gguf", n));
        listing.models = many.collect();
        let error = listing.find("").unwrap_err().to_string();
        assert!(error.ends_with(" m8, m9 and 2 more"), "{error}");
        listing.models.clear();
        check(&listing, "zzz", none);
        let name = &catalogue::entries()[1].name;
        let Err(NameError::Unknown { entry, .. }) = listing.find(name) else {
            panic!("it is not here")
        };
        assert_eq!(entry, catalogue::entry(name));
    }
}
