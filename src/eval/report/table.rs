//! The report on a terminal: plain text, aligned, as wide as the terminal.

use super::summary::{Body, N_LABELS, Section, Table, heading, sections, short_sections};
use crate::eval::record::Evaluation;
use crate::text::visible;
use std::collections::HashSet;
use textwrap::{Options, WordSplitter};
use unicode_width::UnicodeWidthStr;

/// The gap between two columns.
const GAP: &str = "  ";
/// A narrower table cannot be read. A narrower terminal breaks its lines.
const MIN_WIDTH: usize = 60;

/// The tables of an evaluation, at most `width` characters wide. A table that is too wide goes on
/// below. Names that are too long lose their middle.
pub fn render(evaluation: &Evaluation, width: usize) -> String {
    rendered(evaluation, sections(evaluation), width)
}

/// An evaluation of fewer tasks is told task by task.
const FEW_TASKS: usize = 10;

/// The same for a screen: of a few tasks, what became of each instead of most tables.
pub fn render_for_screen(evaluation: &Evaluation, width: usize) -> String {
    let sections = if evaluation.tasks.len() < FEW_TASKS {
        short_sections(evaluation)
    } else {
        sections(evaluation)
    };
    rendered(evaluation, sections, width)
}

fn rendered(evaluation: &Evaluation, sections: Vec<Section>, width: usize) -> String {
    let width = width.max(MIN_WIDTH);
    let mut out = wrapped(&visible(&heading(evaluation)), width, "", "");
    for Section { title, note, body } in sections {
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

/// The table in as many parts as its width needs, each with the names of its rows.
fn aligned(table: &Table, width: usize) -> String {
    let columns = columns(table, width);
    let (labels, mut numbers) = columns.split_at(N_LABELS);
    let mut parts = Vec::new();
    while !numbers.is_empty() {
        let n = n_that_fit(labels, numbers, width);
        let part: Vec<&Column> = labels.iter().chain(&numbers[..n]).collect();
        parts.push(lines(&part));
        numbers = &numbers[n..];
    }
    parts.join("\n")
}

fn n_that_fit(labels: &[Column], numbers: &[Column], width: usize) -> usize {
    let mut used: usize = labels.iter().map(|label| label.width + GAP.len()).sum();
    for (n, column) in numbers.iter().enumerate() {
        used += column.width;
        if used > width {
            return n.max(1);
        }
        used += GAP.len();
    }
    numbers.len()
}

fn lines(columns: &[&Column]) -> String {
    let height = columns.iter().map(|column| column.header.len());
    let height = height.max().unwrap_or(0);
    let mut lines = Vec::new();
    for column in columns {
        // The last word of each header is next to its numbers.
        let mut cells = vec![""; height - column.header.len()];
        cells.extend(
            column
                .header
                .iter()
                .chain(&column.cells)
                .map(String::as_str),
        );
        lines.resize(cells.len(), String::new());
        for (line, cell) in lines.iter_mut().zip(cells) {
            let padding = " ".repeat(column.width.saturating_sub(cell.width()));
            if column.is_label {
                line.extend([cell, &padding, GAP]);
            } else {
                line.extend([&padding, cell, GAP]);
            }
        }
    }
    lines
        .iter()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect()
}

/// A column as it is printed.
struct Column {
    /// One word a line.
    header: Vec<String>,
    cells: Vec<String>,
    is_label: bool,
    width: usize,
}

fn columns(table: &Table, width: usize) -> Vec<Column> {
    // Labels take half of the line at most. The first, a name, is shortened.
    let mut left = width / 2;
    let mut columns = Vec::new();
    for (i, header) in table.header.iter().enumerate().rev() {
        let is_label = i < N_LABELS;
        let cells = table.rows.iter().map(|row| visible(&row[i]).into_owned());
        let mut cells: Vec<String> = cells.collect();
        if is_label {
            cells = shortened(cells, left.saturating_sub(GAP.len()));
        }

        let header = words_of_header(header);
        let texts = header.iter().chain(&cells);
        let width = texts.map(|text| text.width()).max().unwrap_or(0);
        if is_label {
            left = left.saturating_sub(width + GAP.len());
        }
        columns.push(Column {
            header,
            cells,
            is_label,
            width,
        });
    }
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

/// Names without their middle, where they are too wide: most names differ at their ends. Names that
/// differ elsewhere lose another part. Nothing is cut if no cut tells them apart.
fn shortened(names: Vec<String>, max: usize) -> Vec<String> {
    let n_names = n_distinct(&names);
    let kept = max.saturating_sub(1);
    for (part, whole) in [(1, 2), (2, 3), (1, 3), (5, 6), (1, 6), (1, 1), (0, 1)] {
        let head = kept * part / whole;
        let short = names.iter().map(|name| without_middle(name, max, head));
        let short: Vec<String> = short.collect();
        if n_distinct(&short) == n_names {
            return short;
        }
    }
    names
}

fn n_distinct(names: &[String]) -> usize {
    names.iter().collect::<HashSet<_>>().len()
}

/// A name cut to `max` columns, of which `head` are its beginning.
fn without_middle(name: &str, max: usize, head: usize) -> String {
    if name.width() <= max {
        return name.to_owned();
    }
    let start = fitting(name.chars(), head);
    let end = fitting(name.chars().rev(), max.saturating_sub(1 + head));
    format!("{start}…{}", end.chars().rev().collect::<String>())
}

/// As many characters as fit.
fn fitting(characters: impl Iterator<Item = char>, max: usize) -> String {
    let mut taken = String::new();
    for c in characters {
        taken.push(c);
        if taken.width() > max {
            taken.pop();
            break;
        }
    }
    taken
}

/// Lines broken between words. A word that is too long has its own line.
fn wrapped(text: &str, width: usize, first: &str, others: &str) -> String {
    let options = Options::new(width)
        .initial_indent(first)
        .subsequent_indent(others)
        .break_words(false)
        .word_splitter(WordSplitter::NoHyphenation);
    textwrap::fill(text, options) + "\n"
}
