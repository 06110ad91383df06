//! The blocks of a file that may be written anew, and what that changes.

use super::continued::keep_continued_lines;
use super::replacement::Replacement;
use super::whitespace::{keeps_blank_lines, without_blank_lines};
use crate::syntax::definitions;
use crate::text::{Shown, indentation, line_diff};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::ops::Range;

/// The name of the block that is all of the file.
pub const WHOLE_FILE: &str = "the whole file";

/// A longer line is not used as a name, in bytes.
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
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut starts = vec![0];
    for line in &lines {
        starts.push(starts[starts.len() - 1] + line.len());
    }

    let mut found = Vec::new();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for definition in definitions(path, text) {
        let range = starts[definition.lines.start]..starts[definition.lines.end.min(lines.len())];
        let name = lines[definition.header].trim();
        if is_shown(shown, &range) && name.len() <= MAX_NAME {
            *counts.entry(name).or_default() += 1;
            found.push((name, definition.header + 1, range));
        }
    }

    let mut blocks = Vec::with_capacity(found.len());
    for (header, line, range) in found {
        let name = match counts[header] {
            1 => header.to_owned(),
            _ => format!("{header} (line {line})"),
        };
        blocks.push(NamedBlock::of(name, text, range));
    }
    blocks
}

/// Whether whole lines are in one window.
fn is_shown(shown: &Shown, range: &Range<usize>) -> bool {
    shown.windows.iter().any(|window| {
        // A window ends before the newline of its last line.
        let end = window.offset + window.text.len() + 1;
        window.offset <= range.start && range.end <= end
    })
}

/// What a block's new text replaces, by lines. Lines that differ only in the whitespace at their
/// ends stay as they are in the file. A text that is indented less than the block is indented as it.
pub fn rewritten_block(
    path: &str,
    shown: &str,
    range: &Range<usize>,
    text: &str,
) -> Vec<Replacement> {
    let block = &shown[range.clone()];
    let mut text = indented_as(block, text);
    if !keeps_blank_lines(path, shown) {
        text = without_blank_lines(block, &(0..block.len()), &text);
    }
    // The file says whether its last line has an end.
    if !text.is_empty() {
        text.truncate(text.strip_suffix('\n').map_or(text.len(), str::len));
        if block.ends_with('\n') {
            text.push('\n');
        }
    }

    let old: Vec<&str> = block.split_inclusive('\n').collect();
    let new: Vec<&str> = text.split_inclusive('\n').collect();
    let mut replacements = Vec::new();
    let steps = line_diff::diff(&trimmed_ends(&old), &trimmed_ends(&new));
    for (bytes, lines) in line_diff::replaced(&steps, &old) {
        replacements.push(Replacement {
            range: range.start + bytes.start..range.start + bytes.end,
            new: new[lines].concat(),
        });
    }
    keep_continued_lines(shown, replacements)
}

/// Lines without the whitespace at their ends, and whether they have a newline.
fn trimmed_ends<'t>(lines: &[&'t str]) -> Vec<(&'t str, bool)> {
    lines
        .iter()
        .map(|line| (line.trim_end(), line.ends_with('\n')))
        .collect()
}

/// The text, with the part of the block's indentation that it lacks before each line.
fn indented_as(block: &str, text: &str) -> String {
    let Some(missing) = first_indentation(block).strip_suffix(first_indentation(text)) else {
        return text.to_owned();
    };

    let mut indented = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if !line.trim().is_empty() {
            indented += missing;
        }
        indented += line;
    }
    indented
}

/// The indentation of the first line that is not blank.
fn first_indentation(text: &str) -> &str {
    text.lines()
        .find(|line| !line.trim().is_empty())
        .map_or("", indentation)
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

    fn names(blocks: Vec<NamedBlock>) -> Vec<String> {
        blocks.into_iter().map(|block| block.name).collect()
    }

    #[test]
    fn blocks_have_the_lines_that_open_them_as_names() {
        let expected = ["class A:", "def f(self):", "def g(self):"];
        assert_eq!(names(definitions_in(FILE)), expected);
        let twice = FILE.replace("def g", "def f");
        let expected = ["class A:", "def f(self): (line 5)", "def f(self): (line 9)"];
        assert_eq!(names(definitions_in(&twice)), expected);
        let shown = Shown::whole(FILE).within_lines(FILE, &(5..=8));
        let inside = shown_definitions("a.py", FILE, &shown);
        assert_eq!(names(inside), ["def f(self):"]);
        assert_eq!(NamedBlock::whole_file(FILE).text, FILE);
    }

    #[test]
    fn only_the_lines_that_differ_are_replaced() {
        let f = &definitions_in(FILE)[1];
        let block = "    def f(self):  \n        x = 1\n        return x\n";
        assert_eq!(f.text, block);
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
            let found = after(file, &(0..file.len()), text);
            assert_eq!(found, expected, "{file:?} {text:?}");
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
