//! The tables and sentences of a report, made once for all formats.

use crate::eval::record::{Evaluation, ModelRecord, Problem, Row, TaskRecord, Verdict};
use crate::eval::statistics::{self, Paired, Share};
use crate::eval::tree::lines_touched;
use crate::slots::Slot;
use std::collections::BTreeMap;

/// A part of a report.
pub(super) struct Section {
    pub title: &'static str,
    /// An explanation of the table; may be empty.
    pub note: String,
    pub body: Body,
}

pub(super) enum Body {
    Table(Table),
    /// The points of a list.
    Points(Vec<String>),
}

/// A table whose first [`N_LABELS`] columns are the model and the strategy. The others are numbers.
pub(super) struct Table {
    pub header: Vec<String>,
    /// Each as long as the header.
    pub rows: Vec<Vec<String>>,
}

pub(super) const N_LABELS: usize = 2;

/// A model with a strategy.
pub(super) struct Column<'a> {
    pub model: &'a str,
    pub strategy: &'a str,
    pub rows: Vec<&'a Row>,
    /// Runs that passed, by task.
    pub tasks: BTreeMap<&'a str, Share>,
}

/// The endings of runs: first those that passed, then the model's failures, then the others.
pub(super) const ENDINGS: [&str; 7] = [
    "right",
    "declined rightly",
    "judgment",
    "declined wrongly",
    "mechanics",
    "truncated",
    "timeout",
];

/// One of [`ENDINGS`].
pub(super) fn ending(row: &Row) -> &'static str {
    match row.verdict {
        Verdict::Right => "right",
        Verdict::Declined if row.passed => "declined rightly",
        Verdict::Judgment => "judgment",
        Verdict::Declined => "declined wrongly",
        Verdict::Mechanics => "mechanics",
        Verdict::Truncated => "truncated",
        Verdict::Timeout => "timeout",
    }
}

/// The columns that have rows, by model and strategy in the order in which they were named.
pub(super) fn columns(evaluation: &Evaluation) -> Vec<Column<'_>> {
    let mut rows: BTreeMap<(&str, &str), Vec<&Row>> = BTreeMap::new();
    for row in &evaluation.results {
        let column = rows.entry((&row.model, &row.strategy)).or_default();
        column.push(row);
    }

    let mut columns = Vec::new();
    for ModelRecord { name: model, .. } in &evaluation.models {
        for strategy in &evaluation.strategies {
            if let Some(rows) = rows.remove(&(model.as_str(), strategy.as_str())) {
                let tasks = statistics::by_task(rows.iter().copied());
                columns.push(Column {
                    model,
                    strategy,
                    rows,
                    tasks,
                });
            }
        }
    }
    columns
}

/// A line that says what was evaluated.
pub(super) fn heading(evaluation: &Evaluation) -> String {
    let counts = [
        (evaluation.models.len(), "model", "models"),
        (evaluation.strategies.len(), "strategy", "strategies"),
        (evaluation.tasks.len(), "task", "tasks"),
        (evaluation.runs as usize, "run of each", "runs of each"),
        (evaluation.results.len(), "result", "results"),
    ];
    let counts =
        counts.map(|(n, one, several)| format!("{n} {}", if n == 1 { one } else { several }));
    format!("slotwright {}: {}", evaluation.version, counts.join(", "))
}

/// The sections for a screen, of a few tasks: what became of each.
pub(super) fn short_sections(evaluation: &Evaluation) -> Vec<Section> {
    let columns = columns(evaluation);
    let names = ["passed", "ms"].map(str::to_owned).to_vec();
    let results = table(&columns, names, |column| {
        let Share { passed, of } = statistics::majority(column.tasks.values());
        let ms = median(column, |row| row.ms);
        vec![format!("{passed}/{of}"), ms]
    });
    let tasks = Body::Points(by_task(evaluation, &columns));
    let mut short = vec![section("Results", "", results), section("Tasks", "", tasks)];
    let kept = ["What the models claim", "What could not be run"];
    let mut others = sections(evaluation);
    others.retain(|section| kept.contains(&section.title));
    short.extend(others);
    short
}

