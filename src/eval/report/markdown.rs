//! The report as Markdown, for a README: the same tables as on a terminal.

use super::summary::{Body, N_LABELS, Section, Table, heading, sections};
use crate::eval::record::Evaluation;
use crate::text::visible;

/// The tables of an evaluation, as GitHub shows them.
pub fn render(evaluation: &Evaluation) -> String {
    let mut out = format!("# Evaluation\n\n{}\n", escaped(&heading(evaluation)));
    for Section { title, note, body } in sections(evaluation) {
        out.push_str(&format!("\n## {title}\n\n"));
        match body {
            Body::Table(table) => push_table(&mut out, &table),
            Body::Points(points) => {
                for point in points {
                    out.push_str(&format!("- {}\n", escaped(&point)));
                }
            }
        }
        if !note.is_empty() {
            out.push_str(&format!("\n{note}\n"));
        }
    }
    out
}

fn push_table(out: &mut String, table: &Table) {
    let mut rule = vec!["---:".to_owned(); table.header.len()];
    rule[..N_LABELS].fill("---".to_owned());
    for row in [&table.header, &rule].into_iter().chain(&table.rows) {
        let cells: Vec<String> = row.iter().map(|cell| escaped(cell)).collect();
        out.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
}

/// Text that means nothing but itself, on one line.
fn escaped(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = String::new();
    for c in visible(&line).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}
