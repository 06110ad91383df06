//! Rows of cells in columns that are in line; on a terminal no wider than it is, where that can be.

use textwrap::{Options, WordSplitter};
use unicode_width::UnicodeWidthStr;

/// The gap between two columns.
const GAP: usize = 2;

/// How columns are laid out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns<'a> {
    /// The columns whose cells line up on the right.
    pub numbers: &'a [usize],
    /// The columns whose cells may be broken into lines, each with its least width. The first ones are
    /// broken first.
    pub breakable: &'a [(usize, usize)],
    /// How wide a row may be; `None` where cells stay whole.
    pub width: Option<usize>,
}

impl Columns<'_> {
    /// The rows, a line or more each. All have the same number of cells.
    pub fn aligned(&self, rows: &[Vec<String>]) -> String {
        let widths = self.widths(rows);
        let mut table = String::new();
        for row in rows {
            let mut cells = Vec::new();
            for (cell, width) in row.iter().zip(&widths) {
                cells.push(broken(cell, *width));
            }
            let height = cells.iter().map(Vec::len).max().unwrap_or(0);
            for i in 0..height {
                table += self.line(&cells, i, &widths).trim_end();
                table.push('\n');
            }
        }
        table
    }

    /// One line of a row.
    fn line(&self, cells: &[Vec<String>], i: usize, widths: &[usize]) -> String {
        let mut line = String::new();
        for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
            let text = cell.get(i).map_or("", String::as_str);
            let padding = " ".repeat(width.saturating_sub(text.width()));
            if self.numbers.contains(&column) {
                line.extend([&padding, text]);
            } else {
                line.extend([text, &padding]);
            }
            line += &" ".repeat(GAP);
        }
        line
    }

    /// The width of each column.
    fn widths(&self, rows: &[Vec<String>]) -> Vec<usize> {
        let mut widths: Vec<usize> = Vec::new();
        for row in rows {
            widths.resize(row.len(), 0);
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.width().max(*width);
            }
        }
        let Some(width) = self.width else {
            return widths;
        };

        let gaps = GAP * widths.len().saturating_sub(1);
        for &(column, least) in self.breakable {
            let excess = (widths.iter().sum::<usize>() + gaps).saturating_sub(width);
            let narrowed = widths[column].saturating_sub(excess).max(least);
            widths[column] = narrowed.min(widths[column]);
        }
        widths
    }
}

/// A cell in lines, broken between words; a word that is too long is broken too.
fn broken(cell: &str, width: usize) -> Vec<String> {
    let options = Options::new(width.max(1)).word_splitter(WordSplitter::NoHyphenation);
    let lines = textwrap::wrap(cell, options);
    lines.into_iter().map(|line| line.into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(width: Option<usize>, expected: &str) {
        let rows = [
            ["key", "7", "a few words here", "/a/long/path:1"],
            ["longer", "12", "few", "default"],
        ];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec());
        let columns = Columns {
            numbers: &[1],
            breakable: &[(3, 7), (2, 5)],
            width,
        };
        assert_eq!(columns.aligned(&rows), expected);
    }

    #[test]
    fn only_what_does_not_fit_is_broken() {
        let whole = "key      7  a few words here  /a/long/path:1\n\
                     longer  12  few               default\n";
        check(None, whole);
        check(Some(44), whole);
        let last = "key      7  a few words here  /a/long/\n\
                    \u{20}                             path:1\n\
                    longer  12  few               default\n";
        check(Some(39), last);
        let both = "key      7  a few   /a/lon\n\
                    \u{20}           words   g/path\n\
                    \u{20}           here    :1\n\
                    longer  12  few     default\n";
        check(Some(27), both);
    }
}
