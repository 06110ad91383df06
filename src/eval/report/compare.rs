//! Two records of the same tasks: which of them changed, and whether the difference shows anything.

use super::summary::{Column, columns, ordered};
use crate::eval::record::{Evaluation, TaskRecord};
use crate::eval::statistics::{Paired, Share};
use crate::text::visible;
use std::collections::BTreeMap;
use std::fmt;

/// What differs between two evaluations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// A part for each model with a strategy that both have.
    pub columns: Vec<ComparedColumn>,
    /// Tasks that both have by name, but that were not the same: another sentence, or another
    /// result expected. They are not compared.
    pub other_tasks: Vec<String>,
    /// How many tasks only one of the two has.
    pub only_in_one: usize,
}

/// A model with a strategy, before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedColumn {
    /// What it is called in the first evaluation and in the second: the model and the strategy.
    pub names: [String; 2],
    /// On the tasks that both have.
    pub paired: Paired,
    /// Tasks that only the second passed.
    pub gained: Vec<String>,
    /// Tasks that only the first passed.
    pub lost: Vec<String>,
    /// The same by level, in order.
    pub levels: Vec<(String, Paired)>,
}

/// For a terminal: what each pair of columns shows, by level where there are several, and the tasks
/// that changed.
impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (i, column) in self.columns.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            column.fmt(f)?;
        }
        if !self.other_tasks.is_empty() {
            let names = visible(&self.other_tasks.join(", ")).into_owned();
            writeln!(
                f,
                "\nNot compared, because they were not the same task in both: {names}"
            )?;
        }
        match self.only_in_one {
            0 => Ok(()),
            1 => writeln!(
                f,
                "\nNot compared, because only one of the two has it: 1 task"
            ),
            n => writeln!(
                f,
                "\nNot compared, because only one of the two has them: {n} tasks"
            ),
        }
    }
}

impl fmt::Display for ComparedColumn {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let [first, second] = self.names.each_ref().map(|name| visible(name));
        // The same column twice: which evaluation it was tells them apart.
        let (title, first, second) = if first == second {
            (first.clone(), "the first", "the second")
        } else {
            (
                format!("{first}, and {second}").into(),
                first.as_ref(),
                second.as_ref(),
            )
        };
        let Paired {
            both,
            only_first,
            only_second,
            ..
        } = self.paired;
        writeln!(
            f,
            "{title}: {} passed, then {} of {}",
            both + only_first,
            both + only_second,
            self.paired.tasks()
        )?;
        writeln!(f, "  {}", self.paired.sentence(first, second))?;
        if self.levels.len() > 1 {
            for (level, paired) in &self.levels {
                writeln!(
                    f,
                    "  level {}: {}",
                    visible(level),
                    paired.sentence(first, second)
                )?;
            }
        }
        for (names, who) in [(&self.gained, second), (&self.lost, first)]
            .into_iter()
            .filter(|(names, _)| !names.is_empty())
        {
            writeln!(f, "  only {who} passed:")?;
            for name in names {
                writeln!(f, "    {}", visible(name))?;
            }
        }
        Ok(())
    }
}

/// Why two evaluations cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// They have no task in common.
    #[error(
        "the two evaluations have no task in common: the first has {first}, the second {second}. \
         Compare evaluations of the same suite"
    )]
    NoTasks {
        /// Some tasks of the first, in words.
        first: String,
        /// … of the second.
        second: String,
    },
    /// They have no model and strategy in common, and several that could be meant.
    #[error(
        "the two evaluations have no model and strategy in common: the first has {first}, the \
         second {second}. Evaluate the same model or the same strategy, and one only of the other"
    )]
    NoColumns {
        /// The columns of the first, in words.
        first: String,
        /// … of the second.
        second: String,
    },
}

