//! What patches come to, a folder a case: `scenarios/<a_sentence>/{before/, edit.txt, after/ |
//! error.txt, options.txt}`.
//!
//! `after/` has all files as they are then, byte for byte, and nothing fails; `error.txt` has a
//! part of a message a line, which must be said in this order, and nothing is written. With the
//! option `partial` there may be both: what fails is explained, and the rest is written.
//! `options.txt`:
//!
//! ```text
//! format: NAME      the format it is read as; the text must be recognised as such
//! parts: NAMES      the formats of its parts, in their order, with spaces between
//! not read: LINE    what begins on this line looks like an edit and is not read
//! file: PATH        the file that all of it is about
//! partial           what does not fail is written
//! reverse           the patch is taken back
//! rung: NAME        how the place of an edit was found
//! kind: NAME        why a request failed, in the word for programs
//! reason: NAME      why its place was not found, likewise
//! already           everything is found to be done
//! unrecognised      the text is not recognised as of its format (no file is named, or no patch)
//! ```

use slotwright::apply::{self, Applied, EditResult, InMemory, Plan};
use slotwright::format::{Format, Patch};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

type Tree = BTreeMap<String, Vec<u8>>;

const RUNGS: [&str; 10] = [
    "exact",
    "line_endings",
    "trailing_blanks",
    "unicode",
    "indentation",
    "tabs_and_blanks",
    "blank_lines",
    "escapes",
    "line_numbers",
    "fuzzy",
];
const KINDS: [&str; 11] = [
    "no_path",
    "no_file",
    "ambiguous_path",
    "exists",
    "unreadable",
    "place",
    "overlaps",
    "left_out",
    "encoding",
    "lines",
    "unsupported",
];
const REASONS: [&str; 5] = [
    "not_found",
    "ambiguous",
    "miscounted",
    "inside_words",
    "unfit",
];

#[derive(Default)]
struct Options {
    format: Option<Format>,
    parts: Option<String>,
    not_read: Option<usize>,
    file: Option<String>,
    is_partial: bool,
    is_reverse: bool,
    is_already: bool,
    is_unrecognised: bool,
    /// The rungs, kinds and reasons that are expected, among others.
    words: Vec<String>,
}

impl Options {
    fn parse(text: &str) -> Result<Options, String> {
        let mut options = Options::default();
        for line in text.lines() {
            match line.split_once(": ").unwrap_or((line, "")) {
                ("format", name) => {
                    let format = Format::ALL.into_iter().find(|format| format.name() == name);
                    options.format = Some(format.ok_or_else(|| format!("no such format: {name}"))?);
                }
                ("parts", names) => options.parts = Some(names.to_owned()),
                ("not read", line) => options.not_read = line.parse().ok(),
                ("file", path) => options.file = Some(path.to_owned()),
                ("partial", "") => options.is_partial = true,
                ("reverse", "") => options.is_reverse = true,
                ("already", "") => options.is_already = true,
                ("unrecognised", "") => options.is_unrecognised = true,
                ("rung", name) if RUNGS.contains(&name) => {
                    options.words.push(format!("rung {name}"));
                }
                ("kind", name) if KINDS.contains(&name) => {
                    options.words.push(format!("kind {name}"));
                }
                ("reason", name) if REASONS.contains(&name) => {
                    options.words.push(format!("reason {name}"));
                }
                _ => return Err(format!("no such option: {line}")),
            }
        }
        Ok(options)
    }
}

struct Scenario {
    options: Options,
    before: Tree,
    edit: String,
    after: Option<Tree>,
    error: Option<String>,
}

impl Scenario {
    fn read(folder: &Path) -> Result<Scenario, String> {
        let text = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
        let scenario = Scenario {
            options: Options::parse(&text("options.txt").unwrap_or_default())?,
            before: tree(&folder.join("before")).unwrap_or_default(),
            edit: text("edit.txt").ok_or("there is no edit.txt")?,
            after: tree(&folder.join("after")),
            error: text("error.txt"),
        };
        match (
            &scenario.after,
            &scenario.error,
            scenario.options.is_partial,
        ) {
            (Some(_), None, _) | (None, Some(_), _) | (Some(_), Some(_), true) => Ok(scenario),
            (None, None, _) => Err("there is neither after/ nor error.txt".to_owned()),
            (Some(_), Some(_), false) => {
                Err("both after/ and error.txt, and it is not partial".to_owned())
            }
        }
    }

