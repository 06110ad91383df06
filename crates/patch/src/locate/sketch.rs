//! Completes a whole file with parts left out (`... existing code ...`): finds the part of the file
//! that each marker replaces.

use super::alike::{self, Known, Line, Places};
use super::fold::{Fold, folded_line, indentation};
use crate::text::elision::{is_bare_ellipsis, is_elision};
use crate::text::{defined_name, line_diff};
use similar::DiffOp;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

/// Why the part that a marker replaces is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SketchError {
    /// The text next to a marker is not in the file.
    #[error("beside a marker is {line:?}, which is not in the file below the part before")]
    NotThere {
        /// The line beside the marker.
        line: String,
    },
    /// The text next to a marker occurs more than once.
    #[error("beside a marker is {line:?}, which is in the file more than once")]
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
/// The lines beside a marker must occur in the file, in the order of the draft. The line before a
/// marker ends a part that the draft rewrites, and the line after it begins one. If one of them occurs
/// several times, the part replaces the lines that it is a version of, if that is clear: see
/// [`Completed::by_likeness`].
///
/// # Errors
/// The first part whose place is not known.
pub fn completed(file: &str, draft: &str) -> Result<Completed, SketchError> {
    Sketch::of(file, draft)?
        .completed(&BTreeMap::new())
        .map_err(|unplaced| unplaced.error)
}

/// A file, and a draft of it that leaves parts out.
#[derive(Clone, Debug)]
pub struct Sketch<'a> {
    /// The file's lines, with their ends.
    lines: Vec<&'a str>,
    /// Where the file has each of its different lines, as they are compared.
    positions: Vec<Vec<usize>>,
    /// The lines as they are aligned; made when the first piece needs it.
    aligned: OnceCell<Vec<Line>>,
    /// The lines that pieces are versions of, and how many steps may still be spent on that.
    alike: RefCell<Alike>,
    /// What stands between the markers.
    pieces: Vec<Piece<'a>>,
    /// The names that the pieces define; made when one of them replaces lines.
    defined: OnceCell<HashSet<&'a str>>,
    /// Whether the draft ends with a marker.
    ends_open: bool,
}

/// The results of alignments, by piece and by the lines that were offered.
#[derive(Clone, Debug, Default)]
struct Alike {
    places: HashMap<(usize, Range<usize>), Places>,
    n_steps: usize,
}

/// More steps would take a second.
const MAX_STEPS: usize = 1 << 26;

/// Fewer lines that a piece removes are seen at a glance, unless a definition goes with them.
const MIN_REMOVED: usize = 5;

/// What stands between two markers.
#[derive(Clone, Debug)]
struct Piece<'a> {
    /// Its lines without blank ones at its ends. There may be none.
    lines: Vec<&'a str>,
    /// How many blank lines there are above and below.
    n_blank: [usize; 2],
    /// Which of the file's different lines its first and its last line are.
    ends: [Option<usize>; 2],
}

/// A complete text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completed {
    /// The text.
    pub text: String,
    /// By piece: the lines of the file, counted from 0, that it replaces. If there are none, it goes
    /// before the first.
    pub places: BTreeMap<usize, Range<usize>>,
    /// The pieces that changed the lines that they are a version of.
    pub by_likeness: Vec<Guess>,
    /// Lines of the file, counted from 0, that a piece removes: five or more in a row that are not
    /// blank, without new ones in their place; or two or more with a definition that the draft
    /// lacks. A marker may be missing.
    pub removed: Vec<Range<usize>>,
}

/// A piece of a draft, and the lines of the file that it is a version of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guess {
    /// The piece's first line.
    pub line: String,
    /// The lines that it replaces, counted from 0.
    pub lines: Range<usize>,
    /// The names of the definitions in them that the draft lacks.
    pub removes: Vec<String>,
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
    /// Whether its place begins with the first of them.
    pub is_start_known: bool,
    /// Those of these lines that it may be a version of, best first, at most four. They do not
    /// overlap.
    pub alike: Vec<Range<usize>>,
    /// What is not known.
    pub error: SketchError,
}

