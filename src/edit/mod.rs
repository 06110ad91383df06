//! From slots to an edit set: pure, from text to text, with no file in sight.
//!
//! `Slots → Edit` finds where the slots' text stands in the file ([`place`]); `Edit → EditSet`
//! makes it whole: the anchor stays, new lines fit the indentation, an emptied line goes with its
//! line feed and with the empty lines that would be too many ([`EditSet::of`]). An edit set is
//! complete before anything is written.

mod indent;

pub(crate) use indent::{Style, opens_block};

use crate::slots::{Insert, NO_PLACE, Position, Replace, Slots};
use crate::text::line_diff;
use crate::text::{EncodeError, Occurrence, Shown, Text, boundaries, place_labels};
use std::ops::Range;

/// An edit with its place found, in offsets of [`Text::shown`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// One range becomes `new`.
    Replace {
        /// Where the old text stands.
        at: Range<usize>,
        /// What stands there instead.
        new: String,
    },
    /// Every occurrence of `old` between boundaries becomes `new`.
    ReplaceAll {
        /// At least one whole token.
        old: String,
        /// What stands there instead.
        new: String,
    },
    /// Lines before or after the line around an offset.
    Insert {
        /// An offset in the anchor line.
        anchor: usize,
        /// On which side of it.
        position: Position,
        /// The lines.
        text: String,
    },
    /// A file that does not exist yet.
    Create {
        /// All of it.
        text: String,
    },
}

/// Why slots are not an edit: a *mechanics* failure. Under our constraint this cannot happen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SlotsError {
    /// The text is not in what was shown.
    #[error("the text to edit is not in the file as it was shown")]
    NotShown,
    /// It stands more than once and no place was named.
    #[error("the text to edit stands in {} places", candidates.len())]
    Ambiguous {
        /// Their names.
        candidates: Vec<String>,
    },
    /// The named place is none of them.
    #[error("there is no place {place:?}")]
    NoSuchPlace {
        /// As the answer has it.
        place: String,
        /// The names there are.
        candidates: Vec<String>,
    },
    /// The line that a block is to end with does not stand behind its beginning.
    #[error(
        "the line that the block to replace should end with does not stand behind its beginning"
    )]
    NoSuchEnd,
    /// It is to be replaced everywhere, and is no word of the file but a part of longer ones.
    #[error("the text to replace everywhere stands only inside of longer words")]
    InsideWords,
}

/// Finds what the slots name in what was shown. `None`: the model chose the place `none`.
pub fn place(slots: &Slots, shown: &Shown) -> Result<Option<Edit>, SlotsError> {
    Ok(Some(match slots {
        Slots::Replace(Replace { old, place, through, new }) => {
            let Some(at) = choose(shown, &shown.occurrences(old), place.as_deref())? else {
                return Ok(None);
            };
            let mut end = Occurrence { offset: at.offset + old.len(), ..at };
            if let Some(through) = through {
                let lines = shown.lines_behind(at, old);
                (_, end) = lines
                    .into_iter()
                    .find(|(line, _)| line == through)
                    .ok_or(SlotsError::NoSuchEnd)?;
            }
            Edit::Replace { at: shown.file_offset(at)..shown.file_offset(end), new: new.clone() }
        }
        Slots::ReplaceAll(slots) => {
            if shown.occurrences(&slots.old).is_empty() {
                return Err(SlotsError::NotShown);
            }
            Edit::ReplaceAll { old: slots.old.clone(), new: slots.new.clone() }
        }
        Slots::Insert(Insert { anchor, place, position, text }) => {
            let lines = shown.anchor_lines();
            let (_, occurrences) =
                lines.iter().find(|(line, _)| line == anchor).ok_or(SlotsError::NotShown)?;
            let Some(at) = choose(shown, occurrences, place.as_deref())? else { return Ok(None) };
            Edit::Insert { anchor: shown.file_offset(at), position: *position, text: text.clone() }
        }
        Slots::Create(slots) => Edit::Create { text: slots.text.clone() },
    }))
}