    /// What is wrong; nothing if all is as it is to be.
    fn check(&self, seen: &mut Seen) -> String {
        let (options, mut wrong) = (&self.options, String::new());
        let recognised = Patch::parse(&self.edit);
        let parsed = match options.format {
            Some(format) => {
                let is_recognised = recognised
                    .as_ref()
                    .is_ok_and(|patch| patch.format() == Some(format));
                if format.parse(&self.edit).is_ok() && is_recognised == options.is_unrecognised {
                    let _ = writeln!(
                        wrong,
                        "recognised as {:?}",
                        recognised.map(|patch| patch.format())
                    );
                }
                format.parse(&self.edit)
            }
            None => recognised,
        };
        let parsed = parsed.map_err(|error| error.to_string());
        let patch = match options.is_reverse {
            true => parsed
                .and_then(|patch| patch.reversed().ok_or("it cannot be taken back".to_owned())),
            false => parsed,
        };
        let patch = match patch {
            Ok(patch) => patch,
            Err(message) => {
                *seen.entry("refused by a parser".to_owned()).or_default() += 1;
                wrong += &self.compare_error(&[message]);
                return wrong + &self.compare_files(&self.before);
            }
        };
        let parts: Vec<&str> = patch.parts.iter().map(|part| part.format.name()).collect();
        if options
            .parts
            .as_ref()
            .is_some_and(|names| *names != parts.join(" "))
        {
            let _ = writeln!(wrong, "its parts are {parts:?}");
        }
        if options.not_read != patch.not_read.first().map(|not_read| not_read.line) {
            let _ = writeln!(wrong, "not read: {:?}", patch.not_read);
        }
        let files = InMemory::from_iter(self.before.clone());
        let plan = apply::apply(&patch, options.file.as_deref(), &files);
        let said = explained(&plan);
        let mut words = words(&plan);
        for word in options.words.iter().filter(|word| !words.contains(word)) {
            let _ = writeln!(wrong, "no {word}, but {words:?}");
        }
        let is_already = |result: &EditResult| matches!(result, EditResult::AlreadyApplied { .. });
        if options.is_already
            != plan
                .outcomes
                .iter()
                .all(|outcome| is_already(&outcome.result))
        {
            let _ = writeln!(
                wrong,
                "done already: {}, in the scenario: {}",
                !options.is_already, options.is_already
            );
        }
        if plan.failed().next().is_none() {
            words.extend(
                patch
                    .parts
                    .iter()
                    .map(|part| format!("applies {}", part.format.name())),
            );
        }
        words.sort();
        words.dedup();
        words
            .into_iter()
            .for_each(|word| *seen.entry(word).or_default() += 1);
        wrong += &self.compare_error(&said);
        let is_written = plan.failed().next().is_none() || options.is_partial;
        wrong
            + &self.compare_files(&if is_written {
                written(&self.before, plan)
            } else {
                self.before.clone()
            })
    }

    fn compare_error(&self, said: &[String]) -> String {
        let Some(error) = &self.error else {
            return if said.is_empty() {
                String::new()
            } else {
                format!("it failed:\n{}\n", said.join("\n"))
            };
        };
        let said = said.join("\n");
        let mut rest = said.as_str();
        for part in error.lines().filter(|line| !line.is_empty()) {
            match rest.find(part) {
                Some(at) => rest = &rest[at + part.len()..],
                None => {
                    return format!(
                        "not said (here): {part}\nit says:\n{}\n",
                        if said.is_empty() { "nothing" } else { &said }
                    );
                }
            }
        }
        String::new()
    }

