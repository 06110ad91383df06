//! What a token means: models that were not trained on answers like these forget to escape some of
//! the quotes of a text, and copy a block as if its first line were not indented.
//!
//! A bare quote either closes the text or belongs to it. In an excerpt the file tells, once a
//! few more bytes are written: after `["` comes the next word of the file, or the key after the
//! excerpt. In new text it is the token after the quote. A line of an excerpt may lack the
//! indentation that the excerpt's first line lacks. So there may be several *readings* of what
//! was written, until all but one end.

use super::automaton::{At, Constraint, ConstraintState};
use super::free_text::TextState;
use crate::slots::{Slot, shape};
use toktrie::Recognizer;

/// More readings than these are not followed. Those that close the text come first.
const MAX_READINGS: usize = 8;

/// How a model copies text into an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// It forgets to escape some quotes, and leaves out indentation.
    Loose,
    /// Byte by byte, as in JSON. So it is with models that were trained on answers like these.
    Exact,
}

/// A position in one reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Point {
    pub state: ConstraintState,
    /// Whether this line of the new text has an odd number of quotes so far. Then the next one
    /// closes a string of the code.
    pub in_string: bool,
}

impl Point {
    pub fn new(state: ConstraintState) -> Point {
        Point {
            state,
            in_string: false,
        }
    }

    /// After a byte as it is written; `None` if it may not come next.
    pub fn step(self, constraint: &Constraint, byte: u8) -> Option<Point> {
        let state = constraint.step(self.state, byte)?;
        let in_string = state.segment == self.state.segment
            && match (self.state.at, byte) {
                (At::Text(TextState::Escape), b'"') => !self.in_string,
                (At::Text(TextState::Escape), b'n') => false,
                (At::Text(_), _) => self.in_string,
                _ => false,
            };
        Some(Point { state, in_string })
    }

    /// After a quote that belongs to the text.
    fn escaped_quote(self, constraint: &Constraint) -> Option<Point> {
        match self.state.at {
            At::Excerpt(_) | At::Choice(_) | At::Through { .. } | At::Text(TextState::Start) => {
                self.step(constraint, b'\\')?.step(constraint, b'"')
            }
            _ => None,
        }
    }

    /// After the indentation that a line of an excerpt may lack, and that indentation.
    fn indented(self, constraint: &Constraint) -> Vec<(Point, &[u8])> {
        let step = |point: Point, &byte: &u8| point.step(constraint, byte);
        let indents = constraint.first_indents(self.state).into_iter();
        indents
            .filter_map(|indent| Some((indent.iter().try_fold(self, step)?, indent)))
            .collect()
    }

    fn is_in_excerpt(self) -> bool {
        matches!(self.state.at, At::Excerpt(_))
    }

    fn is_in_text(self) -> bool {
        matches!(self.state.at, At::Text(_))
    }
}

/// One reading of an answer.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    pub point: Point,
    /// The answer as JSON that copies the file.
    pub answer: Vec<u8>,
    /// The last token with its quotes escaped, but without the indentation that it left out. This
    /// stands in the model's context, so that the model goes on as it began.
    pub said: Vec<u8>,
    /// The indentation that lines of the excerpt left out; empty if they have all of it.
    pub left_out: Vec<u8>,
}

impl Reading {
    /// Of an empty answer.
    pub fn new(constraint: &Constraint) -> Reading {
        let point = Point::new(constraint.start());
        Reading {
            point,
            answer: Vec::new(),
            said: Vec::new(),
            left_out: Vec::new(),
        }
    }