/// Compares two evaluations, by model and strategy. If they have none in common, but each is of one
/// model (or of one strategy), then the same strategies (or models) are compared.
pub fn compare(first: &Evaluation, second: &Evaluation) -> Result<Comparison, CompareError> {
    let (tasks, others) = (by_name(&first.tasks), by_name(&second.tasks));
    let common: Vec<&str> = tasks
        .keys()
        .copied()
        .filter(|name| others.contains_key(name))
        .collect();
    if common.is_empty() {
        return Err(CompareError::NoTasks {
            first: some_of(tasks.keys().copied()),
            second: some_of(others.keys().copied()),
        });
    }
    let is_same = |name: &&str| {
        (&tasks[name].wordings, &tasks[name].expected)
            == (&others[name].wordings, &others[name].expected)
    };
    let (same, changed): (Vec<&str>, Vec<&str>) = common.iter().copied().partition(is_same);
    let levels: BTreeMap<&str, &str> = same
        .iter()
        .map(|name| (*name, tasks[name].level.as_str()))
        .collect();
    let (firsts, seconds) = (columns(first), columns(second));
    let pairs = paired_columns(&firsts, &seconds);
    if pairs.is_empty() {
        let words = |columns: &[Column]| {
            some_of(
                columns
                    .iter()
                    .map(name_of)
                    .collect::<Vec<_>>()
                    .iter()
                    .map(String::as_str),
            )
        };
        return Err(CompareError::NoColumns {
            first: words(&firsts),
            second: words(&seconds),
        });
    }
    Ok(Comparison {
        columns: pairs
            .iter()
            .map(|(first, second)| compared(first, second, &levels))
            .collect(),
        other_tasks: changed.iter().map(|&name| name.to_owned()).collect(),
        only_in_one: tasks.len() + others.len() - 2 * common.len(),
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
    let paired_by = |is_pair: &dyn Fn(&Column, &Column) -> bool| -> Vec<_> {
        firsts
            .iter()
            .filter_map(|first| {
                Some((first, seconds.iter().find(|second| is_pair(first, second))?))
            })
            .collect()
    };
    let is_of_one = |what: fn(&Column<'a>) -> &'a str| {
        [firsts, seconds]
            .iter()
            .all(|columns| columns.windows(2).all(|two| what(&two[0]) == what(&two[1])))
    };
    let by_both = paired_by(&|a, b| (a.model, a.strategy) == (b.model, b.strategy));
    if !by_both.is_empty() {
        by_both
    } else if is_of_one(|column| column.model) && is_of_one(|column| column.strategy) {
        paired_by(&|_, _| true)
    } else if is_of_one(|column| column.model) {
        paired_by(&|a, b| a.strategy == b.strategy)
    } else if is_of_one(|column| column.strategy) {
        paired_by(&|a, b| a.model == b.model)
    } else {
        Vec::new()
    }
}

fn compared(first: &Column, second: &Column, levels: &BTreeMap<&str, &str>) -> ComparedColumn {
    let passed =
        |column: &Column, name: &str| column.tasks.get(name).copied().map(Share::is_majority);
    let changed = |to: bool| -> Vec<String> {
        let is_changed =
            |name: &&&str| (passed(first, name), passed(second, name)) == (Some(!to), Some(to));
        levels
            .keys()
            .filter(is_changed)
            .map(|&name| name.to_owned())
            .collect()
    };
    let of_level = |level: &str| paired(first, second, &|name| levels.get(name) == Some(&level));
    ComparedColumn {
        names: [name_of(first), name_of(second)],
        paired: paired(first, second, &|name| levels.contains_key(name)),
        gained: changed(true),
        lost: changed(false),
        levels: ordered(levels.values().copied())
            .into_iter()
            .map(|level| (level.to_owned(), of_level(level)))
            .collect(),
    }
}

/// The tasks that are meant.
fn paired(first: &Column, second: &Column, is_meant: &dyn Fn(&str) -> bool) -> Paired {
    fn only<'a>(column: &Column<'a>, is_meant: &dyn Fn(&str) -> bool) -> BTreeMap<&'a str, Share> {
        column
            .tasks
            .iter()
            .filter(|(name, _)| is_meant(name))
            .map(|(&name, &share)| (name, share))
            .collect()
    }
    Paired::of(&only(first, is_meant), &only(second, is_meant))
}

fn name_of(column: &Column) -> String {
    format!("{} with {}", column.model, column.strategy)
}

/// The first few, and how many more.
fn some_of<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    const SHOWN: usize = 3;
    let n = names.len();
    let shown = names.take(SHOWN).collect::<Vec<_>>().join(", ");
    match n {
        0 => "none".to_owned(),
        n if n > SHOWN => format!("{shown} and {} more", n - SHOWN),
        _ => shown,
    }
}
