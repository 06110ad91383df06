//! `--model REF`: which file or server a reference names, and which model is used without one.

use super::folders;
use super::model_arguments::ModelChoice;
use crate::engine::total_memory;
use crate::failure::{Failure, FailureKind};
use crate::models::catalogue::{self, Entry};
use crate::models::{self, Called, Listing, Machine, NameError, Store};
use indicatif::DecimalBytes;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};

/// What the model inside the program is called.
pub(crate) const BUNDLED: &str = "bundled";

/// What a reference leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The model inside the program, which is for tests and for a first look.
    Bundled,
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
        let model = listing.default_model(&machine());
        return model
            .map(|model| Target::of(model, Why::Default))
            .ok_or_else(|| no_model(&listing));
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
        return Ok(Target::Bundled);
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

/// Whether a name that no model has looks like a server's address without `http://`: a host with a port
/// or a dot, `localhost`, or `/v1` in it.
fn is_like_an_address(name: &str) -> bool {
    let (host, path) = name.split_once('/').unwrap_or((name, ""));
    let (host, port) = host.split_once(':').unwrap_or((host, ""));
    let has_port = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let is_api = path == "v1" || path.starts_with("v1/") || path.starts_with("v1#");
    let is_number = host.parse::<Ipv4Addr>().is_ok();
    has_port || is_api || is_number || host == "localhost"
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

/// What is missing, if there is no model to use.
pub(crate) fn lack(choice: &ModelChoice) -> Option<Failure> {
    let failure = resolve(choice).err()?;
    (failure.kind == FailureKind::NoModel).then_some(failure)
}

/// There is no model to use, and what can be done.
fn no_model(listing: &Listing) -> Failure {
    let message = if listing.models.is_empty() {
        "there is no model on this machine yet"
    } else {
        "none of the models on this machine is fit to be used unasked: slotwright models says why"
    };
    let mut failure = Failure::new(FailureKind::NoModel, message);
    for entry in worth_fetching() {
        failure = failure.hint(format!("{}: {}", described(entry), entry.fetch_command()));
    }
    failure
        .hint("--model takes a name, a GGUF file, or http(s)://HOST/v1#NAME on a server")
        .hint("to try it out: --model bundled, which gets most edits wrong")
}

/// The models that are worth fetching, best first.
pub(crate) fn worth_fetching() -> &'static [Entry] {
    let entries = catalogue::entries();
    &entries[..entries.len().min(2)]
}

/// A model of the catalogue in a few words.
pub(crate) fn described(entry: &Entry) -> String {
    let size = DecimalBytes(entry.bytes);
    let right = entry.right.map_or_else(String::new, |right| {
        format!(", {right} % of small edits right")
    });
    format!("{} ({size}{right})", entry.name)
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

    /// # Errors
    /// If it is a file that is not there.
    pub fn check_file(&self) -> Result<(), Failure> {
        match self {
            Target::File { path, .. } if !path.is_file() => {
                let message = format!("there is no file {}", path.display());
                Err(Failure::new(FailureKind::ModelName, message))
            }
            _ => Ok(()),
        }
    }

    /// What a person calls it.
    pub fn name(&self) -> String {
        match self {
            Target::Bundled => BUNDLED.to_owned(),
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
            Target::Bundled => BUNDLED.to_owned(),
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
            Target::Bundled => Some(
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
            if is_like_an_address(&name) {
                let hint = format!("is it a server? Its address begins so: --model http://{name}");
                failure = failure.hint(hint);
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
        for address in [
            "127.0.0.1:8091/v1#x",
            "localhost",
            "box:8080",
            "a.example/v1",
            "10.0.0.7",
        ] {
            assert!(is_like_an_address(address), "{address}");
        }
        for name in [
            "qwen2.5-coder:1.5b",
            "Qwen/Q-GGUF:q4_0.gguf",
            "hf.co/a/b",
            "llama3.2:1b",
        ] {
            assert!(!is_like_an_address(name), "{name}");
        }
    }
}
