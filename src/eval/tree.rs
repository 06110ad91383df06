//! The files of a folder as a value, and what changed in them.

use crate::diff::{self, FileDiff};
use crate::text::Text;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The files of a folder: relative paths with `/`, and what they hold.
pub type Tree = BTreeMap<String, Vec<u8>>;

/// What became of a folder's files, as a unified diff.
pub fn difference(before: &Tree, after: &Tree) -> String {
    let paths: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let changed = paths
        .into_iter()
        .filter(|path| before.get(*path) != after.get(*path));
    let unified = |path: &String| {
        // What is no text differs all the same.
        let texts = before
            .get(path)
            .map(|bytes| Text::decode(bytes.clone()))
            .transpose();
        match texts {
            Ok(before) => {
                let after = after.get(path).map(Vec::as_slice);
                diff::unified(&FileDiff::of(path, before.as_ref(), after))
            }
            Err(_) => format!("Binary files a/{path} and b/{path} differ\n"),
        }
    };
    changed.map(unified).collect()
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

/// The paths whose files differ: those of `before`, then the new ones.
pub(super) fn changed<'a>(before: &'a Tree, after: &'a Tree) -> Vec<&'a str> {
    let paths = before
        .keys()
        .chain(after.keys().filter(|path| !before.contains_key(*path)));
    paths
        .filter(|path| before.get(*path) != after.get(*path))
        .map(String::as_str)
        .collect()
}

/// Writes files into a folder.
///
/// # Errors
/// Of the file system.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_headers_and_context_are_not_touched() {
        let check = |before: &[(&str, &str)], after: &[(&str, &str)], n: usize| {
            let tree = |files: &[(&str, &str)]| {
                files
                    .iter()
                    .map(|(path, text)| (path.to_string(), text.as_bytes().to_vec()))
                    .collect()
            };
            assert_eq!(lines_touched(&difference(&tree(before), &tree(after))), n);
        };
        check(
            &[("a.lua", "a\n-- b\nc\n")],
            &[("a.lua", "a\n-- d\n-- e\nc\n")],
            3,
        );
        check(
            &[("a", "1\n"), ("b", "2\n")],
            &[("a", "3\n"), ("b", "2\n4\n")],
            3,
        );
        check(&[], &[("new", "1\n2\n")], 2);
        check(&[("a", "1\n")], &[("a", "1\n")], 0);
    }
}
