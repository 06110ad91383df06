//! What an edit that was not made under our constraint looks for, and what it puts there: the
//! common form of a search/replace block, a diff's hunk and a tool call's `old_string` and
//! `new_string`.

use crate::text::line_diff::diff;
use similar::DiffTag;

/// What becomes of a line of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// It is looked for, and stays as the file has it.
    Keep,
    /// It is looked for, and goes.
    Delete,
    /// It is put there.
    Insert,
}

/// A line of a hunk, without its line ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HunkLine {
    /// What becomes of it.
    pub tag: Tag,
    /// Its text.
    pub text: String,
}

/// What the searched lines are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Whole lines of the file.
    Lines,
    /// A text that may begin and end inside a line. Its last line is empty where it ends with a
    /// line feed.
    Text,
}

/// In how many places it is to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// In one, or it is ambiguous.
    One,
    /// In every one, at least one.
    All,
    /// In every one, and there are so many.
    Exactly(usize),
}

/// What the patch says of the place, apart from the text. None of it makes a match; it decides
/// among several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// The line of the file on which the searched lines begin, counted from 1.
    pub line: Option<usize>,
    /// Lines that stand somewhere above it, the outermost first: what follows `@@`.
    pub above: Vec<String>,
    /// Whether it reaches to the end of the file.
    pub at_end: bool,
    /// Whether this stands below what the hunk before it found, as in a diff.
    pub is_ordered: bool,
}

/// Whether the last line of the file ends with a line feed: what `\ No newline at end of file`
/// says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FinalNewline {
    /// Before the edit.
    pub before: bool,
    /// After it.
    pub after: bool,
}

/// One place that is looked for, and what it becomes. At least one line is inserted or deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// In file order; where lines are exchanged, the deleted ones before the inserted ones.
    pub lines: Vec<HunkLine>,
    /// Whole lines or not.
    pub extent: Extent,
    /// One place or all.
    pub count: Count,
    /// What else is said of the place.
    pub hints: Hints,
    /// Where the patch says that the last line has no line feed, before or after.
    pub final_newline: Option<FinalNewline>,
}

impl Hunk {
    /// Lines that are exchanged for others, by which what both have in common stays. `old` and
    /// `new` are lines without their last line ending; none where the text is empty.
    pub fn of_lines(old: &[&str], new: &[&str]) -> Hunk {
        let line = |tag: Tag| move |text: &&str| HunkLine { tag, text: (*text).to_owned() };
        let mut lines = Vec::with_capacity(old.len().max(new.len()));
        for op in diff(old, new) {
            let (tag, from, to) = op.as_tag_tuple();
            if tag == DiffTag::Equal {
                lines.extend(old[from].iter().map(line(Tag::Keep)));
            } else {
                lines.extend(old[from].iter().map(line(Tag::Delete)));
                lines.extend(new[to].iter().map(line(Tag::Insert)));
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

    /// A text that is exchanged for another; both as they are, line endings and all.
    pub fn of_text(old: &str, new: &str) -> Hunk {
        let (old, new): (Vec<&str>, Vec<&str>) =
            (old.split('\n').collect(), new.split('\n').collect());
        Hunk { extent: Extent::Text, ..Hunk::of_lines(&old, &new) }
    }

    /// The searched lines.
    pub fn old(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter(|line| line.tag != Tag::Insert).map(|line| line.text.as_str())
    }

    /// The lines that stand there afterwards.
    #[allow(clippy::new_ret_no_self)] // the other half of `old`
    pub fn new(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter(|line| line.tag != Tag::Delete).map(|line| line.text.as_str())
    }

    /// The edit that takes this one back. On which line it begins is not known.
    pub fn reversed(&self) -> Hunk {
        let mut lines: Vec<HunkLine> = Vec::with_capacity(self.lines.len());
        // Those of the run at the end: its deleted lines come before them.
        let mut inserted: Vec<HunkLine> = Vec::new();
        for HunkLine { tag, text } in self.lines.clone() {
            match tag {
                Tag::Keep => {
                    lines.append(&mut inserted);
                    lines.push(HunkLine { tag, text });
                }
                Tag::Delete => inserted.push(HunkLine { tag: Tag::Insert, text }),
                Tag::Insert => lines.push(HunkLine { tag: Tag::Delete, text }),
            }
        }
        lines.append(&mut inserted);
        let hints = Hints { line: None, ..self.hints.clone() };
        let final_newline = self
            .final_newline
            .map(|newline| FinalNewline { before: newline.after, after: newline.before });
        Hunk { lines, hints, final_newline, ..self.clone() }
    }

    /// Whether it leaves everything as it is.
    pub fn changes_nothing(&self) -> bool {
        self.final_newline.is_none_or(|newline| newline.before == newline.after)
            && self.old().eq(self.new())
    }
}
