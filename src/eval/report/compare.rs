//! Two records of the same tasks: the tasks that changed, and whether the difference shows anything.

use super::summary::{Column, columns, ordered};
use crate::eval::record::{Evaluation, TaskRecord};
use crate::eval::statistics::Paired;
use crate::text::visible;
use std::collections::BTreeMap;
use std::fmt;

/// The differences between two evaluations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The models with a strategy that both have.
    pub columns: Vec<ComparedColumn>,
    /// Tasks that have the same name in both, but another sentence or another expected result. They
    /// are not compared.
    pub other_tasks: Vec<String>,
    /// How many tasks only one of the two has.
    pub only_in_one: usize,
}

/// A model with a strategy, before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedColumn {
    /// The model and the strategy, in the first evaluation and in the second.
    pub names: [String; 2],
    /// The result on the tasks that both have.
    pub paired: Paired,
    /// Tasks that only the second passed.
    pub gained: Vec<String>,
    /// Tasks that only the first passed.
    pub lost: Vec<String>,
    /// The result by level, in order.
    pub levels: Vec<(String, Paired)>,
}

/// For a terminal: the result for each pair of columns, by level if there are several, and the
/// tasks that changed.
impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (i, column) in self.columns.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            column.fmt(f)?;
        }
        if !self.other_tasks.is_empty() {
            let names = self.other_tasks.join(", ");
            let why = "because they were not the same task in both";
            writeln!(f, "\nNot compared, {why}: {}", visible(&names))?;
        }
        match self.only_in_one {
            0 => Ok(()),
            1 => writeln!(
                f,
                "\nNot compared, because only one of the two has it: 1 task"
            ),
            n => {
                let why = "because only one of the two has them";
                writeln!(f, "\nNot compared, {why}: {n} tasks")
            }
        }
    }
}

impl fmt::Display for ComparedColumn {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let [first, second] = self.names.each_ref().map(|name| visible(name));
        let is_same = first == second;
        let Paired {
            both,
            only_first,
            only_second,
            ..
        } = self.paired;
        let counts = format!(
            "{} passed, then {} of {}",
            both + only_first,
            both + only_second,
            self.paired.tasks()
        );
        if is_same {
            writeln!(f, "{first}: {counts}")?;
        } else {
            writeln!(f, "{first}, and {second}: {counts}")?;
        }

        // Of the same column, the evaluation tells the two apart.
        let who = if is_same {
            ["the first", "the second"]
        } else {
            [first.as_ref(), second.as_ref()]
        };
        writeln!(f, "  {}", self.paired.sentence(who[0], who[1]))?;
        if self.levels.len() > 1 {
            for (level, paired) in &self.levels {
                let sentence = paired.sentence(who[0], who[1]);
                writeln!(f, "  level {}: {sentence}", visible(level))?;
            }
        }
        for (names, who) in [(&self.gained, who[1]), (&self.lost, who[0])] {
            if !names.is_empty() {
                writeln!(f, "  only {who} passed:")?;
            }
            for name in names {
                writeln!(f, "    {}", visible(name))?;
            }
        }
        Ok(())
    }
}

/// Why two evaluations cannot be compared. The texts name some tasks or columns of each.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// They have no task in common.
    #[error(
        "the two evaluations have no task in common: the first has {0}, the second {1}. \
         Compare evaluations of the same suite"
    )]
    NoTasks(String, String),
    /// They have no model and strategy in common, and several that could be meant.
    #[error(
        "the two evaluations have no model and strategy in common: the first has {0}, the \
         second {1}. Evaluate the same model or the same strategy, and one only of the other"
    )]
    NoColumns(String, String),
}