impl<'a> Sketch<'a> {
    /// # Errors
    /// [`SketchError::Empty`]
    pub fn of(file: &'a str, draft: &'a str) -> Result<Sketch<'a>, SketchError> {
        let lines: Vec<&str> = file.split_inclusive('\n').collect();
        let draft: Vec<&str> = draft.split_inclusive('\n').collect();
        let mut positions: Vec<Vec<usize>> = Vec::new();
        let mut different: HashMap<String, usize> = HashMap::new();
        for (i, line) in lines.iter().enumerate() {
            let which = *different.entry(plain(line)).or_insert(positions.len());
            if which == positions.len() {
                positions.push(Vec::new());
            }
            positions[which].push(i);
        }
        let piece = |lines: &[&'a str]| Piece::of(lines, &different);
        let pieces: Vec<Piece> = draft.split(|line| is_marker(line)).map(piece).collect();
        if pieces.iter().all(|piece| piece.lines.is_empty()) {
            return Err(SketchError::Empty);
        }
        let ends_open = draft.last().is_some_and(|line| is_marker(line));
        let (aligned, alike, defined) = (OnceCell::new(), RefCell::default(), OnceCell::new());
        Ok(Sketch {
            lines,
            positions,
            aligned,
            alike,
            pieces,
            defined,
            ends_open,
        })
    }

    /// The complete text. `given`: the lines of the file, counted from 0, that some pieces replace;
    /// the places of the others are found.
    ///
    /// # Errors
    /// The first piece whose place is not known.
    pub fn completed(&self, given: &BTreeMap<usize, Range<usize>>) -> Result<Completed, Unplaced> {
        let mut text = String::new();
        let (mut places, mut by_likeness) = (BTreeMap::new(), Vec::new());
        let mut removed = Vec::new();
        let mut copied_to = 0; // lines of the file that are in `text`, or are replaced by what is
        for (i, piece) in self.pieces.iter().enumerate() {
            if piece.lines.is_empty() {
                continue;
            }
            let Range { start, end } = match self.lines_of(i, copied_to, given)? {
                Found::There(lines) => lines,
                Found::Alike(lines) => {
                    if self.lines[lines.clone()] != piece.lines {
                        let line = piece.first().trim().to_owned();
                        let removes = self.removes(&lines);
                        by_likeness.push(Guess {
                            line,
                            lines: lines.clone(),
                            removes,
                        });
                    }
                    lines
                }
            };
            removed.extend(self.removed(piece, &(start..end)));
            text.extend(self.lines[copied_to..start].iter().copied());
            end_line(&mut text);
            // A new line at an end keeps the blank lines beside it that the file lacks there.
            let [mut above, mut below] = piece.n_blank;
            if start < end {
                let is_new = |new: &str, at: usize| plain(new) != plain(self.lines[at]);
                above = if is_new(piece.first(), start) {
                    above
                } else {
                    0
                };
                below = if is_new(piece.last(), end - 1) {
                    below
                } else {
                    0
                };
            }
            let is_blank = |line: &&&str| line.trim().is_empty();
            let n_above = self.lines[..start]
                .iter()
                .rev()
                .take_while(is_blank)
                .count();
            let n_below = self.lines[end..].iter().take_while(is_blank).count();
            if start > 0 {
                text.push_str(&"\n".repeat(above.saturating_sub(n_above)));
            }
            text.extend(piece.lines.iter().copied());
            if end < self.lines.len() {
                end_line(&mut text);
                text.push_str(&"\n".repeat(below.saturating_sub(n_below)));
            }
            places.insert(i, start..end);
            copied_to = end;
        }
        if self.ends_open || copied_to < self.lines.len() {
            end_line(&mut text);
            text.extend(self.lines[copied_to..].iter().copied());
        }
        Ok(Completed {
            text,
            places,
            by_likeness,
            removed,
        })
    }

