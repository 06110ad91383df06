//! The report as one page that holds everything: no network, no other file.
//!
//! The page is `page/page.html` with the style, the script and the data in it. The tables are made
//! here, so that they are there without scripts; charts and list are made by the script, which puts
//! text into the page only as text. What models and files say is made visible here, and cannot end
//! the element that holds it. The content security policy lets only the style and the script with
//! this page's nonce run, and loads nothing.

use super::summary::{Body, Ending, Section, Table, heading, sections};
use crate::eval::record::{Evaluation, ModelRecord, TaskRecord};
use crate::text::visible;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::HashMap;

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
/// One function, so that nothing in it has a name outside.
const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("page/basics.js"),
    include_str!("page/filters.js"),
    include_str!("page/charts.js"),
    include_str!("page/tasks.js"),
    include_str!("page/start.js"),
    "})();\n"
);

/// The page of an evaluation.
pub fn render(evaluation: &Evaluation) -> String {
    let data = embedded(
        &serde_json::to_string(&Data::of(evaluation)).expect("text and numbers become JSON"),
    );
    // The data was written before its hash was known, so it cannot contain the nonce.
    let nonce: String = Sha256::digest(&data)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let tables: String = sections(evaluation).iter().map(section).collect();
    let parts = [
        ("{{nonce}}", nonce.as_str()),
        ("{{heading}}", &escaped(&heading(evaluation))),
        ("{{style}}", STYLE),
        ("{{script}}", SCRIPT),
        ("{{data}}", &data),
        ("{{tables}}", &tables),
    ];
    filled(PAGE, &parts)
}

/// A template with its parts in it. What looks like a placeholder in a part is left alone.
fn filled(template: &str, parts: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((at, (name, part))) = parts
        .iter()
        .filter_map(|part| Some((rest.find(part.0)?, part)))
        .min_by_key(|(at, _)| *at)
    {
        out.extend([&rest[..at], part]);
        rest = &rest[at + name.len()..];
    }
    out + rest
}

/// JSON in an element of its own: what would end it, or begin a comment, is written as JSON's
/// escapes.
fn embedded(json: &str) -> String {
    json.replace('&', "\\u0026")
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
}

/// What the script reads.
#[derive(Serialize)]
struct Data<'a> {
    models: Vec<Model<'a>>,
    strategies: Vec<Cow<'a, str>>,
    /// In the order in which they are stacked: a word for filters, and words for people.
    endings: Vec<[String; 2]>,
    tasks: Vec<Task<'a>>,
    rows: Vec<Run>,
    /// Each once: the diffs of many runs are the same.
    texts: Vec<Cow<'a, str>>,
}

#[derive(Serialize)]
struct Model<'a> {
    name: Cow<'a, str>,
    description: Cow<'a, str>,
}

#[derive(Serialize)]
struct Task<'a> {
    name: Cow<'a, str>,
    suite: Cow<'a, str>,
    wordings: Vec<Cow<'a, str>>,
    category: Cow<'a, str>,
    level: Cow<'a, str>,
    language: Cow<'a, str>,
    /// In [`Data::texts`].
    expected: usize,
    check: Option<Cow<'a, str>>,
}

/// A row, with numbers for what is listed: where it is in the list.
#[derive(Serialize)]
struct Run {
    model: usize,
    strategy: usize,
    task: usize,
    ending: usize,
    passed: bool,
    wording: u32,
    run: u32,
    /// As text: scripts have no whole numbers of 64 bits.
    seed: String,
    kind: usize,
    message: usize,
    diff: usize,
    answers: Vec<usize>,
    claim: Option<bool>,
    prompt_tokens: u64,
    answer_tokens: u64,
    evaluations: u64,
    ms: f64,
}

