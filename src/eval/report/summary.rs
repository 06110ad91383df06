//! What an evaluation comes to, as tables and sentences: made once for all reports.

use crate::eval::record::{Evaluation, ModelRecord, Problem, Row, TaskRecord, Verdict};
use crate::eval::statistics::{self, Paired, Share};
use crate::eval::tree::lines_touched;
use crate::slots::Slot;
use std::collections::BTreeMap;

/// A part of a report.
pub(super) struct Section {
    pub title: &'static str,
    /// How to read it; may be empty.
    pub note: String,
    pub body: Body,
}

pub(super) enum Body {
    Table(Table),
    /// Sentences, each a point of a list.
    Points(Vec<String>),
}

/// A table whose first columns say what a row is about; the others are numbers.
pub(super) struct Table {
    pub n_labels: usize,
    pub header: Vec<String>,
    /// Each as long as the header.
    pub rows: Vec<Vec<String>>,
}

/// A model with a strategy.
pub(super) struct Column<'a> {
    pub model: &'a str,
    pub strategy: &'a str,
    pub rows: Vec<&'a Row>,
    /// Runs that passed, by task.
    pub tasks: BTreeMap<&'a str, Share>,
}

/// The ending of a run. The two ways to decline are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Right,
    DeclinedRightly,
    Judgment,
    DeclinedWrongly,
    Mechanics,
    Truncated,
    Timeout,
}

impl Ending {
    /// All of them: what passed, then what the model did wrong, then what the rest did.
    pub const ALL: [Ending; 7] = [
        Ending::Right,
        Ending::DeclinedRightly,
        Ending::Judgment,
        Ending::DeclinedWrongly,
        Ending::Mechanics,
        Ending::Truncated,
        Ending::Timeout,
    ];

    pub fn of(row: &Row) -> Ending {
        match (row.verdict, row.passed) {
            (Verdict::Right, _) => Ending::Right,
            (Verdict::Declined, true) => Ending::DeclinedRightly,
            (Verdict::Declined, false) => Ending::DeclinedWrongly,
            (Verdict::Judgment, _) => Ending::Judgment,
            (Verdict::Mechanics, _) => Ending::Mechanics,
            (Verdict::Truncated, _) => Ending::Truncated,
            (Verdict::Timeout, _) => Ending::Timeout,
        }
    }

    pub fn words(self) -> &'static str {
        match self {
            Ending::Right => "right",
            Ending::DeclinedRightly => "declined rightly",
            Ending::Judgment => "judgment",
            Ending::DeclinedWrongly => "declined wrongly",
            Ending::Mechanics => "mechanics",
            Ending::Truncated => "truncated",
            Ending::Timeout => "timeout",
        }
    }
}

/// The columns that have rows, by model and strategy in the order in which they were named.
pub(super) fn columns(evaluation: &Evaluation) -> Vec<Column<'_>> {
    let mut rows: BTreeMap<(&str, &str), Vec<&Row>> = BTreeMap::new();
    for row in &evaluation.results {
        rows.entry((&row.model, &row.strategy))
            .or_default()
            .push(row);
    }
    let mut columns = Vec::new();
    for ModelRecord { name, .. } in &evaluation.models {
        for strategy in &evaluation.strategies {
            let Some(rows) = rows.remove(&(name.as_str(), strategy.as_str())) else {
                continue;
            };
            columns.push(Column {
                model: name,
                strategy,
                tasks: statistics::by_task(rows.iter().copied()),
                rows,
            });
        }
    }
    columns
}

/// A line that says what was evaluated.
pub(super) fn heading(evaluation: &Evaluation) -> String {
    let Evaluation {
        version,
        models,
        strategies,
        runs,
        tasks,
        results,
        ..
    } = evaluation;
    let counted = [
        (models.len(), "model", "models"),
        (strategies.len(), "strategy", "strategies"),
        (tasks.len(), "task", "tasks"),
        (*runs as usize, "run of each", "runs of each"),
        (results.len(), "result", "results"),
    ];
    let counted: Vec<String> = counted
        .iter()
        .map(|(n, one, several)| format!("{n} {}", if *n == 1 { one } else { several }))
        .collect();
    format!("slotwright {version}: {}", counted.join(", "))
}