    /// The answer. Its new text has the indentation too that lines of the excerpt left out.
    pub fn in_full(&self) -> Vec<u8> {
        if self.left_out.is_empty() {
            return self.answer.clone();
        }
        let key = format!("{}\"", shape::next_key(Slot::New));
        let key_at = self
            .answer
            .windows(key.len())
            .position(|at| at == key.as_bytes());
        let Some(key_at) = key_at else {
            return self.answer.clone();
        };
        let (before, new) = self.answer.split_at(key_at + key.len());
        let mut in_full = before.to_vec();
        let mut is_escaped = false;
        for (i, &byte) in new.iter().enumerate() {
            in_full.push(byte);
            let rest = &new[i + 1..];
            let is_blank = rest.is_empty() || rest[0] == b'"' || rest.starts_with(br"\n");
            if is_escaped && byte == b'n' && !is_blank {
                in_full.extend(&self.left_out);
            }
            is_escaped = byte == b'\\' && !is_escaped;
        }
        in_full
    }
}

/// Whether the next byte is escaped: whether an odd number of backslashes is before it.
pub(super) fn is_escaped(answer: &[u8]) -> bool {
    answer
        .iter()
        .rev()
        .take_while(|&&byte| byte == b'\\')
        .count()
        % 2
        == 1
}

/// A way to read a token.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// The position after it.
    pub point: Point,
    /// What it adds to the answer.
    pub written: Vec<u8>,
    /// See [`Reading::said`].
    said: Vec<u8>,
    /// See [`Reading::left_out`].
    left_out: Vec<u8>,
}

impl Way {
    fn from(point: Point) -> Way {
        Way {
            point,
            written: Vec::new(),
            said: Vec::new(),
            left_out: Vec::new(),
        }
    }

    fn with(&self, point: Point, bytes: &[u8]) -> Way {
        let longer = |text: &[u8]| [text, bytes].concat();
        let (written, said) = (longer(&self.written), longer(&self.said));
        Way {
            point,
            written,
            said,
            left_out: self.left_out.clone(),
        }
    }

    fn with_indent(&self, (point, indent): (Point, &[u8])) -> Way {
        let written = [self.written.as_slice(), indent].concat();
        Way {
            point,
            written,
            said: self.said.clone(),
            left_out: indent.to_vec(),
        }
    }
}