fn choose(
    shown: &Shown,
    occurrences: &[Occurrence],
    place: Option<&str>,
) -> Result<Option<Occurrence>, SlotsError> {
    match (occurrences, place) {
        ([], _) => Err(SlotsError::NotShown),
        (_, Some(NO_PLACE)) => Ok(None),
        (&[only], None) => Ok(Some(only)),
        (several, place) => {
            let candidates = place_labels(shown, several);
            let Some(place) = place else { return Err(SlotsError::Ambiguous { candidates }) };
            match candidates.iter().position(|label| label == place) {
                Some(i) => Ok(Some(several[i])),
                None => Err(SlotsError::NoSuchPlace { place: place.to_owned(), candidates }),
            }
        }
    }
}

/// The name of the place at an offset of the file, among all that have the same text, as slots name
/// it for [`place`]: none where there is only one. None at all if it is not shown.
pub fn place_name(
    shown: &Shown,
    occurrences: &[Occurrence],
    offset: usize,
) -> Option<Option<String>> {
    let i = occurrences.iter().position(|&at| shown.file_offset(at) == offset)?;
    Some((occurrences.len() > 1).then(|| place_labels(shown, occurrences).swap_remove(i)))
}

/// One range of a file's shown text and what stands there instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// In bytes of [`Text::shown`].
    pub range: Range<usize>,
    /// What stands there instead.
    pub new: String,
}

/// All that is to be done to one file. Invariant: disjoint and sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditSet {
    replacements: Vec<Replacement>,
}

impl EditSet {
    /// Makes an edit whole. `path` decides what may end in blanks (Markdown may).
    ///
    /// # Errors
    /// [`SlotsError::NotShown`] if what is to be replaced everywhere stands nowhere as whole
    /// tokens.
    pub fn of(edit: &Edit, path: &str, text: &Text) -> Result<EditSet, SlotsError> {
        let shown = text.shown();
        let keeps_blanks = keeps_blank_lines(path, shown);
        let replacements = match edit {
            Edit::Replace { at, new } if new.is_empty() => removals(shown, vec![at.clone()], path),
            Edit::Replace { at, new } => vec![replacement(shown, at.clone(), new, keeps_blanks)],
            Edit::ReplaceAll { old, new } => {
                let ranges = whole_token_ranges(shown, old);
                if ranges.is_empty() {
                    return Err(SlotsError::NotShown);
                }
                match new.is_empty() {
                    true => removals(shown, ranges, path),
                    false => ranges
                        .into_iter()
                        .map(|at| replacement(shown, at, new, keeps_blanks))
                        .collect(),
                }
            }
            Edit::Insert { anchor, position, text } => {
                vec![insertion(shown, *anchor, *position, text, keeps_blanks)]
            }
            Edit::Create { text } => {
                let mut new =
                    if keeps_blanks { text.clone() } else { without_blank_lines(text, true, true) };
                if !new.is_empty() && !new.ends_with('\n') {
                    new.push('\n');
                }
                vec![Replacement { range: 0..shown.len(), new }]
            }
        };
        let mut set = EditSet::of_sorted(replacements);
        set.replacements.retain(|r| shown[r.range.clone()] != r.new);
        Ok(set)
    }

    /// A set of replacements that are disjoint and sorted already.
    pub(crate) fn of_sorted(replacements: Vec<Replacement>) -> EditSet {
        let is_sorted = replacements.is_sorted_by(|a, b| a.range.end <= b.range.start);
        debug_assert!(is_sorted, "disjoint and sorted");
        EditSet { replacements }
    }

    /// The replacements, in file order.
    pub fn replacements(&self) -> &[Replacement] {
        &self.replacements
    }

    /// Whether it changes nothing: what is asked for is there already.
    pub fn is_empty(&self) -> bool {
        self.replacements.is_empty()
    }

    /// The file's bytes after the edit.
    pub fn apply(&self, text: &Text) -> Result<Vec<u8>, EncodeError> {
        text.splice(self.replacements.iter().map(|r| (r.range.clone(), r.new.as_str())))
    }
}

