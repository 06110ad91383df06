//! Suites: folders of tasks that have a right answer.
//!
//! ```text
//! SUITE/TASK/task.toml     sentence, wordings, category, level, language, reason, check, seconds
//!            before/       the folder before the edit
//!            after/        the files that change or are new, as they should be
//!            after.2/, …   other results that are as good
//!            check/        files that overwrite those of the edited folder before the check runs
//!            earlier/      for a follow-up: files as they were before an edit that `before` has
//! ```
//! A follow-up's `first` is the sentence of that edit, and `written` says whether it was written.
//!
//! A task's `Cargo.toml` is called `Cargo.toml.in`: `cargo package` leaves out every folder with a
//! `Cargo.toml`, so a crate would lack these files.
//!
//! A task is right if its folder is byte for byte that of one of the `after` folders, or if its
//! `check`, a command in the edited folder, ends with exit code 0. A task of level
//! `decline` has neither: the right answer is no edit.

use super::public_set;
use super::task::{BrokenTask, Check, EvalTask, SuiteError, Suites};
use super::tree::Tree;
use crate::flow::earlier;
use crate::slots::Reason;
use crate::task::Standing;
use crate::workspace::Change;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::time::Duration;

/// The suites inside the binary: paths and bytes.
static BUNDLED: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/bundled_suites.rs"));

/// Paths and bytes.
type Files = BTreeMap<String, Cow<'static, [u8]>>;

/// The largest size of a folder with suites, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// The time limit of a check without `seconds`.
const CHECK_TIME: Duration = Duration::from_secs(30);

/// The names of the bundled suites.
pub fn bundled_names() -> Vec<String> {
    let suites = BUNDLED
        .iter()
        .filter_map(|(path, _)| path.split('/').next());
    let mut names: Vec<String> = suites.map(str::to_owned).collect();
    names.dedup();
    names
}

/// All tasks of the bundled suites.
pub fn bundled() -> Suites {
    let mut files = BTreeMap::new();
    for (path, bytes) in BUNDLED {
        files.insert((*path).to_owned(), Cow::Borrowed(*bytes));
    }
    tasks_of(&files)
}

/// The tasks under a name: a bundled suite, a folder (a suite, several, or one task), or a public
/// set (`.jsonl`, see [`super::public_set`]).
///
/// # Errors
/// If there is nothing of that name, or no task in it.
pub fn read(name: &str) -> Result<Suites, SuiteError> {
    let path = Path::new(name);
    if path.is_file() {
        return public_set::read(path);
    }
    if !path.exists() {
        return read_bundled(name);
    }

    // `.` and `..` name no suite; their real paths do.
    let path = path
        .canonicalize()
        .map_err(|error| SuiteError::read(path, error))?;
    // If the folder itself is one task, the folder above it names the suite.
    let mut prefix = String::new();
    for part in [path.parent().and_then(Path::file_name), path.file_name()]
        .into_iter()
        .flatten()
    {
        prefix += &format!("{}/", part.to_string_lossy());
    }

    let mut files = BTreeMap::new();
    read_folder(&path, &prefix, &mut files, &mut 0)?;
    let suites = tasks_of(&files);
    if suites.tasks.is_empty() && suites.broken.is_empty() {
        return Err(SuiteError::Empty(path));
    }
    Ok(suites)
}

fn read_bundled(name: &str) -> Result<Suites, SuiteError> {
    let mut suites = bundled();
    suites.tasks.retain(|task| task.suite == name);
    if suites.tasks.is_empty() {
        return Err(SuiteError::Unknown {
            name: name.to_owned(),
            bundled: bundled_names(),
        });
    }
    Ok(suites)
}

/// Adds the files of a folder, by their paths in it behind `prefix`, and their size to `n_bytes`.
fn read_folder(
    folder: &Path,
    prefix: &str,
    files: &mut Files,
    n_bytes: &mut u64,
) -> Result<(), SuiteError> {
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    for entry in entries.map_err(|error| SuiteError::read(folder, error))? {
        let path = entry.path();
        let name = entry
            .file_name()
            .into_string()
            .map_err(|_| SuiteError::read(&path, io::Error::other("its name is not UTF-8")))?;
        let kind = entry
            .file_type()
            .map_err(|error| SuiteError::read(&path, error))?;

        if kind.is_dir() {
            read_folder(&path, &format!("{prefix}{name}/"), files, n_bytes)?;
        } else if kind.is_file() {
            let bytes = std::fs::read(&path).map_err(|error| SuiteError::read(&path, error))?;
            *n_bytes += bytes.len() as u64;
            if *n_bytes > MAX_BYTES {
                let message = format!("it holds more than {} MB", MAX_BYTES >> 20);
                return Err(SuiteError::read(folder, io::Error::other(message)));
            }
            files.insert(format!("{prefix}{name}"), Cow::Owned(bytes));
        }
    }
    Ok(())
}

