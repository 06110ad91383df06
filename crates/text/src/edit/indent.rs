//! Gives new lines the indentation of their place: its depth, and its tabs or spaces.
//!
//! Small models get the indentation of an inserted line wrong more often than anything else, and
//! the program knows it. Lines that the model indented deeper stay so: it may have had a reason.

use crate::slots::Position;
use crate::text::is_definition;
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
    let anchor_line = &shown[anchor.clone()];
    let style = Style::of(shown).beside(anchor_line);
    let depth = |line: &str| style.columns(line);
    let below = shown[anchor.end..]
        .split('\n')
        .skip(1)
        .find(|line| !line.trim().is_empty());
    let below_depth = below.map_or(0, depth);
    let opens = position == Position::After && opens_block(anchor_line);
    let wanted = match opens {
        true if below_depth > depth(anchor_line) => below_depth,
        true => depth(anchor_line) + style.step,
        false => depth(anchor_line),
    };
    let Some(first) = lines.split('\n').find(|line| !line.trim().is_empty()) else {
        return lines.to_owned();
    };
    let leaves_block = position == Position::After
        && !opens
        && depth(first) == below_depth
        && (depth(first) > 0 || lines.starts_with('\n') || is_definition(first));
    let shift = if leaves_block {
        0
    } else {
        wanted.saturating_sub(depth(first))
    };
    let fitted = lines
        .split('\n')
        .map(|line| match line.trim_start_matches([' ', '\t']) {
            "" => line.to_owned(),
            _ if !style.is_known => " ".repeat(shift) + line,
            rest => style.spelled(depth(line) + shift) + rest,
        });
    fitted.collect::<Vec<_>>().join("\n")
}

/// Indents the later lines of a replacement whose old text was copied without the indentation of
/// its line. Models then often leave it out of the new lines as well.
///
/// The lines are shifted if one of them is not indented at all. They are also shifted if the first
/// new line opens a block and they are not as deep as that line. A definition after an empty line
/// leaves the block, and stays.
pub(super) fn continued(shown: &str, at: &Range<usize>, new: &str) -> String {
    let line_start = shown[..at.start].rfind('\n').map_or(0, |i| i + 1);
    let left_behind = &shown[line_start..at.start];
    let Some((first, later)) = new.split_once('\n') else {
        return new.to_owned();
    };
    if left_behind.is_empty()
        || !left_behind.trim_matches([' ', '\t']).is_empty()
        || first.starts_with([' ', '\t'])
    {
        return new.to_owned();
    }
    if let Some(later) = indented_as_before(&shown[at.clone()], later) {
        return format!("{first}\n{later}");
    }
    let style = Style::of(shown);
    let wanted = style.columns(left_behind);
    let inked = || later.split('\n').filter(|line| !line.trim().is_empty());
    let Some(least) = inked().map(|line| style.columns(line)).min() else {
        return new.to_owned();
    };
    // The old text has the file's own indentation on its later lines, and so may the new text.
    let old_is_deep = shown[at.clone()]
        .split('\n')
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .map(|line| style.columns(line))
        .min()
        .is_some_and(|depth| depth <= least);
    let leaves_block = later.starts_with('\n') && inked().next().is_some_and(is_definition);
    let is_relative = least == 0 || (least < wanted && opens_block(first));
    if !is_relative || old_is_deep || leaves_block {
        return new.to_owned();
    }
    let shift = |line: &str| match line.trim_start_matches([' ', '\t']) {
        "" => line.to_owned(),
        rest => style.spelled(style.columns(line) + wanted) + rest,
    };
    let later: Vec<String> = later.split('\n').map(shift).collect();
    format!("{first}\n{}", later.join("\n"))
}

