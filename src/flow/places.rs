//! The places that should know of a change: uses of a definition that is another one now, and code that
//! names the neighbours of something new and not it.
//!
//! A change is seldom one place, and a model often ends after the first. The program finds the others
//! without a model, by the parse trees before and after, and by names. Such a place need not change: a
//! model is asked ([`super::follow`]), or the person is told.

use super::other_files::{DEADLINE, defines, is_of_same_language, mentions, uses};
use crate::edit::whole_token_ranges;
use crate::patched::FileChange;
use crate::syntax::{
    ChangedDefinition, DefinitionChange, DefinitionKind, changed_definitions, groups_naming,
    statement_lines,
};
use crate::text::ident::has_word;
use crate::text::{Text, line_bytes, line_diff, visible};
use crate::workspace::Workspace;
use similar::DiffTag;
use std::ops::{Range, RangeInclusive};
use std::time::Instant;

/// The most places of a change.
pub const MOST_PLACES: usize = 8;

/// A place with a longer text is left out, in bytes.
const MOST_BYTES: usize = 4_000;

/// The most places that a remark names.
const MOST_NAMED: usize = 3;

/// A place that may have to follow a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, relative to the root.
    pub path: String,
    /// The lines of the statement or the table, counted from 1, in the file as it is after the edits.
    pub lines: RangeInclusive<usize>,
    /// The line with the name.
    pub line: usize,
    /// That line without the whitespace around it.
    pub text: String,
    /// What it should know of, in words: `total has other parameters now, and is used in`.
    pub news: String,
}

/// A definition that an edit changed, and its file.
#[derive(Clone, Debug)]
struct Changed<'c> {
    change: &'c FileChange,
    definition: ChangedDefinition,
}

/// What is looked for in other places.
enum Wanted {
    /// Uses of the name.
    Uses,
    /// Where so many of the neighbours are named together.
    Neighbours(usize),
    /// Where the value is written as it is.
    Literal(String),
}

/// A file that may have places.
struct Searched<'t> {
    path: &'t str,
    text: &'t str,
    /// If it was edited: the lines that are not as they were, counted from 1.
    edited: Vec<Range<usize>>,
}

/// The places that should know of some changes, best first: near the change, then in files that mention
/// its file. The folder is only searched if a definition is another one, or new and not used. In a large
/// folder some may be missing.
pub fn places(changes: &[FileChange], workspace: &Workspace) -> Vec<Place> {
    let mut found = Vec::new();
    let changed = changed(changes);
    let mut wanted = Vec::new();
    for changed in &changed {
        if changed.definition.kind == DefinitionKind::Parameter {
            found.extend(changed.unused_parameter().map(|place| (0, 0, place)));
        } else {
            wanted.extend(changed.wanted(changes).map(|it| (changed, it)));
        }
    }
    if !wanted.is_empty() {
        search(&wanted, changes, workspace, &mut found);
    }

    found.sort_by(|a, b| (a.0, a.1, &a.2.path, a.2.line).cmp(&(b.0, b.1, &b.2.path, b.2.line)));
    let mut places: Vec<Place> = Vec::new();
    for (_, _, place) in found {
        let mut known = places.iter();
        let is_known = known.any(|it| it.path == place.path && overlap(&it.lines, &place.lines));
        if !is_known && places.len() < MOST_PLACES {
            places.push(place);
        }
    }
    places
}

/// Whether two stretches of lines have a line in common.
pub(super) fn overlap(a: &RangeInclusive<usize>, b: &RangeInclusive<usize>) -> bool {
    a.start() <= b.end() && b.start() <= a.end()
}

