//! Finds the root of a patch's paths: the writer's root may be another folder than ours.
//!
//! A patch has one root. If `proj/src/a.txt` is taken for `src/a.txt`, since there is no folder
//! `proj`, then a new file `proj/src/b.txt` of the same patch is `src/b.txt`. No new folder is made
//! that has the name of a shell variable or of a home folder.

use super::plan::Files;
use crate::format::{Action, FileEdit, Over, Patch};
use crate::text::paths::{Resolved, ends_like, plain_path, resolve_path};
use std::collections::{HashMap, HashSet};

/// Names that editors and shells give the folder that is open.
const ROOTS: [&str; 7] = [
    "${workspaceFolder}",
    "${workspaceRoot}",
    "{workspaceFolder}",
    "$PWD",
    "${PWD}",
    "$(pwd)",
    "%CD%",
];

/// Marks around a name.
const PAIRS: [(&str, &str); 8] = [
    ("**", "**"),
    ("`", "`"),
    ("\"", "\""),
    ("'", "'"),
    ("*", "*"),
    ("“", "”"),
    ("‘", "’"),
    ("«", "»"),
];

/// The patch with paths that begin at our root, as far as the patch shows where its own root is.
pub(super) fn rooted(patch: &Patch, files: &dyn Files) -> Patch {
    let mut patch = patch.clone();
    let mut known = KnownPaths {
        files,
        is_there: HashMap::new(),
    };
    for path in patch.file_edits_mut().flat_map(paths_mut) {
        if !known.has(&plain_path(path)) {
            *path = without_root(bare(path)).to_owned();
        }
    }

    let outer = outer_folders(&patch, files);
    for path in patch.file_edits_mut().flat_map(paths_mut) {
        let plain = plain_path(path);
        let folder = outer.iter().find(|folder| plain.starts_with(*folder));
        if let Some(folder) = folder.filter(|_| !known.has(&plain)) {
            *path = plain[folder.len()..].to_owned();
        }
    }

    for file_edit in patch.file_edits_mut() {
        if let Some(folder) = made_by_mistake(file_edit, files) {
            file_edit.action = Action::Refused {
                is_malformed: false,
                message: format!("`{folder}` is no folder here, and none is made with that name"),
                next: "write the file's path below the folder that is edited".to_owned(),
            };
        }
    }
    patch
}

/// Remembers which files are there: a patch may have thousands of edits of one file.
struct KnownPaths<'f> {
    files: &'f dyn Files,
    is_there: HashMap<String, bool>,
}

impl KnownPaths<'_> {
    fn has(&mut self, path: &str) -> bool {
        if let Some(is_there) = self.is_there.get(path) {
            return *is_there;
        }
        let is_there = self.files.read(path).is_ok_and(|text| text.is_some());
        self.is_there.insert(path.to_owned(), is_there);
        is_there
    }
}

/// The folders that the patch's root has and ours has not: those of edits whose file is found only
/// without them. Each ends with a slash.
fn outer_folders(patch: &Patch, files: &dyn Files) -> Vec<String> {
    let mut seen: HashSet<&str> = HashSet::new();
    let mut folders = Vec::new();
    for file_edit in patch.file_edits() {
        if let Some(path) = file_edit.path.as_deref()
            && seen.insert(path)
            && searches_a_file(&file_edit.action)
        {
            folders.extend(outer_folder(&plain_path(path), files));
        }
    }
    folders
}

/// Whether an action changes a file that must exist.
fn searches_a_file(action: &Action) -> bool {
    match action {
        Action::Edit(_) | Action::Lines(_) | Action::Insert(_) => true,
        Action::Write { over, .. } => matches!(over, Over::File | Over::Version),
        _ => false,
    }
}

fn outer_folder(path: &str, files: &dyn Files) -> Option<String> {
    let Resolved::File(found) = resolve_path(path, files.listing()) else {
        return None;
    };
    let folder = path.strip_suffix(&found)?;
    let mut listed = files.listing().iter();
    let is_there = listed.any(|other| other.starts_with(folder))
        || files.read(path).is_ok_and(|text| text.is_some());
    (!folder.is_empty() && ends_like(path, &found) && !is_there).then(|| folder.to_owned())
}

/// All paths of an edit.
fn paths_mut(file_edit: &mut FileEdit) -> impl Iterator<Item = &mut String> {
    let other = match &mut file_edit.action {
        Action::Move { to } => Some(to),
        Action::Copy { from } => Some(from),
        _ => None,
    };
    file_edit.path.as_mut().into_iter().chain(other)
}

/// A name without the marks that Markdown and shells put around it.
fn bare(name: &str) -> &str {
    let mut bare = name.trim();
    while let Some(inner) = inside_pair(bare).or_else(|| link_text(bare)) {
        bare = inner.trim();
    }
    bare
}