/// All that a report says, in order. What there is nothing to say about is left out.
pub(super) fn sections(evaluation: &Evaluation) -> Vec<Section> {
    let columns = columns(evaluation);
    let mut sections = vec![
        overall(evaluation, &columns),
        by_group(evaluation, &columns, "By level", |task| &task.level),
        by_group(evaluation, &columns, "By category", |task| &task.category),
        by_kind(&columns, Verdict::Mechanics, "What the mechanics failed at"),
        by_kind(&columns, Verdict::Judgment, "What was judged wrong"),
        masked_mass(&columns),
        claims(&columns),
        Section {
            title: "What the differences show",
            note: "Exact paired tests on the tasks that both have, each by itself: of twenty, one \
                   falls below 0.05 by chance."
                .to_owned(),
            body: Body::Points(comparisons(&columns)),
        },
        Section {
            title: "What could not be run",
            note: String::new(),
            body: Body::Points(evaluation.problems.iter().map(problem).collect()),
        },
    ];
    sections.retain(|section| match &section.body {
        Body::Table(table) => !table.rows.is_empty() && table.header.len() > table.n_labels,
        Body::Points(points) => !points.is_empty(),
    });
    sections
}

fn overall(evaluation: &Evaluation, columns: &[Column]) -> Section {
    let header = ["model", "strategy", "tasks", "passed %", "95 %"];
    let mut header: Vec<String> = header.map(str::to_owned).to_vec();
    header.extend(Ending::ALL.map(|ending| ending.words().to_owned()));
    header.extend(["prompt tokens", "answer tokens", "ms", "lines touched"].map(str::to_owned));
    let rows = columns.iter().map(|column| {
        let passed = statistics::majority(column.tasks.values());
        let mut row = vec![
            column.model.to_owned(),
            column.strategy.to_owned(),
            passed.of.to_string(),
            percent(passed),
        ];
        let (low, high) = passed.interval();
        row.push(format!("{:.0}–{:.0}", 100.0 * low, 100.0 * high));
        row.extend(Ending::ALL.map(|ending| {
            percent(
                column
                    .rows
                    .iter()
                    .map(|row| Ending::of(row) == ending)
                    .collect(),
            )
        }));
        row.push(median(column, |row| row.prompt_tokens as f64));
        row.push(median(column, |row| row.answer_tokens as f64));
        row.push(median(column, |row| row.ms));
        row.push(touched(evaluation, column));
        row
    });
    let table = Table {
        n_labels: 2,
        header,
        rows: rows.collect(),
    };
    let mut note = "passed: tasks of which more than half of the runs came out right or were \
                    rightly declined, with the 95 % interval of that share. \
                    right to timeout: percent of the runs. \
                    Tokens and time are medians of a run. \
                    lines touched: by right edits, for each line that the known right edits touch."
        .to_owned();
    let n = evaluation.tasks.len();
    if columns.iter().any(|column| column.tasks.len() < n) {
        note.push_str(&format!(
            " Not every row has all {n} tasks: \
             the paired tests below compare on those that both have."
        ));
    }
    Section {
        title: "Results",
        note,
        body: Body::Table(table),
    }
}

/// Lines that the right edits touch, for each line that the known right ones do. `–` if neither is
/// there.
fn touched(evaluation: &Evaluation, column: &Column) -> String {
    let (mut n_touched, mut n_needed) = (0, 0);
    for row in column
        .rows
        .iter()
        .filter(|row| row.verdict == Verdict::Right)
    {
        let task = evaluation.tasks.iter().find(|task| task.name == row.task);
        let needed = task.map_or(0, |task| lines_touched(&task.expected));
        if needed > 0 {
            n_touched += lines_touched(&row.diff);
            n_needed += needed;
        }
    }
    if n_needed == 0 {
        "–".to_owned()
    } else {
        format!("{:.2}", n_touched as f64 / n_needed as f64)
    }
}

