//! Completes a whole file with parts left out (`... existing code ...`): finds the part of the file
//! that each marker replaces.

use super::fold::{Fold, folded_line, indentation};
use crate::text::elision::{is_bare_ellipsis, is_elision};
use std::collections::BTreeMap;
use std::ops::Range;

/// Why the part that a marker replaces is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SketchError {
    /// The text next to a marker is not in the file.
    #[error("it leaves out a part of the file beside {line:?}, which the file does not have there")]
    NotThere {
        /// The line beside the marker.
        line: String,
    },
    /// The text next to a marker occurs more than once.
    #[error("it leaves out a part of the file beside {line:?}, which the file has more than once")]
    Ambiguous {
        /// The line beside the marker.
        line: String,
    },
    /// The draft has only markers.
    #[error("it leaves out all of the file")]
    Empty,
}

/// The complete text: each marker becomes the file's lines between the draft's lines around it.
///
/// The lines beside a marker must occur in the file, once, and in the order of the draft. The line
/// before a marker ends a part that the draft rewrites, and the line after it begins one.
///
/// # Errors
/// The first part whose place is not known.
pub fn completed(file: &str, draft: &str) -> Result<String, SketchError> {
    Sketch::of(file, draft)?.completed(&BTreeMap::new()).map_err(|unplaced| unplaced.error)
}

/// A file, and a draft of it that leaves parts out.
#[derive(Clone, Debug)]
pub struct Sketch<'a> {
    /// The file's lines, with their ends.
    lines: Vec<&'a str>,
    /// The same as they are compared.
    plain: Vec<String>,
    /// What stands between the markers.
    pieces: Vec<Piece<'a>>,
    /// Whether the draft ends with a marker.
    ends_open: bool,
}

/// What stands between two markers.
#[derive(Clone, Debug)]
struct Piece<'a> {
    /// Its lines without blank ones at its ends. There may be none.
    lines: Vec<&'a str>,
    /// Whether there are blank lines above and below.
    has_blank: [bool; 2],
}

/// A piece of a draft whose place in the file is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unplaced {
    /// Which piece, counted from 0.
    pub piece: usize,
    /// Its lines.
    pub text: String,
    /// The lines of the file, counted from 0, among which its place is: those between the pieces
    /// around it.
    pub within: Range<usize>,
    /// What is not known.
    pub error: SketchError,
}

