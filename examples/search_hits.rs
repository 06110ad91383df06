//! How often the program's own search finds what a task is about, without any model: the line that the edit changes, and the
//! file among others.
//!
//! ```text
//! search_hits TASKS.jsonl     TASKS as models/recipe/tasks.py makes them
//! ```
//! An edit that inserts is about the lines on both sides of it. Renames of many lines are left out.

use serde::Deserialize;
use similar::{DiffTag, TextDiff};
use slotwright::prompt::relevance::{weigh, weigh_files};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
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

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: search_hits TASKS.jsonl");
        return ExitCode::from(2);
    };
    match count(&path) {
        Ok((lines, files)) => {
            lines.print("the line of its file");
            files.print("the file of several");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{path}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn count(path: &str) -> Result<(Hits, Hits), Box<dyn std::error::Error>> {
    let (mut lines, mut files) = (Hits::default(), Hits::default());
    for group in BufReader::new(std::fs::File::open(path)?).lines() {
        let group: Group = serde_json::from_str(&group?)?;
        let texts: Vec<(&str, &str)> = group.files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        for task in &group.tasks {
            let (Some(path), Some(after), None) = (&task.path, &task.after, &task.all) else { continue };
            let Some(i) = texts.iter().position(|(other, _)| other == path) else { continue };
            let of_file: Vec<&str> = texts[i].1.split('\n').collect();
            lines.count(&weigh(&task.task, &of_file, &vec![None; of_file.len()]), &lines_meant(texts[i].1, after));
            if texts.len() > 1 {
                files.count(&weigh_files(&task.task, &texts), &BTreeSet::from([i]));
            }
        }
    }
    Ok((lines, files))
}
