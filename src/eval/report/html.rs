//! The report as one page that holds everything: no network, no other file.
//!
//! The page is `page/page.html` with the style, the script and the data in it. The tables are made
//! here, so that they are there without scripts. The script makes the charts and the list, and puts
//! text into the page only as text. The text of models and files is made visible here, and cannot
//! end the element that holds it. The content security policy lets only the style and the script
//! with this page's nonce run, and loads nothing.

use super::summary::{Body, ENDINGS, N_LABELS, Section, Table, ending, heading, sections};
use crate::eval::record::Evaluation;
use crate::text::visible;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::HashMap;

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
/// One function, so that no name in it is visible outside.
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
    let data = embedded(&data(evaluation).to_string());
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

/// A template with its parts in it. A placeholder within a part stays as it is.
fn filled(template: &str, parts: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut rest = template;
    loop {
        let found = parts
            .iter()
            .filter_map(|part| Some((rest.find(part.0)?, part)));
        let Some((at, (name, part))) = found.min_by_key(|(at, _)| *at) else {
            return out + rest;
        };
        out.extend([&rest[..at], part]);
        rest = &rest[at + name.len()..];
    }
}

/// JSON within an element. Characters that could end the element, or begin a comment, become JSON's
/// escapes.
fn embedded(json: &str) -> String {
    json.replace('&', "\\u0026")
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
}

/// The data that the script reads. Rows name models, strategies, tasks, endings and texts by their
/// place in the lists. Each text is there once, because the diffs of many runs are the same.
fn data(evaluation: &Evaluation) -> Value {
    let mut texts = Texts::default();
    let rows = rows(evaluation, &mut texts);
    let mut tasks = Vec::new();
    for task in &evaluation.tasks {
        let mut wordings = task.wordings.as_slice();
        if wordings.is_empty() {
            wordings = std::slice::from_ref(&task.sentence);
        }
        tasks.push(json!({
            "name": shown(&task.name),
            "suite": shown(&task.suite),
            "wordings": all_shown(wordings),
            "category": shown(&task.category),
            "level": shown(&task.level),
            "language": shown(&task.language),
            "expected": texts.number(&task.expected),
            "check": task.check.as_deref().map(shown),
        }));
    }

    let models = evaluation
        .models
        .iter()
        .map(|model| json!({"name": shown(&model.name), "description": shown(&model.description)}));
    // In the order in which they are stacked: a word for filters, and words for people.
    let endings = ENDINGS.map(|ending| [ending.replace(' ', "_"), ending.to_owned()]);
    json!({
        "models": models.collect::<Vec<_>>(),
        "strategies": all_shown(&evaluation.strategies),
        "endings": endings,
        "tasks": tasks,
        "rows": rows,
        "texts": texts.list,
    })
}

fn rows<'a>(evaluation: &'a Evaluation, texts: &mut Texts<'a>) -> Vec<Value> {
    let models = numbers(evaluation.models.iter().map(|model| &model.name));
    let strategies = numbers(&evaluation.strategies);
    let tasks = numbers(evaluation.tasks.iter().map(|task| &task.name));
    let mut rows = Vec::new();
    for row in &evaluation.results {
        // `write` refuses a record with other names.
        let (Some(model), Some(strategy), Some(task)) = (
            models.get(&row.model),
            strategies.get(&row.strategy),
            tasks.get(&row.task),
        ) else {
            continue;
        };

        let answers = row.answers.iter().map(|answer| texts.number(answer));
        rows.push(json!({
            "answers": answers.collect::<Vec<_>>(),
            "model": model,
            "strategy": strategy,
            "task": task,
            "ending": ENDINGS.iter().position(|name| *name == ending(row)),
            "passed": row.passed,
            "wording": row.wording,
            "run": row.run,
            // As text: scripts have no whole numbers of 64 bits.
            "seed": row.seed.to_string(),
            "kind": texts.number(&row.kind),
            "message": texts.number(&row.message),
            "diff": texts.number(&row.diff),
            "claim": row.claim,
            "prompt_tokens": row.prompt_tokens,
            "answer_tokens": row.answer_tokens,
            "evaluations": row.evaluations,
            "ms": row.ms,
        }));
    }
    rows
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

fn numbers<'a>(names: impl IntoIterator<Item = &'a String>) -> HashMap<&'a String, usize> {
    names.into_iter().zip(0..).collect()
}

fn all_shown(texts: &[String]) -> Vec<Cow<'_, str>> {
    texts.iter().map(|text| shown(text)).collect()
}

/// [`visible`] line by line. A carriage return at the end of a line is left out.
fn shown(text: &str) -> Cow<'_, str> {
    if !text.contains('\n') {
        return visible(text);
    }
    let lines = text
        .split('\n')
        .map(|line| visible(line.strip_suffix('\r').unwrap_or(line)));
    lines.collect::<Vec<_>>().join("\n").into()
}

fn escaped(text: &str) -> String {
    let text = visible(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    text.replace('"', "&quot;")
}

fn section(section: &Section) -> String {
    let mut html = format!("<section><h3>{}</h3>", escaped(section.title));
    if !section.note.is_empty() {
        html += &format!("<p class=\"note\">{}</p>", escaped(&section.note));
    }
    match &section.body {
        Body::Table(body) => html += &table(body),
        Body::Points(points) => {
            let items = points
                .iter()
                .map(|point| format!("<li>{}</li>", escaped(point)));
            html += &format!("<ul class=\"points\">{}</ul>", items.collect::<String>());
        }
    }
    html + "</section>\n"
}

fn table(table: &Table) -> String {
    // Wide tables are scrolled, with the keyboard too.
    let mut html = "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>".to_owned();
    for (i, text) in table.header.iter().enumerate() {
        let class = if i < N_LABELS { " class=\"label\"" } else { "" };
        html += &format!("<th scope=\"col\"{class}>{}</th>", escaped(text));
    }
    html += "</tr></thead><tbody>";
    for row in &table.rows {
        html += "<tr>";
        for (i, text) in row.iter().enumerate() {
            let text = escaped(text);
            if i < N_LABELS {
                html += &format!("<th scope=\"row\">{text}</th>");
            } else {
                html += &format!("<td>{text}</td>");
            }
        }
        html += "</tr>";
    }
    html + "</tbody></table></div>"
}
