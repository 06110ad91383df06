//! What `models/recipe/suggestions.py` fits the weights of suggestions to: for each task every change that its sentence may mean
//! ([`slotwright::suggest`]), what can be seen of it, and whether it is the one wanted.
//!
//! ```text
//! suggestion_features < TASKS.jsonl > FEATURES.jsonl     {"task": …, "before": …, "after": …} a line
//! ```
//! The names of features are numbered; the last line has them in order. `lists` are lists of features, which the `ways` of
//! candidates name by their numbers, with the logarithm of the probability that the search gives to the line. With `"some": 20`
//! in the task, of the candidates that the weights there are find less likely than [`LIKELY`] others only every 20th is written, with the
//! logarithm of 20 as what it has to weigh more for the others (`more`).

use serde::{Deserialize, Serialize};
use slotwright::edit::{EditSet, place};
use slotwright::suggest::{Candidate, Change, Features, candidates};
use slotwright::text::{Shown, Text};
use std::collections::HashMap;
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

#[derive(Default, Serialize)]
struct Row {
    lists: Vec<Vec<usize>>,
    none: usize,
    candidates: Vec<Seen>,
}

#[derive(Serialize)]
struct Seen {
    right: bool,
    more: f64,
    ways: Vec<(Vec<usize>, f64)>,
}

/// The numbers of names.
#[derive(Default)]
struct Names(HashMap<String, usize>);

impl Names {
    fn number(&mut self, name: &str) -> usize {
        let n = self.0.len();
        *self.0.entry(name.to_owned()).or_insert(n)
    }
}

fn main() -> ExitCode {
    match write(std::io::stdin().lock(), BufWriter::new(std::io::stdout().lock())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("suggestion_features: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write(tasks: impl BufRead, mut out: impl Write) -> Result<(), Box<dyn std::error::Error>> {
    let mut names = Names::default();
    for line in tasks.lines() {
        let task: Task = serde_json::from_str(&line?)?;
        serde_json::to_writer(&mut out, &row(&task, &mut names))?;
        out.write_all(b"\n")?;
    }
    let mut in_order: Vec<(usize, String)> = names.0.into_iter().map(|(name, n)| (n, name)).collect();
    in_order.sort();
    serde_json::to_writer(&mut out, &in_order.into_iter().map(|(_, name)| name).collect::<Vec<_>>())?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
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
    let mut numbers: HashMap<*const Vec<String>, usize> = HashMap::new();
    let mut way = |row: &mut Row, features: &Features| {
        let lists = features.lists().iter().map(|list| {
            *numbers.entry(Rc::as_ptr(list)).or_insert_with(|| {
                row.lists.push(list.iter().map(|name| names.number(name)).collect());
                row.lists.len() - 1
            })
        });
        (lists.collect::<Vec<_>>(), features.search)
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
        row.candidates.push(Seen { right, more: (of as f64).ln(), ways });
    }
    row
}
