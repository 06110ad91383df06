//! `--model REF`: which file or server a reference names, and which model is used without one.

use super::folders;
use super::model_arguments::ModelChoice;
use crate::engine::total_memory;
use crate::failure::{Failure, FailureKind};
use crate::models::{self, Called, Listing, Machine, NameError, Store, catalogue};
use std::path::{Path, PathBuf};

/// What the model inside the program is called.
pub(crate) const BUNDLED: &str = "bundled";

/// What a reference leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The model inside the program.
    Bundled(Why),
    /// A GGUF file.
    File {
        path: PathBuf,
        /// The model's name; `None` if the person gave a path.
        name: Option<String>,
        /// Who keeps it; `None` if the person gave a path.
        store: Option<Store>,
        why: Why,
    },
    /// A model on a server.
    Server { reference: String },
}

/// Why a model is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// The person named it with this command.
    Named,
    /// It is set, in the environment or in config.toml.
    Set,
    /// It is the best one for this machine.
    Default,
}

/// Finds the model to use.
pub(crate) fn resolve(choice: &ModelChoice) -> Result<Target, Failure> {
    // An empty variable is one that is not set.
    let reference = choice.model.as_deref().unwrap_or_default();
    if reference.is_empty() {
        let listing = listing(&choice.folders);
        return Ok(match listing.default_model(&machine()) {
            Some(model) => Target::of(model, Why::Default),
            None => Target::Bundled(Why::Default),
        });
    }

    let mut target = named(reference, &choice.folders)?;
    if let Target::File { why, .. } = &mut target
        && !choice.is_named
    {
        *why = Why::Set;
    }
    Ok(target)
}

/// The model that a reference names, on this machine or in `further` folders.
pub(crate) fn named(reference: &str, further: &[PathBuf]) -> Result<Target, Failure> {
    // Where a model must be named, as for eval, an empty reference is the bundled one.
    if matches!(reference, BUNDLED | "") {
        return Ok(Target::Bundled(Why::Named));
    }
    if is_server(reference) {
        let reference = reference.to_owned();
        return Ok(Target::Server { reference });
    }
    if let Some(path) = path_of(reference) {
        return Ok(Target::File {
            path,
            name: None,
            store: None,
            why: Why::Named,
        });
    }

    let listing = listing(further);
    Ok(Target::called(listing.find(reference)?, Why::Named))
}

/// Whether a reference names a model on a server.
fn is_server(reference: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        reference
            .get(..scheme.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(scheme))
    })
}

/// The path that a reference is, if it is one. A name without a folder and without `.gguf` never
/// is: the folder being edited may have a file with the name of a model.
fn path_of(reference: &str) -> Option<PathBuf> {
    if let Some(rest) = reference.strip_prefix("~/")
        && let Some(home) = std::env::var_os("HOME")
    {
        return Some(Path::new(&home).join(rest));
    }

    let path = Path::new(reference);
    let is_gguf = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("gguf"));
    // `publisher/repository:file.gguf` has a colon in its last part.
    let last = reference.rsplit('/').next().unwrap_or_default();
    let is_path = path.is_absolute()
        || reference.starts_with("./")
        || reference.starts_with("../")
        || (is_gguf && !last.contains(':'));
    is_path.then(|| path.to_owned())
}

/// All models on this machine, and in `further` folders.
pub(crate) fn listing(further: &[PathBuf]) -> Listing {
    models::look(&folders::of_models(further.to_vec()))
}

/// This machine, as models are chosen for it.
pub(crate) fn machine() -> Machine {
    Machine {
        memory: total_memory(),
    }
}

/// What a model that is worth fetching gets right, and the command that fetches it.
fn recommendation() -> String {
    let entry = &catalogue::entries()[0];
    let right = entry.right.map_or_else(String::new, |right| {
        format!(" gets {right} % of small tasks right")
    });
    format!("{}{right}: {}", entry.name, entry.fetch_command())
}

impl Target {
    pub fn of(model: &models::Model, why: Why) -> Target {
        let name = &model.name;
        Target::called(Called { model, name }, why)
    }

    fn called(Called { model, name }: Called, why: Why) -> Target {
        Target::File {
            path: model.path.clone(),
            name: Some(name.to_owned()),
            store: Some(model.store),
            why,
        }
    }

    /// What a person calls it.
    pub fn name(&self) -> String {
        match self {
            Target::Bundled(_) => BUNDLED.to_owned(),
            Target::File { path, name, .. } => {
                let path = path.display().to_string();
                name.clone().unwrap_or(path)
            }
            Target::Server { reference } => reference.clone(),
        }
    }

    /// What tells the model apart from others: of a file also its size and when it was written.
    pub fn identity(&self) -> String {
        match self {
            Target::Bundled(_) => BUNDLED.to_owned(),
            Target::File { path, .. } => {
                let metadata = std::fs::metadata(path).ok();
                let written = metadata.map(|it| (it.len(), it.modified().ok()));
                format!("{} {written:?}", path.display())
            }
            Target::Server { reference } => reference.clone(),
        }
    }

    /// What the person should know of the model before it answers; `None` if they named it.
    pub fn note(&self) -> Option<String> {
        match self {
            Target::Bundled(Why::Default) => Some(format!(
                "using the bundled model, as there is no better one here: it knows simple edits \
                 only. {}",
                recommendation()
            )),
            Target::Bundled(_) => Some(
                "using the bundled model: it is small, and knows simple edits only (--model names \
                 another)"
                    .to_owned(),
            ),
            Target::File { why, store, .. } => {
                let name = self.name();
                let store = store.map_or("", Store::name);

                match why {
                    Why::Named => None,
                    Why::Set => Some(format!(
                        "using {name}, as it is set; slotwright config says where"
                    )),
                    Why::Default => Some(format!(
                        "using {name} ({store}), the best here; slotwright models lists all"
                    )),
                }
            }
            Target::Server { .. } => None,
        }
    }
}

impl From<NameError> for Failure {
    fn from(error: NameError) -> Failure {
        let mut failure = Failure::new(FailureKind::ModelName, &error);
        if let NameError::Unknown { name, entry, .. } = error {
            if let Some(entry) = entry {
                let command = entry.fetch_command();
                failure = failure.hint(format!("to fetch {}: {command}", entry.name));
            }
            if Path::new(&name).is_file() {
                failure = failure.hint(format!("a file is named by a path: --model ./{name}"));
            }
        }
        failure.hint("slotwright models lists what is here")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_from_names() {
        for path in [
            "/a/b",
            "./qwen",
            "../qwen",
            "qwen.gguf",
            "models/qwen.GGUF",
            "./a:b.gguf",
        ] {
            assert_eq!(path_of(path), Some(PathBuf::from(path)));
        }
        for name in [
            "qwen",
            "qwen2.5-coder:1.5b",
            "Qwen/Q-GGUF",
            "Qwen/Q-GGUF:q4_0.gguf",
            "",
        ] {
            assert_eq!(path_of(name), None);
        }
    }

    #[test]
    fn servers_are_told_from_names() {
        assert!(is_server("http://a/v1#b") && is_server("HTTPS://a"));
        assert!(!is_server("httpd") && !is_server("hf.co/a/b"));
    }
}
