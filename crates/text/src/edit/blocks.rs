//! The blocks of a file that may be written anew, and what that changes.

use super::edit_set::{Replacement, keep_continued_lines};
use super::whitespace::{keeps_blank_lines, without_blank_lines};
use crate::syntax::{Definition, definitions};
use crate::text::{Shown, line_diff};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::ops::Range;

/// The name of the block that is all of the file.
pub const WHOLE_FILE: &str = "the whole file";

/// A longer line names nothing.
const MAX_NAME: usize = 200;

/// Whole lines of a file under a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedBlock {
    /// The line that opens the definition; with its number where others are like it.
    pub name: String,
    /// Byte range of [`Text::shown`](crate::text::Text::shown).
    pub range: Range<usize>,
    /// The lines.
    pub text: String,
}

impl NamedBlock {
    fn of(name: String, text: &str, range: Range<usize>) -> NamedBlock {
        NamedBlock {
            name,
            text: text[range.clone()].to_owned(),
            range,
        }
    }

    /// All of a file.
    pub fn whole_file(text: &str) -> NamedBlock {
        NamedBlock::of(WHOLE_FILE.to_owned(), text, 0..text.len())
    }
}

/// The definitions of a file that are shown whole.
pub fn shown_definitions(path: &str, text: &str, shown: &Shown) -> Vec<NamedBlock> {
    let is_shown = |range: &Range<usize>| {
        shown.windows.iter().any(|window| {
            let end = window.offset + window.text.len();
            window.offset <= range.start && range.end <= end + 1
        })
    };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut starts = vec![0];
    starts.extend(lines.iter().scan(0, |end, line| {
        *end += line.len();
        Some(*end)
    }));

    let mut found = Vec::new();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for Definition {
        header,
        lines: of_block,
    } in definitions(path, text)
    {
        let range = starts[of_block.start]..starts[of_block.end.min(lines.len())];
        let name = lines[header].trim();
        if is_shown(&range) && name.len() <= MAX_NAME {
            *counts.entry(name).or_default() += 1;
            found.push((name, header + 1, range));
        }
    }
    let named = found.into_iter().map(|(name, line, range)| {
        let name = match counts[name] {
            1 => name.to_owned(),
            _ => format!("{name} (line {line})"),
        };
        NamedBlock::of(name, text, range)
    });
    named.collect()
}

/// What a block's new text replaces, by lines. Lines that differ only in the whitespace at their ends
/// stay as they are in the file. A text that is indented less than the block is indented as it.
pub fn rewritten_block(
    path: &str,
    shown: &str,
    range: &Range<usize>,
    text: &str,
) -> Vec<Replacement> {
    let old: Vec<&str> = shown[range.clone()].split_inclusive('\n').collect();
    let mut text = indented_as(&old, text);
    if !keeps_blank_lines(path, shown) {
        text = without_blank_lines(&text, true, true);
    }
    // The file says whether its last line has an end.
    if !text.is_empty() {
        text.truncate(text.strip_suffix('\n').map_or(text.len(), str::len));
        if old.last().is_some_and(|line| line.ends_with('\n')) {
            text.push('\n');
        }
    }

    let new: Vec<&str> = text.split_inclusive('\n').collect();
    let trimmed = |lines: &[&str]| {
        lines
            .iter()
            .map(|line| (line.trim_end().to_owned(), line.ends_with('\n')))
            .collect()
    };
    let (old_lines, new_lines): (Vec<_>, Vec<_>) = (trimmed(&old), trimmed(&new));
    let replaced = line_diff::replaced(&line_diff::diff(&old_lines, &new_lines), &old);
    let replaced = replaced.into_iter().map(|(lines, new_range)| Replacement {
        range: range.start + lines.start..range.start + lines.end,
        new: new[new_range].concat(),
    });
    keep_continued_lines(shown, replaced.collect())
}