/// What makes a file's text into another, line by line: lines that stay keep their bytes.
pub fn rewritten(path: &str, shown: &str, text: &str) -> Vec<Replacement> {
    let text = if keeps_blank_lines(path, shown) {
        text.to_owned()
    } else {
        without_blank_lines(text, true, true)
    };
    let (old, new): (Vec<&str>, Vec<&str>) =
        (shown.split_inclusive('\n').collect(), text.split_inclusive('\n').collect());
    let mut replacements = Vec::new();
    let (mut at, mut line) = (0, 0);
    for op in line_diff::diff(&old, &new) {
        let (tag, from, to) = op.as_tag_tuple();
        at += old[line..from.start].iter().map(|line| line.len()).sum::<usize>();
        let end = at + old[from.clone()].iter().map(|line| line.len()).sum::<usize>();
        if tag != similar::DiffTag::Equal {
            replacements.push(Replacement { range: at..end, new: new[to].concat() });
        }
        (at, line) = (end, from.end);
    }
    replacements
}

/// From left to right, none overlapping the one before. `old` must not be empty.
pub(crate) fn whole_token_ranges(shown: &str, old: &str) -> Vec<Range<usize>> {
    let boundaries = boundaries(shown);
    let mut ranges = Vec::new();
    let mut from = 0;
    while let Some(start) = shown[from..].find(old).map(|i| i + from) {
        let end = start + old.len();
        if boundaries.contains(start) && boundaries.contains(end) {
            ranges.push(start..end);
            from = end;
        } else {
            from = start + shown[start..].chars().next().map_or(1, char::len_utf8);
        }
    }
    ranges
}

fn replacement(shown: &str, at: Range<usize>, new: &str, keeps_blanks: bool) -> Replacement {
    let starts_line = at.start == 0 || shown.as_bytes()[at.start - 1] == b'\n';
    let ends_line = shown.as_bytes().get(at.end).is_none_or(|&b| b == b'\n');
    let new = if keeps_blanks {
        new.to_owned()
    } else {
        without_blank_lines(new, starts_line, ends_line)
    };
    Replacement { range: at, new }
}

/// The removal of some stretches, disjoint and sorted.
fn removals(shown: &str, ranges: Vec<Range<usize>>, path: &str) -> Vec<Replacement> {
    let mut removed: Vec<Range<usize>> = Vec::new();
    for at in ranges {
        let mut next = emptied(shown, at);
        // Two emptied lines at the end of a file share the line feed between them.
        next.start = next.start.max(removed.last().map_or(0, |last| last.end));
        removed.push(next);
    }
    if !is_literal(path) {
        removed = with_empty_lines(shown, removed);
    }
    removed.into_iter().map(|range| Replacement { range, new: String::new() }).collect()
}

/// What is removed with a text that is removed: where nothing but blanks would be left of its
/// lines, the rest of them with a line feed. A person who deletes a line leaves no empty one.
fn emptied(shown: &str, at: Range<usize>) -> Range<usize> {
    let line_start = shown[..at.start].rfind('\n').map_or(0, |i| i + 1);
    if !shown[line_start..at.start].trim().is_empty() {
        return at;
    }
    if shown[..at.end].ends_with('\n') {
        return line_start..at.end; // its line feed is in the text already, its indentation may not be
    }
    let line_end = shown[at.end..].find('\n').map_or(shown.len(), |i| at.end + i);
    if !shown[at.end..line_end].trim().is_empty() {
        return at;
    }
    match line_end < shown.len() {
        true => line_start..line_end + 1,
        false => line_start.saturating_sub(1)..line_end,
    }
}

