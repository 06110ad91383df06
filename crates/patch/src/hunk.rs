//! The searched and the new text of an edit that was not made under our constraint. Search/replace
//! blocks, hunks of diffs, and tool calls with `old_string` and `new_string` all become this form.

use crate::text::line_diff::diff;
use similar::DiffTag;

/// What a hunk does with one of its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// The line is searched, and stays as it is in the file.
    Keep,
    /// The line is searched, and is deleted.
    Delete,
    /// The line is inserted.
    Insert,
}

/// A line of a hunk, without its line ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HunkLine {
    /// What the hunk does with the line.
    pub tag: Tag,
    /// The text of the line.
    pub text: String,
}

/// Whether the searched text is whole lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Whole lines of the file.
    Lines,
    /// A text that may begin and end inside a line. If it ends with a newline, its last line is
    /// empty.
    Text,
}

/// In how many places the text must occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// In one place; more are ambiguous.
    One,
    /// In one or more places, and all of them change.
    All,
    /// The same, but a place inside a longer word is not meant.
    AllWords,
    /// In exactly this many places, and all of them change.
    Exactly(usize),
}

/// What the patch says about the place, apart from the text. A hint never makes a match; it only
/// decides among several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// The line of the file at which the searched lines begin, counted from 1.
    pub line: Option<usize>,
    /// Lines that occur somewhere above the place, the outermost first: the text after `@@`.
    pub above: Vec<String>,
    /// Whether the searched lines reach the end of the file.
    pub at_end: bool,
    /// Whether the place is below that of the hunk before, as in a diff.
    pub is_ordered: bool,
}

/// Whether the last line of the file ends with a newline, as `\ No newline at end of file` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinalNewline {
    /// Before the edit.
    pub before: bool,
    /// After it.
    pub after: bool,
}

/// One searched text and its replacement. At least one line is inserted or deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// The lines in file order; in a replacement, deleted lines come before inserted ones.
    pub lines: Vec<HunkLine>,
    /// Whether the searched text is whole lines.
    pub extent: Extent,
    /// In how many places the text must occur.
    pub count: Count,
    /// What else the patch says about the place.
    pub hints: Hints,
    /// Set if the patch says that the last line has no newline, before or after the edit.
    pub final_newline: Option<FinalNewline>,
}

impl Hunk {
    /// Replaces lines by others, keeping the lines that both have in common. `old` and `new` are
    /// lines without their last line ending, and empty for an empty text.
    pub fn of_lines(old: &[&str], new: &[&str]) -> Hunk {
        let mut lines = Vec::with_capacity(old.len().max(new.len()));
        for op in diff(old, new) {
            let (tag, from, to) = op.as_tag_tuple();
            if tag == DiffTag::Equal {
                add(&mut lines, Tag::Keep, &old[from]);
            } else {
                add(&mut lines, Tag::Delete, &old[from]);
                add(&mut lines, Tag::Insert, &new[to]);
            }
        }
        Hunk {
            lines,
            extent: Extent::Lines,
            count: Count::One,
            hints: Hints::default(),
            final_newline: None,
        }
    }

    /// Replaces a text by another, both verbatim, with their line endings.
    pub fn of_text(old: &str, new: &str) -> Hunk {
        let old: Vec<&str> = old.split('\n').collect();
        let new: Vec<&str> = new.split('\n').collect();
        Hunk {
            extent: Extent::Text,
            ..Hunk::of_lines(&old, &new)
        }
    }

    /// The searched lines.
    pub fn old(&self) -> impl Iterator<Item = &str> {
        self.lines
            .iter()
            .filter(|line| line.tag != Tag::Insert)
            .map(|line| line.text.as_str())
    }

    /// The lines at the place after the edit.
    #[allow(clippy::new_ret_no_self)] // the other half of `old`
    pub fn new(&self) -> impl Iterator<Item = &str> {
        self.lines
            .iter()
            .filter(|line| line.tag != Tag::Delete)
            .map(|line| line.text.as_str())
    }

    /// The edit that undoes this one. Its line number is unknown.
    pub fn reversed(&self) -> Hunk {
        let mut lines: Vec<HunkLine> = Vec::with_capacity(self.lines.len());
        // Inserted lines of the current run, held back until its deleted lines are written.
        let mut inserted: Vec<HunkLine> = Vec::new();
        for HunkLine { tag, text } in self.lines.clone() {
            match tag {
                Tag::Keep => {
                    lines.append(&mut inserted);
                    lines.push(HunkLine { tag, text });
                }
                Tag::Delete => inserted.push(HunkLine {
                    tag: Tag::Insert,
                    text,
                }),
                Tag::Insert => lines.push(HunkLine {
                    tag: Tag::Delete,
                    text,
                }),
            }
        }
        lines.append(&mut inserted);
        let hints = Hints {
            line: None,
            ..self.hints.clone()
        };
        let final_newline = self.final_newline.map(|newline| FinalNewline {
            before: newline.after,
            after: newline.before,
        });
        Hunk {
            lines,
            hints,
            final_newline,
            ..self.clone()
        }
    }

    /// Whether it changes nothing.
    pub fn changes_nothing(&self) -> bool {
        self.final_newline
            .is_none_or(|newline| newline.before == newline.after)
            && self.old().eq(self.new())
    }
}

fn add(lines: &mut Vec<HunkLine>, tag: Tag, texts: &[&str]) {
    for text in texts {
        lines.push(HunkLine {
            tag,
            text: (*text).to_owned(),
        });
    }
}
