//! The list of models as a table for people.

use super::report::{ModelReport, ModelsReport, UnusableReport};
use crate::text::visible;
use unicode_width::UnicodeWidthStr;

/// A column: its heading, and the side on which its cells line up.
struct Column {
    heading: &'static str,
    side: Side,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

const fn left(heading: &'static str) -> Column {
    Column {
        heading,
        side: Side::Left,
    }
}

const fn right(heading: &'static str) -> Column {
    Column {
        heading,
        side: Side::Right,
    }
}

const MODELS: [Column; 8] = [
    left(" "),
    left("name"),
    right("size"),
    left("quant"),
    right("context"),
    left("where"),
    right("right"),
    left("remark"),
];

const UNUSABLE: [Column; 3] = [left("not usable"), left("where"), left("why")];

/// The tables, the usable models first.
pub(super) fn render(report: &ModelsReport) -> String {
    let mut table = lines(&MODELS, report.models.iter().map(model).collect());
    if !report.unusable.is_empty() {
        table.push('\n');
        table += &lines(&UNUSABLE, report.unusable.iter().map(unusable).collect());
    }
    table
}

fn model(model: &ModelReport) -> Vec<String> {
    let places = std::iter::once(&model.store).chain(&model.also_in);
    let adapter = model.has_adapter.then_some("adapter");
    let remarks = adapter
        .into_iter()
        .chain(Some(&*model.remark).filter(|text| !text.is_empty()));
    let also = match model.also_called.as_slice() {
        [] => None,
        names => Some(format!("also {}", names.join(", "))),
    };
    let remarks = remarks.map(str::to_owned).chain(also);
    vec![
        if model.is_default { "*" } else { "" }.to_owned(),
        model.name.clone(),
        size(model.bytes),
        model.quantization.clone().unwrap_or_default(),
        model
            .context_tokens
            .map_or_else(String::new, |n| n.to_string()),
        places.cloned().collect::<Vec<_>>().join(", "),
        model
            .right_percent
            .map_or_else(String::new, |right| format!("{right} %")),
        remarks.collect::<Vec<_>>().join(", "),
    ]
}

fn unusable(model: &UnusableReport) -> Vec<String> {
    vec![
        model.name.clone(),
        model.store.clone(),
        model.reason.clone(),
    ]
}

/// A size as shops and publishers give it.
pub(super) fn size(bytes: u64) -> String {
    const MB: f64 = 1e6;
    const GB: f64 = 1e9;
    let bytes = bytes as f64;
    if bytes >= GB {
        format!("{:.1} GB", bytes / GB)
    } else {
        format!("{:.0} MB", bytes / MB)
    }
}

fn lines(columns: &[Column], rows: Vec<Vec<String>>) -> String {
    let headings = columns
        .iter()
        .map(|column| column.heading.to_owned())
        .collect();
    let rows: Vec<Vec<String>> = std::iter::once(headings)
        .chain(rows)
        // Names come from strangers.
        .map(|row: Vec<String>| row.iter().map(|cell| visible(cell).into_owned()).collect())
        .collect();
    let width = |i: usize| {
        rows.iter()
            .map(|row| row[i].width())
            .max()
            .unwrap_or_default()
    };
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for ((column, cell), width) in columns.iter().zip(&row).zip(&widths) {
            let gap = " ".repeat(width - cell.width());
            match column.side {
                Side::Left => line += &format!("{cell}{gap}  "),
                Side::Right => line += &format!("{gap}{cell}  "),
            }
        }
        out += line.trim_end();
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_line_up_and_nothing_reaches_the_terminal_as_it_is() {
        let rows = vec![
            vec!["漢字".to_owned(), "1 MB".to_owned()],
            vec!["a\u{1b}[31m".to_owned(), "12 MB".to_owned()],
        ];
        let table = lines(&[left("name"), right("size")], rows);
        let ends: Vec<usize> = table.lines().map(UnicodeWidthStr::width).collect();
        assert!(ends.windows(2).all(|pair| pair[0] == pair[1]), "{table}");
        assert!(!table.contains('\u{1b}'), "{table:?}");
    }
}