/// What became of each task, by model and strategy.
fn by_task(evaluation: &Evaluation, columns: &[Column]) -> Vec<String> {
    let mut points = Vec::new();
    for task in &evaluation.tasks {
        let mut ends = Vec::new();
        for column in columns {
            let Some(share) = column.tasks.get(task.name.as_str()) else {
                continue;
            };
            let who = if evaluation.models.len() > 1 {
                format!("{} {}", column.model, column.strategy)
            } else {
                column.strategy.to_owned()
            };
            let rows = column.rows.iter().filter(|row| row.task == task.name);
            ends.push(format!("{who} {}", end_of_task(*share, rows.copied())));
        }
        points.push(format!("{}: {}", task.name, ends.join("; ")));
    }
    points
}

/// `right`, or how the first run ended that did not pass, and how many did.
fn end_of_task<'r>(share: Share, mut rows: impl Iterator<Item = &'r Row>) -> String {
    let Share { passed, of } = share;
    let Some(row) = rows.find(|row| !row.passed) else {
        return "right".to_owned();
    };
    let end = match row.kind.as_str() {
        "" => ending(row).to_owned(),
        kind => kind.replace('_', " "),
    };
    if passed == 0 {
        return end;
    }
    format!("right in {passed} of {of} runs, else {end}")
}

/// All sections of a report, in order, without the empty ones.
pub(super) fn sections(evaluation: &Evaluation) -> Vec<Section> {
    const PASSED: &str = "Tasks passed, of so many.";
    const MASKED: &str = "The probability, 0 to 1, that the constraint took from what the model \
        wanted to write: the median over the runs that passed, and over those that did not. Near \
        0 the model chose freely.";
    const CLAIMS: &str = "Runs whose model was asked whether it had succeeded.";
    const TESTS: &str = "Exact paired tests on the tasks that both have, each by itself: of \
        twenty, one falls below 0.05 by chance.";
    let columns = columns(evaluation);
    let levels = by_group(evaluation, &columns, |task| &task.level);
    let categories = by_group(evaluation, &columns, |task| &task.category);
    let mechanics = by_kind(&columns, Verdict::Mechanics);
    let judgment = by_kind(&columns, Verdict::Judgment);
    let comparisons = Body::Points(comparisons(&columns));
    let problems = Body::Points(problems(evaluation));

    let mut sections = vec![
        results(evaluation, &columns),
        section("By level", PASSED, levels),
        section("By category", PASSED, categories),
        section("What the mechanics failed at", "Runs.", mechanics),
        section("What was judged wrong", "Runs.", judgment),
        section("Masked mass by slot", MASKED, masked_mass(&columns)),
        section("What the models claim", CLAIMS, claims(&columns)),
        section("What the differences show", TESTS, comparisons),
        section("What could not be run", "", problems),
    ];
    sections.retain(|section| match &section.body {
        Body::Table(table) => !table.rows.is_empty() && table.header.len() > N_LABELS,
        Body::Points(points) => !points.is_empty(),
    });
    sections
}

fn section(title: &'static str, note: &str, body: Body) -> Section {
    Section {
        title,
        note: note.to_owned(),
        body,
    }
}

/// A table with a row for each column of the evaluation.
fn table<'a>(
    columns: impl IntoIterator<Item = &'a Column<'a>>,
    names: Vec<String>,
    cells: impl Fn(&Column) -> Vec<String>,
) -> Body {
    let mut header = vec!["model".to_owned(), "strategy".to_owned()];
    header.extend(names);
    let mut rows = Vec::new();
    for column in columns {
        let mut row = vec![column.model.to_owned(), column.strategy.to_owned()];
        row.extend(cells(column));
        rows.push(row);
    }
    Body::Table(Table { header, rows })
}