/// Where whole lines go between empty ones, the empty lines that would be too many go with them: of
/// those above, between and below, most in a row stay, and none at the top and at the end of a
/// file.
fn with_empty_lines(shown: &str, removed: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let is_empty = |line: &&str| line.trim().is_empty();
    let length = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
    let starts_line = |at: usize| at == 0 || shown[..at].ends_with('\n');
    // A last line without a line feed was removed with the one before it.
    let ends_open = !shown.ends_with('\n');
    let lines_of = |range: &Range<usize>| match ends_open
        && range.end == shown.len()
        && shown[range.clone()].starts_with('\n')
    {
        true => range.start + 1..range.end,
        false => range.clone(),
    };
    let is_whole = |range: &Range<usize>| {
        let lines = lines_of(range);
        !lines.is_empty()
            && starts_line(lines.start)
            && (lines.end == shown.len() || shown[..lines.end].ends_with('\n'))
    };
    let mut tidied = Vec::new();
    let together = |a: &Range<usize>, b: &Range<usize>| {
        is_whole(a) && is_whole(b) && shown[a.end..lines_of(b).start].trim().is_empty()
    };
    for group in removed.chunk_by(together) {
        let (first, last) = (&group[0], &group[group.len() - 1]);
        if !is_whole(first) {
            tidied.extend(group.iter().cloned());
            continue;
        }
        let above: Vec<&str> = shown[..lines_of(first).start]
            .split_inclusive('\n')
            .rev()
            .take_while(is_empty)
            .collect();
        let below: Vec<&str> =
            shown[last.end..].split_inclusive('\n').take_while(is_empty).collect();
        let top = lines_of(first).start - length(&above);
        let end = last.end + length(&below);
        // What stays is between two of these.
        let starts = [top].into_iter().chain(group.iter().map(|range| range.end));
        let ends = group.iter().map(|range| lines_of(range).start).chain([end]);
        let stretches: Vec<Range<usize>> =
            starts.zip(ends).map(|(start, end)| start..end).collect();
        let n_lines = |stretch: &Range<usize>| shown[stretch.clone()].split_inclusive('\n').count();
        let most = stretches.iter().map(n_lines).max().unwrap_or(0);
        let stays = stretches.iter().find(|stretch| n_lines(stretch) == most);
        let stays = stays.filter(|_| top > 0 && end < shown.len());
        let goes = |stretch: &Range<usize>| stays.is_none_or(|stays| stays != stretch);
        // Each removal stays one: the stretches that go are added to the one before them, the first
        // to the one behind.
        let from = tidied.len();
        for (removal, behind) in group.iter().zip(&stretches[1..]) {
            tidied
                .push(lines_of(removal).start..if goes(behind) { behind.end } else { removal.end });
        }
        if goes(&stretches[0]) {
            // Without a line feed at the end the line before keeps none, as the file had none.
            tidied[from].start =
                if ends_open && end == shown.len() { top.saturating_sub(1) } else { top };
        }
    }
    // Parts of lines that are removed may lie in what goes with a line beside them.
    let mut removed_to = 0;
    for range in &mut tidied {
        range.start = range.start.max(removed_to);
        range.end = range.end.max(range.start);
        removed_to = range.end;
    }
    tidied
}

fn insertion(
    shown: &str,
    anchor: usize,
    position: Position,
    text: &str,
    keeps_blanks: bool,
) -> Replacement {
    let line_start = shown[..anchor].rfind('\n').map_or(0, |i| i + 1);
    let line_end = shown[anchor..].find('\n').map_or(shown.len(), |i| anchor + i);
    let lines = text.strip_suffix('\n').unwrap_or(text);
    let fitted = indent::fit(lines, shown, line_start..line_end, position);
    let mut new = if keeps_blanks { fitted } else { without_blank_lines(&fitted, true, true) };
    let at = match position {
        _ if shown.is_empty() => 0,
        Position::Before => line_start,
        Position::After if line_end < shown.len() => line_end + 1,
        Position::After => {
            new.insert(0, '\n'); // the file has no final newline, and keeps having none
            return Replacement { range: line_end..line_end, new };
        }
    };
    new.push('\n');
    Replacement { range: at..at, new }
}

/// Markdown ends lines in blanks for a reason, diffs and snapshots are what they are, and a file
/// that has such lines keeps its habit.
pub(crate) fn keeps_blank_lines(path: &str, shown: &str) -> bool {
    let is_markdown = ["md", "markdown", "mdx"].contains(&extension(path).as_str());
    is_markdown
        || is_literal(path)
        || shown.split('\n').any(|line| !line.is_empty() && line.trim().is_empty())
}

/// Diffs and snapshots are what they are, empty lines too.
fn is_literal(path: &str) -> bool {
    ["diff", "patch", "snap"].contains(&extension(path).as_str())
}

fn extension(path: &str) -> String {
    path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase()
}

