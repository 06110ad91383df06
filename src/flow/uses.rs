//! The uses, in other files, of a name that an edit changed.
//!
//! A model edits one file. If it renames a function there, the files that use it no longer work. The
//! program finds them without a model: the same identifier, in files of the same language. It may be
//! another thing of that name, so a person has to look.

use super::other_files::{DEADLINE, defines, is_of_same_language, mentions, uses};
use super::steps::{StepEdit, Steps, Uses};
use crate::edit::{declares, renamed_definition};
use crate::patched::{FileChange, Patched};
use crate::review::{KeptName, Renamed};
use crate::slots::Operation;
use crate::task::Task;
use crate::text::Text;
use crate::text::ident::{has_word, is_identifier};
use crate::workspace::Workspace;
use std::collections::BTreeMap;
use std::time::Instant;

/// Gives a changed name to its uses in other files too, if nothing says that they are of another thing
/// and the person named no file. What became of them is in [`Steps::uses`].
pub(super) fn follow_rename(task: &Task, steps: &mut Steps, workspace: &Workspace) {
    let changes = steps.changes();
    let Some((mut renamed, mut kept)) = elsewhere(&steps.edits, &changes, workspace, task) else {
        return;
    };
    if is_beyond_named(task, &changes, &renamed) {
        let paths = renamed.drain(..).map(|patched| patched.path);
        kept.paths.extend(paths);
        kept.paths.sort_unstable();
    }

    steps.uses = Some(Uses {
        renamed: renamed.iter().map(|it| it.path.clone()).collect(),
        kept,
    });
    for patched in renamed {
        workspace.pend(&patched.path, patched.after.clone());
        steps.edits.push(StepEdit {
            patched,
            certainty: BTreeMap::new(),
        });
    }
}

/// Whether a task names files, and not all that have uses of a renamed name.
fn is_beyond_named(task: &Task, changes: &[FileChange], uses: &[Patched]) -> bool {
    if !task.files().is_empty() {
        return true;
    }
    let Some(opening) = task.mentions().opening() else {
        return false;
    };
    changes.iter().any(|it| opening.names_or_also(&it.path))
        && !uses.iter().all(|it| opening.names_or_also(&it.path))
}

/// The other files that can have a changed name as well, and those that keep it whatever is done.
/// `changed`: all edits together, by file.
fn elsewhere(
    edits: &[StepEdit],
    changed: &[FileChange],
    workspace: &Workspace,
    task: &Task,
) -> Option<(Vec<Patched>, KeptName)> {
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
        let Ok(text) = workspace.read(&path) else {
            continue;
        };
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
        let patched = Patched::replacing(&path, text, uses, &rename.new)?;
        let change = FileChange {
            path: patched.path.clone(),
            before: edited.map_or(Some(patched.before.clone()), |it| it.before.clone()),
            after: patched.after.clone(),
        };
        match workspace.check(&change.change()) {
            Ok(()) => found.renamed.push(patched),
            Err(_) => found.paths.push(patched.path),
        }
    }
    found.uses(rename)
}

/// What the other files say of a name.
#[derive(Default)]
struct Found {
    /// Files with the new name.
    renamed: Vec<Patched>,
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

    fn uses(mut self, rename: Rename<'_>) -> Option<(Vec<Patched>, KeptName)> {
        if !self.is_clear {
            let renamed = self.renamed.drain(..);
            self.paths.extend(renamed.map(|patched| patched.path));
        }
        let is_found = !self.renamed.is_empty() || !self.paths.is_empty();
        let is_known = rename.renamed != Renamed::Uses || self.also_defined.is_some();
        let kept = KeptName {
            path: rename.patched.path.clone(),
            renamed: rename.renamed,
            old: rename.old,
            new: rename.new,
            paths: self.paths,
            also_defined: self.also_defined,
        };
        (is_found && self.is_meant && is_known).then_some((self.renamed, kept))
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
