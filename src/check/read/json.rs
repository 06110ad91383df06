//! Complaints as JSON: of cargo and rustc, eslint, ruff, mypy, go vet. Tools print it between other
//! lines, in one line or in many.

use super::Listed;
use crate::check::complaint::{Complaint, Place, Severity};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Reads the JSON of an output, and returns the rest of the output.
pub(super) fn read(output: &str, files: &Listed, complaints: &mut Vec<Complaint>) -> String {
    let mut rest = String::new();
    let mut at = 0;
    while at < output.len() {
        let end = output[at..].find('\n').map_or(output.len(), |n| at + n + 1);
        let value = if output[at..].starts_with(['{', '[']) {
            value(&output[at..])
        } else {
            None
        };
        let Some((value, n_bytes)) = value else {
            rest += &output[at..end];
            at = end;
            continue;
        };
        for said in said(value) {
            complaints.extend(said.complaint(files));
        }
        at += n_bytes;
    }
    rest
}

/// The JSON that a text begins with, if it is an object or a list of objects; and its length in bytes.
fn value(text: &str) -> Option<(Value, usize)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter();
    let value: Value = values.next()?.ok()?;
    let is_objects = match &value {
        Value::Array(items) => items.iter().all(Value::is_object),
        value => value.is_object(),
    };
    is_objects.then(|| (value, values.byte_offset()))
}

/// What a tool says of a place.
#[derive(Debug, Default)]
struct Said {
    path: String,
    line: usize,
    column: Option<usize>,
    severity: Option<Severity>,
    message: String,
    rendered: Option<String>,
}

impl Said {
    /// `None` if it is about no file of the folder, or only a note.
    fn complaint(self, files: &Listed) -> Option<Complaint> {
        let place = Place {
            path: files.resolve(&self.path)?,
            line: self.line.max(1),
            column: self.column,
        };
        let message = self.message.lines().next().unwrap_or_default().to_owned();
        Some(Complaint {
            places: vec![place],
            text: self.rendered.unwrap_or(self.message),
            message,
            severity: self.severity?,
            test: None,
        })
    }
}

/// The shapes of what the tools print, each known by its keys.
#[derive(Deserialize)]
#[serde(untagged)]
enum Printed {
    Cargo { message: Rustc },
    Rustc(Rustc),
    Mypy(Mypy),
    Eslint(EslintFile),
    Ruff(Ruff),
    Vet(BTreeMap<String, BTreeMap<String, Vec<Vet>>>),
}

#[derive(Deserialize)]
struct Rustc {
    message: String,
    level: String,
    spans: Vec<Span>,
    code: Option<Code>,
    rendered: Option<String>,
}

#[derive(Deserialize)]
struct Code {
    code: String,
}

#[derive(Deserialize)]
struct Span {
    file_name: String,
    line_start: usize,
    column_start: usize,
    is_primary: bool,
    label: Option<String>,
}

#[derive(Deserialize)]
struct Mypy {
    file: String,
    line: usize,
    column: usize,
    message: String,
    code: Option<String>,
    severity: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EslintFile {
    file_path: String,
    messages: Vec<Eslint>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Eslint {
    rule_id: Option<String>,
    severity: u8,
    message: String,
    line: Option<usize>,
    column: Option<usize>,
}

#[derive(Deserialize)]
struct Ruff {
    filename: String,
    code: Option<String>,
    message: String,
    location: Location,
}

#[derive(Deserialize)]
struct Location {
    row: usize,
    column: usize,
}

#[derive(Deserialize)]
struct Vet {
    posn: String,
    message: String,
}

/// What a value says, if it is what one of the tools prints.
fn said(value: Value) -> Vec<Said> {
    let values = match value {
        Value::Array(values) => values,
        value => vec![value],
    };
    let printed = values.into_iter();
    let printed = printed.filter_map(|value| serde_json::from_value(value).ok());
    printed.flat_map(Printed::said).collect()
}

impl Printed {
    fn said(self) -> Vec<Said> {
        match self {
            Printed::Cargo { message } | Printed::Rustc(message) => {
                message.said().into_iter().collect()
            }
            Printed::Mypy(mypy) => vec![mypy.said()],
            Printed::Eslint(file) => file.said(),
            Printed::Ruff(ruff) => vec![ruff.said()],
            Printed::Vet(packages) => {
                let analyzers = packages.into_values().flat_map(BTreeMap::into_values);
                analyzers.flatten().filter_map(Vet::said).collect()
            }
        }
    }
}

impl Rustc {
    fn said(self) -> Option<Said> {
        let span = self.spans.into_iter().find(|span| span.is_primary)?;
        let label = span.label.filter(|label| !self.message.contains(label));
        let label = label.map_or(String::new(), |label| format!(": {label}"));
        Some(Said {
            path: span.file_name,
            line: span.line_start,
            column: Some(span.column_start),
            severity: severity(&self.level),
            message: with_code(self.code.map(|code| code.code), &(self.message + &label)),
            rendered: self.rendered,
        })
    }
}

impl Mypy {
    fn said(self) -> Said {
        Said {
            path: self.file,
            line: self.line,
            column: Some(self.column + 1),
            severity: severity(&self.severity),
            message: with_code(self.code, &self.message),
            rendered: None,
        }
    }
}

impl EslintFile {
    fn said(self) -> Vec<Said> {
        let mut said = Vec::new();
        for message in self.messages {
            let severity = match message.severity {
                1 => Severity::Warning,
                _ => Severity::Error,
            };
            said.push(Said {
                path: self.file_path.clone(),
                line: message.line.unwrap_or(1),
                column: message.column,
                severity: Some(severity),
                message: with_code(message.rule_id, &message.message),
                rendered: None,
            });
        }
        said
    }
}

impl Ruff {
    fn said(self) -> Said {
        Said {
            path: self.filename,
            line: self.location.row,
            column: Some(self.location.column),
            severity: Some(Severity::Error),
            message: with_code(self.code, &self.message),
            rendered: None,
        }
    }
}

impl Vet {
    fn said(self) -> Option<Said> {
        let mut parts = self.posn.rsplitn(3, ':');
        let column = parts.next()?.parse().ok()?;
        let line = parts.next()?.parse().ok()?;
        Some(Said {
            path: parts.next()?.to_owned(),
            line,
            column: Some(column),
            severity: Some(Severity::Error),
            message: self.message,
            rendered: None,
        })
    }
}

/// `None` for what only explains another message.
fn severity(word: &str) -> Option<Severity> {
    match word {
        "error" | "error: internal compiler error" => Some(Severity::Error),
        "warning" => Some(Severity::Warning),
        _ => None,
    }
}

fn with_code(code: Option<String>, message: &str) -> String {
    match code {
        Some(code) => format!("{message} [{code}]"),
        None => message.to_owned(),
    }
}
