//! Which files a glob means.

use crate::failure::{Failure, FailureKind};
use crate::workspace::{IgnoredPaths, Workspace};
use similar::TextDiff;

/// How alike a glob and a path must be, 0 to 1, for the path to be what was meant.
const ALIKE: f32 = 0.6;

/// The most paths that are listed as alike.
const MOST_ALIKE: usize = 3;

/// The listed files that match a glob, which is read as a line of a `.gitignore`: `*.py` matches in
/// every folder, `/*.py` in the root, `src` all below it. Sorted.
///
/// # Errors
/// If it is no glob, or matches nothing.
pub(super) fn matching(workspace: &Workspace, glob: &str) -> Result<Vec<String>, Failure> {
    let meant = relative(workspace, glob);
    if meant.trim().is_empty() || meant.starts_with(['!', '#']) {
        return Err(broken(glob, "it names no files"));
    }
    let matched = IgnoredPaths::new(workspace.root(), &[meant.to_owned()]);
    let matched = matched.map_err(|error| broken(glob, &error.to_string()))?;

    let listed = workspace.list().paths;
    let paths: Vec<String> = listed
        .iter()
        .filter(|path| matched.has_path(path))
        .cloned()
        .collect();
    if paths.is_empty() {
        return Err(nothing(workspace, glob, listed));
    }
    Ok(paths)
}

/// A glob from the root, if it is written from somewhere else.
fn relative<'g>(workspace: &Workspace, glob: &'g str) -> &'g str {
    let root = workspace.root().to_str();
    let below = root.and_then(|root| glob.strip_prefix(root));
    match below.filter(|below| below.starts_with('/')) {
        Some(below) => below,
        None => glob.strip_prefix("./").unwrap_or(glob),
    }
}

fn broken(glob: &str, why: &str) -> Failure {
    let message = format!("--each {glob:?} is no glob: {why}");
    Failure::new(FailureKind::Arguments, message)
        .hint("* is any part of a name, ** any folders, {a,b} one of several, [ab] one character")
}

fn nothing(workspace: &Workspace, glob: &str, listed: Vec<String>) -> Failure {
    let root = workspace.root().display();
    let n_listed = listed.len();
    let message = format!("--each {glob:?} matches none of the {n_listed} files in {root}");
    let failure = Failure::new(FailureKind::NotFound, message);

    let plain = glob.replace(['*', '?'], "");
    let mut alike: Vec<(f32, String)> = Vec::new();
    for path in listed {
        alike.push((TextDiff::from_chars(plain.as_str(), &path).ratio(), path));
    }
    alike.sort_by(|a, b| b.0.total_cmp(&a.0));
    let alike = alike.into_iter().take_while(|(ratio, _)| *ratio >= ALIKE);
    let alike: Vec<String> = alike.take(MOST_ALIKE).map(|(_, path)| path).collect();
    let failure = if alike.is_empty() {
        failure
    } else {
        failure.hint(format!("similar: {}", alike.join(", ")))
    };
    failure
        .hint("it is matched against paths from there, as in a .gitignore: *.py, src/**/*.py, src")
        .hint("hidden and ignored files are left out")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[track_caller]
    fn check(glob: &str, expected: Result<&[&str], &str>) {
        let root = tempfile::tempdir().unwrap();
        for path in ["a.py", "src/b.py", "src/deep/c.py", "src/d.rs", "x.log"] {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        fs::write(root.path().join(".gitignore"), "*.log\n").unwrap();
        let workspace = Workspace::open(root.path()).unwrap();
        let glob = glob.replace("ROOT", workspace.root().to_str().unwrap());
        match (matching(&workspace, &glob), expected) {
            (Ok(paths), Ok(expected)) => assert_eq!(paths, expected, "{glob}"),
            (Err(failure), Err(expected)) => {
                let said = [vec![failure.message], failure.hints].concat().join("\n");
                assert!(said.contains(expected), "{glob}: {said}");
            }
            (came, _) => panic!("{glob}: {came:?}"),
        }
    }

    #[test]
    fn a_glob_is_read_as_in_a_gitignore() {
        check("*.py", Ok(&["a.py", "src/b.py", "src/deep/c.py"]));
        check("/*.py", Ok(&["a.py"]));
        check("src/*.py", Ok(&["src/b.py"]));
        check("./src/*.py", Ok(&["src/b.py"]));
        check("ROOT/src/*.py", Ok(&["src/b.py"]));
        check("src/**/*.py", Ok(&["src/b.py", "src/deep/c.py"]));
        check("src", Ok(&["src/b.py", "src/d.rs", "src/deep/c.py"]));
        check(
            "*.{py,rs}",
            Ok(&["a.py", "src/b.py", "src/d.rs", "src/deep/c.py"]),
        );
    }

    #[test]
    fn what_matches_nothing_is_said_with_what_is_alike() {
        check("scr/*.py", Err("matches none of the 4 files in /"));
        check("scr/*.py", Err("similar: src/b.py"));
        check("*.log", Err("hidden and ignored files are left out"));
        for broken in ["src/{a,b", "{a", "!a.py", "#a.py", "", " "] {
            check(broken, Err("is no glob: "));
        }
    }
}
