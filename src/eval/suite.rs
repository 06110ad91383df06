//! Suites: folders of tasks that have a right answer.
//!
//! ```text
//! SUITE/TASK/task.toml     sentence, wordings, category, level, language, reason, check, seconds
//!            before/       the folder as it is
//!            after/        the files that change or are new, as they should be
//!            after.2/, …   the same, where another result is as good
//!            check/        files that are laid over the edited folder before the check runs
//! ```
//! A task's `Cargo.toml` is called `Cargo.toml.in`: `cargo package` leaves out every folder with a
//! `Cargo.toml`, so a crate would lack these files.
//!
//! A task is right if its folder is byte for byte as in one of the `after` folders, or if its
//! `check`, a command that is run in the edited folder, ends with exit code 0. A task of level
//! `decline` has neither: the right answer is no edit.

use super::public_set;
use super::task::{BrokenTask, Check, EvalTask, SuiteError, Suites};
use super::tree::Tree;
use crate::slots::Reason;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::time::Duration;

/// The suites that travel inside the binary.
static BUNDLED: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/bundled_suites.rs"));

/// The largest size of a folder with suites, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// The time limit of a check that names none.
const CHECK_TIME: Duration = Duration::from_secs(30);

/// The names of the bundled suites.
pub fn bundled_names() -> Vec<String> {
    let mut names: Vec<String> = BUNDLED
        .iter()
        .filter_map(|(path, _)| Some(path.split_once('/')?.0.to_owned()))
        .collect();
    names.dedup();
    names
}

/// All tasks of the bundled suites.
pub fn bundled() -> Suites {
    tasks_of(
        &BUNDLED
            .iter()
            .map(|(path, bytes)| ((*path).to_owned(), Cow::Borrowed(*bytes)))
            .collect(),
    )
}

/// The tasks that a name stands for: a bundled suite, a folder (a suite, several, or one task), or
/// a public set (`.jsonl`, see [`super::public_set`]).
///
/// # Errors
/// If there is nothing of that name, or no task in it.
pub fn read(name: &str) -> Result<Suites, SuiteError> {
    let path = Path::new(name);
    if !path.exists() {
        let mut suites = bundled();
        suites.tasks.retain(|task| task.suite == name);
        suites
            .broken
            .retain(|broken| broken.task.starts_with(&format!("{name}/")));
        return match suites.tasks.is_empty() {
            false => Ok(suites),
            true => Err(SuiteError::Unknown {
                name: name.to_owned(),
                bundled: bundled_names(),
            }),
        };
    }
    if path.is_file() {
        return public_set::read(path);
    }
    // Named `.` or `..`, it has a name all the same.
    let path = path.canonicalize().map_err(|source| SuiteError::Read {
        path: path.to_path_buf(),
        source,
    })?;
    let mut files = BTreeMap::new();
    let mut n_bytes = 0;
    // If the folder itself is one task, the folder above it names the suite.
    let above: Vec<_> = path
        .components()
        .rev()
        .take(2)
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    let prefix: String = above.iter().rev().map(|part| format!("{part}/")).collect();
    read_folder(&path, &prefix, &mut files, &mut n_bytes)?;
    let suites = tasks_of(&files);
    match suites.tasks.is_empty() && suites.broken.is_empty() {
        false => Ok(suites),
        true => Err(SuiteError::Empty { path }),
    }
}

