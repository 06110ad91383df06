//! How well edits that break code or leave it out are told from those that do not: `./x breaks`. Writes
//! `docs/breaks.md`; nothing in its table is written by hand.
//!
//! ```text
//! breaks TASKS.jsonl FOLDER…
//! ```
//! *Damaged*: files below the folders that parse, each with one bracket or quote less, or a line of
//! Python moved by some columns; *left out*: with a comment in the place of code. *Right*: the edits of TASKS, which `models/training/tasks.py` makes.

mod damage;

use serde::Deserialize;
use slotwright::risk;
use slotwright::syntax::{self, Language};
use slotwright::text::Text;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Damaged files of one language.
const MOST_DAMAGED: usize = 60;
/// Longer files are passed over, bytes: there are enough of the others.
const MOST_BYTES: u64 = 60_000;
/// Shorter ones have nothing to damage.
const LEAST_BYTES: u64 = 300;
/// Right edits of one language.
const MOST_RIGHT: usize = 400;

/// What was found for one language.
#[derive(Default)]
struct Row {
    n_damaged: usize,
    n_caught: usize,
    n_left_out: usize,
    n_left_out_caught: usize,
    n_right: usize,
    n_warned: usize,
    /// Right edits with a comment that seems to be in the place of code.
    n_elided: usize,
    slowest: Duration,
}

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args_os()
        .skip(1)
        .filter(|argument| argument != "--bench");
    let Some(tasks) = arguments.next() else {
        return Err("usage: breaks TASKS.jsonl FOLDER…; see ./x".into());
    };
    let folders: Vec<PathBuf> = arguments.map(PathBuf::from).collect();
    let mut rows: BTreeMap<Language, Row> = BTreeMap::new();
    for (language, files) in files_by_language(&folders) {
        let row = rows.entry(language).or_default();
        for path in files {
            if row.n_damaged >= MOST_DAMAGED {
                break;
            }
            damaged(language, &path, row);
        }
    }
    right(Path::new(&tasks), &mut rows)?;
    let table = table(&rows);
    print!("{table}");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/breaks.md");
    let text = std::fs::read_to_string(&page)?;
    let (start, end) = ("<!-- written by ./x breaks -->\n", "<!-- to here -->");
    let parts = text.split_once(start).zip(text.split_once(end));
    let ((before, _), (_, after)) = parts.ok_or("docs/breaks.md has no place for the table")?;
    std::fs::write(&page, format!("{before}{start}\n{table}\n{end}{after}"))?;
    Ok(())
}

/// The files below the folders, in an order that has nothing to do with their names.
fn files_by_language(folders: &[PathBuf]) -> BTreeMap<Language, Vec<PathBuf>> {
    let mut by_language: BTreeMap<Language, Vec<PathBuf>> = BTreeMap::new();
    for folder in folders {
        for entry in ignore::WalkBuilder::new(folder)
            .standard_filters(false)
            .build()
            .flatten()
        {
            let Some(language) = entry.path().to_str().and_then(Language::of) else {
                continue;
            };
            let is_fit = entry.metadata().is_ok_and(|data| {
                data.is_file() && (LEAST_BYTES..MOST_BYTES).contains(&data.len())
            });
            if is_fit {
                by_language
                    .entry(language)
                    .or_default()
                    .push(entry.into_path());
            }
        }
    }
    for files in by_language.values_mut() {
        files.sort_by_cached_key(|path| damage::hash(path.to_string_lossy().as_bytes()));
    }
    by_language
}

