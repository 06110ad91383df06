//! The list of models as a table for people.

use super::report::{DeviceReport, ModelReport, ModelsReport, UnusableReport};
use crate::text::visible;
use unicode_width::UnicodeWidthStr;

/// Their cells line up on the right.
const NUMBERS: [&str; 5] = ["size", "context", "right", "free", "of"];

/// The tables, the usable models first.
pub(super) fn render(report: &ModelsReport) -> String {
    let headings = [
        "", "name", "size", "quant", "context", "where", "right", "remark",
    ];
    let mut table = lines(headings, report.models.iter().map(model));
    if !report.unusable.is_empty() {
        table.push('\n');
        let headings = ["not usable", "where", "why"];
        table += &lines(headings, report.unusable.iter().map(unusable));
    }
    table.push('\n');
    table += &lines(
        ["device", "free", "of", "what it is"],
        report.devices.iter().map(device),
    );
    for reason in &report.unusable_devices {
        table += &format!("not usable: {}\n", visible(reason));
    }
    table
}

fn model(model: &ModelReport) -> [String; 8] {
    let star = if model.is_default { "*" } else { " " };
    let mut places = vec![model.store.as_str()];
    places.extend(model.also_in.iter().map(String::as_str));
    let context = model.context_tokens.map(|n| n.to_string());
    let right = model.right_percent.map(|right| format!("{right} %"));

    let mut remarks = Vec::new();
    if model.has_adapter {
        remarks.push("adapter".to_owned());
    }
    if !model.remark.is_empty() {
        remarks.push(model.remark.clone());
    }
    if !model.also_called.is_empty() {
        remarks.push(format!("also {}", model.also_called.join(", ")));
    }

    [
        star.to_owned(),
        model.name.clone(),
        size(model.bytes),
        model.quantization.clone().unwrap_or_default(),
        context.unwrap_or_default(),
        places.join(", "),
        right.unwrap_or_default(),
        remarks.join(", "),
    ]
}

fn unusable(model: &UnusableReport) -> [String; 3] {
    [
        model.name.clone(),
        model.store.clone(),
        model.reason.clone(),
    ]
}

fn device(device: &DeviceReport) -> [String; 4] {
    [
        device.name.clone(),
        device.free_memory.map_or_else(String::new, size),
        device.total_memory.map_or_else(String::new, size),
        device.description.clone(),
    ]
}

/// A size as shops and publishers give it.
pub(super) fn size(bytes: u64) -> String {
    let bytes = bytes as f64;
    if bytes >= 1e9 {
        format!("{:.1} GB", bytes / 1e9)
    } else {
        format!("{:.0} MB", bytes / 1e6)
    }
}

/// Rows below their headings, in columns.
fn lines<const N: usize>(headings: [&str; N], cells: impl Iterator<Item = [String; N]>) -> String {
    let mut rows = vec![headings.map(str::to_owned)];
    // Names come from strangers.
    rows.extend(cells.map(|row| row.map(|cell| visible(&cell).into_owned())));
    let mut widths = [0; N];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.width().max(*width);
        }
    }

    let mut table = String::new();
    for row in &rows {
        let mut line = String::new();
        for ((cell, width), heading) in row.iter().zip(widths).zip(headings) {
            let gap = " ".repeat(width - cell.width());
            if NUMBERS.contains(&heading) {
                line += &format!("{gap}{cell}  ");
            } else {
                line += &format!("{cell}{gap}  ");
            }
        }
        table += line.trim_end();
        table.push('\n');
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_line_up_and_nothing_reaches_the_terminal_as_it_is() {
        let rows = [
            ["漢字".to_owned(), "1 MB".to_owned()],
            ["a\u{1b}[31m".to_owned(), "12 MB".to_owned()],
        ];
        let table = lines(["name", "size"], rows.into_iter());
        let ends: Vec<usize> = table.lines().map(UnicodeWidthStr::width).collect();
        assert!(ends.windows(2).all(|pair| pair[0] == pair[1]), "{table}");
        assert!(!table.contains('\u{1b}'), "{table:?}");
    }
}