fn read_folder(
    folder: &Path,
    prefix: &str,
    files: &mut BTreeMap<String, Cow<'static, [u8]>>,
    n_bytes: &mut u64,
) -> Result<(), SuiteError> {
    let failed = |path: &Path| {
        let path = path.to_path_buf();
        move |source| SuiteError::Read { path, source }
    };
    for entry in std::fs::read_dir(folder).map_err(failed(folder))? {
        let entry = entry.map_err(failed(folder))?;
        let path = entry.path();
        let name = entry
            .file_name()
            .into_string()
            .map_err(|_| failed(&path)(io::Error::other("its name is not UTF-8")))?;
        let kind = entry.file_type().map_err(failed(&path))?;
        if kind.is_dir() {
            read_folder(&path, &format!("{prefix}{name}/"), files, n_bytes)?;
        } else if kind.is_file() {
            let bytes = std::fs::read(&path).map_err(failed(&path))?;
            *n_bytes += bytes.len() as u64;
            if *n_bytes > MAX_BYTES {
                return Err(failed(folder)(io::Error::other(format!(
                    "it holds more than {} MB",
                    MAX_BYTES >> 20
                ))));
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
    reason: Option<Reason>,
    #[serde(default)]
    check: Option<Vec<String>>,
    #[serde(default)]
    seconds: Option<u64>,
}

/// Every folder with a `task.toml` is a task.
fn tasks_of(files: &BTreeMap<String, Cow<'_, [u8]>>) -> Suites {
    let mut suites = Suites::default();
    for (path, toml) in files {
        let Some(folder) = path.strip_suffix("/task.toml") else {
            continue;
        };
        if folder.contains("/before/") || folder.contains("/after") || folder.contains("/check/") {
            continue; // a file of a task that happens to be called so
        }
        let mut names = folder.rsplit('/');
        let task = names.next().unwrap_or_default();
        let suite = names.next().unwrap_or("suite");
        let name = format!("{suite}/{task}");
        match task_of(&name, suite, toml, &below(files, folder)) {
            Ok(task) => suites.tasks.push(task),
            Err(reason) => suites.broken.push(BrokenTask { task: name, reason }),
        }
    }
    suites.tasks.sort_by(|a, b| a.name.cmp(&b.name));
    suites
}

/// The files under a folder, by their paths in it.
fn below<'f>(
    files: &'f BTreeMap<String, Cow<'_, [u8]>>,
    folder: &str,
) -> BTreeMap<&'f str, &'f [u8]> {
    let prefix = format!("{folder}/");
    let from = files.range(prefix.clone()..);
    from.map_while(|(path, bytes)| Some((path.strip_prefix(&prefix)?, bytes.as_ref())))
        .collect()
}

fn task_of(
    name: &str,
    suite: &str,
    toml: &[u8],
    files: &BTreeMap<&str, &[u8]>,
) -> Result<EvalTask, String> {
    let toml = std::str::from_utf8(toml).map_err(|_| "task.toml is not UTF-8".to_owned())?;
    let said: TaskFile = toml::from_str(toml)
        .map_err(|error| format!("task.toml: {}", error.to_string().trim_end()))?;
    let mut before = Tree::new();
    let mut after: BTreeMap<&str, Tree> = BTreeMap::new();
    let mut checked = Tree::new();
    for (path, bytes) in files {
        let Some((top, rest)) = path.split_once('/') else {
            continue;
        };
        let (rest, bytes) = (real_path(rest), bytes.to_vec());
        match top {
            "before" => drop(before.insert(rest, bytes)),
            "check" => drop(checked.insert(rest, bytes)),
            _ if top == "after" || top.starts_with("after.") => {
                after.entry(top).or_default().insert(rest, bytes);
            }
            _ => {
                return Err(format!(
                    "{top}/ is none of before/, after/, after.2/ and so on, and check/"
                ));
            }
        }
    }
    let declines = said.level == "decline";
    if said.sentence.trim().is_empty() {
        return Err("its sentence is empty".to_owned());
    }
    if before.is_empty() {
        return Err("before/ is missing or empty".to_owned());
    }
    if said.check.as_ref().is_some_and(Vec::is_empty) {
        return Err("its check names no program".to_owned());
    }
    match (declines, after.is_empty() && said.check.is_none()) {
        (true, false) => {
            return Err("it is to be declined, and has an after/ or a check".to_owned());
        }
        (false, true) => {
            return Err(
                "it has neither after/ nor a check, so that nothing says what is right".to_owned(),
            );
        }
        (true, true) if said.reason.is_none() => {
            return Err("it is to be declined, and does not say why (reason)".to_owned());
        }
        _ => {}
    }
    let accepted: Vec<Tree> = after
        .into_values()
        .map(|after| before.clone().into_iter().chain(after).collect())
        .collect();
    if accepted.contains(&before) {
        return Err("an after/ changes nothing".to_owned());
    }
    let time = said.seconds.map_or(CHECK_TIME, Duration::from_secs);
    Ok(EvalTask {
        name: name.to_owned(),
        suite: suite.to_owned(),
        wordings: std::iter::once(said.sentence)
            .chain(said.wordings)
            .collect(),
        category: said.category,
        level: said.level,
        language: said.language,
        declines,
        before,
        accepted,
        check: said.check.map(|command| Check {
            command,
            time,
            files: checked,
        }),
    })
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
    use std::collections::BTreeSet;

    fn check(files: &[(&str, &str)]) -> Result<EvalTask, String> {
        let files = files
            .iter()
            .map(|(path, text)| {
                (
                    format!("suite/task/{path}"),
                    Cow::Owned(text.as_bytes().to_vec()),
                )
            })
            .collect();
        let Suites {
            mut tasks,
            mut broken,
        } = tasks_of(&files);
        assert_eq!(tasks.len() + broken.len(), 1);
        tasks.pop().ok_or_else(|| broken.pop().unwrap().reason)
    }

    const TOML: &str = "sentence = \"a\"\nwordings = [\"b\"]\ncategory = \"rename\"\n\
                        level = \"seed\"\nlanguage = \"c\"\n";

    #[test]
    fn a_task_is_read() {
        let files = [
            ("task.toml", TOML),
            ("before/a.c", "1"),
            ("before/b/c.c", "2"),
            ("after/b/c.c", "3"),
            ("after.2/d.c", "4"),
        ];
        let task = check(&files).unwrap();
        assert_eq!(
            (task.name.as_str(), task.wordings.as_slice()),
            ("suite/task", ["a".to_owned(), "b".to_owned()].as_slice())
        );
        let tree = |files: &[(&str, &str)]| -> Tree {
            files
                .iter()
                .map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()))
                .collect()
        };
        assert_eq!(task.accepted[0], tree(&[("a.c", "1"), ("b/c.c", "3")]));
        assert_eq!(
            task.accepted[1],
            tree(&[("a.c", "1"), ("b/c.c", "2"), ("d.c", "4")])
        );
    }

    #[test]
    fn a_cargo_toml_of_a_task_has_a_name_of_its_own() {
        let files = [
            ("task.toml", TOML),
            ("before/Cargo.toml.in", "1"),
            ("before/b.in", "2"),
            ("after/x/Cargo.toml.in", "3"),
        ];
        let task = check(&files).unwrap();
        let paths = |tree: &Tree| tree.keys().cloned().collect::<Vec<_>>();
        assert_eq!(paths(&task.before), ["Cargo.toml", "b.in"]);
        assert_eq!(
            paths(&task.accepted[0]),
            ["Cargo.toml", "b.in", "x/Cargo.toml"]
        );
    }

    #[test]
    fn a_broken_task_says_what_is_wrong() {
        let before = ("before/a.c", "1");
        let decline = TOML.replace("seed", "decline");
        for (files, reason) in [
            (vec![("task.toml", "sentence = 1"), before], "task.toml"),
            (vec![("task.toml", "x"), before], "task.toml"),
            (vec![("task.toml", TOML)], "before/ is missing"),
            (
                vec![("task.toml", TOML), before],
                "neither after/ nor a check",
            ),
            (
                vec![("task.toml", TOML), before, ("after/a.c", "1")],
                "changes nothing",
            ),
            (
                vec![("task.toml", TOML), before, ("afters/a.c", "2")],
                "afters/ is none of",
            ),
            (
                vec![("task.toml", &decline), before, ("after/a.c", "2")],
                "to be declined, and has",
            ),
            (vec![("task.toml", &decline), before], "does not say why"),
        ] {
            let said = check(&files).unwrap_err();
            assert!(said.contains(reason), "{said:?} should say {reason:?}");
        }
    }

    #[test]
    fn the_bundled_suites_are_whole() {
        let Suites { tasks, broken } = bundled();
        assert_eq!(broken, []);
        let n = |suite: &str| tasks.iter().filter(|task| task.suite == suite).count();
        assert!(
            n("seed") >= 40 && n("everyday") >= 60 && n("hard") >= 25 && n("decline") >= 15,
            "{:?}",
            bundled_names()
        );
        let languages: BTreeSet<&str> = tasks
            .iter()
            .filter(|task| task.suite == "everyday")
            .map(|task| task.language.as_str())
            .collect();
        assert!(languages.len() >= 10, "{languages:?}");
        assert!(
            tasks
                .iter()
                .filter(|task| task.suite == "seed")
                .all(|task| task.wordings.len() == 3)
        );
        assert_eq!(read("seed").unwrap().tasks.len(), n("seed"));
        assert!(
            read("seeds").unwrap_err().to_string().contains("everyday"),
            "the bundled ones are named"
        );
    }
}
