//! What `models/recipe/suggestions.py` fits the weights of suggestions to: for each task every change that its sentence may mean
//! ([`slotwright::suggest`]), what can be seen of it, and whether it is the one wanted.
//!
//! ```text
//! suggestion_features NAMES.json < TASKS.jsonl > FEATURES       {"task": …, "before": …, "after": …} a line
//! ```
//! What is written is read as numbers of 32 bits, the lowest byte first; `f` marks fractions. A task is
//!
//! ```text
//! how many numbers follow, lists, candidates, ways, which list is that of none, which candidate is right (from 1; 0: none),
//! the length of each list, their features one after the other,
//! the ways of each candidate, f: what it has to weigh more for others (`more`),
//! the lists of each way, f: the logarithm of the probability that the search gives to its line, those lists one after the other
//! ```
//! Features are numbers of names; NAMES.json has those in order, once all tasks are done. With `"some": 20` in the task, of the
//! candidates that the weights there are find less likely than [`LIKELY`] others only every 20th is written, with the logarithm
//! of 20 as what it has to weigh more.

use rustc_hash::FxHashMap as HashMap;
use serde::Deserialize;
use slotwright::edit::{EditSet, place};
use slotwright::suggest::{Candidate, Change, Features, Marks, candidates};
use slotwright::text::{Shown, Text};
use std::io::{BufRead, BufWriter, Write};
use std::process::ExitCode;
use std::rc::Rc;

#[derive(Deserialize)]
struct Task {
    task: String,
    before: String,
    after: String,
    some: Option<usize>,
}

/// So many candidates are written even if only some are wanted.
const LIKELY: usize = 150;

/// A task as it is written.
#[derive(Default)]
struct Row {
    lists: Vec<Vec<u32>>,
    none: u32,
    candidates: Vec<Seen>,
}

struct Seen {
    right: bool,
    more: f32,
    /// The lists of each, and what the search gives.
    ways: Vec<(Vec<u32>, f32)>,
}

impl Row {
    fn numbers(&self) -> Vec<u32> {
        let ways = || self.candidates.iter().flat_map(|candidate| &candidate.ways);
        let right = self.candidates.iter().position(|candidate| candidate.right).map_or(0, |i| i + 1);
        let mut numbers =
            vec![self.lists.len() as u32, self.candidates.len() as u32, ways().count() as u32, self.none, right as u32];
        numbers.extend(self.lists.iter().map(|list| list.len() as u32));
        numbers.extend(self.lists.iter().flatten());
        numbers.extend(self.candidates.iter().map(|candidate| candidate.ways.len() as u32));
        numbers.extend(self.candidates.iter().map(|candidate| candidate.more.to_bits()));
        numbers.extend(ways().map(|(lists, _)| lists.len() as u32));
        numbers.extend(ways().map(|(_, search)| search.to_bits()));
        numbers.extend(ways().flat_map(|(lists, _)| lists));
        numbers
    }
}

/// The numbers of names.
#[derive(Default)]
struct Names(HashMap<String, u32>);

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        let n = self.0.len() as u32;
        *self.0.entry(name.to_owned()).or_insert(n)
    }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [path] = &args[..] else {
        eprintln!("usage: suggestion_features NAMES.json < TASKS.jsonl > FEATURES");
        return ExitCode::from(2);
    };
    match write(std::io::stdin().lock(), BufWriter::new(std::io::stdout().lock()), path) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("suggestion_features: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write(tasks: impl BufRead, mut out: impl Write, names_path: &str) -> Result<(), Box<dyn std::error::Error>> {
    let mut names = Names::default();
    for line in tasks.lines() {
        let task: Task = serde_json::from_str(&line?)?;
        let numbers = row(&task, &mut names).numbers();
        for number in std::iter::once(numbers.len() as u32).chain(numbers) {
            out.write_all(&number.to_le_bytes())?;
        }
    }
    out.flush()?;
    let mut in_order: Vec<(u32, String)> = names.0.into_iter().map(|(name, n)| (n, name)).collect();
    in_order.sort();
    let in_order: Vec<String> = in_order.into_iter().map(|(_, name)| name).collect();
    Ok(std::fs::write(names_path, serde_json::to_string(&in_order)?)?)
}

/// Whether it is worth making the edit to see.
fn may_make_it(task: &Task, candidate: &Candidate) -> bool {
    match &candidate.change {
        Change::Replace(new) => new.split('\n').all(|line| task.after.contains(line)),
        Change::Before(new) | Change::After(new) => task.after.contains(new.as_str()),
        Change::Delete => task.after.len() < task.before.len(),
        Change::Everywhere { .. } => true,
    }
}

fn row(task: &Task, names: &mut Names) -> Row {
    let found = candidates(&task.task, &task.before);
    let before = Text::decode(task.before.clone().into_bytes()).expect("a string is UTF-8");
    let shown = Shown::whole(before.shown());
    let makes_it = |candidate: &Candidate| {
        let slots = candidate.change.slots(candidate.line, before.shown(), &shown)?;
        let edit = place(&slots, &shown).ok()??;
        EditSet::of(&edit, "", &before).ok()?.apply(&before).ok().map(|after| after == task.after.as_bytes())
    };
    let mut row = Row::default();
    let mut numbers: HashMap<*const Marks, u32> = HashMap::default();
    let mut way = |row: &mut Row, features: &Features| {
        let lists = features.lists().map(|list| {
            *numbers.entry(Rc::as_ptr(list)).or_insert_with(|| {
                row.lists.push(list.names.iter().map(|name| names.number(name)).collect());
                row.lists.len() as u32 - 1
            })
        });
        (lists.collect::<Vec<_>>(), features.search as f32)
    };
    row.none = way(&mut row, &found.none).0[0];
    let mut weights: Vec<f64> = found.all.iter().map(|candidate| candidate.weight).collect();
    weights.sort_by(|a, b| b.total_cmp(a));
    let least = weights.get(LIKELY).copied().unwrap_or(f64::NEG_INFINITY);
    for (i, candidate) in found.all.iter().enumerate() {
        let right = may_make_it(task, candidate) && makes_it(candidate).unwrap_or(false);
        let of = task.some.filter(|_| !right && candidate.weight < least).unwrap_or(1);
        if i % of > 0 {
            continue;
        }
        let ways = candidate.ways.iter().map(|features| way(&mut row, features)).collect();
        row.candidates.push(Seen { right, more: (of as f32).ln(), ways });
    }
    row
}
