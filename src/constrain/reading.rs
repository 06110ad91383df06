//! What a token means: models that were not trained on answers like these forget to escape some of
//! the quotes of a text.
//!
//! A bare quote then either closes the text or belongs to it. In an excerpt the file tells, once a
//! few more bytes are written: after `["` comes the next word of the file, or the key after the
//! excerpt. In new text it is the token after the quote. So there may be several *readings* of what
//! was written, until all but one end.

use super::automaton::{At, Constraint, ConstraintState};
use super::free_text::TextState;
use toktrie::Recognizer;

/// More readings than these are not followed. Those that close the text come first.
const MAX_READINGS: usize = 8;

/// How a model writes the quotes of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quotes {
    /// It forgets to escape some.
    OftenBare,
    /// A bare quote closes the text, as in JSON. So it is with models that were trained on answers
    /// like these.
    Escaped,
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
        Point { state, in_string: false }
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

    fn is_in_text(self) -> bool {
        matches!(self.state.at, At::Text(_))
    }
}

/// One reading of an answer.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    pub point: Point,
    /// The answer with its quotes escaped.
    pub answer: Vec<u8>,
}

/// Whether the next byte is escaped: whether an odd number of backslashes is before it.
pub(super) fn is_escaped(answer: &[u8]) -> bool {
    answer.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
}

/// The ways to read a token after this point, and what each writes. Where a quote may close a text,
/// that comes first.
pub(super) fn ways(
    constraint: &Constraint,
    quotes: Quotes,
    (from, mut is_escaped): (Point, bool),
    token: &[u8],
) -> Vec<(Point, Vec<u8>)> {
    let mut ways = vec![(from, Vec::with_capacity(token.len() + 1))];
    for (i, &byte) in token.iter().enumerate() {
        let is_bare = byte == b'"' && !is_escaped && quotes == Quotes::OftenBare;
        let is_last = i + 1 == token.len();
        is_escaped = byte == b'\\' && !is_escaped;
        let mut longer = Vec::with_capacity(ways.len());
        for (point, written) in ways {
            let free = constraint.is_free(point.state);
            // In code it opens a string. Text hardly ever ends like this.
            let opens = is_last && free && i > 0 && b"(= ".contains(&token[i - 1]);
            // Within a token a quote of new text must close a string of the code, or the text.
            let belongs = is_bare && (!free || is_last || point.in_string);
            let escaped = belongs.then(|| point.escaped_quote(constraint)).flatten();
            if let Some(point) = point.step(constraint, byte).filter(|_| !(is_bare && opens)) {
                longer.push((point, [written.as_slice(), &[byte]].concat()));
            }
            longer.extend(escaped.map(|point| (point, [written.as_slice(), br#"\""#].concat())));
        }
        longer.truncate(MAX_READINGS);
        ways = longer;
    }
    ways
}

/// The readings after a token. None if no reading allows it.
pub(super) fn after(
    constraint: &Constraint,
    quotes: Quotes,
    readings: &[Reading],
    token: &[u8],
) -> Vec<Reading> {
    let mut after: Vec<Reading> = Vec::new();
    for Reading { point, answer } in readings {
        let another_goes_on = !after.is_empty();
        for (point, written) in ways(constraint, quotes, (*point, is_escaped(answer)), token) {
            // New text takes anything, so it would go on for ever. What closes it and may go on wins.
            if !(another_goes_on && point.is_in_text()) {
                after.push(Reading { point, answer: [answer.as_slice(), &written].concat() });
            }
        }
    }
    after.truncate(MAX_READINGS);
    after
}

/// The constraint as toktrie's walk over the vocabulary needs it: a stack with the points of all
/// readings for each byte of the token being tried.
pub(super) struct Walk<'a> {
    constraint: &'a Constraint,
    quotes: Quotes,
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
        quotes: Quotes,
        (from, is_escaped): (Vec<Point>, bool),
    ) -> Walk<'a> {
        let mut levels = Vec::with_capacity(64);
        levels.push(Level { start: 0, is_escaped });
        Walk { constraint, quotes, points: from, levels }
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
        let is_bare = byte == b'"' && !is_escaped && self.quotes == Quotes::OftenBare;
        for i in start..end {
            let point = self.points[i];
            self.points.extend(point.step(self.constraint, byte));
            if is_bare && (point.in_string || !self.constraint.is_free(point.state)) {
                self.points.extend(point.escaped_quote(self.constraint));
            }
        }
        self.points.truncate(end + MAX_READINGS);
        let is_possible = self.points.len() > end;
        if is_possible {
            self.levels.push(Level { start: end, is_escaped: byte == b'\\' && !is_escaped });
        }
        is_possible
    }
}
