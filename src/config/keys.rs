//! The table of keys: which there are, who may set them, and what values they take.

use crate::review::WarningKind;
use crate::workspace::IgnoredPaths;
use serde_json::{Value, json};
use std::path::Path;
use toml::de::DeValue;

/// Who may set a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The person, in `config.toml`.
    Person,
    /// The person, and a project in its `slotwright.toml`.
    Project,
}

/// The values that a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Some text.
    Text,
    /// A whole number in this range, both ends included.
    Whole {
        /// The least.
        min: u32,
        /// The most.
        max: u32,
    },
    /// A number from 0 to 1.
    Share,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of these words.
    Words(&'static [&'static str]),
    /// A list of folders.
    Folders,
    /// A list of patterns as in a `.gitignore`.
    Patterns,
}

/// A key of a configuration file.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// Who may set it.
    pub scope: Scope,
    /// The values that it takes.
    pub kind: Kind,
    /// What it means, in sentences.
    pub about: &'static str,
    /// What holds where nobody has set it.
    pub default: &'static str,
}

/// All warnings that `--accept` takes, of `edit` and of `apply`.
pub const WARNINGS: &[&str] = &WarningKind::WORDS;

/// All keys, in the order in which they are shown.
pub const KEYS: [Key; 8] = [
    Key {
        name: "model",
        scope: Scope::Person,
        kind: Kind::Text,
        about: "The model: a name that slotwright models lists, a GGUF file (absolute, or from \
                ~/), bundled, or http(s)://HOST/v1#NAME on a server.",
        default: "the best one on this machine",
    },
    Key {
        name: "model_folders",
        scope: Scope::Person,
        kind: Kind::Folders,
        about: "Further folders with models.",
        default: "none",
    },
    Key {
        name: "threads",
        scope: Scope::Person,
        kind: Kind::Whole {
            min: 1,
            max: 65_535,
        },
        about: "Threads that a model computes with.",
        default: "one for each physical core",
    },
    Key {
        name: "min_certainty",
        scope: Scope::Person,
        kind: Kind::Share,
        about: "How sure the model has to be of an edit. Below it you are warned, and --yes \
                refuses.",
        default: "0.5 for the bundled model, 0.35 with an adapter of ours, 0.1 for others",
    },
    Key {
        name: "accept",
        scope: Scope::Person,
        kind: Kind::Words(WARNINGS),
        about: "Warnings in spite of which --yes writes.",
        default: "none",
    },
    Key {
        name: "color",
        scope: Scope::Person,
        kind: Kind::Word(&["auto", "always", "never"]),
        about: "Colours in a diff; auto means on a terminal.",
        default: "auto",
    },
    Key {
        name: "shown_tokens",
        scope: Scope::Project,
        kind: Kind::Whole {
            min: 128,
            max: 32_768,
        },
        about: "Tokens of one file that a model is shown at most. More take longer to read. The \
                bundled model is always shown 320.",
        default: "6000 where a GPU computes, else 1500",
    },
    Key {
        name: "ignore",
        scope: Scope::Project,
        kind: Kind::Patterns,
        about: "Files that are not looked at, as in a .gitignore, without exceptions (!). A file \
                that --file or the task names by its path is edited all the same.",
        default: "none",
    },
];

impl Key {
    /// The key of this name.
    pub fn of_name(name: &str) -> Option<&'static Key> {
        KEYS.iter().find(|key| key.name == name)
    }

    /// The key whose name differs least from `name`, if that is likely a slip.
    pub fn nearest(name: &str) -> Option<&'static Key> {
        let distance = |key: &&Key| strsim::damerau_levenshtein(key.name, &name.to_lowercase());
        let most = (name.chars().count() / 3).max(2);
        KEYS.iter()
            .min_by_key(distance)
            .filter(|key| distance(key) <= most)
    }
}

impl Kind {
    /// Whether a key of this kind holds a list. Lists of several sources add up.
    pub fn is_list(self) -> bool {
        matches!(self, Kind::Words(_) | Kind::Folders | Kind::Patterns)
    }