fn results(evaluation: &Evaluation, columns: &[Column]) -> Section {
    let mut names = vec!["tasks", "passed %", "95 %"];
    names.extend(ENDINGS);
    names.extend(["prompt tokens", "answer tokens", "ms", "lines touched"]);
    let names = names.into_iter().map(str::to_owned).collect();
    let body = table(columns, names, |column| {
        let passed = statistics::majority(column.tasks.values());
        let (low, high) = passed.interval();
        let interval = format!("{:.0}–{:.0}", 100.0 * low, 100.0 * high);
        let mut cells = vec![passed.of.to_string(), percent(passed), interval];
        for name in ENDINGS {
            let is_it = column.rows.iter().map(|row| ending(row) == name);
            cells.push(percent(is_it.collect()));
        }
        cells.push(median(column, |row| row.prompt_tokens as f64));
        cells.push(median(column, |row| row.answer_tokens as f64));
        cells.push(median(column, |row| row.ms));
        cells.push(touched(evaluation, column));
        cells
    });

    let note = "passed: tasks of which more than half of the runs came out right or were \
                rightly declined, with the 95 % interval of that share. \
                right to timeout: percent of the runs. \
                Tokens and time are medians of a run. \
                lines touched: by right edits, for each line that the known right edits touch.";
    let mut section = section("Results", note, body);
    let n = evaluation.tasks.len();
    if columns.iter().any(|column| column.tasks.len() < n) {
        section.note += &format!(
            " Not every row has all {n} tasks: \
             the paired tests below compare on those that both have."
        );
    }
    section
}

/// Lines that the right edits touch, for each line that the known right ones touch. `–` if there
/// are none.
fn touched(evaluation: &Evaluation, column: &Column) -> String {
    let mut n_touched = 0;
    let mut n_needed = 0;
    for row in &column.rows {
        let task = evaluation.tasks.iter().find(|task| task.name == row.task);
        let needed = task.map_or(0, |task| lines_touched(&task.expected));
        if row.verdict == Verdict::Right && needed > 0 {
            n_touched += lines_touched(&row.diff);
            n_needed += needed;
        }
    }
    if n_needed == 0 {
        return "–".to_owned();
    }
    format!("{:.2}", n_touched as f64 / n_needed as f64)
}

fn median(column: &Column, value: impl Fn(&Row) -> f64) -> String {
    statistics::median(column.rows.iter().map(|row| value(row)))
        .map_or(String::new(), |median| format!("{median:.0}"))
}

/// With one digit after the point, so that a share of a large suite is not rounded to nothing.
fn percent(share: Share) -> String {
    format!("{:.1}", 100.0 * share.rate())
}

fn by_group(
    evaluation: &Evaluation,
    columns: &[Column],
    group_of: fn(&TaskRecord) -> &String,
) -> Body {
    let mut of_task: BTreeMap<&str, &str> = BTreeMap::new();
    for task in &evaluation.tasks {
        of_task.insert(&task.name, group_of(task));
    }
    let groups = ordered(of_task.values().copied());
    let names = groups.iter().map(|group| or_none(group)).collect();
    table(columns, names, |column| {
        let mut cells = Vec::new();
        for group in &groups {
            let mut tasks = column.tasks.clone();
            tasks.retain(|name, _| of_task.get(name) == Some(group));
            let Share { passed, of } = statistics::majority(tasks.values());
            cells.push(if of == 0 {
                "–".to_owned()
            } else {
                format!("{passed}/{of}")
            });
        }
        cells
    })
}

/// Each once: numbers by their value, then the others by letter.
pub(super) fn ordered<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable_by_key(|name| (name.parse::<u64>().unwrap_or(u64::MAX), *name));
    names.dedup();
    names
}

fn or_none(name: &str) -> String {
    let name = if name.is_empty() { "none" } else { name };
    name.to_owned()
}

