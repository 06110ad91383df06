//! How often the program's own search finds what a task is about, without any model: the line that the edit changes, and the
//! file among others.
//!
//! ```text
//! search_hits TASKS.jsonl                TASKS as models/recipe/tasks.py makes them
//! search_hits --features TASKS.jsonl     what models/recipe/thesaurus.py fits the thesaurus to
//! ```
//! An edit that inserts is about the lines on both sides of it. Renames of many lines are left out. The features are a JSON line a
//! task: its words, what each line of the file has, what the lines weigh without the thesaurus, and which of them the edit is about.

use serde::{Deserialize, Serialize};
use similar::{DiffTag, TextDiff};
use slotwright::prompt::relevance::{weigh, weigh_files, weigh_with_thesaurus};
use slotwright::prompt::thesaurus::{of_line, of_task};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::process::ExitCode;

/// Tasks on the same files.
#[derive(Deserialize)]
struct Group {
    files: BTreeMap<String, String>,
    tasks: Vec<Wanted>,
}

#[derive(Deserialize)]
struct Wanted {
    task: String,
    path: Option<String>,
    after: Option<String>,
    all: Option<(String, String)>,
}

/// Tasks, and how many of them were found.
#[derive(Default)]
struct Hits {
    n_tasks: usize,
    n_first: usize,
    n_among_three: usize,
}

impl Hits {
    /// Some things by weight, and which of them are right.
    fn count(&mut self, weights: &[f64], right: &BTreeSet<usize>) {
        let mut order: Vec<usize> = (0..weights.len()).collect();
        order.sort_by(|&a, &b| weights[b].total_cmp(&weights[a]).then(a.cmp(&b)));
        self.n_tasks += 1;
        self.n_first += usize::from(order.first().is_some_and(|first| right.contains(first)));
        self.n_among_three += usize::from(order.iter().take(3).any(|one| right.contains(one)));
    }

    fn print(&self, what: &str) {
        let percent = |n: usize| 100.0 * n as f64 / self.n_tasks.max(1) as f64;
        let (first, three) = (percent(self.n_first), percent(self.n_among_three));
        println!("{what}: {} tasks, first in {first:.1} %, among the first three in {three:.1} %", self.n_tasks);
    }
}

/// The lines that an edit is about, from 0.
fn lines_meant(before: &str, after: &str) -> BTreeSet<usize> {
    let mut changed = BTreeSet::new();
    let mut beside = BTreeSet::new();
    for op in TextDiff::from_lines(before, after).ops() {
        let old = op.old_range();
        match op.tag() {
            DiffTag::Equal => {}
            DiffTag::Insert => beside.extend(old.start.saturating_sub(1)..=old.start),
            DiffTag::Delete | DiffTag::Replace => changed.extend(old),
        }
    }
    if changed.is_empty() { beside } else { changed }
}

/// A task's words and lines.
#[derive(Serialize)]
struct Features {
    task: Vec<String>,
    lines: Vec<Vec<String>>,
    weights: Vec<f64>,
    right: BTreeSet<usize>,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (path, outcome) = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--features", path] => (path, write_features(path)),
        [path] => (path, count(path)),
        _ => {
            eprintln!("usage: search_hits [--features] TASKS.jsonl");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{path}: {error}");
            ExitCode::FAILURE
        }
    }
}

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn count(path: &str) -> Outcome {
    let (mut lines, mut with_thesaurus, mut files) = (Hits::default(), Hits::default(), Hits::default());
    each(path, |task, texts, i, after| {
        let of_file: Vec<&str> = texts[i].1.split('\n').collect();
        let (no_scopes, right) = (vec![None; of_file.len()], lines_meant(texts[i].1, after));
        with_thesaurus.count(&weigh_with_thesaurus(task, &of_file, &no_scopes), &right);
        lines.count(&weigh(task, &of_file, &no_scopes), &right);
        if texts.len() > 1 {
            files.count(&weigh_files(task, texts), &BTreeSet::from([i]));
        }
        Ok(())
    })?;
    lines.print("the line of its file");
    with_thesaurus.print("the same with the thesaurus");
    files.print("the file of several");
    Ok(())
}

fn write_features(path: &str) -> Outcome {
    let mut out = BufWriter::new(std::io::stdout().lock());
    each(path, |task, texts, i, after| {
        let lines: Vec<&str> = texts[i].1.split('\n').collect();
        let features = Features {
            task: of_task(task),
            lines: lines.iter().map(|line| of_line(line)).collect(),
            weights: weigh(task, &lines, &vec![None; lines.len()]),
            right: lines_meant(texts[i].1, after),
        };
        serde_json::to_writer(&mut out, &features)?;
        Ok(out.write_all(b"\n")?)
    })?;
    Ok(out.flush()?)
}

/// Calls with each edit of a file: the task, the files, which of them, and what becomes of it.
fn each(path: &str, mut call: impl FnMut(&str, &[(&str, &str)], usize, &str) -> Outcome) -> Outcome {
    for group in BufReader::new(std::fs::File::open(path)?).lines() {
        let group: Group = serde_json::from_str(&group?)?;
        let texts: Vec<(&str, &str)> = group.files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        for task in &group.tasks {
            let (Some(path), Some(after), None) = (&task.path, &task.after, &task.all) else { continue };
            let Some(i) = texts.iter().position(|(other, _)| other == path) else { continue };
            call(&task.task, &texts, i, after)?;
        }
    }
    Ok(())
}
