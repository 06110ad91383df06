//! The list of models as a table for people.

use super::report::{DeviceReport, ModelReport, ModelsReport, UnusableReport};
use crate::cli::columns::{Columns, Last};
use crate::text::visible;

/// Their cells line up on the right.
const NUMBERS: [&str; 5] = ["size", "context", "right", "free", "of"];

/// Their cells may be broken into lines, the first ones first, down to such a width.
const BREAKABLE: [(&str, usize); 5] = [
    ("remark", 12),
    ("why", 24),
    ("what it is", 24),
    ("where", 8),
    ("name", 24),
];

/// The tables, the usable models first. `width`: of the terminal.
pub(super) fn render(report: &ModelsReport, width: Option<usize>) -> String {
    let headings = [
        "", "name", "size", "quant", "context", "where", "right", "remark",
    ];
    let mut table = lines(headings, report.models.iter().map(model), width);
    if !report.unusable.is_empty() {
        table.push('\n');
        let headings = ["not usable", "where", "why"];
        table += &lines(headings, report.unusable.iter().map(unusable), width);
    }
    table.push('\n');
    table += &lines(
        ["device", "free", "of", "what it is"],
        report.devices.iter().map(device),
        width,
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
fn lines<const N: usize>(
    headings: [&str; N],
    cells: impl Iterator<Item = [String; N]>,
    width: Option<usize>,
) -> String {
    let mut rows = vec![headings.map(str::to_owned).to_vec()];
    // Names come from strangers.
    rows.extend(cells.map(|row| row.map(|cell| visible(&cell).into_owned()).to_vec()));

    let column_of = |name: &str| headings.iter().position(|heading| *heading == name);
    let numbers: Vec<usize> = NUMBERS.iter().filter_map(|name| column_of(name)).collect();
    let mut breakable = Vec::new();
    for (name, least) in BREAKABLE {
        breakable.extend(column_of(name).map(|column| (column, least)));
    }
    let columns = Columns {
        numbers: &numbers,
        breakable: &breakable,
        last: Last::Below,
        width,
    };
    columns.aligned(&rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_width::UnicodeWidthStr;

    #[test]
    fn cells_line_up_and_nothing_reaches_the_terminal_as_it_is() {
        let rows = [
            ["漢字".to_owned(), "1 MB".to_owned()],
            ["a\u{1b}[31m".to_owned(), "12 MB".to_owned()],
        ];
        let table = lines(["name", "size"], rows.into_iter(), None);
        let ends: Vec<usize> = table.lines().map(UnicodeWidthStr::width).collect();
        assert!(ends.windows(2).all(|pair| pair[0] == pair[1]), "{table}");
        assert!(!table.contains('\u{1b}'), "{table:?}");
    }
}