/// Compares two evaluations, by model and strategy. If they have none in common, but each is of one
/// model (or of one strategy), then the same strategies (or models) are compared.
pub fn compare(first: &Evaluation, second: &Evaluation) -> Result<Comparison, CompareError> {
    let tasks = by_name(&first.tasks);
    let others = by_name(&second.tasks);
    let mut levels: BTreeMap<&str, &str> = BTreeMap::new();
    let mut other_tasks = Vec::new();
    for (&name, task) in &tasks {
        let Some(other) = others.get(name) else {
            continue;
        };
        if (&task.wordings, &task.expected) == (&other.wordings, &other.expected) {
            levels.insert(name, &task.level);
        } else {
            other_tasks.push(name.to_owned());
        }
    }
    let n_common = levels.len() + other_tasks.len();
    if n_common == 0 {
        return Err(CompareError::NoTasks(
            some_of(tasks.keys().map(|name| (*name).to_owned())),
            some_of(others.keys().map(|name| (*name).to_owned())),
        ));
    }

    let firsts = columns(first);
    let seconds = columns(second);
    let pairs = paired_columns(&firsts, &seconds);
    if pairs.is_empty() {
        let [firsts, seconds] =
            [&firsts, &seconds].map(|columns| some_of(columns.iter().map(name_of)));
        return Err(CompareError::NoColumns(firsts, seconds));
    }
    let compared = pairs
        .iter()
        .map(|(first, second)| compared(first, second, &levels));
    Ok(Comparison {
        columns: compared.collect(),
        other_tasks,
        only_in_one: tasks.len() + others.len() - 2 * n_common,
    })
}

fn by_name(tasks: &[TaskRecord]) -> BTreeMap<&str, &TaskRecord> {
    tasks
        .iter()
        .map(|task| (task.name.as_str(), task))
        .collect()
}

fn paired_columns<'a>(
    firsts: &'a [Column<'a>],
    seconds: &'a [Column<'a>],
) -> Vec<(&'a Column<'a>, &'a Column<'a>)> {
    let neighbours = firsts.windows(2).chain(seconds.windows(2));
    let is_one_model = neighbours.clone().all(|two| two[0].model == two[1].model);
    let is_one_strategy = neighbours
        .clone()
        .all(|two| two[0].strategy == two[1].strategy);
    let mut same = Vec::new();
    let mut alike = Vec::new();
    for first in firsts {
        for second in seconds {
            let is_model = first.model == second.model;
            let is_strategy = first.strategy == second.strategy;
            if is_model && is_strategy {
                same.push((first, second));
            } else if (is_model || is_one_model) && (is_strategy || is_one_strategy) {
                alike.push((first, second));
            }
        }
    }
    if same.is_empty() { alike } else { same }
}

fn compared(first: &Column, second: &Column, levels: &BTreeMap<&str, &str>) -> ComparedColumn {
    let mut gained = Vec::new();
    let mut lost = Vec::new();
    for &name in levels.keys() {
        let passed = [first, second].map(|column| {
            let share = column.tasks.get(name)?;
            Some(share.is_majority())
        });
        match passed {
            [Some(false), Some(true)] => gained.push(name.to_owned()),
            [Some(true), Some(false)] => lost.push(name.to_owned()),
            _ => {}
        }
    }

    let mut by_level = Vec::new();
    for level in ordered(levels.values().copied()) {
        let paired = paired(first, second, |name| levels.get(name) == Some(&level));
        by_level.push((level.to_owned(), paired));
    }
    ComparedColumn {
        names: [name_of(first), name_of(second)],
        paired: paired(first, second, |name| levels.contains_key(name)),
        gained,
        lost,
        levels: by_level,
    }
}

/// The result on some tasks.
fn paired(first: &Column, second: &Column, is_counted: impl Fn(&str) -> bool) -> Paired {
    let mut tasks = first.tasks.clone();
    tasks.retain(|name, _| is_counted(name));
    Paired::of(&tasks, &second.tasks)
}

fn name_of(column: &Column) -> String {
    format!("{} with {}", column.model, column.strategy)
}

/// The first few names, and how many more there are.
fn some_of(names: impl ExactSizeIterator<Item = String>) -> String {
    const SHOWN: usize = 3;
    let n = names.len();
    let shown: Vec<String> = names.take(SHOWN).collect();
    match n {
        0 => "none".to_owned(),
        n if n > SHOWN => format!("{} and {} more", shown.join(", "), n - SHOWN),
        _ => shown.join(", "),
    }
}
