//! A new name, and uses of the old one that are left.

use super::occurrences::{first_of, line_names, line_numbers};
use super::warning::{Warning, WarningKind};
use crate::edit::{renamed_definition, whole_token_ranges};
use crate::patched::Patched;
use crate::slots::Operation;
use crate::text::{Text, defined_name};
use serde::{Deserialize, Serialize};

/// Warns of an edit that renames a definition and not its uses in the same file. `afterwards` is the
/// file after all edits: a later step may have renamed the uses. If the old name still has a
/// definition there, the uses may be of that one (an overloaded or shadowed name), and there is
/// nothing to warn of.
pub fn leftover(patched: &Patched, afterwards: &[u8]) -> Option<Warning> {
    // Everywhere is not everywhere where only some lines may change.
    if !matches!(
        patched.operation,
        Operation::Replace | Operation::ReplaceAll
    ) {
        return None;
    }
    let (old, new) = renamed_definition(patched.before.shown(), &patched.replacements)?;
    let afterwards = Text::decode_after(Some(&patched.before), afterwards.to_vec()).ok()?;
    let afterwards = afterwards.shown();
    let mut defined = afterwards.lines().filter_map(defined_name);
    let left = whole_token_ranges(afterwards, &old);
    if left.is_empty() || defined.any(|name| name == old) {
        return None;
    }

    let n_left = left.len();
    let uses = if n_left == 1 {
        "use of it is"
    } else {
        "uses of it are"
    };
    let lines = line_names(&line_numbers(afterwards, &left));
    Some(WarningKind::Leftover.says(format!(
        "the definition of {old} is now called {new}, and {n_left} {uses} left ({lines}): \
         to change all of them, ask to \"rename {old} to {new} everywhere\""
    )))
}

/// A name that other files still have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptName {
    /// The file with the new name.
    pub path: String,
    /// What the new name was given to there.
    pub renamed: Renamed,
    /// The name before.
    pub old: String,
    /// The name now.
    pub new: String,
    /// The other files with the old name, by path.
    pub paths: Vec<String>,
    /// Another file that defines the old name.
    pub also_defined: Option<String>,
}

/// What an edit gave a new name to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Renamed {
    /// A function, a type or a module.
    Definition,
    /// A constant or a field. Other files may have one of that name too.
    Variable,
    /// Uses only: the definition is in another file.
    Uses,
}

impl KeptName {
    /// Warns of the old name in other files.
    pub fn warning(&self) -> Warning {
        let KeptName { path, old, new, .. } = self;
        let is_of_uses = self.renamed == Renamed::Uses;
        let files = match self.paths.len() {
            1 => "1 other file still has".to_owned(),
            n => format!("{n} other files still have"),
        };
        let paths = first_of(&self.paths);
        let renamed = if is_of_uses {
            format!("{path} now says {new} instead of {old}")
        } else {
            format!("{old} is now called {new}")
        };
        let mut message = format!("{renamed}, and {files} the old name ({paths})");
        match &self.also_defined {
            Some(other) if is_of_uses => message += &format!("; {other} defines it"),
            Some(other) => {
                message += &format!("; {other} defines {old} too, so it may be another one there");
            }
            None => {}
        }
        WarningKind::Leftover.says(message)
    }
}
