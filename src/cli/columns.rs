//! Rows of cells in columns that are in line; on a terminal no wider than it is, where that can be.

use std::borrow::Cow;
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
    /// Where the last cells go if there is no room for them.
    pub last: Last,
    /// How wide a row may be; `None` where cells stay whole.
    pub width: Option<usize>,
}

/// What becomes of the last column where it does not fit at its least width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Last {
    /// It stays a column.
    Beside,
    /// Its cells go below their rows, without a heading. It is breakable, and the first row has headings.
    Below,
}

/// What comes before a cell below its row.
const BELOW: &str = "     ";

impl Columns<'_> {
    /// The rows, a line or more each. All have the same number of cells.
    pub fn aligned(&self, rows: &[Vec<String>]) -> String {
        let mut rows = rows.to_vec();
        let mut below = Vec::new();
        if self.last == Last::Below && !self.has_room_for_last(&rows) {
            below.extend(rows.iter_mut().map(|row| row.pop().unwrap_or_default()));
            below[0].clear();
        }

        let widths = self.widths(&rows);
        let mut table = String::new();
        for (idx, row) in rows.iter().enumerate() {
            let mut cells = Vec::new();
            for (cell, width) in row.iter().zip(&widths) {
                cells.push(broken(cell, *width));
            }
            let height = cells.iter().map(Vec::len).max().unwrap_or(0);
            for i in 0..height {
                table += self.line(&cells, i, &widths).trim_end();
                table.push('\n');
            }
            if let Some(cell) = below.get(idx).filter(|cell| !cell.is_empty()) {
                let width = self.width.unwrap_or(usize::MAX).saturating_sub(BELOW.len());
                for line in broken(cell, width) {
                    table += &format!("{BELOW}{line}\n");
                }
            }
        }
        table
    }

    /// Whether the last column has its least width beside the others, where those stay whole.
    fn has_room_for_last(&self, rows: &[Vec<String>]) -> bool {
        let mut widths = widest(rows);
        let last = widths.len().saturating_sub(1);
        for &(column, least) in self.breakable {
            if column == last {
                widths[column] = widths[column].min(least);
            }
        }
        self.width.is_none_or(|width| total(&widths) <= width)
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
        let mut widths = widest(rows);
        let Some(width) = self.width else {
            return widths;
        };
        for &(column, least) in self.breakable {
            let excess = total(&widths).saturating_sub(width);
            if let Some(width) = widths.get_mut(column) {
                *width = width.saturating_sub(excess).max(least).min(*width);
            }
        }
        widths
    }
}

/// The width of the widest cell of each column.
fn widest(rows: &[Vec<String>]) -> Vec<usize> {
    let mut widths: Vec<usize> = Vec::new();
    for row in rows {
        widths.resize(row.len(), 0);
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.width().max(*width);
        }
    }
    widths
}

/// The width of a row with its gaps.
fn total(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
}

/// A cell in lines, broken between words; a word that is too long is broken too.
fn broken(cell: &str, width: usize) -> Vec<String> {
    let options = Options::new(width.max(1)).word_splitter(WordSplitter::NoHyphenation);
    let lines = textwrap::wrap(cell, options);
    lines.into_iter().map(Cow::into_owned).collect()
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
            last: Last::Beside,
            width,
        };
        assert_eq!(columns.aligned(&rows), expected);
    }

    #[test]
    fn a_last_column_without_room_goes_below() {
        let rows = [["name", "remark"], ["a-long-name", "two words"], ["b", ""]];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec());
        let columns = Columns {
            numbers: &[],
            breakable: &[(1, 6)],
            last: Last::Below,
            width: Some(16),
        };
        let expected = "name\na-long-name\n     two words\nb\n";
        assert_eq!(columns.aligned(&rows), expected);
        let wider = Columns {
            width: Some(20),
            ..columns
        };
        let expected = "name         remark\na-long-name  two\n             words\nb\n";
        assert_eq!(wider.aligned(&rows), expected);
    }

    #[test]
    fn only_what_does_not_fit_is_broken() {
        let whole = "key      7  a few words here  /a/long/path:1\n\
                     longer  12  few               default\n";
        check(None, whole);
        check(Some(44), whole);
        let last = "key      7  a few words here  /a/long/p\n\
                    \u{20}                             ath:1\n\
                    longer  12  few               default\n";
        check(Some(39), last);
        let both = "key      7  a few   /a/long\n\
                    \u{20}           words   /path:1\n\
                    \u{20}           here\n\
                    longer  12  few     default\n";
        check(Some(27), both);
    }
}