impl<'a> Sketch<'a> {
    /// # Errors
    /// [`SketchError::Empty`]
    pub fn of(file: &'a str, draft: &'a str) -> Result<Sketch<'a>, SketchError> {
        let lines: Vec<&str> = file.split_inclusive('\n').collect();
        let draft: Vec<&str> = draft.split_inclusive('\n').collect();
        let pieces: Vec<Piece> = draft.split(|line| is_marker(line)).map(Piece::of).collect();
        if pieces.iter().all(|piece| piece.lines.is_empty()) {
            return Err(SketchError::Empty);
        }
        let plain = lines.iter().map(|line| plain(line)).collect();
        let ends_open = draft.last().is_some_and(|line| is_marker(line));
        Ok(Sketch { lines, plain, pieces, ends_open })
    }

    /// The complete text. `given`: the lines of the file, counted from 0, that some pieces replace;
    /// the places of the others are found.
    ///
    /// # Errors
    /// The first piece whose place is not known.
    pub fn completed(&self, given: &BTreeMap<usize, Range<usize>>) -> Result<String, Unplaced> {
        let mut out = String::new();
        let mut copied_to = 0; // lines of the file that are in `out`, or are replaced by what is
        for (i, piece) in self.pieces.iter().enumerate() {
            if piece.lines.is_empty() {
                continue;
            }
            let Range { start, end } = self.lines_of(i, copied_to, given)?;
            out.extend(self.lines[copied_to..start].iter().copied());
            // New lines between others keep the blank lines around them that the file lacks there.
            let [above, below] = if start == end { piece.has_blank } else { [false; 2] };
            let is_text = |at: Option<usize>| {
                at.and_then(|at| self.lines.get(at)).is_some_and(|line| !line.trim().is_empty())
            };
            if above && is_text(start.checked_sub(1)) {
                out.push('\n');
            }
            out.extend(piece.lines.iter().copied());
            // A last line without its end may be followed by others.
            if !out.ends_with('\n') && end < self.lines.len() {
                out.push('\n');
            }
            if below && is_text(Some(end)) {
                out.push('\n');
            }
            copied_to = end;
        }
        if self.ends_open || copied_to < self.lines.len() {
            if !out.ends_with('\n') && !out.is_empty() {
                out.push('\n');
            }
            out.extend(self.lines[copied_to..].iter().copied());
        }
        Ok(out)
    }

    /// The lines that a piece replaces, if those before `from` have been replaced.
    fn lines_of(
        &self,
        i: usize,
        from: usize,
        given: &BTreeMap<usize, Range<usize>>,
    ) -> Result<Range<usize>, Unplaced> {
        let piece = &self.pieces[i].lines;
        let (first, last) = (piece[0], piece[piece.len() - 1]);
        let (is_first, is_last) = (i == 0, i + 1 == self.pieces.len());
        let unplaced = |start: usize, error: SketchError| Unplaced {
            piece: i,
            text: piece.concat(),
            within: start..self.next_known(i, start, given),
            error,
        };
        let given = given.get(&i).map(|lines| lines.start.max(from)..lines.end.max(from));
        // The first piece begins at the start of the file, and the last one ends at its end.
        let start = match &given {
            _ if is_first => 0,
            Some(lines) => lines.start,
            None => self.find(first, from).map_err(|error| unplaced(from, error))?,
        };
        let end = match given {
            _ if is_last => self.lines.len(),
            Some(lines) => lines.end,
            None if piece.len() == 1 && !is_first => start + 1,
            None => match block_end(&self.lines, start, first, last) {
                Some(end) => end + 1,
                None => self.find(last, start).map_err(|error| unplaced(start, error))? + 1,
            },
        };
        Ok(start..end)
    }

    /// The only line from `from` on that is as `line`.
    fn find(&self, line: &str, from: usize) -> Result<usize, SketchError> {
        let wanted = plain(line);
        let mut found = (from..self.plain.len()).filter(|&i| self.plain[i] == wanted);
        let line = || line.trim().to_owned();
        match (found.next(), found.next()) {
            (Some(at), None) => Ok(at),
            (None, _) => Err(SketchError::NotThere { line: line() }),
            _ => Err(SketchError::Ambiguous { line: line() }),
        }
    }

    /// Where the next piece after this one begins whose place is known; else the end of the file.
    fn next_known(&self, i: usize, from: usize, given: &BTreeMap<usize, Range<usize>>) -> usize {
        let start = |(j, piece): (usize, &Piece)| match given.get(&j) {
            Some(lines) => Some(lines.start.max(from)),
            None => self.find(piece.lines.first()?, from).ok(),
        };
        self.pieces.iter().enumerate().skip(i + 1).find_map(start).unwrap_or(self.lines.len())
    }
}

/// Whether a line stands for a part that is left out.
pub fn is_marker(line: &str) -> bool {
    is_elision(line) || is_bare_ellipsis(line)
}

/// A line as it is compared.
fn plain(line: &str) -> String {
    folded_line(Fold::Whitespace, line.trim_end_matches('\n')).into_owned()
}