/// The later lines of a replacement of as many lines, if they are the old ones but for their
/// indentation: then with the indentation of the old ones.
fn indented_as_before(old: &str, later: &str) -> Option<String> {
    let old: Vec<&str> = old.split('\n').skip(1).collect();
    let new: Vec<&str> = later.split('\n').collect();
    let is_same = old.len() == new.len()
        && old
            .iter()
            .zip(&new)
            .all(|(old, new)| old.trim_start() == new.trim_start());
    is_same.then(|| old.join("\n"))
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
        let (mut n_tabs, mut n_spaces) = (0, 0);
        let mut steps = [0usize; 9];
        let mut previous = 0;
        for line in shown.split('\n').filter(|line| !line.trim().is_empty()) {
            let n = line.len() - line.trim_start_matches(' ').len();
            n_tabs += usize::from(line.starts_with('\t'));
            n_spaces += usize::from(n > 1);
            if let Some(count @ 0..) = steps.get_mut(n.abs_diff(previous)) {
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

    fn spelled(self, columns: usize) -> String {
        match self.tabs {
            true => "\t".repeat(columns / self.step) + &" ".repeat(columns % self.step),
            false => " ".repeat(columns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In `file`, the anchor is between ⟦ and ⟧.
    fn check(file: &str, position: Position, lines: &str, expected: &str) {
        let start = file.find('⟦').unwrap();
        let end = file.find('⟧').unwrap() - '⟦'.len_utf8();
        let shown = file.replace(['⟦', '⟧'], "");
        assert_eq!(
            fit(lines, &shown, start..end, position),
            expected,
            "in {shown:?}"
        );
    }

    #[test]
    fn lines_come_to_the_depth_of_the_anchor() {
        use Position::{After, Before};
        check("def f():\n⟦    x = 1⟧\n", Before, "# note", "    # note");
        check(
            "def f():\n⟦    x = 1⟧\n",
            Before,
            "    # note",
            "    # note",
        );
        check(
            "def f():\n⟦    x = 1⟧\n",
            After,
            "y = 2\nz = 3",
            "    y = 2\n    z = 3",
        );
        check(
            "def f():\n⟦    x = 1⟧\n",
            After,
            "if x:\n    y = 2\n\nz",
            "    if x:\n        y = 2\n\n    z",
        );
        check("⟦import os⟧\n", Before, "import sys", "import sys");
        check("fn f() {\n⟦  a();⟧\n}\n", Before, "    b();", "    b();");
    }

    #[test]
    fn lines_after_an_opening_come_into_the_block() {
        use Position::After;
        check("⟦def f():⟧\n    x = 1\n", After, "y = 2", "    y = 2");
        check("⟦fn f() {⟧\n}\n", After, "a();", "    a();");
        check(
            "fn g() {\n  x();\n}\n⟦fn f() {⟧\n}\n",
            After,
            "a();",
            "  a();",
        );
    }

    #[test]
    fn lines_that_leave_the_block_are_left_there() {
        use Position::After;
        check(
            "def f():\n⟦    return 1⟧\n\ndef h():\n    pass\n",
            After,
            "\ndef g():\n    return 2",
            "\ndef g():\n    return 2",
        );
        check(
            "def f():\n⟦    return 1⟧\n\ndef h():\n    pass\n",
            After,
            "print(2)",
            "    print(2)",
        );
        check(
            "class A:\n    def f(self):\n⟦        return 1⟧\n\n    def g(self):\n        pass\n",
            After,
            "    x = 1",
            "    x = 1",
        );
    }

    #[test]
    fn indentation_is_spelled_as_in_the_file() {
        use Position::{After, Before};
        check(
            "func f() {\n⟦\ta()⟧\n\tb()\n}\n",
            Before,
            "    c()",
            "\tc()",
        );
        check(
            "func f() {\n⟦\ta()⟧\n\tb()\n}\n",
            After,
            "if x {\n    c()\n}",
            "\tif x {\n\t\tc()\n\t}",
        );
        check("⟦all:⟧\n", After, "\tgcc a.c", "\tgcc a.c");
        check("⟦a\tb⟧\n", After, "\tc", "\tc");
        check(
            "def f():\n⟦  a()⟧\n  b()\n",
            After,
            "\tif x:\n\t\tc()",
            "  if x:\n    c()",
        );
    }
}