    /// The lines that a piece replaces, if those before `from` have been replaced.
    fn lines_of(
        &self,
        i: usize,
        from: usize,
        given: &BTreeMap<usize, Range<usize>>,
    ) -> Result<Found, Unplaced> {
        let piece = &self.pieces[i];
        let (is_first, is_last) = (i == 0, i + 1 == self.pieces.len());
        let found = self.start(piece, from);
        if let Some(lines) = given.get(&i) {
            let lines = lines.start.max(from)..lines.end.max(from);
            // A first line that is in the file is believed more than what somebody says.
            return Ok(Found::There(match found {
                Ok(start) => start..lines.end.max(start + 1),
                Err(_) => lines,
            }));
        }
        // The first piece begins at the start of the file, and the last one ends at its end.
        let start = if is_first { Ok(0) } else { found.clone() };
        let error = match start {
            Ok(start) if is_last => return Ok(Found::There(start..self.lines.len())),
            Ok(start) if piece.lines.len() == 1 && !is_first => {
                return Ok(Found::There(start..start + 1));
            }
            Ok(start) => match self.end(piece, start) {
                Ok(end) => return Ok(Found::There(start..end + 1)),
                Err(error) => error,
            },
            Err(error) => error,
        };
        let is_start_known = if is_first {
            found == Ok(0)
        } else {
            found.is_ok()
        };
        let start = if is_first { 0 } else { found.unwrap_or(from) };
        let within = start..self.next_known(i, start, given);
        let Places { lines, is_clear } = self.alike(i, &within, is_start_known || is_first);
        let moved = |lines: Range<usize>| lines.start + within.start..lines.end + within.start;
        let alike: Vec<Range<usize>> = lines.into_iter().map(moved).collect();
        match alike.first() {
            Some(lines) if is_clear => Ok(Found::Alike(lines.clone())),
            _ => Err(Unplaced {
                piece: i,
                text: piece.lines.concat(),
                within,
                is_start_known,
                alike,
                error,
            }),
        }
    }

    /// The names that some lines of the file define and the draft does not.
    pub fn removes(&self, lines: &Range<usize>) -> Vec<String> {
        let of_draft = || {
            self.pieces
                .iter()
                .flat_map(|piece| piece.lines.iter().copied())
        };
        let kept = self
            .defined
            .get_or_init(|| of_draft().filter_map(defined_name).collect());
        let names = self.lines[lines.clone()]
            .iter()
            .filter_map(|line| defined_name(line));
        names
            .filter(|name| !kept.contains(name))
            .map(str::to_owned)
            .collect()
    }

    /// The runs of lines that a piece replaces by nothing, or by far fewer without a definition.
    fn removed(&self, piece: &Piece, lines: &Range<usize>) -> Vec<Range<usize>> {
        if lines.len() < MIN_REMOVED {
            return Vec::new();
        }
        let of = |lines: &[&str]| {
            lines
                .iter()
                .map(|line| plain(line))
                .collect::<Vec<String>>()
        };
        let (old, new) = (of(&self.lines[lines.clone()]), of(&piece.lines));
        let n_full = |lines: &[String]| lines.iter().filter(|line| !line.trim().is_empty()).count();
        let moved = |run: Range<usize>| lines.start + run.start..lines.start + run.end;
        let is_removed = |op: &DiffOp| {
            let n_fewer = n_full(&old[op.old_range()]).saturating_sub(n_full(&new[op.new_range()]));
            // What is written anew may be shorter, but not without a whole definition.
            n_fewer >= MIN_REMOVED && op.new_range().is_empty()
                || n_fewer >= 2 && !self.removes(&moved(op.old_range())).is_empty()
        };
        let removed = line_diff::diff(&old, &new).into_iter().filter(is_removed);
        removed.map(|op| moved(op.old_range())).collect()
    }

    /// Those of some lines of the file that a piece may be a version of.
    fn alike(&self, i: usize, within: &Range<usize>, is_start_known: bool) -> Places {
        let key = (i, within.clone());
        let mut alike = self.alike.borrow_mut();
        if let Some(places) = alike.places.get(&key) {
            return places.clone();
        }
        let line = |line: &&str| Line::of(line, &plain(line));
        let file = &self
            .aligned
            .get_or_init(|| self.lines.iter().map(line).collect())[within.clone()];
        let new: Vec<Line> = self.pieces[i].lines.iter().map(line).collect();
        let n_steps = alike.n_steps.saturating_add(alike::n_steps(&new, file));
        if n_steps > MAX_STEPS {
            return Places::default();
        }
        alike.n_steps = n_steps;
        let is_last = i + 1 == self.pieces.len() && within.end == self.lines.len();
        let places = alike::alike(
            &new,
            file,
            Known {
                start: is_start_known,
                is_last,
            },
        );
        alike.places.insert(key, places.clone());
        places
    }

    /// The last line of what a piece replaces that begins with line `start`.
    fn end(&self, piece: &Piece, start: usize) -> Result<usize, SketchError> {
        match block_end(&self.lines, start, &piece.lines) {
            Some(end) => Ok(end),
            None => self.find(piece.last(), piece.ends[1], start),
        }
    }