/// The end of the block that a line opens, if the draft's piece is such a block. It is the first
/// line that equals the piece's last one at the depth of the opening line, with nothing shallower
/// between.
fn block_end(lines: &[&str], start: usize, first: &str, last: &str) -> Option<usize> {
    let closes = last.trim_start().starts_with(['}', ')', ']']) || last.trim() == "end";
    if !closes || indentation(first) != indentation(last) {
        return None;
    }
    let depth = indentation(lines.get(start)?).len();
    let is_there = |line: &str| !line.trim().is_empty() && indentation(line).len() <= depth;
    let end = start + 1 + lines[start + 1..].iter().position(|line| is_there(line))?;
    (lines[end].trim() == last.trim() && indentation(lines[end]).len() == depth).then_some(end)
}

impl<'a> Piece<'a> {
    /// Blank lines around a marker belong to the left-out part.
    fn of(lines: &[&'a str]) -> Piece<'a> {
        let is_text = |line: &&str| !line.trim().is_empty();
        let first = lines.iter().position(is_text).unwrap_or(lines.len());
        let end = lines.iter().rposition(is_text).map_or(first, |last| last + 1);
        let has_blank = [first > 0, end < lines.len()];
        Piece { lines: lines[first..end].to_vec(), has_blank }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(draft: &str, expected: Result<&str, &str>) {
        let file = "import a\n\nfn f() {\n    1\n}\n\nfn g() {\n    2\n}\n";
        let completed = completed(file, draft).map_err(|error| error.to_string());
        match expected {
            Ok(text) => assert_eq!(completed.as_deref(), Ok(text), "{draft}"),
            Err(part) => assert!(
                completed.as_ref().is_err_and(|error| error.contains(part)),
                "{completed:?}"
            ),
        }
    }

    #[test]
    fn markers_become_what_they_stand_for() {
        check("import a\nimport b\n\n// ... existing code ...\n", Err("import b"));
        check(
            "import a\n// ... existing code ...\nfn g() {\n    3\n}\n",
            Ok("import a\n\nfn f() {\n    1\n}\n\nfn g() {\n    3\n}\n"),
        );
        check(
            "// ... existing code ...\n\nfn g() {\n    3\n}\n",
            Ok("import a\n\nfn f() {\n    1\n}\n\nfn g() {\n    3\n}\n"),
        );
        check(
            "import b\nimport a\n// ... existing code ...\n",
            Ok("import b\nimport a\n\nfn f() {\n    1\n}\n\nfn g() {\n    2\n}\n"),
        );
        check(
            "// ... existing code ...\nfn f() {\n    4\n}\n// ... rest of the file ...\n",
            Ok("import a\n\nfn f() {\n    4\n}\n\nfn g() {\n    2\n}\n"),
        );
        check("// ... existing code ...\nfn h() {\n}\n", Err("fn h"));
        check("// ... existing code ...\n", Err("all of the file"));
        check(
            "// ... existing code ...\n    3\n}\n// ... existing code ...\n",
            Err("does not have"),
        );
    }

    #[test]
    fn a_piece_goes_where_somebody_says() {
        let file = "import a\n\nfn f() {\n    1\n}\n\nfn g() {\n    2\n}\n";
        let draft = "// ... existing code ...\n\nfn h() {\n    3\n}\n\n// ... existing code ...\n\
                     fn g() {\n    4\n}\n";
        let sketch = Sketch::of(file, draft).unwrap();
        let unplaced = sketch.completed(&BTreeMap::new()).unwrap_err();
        assert_eq!((unplaced.piece, unplaced.within), (1, 0..6), "the next piece is at line 6");
        assert_eq!(unplaced.text, "fn h() {\n    3\n}\n");
        let given = |lines| sketch.completed(&BTreeMap::from([(1, lines)])).unwrap();
        assert_eq!(
            given(2..5),
            "import a\n\nfn h() {\n    3\n}\n\nfn g() {\n    4\n}\n",
            "it replaces f"
        );
        assert_eq!(
            given(2..2),
            "import a\n\nfn h() {\n    3\n}\n\nfn f() {\n    1\n}\n\nfn g() {\n    4\n}\n",
            "it goes before f, with the blank line below it"
        );
    }
}