/// The text, with the indentation before each line that its first line lacks.
fn indented_as(old: &[&str], text: &str) -> String {
    let indent = |line: &str| line[..line.len() - line.trim_start().len()].to_owned();
    let has_ink = |line: &&str| !line.trim().is_empty();
    let wanted = old
        .iter()
        .copied()
        .find(has_ink)
        .map(indent)
        .unwrap_or_default();
    let has = text.lines().find(has_ink).map(indent).unwrap_or_default();
    let Some(missing) = wanted
        .strip_suffix(&has)
        .filter(|missing| !missing.is_empty())
    else {
        return text.to_owned();
    };
    let lines = text.split_inclusive('\n').map(|line| match line.trim() {
        "" => line.to_owned(),
        _ => format!("{missing}{line}"),
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::EditSet;
    use crate::text::{BlockSize, Outline, Text, blocks as cut_blocks, line_bytes};
    use proptest::prelude::*;

    const FILE: &str = "import os\n\n\nclass A:\n    def f(self):  \n        x = 1\n        \
                        return x\n\n    def g(self):\n        return 2\n";

    fn after(file: &str, range: &Range<usize>, text: &str) -> String {
        let replacements = rewritten_block("a.py", file, range, text);
        let file = Text::decode(file.as_bytes().to_vec()).unwrap();
        let bytes = EditSet::of_sorted(replacements).apply(&file).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    fn definitions_in(text: &str) -> Vec<NamedBlock> {
        shown_definitions("a.py", text, &Shown::whole(text))
    }

    #[test]
    fn blocks_have_the_lines_that_open_them_as_names() {
        let names = |blocks: Vec<NamedBlock>| -> Vec<String> {
            blocks.into_iter().map(|block| block.name).collect()
        };
        assert_eq!(
            names(definitions_in(FILE)),
            ["class A:", "def f(self):", "def g(self):"]
        );
        let twice = FILE.replace("def g", "def f");
        let expected = ["class A:", "def f(self): (line 5)", "def f(self): (line 9)"];
        assert_eq!(names(definitions_in(&twice)), expected);
        let shown = Shown::whole(FILE).within_lines(FILE, &(5..=8));
        assert_eq!(
            names(shown_definitions("a.py", FILE, &shown)),
            ["def f(self):"]
        );
        assert_eq!(NamedBlock::whole_file(FILE).text, FILE);
    }

    #[test]
    fn only_the_lines_that_differ_are_replaced() {
        let f = &definitions_in(FILE)[1];
        assert_eq!(
            f.text,
            "    def f(self):  \n        x = 1\n        return x\n"
        );
        let expected = FILE.replace("x = 1", "x = 3");
        for text in [
            "    def f(self):\n        x = 3\n        return x\n",
            "    def f(self):\n        x = 3\n        return x",
            "def f(self):\n    x = 3\n    return x\n",
        ] {
            assert_eq!(after(FILE, &f.range, text), expected, "{text:?}");
        }
        assert_eq!(after(FILE, &f.range, &f.text), FILE);
    }

    #[test]
    fn the_file_says_whether_its_last_line_has_an_end() {
        for (file, text, expected) in [
            ("x", "y\n", "y"),
            ("x", "x\ny\n", "x\ny"),
            ("x\n", "y", "y\n"),
            ("x\n", "x\ny", "x\ny\n"),
            ("a\nx", "a\n", "a"),
        ] {
            assert_eq!(
                after(file, &(0..file.len()), text),
                expected,
                "{file:?} {text:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn a_block_becomes_its_text_and_the_rest_stays(
            lines in proptest::collection::vec("[ab ]{0,3}", 1..12),
            text in "([ab \n]{0,12}\n)?",
            (from, to) in (0..12usize, 0..12usize),
        ) {
            let file = lines.join("\n") + "\n";
            let (from, to) = (from.min(lines.len() - 1), to.min(lines.len() - 1));
            let range = line_bytes(&file, &(from.min(to) + 1..=from.max(to) + 1));
            let now = after(&file, &range, &text);
            let (above, below) = (&file[..range.start], &file[range.end..]);
            let block = now.strip_prefix(above).and_then(|rest| rest.strip_suffix(below));
            let inked = |text: &str| -> Vec<String> {
                text.split('\n').map(|line| line.trim().to_owned()).collect()
            };
            prop_assert_eq!(inked(block.expect("the rest stays")), inked(&text));
        }

        #[test]
        fn blocks_are_whole_lines_of_what_is_shown(text in "(def f\\(\\):\n( {4}x\n){1,3}|y\n){0,20}") {
            let outline = Outline::of(&text);
            let all = cut_blocks(&text, &outline, BlockSize::SMALL);
            let shown = Shown::of_blocks(&text, &outline, all.into_iter().step_by(2).collect());
            for NamedBlock { range, text: block, .. } in shown_definitions("a.py", &text, &shown) {
                prop_assert_eq!(&text[range.clone()], block);
                prop_assert!(shown.prompt_text().contains(text[range].trim_end_matches('\n')));
            }
        }
    }
}
