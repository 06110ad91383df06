//! What `models/recipe/suggestions.py` fits the weights of suggestions to: for each task every change that its sentence may mean
//! ([`slotwright::suggest`]), what can be seen of it, and whether it is the one wanted.
//!
//! ```text
//! suggestion_features < TASKS.jsonl > FEATURES.jsonl     {"task": …, "before": …, "after": …} a line
//! ```
//! The names of features are numbered; the last line has them in order. `lists` are lists of features, which the `ways` of
//! candidates name by their numbers, with the logarithm of the probability that the search gives to the line.

use serde::{Deserialize, Serialize};
use slotwright::edit::{EditSet, place};
use slotwright::suggest::{Candidate, Features, candidates};
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
}

#[derive(Default, Serialize)]
struct Row {
    lists: Vec<Vec<usize>>,
    none: usize,
    candidates: Vec<Seen>,
}

#[derive(Serialize)]
struct Seen {
    right: bool,
    ways: Vec<(usize, usize, usize, f64)>,
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
        let [a, b, c] = features.lists().each_ref().map(|list| {
            *numbers.entry(Rc::as_ptr(list)).or_insert_with(|| {
                row.lists.push(list.iter().map(|name| names.number(name)).collect());
                row.lists.len() - 1
            })
        });
        (a, b, c, features.search)
    };
    row.none = way(&mut row, &found.none).0;
    for candidate in &found.all {
        let right = makes_it(candidate).unwrap_or(false);
        let ways = candidate.ways.iter().map(|features| way(&mut row, features)).collect();
        row.candidates.push(Seen { right, ways });
    }
    row
}