/// The ways to read a token after this point. Where a quote may close a text, that comes first, and
/// indentation as it stands before one that was left out.
pub(super) fn ways(
    constraint: &Constraint,
    spelling: Spelling,
    (from, mut is_escaped): (Point, bool),
    token: &[u8],
) -> Vec<Way> {
    let is_loose = spelling == Spelling::Loose;
    let mut ways = vec![Way::from(from)];
    for (i, &byte) in token.iter().enumerate() {
        let is_bare = byte == b'"' && !is_escaped && is_loose;
        let is_last = i + 1 == token.len();
        is_escaped = byte == b'\\' && !is_escaped;
        let mut longer = Vec::with_capacity(ways.len());
        for as_is in ways {
            let free = constraint.is_free(as_is.point.state);
            // In code it opens a string. Text hardly ever ends like this.
            let opens = is_last && free && i > 0 && b"(= ".contains(&token[i - 1]);
            // Within a token a quote of new text must close a string of the code, or the text.
            let belongs = is_bare && (!free || is_last || as_is.point.in_string);
            let indents = if is_loose {
                as_is.point.indented(constraint)
            } else {
                Vec::new()
            };
            let indented: Vec<Way> = indents
                .into_iter()
                .map(|indent| as_is.with_indent(indent))
                .collect();
            let step = |way: &Way| Some(way.with(way.point.step(constraint, byte)?, &[byte]));
            longer.extend(Some(&as_is).filter(|_| !(is_bare && opens)).and_then(step));
            // A quote that closes an excerpt closes it before the indentation.
            longer.extend(indented.iter().filter(|_| !is_bare).filter_map(step));
            let quoted = [&as_is].into_iter().chain(&indented).filter(|_| belongs);
            longer.extend(
                quoted.filter_map(|way| {
                    Some(way.with(way.point.escaped_quote(constraint)?, br#"\""#))
                }),
            );
        }
        longer.truncate(MAX_READINGS);
        ways = longer;
    }
    ways
}

/// The readings after a token. None if no reading allows it.
pub(super) fn after(
    constraint: &Constraint,
    spelling: Spelling,
    readings: &[Reading],
    token: &[u8],
) -> Vec<Reading> {
    let mut after: Vec<Reading> = Vec::new();
    for before in readings {
        let another_goes_on = !after.is_empty();
        let from = (before.point, is_escaped(&before.answer));
        for Way {
            point,
            written,
            said,
            left_out,
        } in ways(constraint, spelling, from, token)
        {
            // New text takes anything, so it would go on for ever. What closes it and may go on wins.
            if !(another_goes_on && point.is_in_text()) {
                let answer = [before.answer.as_slice(), &written].concat();
                let left_out = if left_out.is_empty() {
                    before.left_out.clone()
                } else {
                    left_out
                };
                after.push(Reading {
                    point,
                    answer,
                    said,
                    left_out,
                });
            }
        }
    }
    // Once an excerpt has ended, the reading that leaves out nothing is the one that is meant.
    let has_ended = |reading: &Reading| !reading.point.is_in_excerpt();
    if after
        .iter()
        .any(|reading| has_ended(reading) && reading.left_out.is_empty())
    {
        after.retain(|reading| !has_ended(reading) || reading.left_out.is_empty());
    }
    after.truncate(MAX_READINGS);
    after
}

/// The constraint as toktrie's walk over the vocabulary needs it: a stack with the points of all
/// readings for each byte of the token being tried.
pub(super) struct Walk<'a> {
    constraint: &'a Constraint,
    spelling: Spelling,
    points: Vec<Point>,
    levels: Vec<Level>,
}

/// The points after a byte: those from `start` to the next level.
struct Level {
    start: usize,
    is_escaped: bool,
}

impl<'a> Walk<'a> {
    /// All `points` are after the same written bytes.
    pub fn new(
        constraint: &'a Constraint,
        spelling: Spelling,
        (from, is_escaped): (Vec<Point>, bool),
    ) -> Walk<'a> {
        let mut levels = Vec::with_capacity(64);
        levels.push(Level {
            start: 0,
            is_escaped,
        });
        Walk {
            constraint,
            spelling,
            points: from,
            levels,
        }
    }

    fn truncate(&mut self, n_levels: usize) {
        if let Some(level) = self.levels.get(n_levels) {
            self.points.truncate(level.start);
            self.levels.truncate(n_levels);
        }
    }
}

impl Recognizer for Walk<'_> {
    fn pop_bytes(&mut self, num: usize) {
        self.truncate(self.levels.len() - num);
    }

    fn collapse(&mut self) {
        let top = self.levels.pop().expect("there is always a level");
        self.points.drain(..top.start);
        self.levels.clear();
        self.levels.push(Level { start: 0, ..top });
    }

    fn trie_finished(&mut self) {
        self.truncate(1);
    }

    #[inline]
    fn try_push_byte(&mut self, byte: u8) -> bool {
        let &Level { start, is_escaped } = self.levels.last().expect("there is always a level");
        let end = self.points.len();
        let is_loose = self.spelling == Spelling::Loose;
        let is_bare = byte == b'"' && !is_escaped && is_loose;
        for i in start..end {
            let point = self.points[i];
            self.points.extend(point.step(self.constraint, byte));
            let indented = if is_loose {
                point.indented(self.constraint)
            } else {
                Vec::new()
            };
            let indented = || indented.iter().map(|&(point, _)| point);
            let step = |point: Point| point.step(self.constraint, byte);
            self.points
                .extend(indented().filter(|_| !is_bare).filter_map(step));
            if is_bare && (point.in_string || !self.constraint.is_free(point.state)) {
                let points = [point].into_iter().chain(indented());
                self.points
                    .extend(points.filter_map(|p| p.escaped_quote(self.constraint)));
            }
        }
        self.points.truncate(end + MAX_READINGS);
        let is_possible = self.points.len() > end;
        if is_possible {
            self.levels.push(Level {
                start: end,
                is_escaped: byte == b'\\' && !is_escaped,
            });
        }
        is_possible
    }
}