/// Damages a file in each way that it can be damaged.
fn damaged(language: Language, path: &Path, row: &mut Row) {
    let Ok(text) = std::fs::read_to_string(path) else {
        return;
    };
    let text = text.replace("\r\n", "\n");
    // Compared with a new file: what does not parse by itself is nothing to damage.
    if syntax::breaks(&path.to_string_lossy(), None, &text).is_some() {
        return;
    }
    for damaged in damage::all(language, &text) {
        let begun = Instant::now();
        let found = syntax::breaks(&path.to_string_lossy(), Some(&text), &damaged.text);
        row.slowest = row.slowest.max(begun.elapsed());
        row.n_damaged += 1;
        row.n_caught += usize::from(found.is_some());
        if found.is_none() {
            println!("missed: {} {}", path.display(), damaged.what);
        }
    }
    // Nothing is left out of data with a word.
    if language == Language::Json {
        return;
    }
    for damaged in damage::left_out(language, &text) {
        let is_caught = is_elided(&path.to_string_lossy(), Some(&text), &damaged.text);
        row.n_left_out += 1;
        row.n_left_out_caught += usize::from(is_caught);
        if !is_caught {
            println!("missed: {} {}", path.display(), damaged.what);
        }
    }
}

fn is_elided(path: &str, before: Option<&str>, after: &str) -> bool {
    let before = before.map(|text| Text::decode(text.into()).expect("it is text"));
    !risk::elided([(path, before.as_ref(), Some(after.as_bytes()))]).is_empty()
}

/// Tasks on the same files.
#[derive(Deserialize)]
struct Group {
    files: BTreeMap<String, String>,
    tasks: Vec<RightEdit>,
}

/// What a file should be afterwards.
#[derive(Deserialize)]
struct RightEdit {
    path: Option<String>,
    after: Option<String>,
    #[serde(default)]
    create: bool,
}

/// Tries every edit that is right.
fn right(tasks: &Path, rows: &mut BTreeMap<Language, Row>) -> Result<(), Error> {
    let mut tried = HashSet::new();
    for line in std::io::BufReader::new(std::fs::File::open(tasks)?).lines() {
        let group: Group = serde_json::from_str(&line?)?;
        for edit in &group.tasks {
            let (Some(path), Some(after)) = (&edit.path, &edit.after) else {
                continue;
            };
            let Some(language) = Language::of(path) else {
                continue;
            };
            let before = group.files.get(path).filter(|_| !edit.create);
            let row = rows.entry(language).or_default();
            if row.n_right >= MOST_RIGHT || !tried.insert((before.cloned(), after.clone())) {
                continue;
            }
            row.n_right += 1;
            if let Some(found) = syntax::breaks(path, before.map(String::as_str), after) {
                row.n_warned += 1;
                println!("warned: {path}:{} {:.80}", found.line, found.text);
            }
            if is_elided(path, before.map(String::as_str), after) {
                row.n_elided += 1;
                println!("warned of code left out: {path}");
            }
        }
    }
    Ok(())
}

fn table(rows: &BTreeMap<Language, Row>) -> String {
    let mut out = String::from(
        "| language | damaged files caught | | code left out, caught | | right edits warned of \
         (`breaks`) | | (`elided`) | slowest check |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    let mut line = |name: &str, row: &Row| {
        let share = |part: usize, of: usize| match of {
            0 => String::new(),
            _ => format!("{:.1} %", 100.0 * part as f64 / of as f64),
        };
        let Row {
            n_damaged,
            n_caught,
            n_left_out,
            n_left_out_caught,
            ..
        } = row;
        let Row {
            n_right,
            n_warned,
            n_elided,
            slowest,
            ..
        } = row;
        let _ = writeln!(
            out,
            "| {name} | {n_caught} of {n_damaged} | {} | {n_left_out_caught} of {n_left_out} | {} \
             | {n_warned} of {n_right} | {} | {n_elided} | {} ms |",
            share(*n_caught, *n_damaged),
            share(*n_left_out_caught, *n_left_out),
            share(*n_warned, *n_right),
            slowest.as_millis()
        );
    };
    let mut all = Row::default();
    for (language, row) in rows {
        line(language.name(), row);
        all.n_damaged += row.n_damaged;
        all.n_caught += row.n_caught;
        all.n_left_out += row.n_left_out;
        all.n_left_out_caught += row.n_left_out_caught;
        all.n_right += row.n_right;
        all.n_warned += row.n_warned;
        all.n_elided += row.n_elided;
        all.slowest = all.slowest.max(row.slowest);
    }
    line("**all**", &all);
    out
}