/// The keys of `task.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TaskFile {
    sentence: String,
    #[serde(default)]
    wordings: Vec<String>,
    category: String,
    level: String,
    language: String,
    #[serde(default)]
    first: Option<String>,
    #[serde(default)]
    written: bool,
    #[serde(default)]
    reason: Option<Reason>,
    #[serde(default)]
    check: Option<Vec<String>>,
    #[serde(default)]
    seconds: Option<u64>,
}

/// Every folder with a `task.toml` is a task.
fn tasks_of(files: &Files) -> Suites {
    let mut suites = Suites::default();
    for (path, toml) in files {
        let Some(folder) = path.strip_suffix("/task.toml") else {
            continue;
        };
        if folder.contains("/before/") || folder.contains("/after") || folder.contains("/check/") {
            continue; // a file of a task that happens to have this name
        }

        let mut names = folder.rsplit('/');
        let task = names.next().unwrap_or_default();
        let suite = names.next().unwrap_or("suite");
        let name = format!("{suite}/{task}");
        match task_of(&name, suite, toml, &folders_of(files, folder)) {
            Ok(task) => suites.tasks.push(task),
            Err(reason) => suites.broken.push(BrokenTask { task: name, reason }),
        }
    }
    suites.tasks.sort_by(|a, b| a.name.cmp(&b.name));
    suites
}

/// The folders of a task: `before`, `after` and so on.
fn folders_of<'f>(files: &'f Files, task: &str) -> BTreeMap<&'f str, Tree> {
    let prefix = format!("{task}/");
    let mut folders: BTreeMap<&str, Tree> = BTreeMap::new();
    for (path, bytes) in files.range(prefix.clone()..) {
        let Some(path) = path.strip_prefix(&prefix) else {
            break;
        };
        if let Some((folder, path)) = path.split_once('/') {
            let tree = folders.entry(folder).or_default();
            tree.insert(real_path(path), bytes.to_vec());
        }
    }
    folders
}

fn task_of(
    name: &str,
    suite: &str,
    toml: &[u8],
    folders: &BTreeMap<&str, Tree>,
) -> Result<EvalTask, String> {
    let toml = std::str::from_utf8(toml).map_err(|_| "task.toml is not UTF-8".to_owned())?;
    let said: TaskFile = toml::from_str(toml)
        .map_err(|error| format!("task.toml: {}", error.to_string().trim_end()))?;
    let before = folders.get("before").cloned().unwrap_or_default();
    let mut accepted = Vec::new();
    for (&folder, files) in folders {
        if folder == "after" || folder.starts_with("after.") {
            let mut after = before.clone();
            after.extend(files.clone());
            accepted.push(after);
        } else if !["before", "check", "earlier"].contains(&folder) {
            return Err(format!(
                "{folder}/ is none of before/, after/, after.2/ and so on, check/ and earlier/"
            ));
        }
    }

    let declines = said.level == "decline";
    let fault = if said.sentence.trim().is_empty() {
        "its sentence is empty"
    } else if before.is_empty() {
        "before/ is missing or empty"
    } else if said.first.is_some() != folders.contains_key("earlier") {
        "it has one of first and earlier/, which belong together"
    } else if said.check.as_ref().is_some_and(Vec::is_empty) {
        "its check names no program"
    } else if declines && (!accepted.is_empty() || said.check.is_some()) {
        "it is to be declined, and has an after/ or a check"
    } else if declines && said.reason.is_none() {
        "it is to be declined, and does not say why (reason)"
    } else if !declines && accepted.is_empty() && said.check.is_none() {
        "it has neither after/ nor a check, so that nothing says what is right"
    } else if accepted.contains(&before) {
        "an after/ changes nothing"
    } else {
        ""
    };
    if !fault.is_empty() {
        return Err(fault.to_owned());
    }

    let standing = if said.written {
        Standing::Written
    } else {
        Standing::Unwritten
    };
    let earlier = said.first.map(|first| {
        let changes = changes(&folders["earlier"], &before);
        earlier(&first, &changes.iter().collect::<Vec<_>>(), standing)
    });
    let check = said.check.map(|command| Check {
        command,
        time: said.seconds.map_or(CHECK_TIME, Duration::from_secs),
        files: folders.get("check").cloned().unwrap_or_default(),
    });
    let mut wordings = vec![said.sentence];
    wordings.extend(said.wordings);
    Ok(EvalTask {
        name: name.to_owned(),
        suite: suite.to_owned(),
        wordings,
        category: said.category,
        level: said.level,
        language: said.language,
        earlier,
        declines,
        before,
        accepted,
        check,
    })
}