impl<'a> Data<'a> {
    fn of(evaluation: &'a Evaluation) -> Data<'a> {
        let mut texts = Texts::default();
        let task = |task: &'a TaskRecord, texts: &mut Texts<'a>| Task {
            name: shown(&task.name),
            suite: shown(&task.suite),
            wordings: wordings(task)
                .iter()
                .map(|wording| shown(wording))
                .collect(),
            category: shown(&task.category),
            level: shown(&task.level),
            language: shown(&task.language),
            expected: texts.number(&task.expected),
            check: task.check.as_deref().map(shown),
        };
        let models = numbers(evaluation.models.iter().map(|model| model.name.as_str()));
        let strategies = numbers(evaluation.strategies.iter().map(String::as_str));
        let tasks = numbers(evaluation.tasks.iter().map(|task| task.name.as_str()));
        let rows = evaluation.results.iter().filter_map(|row| {
            Some(Run {
                // A row that names nothing known has no place on the page; `write` refuses such a
                // record.
                model: *models.get(row.model.as_str())?,
                strategy: *strategies.get(row.strategy.as_str())?,
                task: *tasks.get(row.task.as_str())?,
                ending: Ending::ALL
                    .iter()
                    .position(|&ending| ending == Ending::of(row))?,
                passed: row.passed,
                wording: row.wording,
                run: row.run,
                seed: row.seed.to_string(),
                kind: texts.number(&row.kind),
                message: texts.number(&row.message),
                diff: texts.number(&row.diff),
                answers: row
                    .answers
                    .iter()
                    .map(|answer| texts.number(answer))
                    .collect(),
                claim: row.claim,
                prompt_tokens: row.prompt_tokens,
                answer_tokens: row.answer_tokens,
                evaluations: row.evaluations,
                ms: row.ms,
            })
        });
        let rows = rows.collect();
        let model = |ModelRecord { name, description }: &'a ModelRecord| Model {
            name: shown(name),
            description: shown(description),
        };
        Data {
            models: evaluation.models.iter().map(model).collect(),
            strategies: evaluation
                .strategies
                .iter()
                .map(|strategy| shown(strategy))
                .collect(),
            endings: Ending::ALL
                .map(|ending| [ending.words().replace(' ', "_"), ending.words().to_owned()])
                .to_vec(),
            tasks: evaluation
                .tasks
                .iter()
                .map(|t| task(t, &mut texts))
                .collect(),
            rows,
            texts: texts.list,
        }
    }
}

/// A task has one at least.
fn wordings(task: &TaskRecord) -> &[String] {
    if task.wordings.is_empty() {
        std::slice::from_ref(&task.sentence)
    } else {
        &task.wordings
    }
}

/// Texts by number, each once.
#[derive(Default)]
struct Texts<'a> {
    list: Vec<Cow<'a, str>>,
    numbers: HashMap<&'a str, usize>,
}

impl<'a> Texts<'a> {
    fn number(&mut self, text: &'a str) -> usize {
        *self.numbers.entry(text).or_insert_with(|| {
            self.list.push(shown(text));
            self.list.len() - 1
        })
    }
}

fn numbers<'a>(names: impl Iterator<Item = &'a str>) -> HashMap<&'a str, usize> {
    names.enumerate().map(|(i, name)| (name, i)).collect()
}

/// [`visible`], but with its lines; a carriage return that ends one is left out.
fn shown(text: &str) -> Cow<'_, str> {
    if !text.contains('\n') {
        return visible(text);
    }
    let line = |line| visible(str::strip_suffix(line, "\r").unwrap_or(line));
    text.split('\n')
        .map(line)
        .collect::<Vec<_>>()
        .join("\n")
        .into()
}

fn escaped(text: &str) -> String {
    let text = visible(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    text.replace('"', "&quot;")
}

fn section(section: &Section) -> String {
    let Section { title, note, body } = section;
    let body = match body {
        Body::Table(part) => table(part),
        Body::Points(points) => {
            let points: String = points
                .iter()
                .map(|point| format!("<li>{}</li>", escaped(point)))
                .collect();
            format!("<ul class=\"points\">{points}</ul>")
        }
    };
    let note = if note.is_empty() {
        String::new()
    } else {
        format!("<p class=\"note\">{}</p>", escaped(note))
    };
    format!(
        "<section><h3>{}</h3>{note}{body}</section>\n",
        escaped(title)
    )
}

fn table(table: &Table) -> String {
    let head = |(i, text): (usize, &String)| match i {
        i if i < table.n_labels => {
            format!("<th scope=\"col\" class=\"label\">{}</th>", escaped(text))
        }
        _ => format!("<th scope=\"col\">{}</th>", escaped(text)),
    };
    let header: String = table.header.iter().enumerate().map(head).collect();
    let cell = |i: usize, text: &str| match i {
        i if i < table.n_labels => format!("<th scope=\"row\">{}</th>", escaped(text)),
        _ => format!("<td>{}</td>", escaped(text)),
    };
    let row = |row: &Vec<String>| {
        let cells: String = row
            .iter()
            .enumerate()
            .map(|(i, text)| cell(i, text))
            .collect();
        format!("<tr>{cells}</tr>")
    };
    let rows: String = table.rows.iter().map(row).collect();
    // Wide tables are scrolled, with the keyboard too.
    format!(
        "<div class=\"scroll\" tabindex=\"0\"><table>\
         <thead><tr>{header}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
}