fn by_kind(columns: &[Column], verdict: Verdict) -> Body {
    let rows = columns.iter().flat_map(|column| &column.rows);
    let rows = rows.filter(|row| row.verdict == verdict);
    let kinds = ordered(rows.map(|row| row.kind.as_str()));
    let names = kinds.iter().map(|kind| or_none(kind).replace('_', " "));
    table(columns, names.collect(), |column| {
        let mut cells = Vec::new();
        for kind in &kinds {
            cells.push(count(column, |row| {
                row.verdict == verdict && row.kind == *kind
            }));
        }
        cells
    })
}

fn count(column: &Column, is_counted: impl Fn(&Row) -> bool) -> String {
    let rows = column.rows.iter().filter(|row| is_counted(row));
    rows.count().to_string()
}

fn masked_mass(columns: &[Column]) -> Body {
    let rows = columns.iter().flat_map(|column| &column.rows);
    let slots = in_order(
        rows.flat_map(|row| row.masked_mass.keys())
            .map(String::as_str),
    );
    let names = slots
        .iter()
        .flat_map(|slot| [format!("{slot} right"), format!("{slot} wrong")]);
    let columns = columns
        .iter()
        .filter(|column| column.rows.iter().any(|row| !row.masked_mass.is_empty()));
    table(columns, names.collect(), |column| {
        let mut cells = Vec::new();
        for slot in &slots {
            for passed in [true, false] {
                let rows = column.rows.iter().filter(|row| row.passed == passed);
                let masses = rows.filter_map(|row| row.masked_mass.get(*slot)).copied();
                let median = statistics::median(masses);
                cells.push(median.map_or("–".to_owned(), |mass| format!("{mass:.2}")));
            }
        }
        cells
    })
}

/// Slots, each once, in the order in which answers have them. Those of a later version come last.
fn in_order<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable_by_key(|name| {
        let slot = serde_json::from_value::<Slot>((*name).into()).ok();
        (slot.is_none(), slot, *name)
    });
    names.dedup();
    names
}

fn claims(columns: &[Column]) -> Body {
    let names = [
        ("claimed and passed", true, true),
        ("claimed and failed", true, false),
        ("not claimed but passed", false, true),
        ("not claimed and failed", false, false),
    ];
    let asked = columns
        .iter()
        .filter(|column| column.rows.iter().any(|row| row.claim.is_some()));
    table(
        asked,
        names.map(|(name, ..)| name.to_owned()).to_vec(),
        |column| {
            let cells = names.map(|(_, claim, passed)| {
                count(column, |row| {
                    row.claim == Some(claim) && row.passed == passed
                })
            });
            cells.to_vec()
        },
    )
}

/// Each on one line.
fn problems(evaluation: &Evaluation) -> Vec<String> {
    let mut points = Vec::new();
    for Problem { task, message } in &evaluation.problems {
        let words: Vec<&str> = message.split_whitespace().collect();
        points.push(format!("{task}: {}", words.join(" ")));
    }
    points
}

/// First, for each model, its first strategy against its others. Then the best model against the
/// others, with the first strategy.
fn comparisons(columns: &[Column]) -> Vec<String> {
    let Some(mut first) = columns.first() else {
        return Vec::new();
    };
    let strategy = first.strategy;
    let mut sentences = Vec::new();
    for column in columns {
        if first.model != column.model {
            first = column;
        } else if first.strategy != column.strategy {
            let paired = Paired::of(&first.tasks, &column.tasks);
            let sentence = paired.sentence(first.strategy, column.strategy);
            sentences.push(format!("{}: {sentence}.", first.model));
        }
    }

    let mut models: Vec<&Column> = columns.iter().collect();
    models.retain(|column| column.strategy == strategy);
    // The sort is stable: among equals, the one that was named first is the best.
    let mut best_first = models.clone();
    best_first.sort_by(|a, b| rate(b).total_cmp(&rate(a)));
    let best = best_first[0];
    models.retain(|column| column.model != best.model);
    for other in models {
        let sentence = Paired::of(&best.tasks, &other.tasks).sentence(best.model, other.model);
        sentences.push(format!("With {strategy}: {sentence}."));
    }
    sentences
}

fn rate(column: &Column) -> f64 {
    statistics::majority(column.tasks.values()).rate()
}