fn median(column: &Column, value: impl Fn(&Row) -> f64) -> String {
    statistics::median(column.rows.iter().map(|row| value(row)))
        .map_or(String::new(), |median| format!("{median:.0}"))
}

/// With one digit after the point, so that a share of a large suite is not rounded to nothing.
fn percent(share: Share) -> String {
    format!("{:.1}", 100.0 * share.rate())
}

fn by_group<'a>(
    evaluation: &'a Evaluation,
    columns: &[Column],
    title: &'static str,
    group: fn(&TaskRecord) -> &String,
) -> Section {
    let of_task: BTreeMap<&str, &str> = evaluation
        .tasks
        .iter()
        .map(|task| (task.name.as_str(), group(task).as_str()))
        .collect();
    let groups = ordered(of_task.values().copied());
    let mut header = vec!["model".to_owned(), "strategy".to_owned()];
    header.extend(groups.iter().map(|group| or_none(group)));
    let rows = columns.iter().map(|column| {
        let mut row = vec![column.model.to_owned(), column.strategy.to_owned()];
        row.extend(groups.iter().map(|group| {
            let is_of_group = |name: &&str| of_task.get(name) == Some(group);
            match statistics::majority(
                column
                    .tasks
                    .iter()
                    .filter(|(name, _)| is_of_group(name))
                    .map(|(_, share)| share),
            ) {
                Share { of: 0, .. } => "–".to_owned(),
                Share { passed, of } => format!("{passed}/{of}"),
            }
        }));
        row
    });
    let table = Table {
        n_labels: 2,
        rows: rows.collect(),
        header,
    };
    Section {
        title,
        note: "Tasks passed, of so many.".to_owned(),
        body: Body::Table(table),
    }
}

/// Each once: numbers by their value, then the others by letter.
pub(super) fn ordered<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable_by_key(|name| (name.parse::<u64>().unwrap_or(u64::MAX), *name));
    names.dedup();
    names
}

fn or_none(name: &str) -> String {
    if name.is_empty() {
        "none".to_owned()
    } else {
        name.to_owned()
    }
}

fn by_kind(columns: &[Column], verdict: Verdict, title: &'static str) -> Section {
    let of_verdict = |row: &&&Row| row.verdict == verdict;
    let kinds = ordered(
        columns
            .iter()
            .flat_map(|column| column.rows.iter().filter(of_verdict))
            .map(|row| row.kind.as_str()),
    );
    let mut header = vec!["model".to_owned(), "strategy".to_owned()];
    header.extend(kinds.iter().map(|kind| or_none(kind).replace('_', " ")));
    let rows = columns.iter().map(|column| {
        let mut row = vec![column.model.to_owned(), column.strategy.to_owned()];
        row.extend(kinds.iter().map(|kind| {
            let n = column
                .rows
                .iter()
                .filter(of_verdict)
                .filter(|row| row.kind == *kind)
                .count();
            n.to_string()
        }));
        row
    });
    let table = Table {
        n_labels: 2,
        rows: rows.collect(),
        header,
    };
    Section {
        title,
        note: "Runs.".to_owned(),
        body: Body::Table(table),
    }
}

