//! How far "here" reaches, where the person points at a line.

use crate::syntax::definitions;
use std::ops::RangeInclusive;

/// A definition that is longer than this is not what "here" means.
const LONGEST: usize = 60;

/// Where no definition is meant: lines above the line, and as many below.
const NEAR: usize = 15;

/// The lines around a line of a file, all counted from 1: the innermost definition that has it, else
/// some lines above and below. All of the file, if these are blank.
pub(super) fn around(path: &str, text: &str, line: usize) -> RangeInclusive<usize> {
    let mut innermost = None;
    for definition in definitions(path, text) {
        // Of nested definitions the inner one comes later.
        let lines = definition.lines;
        if lines.contains(&(line - 1)) && lines.len() <= LONGEST {
            innermost = Some(lines.start + 1..=lines.end);
        }
    }
    let around = innermost.unwrap_or(line.saturating_sub(NEAR).max(1)..=line + NEAR);

    let mut lines = text
        .lines()
        .skip(around.start() - 1)
        .take(around.clone().count());
    if lines.all(|line| line.trim().is_empty()) {
        return 1..=text.lines().count().max(1);
    }
    around
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_definition_or_some_lines() {
        let body = "        x = 1\n".repeat(LONGEST);
        let text = format!(
            "import os\n\n\nclass Box:\n    def open(self):\n        pass\n\n    def shut(self):\n{body}"
        );
        let around = |line| around("box.py", &text, line);
        assert_eq!(around(1), 1..=16);
        assert_eq!(around(6), 5..=6);
        assert_eq!(
            around(40),
            25..=55,
            "the definitions around it are too long"
        );
        let blank = format!("x = 1\n{}", "\n".repeat(50));
        assert_eq!(super::around("a.py", &blank, 40), 1..=51);
    }
}