    /// The only line from `from` on that is as one of a piece. `which`: see [`Piece::ends`].
    fn find(&self, line: &str, which: Option<usize>, from: usize) -> Result<usize, SketchError> {
        let line = || line.trim().to_owned();
        let all = which.map_or(&[][..], |which| &self.positions[which]);
        match all[all.partition_point(|&at| at < from)..] {
            [at] => Ok(at),
            [] => Err(SketchError::NotThere { line: line() }),
            _ => Err(SketchError::Ambiguous { line: line() }),
        }
    }

    /// Where a piece begins, if its first line is in the file once from `from` on.
    fn start(&self, piece: &Piece, from: usize) -> Result<usize, SketchError> {
        self.find(piece.first(), piece.ends[0], from)
    }

    /// Where the next piece after this one begins whose place is known; else the end of the file.
    fn next_known(&self, i: usize, from: usize, given: &BTreeMap<usize, Range<usize>>) -> usize {
        let start = |(j, piece): (usize, &Piece)| match given.get(&j) {
            Some(lines) => Some(lines.start.max(from)),
            None if piece.lines.is_empty() => None,
            None => self.start(piece, from).ok(),
        };
        self.pieces
            .iter()
            .enumerate()
            .skip(i + 1)
            .find_map(start)
            .unwrap_or(self.lines.len())
    }
}

/// The lines that a piece replaces.
enum Found {
    /// The file has the piece's own lines there, or somebody says so.
    There(Range<usize>),
    /// The piece is a version of them.
    Alike(Range<usize>),
}

/// Whether a line stands for a part that is left out.
fn is_marker(line: &str) -> bool {
    is_elision(line) || is_bare_ellipsis(line)
}

/// Ends the last line, if it has no end.
fn end_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

/// A line as it is compared.
fn plain(line: &str) -> String {
    folded_line(Fold::Whitespace, line.trim_end_matches('\n')).into_owned()
}

/// The end of the block that a line opens, if the draft's piece is one such block. It is the first
/// line that equals the piece's last one at the depth of the opening line, with nothing shallower
/// between.
fn block_end(lines: &[&str], start: usize, piece: &[&str]) -> Option<usize> {
    let [first, inner @ .., last] = piece else {
        return None;
    };
    let is_at =
        |line: &&str, depth: usize| !line.trim().is_empty() && indentation(line).len() <= depth;
    let closes = last.trim_start().starts_with(['}', ')', ']']) || last.trim() == "end";
    let is_one = !inner
        .iter()
        .any(|line| is_at(line, indentation(first).len()));
    if !closes || !is_one || indentation(first) != indentation(last) {
        return None;
    }
    let depth = indentation(lines.get(start)?).len();
    let end = start
        + 1
        + lines[start + 1..]
            .iter()
            .position(|line| is_at(line, depth))?;
    (lines[end].trim() == last.trim() && indentation(lines[end]).len() == depth).then_some(end)
}