    fn compare_files(&self, found: &Tree) -> String {
        let expected = self.after.as_ref().unwrap_or(&self.before);
        let mut wrong = String::new();
        let paths = expected
            .keys()
            .chain(found.keys().filter(|path| !expected.contains_key(*path)));
        for path in paths.filter(|path| expected.get(*path) != found.get(*path)) {
            let show = |bytes: Option<&Vec<u8>>| match bytes {
                Some(bytes) => bytes
                    .split_inclusive(|&b| b == b'\n')
                    .map(|line| line.escape_ascii().to_string())
                    .collect::<Vec<_>>()
                    .join("\n"),
                None => "(no such file)".to_owned(),
            };
            let (expected, found) = (show(expected.get(path)), show(found.get(path)));
            let diff = similar::TextDiff::from_lines(&expected, &found)
                .unified_diff()
                .header("expected", "found")
                .to_string();
            let _ = writeln!(wrong, "{path}:\n{diff}");
        }
        wrong
    }
}

/// How often each rung, kind, reason and format was seen.
type Seen = BTreeMap<String, usize>;

/// All that is said of what failed.
fn explained(plan: &Plan) -> Vec<String> {
    let of_one = |failed: &apply::Failed| match &failed.miss {
        Some(miss) => miss.explained(),
        None => vec![failed.message.clone(), format!("next: {}", failed.next)],
    };
    plan.failed()
        .flat_map(|(_, failed)| of_one(failed))
        .collect()
}

fn words(plan: &Plan) -> Vec<String> {
    let word = |value: serde_json::Value| value.as_str().expect("a word").to_owned();
    let mut words = Vec::new();
    for outcome in &plan.outcomes {
        match &outcome.result {
            EditResult::Applies(Applied {
                rung: Some(rung), ..
            }) => {
                words.push(format!(
                    "rung {}",
                    word(serde_json::to_value(rung).unwrap())
                ));
            }
            EditResult::Failed(failed) => {
                words.push(format!(
                    "kind {}",
                    word(serde_json::to_value(failed.kind).unwrap())
                ));
                if let Some(miss) = &failed.miss {
                    words.push(format!(
                        "reason {}",
                        word(serde_json::to_value(miss).unwrap()["reason"].clone())
                    ));
                }
            }
            _ => {}
        }
    }
    words
}

fn written(before: &Tree, plan: Plan) -> Tree {
    let mut after = before.clone();
    plan.files
        .iter()
        .for_each(|file| drop(after.remove(&file.path)));
    for file in plan.files {
        if let Some(bytes) = file.after {
            after.insert(file.moved_to.unwrap_or(file.path), bytes);
        }
    }
    after
}

/// The files of a folder and the ones below it; none where there is no such folder.
fn tree(folder: &Path) -> Option<Tree> {
    let mut tree = Tree::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).ok()? {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path
                    .strip_prefix(folder)
                    .unwrap()
                    .to_str()
                    .expect("a plain name")
                    .replace('\\', "/");
                tree.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    Some(tree)
}

#[test]
fn every_scenario_ends_as_it_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let mut folders: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.sort();
    let mut seen = Seen::new();
    let mut wrong = Vec::new();
    for folder in &folders {
        let complaint =
            Scenario::read(folder).map_or_else(|error| error, |scenario| scenario.check(&mut seen));
        if !complaint.is_empty() {
            wrong.push(format!(
                "--- {}\n{complaint}",
                folder.file_name().unwrap().display()
            ));
        }
    }
    println!("{} scenarios", folders.len());
    seen.iter().for_each(|(word, n)| println!("{n:5} {word}"));
    let formats = Format::ALL.map(|format| format!("applies {}", format.name()));
    let all = |what: &str, words: &[&str]| {
        words
            .iter()
            .map(|word| format!("{what} {word}"))
            .collect::<Vec<_>>()
    };
    for (words, least) in [
        (all("rung", &RUNGS), 2),
        (formats.to_vec(), 2),
        (all("kind", &KINDS), 1),
        (all("reason", &REASONS), 1),
    ] {
        for word in words
            .into_iter()
            .filter(|word| seen.get(word).copied().unwrap_or(0) < least)
        {
            wrong.push(format!("--- fewer than {least} scenarios have the {word}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} scenarios are wrong:\n{}",
        wrong.len(),
        folders.len(),
        wrong.join("\n")
    );
}