fn masked_mass(columns: &[Column]) -> Section {
    let rows = columns.iter().flat_map(|column| &column.rows);
    let slots = in_order(
        rows.flat_map(|row| row.masked_mass.keys())
            .map(String::as_str),
    );
    let mut header = vec!["model".to_owned(), "strategy".to_owned()];
    for slot in &slots {
        header.extend([format!("{slot} right"), format!("{slot} wrong")]);
    }
    let median = |column: &Column, slot: &str, passed: bool| {
        let rows = column.rows.iter().filter(|row| row.passed == passed);
        statistics::median(rows.filter_map(|row| row.masked_mass.get(slot)).copied())
            .map_or("–".to_owned(), |mass| format!("{mass:.2}"))
    };
    let has_any = |column: &&Column| column.rows.iter().any(|row| !row.masked_mass.is_empty());
    let row = |column: &Column| {
        let mut row = vec![column.model.to_owned(), column.strategy.to_owned()];
        for slot in &slots {
            row.extend([true, false].map(|passed| median(column, slot, passed)));
        }
        row
    };
    let rows = columns.iter().filter(has_any).map(row).collect();
    Section {
        title: "Masked mass by slot",
        note: "The probability, 0 to 1, that the constraint took from what the model wanted to \
               write: the median over the runs that passed, and over those that did not. Near 0 \
               the model chose freely."
            .to_owned(),
        body: Body::Table(Table {
            n_labels: 2,
            header,
            rows,
        }),
    }
}

/// Slots, each once, in the order in which answers have them. Those of a later version come last.
fn in_order<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let place = |name: &str| {
        let slot = serde_json::from_value::<Slot>(name.into()).ok();
        (slot.is_none(), slot)
    };
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable_by_key(|name| (place(name), *name));
    names.dedup();
    names
}

fn claims(columns: &[Column]) -> Section {
    let header = [
        "model",
        "strategy",
        "claimed and passed",
        "claimed and failed",
        "not claimed but passed",
        "not claimed and failed",
    ];
    let rows = columns
        .iter()
        .filter(|column| column.rows.iter().any(|row| row.claim.is_some()))
        .map(|column| {
            let mut row = vec![column.model.to_owned(), column.strategy.to_owned()];
            row.extend(
                [(true, true), (true, false), (false, true), (false, false)].map(
                    |(claim, passed)| {
                        let n = column
                            .rows
                            .iter()
                            .filter(|row| row.claim == Some(claim) && row.passed == passed)
                            .count();
                        n.to_string()
                    },
                ),
            );
            row
        });
    let table = Table {
        n_labels: 2,
        header: header.map(str::to_owned).to_vec(),
        rows: rows.collect(),
    };
    Section {
        title: "What the models claim",
        note: "Runs whose model was asked whether it had succeeded.".to_owned(),
        body: Body::Table(table),
    }
}

/// On one line.
fn problem(Problem { task, message }: &Problem) -> String {
    format!(
        "{task}: {}",
        message.split_whitespace().collect::<Vec<_>>().join(" ")
    )
}

/// Of each model the first strategy against the others; then the best model against the others,
/// under that strategy.
fn comparisons(columns: &[Column]) -> Vec<String> {
    let mut sentences = Vec::new();
    let mut first = columns.first();
    for column in columns {
        match first {
            Some(first) if first.model == column.model && first.strategy != column.strategy => {
                let sentence = Paired::of(&first.tasks, &column.tasks)
                    .sentence(first.strategy, column.strategy);
                sentences.push(format!("{}: {sentence}.", first.model));
            }
            _ => first = Some(column),
        }
    }
    let Some(strategy) = columns.first().map(|column| column.strategy) else {
        return sentences;
    };
    let models: Vec<&Column> = columns
        .iter()
        .filter(|column| column.strategy == strategy)
        .collect();
    // Among equals, the one that was named first.
    let rate = |column: &&&Column| statistics::majority(column.tasks.values()).rate();
    let best = models
        .iter()
        .rev()
        .max_by(|a, b| rate(a).total_cmp(&rate(b)));
    let Some(best) = best else { return sentences };
    for other in models.iter().filter(|other| best.model != other.model) {
        let sentence = Paired::of(&best.tasks, &other.tasks).sentence(best.model, other.model);
        sentences.push(format!("With {strategy}: {sentence}."));
    }
    sentences
}