/// Lines of nothing but blanks become empty, as editors make them on saving. The first and the last
/// line only where they are whole lines of the file.
pub(crate) fn without_blank_lines(new: &str, starts_line: bool, ends_line: bool) -> String {
    let n_lines = new.split('\n').count();
    let whole = |i: usize| (i > 0 || starts_line) && (i + 1 < n_lines || ends_line);
    let tidy = |(i, line): (usize, &str)| {
        if whole(i) && line.trim().is_empty() { String::new() } else { line.to_owned() }
    };
    new.split('\n').enumerate().map(tidy).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slots::{Operation, ReplaceAll};
    use proptest::prelude::*;

    /// Applies an answer to a file and compares the file after it.
    fn check(operation: Operation, before: &str, answer: &str, after: &str) {
        check_in("a.rs", operation, before, answer, after);
    }

    fn check_in(path: &str, operation: Operation, before: &str, answer: &str, after: &str) {
        let text = Text::decode(before.into()).unwrap();
        let slots = Slots::parse(operation, answer).unwrap();
        let edit = place(&slots, &Shown::whole(text.shown())).unwrap().expect("a place");
        let patched = EditSet::of(&edit, path, &text).unwrap().apply(&text).unwrap();
        assert_eq!(String::from_utf8(patched).unwrap(), after);
    }

    #[test]
    fn replacing_one_place() {
        use Operation::Replace;
        check(Replace, "a = 1\nb = 1\n", r#"{"old":"a = 1","new":"a = 2"}"#, "a = 2\nb = 1\n");
        check(
            Replace,
            "a = 1\nb = 1\n",
            r#"{"old":"1","place":"line 2","new":"2"}"#,
            "a = 1\nb = 2\n",
        );
        check(Replace, "x\n  y\n", r#"{"old":"y","new":"y\n  \n  z"}"#, "x\n  y\n\n  z\n");
        check(Replace, "x\n  \n", r#"{"old":"x","new":"y\n  \nz"}"#, "y\n  \nz\n  \n");
        check_in("a.md", Replace, "x\n", r#"{"old":"x","new":"y\n  \nz"}"#, "y\n  \nz\n");
    }

    #[test]
    fn a_deleted_line_leaves_no_empty_one() {
        use Operation::Replace;
        check(Replace, "a\n  b\nc\n", r#"{"old":"  b\n","new":""}"#, "a\nc\n");
        check(Replace, "a\n  b\n  c\n", r#"{"old":"b\n","new":""}"#, "a\n  c\n");
        check(Replace, "a\n  b\n  c\n", r#"{"old":"b","new":""}"#, "a\n  c\n");
        check(Replace, "a\nb", r#"{"old":"b","new":""}"#, "a");
        check(Replace, "a\nb\n", r#"{"old":"b","new":""}"#, "a\n");
        check(Replace, "a b\n", r#"{"old":"b","new":""}"#, "a \n");
    }

    #[test]
    fn a_block_is_named_by_its_beginning_and_its_last_line() {
        use Operation::Replace;
        let file = "fn a() {\n    x();\n}\n\nfn b() {\n    y();\n}\n";
        check(
            Replace,
            file,
            r#"{"old":"fn b() {","through":"}","new":""}"#,
            "fn a() {\n    x();\n}\n",
        );
        check(
            Replace,
            file,
            r#"{"old":"fn a() {","through":"}","new":""}"#,
            "fn b() {\n    y();\n}\n",
        );
        check(
            Replace,
            file,
            r#"{"old":"x()","through":"fn b() {","new":"z();"}"#,
            "fn a() {\n    z();\n    y();\n}\n",
        );
        // What is behind a place, and what is none of the beginning's own lines.
        let twice = "if a {\n    x();\n    y();\n}\nif a {\n    z();\n}\n";
        let second = r#"{"old":"if a {","place":"line 5","through":"}","new":"w();"}"#;
        check(Replace, twice, second, "if a {\n    x();\n    y();\n}\nw();\n");
        // Of several equal lines the nearest.
        let text = Text::decode(file.into()).unwrap();
        let shown = Shown::whole(text.shown());
        let slots = |answer: &str| Slots::parse(Replace, answer).unwrap();
        let at = |answer: &str| place(&slots(answer), &shown);
        let block = Edit::Replace { at: 0..file.find("\n\n").unwrap(), new: String::new() };
        assert_eq!(at(r#"{"old":"fn a","through":"}","new":""}"#), Ok(Some(block)));
        assert_eq!(
            at(r#"{"old":"fn b","through":"    x();","new":""}"#),
            Err(SlotsError::NoSuchEnd)
        );
        assert_eq!(
            at(r#"{"old":"fn a() {\n    x();\n}","through":"}","new":""}"#),
            Err(SlotsError::NoSuchEnd)
        );
        assert_eq!(
            at(r#"{"old":"fn a() {\n    x();\n}\n","through":"}","new":""}"#),
            Err(SlotsError::NoSuchEnd)
        );
        // What is left out of a long file is in no block.
        let far = format!("fn c() {{\n{}\n}}\n", "    line();\n".repeat(200));
        let outline = crate::text::Outline::of(&far);
        let blocks = crate::text::blocks(&far, &outline, crate::text::BlockSize::SMALL);
        let mut first = Shown::of_blocks(&far, &outline, blocks[..1].to_vec());
        assert_eq!(
            place(&slots(r#"{"old":"fn c() {","through":"}","new":""}"#), &first),
            Err(SlotsError::NoSuchEnd)
        );
        first.windows.push(shown.windows[0].clone());
        assert_eq!(
            place(&slots(r#"{"old":"fn c() {","through":"}","new":""}"#), &first),
            Err(SlotsError::NoSuchEnd)
        );
    }

    #[test]
    fn what_is_removed_leaves_no_empty_lines_doubled() {
        use Operation::Replace;
        check(Replace, "a\n\nb\n\nc\n", r#"{"old":"b","new":""}"#, "a\n\nc\n");
        check(Replace, "a\n\n\nb\n\nc\n", r#"{"old":"b","new":""}"#, "a\n\n\nc\n");
        check(Replace, "a\n\nb\n  \n\nc\n", r#"{"old":"b","new":""}"#, "a\n  \n\nc\n");
        check(Replace, "a\nb\n\nc\n", r#"{"old":"b","new":""}"#, "a\n\nc\n");
        check(Replace, "a\n\nb\nc\n", r#"{"old":"b","new":""}"#, "a\n\nc\n");
        check(Replace, "b\n\nc\n", r#"{"old":"b","new":""}"#, "c\n");
        check(Replace, "\nb\n\nc\n", r#"{"old":"b","new":""}"#, "c\n");
        check(Replace, "a\n\nb\n", r#"{"old":"b","new":""}"#, "a\n");
        check(Replace, "a\n\nb\n\n\n", r#"{"old":"b","new":""}"#, "a\n");
        check(Replace, "a\n\nb", r#"{"old":"b","new":""}"#, "a");
        check(Replace, "b\n", r#"{"old":"b","new":""}"#, "");
        check(Replace, "a\n\n\nb", r#"{"old":"b","new":""}"#, "a");
        check(Replace, "a\nb\n\n\n", r#"{"old":"b","new":""}"#, "a\n");
        check(Replace, "a\nb\n  ", r#"{"old":"b","new":""}"#, "a");
        let all = |before: &str, after: &str| {
            check(Operation::ReplaceAll, before, r#"{"old":"x","new":""}"#, after)
        };
        all("a\n\nx\nx\n\nb\n", "a\n\nb\n");
        all("a\n\nx\n\nx\n", "a\n");
        all("a\n\nx\n\n\nx\n\nb\n", "a\n\n\nb\n");
        all("x\n\nx y\n\nx\n\nb\n", " y\n\nb\n");
        all("x\n", "");
        check_in("a.diff", Replace, " \n-b\n \n c\n", r#"{"old":"-b","new":""}"#, " \n \n c\n");
        check_in("a.md", Replace, "a\n\nb\n\nc\n", r#"{"old":"b","new":""}"#, "a\n\nc\n");
        check(Replace, "a\n\nb x\n\nc\n", r#"{"old":"b ","new":""}"#, "a\n\nx\n\nc\n");
    }

    #[test]
    fn replacing_everywhere_is_by_whole_tokens() {
        use Operation::ReplaceAll;
        check(
            ReplaceAll,
            "foo(foobar, foo)\nfoo_x foo",
            r#"{"old":"foo","new":"bar"}"#,
            "bar(foobar, bar)\nfoo_x bar",
        );
        check(ReplaceAll, "==== x", r#"{"old":"==","new":"!"}"#, "!! x");
        check(ReplaceAll, "a\nb\nb", r#"{"old":"b","new":""}"#, "a");
    }

    #[test]
    fn inserting_keeps_the_anchor() {
        use Operation::Insert;
        check(Insert, "a\nb\n", r#"{"anchor":"b","position":"before","text":"x"}"#, "a\nx\nb\n");
        check(Insert, "a\nb\n", r#"{"anchor":"b","position":"after","text":"x\n"}"#, "a\nb\nx\n");
        check(Insert, "a\nb", r#"{"anchor":"b","position":"after","text":"x"}"#, "a\nb\nx");
        check(Insert, "", r#"{"anchor":"","position":"after","text":"x"}"#, "x\n");
        check(Insert, "\n", r#"{"anchor":"","position":"before","text":"x"}"#, "x\n\n");
        check(Insert, "a\nb\n", r#"{"anchor":"a","position":"after","text":""}"#, "a\n\nb\n");
    }

    #[test]
    fn creating_ends_with_a_line_feed() {
        check(
            Operation::Create,
            "",
            r#"{"path":"b.rs","text":"fn b() {\n  \n}"}"#,
            "fn b() {\n\n}\n",
        );
    }

    #[test]
    fn what_changes_nothing_is_an_empty_set() {
        let text = Text::decode(b"a = 1\n".to_vec()).unwrap();
        let edit = Edit::ReplaceAll { old: "a".to_owned(), new: "a".to_owned() };
        assert!(EditSet::of(&edit, "a.rs", &text).unwrap().is_empty());
        let nowhere = Edit::ReplaceAll { old: "b".to_owned(), new: "c".to_owned() };
        assert_eq!(EditSet::of(&nowhere, "a.rs", &text), Err(SlotsError::NotShown));
    }

    #[test]
    fn answers_of_others_are_refused_not_guessed() {
        let shown = Shown::whole("a = 1\nb = 1\n");
        let replace = |old: &str, place: Option<&str>| {
            super::place(
                &Slots::Replace(Replace {
                    old: old.to_owned(),
                    place: place.map(str::to_owned),
                    through: None,
                    new: String::new(),
                }),
                &shown,
            )
        };
        let candidates = || vec!["line 1".to_owned(), "line 2".to_owned()];
        assert_eq!(replace("c", None), Err(SlotsError::NotShown));
        assert_eq!(replace("1", None), Err(SlotsError::Ambiguous { candidates: candidates() }));
        assert_eq!(
            replace("1", Some("line 9")),
            Err(SlotsError::NoSuchPlace { place: "line 9".to_owned(), candidates: candidates() })
        );
        assert_eq!(replace("1", Some("none")), Ok(None));
        let all = Slots::ReplaceAll(ReplaceAll { old: "c".to_owned(), new: String::new() });
        assert_eq!(place(&all, &shown), Err(SlotsError::NotShown));
    }

    proptest! {
        #[test]
        fn an_edit_touches_no_byte_outside_its_ranges(before in "([ab_ \u{e9}]|\r\n|\n){1,40}", old in "[ab_ \n]{1,3}", new in "[ab \n]{0,5}") {
            let text = Text::decode(before.into_bytes()).unwrap();
            let Ok(set) = EditSet::of(&Edit::ReplaceAll { old, new }, "a.md", &text) else { return Ok(()) };
            // Taking the replacements back, first to last, gives the shown text again.
            let mut restored = Text::decode(set.apply(&text).unwrap()).unwrap().shown().to_owned();
            for r in set.replacements() {
                let at = r.range.start..r.range.start + r.new.len();
                prop_assert_eq!(&restored[at.clone()], r.new.as_str());
                restored.replace_range(at, &text.shown()[r.range.clone()]);
            }
            prop_assert_eq!(restored, text.shown());
        }
    }
}
