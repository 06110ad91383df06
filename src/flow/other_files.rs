//! What other files have to do with a file: by language, and by the names in them.

use crate::edit::whole_token_ranges;
use crate::syntax::{Language, without_prose};
use crate::text::defined_name;
use crate::text::ident::has_word;
use std::ops::Range;
use std::time::Duration;

/// The longest search through a folder.
pub(super) const DEADLINE: Duration = Duration::from_secs(2);

/// File names that say less than the name of their folder.
const UNNAMED: [&str; 5] = ["mod", "lib", "main", "index", "__init__"];

/// Whether a text defines a function, a type or a module of this name.
pub(super) fn defines(path: &str, text: &str, name: &str) -> bool {
    without_prose(path, text)
        .lines()
        .filter_map(defined_name)
        .any(|defined| defined == name)
}

/// Whether a text has the name of a file as a word: an import, a qualified name.
pub(super) fn mentions(text: &str, path: &str) -> bool {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.split('.').next().unwrap_or(file);
    let name = if UNNAMED.contains(&stem) {
        folder.rsplit('/').next().unwrap_or_default()
    } else {
        stem
    };
    !name.is_empty() && has_word(text, name)
}

/// Whole identifiers outside comments and strings, where a word is often no name.
pub(super) fn uses(path: &str, shown: &str, name: &str) -> Vec<Range<usize>> {
    whole_token_ranges(&without_prose(path, shown), name)
}

/// Whether files may use each other's names.
pub(super) fn is_of_same_language(a: &str, b: &str) -> bool {
    match (Language::of(a), Language::of(b)) {
        (Some(a), Some(b)) => family(a) == family(b),
        (None, None) => ending(a).is_some() && ending(a) == ending(b),
        _ => false,
    }
}

/// Languages whose files use each other's names.
fn family(language: Language) -> Language {
    match language {
        Language::C => Language::Cpp,
        Language::JavaScript | Language::Tsx => Language::TypeScript,
        other => other,
    }
}

fn ending(path: &str) -> Option<&str> {
    path.rsplit('/')
        .next()?
        .rsplit_once('.')
        .map(|(_, ending)| ending)
}
