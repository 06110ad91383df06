//! Tables of test cases, a case a line.

/// The cells of each line of a table, which ` | ` separates. In a cell, `⏎` is a newline, `·` a
/// space and `⇥` a tab; the spaces around it are only for the eye.
pub fn rows<const N: usize>(table: &str) -> Vec<[String; N]> {
    let mut rows = Vec::new();
    for line in table.lines().filter(|line| !line.trim().is_empty()) {
        let cells: Vec<String> = line.split('|').map(cell).collect();
        rows.push(
            cells
                .try_into()
                .unwrap_or_else(|_| panic!("{N} cells: {line}")),
        );
    }
    rows
}

/// All cells of a table whose lines have any number of them.
pub fn cells(table: &str) -> Vec<String> {
    table
        .split(['|', '\n'])
        .map(cell)
        .filter(|cell| !cell.is_empty())
        .collect()
}

/// A cell as a test means it.
pub fn cell(written: &str) -> String {
    written
        .trim_matches(' ')
        .replace('⏎', "\n")
        .replace('·', " ")
        .replace('⇥', "\t")
}
