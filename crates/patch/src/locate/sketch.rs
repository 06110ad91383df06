//! Completes a whole file with parts left out (`... existing code ...`): finds the part of the file
//! that each marker replaces.

use super::alike::{self, Known, Line, Places};
use super::fold::{Fold, folded_line, indentation};
use crate::text::elision::{is_bare_ellipsis, is_elision};
use crate::text::{defined_name, line_diff};
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
    /// The parts between the markers.
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

/// The part of a draft between two markers.
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// Reads a draft of a file.
    ///
    /// # Errors
    /// [`SketchError::Empty`] if the draft has only markers.
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

        let mut pieces = Vec::new();
        for lines in draft.split(|line| is_marker(line)) {
            pieces.push(Piece::of(lines, &different));
        }
        if pieces.iter().all(|piece| piece.lines.is_empty()) {
            return Err(SketchError::Empty);
        }
        Ok(Sketch {
            lines,
            positions,
            aligned: OnceCell::new(),
            alike: RefCell::default(),
            pieces,
            defined: OnceCell::new(),
            ends_open: draft.last().is_some_and(|line| is_marker(line)),
        })
    }

    /// The complete text. `given`: the lines of the file, counted from 0, that some pieces replace;
    /// the places of the others are found.
    ///
    /// # Errors
    /// The first piece whose place is not known.
    pub fn completed(&self, given: &BTreeMap<usize, Range<usize>>) -> Result<Completed, Unplaced> {
        let mut completed = Completed::default();
        // Lines of the file that are in the text, or are replaced by lines that are.
        let mut copied_to = 0;
        for (i, piece) in self.pieces.iter().enumerate() {
            if piece.lines.is_empty() {
                continue;
            }
            let (lines, is_guess) = match self.lines_of(i, copied_to, given)? {
                Found::There(lines) => (lines, false),
                Found::Alike(lines) => (lines, true),
            };
            if is_guess && self.lines[lines.clone()] != piece.lines {
                completed.by_likeness.push(Guess {
                    line: piece.first().trim().to_owned(),
                    lines: lines.clone(),
                    removes: self.removes(&lines),
                });
            }
            completed.removed.extend(self.removed(piece, &lines));

            completed
                .text
                .extend(self.lines[copied_to..lines.start].iter().copied());
            self.push_piece(piece, &lines, &mut completed.text);
            copied_to = lines.end;
            completed.places.insert(i, lines);
        }

        if self.ends_open || copied_to < self.lines.len() {
            end_line(&mut completed.text);
            completed
                .text
                .extend(self.lines[copied_to..].iter().copied());
        }
        Ok(completed)
    }

    /// Adds a piece in place of some lines of the file. A new line at an end keeps the blank lines
    /// beside it that the file lacks there.
    fn push_piece(&self, piece: &Piece, lines: &Range<usize>, text: &mut String) {
        let [mut above, mut below] = piece.n_blank;
        if !lines.is_empty() {
            if plain(piece.first()) == plain(self.lines[lines.start]) {
                above = 0;
            }
            if plain(piece.last()) == plain(self.lines[lines.end - 1]) {
                below = 0;
            }
        }

        end_line(text);
        if lines.start > 0 {
            let n_above = n_blank_lines(self.lines[..lines.start].iter().rev());
            text.push_str(&"\n".repeat(above.saturating_sub(n_above)));
        }
        text.extend(piece.lines.iter().copied());
        if lines.end < self.lines.len() {
            end_line(text);
            let n_below = n_blank_lines(self.lines[lines.end..].iter());
            text.push_str(&"\n".repeat(below.saturating_sub(n_below)));
        }
    }

    /// The lines that a piece replaces, if those before `from` have been replaced.
    fn lines_of(
        &self,
        i: usize,
        from: usize,
        given: &BTreeMap<usize, Range<usize>>,
    ) -> Result<Found, Unplaced> {
        let piece = &self.pieces[i];
        let is_first = i == 0;
        let known_start = self.start(piece, from);
        if let Some(lines) = given.get(&i) {
            let lines = lines.start.max(from)..lines.end.max(from);
            // A first line that is in the file is believed more than the given lines.
            return Ok(Found::There(match known_start {
                Ok(start) => start..lines.end.max(start + 1),
                Err(_) => lines,
            }));
        }
        let error = match self.lines_between(i, known_start.clone()) {
            Ok(lines) => return Ok(Found::There(lines)),
            Err(error) => error,
        };

        let is_start_known = if is_first {
            known_start == Ok(0)
        } else {
            known_start.is_ok()
        };
        let start = if is_first {
            0
        } else {
            known_start.unwrap_or(from)
        };
        let within = start..self.next_known(i, start, given);
        let places = self.alike(i, &within, is_start_known || is_first);
        let mut alike = Vec::with_capacity(places.lines.len());
        for lines in places.lines {
            alike.push(moved(&lines, within.start));
        }
        match alike.first() {
            Some(lines) if places.is_clear => Ok(Found::Alike(lines.clone())),
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

    /// The lines from a piece's first to its last, if the file has both. The first piece begins at
    /// the start of the file, and the last one ends at its end.
    fn lines_between(
        &self,
        i: usize,
        known_start: Result<usize, SketchError>,
    ) -> Result<Range<usize>, SketchError> {
        let piece = &self.pieces[i];
        let start = if i == 0 { 0 } else { known_start? };
        if i + 1 == self.pieces.len() {
            return Ok(start..self.lines.len());
        }
        if i > 0 && piece.lines.len() == 1 {
            return Ok(start..start + 1);
        }
        Ok(start..self.end(piece, start)? + 1)
    }

    /// The names that some lines of the file define and the draft does not.
    pub fn removes(&self, lines: &Range<usize>) -> Vec<String> {
        let kept = self.defined.get_or_init(|| {
            let lines = self.pieces.iter().flat_map(|piece| &piece.lines);
            lines.filter_map(|line| defined_name(line)).collect()
        });
        self.lines[lines.clone()]
            .iter()
            .filter_map(|line| defined_name(line))
            .filter(|name| !kept.contains(name))
            .map(str::to_owned)
            .collect()
    }

    /// The runs of lines that a piece replaces by nothing, or by far fewer without a definition.
    fn removed(&self, piece: &Piece, lines: &Range<usize>) -> Vec<Range<usize>> {
        if lines.len() < MIN_REMOVED {
            return Vec::new();
        }
        let old: Vec<String> = self.lines[lines.clone()].iter().map(|l| plain(l)).collect();
        let new: Vec<String> = piece.lines.iter().map(|line| plain(line)).collect();
        let mut removed = Vec::new();
        for op in line_diff::diff(&old, &new) {
            let n_fewer =
                n_inked(&old[op.old_range()]).saturating_sub(n_inked(&new[op.new_range()]));
            let run = moved(&op.old_range(), lines.start);
            // What is written anew may be shorter, but not without a whole definition.
            if n_fewer >= MIN_REMOVED && op.new_range().is_empty()
                || n_fewer >= 2 && !self.removes(&run).is_empty()
            {
                removed.push(run);
            }
        }
        removed
    }

    /// Those of some lines of the file that a piece may be a version of.
    fn alike(&self, i: usize, within: &Range<usize>, is_start_known: bool) -> Places {
        let key = (i, within.clone());
        let mut alike = self.alike.borrow_mut();
        if let Some(places) = alike.places.get(&key) {
            return places.clone();
        }

        let aligned = self.aligned.get_or_init(|| aligned_lines(&self.lines));
        let file = &aligned[within.clone()];
        let new = aligned_lines(&self.pieces[i].lines);
        let n_steps = alike.n_steps.saturating_add(alike::n_steps(&new, file));
        if n_steps > MAX_STEPS {
            return Places::default();
        }
        alike.n_steps = n_steps;
        let known = Known {
            start: is_start_known,
            is_last: i + 1 == self.pieces.len() && within.end == self.lines.len(),
        };
        let places = alike::alike(&new, file, known);
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
        let all = which.map_or(&[][..], |which| &self.positions[which]);
        let line = line.trim().to_owned();
        match all[all.partition_point(|&at| at < from)..] {
            [at] => Ok(at),
            [] => Err(SketchError::NotThere { line }),
            _ => Err(SketchError::Ambiguous { line }),
        }
    }

    /// Where a piece begins, if its first line is in the file once from `from` on.
    fn start(&self, piece: &Piece, from: usize) -> Result<usize, SketchError> {
        self.find(piece.first(), piece.ends[0], from)
    }

    /// Where the next piece after this one begins whose place is known; else the end of the file.
    fn next_known(&self, i: usize, from: usize, given: &BTreeMap<usize, Range<usize>>) -> usize {
        for (j, piece) in self.pieces.iter().enumerate().skip(i + 1) {
            if let Some(lines) = given.get(&j) {
                return lines.start.max(from);
            }
            if !piece.lines.is_empty()
                && let Ok(start) = self.start(piece, from)
            {
                return start;
            }
        }
        self.lines.len()
    }
}

/// The lines that a piece replaces.
enum Found {
    /// The file has the piece's own lines there, or the lines were given.
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

fn aligned_lines(lines: &[&str]) -> Vec<Line> {
    lines
        .iter()
        .map(|line| Line::of(line, &plain(line)))
        .collect()
}

fn moved(lines: &Range<usize>, by: usize) -> Range<usize> {
    lines.start + by..lines.end + by
}

/// How many lines are not blank.
fn n_inked(lines: &[String]) -> usize {
    lines.iter().filter(|line| !line.trim().is_empty()).count()
}

/// How many blank lines some lines begin with.
fn n_blank_lines<'l>(lines: impl Iterator<Item = &'l &'l str>) -> usize {
    lines.take_while(|line| line.trim().is_empty()).count()
}

/// The end of the block that a line opens, if the draft's piece is one such block. It is the first
/// line that equals the piece's last one at the depth of the opening line, with nothing shallower
/// between.
fn block_end(lines: &[&str], start: usize, piece: &[&str]) -> Option<usize> {
    let [first, inner @ .., last] = piece else {
        return None;
    };
    let piece_depth = indentation(first).len();
    let closes = last.trim_start().starts_with(['}', ')', ']']) || last.trim() == "end";
    let is_one = !inner.iter().any(|line| is_within(line, piece_depth));
    if !closes || !is_one || indentation(first) != indentation(last) {
        return None;
    }

    let depth = indentation(lines.get(start)?).len();
    let rest = &lines[start + 1..];
    let end = start + 1 + rest.iter().position(|line| is_within(line, depth))?;
    let is_end = lines[end].trim() == last.trim() && indentation(lines[end]).len() == depth;
    is_end.then_some(end)
}

/// Whether a line has text that is no deeper.
fn is_within(line: &str, depth: usize) -> bool {
    !line.trim().is_empty() && indentation(line).len() <= depth
}

impl<'a> Piece<'a> {
    /// Blank lines around a marker belong to the left-out part.
    /// `different`: the file's different lines.
    fn of(lines: &[&'a str], different: &HashMap<String, usize>) -> Piece<'a> {
        let first = n_blank_lines(lines.iter());
        let n_below = n_blank_lines(lines[first..].iter().rev());
        let end = lines.len() - n_below;
        let n_blank = [first, n_below];
        let lines = lines[first..end].to_vec();
        let ends = [lines.first(), lines.last()].map(|line| different.get(&plain(line?)).copied());
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
    use crate::locate::testing::rows;

    #[test]
    fn markers_become_what_they_stand_for() {
        let file = "import a\n\nfn f() {\n    1\n}\n\nfn g() {\n    2\n}\n";
        for [draft, expected] in rows(
            "
            import a⏎// ... existing code ...⏎fn g() {⏎    3⏎}⏎ \
                | import a⏎⏎fn f() {⏎    1⏎}⏎⏎fn g() {⏎    3⏎}⏎
            // ... existing code ...⏎⏎fn g() {⏎    3⏎}⏎ \
                | import a⏎⏎fn f() {⏎    1⏎}⏎⏎fn g() {⏎    3⏎}⏎
            import b⏎import a⏎// ... existing code ...⏎ \
                | import b⏎import a⏎⏎fn f() {⏎    1⏎}⏎⏎fn g() {⏎    2⏎}⏎
            // ... existing code ...⏎fn f() {⏎    4⏎}⏎// ... rest of the file ...⏎ \
                | import a⏎⏎fn f() {⏎    4⏎}⏎⏎fn g() {⏎    2⏎}⏎
            ",
        ) {
            let text = completed(file, &draft).map(|completed| completed.text);
            assert_eq!(text, Ok(expected), "{draft}");
        }
        for [draft, part] in rows(
            "
            import a⏎import b⏎⏎// ... existing code ...⏎                        | import b
            // ... existing code ...⏎fn h() {⏎}⏎                                | fn h
            // ... existing code ...⏎                                           | all of the file
            // ... existing code ...⏎    3⏎}⏎// ... existing code ...⏎          | not in the file
            ",
        ) {
            let error = completed(file, &draft).unwrap_err().to_string();
            assert!(error.contains(&part), "{error}");
        }
    }

    /// The text with one piece at a given place.
    fn given(file: &str, draft: &str, lines: Range<usize>) -> (String, Range<usize>) {
        let sketch = Sketch::of(file, draft).unwrap();
        let unplaced = sketch.completed(&BTreeMap::new()).unwrap_err();
        let completed = sketch
            .completed(&BTreeMap::from([(unplaced.piece, lines)]))
            .unwrap();
        (completed.text, completed.places[&unplaced.piece].clone())
    }

    #[test]
    fn a_piece_goes_to_the_given_place() {
        let file = "import a\n\nfn f() {\n    1\n}\n\nfn g() {\n    2\n}\n";
        let h = "fn h() {\n    3\n}\n";
        let draft = format!(
            "// ... existing code ...\n\n{h}\n// ... existing code ...\n\
                     fn g() {{\n    4\n}}\n"
        );
        let sketch = Sketch::of(file, &draft).unwrap();
        let unplaced = sketch.completed(&BTreeMap::new()).unwrap_err();
        // The next piece is at line 6.
        assert_eq!((unplaced.piece, unplaced.within), (1, 0..6));
        assert!(!unplaced.is_start_known);
        assert_eq!(unplaced.text, h);
        let f = "fn f() {\n    1\n}\n";
        let g = "fn g() {\n    4\n}\n";
        for (lines, expected) in [
            (2..5, [h, g].join("\n")), // instead of f
            (2..2, [h, f, g].join("\n")),
            (5..5, [f, h, g].join("\n")),
        ] {
            let text = given(file, &draft, lines).0;
            assert_eq!(text, format!("import a\n\n{expected}"));
        }
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
            "its first line is replaced"
        );
    }

    #[test]
    fn what_a_piece_removes_is_reported() {
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
        for (draft, lines, text) in [
            ("// ...\nx\n", 1..1, "a\nx\nb\nc"),
            ("// ...\nx\n", 3..3, "a\nb\nc\nx\n"),
            ("x\n// ...\n", 2..2, "a\nb\nx\nc"),
            ("x\n// ...\n", 0..1, "x\nb\nc"),
            ("// ...\n\n\nx\n\n// ...\n", 3..3, "a\nb\nc\n\n\nx\n"),
        ] {
            let found = given("a\nb\nc", draft, lines.clone());
            assert_eq!(found, (text.to_owned(), lines));
        }
    }
}