    /// A value of a file.
    ///
    /// # Errors
    /// What it must be instead: "must be …".
    pub(super) fn read(self, value: &DeValue) -> Result<Value, String> {
        let read = match self {
            Kind::Text => value
                .as_str()
                .filter(|text| !text.trim().is_empty())
                .map(Value::from),
            Kind::Whole { min, max } => whole(value)
                .filter(|n| (min..=max).contains(n))
                .map(Value::from),
            Kind::Share => number(value)
                .filter(|x| (0.0..=1.0).contains(x))
                .map(Value::from),
            Kind::Word(words) => value
                .as_str()
                .filter(|word| words.contains(word))
                .map(Value::from),
            Kind::Words(words) => list(value, |word| words.contains(&word)),
            Kind::Folders => list(value, is_absolute),
            Kind::Patterns => list(value, is_pattern),
        };
        read.ok_or_else(|| self.wanted())
    }

    /// What a value must be.
    pub fn wanted(self) -> String {
        match self {
            Kind::Text => "must be a text that is not empty".to_owned(),
            Kind::Whole { min, max } => format!("must be a whole number from {min} to {max}"),
            Kind::Share => "must be a number from 0 to 1".to_owned(),
            Kind::Word(words) => format!("must be one of {}", quoted(words)),
            Kind::Words(words) => format!("must be a list of any of {}", quoted(words)),
            Kind::Folders => "must be a list of folders, absolute or from ~/".to_owned(),
            Kind::Patterns => "must be a list of patterns such as \"generated/\" or \"*.min.js\"; \
                               exceptions (!) and comments (#) are none"
                .to_owned(),
        }
    }

    fn schema(self) -> Value {
        match self {
            Kind::Text => json!({"type": "string", "minLength": 1}),
            Kind::Whole { min, max } => json!({"type": "integer", "minimum": min, "maximum": max}),
            Kind::Share => json!({"type": "number", "minimum": 0, "maximum": 1}),
            Kind::Word(words) => json!({"enum": words}),
            Kind::Words(words) => json!({"type": "array", "items": {"enum": words}}),
            Kind::Folders => json!({"type": "array", "items": {"type": "string"}}),
            Kind::Patterns => {
                json!({"type": "array", "items": {"type": "string", "pattern": "^[^!#]"}})
            }
        }
    }
}

fn quoted(words: &[&str]) -> String {
    words
        .iter()
        .map(|word| format!("{word:?}"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn whole(value: &DeValue) -> Option<u32> {
    let integer = value.as_integer()?;
    u32::from_str_radix(integer.as_str(), integer.radix()).ok()
}

fn number(value: &DeValue) -> Option<f64> {
    match value {
        DeValue::Integer(_) => whole(value).map(f64::from),
        DeValue::Float(float) => float.as_str().parse().ok(),
        _ => None,
    }
}

fn list(value: &DeValue, is_right: impl Fn(&str) -> bool) -> Option<Value> {
    let texts = value.as_array()?.iter().map(|item| item.get_ref().as_str());
    let texts = texts.collect::<Option<Vec<_>>>()?;
    texts
        .iter()
        .all(|text| is_right(text))
        .then(|| Value::from(texts))
}

fn is_absolute(folder: &str) -> bool {
    folder == "~" || folder.starts_with("~/") || Path::new(folder).is_absolute()
}

fn is_pattern(pattern: &str) -> bool {
    !pattern.trim().is_empty()
        && !pattern.starts_with(['!', '#'])
        && IgnoredPaths::new(Path::new("/"), &[pattern.to_owned()]).is_ok()
}

/// The JSON Schema of `config.toml` (`Scope::Person`) or of `slotwright.toml` (`Scope::Project`).
pub fn schema(scope: Scope) -> Value {
    let (title, description) = match scope {
        Scope::Person => ("config.toml", "What a person sets for all projects."),
        Scope::Project => (
            "slotwright.toml",
            "What a project sets for whoever edits it.",
        ),
    };
    let keys = KEYS
        .iter()
        .filter(|key| scope == Scope::Person || key.scope == scope);
    let properties: serde_json::Map<String, Value> = keys
        .map(|key| {
            let mut schema = json!({"description": key.about});
            if let (Value::Object(schema), Value::Object(kind)) = (&mut schema, key.kind.schema()) {
                schema.extend(kind);
            }
            (key.name.to_owned(), schema)
        })
        .collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "description": description,
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    })
}
