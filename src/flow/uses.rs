//! The uses, in other files, of a name that an edit gave to a definition.
//!
//! A model edits one file. If it renames a function there everywhere, the files that use it no
//! longer work. The program finds them without a model: the same identifier, in files of the same
//! language, where no other file defines it. It may still be another thing of that name, so that a
//! person has to look.

use super::patched::Patched;
use super::steps::{FileChange, StepEdit};
use crate::edit::whole_token_ranges;
use crate::slots::Operation;
use crate::syntax::{Class, Language, highlights};
use crate::text::ident::is_identifier;
use crate::text::{Text, defined_name};
use crate::workspace::Workspace;
use std::ops::Range;
use std::time::{Duration, Instant};

/// With uses in more files the name is probably that of several things.
const MAX_FILES: usize = 50;

/// The longest search. After it nothing is offered: some uses may be missing.
const DEADLINE: Duration = Duration::from_secs(2);

/// Uses of a name outside the file that defines it.
#[derive(Clone, Debug)]
pub struct Uses {
    /// The name before.
    pub old: String,
    /// The other files, by path, with the new name, and with the edits that they have of their own.
    pub changes: Vec<FileChange>,
    /// Those of them that cannot be written.
    pub fixed: Vec<String>,
}

/// The uses in other files of the definition that was renamed everywhere in its own file. `changed`:
/// what the edits come to, by file.
///
/// `None` if no definition was, if nothing else uses it, or if that cannot be told: another file
/// defines the old name too, or one that uses it has the new name already.
pub fn elsewhere(
    edits: &[StepEdit],
    changed: &[FileChange],
    workspace: &Workspace,
) -> Option<Uses> {
    let (patched, old, new) = edits.iter().find_map(|edit| {
        let (old, new) = renamed(&edit.patched)?;
        Some((&edit.patched, old, new))
    })?;
    let begun = Instant::now();
    let finder = memchr::memmem::Finder::new(&old);
    let (mut changes, mut fixed) = (Vec::new(), Vec::new());
    for path in workspace.list().paths {
        if begun.elapsed() > DEADLINE || changes.len() + fixed.len() > MAX_FILES {
            return None;
        }
        if path == patched.path || !is_of_same_language(&path, &patched.path) {
            continue;
        }
        let edited = changed.iter().find(|change| change.path == path);
        // A file that cannot be edited is none that the model could have edited.
        let text = match edited {
            Some(change) => Text::decode(change.after.clone()).ok(),
            None => workspace.read(&path).ok(),
        };
        let Some(text) = text else { continue };
        if finder.find(text.shown().as_bytes()).is_none() {
            continue;
        }
        let shown = text.shown();
        if shown.lines().filter_map(defined_name).any(|name| name == old) {
            return None;
        }
        let uses = uses(&path, shown, &old);
        if uses.is_empty() {
            continue;
        }
        // An edit of the file may have put it there.
        if edited.is_none() && !whole_token_ranges(shown, &new).is_empty() {
            return None;
        }
        let after = text.splice(uses.into_iter().map(|range| (range, new.as_str()))).ok()?;
        let before = edited.map_or(Some(text), |change| change.before.clone());
        let change = FileChange { path, before, after };
        match workspace.check(&change.change()) {
            Ok(()) => changes.push(change),
            Err(_) => fixed.push(change.path),
        }
    }
    (changes.len() + fixed.len() > 0).then_some(Uses { old, changes, fixed })
}

/// The old and the new name, if the edit renamed a definition and all its uses in the file.
fn renamed(patched: &Patched) -> Option<(String, String)> {
    if patched.operation != Operation::ReplaceAll {
        return None;
    }
    let first = patched.replacements.first()?;
    let (old, new) = (&patched.before.shown()[first.range.clone()], &first.new);
    let defines = |text: &str| text.lines().filter_map(defined_name).any(|name| name == old);
    let after = Text::decode(patched.after.clone()).ok()?;
    let is_renamed = is_identifier(old)
        && is_identifier(new)
        && defines(patched.before.shown())
        && !defines(after.shown());
    is_renamed.then(|| (old.to_owned(), new.clone()))
}

/// Whole identifiers outside comments and strings, where a word is often no name.
fn uses(path: &str, shown: &str, name: &str) -> Vec<Range<usize>> {
    let mut prose = Language::of(path)
        .map_or_else(Vec::new, |language| highlights(language, shown, 0..shown.len()));
    prose.retain(|(_, class)| matches!(class, Class::Comment | Class::Text));
    let is_in_prose = |at: &Range<usize>| {
        let next = prose.partition_point(|(part, _)| part.end <= at.start);
        prose.get(next).is_some_and(|(part, _)| part.start <= at.start)
    };
    let mut ranges = whole_token_ranges(shown, name);
    ranges.retain(|range| !is_in_prose(range));
    ranges
}

fn is_of_same_language(a: &str, b: &str) -> bool {
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
    path.rsplit('/').next()?.rsplit_once('.').map(|(_, ending)| ending)
}