fn inside_pair(name: &str) -> Option<&str> {
    PAIRS.iter().find_map(|(open, close)| {
        let inner = name.strip_prefix(open)?.strip_suffix(close)?;
        (!inner.trim().is_empty()).then_some(inner)
    })
}

fn link_text(name: &str) -> Option<&str> {
    let link = name.strip_prefix('[')?.strip_suffix(')')?;
    link.split_once("](").map(|(text, _)| text)
}

fn without_root(path: &str) -> &str {
    ROOTS
        .iter()
        .find_map(|root| path.strip_prefix(root)?.strip_prefix(['/', '\\']))
        .unwrap_or(path)
}

/// The first folder of a file that an edit makes, if that is a home folder or a variable.
fn made_by_mistake(file_edit: &FileEdit, files: &dyn Files) -> Option<String> {
    let path = match &file_edit.action {
        Action::Write { .. } | Action::Copy { .. } => file_edit.path.as_deref()?,
        Action::Move { to } => to,
        _ => return None,
    };
    let path = plain_path(path);
    let (first, _) = path.split_once('/')?;

    let is_variable = first.strip_prefix('$').is_some_and(|name| {
        name.starts_with(|char: char| char.is_ascii_alphabetic() || "{(_".contains(char))
    });
    let is_percent = first.len() > 2 && first.starts_with('%') && first.ends_with('%');
    let is_braces = first.starts_with('{') && first.ends_with('}');
    if !(first.starts_with(['~', '<']) || is_variable || is_percent || is_braces) {
        return None;
    }
    let mut listed = files.listing().iter();
    let is_there = listed.any(|other| other.split('/').next() == Some(first) && other != first);
    (!is_there).then(|| first.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apply::InMemory;
    use crate::format::Format;
    use crate::hunk::Hunk;

    /// The paths of a patch that edits the first path, if one is given, and makes the other.
    #[track_caller]
    fn check(edited: Option<&str>, made: &str, expected: Result<&str, &str>) {
        let files: InMemory = ["top.txt", "src/a.txt", "$lib/a.ts"]
            .map(|path| (path, "x\n"))
            .into_iter()
            .collect();
        let edit = Action::Edit(Hunk::of_lines(&["x"], &["y"]));
        let write = Action::Write {
            text: "y\n".to_owned(),
            over: Over::Anything,
        };
        let file_edit = |path: &str, action| FileEdit {
            path: Some(path.to_owned()),
            line: 1,
            action,
        };
        let file_edits = edited
            .map(|path| file_edit(path, edit))
            .into_iter()
            .chain([file_edit(made, write)]);
        let patch = rooted(&Patch::of(Format::Json, file_edits.collect()), &files);
        let last = patch.file_edits().last().unwrap();
        let result = match &last.action {
            Action::Refused { message, .. } => Err(message.as_str()),
            _ => Ok(last.path.as_deref().unwrap()),
        };
        match (result, expected) {
            (Err(message), Err(part)) => assert!(message.contains(part), "{message}"),
            (result, expected) => assert_eq!(result, expected, "{edited:?} {made}"),
        }
    }

    #[test]
    fn an_outer_folder_goes_from_all_paths_of_a_patch() {
        check(Some("proj/src/a.txt"), "proj/src/b.txt", Ok("src/b.txt"));
        check(
            Some("/home/me/proj/src/a.txt"),
            "/home/me/proj/b.txt",
            Ok("b.txt"),
        );
        check(Some("old/top.txt"), "old/b/c.txt", Ok("b/c.txt"));
        check(Some("~/proj/src/a.txt"), "~/proj/b.txt", Ok("b.txt"));
    }

    #[test]
    fn a_folder_stays_where_nothing_says_that_it_is_outside() {
        check(None, "proj/b.txt", Ok("proj/b.txt"));
        check(Some("src/a.txt"), "proj/b.txt", Ok("proj/b.txt"));
        check(Some("proj/src/a.txt"), "other/b.txt", Ok("other/b.txt"));
        check(None, "$lib/b.ts", Ok("$lib/b.ts"));
    }

    #[test]
    fn variables_and_home_folders_are_no_folders() {
        for made in [
            "~/proj/b.py",
            "~me/b.py",
            "$HOME/b.py",
            "${HOME}/b.py",
            "%USERPROFILE%/b.py",
        ] {
            check(None, made, Err("is no folder here"));
        }
        for root in ROOTS {
            check(None, &format!("{root}/b.py"), Ok("b.py"));
        }
    }

    #[test]
    fn what_markdown_puts_around_a_name_goes() {
        for made in [
            "`b.py`",
            "\"b.py\"",
            "'b.py'",
            "**b.py**",
            "**`b.py`**",
            "[b.py](./b.py)",
        ] {
            check(None, made, Ok("b.py"));
        }
        check(None, "app/[id]/b.py", Ok("app/[id]/b.py"));
    }
}
