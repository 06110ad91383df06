//! The files of a folder as a value, and the changes between two such values.

use crate::diff::{self, FileDiff};
use crate::text::Text;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The files of a folder: relative paths with `/`, and their bytes.
pub type Tree = BTreeMap<String, Vec<u8>>;

/// The change of a folder's files as a unified diff.
pub fn difference(before: &Tree, after: &Tree) -> String {
    let mut unified = String::new();
    for path in changed(before, after) {
        let old = before.get(path).map(|bytes| Text::decode(bytes.clone()));
        match old.transpose() {
            Ok(old) => {
                let new = after.get(path).map(Vec::as_slice);
                unified += &diff::unified(&FileDiff::of(path, old.as_ref(), new));
            }
            Err(_) => unified += &format!("Binary files a/{path} and b/{path} differ\n"),
        }
    }
    unified
}

/// The paths whose files differ.
pub(super) fn changed<'a>(before: &'a Tree, after: &'a Tree) -> BTreeSet<&'a str> {
    before
        .keys()
        .chain(after.keys())
        .filter(|path| before.get(*path) != after.get(*path))
        .map(String::as_str)
        .collect()
}

/// How many lines a unified diff removes and adds.
pub(super) fn lines_touched(diff: &str) -> usize {
    let n_changed = diff
        .lines()
        .filter(|line| line.starts_with(['+', '-']))
        .count();
    // Each file has a header of two such lines.
    let n_files = diff.lines().filter(|line| line.starts_with("+++ ")).count();
    n_changed.saturating_sub(2 * n_files)
}

/// Writes files into a folder.
///
/// # Errors
/// Those of the file system.
pub fn write_tree(folder: &Path, files: &Tree) -> std::io::Result<()> {
    for (path, bytes) in files {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, bytes)?;
    }
    Ok(())
}

/// Files as a test writes them: paths and texts.
#[cfg(test)]
pub(super) fn tree<const N: usize>(files: [(&str, &str); N]) -> Tree {
    files
        .map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()))
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_headers_and_context_are_not_touched() {
        let check = |before: Tree, after: Tree, n: usize| {
            assert_eq!(lines_touched(&difference(&before, &after)), n);
        };
        let lua = tree([("a.lua", "a\n-- b\nc\n")]);
        check(lua, tree([("a.lua", "a\n-- d\n-- e\nc\n")]), 3);
        let two = tree([("a", "1\n"), ("b", "2\n")]);
        check(two.clone(), tree([("a", "3\n"), ("b", "2\n4\n")]), 3);
        check(Tree::new(), tree([("new", "1\n2\n")]), 2);
        check(two.clone(), two, 0);
    }
}