impl<'a> Piece<'a> {
    /// Blank lines around a marker belong to the left-out part.
    /// `different`: the file's different lines.
    fn of(lines: &[&'a str], different: &HashMap<String, usize>) -> Piece<'a> {
        let is_text = |line: &&str| !line.trim().is_empty();
        let first = lines.iter().position(is_text).unwrap_or(lines.len());
        let end = lines
            .iter()
            .rposition(is_text)
            .map_or(first, |last| last + 1);
        let n_blank = [first, lines.len() - end];
        let lines = lines[first..end].to_vec();
        let which = |line: Option<&&str>| different.get(&plain(line?)).copied();
        let ends = [which(lines.first()), which(lines.last())];
        Piece {
            lines,
            n_blank,
            ends,
        }
    }

    fn first(&self) -> &'a str {
        self.lines[0]
    }

    fn last(&self) -> &'a str {
        self.lines[self.lines.len() - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(draft: &str, expected: Result<&str, &str>) {
        let file = "import a\n\nfn f() {\n    1\n}\n\nfn g() {\n    2\n}\n";
        let completed = completed(file, draft);
        let completed = completed
            .map(|all| all.text)
            .map_err(|error| error.to_string());
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
        check(
            "import a\nimport b\n\n// ... existing code ...\n",
            Err("import b"),
        );
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
            Err("not in the file"),
        );
    }

    /// The text with one piece where somebody says.
    fn given(file: &str, draft: &str, lines: Range<usize>) -> (String, Range<usize>) {
        let sketch = Sketch::of(file, draft).unwrap();
        let unplaced = sketch.completed(&BTreeMap::new()).unwrap_err();
        let completed = sketch
            .completed(&BTreeMap::from([(unplaced.piece, lines)]))
            .unwrap();
        (completed.text, completed.places[&unplaced.piece].clone())
    }

    #[test]
    fn a_piece_goes_where_somebody_says() {
        let file = "import a\n\nfn f() {\n    1\n}\n\nfn g() {\n    2\n}\n";
        let h = "fn h() {\n    3\n}\n";
        let draft = format!(
            "// ... existing code ...\n\n{h}\n// ... existing code ...\n\
                     fn g() {{\n    4\n}}\n"
        );
        let sketch = Sketch::of(file, &draft).unwrap();
        let unplaced = sketch.completed(&BTreeMap::new()).unwrap_err();
        assert_eq!(
            (unplaced.piece, unplaced.within),
            (1, 0..6),
            "the next piece is at line 6"
        );
        assert!(!unplaced.is_start_known);
        assert_eq!(unplaced.text, h);
        let rest = "\nfn g() {\n    4\n}\n";
        assert_eq!(
            given(file, &draft, 2..5).0,
            format!("import a\n\n{h}{rest}"),
            "instead of f"
        );
        let f = "fn f() {\n    1\n}\n";
        assert_eq!(
            given(file, &draft, 2..2).0,
            format!("import a\n\n{h}\n{f}{rest}"),
            "before f, with the blank line below it"
        );
        assert_eq!(
            given(file, &draft, 5..5).0,
            format!("import a\n\n{f}\n{h}{rest}")
        );
    }

    #[test]
    fn a_first_line_that_is_known_stays_the_beginning() {
        let file = "a\nfn f() {\n    1\n}\nb\n";
        let draft = "// ...\nfn f() {\n    5;\n    6\n// ...\nb\n";
        let unplaced = Sketch::of(file, draft)
            .unwrap()
            .completed(&BTreeMap::new())
            .unwrap_err();
        assert_eq!((unplaced.within, unplaced.is_start_known), (1..4, true));
        let text = "a\nfn f() {\n    5;\n    6\n}\nb\n";
        assert_eq!(given(file, draft, 2..3), (text.to_owned(), 1..3));
        assert_eq!(
            given(file, draft, 1..1).1,
            1..2,
            "its first line is replaced in any case"
        );
    }

    #[test]
    fn what_a_piece_removes_is_told() {
        let function = |name: &str| format!("fn {name}() {{\n    a();\n    b();\n}} // {name}\n\n");
        let file = ["f", "g", "h"].map(function).concat();
        let removed = |draft: &str| completed(&file, draft).unwrap().removed;
        // No marker ends it.
        assert_eq!(
            removed("// ...\nfn f() {\n    x();\n}\n")
                .last()
                .unwrap()
                .end,
            15
        );
        // None stands between `f` and `h`.
        let two = format!("// ...\n{}{}// ...\n", function("f"), function("h"));
        assert_eq!(removed(&two), vec![Range { start: 5, end: 10 }]);
        assert_eq!(
            completed(&file, &two).unwrap().text,
            function("f") + &function("h")
        );
        // A function that is written anew may be shorter.
        assert!(removed("// ...\nfn f() {\n    x();\n} // f\n// ...\n").is_empty());
    }

    #[test]
    fn a_given_place_drops_nothing_else_not_even_at_the_ends() {
        let file = "a\nb\nc";
        assert_eq!(
            given(file, "// ...\nx\n", 1..1),
            ("a\nx\nb\nc".to_owned(), 1..1)
        );
        assert_eq!(
            given(file, "// ...\nx\n", 3..3),
            ("a\nb\nc\nx\n".to_owned(), 3..3)
        );
        assert_eq!(
            given(file, "x\n// ...\n", 2..2),
            ("a\nb\nx\nc".to_owned(), 2..2)
        );
        assert_eq!(
            given(file, "x\n// ...\n", 0..1),
            ("x\nb\nc".to_owned(), 0..1)
        );
        assert_eq!(
            given(file, "// ...\n\n\nx\n\n// ...\n", 3..3),
            ("a\nb\nc\n\n\nx\n".to_owned(), 3..3)
        );
    }
}
