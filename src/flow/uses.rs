//! The uses, in other files, of a name that an edit changed.
//!
//! A model edits one file. If it renames a function there, the files that use it no longer work. The
//! program finds them without a model: the same identifier, in files of the same language. It may be
//! another thing of that name, so a person has to look.

use super::elsewhere::{DEADLINE, defines, is_of_same_language, mentions, uses};
use super::steps::StepEdit;
use crate::edit::{declares, renamed_definition};
use crate::patched::{FileChange, Patched};
use crate::review::{KeptName, Renamed};
use crate::slots::Operation;
use crate::task::Task;
use crate::text::Text;
use crate::text::ident::{has_word, is_identifier};
use crate::workspace::Workspace;
use std::time::Instant;

/// Uses of a changed name in other files.
#[derive(Clone, Debug)]
pub struct Uses {
    /// The files that can have the new name as well, with the edits that they have of their own. Empty
    /// if nothing says whose uses they are.
    pub changes: Vec<FileChange>,
    /// The name, and the files that keep it whatever is done.
    pub kept: KeptName,
}

impl Uses {
    /// The uses that stay, if `changes` does not change them.
    pub fn stay(self) -> Option<KeptName> {
        let Uses { changes, mut kept } = self;
        kept.paths
            .extend(changes.into_iter().map(|change| change.path));
        kept.paths.sort_unstable();
        (!kept.paths.is_empty()).then_some(kept)
    }
}

/// The uses in other files of a name that was changed. `changed`: all edits together, by file.
pub fn elsewhere(
    edits: &[StepEdit],
    changed: &[FileChange],
    workspace: &Workspace,
    task: &Task,
) -> Option<Uses> {
    let mut edits = edits.iter();
    let rename = edits.find_map(|edit| Rename::of(&edit.patched, changed))?;
    let Rename { patched, old, .. } = &rename;
    let mut found = Found {
        // Where only uses were renamed, something has to say that they are of that definition.
        is_meant: rename.renamed != Renamed::Uses || asks_for_all(task),
        is_clear: rename.is_clear,
        ..Found::default()
    };
    let begun = Instant::now();
    for path in workspace.list().paths {
        if begun.elapsed() > DEADLINE {
            // Some uses may be missing.
            found.is_clear = false;
            break;
        }
        if path == patched.path || !is_of_same_language(&path, &patched.path) {
            continue;
        }
        let edited = changed.iter().find(|change| change.path == path);
        // A file that cannot be edited is none that the model could have edited.
        let text = match edited {
            Some(change) => Text::decode_after(change.before.as_ref(), change.after.clone()).ok(),
            None => workspace.read(&path).ok(),
        };
        let Some(text) = text else { continue };
        // An edit of the file may have put it there.
        let has_new = edited.is_none() && has_word(text.shown(), &rename.new);
        if rename.renamed == Renamed::Uses && has_new {
            return None; // what is used now is another thing, which is there
        }
        if !has_word(text.shown(), old) || !found.may_be_of(&rename, &path, text.shown()) {
            continue;
        }
        let uses = uses(&path, text.shown(), old);
        if uses.is_empty() {
            continue;
        }

        found.is_clear &= !has_new;
        let new = rename.new.as_str();
        let after = text.splice(uses.into_iter().map(|range| (range, new)));
        let change = FileChange {
            after: after.ok()?,
            before: edited.map_or(Some(text), |change| change.before.clone()),
            path,
        };
        match workspace.check(&change.change()) {
            Ok(()) => found.changes.push(change),
            Err(_) => found.paths.push(change.path),
        }
    }
    found.uses(rename)
}

/// What the other files say of a name.
#[derive(Default)]
struct Found {
    /// Files that can have the new name.
    changes: Vec<FileChange>,
    /// Files that use the old name and cannot be changed.
    paths: Vec<String>,
    /// Another file that defines the old name.
    also_defined: Option<String>,
    /// Whether something says that the uses are of that definition.
    is_meant: bool,
    /// Whether nothing says that they are of another one.
    is_clear: bool,
}

impl Found {
    /// Whether a file with the name may use that definition.
    fn may_be_of(&mut self, rename: &Rename<'_>, path: &str, shown: &str) -> bool {
        let patched = rename.patched;
        let is_defined = defines(path, shown, &rename.old);
        if is_defined {
            self.is_meant |= mentions(patched.before.shown(), path);
            self.is_clear = false;
            self.also_defined.get_or_insert(path.to_owned());
        }
        match rename.renamed {
            Renamed::Definition => !is_defined || mentions(shown, &patched.path),
            Renamed::Variable => mentions(shown, &patched.path),
            Renamed::Uses => true,
        }
    }

    fn uses(mut self, rename: Rename<'_>) -> Option<Uses> {
        if !self.is_clear {
            let changes = self.changes.drain(..);
            self.paths.extend(changes.map(|change| change.path));
        }
        let is_found = !self.changes.is_empty() || !self.paths.is_empty();
        let is_known = rename.renamed != Renamed::Uses || self.also_defined.is_some();
        (is_found && self.is_meant && is_known).then(|| Uses {
            changes: self.changes,
            kept: KeptName {
                path: rename.patched.path.clone(),
                renamed: rename.renamed,
                old: rename.old,
                new: rename.new,
                paths: self.paths,
                also_defined: self.also_defined,
            },
        })
    }
}

/// Whether a task asks for all uses of a name, wherever they are.
fn asks_for_all(task: &Task) -> bool {
    let sentence = task.sentence();
    let names_files = !task.files().is_empty() || task.mentions().opening().is_some();
    !names_files && has_word(&sentence.to_lowercase(), "everywhere")
}

/// A name that an edit changed.
struct Rename<'a> {
    patched: &'a Patched,
    renamed: Renamed,
    old: String,
    new: String,
    /// Whether its own file does not have the old name any more.
    is_clear: bool,
}

impl Rename<'_> {
    fn of<'a>(patched: &'a Patched, changed: &[FileChange]) -> Option<Rename<'a>> {
        let before = patched.before.shown();
        let (old, new) = match patched.operation {
            Operation::ReplaceAll => {
                let first = patched.replacements.first()?;
                (before[first.range.clone()].to_owned(), first.new.clone())
            }
            Operation::Replace => renamed_definition(before, &patched.replacements)?,
            _ => return None,
        };
        if !is_identifier(&old) || !is_identifier(&new) {
            return None;
        }
        let change = changed.iter().find(|change| change.path == patched.path)?;
        let after = Text::decode_after(change.before.as_ref(), change.after.clone()).ok()?;
        if defines(&patched.path, after.shown(), &old) {
            return None;
        }

        let renamed = if defines(&patched.path, before, &old) {
            Renamed::Definition
        } else if before.lines().any(|line| declares(line, &old)) {
            Renamed::Variable
        } else {
            Renamed::Uses
        };
        let is_clear =
            renamed != Renamed::Uses && uses(&patched.path, after.shown(), &old).is_empty();
        // Uses that get a name that the file has are of another thing now.
        let is_rename = renamed != Renamed::Uses || !has_word(before, &new);
        is_rename.then_some(Rename {
            patched,
            renamed,
            old,
            new,
            is_clear,
        })
    }
}
