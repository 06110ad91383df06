//! What a bare quote means. Models that were not trained on answers like these forget to escape
//! some of the quotes of a text.
//!
//! A bare quote either closes the text or belongs to it. In an excerpt the file tells which, once a
//! few more bytes are written: after `["` comes the next word of the file, or the key after the
//! excerpt. In new text the token after the quote tells. So an answer may have several *readings*,
//! until all but one end.

use super::automaton::{At, Constraint, ConstraintState};
use super::free_text::TextState;
use toktrie::Recognizer;

/// More readings than these are not followed. Those that close the text come first.
const MAX_READINGS: usize = 8;

/// How a model copies text into an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// It forgets to escape some quotes.
    Loose,
    /// Byte by byte, as in JSON. Models that were trained on answers like these do so.
    Exact,
}

/// A position in one reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

    fn is_in_text(self) -> bool {
        matches!(self.state.at, At::Text(_))
    }
}

/// One reading of an answer.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    pub point: Point,
    /// The answer as JSON.
    pub answer: Vec<u8>,
    /// What the last token added to the answer: its text with the quotes escaped.
    pub last: Vec<u8>,
}

impl Reading {
    /// The reading of an empty answer.
    pub fn new(constraint: &Constraint) -> Reading {
        Reading {
            point: Point::new(constraint.start()),
            answer: Vec::new(),
            last: Vec::new(),
        }
    }
}

/// Whether the next byte is escaped: whether an odd number of backslashes is before it.
pub(super) fn is_escaped(answer: &[u8]) -> bool {
    let backslashes = answer.iter().rev().take_while(|&&byte| byte == b'\\');
    backslashes.count() % 2 == 1
}

/// A way to read a token.
#[derive(Clone, Debug)]
pub(super) struct TokenWay {
    /// The position after it.
    pub point: Point,
    /// What it adds to the answer.
    pub written: Vec<u8>,
}

impl TokenWay {
    /// The way with these bytes after it; `None` if they may not come next.
    fn longer(&self, point: Option<Point>, bytes: &[u8]) -> Option<TokenWay> {
        let written = [self.written.as_slice(), bytes].concat();
        point.map(|point| TokenWay { point, written })
    }
}

/// Reads the tokens of a model that copies text like this.
#[derive(Clone, Copy)]
pub(super) struct TokenReader<'a> {
    pub constraint: &'a Constraint,
    pub spelling: Spelling,
}

impl<'a> TokenReader<'a> {
    fn is_bare_quote(self, byte: u8, is_escaped: bool) -> bool {
        byte == b'"' && !is_escaped && self.spelling == Spelling::Loose
    }

    /// The ways to read a token after this point. Where a quote may close a text, that comes first.
    pub fn ways(self, from: Point, mut is_escaped: bool, token: &[u8]) -> Vec<TokenWay> {
        let mut ways = vec![TokenWay {
            point: from,
            written: Vec::new(),
        }];
        for (i, &byte) in token.iter().enumerate() {
            let is_bare = self.is_bare_quote(byte, is_escaped);
            let is_last = i + 1 == token.len();
            is_escaped = byte == b'\\' && !is_escaped;

            let mut longer = Vec::with_capacity(ways.len());
            for way in ways {
                let is_free = self.constraint.is_free(way.point.state);
                // In code such a quote opens a string. Text hardly ever ends like this.
                let opens_string = is_last && is_free && i > 0 && b"(= ".contains(&token[i - 1]);
                if !(is_bare && opens_string) {
                    longer.extend(way.longer(way.point.step(self.constraint, byte), &[byte]));
                }
                // Within a token a quote of new text must close a string of the code, or the text.
                if is_bare && (!is_free || is_last || way.point.in_string) {
                    longer.extend(way.longer(way.point.escaped_quote(self.constraint), br#"\""#));
                }
            }
            longer.truncate(MAX_READINGS);
            ways = longer;
        }
        ways
    }

    /// The readings after a token; empty if no reading allows it.
    pub fn after(self, readings: &[Reading], token: &[u8]) -> Vec<Reading> {
        let mut after: Vec<Reading> = Vec::new();
        for before in readings {
            let another_goes_on = !after.is_empty();
            for way in self.ways(before.point, is_escaped(&before.answer), token) {
                // New text takes anything, so it would go on for ever. What closes it and may go on
                // wins.
                if !(another_goes_on && way.point.is_in_text()) {
                    after.push(Reading {
                        point: way.point,
                        answer: [before.answer.as_slice(), &way.written].concat(),
                        last: way.written,
                    });
                }
            }
        }
        after.truncate(MAX_READINGS);
        after
    }

    /// A walk over the vocabulary from `points`, which are all after the same written bytes.
    pub fn walk(self, points: Vec<Point>, is_escaped: bool) -> Walk<'a> {
        let mut levels = Vec::with_capacity(64);
        levels.push(Level {
            start: 0,
            is_escaped,
        });
        Walk {
            reader: self,
            points,
            levels,
        }
    }
}

/// The constraint as toktrie's walk over the vocabulary needs it: a stack with the points of all
/// readings for each byte of the token being tried.
pub(super) struct Walk<'a> {
    reader: TokenReader<'a>,
    points: Vec<Point>,
    levels: Vec<Level>,
}

/// The points after a byte: those from `start` to the next level.
struct Level {
    start: usize,
    is_escaped: bool,
}

impl Walk<'_> {
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
        let constraint = self.reader.constraint;
        let is_bare = self.reader.is_bare_quote(byte, is_escaped);
        let end = self.points.len();

        for i in start..end {
            let point = self.points[i];
            self.points.extend(point.step(constraint, byte));
            if is_bare && (point.in_string || !constraint.is_free(point.state)) {
                self.points.extend(point.escaped_quote(constraint));
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
