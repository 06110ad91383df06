//! Gives new lines the indentation of their place: its depth, and its tabs or spaces.
//!
//! Small models get the indentation of an inserted line wrong more often than anything else, and
//! the program knows it. Lines that the model indented deeper stay so: it may have had a reason.

use crate::slots::Position;
use crate::text::{is_definition, line_start};
use std::ops::Range;

/// The indentation style of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    tabs: bool,
    /// Columns per step; a tab is one step.
    step: usize,
    /// Whether any line of the file is indented. If not, the model's own style is used.
    is_known: bool,
}

/// Shifts `lines` to the depth of the anchor line, in the file's indentation characters.
///
/// The target depth is the anchor's, or that of its block if the new lines follow a line that opens
/// one. Lines at that depth or deeper stay. Shallower lines are shifted together. An exception are
/// lines after the anchor that clearly leave its block. Their depth is that of the line below, and
/// they are indented, or begin with a blank line or a definition.
pub(super) fn fit(lines: &str, shown: &str, anchor: Range<usize>, position: Position) -> String {
    let Some(first) = first_inked(lines) else {
        return lines.to_owned();
    };
    let anchor_line = &shown[anchor.clone()];
    let style = Style::of(shown).beside(anchor_line);
    let anchor_depth = style.columns(anchor_line);
    let first_depth = style.columns(first);
    let below = shown[anchor.end..]
        .split_once('\n')
        .map_or("", |(_, below)| below);
    let below_depth = first_inked(below).map_or(0, |line| style.columns(line));

    let opens = position == Position::After && opens_block(anchor_line);
    let wanted = if !opens {
        anchor_depth
    } else if below_depth > anchor_depth {
        below_depth
    } else {
        anchor_depth + style.step
    };
    let leaves_block = position == Position::After
        && !opens
        && first_depth == below_depth
        && (first_depth > 0 || lines.starts_with('\n') || is_definition(first));

    if leaves_block {
        style.shifted(lines, 0)
    } else {
        style.shifted(lines, wanted.saturating_sub(first_depth))
    }
}

/// Indents the later lines of a replacement whose old text was copied without the indentation of
/// its line. Models then often leave it out of the new lines as well.
///
/// The lines are shifted if one of them is not indented at all. They are also shifted if the first
/// new line opens a block and they are not as deep as that line. A definition after an empty line
/// leaves the block, and stays.
pub(super) fn continued(shown: &str, at: &Range<usize>, new: &str) -> String {
    let left_behind = &shown[line_start(shown, at.start)..at.start];
    let is_indentation =
        !left_behind.is_empty() && left_behind.trim_matches([' ', '\t']).is_empty();
    let Some((first, later)) = new.split_once('\n') else {
        return new.to_owned();
    };
    if !is_indentation || first.starts_with([' ', '\t']) {
        return new.to_owned();
    }
    let old = &shown[at.clone()];
    let old_later = old.split_once('\n').map(|(_, later)| later);
    if let Some(old_later) = old_later.filter(|old| is_same_but_for_indentation(old, later)) {
        return format!("{first}\n{old_later}");
    }

    let style = Style::of(shown);
    let wanted = style.columns(left_behind);
    let Some(least) = style.shallowest(later) else {
        return new.to_owned();
    };
    // The old text has the file's own indentation on its later lines, and so may the new text.
    let old_is_deep = old_later
        .and_then(|old| style.shallowest(old))
        .is_some_and(|depth| depth <= least);
    let leaves_block = later.starts_with('\n') && first_inked(later).is_some_and(is_definition);
    let is_relative = least == 0 || (least < wanted && opens_block(first));
    if !is_relative || old_is_deep || leaves_block {
        return new.to_owned();
    }
    let style = Style {
        is_known: true,
        ..style
    };
    format!("{first}\n{}", style.shifted(later, wanted))
}

/// Whether two texts have the same lines, each indented in its own way.
fn is_same_but_for_indentation(one: &str, other: &str) -> bool {
    one.split('\n')
        .map(str::trim_start)
        .eq(other.split('\n').map(str::trim_start))
}

/// The first line that is not blank.
fn first_inked(text: &str) -> Option<&str> {
    text.split('\n').find(|line| !line.trim().is_empty())
}

/// Whether the line after this one is usually deeper.
pub fn opens_block(line: &str) -> bool {
    let line = line.trim_end();
    line.ends_with(['{', '(', '[', ':'])
        || line.ends_with("=>")
        || line.ends_with(" do")
        || line.ends_with(" then")
}

impl Style {
    /// Detects the style from the indented lines; four spaces if there are none.
    pub fn of(shown: &str) -> Style {
        let mut n_tabs = 0;
        let mut n_spaces = 0;
        // How often a line is so many spaces deeper or shallower than the one before.
        let mut steps = [0usize; 9];
        let mut previous = 0;
        for line in shown.split('\n').filter(|line| !line.trim().is_empty()) {
            let n = line.len() - line.trim_start_matches(' ').len();
            n_tabs += usize::from(line.starts_with('\t'));
            n_spaces += usize::from(n > 1);
            if let Some(count) = steps.get_mut(n.abs_diff(previous)) {
                *count += 1;
            }
            previous = n;
        }

        let tabs = n_tabs > n_spaces;
        let step = (2..steps.len())
            .max_by_key(|&step| (steps[step], step == 4))
            .filter(|&step| steps[step] > 0 && !tabs);
        Style {
            tabs,
            step: step.unwrap_or(4),
            is_known: n_tabs + n_spaces > 0,
        }
    }