/// What an edit changed of some files.
fn changes(earlier: &Tree, now: &Tree) -> Vec<Change> {
    let change = |(path, before): (&String, &Vec<u8>)| {
        let after = now.get(path)?;
        Some(Change::replace(path, before, after))
    };
    earlier.iter().filter_map(change).collect()
}

/// The path that a file of a task has in the edited folder: see the module.
fn real_path(path: &str) -> String {
    match path.strip_suffix(".in") {
        Some(real) if real == "Cargo.toml" || real.ends_with("/Cargo.toml") => real.to_owned(),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::tree::tree;
    use std::collections::BTreeSet;

    fn check(files: &[(&str, &str)]) -> Result<EvalTask, String> {
        let mut all = Files::new();
        for (path, text) in files {
            let bytes = text.as_bytes().to_vec();
            all.insert(format!("suite/task/{path}"), Cow::Owned(bytes));
        }
        let mut suites = tasks_of(&all);
        assert_eq!(suites.tasks.len() + suites.broken.len(), 1);
        suites
            .tasks
            .pop()
            .ok_or_else(|| suites.broken.pop().unwrap().reason)
    }

    const TOML: &str = "sentence = \"a\"\nwordings = [\"b\"]\ncategory = \"rename\"\n\
                        level = \"seed\"\nlanguage = \"c\"\n";

    #[test]
    fn a_task_is_read() {
        let files = [
            ("task.toml", TOML),
            ("before/a.c", "1"),
            ("before/b/c.c", "2"),
            ("before/Cargo.toml.in", "5"),
            ("before/b.in", "6"),
            ("after/b/c.c", "3"),
            ("after.2/x/Cargo.toml.in", "4"),
        ];
        let task = check(&files).unwrap();
        assert_eq!(
            (task.name.as_str(), task.wordings[1].as_str()),
            ("suite/task", "b")
        );
        let others = [("a.c", "1"), ("b.in", "6"), ("Cargo.toml", "5")];
        let mut expected = tree(others);
        expected.extend(tree([("b/c.c", "3")]));
        assert_eq!(task.accepted[0], expected);
        expected.extend(tree([("b/c.c", "2"), ("x/Cargo.toml", "4")]));
        assert_eq!(task.accepted[1], expected);
    }

    #[test]
    fn a_follow_up_knows_the_edit_before_it() {
        let toml = format!("{TOML}first = \"x\"\nwritten = true\n");
        let task = check(&[
            ("task.toml", &toml),
            ("earlier/a.c", "1\n"),
            ("before/a.c", "2\n"),
            ("after/a.c", "3\n"),
        ]);
        let earlier = task.unwrap().earlier.unwrap();
        assert_eq!(earlier.done, "a.c\n-1\n+2");
        assert_eq!(
            (earlier.sentence.as_str(), earlier.standing),
            ("x", Standing::Written)
        );
    }

    #[test]
    fn a_broken_task_says_what_is_wrong() {
        let before = ("before/a.c", "1");
        let after = ("after/a.c", "2");
        let task = ("task.toml", TOML);
        let decline = TOML.replace("seed", "decline");
        let decline = ("task.toml", decline.as_str());
        for (files, reason) in [
            (vec![("task.toml", "sentence = 1"), before], "task.toml"),
            (vec![("task.toml", "x"), before], "task.toml"),
            (vec![task], "before/ is missing"),
            (vec![task, before], "neither after/ nor a check"),
            (vec![task, before, ("after/a.c", "1")], "changes nothing"),
            (
                vec![task, before, after, ("earlier/a.c", "0")],
                "belong together",
            ),
            (
                vec![task, before, ("afters/a.c", "2")],
                "afters/ is none of",
            ),
            (vec![decline, before, after], "to be declined, and has"),
            (vec![decline, before], "does not say why"),
        ] {
            let said = check(&files).unwrap_err();
            assert!(said.contains(reason), "{said:?} should say {reason:?}");
        }
    }

    #[test]
    fn the_bundled_suites_are_whole() {
        let Suites { tasks, broken } = bundled();
        assert_eq!(broken, []);
        for (suite, n_least) in [
            ("seed", 40),
            ("everyday", 60),
            ("hard", 25),
            ("decline", 15),
        ] {
            let tasks = read(suite).unwrap().tasks;
            assert!(tasks.len() >= n_least, "{suite}: {}", tasks.len());
            assert!(suite != "seed" || tasks.iter().all(|task| task.wordings.len() == 3));
        }
        let everyday = tasks.iter().filter(|task| task.suite == "everyday");
        let languages: BTreeSet<&str> = everyday.map(|task| task.language.as_str()).collect();
        assert!(languages.len() >= 10, "{languages:?}");
        let unknown = read("seeds").unwrap_err().to_string();
        assert!(unknown.contains("everyday"), "the bundled ones are named");
    }
}
