//! The report on a terminal: plain text, aligned, as wide as the terminal.

use super::summary::{Body, Section, Table, heading, sections};
use crate::eval::record::Evaluation;
use crate::text::visible;
use std::collections::HashSet;
use unicode_width::UnicodeWidthStr;

/// Between two columns.
const GAP: &str = "  ";
/// Narrower than this a table cannot be read: a terminal that is breaks its lines.
const MIN_WIDTH: usize = 60;

/// The tables of an evaluation, at most this many columns wide. A table that is too wide goes on
/// below, each part with the names of its rows; names that are too long lose their middle.
pub fn render(evaluation: &Evaluation, width: usize) -> String {
    let width = width.max(MIN_WIDTH);
    let mut out = wrapped(&visible(&heading(evaluation)), width, "", "");
    for Section { title, note, body } in sections(evaluation) {
        out.push_str(&format!("\n{title}\n"));
        match body {
            Body::Table(table) => out.push_str(&aligned(&table, width)),
            Body::Points(points) => {
                for point in points {
                    out.push_str(&wrapped(&visible(&point), width, "- ", GAP));
                }
            }
        }
        if !note.is_empty() {
            out.push_str(&wrapped(&note, width, "", ""));
        }
    }
    out
}

fn aligned(table: &Table, width: usize) -> String {
    let columns = columns(table, width);
    let label_width: usize = columns[..table.n_labels]
        .iter()
        .map(|column| column.width + GAP.len())
        .sum();
    let (labels, mut numbers) = columns.split_at(table.n_labels);
    let mut out = String::new();
    while !numbers.is_empty() {
        let mut used = label_width;
        let fits = |column: &&Column| {
            used += column.width + GAP.len();
            used <= width + GAP.len()
        };
        let n = numbers.iter().take_while(fits).count().max(1);
        let part: Vec<&Column> = labels.iter().chain(&numbers[..n]).collect();
        numbers = &numbers[n..];
        let header_height = part
            .iter()
            .map(|column| column.header.len())
            .max()
            .unwrap_or(0);
        for line in 0..header_height {
            // The last word of each header stands next to its numbers.
            let word = |column: &Column| {
                let missing = header_height - column.header.len();
                line.checked_sub(missing)
                    .map_or(String::new(), |i| column.header[i].clone())
            };
            push_line(&mut out, part.iter().map(|column| (*column, word(column))));
        }
        for row in 0..table.rows.len() {
            push_line(
                &mut out,
                part.iter()
                    .map(|column| (*column, column.cells[row].clone())),
            );
        }
        if !numbers.is_empty() {
            out.push('\n');
        }
    }
    out
}

/// A column as it is printed.
struct Column {
    /// A word a line.
    header: Vec<String>,
    cells: Vec<String>,
    is_label: bool,
    width: usize,
}

fn columns(table: &Table, width: usize) -> Vec<Column> {
    // Labels take half of the line at most; the first, a name, gives way.
    let mut left = width / 2;
    let mut columns: Vec<Column> = (0..table.header.len())
        .rev()
        .map(|i| {
            let mut cells: Vec<String> = table
                .rows
                .iter()
                .map(|row| visible(&row[i]).into_owned())
                .collect();
            let is_label = i < table.n_labels;
            if is_label {
                cells = shortened(cells, left.saturating_sub(GAP.len()));
            }
            let header = words_of_header(&table.header[i]);
            let width = header
                .iter()
                .chain(&cells)
                .map(|text| text.width())
                .max()
                .unwrap_or(0);
            if is_label {
                left = left.saturating_sub(width + GAP.len());
            }
            Column {
                header,
                cells,
                is_label,
                width,
            }
        })
        .collect();
    columns.reverse();
    columns
}

/// A percent sign stays with its word.
fn words_of_header(header: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in visible(header).split(' ') {
        match words.last_mut() {
            Some(last) if word == "%" => last.push_str(" %"),
            _ => words.push(word.to_owned()),
        }
    }
    words
}

fn push_line<'a>(out: &mut String, cells: impl Iterator<Item = (&'a Column, String)>) {
    let mut line = String::new();
    for (column, text) in cells {
        let blanks = " ".repeat(column.width.saturating_sub(text.width()));
        let [before, after] = if column.is_label {
            ["", &blanks]
        } else {
            [blanks.as_str(), ""]
        };
        line.extend([before, &text, after, GAP]);
    }
    out.push_str(line.trim_end());
    out.push('\n');
}

/// Names without their middle, as far as they are wider: most differ at their ends. Those that
/// differ elsewhere lose another part, and none if nothing else tells them apart.
fn shortened(names: Vec<String>, max: usize) -> Vec<String> {
    let distinct = |names: &[String]| names.iter().collect::<HashSet<_>>().len();
    let kept = max.saturating_sub(1);
    let heads = [
        kept / 2,
        kept * 2 / 3,
        kept / 3,
        kept * 5 / 6,
        kept / 6,
        kept,
        0,
    ];
    let mut tried = heads.into_iter().map(|head| {
        names
            .iter()
            .map(|name| without_middle(name, max, head))
            .collect::<Vec<_>>()
    });
    tried
        .find(|short| distinct(short) == distinct(&names))
        .unwrap_or(names)
}

/// A name cut to `max` columns, of which `head` are its beginning.
fn without_middle(name: &str, max: usize, head: usize) -> String {
    if name.width() <= max {
        return name.to_owned();
    }
    let fitting = |characters: &mut dyn Iterator<Item = char>, max: usize| {
        let mut taken = String::new();
        for c in characters {
            taken.push(c);
            if taken.width() > max {
                taken.pop();
                break;
            }
        }
        taken
    };
    let start = fitting(&mut name.chars(), head);
    let end: String = fitting(&mut name.chars().rev(), max.saturating_sub(1 + head))
        .chars()
        .rev()
        .collect();
    format!("{start}…{end}")
}

/// Lines broken between words; a longer word has a line of its own.
fn wrapped(text: &str, width: usize, first: &str, others: &str) -> String {
    let mut out = String::new();
    let mut line = first.to_owned();
    let mut is_empty = true;
    for word in text.split_whitespace() {
        if !is_empty && line.width() + 1 + word.width() > width {
            out.extend([line.as_str(), "\n"]);
            line = others.to_owned();
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    out + &line + "\n"
}