    /// The style beside an indented line, which may have the other characters than most lines: a
    /// recipe of a Makefile.
    fn beside(self, line: &str) -> Style {
        match line.chars().next() {
            Some(first @ ('\t' | ' ')) if !line.trim().is_empty() => Style {
                tabs: first == '\t',
                ..self
            },
            _ => self,
        }
    }

    /// Spaces per step, where spaces are used.
    pub fn step(self) -> usize {
        self.step
    }

    /// How wide the indentation of a line is, if a tab is one step.
    pub fn columns(self, line: &str) -> usize {
        let indent = line.chars().take_while(|c| matches!(c, ' ' | '\t'));
        indent.map(|c| if c == '\t' { self.step } else { 1 }).sum()
    }

    /// The width of the smallest indentation of some lines; `None` if all are blank.
    fn shallowest(self, lines: &str) -> Option<usize> {
        lines
            .split('\n')
            .filter(|line| !line.trim().is_empty())
            .map(|line| self.columns(line))
            .min()
    }

    /// The lines, deeper by some columns and in the file's indentation characters. Lines without
    /// text stay.
    fn shifted(self, lines: &str, by: usize) -> String {
        let mut shifted = Vec::new();
        for line in lines.split('\n') {
            let rest = line.trim_start_matches([' ', '\t']);
            shifted.push(if rest.is_empty() {
                line.to_owned()
            } else if self.is_known {
                self.spelled(self.columns(line) + by) + rest
            } else {
                " ".repeat(by) + line
            });
        }
        shifted.join("\n")
    }

    fn spelled(self, columns: usize) -> String {
        if self.tabs {
            "\t".repeat(columns / self.step) + &" ".repeat(columns % self.step)
        } else {
            " ".repeat(columns)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::testing::rows;

    /// Columns: a file with its anchor between ⟦ and ⟧, the side of the anchor, the new lines, and
    /// what becomes of them.
    #[track_caller]
    fn check(table: &str) {
        for [file, position, lines, expected] in rows(table) {
            let start = file.find('⟦').unwrap();
            let end = file.find('⟧').unwrap() - '⟦'.len_utf8();
            let shown = file.replace(['⟦', '⟧'], "");
            let position = match position.as_str() {
                "before" => Position::Before,
                _ => Position::After,
            };
            assert_eq!(
                fit(&lines, &shown, start..end, position),
                expected,
                "in {shown:?}"
            );
        }
    }

    #[test]
    fn lines_come_to_the_depth_of_the_anchor() {
        check(
            "
            def f():⏎⟦    x = 1⟧⏎      | before | # note      | ····# note
            def f():⏎⟦    x = 1⟧⏎      | before | ····# note  | ····# note
            def f():⏎⟦    x = 1⟧⏎      | after  | y = 2⏎z = 3 | ····y = 2⏎    z = 3
            def f():⏎⟦    x = 1⟧⏎      | after  | if x:⏎    y = 2⏎⏎z \
                | ····if x:⏎        y = 2⏎⏎    z
            ⟦import os⟧⏎               | before | import sys  | import sys
            fn f() {⏎⟦  a();⟧⏎}⏎       | before | ····b();    | ····b();
            ",
        );
    }

    #[test]
    fn lines_after_an_opening_come_into_the_block() {
        check(
            "
            ⟦def f():⟧⏎    x = 1⏎             | after | y = 2 | ····y = 2
            ⟦fn f() {⟧⏎}⏎                     | after | a();  | ····a();
            fn g() {⏎  x();⏎}⏎⟦fn f() {⟧⏎}⏎   | after | a();  | ··a();
            ",
        );
    }

    #[test]
    fn lines_that_leave_the_block_are_left_there() {
        let file = "def f():⏎⟦    return 1⟧⏎⏎def h():⏎    pass⏎";
        let class = "class A:⏎    def f(self):⏎⟦        return 1⟧⏎⏎    def g(self):⏎        pass⏎";
        check(&format!(
            "
            {file}  | after | ⏎def g():⏎    return 2 | ⏎def g():⏎    return 2
            {file}  | after | print(2)               | ····print(2)
            {class} | after | ····x = 1              | ····x = 1
            "
        ));
    }

    #[test]
    fn indentation_is_spelled_as_in_the_file() {
        check(
            "
            func f() {⏎⟦⇥a()⟧⏎⇥b()⏎}⏎    | before | ····c()            | ⇥c()
            func f() {⏎⟦⇥a()⟧⏎⇥b()⏎}⏎    | after  | if x {⏎    c()⏎}   | ⇥if x {⏎⇥⇥c()⏎⇥}
            ⟦all:⟧⏎                      | after  | ⇥gcc a.c           | ⇥gcc a.c
            ⟦a⇥b⟧⏎                       | after  | ⇥c                 | ⇥c
            def f():⏎⟦  a()⟧⏎  b()⏎      | after  | ⇥if x:⏎⇥⇥c()       | ··if x:⏎    c()
            ",
        );
    }
}
