//! Edits that leave parts of the file out (`...`).

use crate::format::Over;
use crate::hunk::{Count, Extent, Hunk, HunkLine, Tag};
use crate::locate::{Haystack, Located, Lookup, Rung, locate_all};
use crate::text::elision;

/// Whether the whole text of a file has marks of parts that it leaves out.
pub fn leaves_out(text: &str, over: Over) -> bool {
    text.lines().any(|line| {
        elision::is_elision(line) || (over == Over::File && elision::is_bare_ellipsis(line))
    })
}

/// A new line that says that code was left out, and that the file does not have.
pub(super) fn rest_of_code<'h>(hunk: &'h Hunk, shown: &str) -> Option<&'h str> {
    let is_new = |line: &&HunkLine| line.tag == Tag::Insert && elision::is_elision(&line.text);
    let kept = hunk
        .lines
        .iter()
        .filter(|line| line.tag == Tag::Keep && elision::is_elision(&line.text));
    let new = hunk
        .lines
        .iter()
        .find(is_new)
        .or_else(|| kept.clone().next())?;
    (!shown.contains(new.text.trim())).then_some(new.text.as_str())
}

/// Finds an edit whose searched and new text leave out the same parts (`...`), piece by piece, in
/// order. A line that `shown`, the file's text, has is no mark of a left-out part.
pub(super) fn in_pieces(haystack: &Haystack, hunk: &Hunk, shown: &str) -> Option<Located> {
    let is_in_file = |line: &str| shown.lines().any(|other| other.trim() == line.trim());
    let is_marker = |line: &&str| {
        (elision::is_elision(line) || elision::is_bare_ellipsis(line)) && !is_in_file(line)
    };
    let (old, new): (Vec<&str>, Vec<&str>) = (hunk.old().collect(), hunk.new().collect());
    let pieces = |lines: &[&str]| -> Vec<Vec<String>> {
        lines
            .split(is_marker)
            .map(|piece| piece.iter().map(|&line| line.to_owned()).collect())
            .collect()
    };
    let (old, new) = (pieces(&old), pieces(&new));
    if old.len() < 2 || old.len() != new.len() {
        return None;
    }
    let mut hunks: Vec<Hunk> = Vec::new();
    for (old, new) in old
        .iter()
        .zip(&new)
        .filter(|(old, new)| !old.is_empty() || !new.is_empty())
    {
        if old.is_empty() {
            return None; // nothing says where the new lines go
        }
        let (old, new): (Vec<&str>, Vec<&str>) = (
            old.iter().map(String::as_str).collect(),
            new.iter().map(String::as_str).collect(),
        );
        let mut piece = Hunk {
            extent: Extent::Lines,
            count: Count::One,
            ..Hunk::of_lines(&old, &new)
        };
        piece.hints.is_ordered = true;
        hunks.push(piece);
    }
    let findings = locate_all(haystack, &hunks.iter().collect::<Vec<_>>());
    let mut all = Located {
        rung: Rung::Exact,
        replacements: Vec::new(),
        lines: Vec::new(),
    };
    for finding in findings {
        let Ok(Lookup::Here(located)) = finding else {
            return None;
        };
        let is_below = all
            .lines
            .last()
            .zip(located.lines.first())
            .is_none_or(|(last, next)| last.end <= next.start);
        if !is_below {
            return None;
        }
        all.rung = all.rung.max(located.rung);
        all.replacements.extend(located.replacements);
        all.lines.extend(located.lines);
    }
    (!all.replacements.is_empty()).then_some(all)
}
