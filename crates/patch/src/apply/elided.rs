//! Edits that leave parts of the file out (`...`).

use crate::format::Over;
use crate::hunk::{Count, Extent, Hunk, Tag};
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
    let mut kept = None;
    let mut inserted = None;
    for line in hunk
        .lines
        .iter()
        .filter(|line| elision::is_elision(&line.text))
    {
        match line.tag {
            Tag::Insert => inserted = inserted.or(Some(line.text.as_str())),
            Tag::Keep => kept = kept.or(Some(line.text.as_str())),
            Tag::Delete => {}
        }
    }
    inserted
        .or(kept)
        .filter(|line| !shown.contains(line.trim()))
}

/// Finds an edit whose searched and new text leave out the same parts (`...`), piece by piece, in
/// order. A line that `shown`, the file's text, has is no mark of a left-out part.
pub(super) fn in_pieces(haystack: &Haystack, hunk: &Hunk, shown: &str) -> Option<Located> {
    let old: Vec<&str> = hunk.old().collect();
    let new: Vec<&str> = hunk.new().collect();
    let old: Vec<&[&str]> = old.split(|line| is_marker(line, shown)).collect();
    let new: Vec<&[&str]> = new.split(|line| is_marker(line, shown)).collect();
    if old.len() < 2 || old.len() != new.len() {
        return None;
    }

    let mut hunks: Vec<Hunk> = Vec::new();
    for (old, new) in old.into_iter().zip(new) {
        if old.is_empty() && new.is_empty() {
            continue;
        }
        if old.is_empty() {
            return None; // nothing says where the new lines go
        }
        let mut piece = Hunk {
            extent: Extent::Lines,
            count: Count::One,
            ..Hunk::of_lines(old, new)
        };
        piece.hints.is_ordered = true;
        hunks.push(piece);
    }

    let mut all = Located {
        rung: Rung::Exact,
        replacements: Vec::new(),
        lines: Vec::new(),
    };
    for finding in locate_all(haystack, &hunks.iter().collect::<Vec<_>>()) {
        let Ok(Lookup::Here(located)) = finding else {
            return None;
        };
        if let (Some(last), Some(next)) = (all.lines.last(), located.lines.first())
            && last.end > next.start
        {
            return None;
        }
        all.rung = all.rung.max(located.rung);
        all.replacements.extend(located.replacements);
        all.lines.extend(located.lines);
    }
    (!all.replacements.is_empty()).then_some(all)
}

/// Whether a line marks a part that is left out.
fn is_marker(line: &str, shown: &str) -> bool {
    (elision::is_elision(line) || elision::is_bare_ellipsis(line))
        && !shown.lines().any(|other| other.trim() == line.trim())
}