/// Adds the places in all files of the folder, each with its rank and its distance.
fn search(
    wanted: &[(&Changed<'_>, Wanted)],
    changes: &[FileChange],
    workspace: &Workspace,
    found: &mut Vec<(usize, usize, Place)>,
) {
    let begun = Instant::now();
    // What was edited comes first: it has the best places.
    let mut paths: Vec<String> = changes.iter().map(|change| change.path.clone()).collect();
    let mut listed = workspace.list().paths;
    listed.retain(|path| !paths.contains(path));
    paths.extend(listed);

    for path in paths {
        if begun.elapsed() > DEADLINE {
            break;
        }
        let mut of_language = wanted.iter();
        if !of_language.any(|(changed, _)| is_of_same_language(&path, &changed.change.path)) {
            continue;
        }
        let change = changes.iter().find(|change| change.path == path);
        let text = match change {
            Some(change) => after(change),
            None => workspace.read(&path).ok(),
        };
        let Some(text) = text else { continue };

        let file = Searched {
            path: &path,
            text: text.shown(),
            edited: change.map_or(Vec::new(), |it| edited_lines(it, text.shown())),
        };
        for (changed, wanted) in wanted {
            found.extend(changed.places_in(&file, wanted));
        }
    }
}

/// The definitions that edits changed.
fn changed(changes: &[FileChange]) -> Vec<Changed<'_>> {
    let mut changed = Vec::new();
    for change in changes {
        let (Some(before), Some(after)) = (&change.before, after(change)) else {
            continue;
        };
        for definition in changed_definitions(&change.path, before.shown(), after.shown()) {
            changed.push(Changed { change, definition });
        }
    }
    changed
}

fn after(change: &FileChange) -> Option<Text> {
    Text::decode_after(change.before.as_ref(), change.after.clone()).ok()
}

/// The lines that a change put there, counted from 1.
fn edited_lines(change: &FileChange, after: &str) -> Vec<Range<usize>> {
    let before = change.before.as_ref().map_or("", Text::shown);
    let before: Vec<&str> = before.lines().collect();
    let after: Vec<&str> = after.lines().collect();
    let mut edited = Vec::new();
    for step in line_diff::diff(&before, &after) {
        if step.tag() != DiffTag::Equal {
            edited.push(step.new_range().start + 1..step.new_range().end + 1);
        }
    }
    edited
}

impl Changed<'_> {
    /// What is to be looked for. Nothing if what is new is used already, or a name has another one: see
    /// [`super::uses`].
    fn wanted(&self, changes: &[FileChange]) -> Option<Wanted> {
        let ChangedDefinition {
            kind,
            change,
            siblings,
            literal,
            within,
            ..
        } = &self.definition;
        match change {
            DefinitionChange::Renamed(_) => return None,
            DefinitionChange::Parameters | DefinitionChange::Type => return Some(Wanted::Uses),
            DefinitionChange::Added => {}
        }
        let is_member = matches!(
            kind,
            DefinitionKind::Variant
                | DefinitionKind::Field
                | DefinitionKind::Key
                | DefinitionKind::Arm
        );
        if !is_member && self.is_used(changes) {
            return None;
        }
        if let Some(literal) = literal {
            return Some(Wanted::Literal(literal.clone()));
        }

        match siblings.len() {
            0 => None,
            1 => is_member.then_some(Wanted::Neighbours(1)),
            // What has no name is known by its parts only.
            n if within.is_none() => Some(Wanted::Neighbours(n.div_ceil(2).max(2))),
            _ => Some(Wanted::Neighbours(2)),
        }
    }

    /// Whether an edited file uses the name outside of its definition.
    fn is_used(&self, changes: &[FileChange]) -> bool {
        let name = &self.definition.name;
        changes.iter().any(|change| {
            let text = after(change);
            let shown = text.as_ref().map_or("", Text::shown);
            let own = if change.path == self.change.path {
                line_bytes(shown, &self.definition.lines)
            } else {
                0..0
            };
            let mut uses = uses(&change.path, shown, name).into_iter();
            uses.any(|range| !own.contains(&range.start))
        })
    }

    /// The function that does not use its new parameter.
    fn unused_parameter(&self) -> Option<Place> {
        let text = after(self.change)?;
        let lines = self.definition.lines.clone();
        Some(self.place(&self.change.path, text.shown(), lines, None))
    }

    /// The places of one file, each with its rank and its distance.
    fn places_in(&self, file: &Searched<'_>, wanted: &Wanted) -> Vec<(usize, usize, Place)> {
        let &Searched { path, text, .. } = file;
        let is_own = path == self.change.path;
        if !is_of_same_language(path, &self.change.path) || !(is_own || self.may_be_meant(file)) {
            return Vec::new();
        }
        let name = &self.definition.name;
        let lines = match wanted {
            Wanted::Uses if has_word(text, name) => {
                statement_lines(path, text, &uses(path, text, name))
            }
            Wanted::Neighbours(least) => self.groups(file, *least),
            Wanted::Literal(literal) if is_own => {
                statement_lines(path, text, &whole_token_ranges(text, literal))
            }
            _ => Vec::new(),
        };

        let rank = match is_own {
            true => 0,
            false if mentions(text, &self.change.path) => 1,
            false => 2,
        };
        let mut places = Vec::new();
        for lines in lines {
            let mut edited = file.edited.iter();
            let is_edited = edited.any(|it| it.start <= *lines.end() && *lines.start() < it.end);
            // Minified code and data are no place for a small edit.
            let is_long = line_bytes(text, &lines).len() > MOST_BYTES;
            let is_itself = is_own && overlap(&lines, &self.definition.lines);
            if !is_itself && !is_long && (!is_edited || matches!(wanted, Wanted::Neighbours(_))) {
                let distance = match is_own {
                    true => lines.start().abs_diff(*self.definition.lines.start()),
                    false => 0,
                };
                places.push((rank, distance, self.place(path, text, lines, Some(wanted))));
            }
        }
        places
    }

    /// The lines that name neighbours of what is new together, and not it.
    fn groups(&self, file: &Searched<'_>, least: usize) -> Vec<RangeInclusive<usize>> {
        let ChangedDefinition { name, siblings, .. } = &self.definition;
        let known = siblings.iter().filter(|it| has_word(file.text, it));
        if known.count() < least {
            return Vec::new();
        }
        let mut groups = groups_naming(file.path, file.text, siblings, least);
        groups.retain(|lines| !has_word(&file.text[line_bytes(file.text, lines)], name));
        groups
    }

    /// Whether the names in another file may be of this definition.
    fn may_be_meant(&self, file: &Searched<'_>) -> bool {
        let &Searched { path, text, .. } = file;
        let ChangedDefinition { name, within, .. } = &self.definition;
        match within {
            Some(within) => has_word(text, within) || mentions(text, &self.change.path),
            None => !defines(path, text, name) || mentions(text, &self.change.path),
        }
    }

    fn place(
        &self,
        path: &str,
        text: &str,
        lines: RangeInclusive<usize>,
        wanted: Option<&Wanted>,
    ) -> Place {
        let name = &self.definition.name;
        let mut line = *lines.start();
        if matches!(wanted, Some(Wanted::Uses)) {
            let mut below = text.lines().skip(line - 1);
            line += below.position(|it| has_word(it, name)).unwrap_or(0);
        }
        let of_line = text.lines().nth(line - 1).unwrap_or_default();
        Place {
            path: path.to_owned(),
            lines,
            line,
            text: of_line.trim().to_owned(),
            news: self.news(),
        }
    }

    /// What a place should know.
    fn news(&self) -> String {
        let ChangedDefinition {
            name,
            kind,
            change,
            siblings,
            within,
            literal,
            ..
        } = &self.definition;
        match (change, kind) {
            (DefinitionChange::Parameters, DefinitionKind::Variant) => {
                format!("{name} holds something else now, and is also in")
            }
            (DefinitionChange::Parameters, _) => {
                format!("{name} has other parameters now, and is also used in")
            }
            (DefinitionChange::Type, DefinitionKind::Function) => {
                format!("{name} returns another type now, and is also used in")
            }
            (DefinitionChange::Type | DefinitionChange::Renamed(_), _) => {
                format!("{name} has another type now, and is also used in")
            }
            (DefinitionChange::Added, DefinitionKind::Parameter) => {
                let function = within.as_deref().unwrap_or_default();
                format!("{function} does not use its new parameter {name}:")
            }
            (DefinitionChange::Added, _) if literal.is_some() => {
                format!("nothing uses {name} yet, and its value is also in")
            }
            (DefinitionChange::Added, _) => {
                let beside: Vec<&str> = siblings.iter().take(2).map(String::as_str).collect();
                let are = if siblings.len() == 1 { "is" } else { "are" };
                format!(
                    "{name} is new beside {}, which {are} also in",
                    beside.join(" and ")
                )
            }
        }
    }
}

/// Names the places that stay, in a sentence; `None` if there are none.
pub fn remark(places: &[Place]) -> Option<String> {
    let mut remark = String::new();
    let mut news = "";
    for place in places.iter().take(MOST_NAMED) {
        let is_same = place.news == news;
        news = &place.news;
        remark += match (remark.is_empty(), is_same) {
            (true, _) => "",
            (false, true) => ", ",
            (false, false) => "; ",
        };
        if !is_same {
            remark += &format!("{news} ");
        }
        let Place {
            path, line, text, ..
        } = place;
        remark += &format!("{path} line {line} (`{}`)", visible(text));
    }
    if places.len() > MOST_NAMED {
        remark += &format!(" and {} more", places.len() - MOST_NAMED);
    }
    (!places.is_empty()).then(|| remark + ": see whether that has to change too")
}
