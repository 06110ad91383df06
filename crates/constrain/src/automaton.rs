//! The automaton: which byte may follow which.

use super::choice::{ChoiceList, Interval, Item, Narrowed};
use super::compile::{Compiled, compile};
use super::excerpt::{Cursor, ExcerptIndex, Occurs};
use super::free_text::{self, TextState, TextStep};
use super::new_path::{PathState, PathStep};
use super::segment::{DONE, PlaceNames, Segment, SegmentKind, item};
use super::spec::SlotSpec;
use crate::slots::{NO_PLACE, Slot};
use crate::text::place_labels;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A compiled [`SlotSpec`].
#[derive(Debug)]
pub struct Constraint {
    segments: Vec<Segment>,
    start: u32,
    /// The choices for places and block ends, by segment, excerpt and occurrence. They depend on
    /// what was written before, so they are made when such a segment is entered.
    places: RefCell<HashMap<(u32, Cursor, u32), Rc<ChoiceList>>>,
}

/// A constraint's position in an answer. It is small, since the walk over the vocabulary keeps a
/// stack of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ConstraintState {
    pub(super) segment: u32,
    pub(super) at: At,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum At {
    Literal(u32),
    Choice(Interval),
    Excerpt(Cursor),
    /// In the key before a place. `of` is the excerpt or line before the key.
    PlaceKey {
        of: Cursor,
        depth: u32,
    },
    Place {
        of: Cursor,
        at: Interval,
    },
    /// In the key before the end of a block, or still in the bytes that this key has in common with
    /// the next one. The block begins with the `nth` occurrence of the excerpt `of`.
    ThroughKey {
        of: Cursor,
        nth: u32,
        depth: u32,
    },
    Through {
        of: Cursor,
        nth: u32,
        at: Interval,
    },
    Text(TextState),
    /// In a fence, so far into a character. `n_marks`: the backticks that the line has so far, if it
    /// has nothing else. With all of the fence the answer is complete.
    Fenced {
        text: TextState,
        n_marks: Option<u8>,
    },
    NewPath(PathState),
    Done,
}

impl Constraint {
    /// Compiles a spec in linear time: some 50 ms and 4 MB for 1 MB of shown text.
    pub fn new(spec: &SlotSpec) -> Constraint {
        let Compiled { segments, start } = compile(spec);
        Constraint {
            segments,
            start,
            places: RefCell::default(),
        }
    }

    /// The state before the first byte.
    pub fn start(&self) -> ConstraintState {
        self.enter(self.start)
    }

    /// Whether the answer is complete. Nothing may follow but newlines after a fence.
    pub fn is_complete(&self, state: ConstraintState) -> bool {
        let segment = self.segments.get(state.segment as usize);
        match (segment.map(|segment| &segment.kind), state.at) {
            (_, At::Done) => true,
            (Some(SegmentKind::Fenced { fence_length, .. }), At::Fenced { n_marks, .. }) => {
                n_marks == Some(*fence_length)
            }
            _ => false,
        }
    }

    /// The slot of a state; `None` in brackets and keys. The key before a place or a block end
    /// already counts as part of its slot.
    pub fn slot(&self, state: ConstraintState) -> Option<Slot> {
        self.segments.get(state.segment as usize)?.slot
    }

    /// The state after one more byte, or `None` if that byte may not come next.
    pub fn step(&self, state: ConstraintState, byte: u8) -> Option<ConstraintState> {
        let kind = &self.segments.get(state.segment as usize)?.kind;
        let at = match (kind, state.at) {
            (SegmentKind::Literal { bytes, next }, At::Literal(i)) => {
                if bytes[i as usize] != byte {
                    return None;
                }
                if i as usize + 1 == bytes.len() {
                    return Some(self.enter(*next));
                }
                At::Literal(i + 1)
            }
            (SegmentKind::Choice(list), At::Choice(at)) => match list.step(at, byte)? {
                Narrowed::To(at) => At::Choice(at),
                Narrowed::Chosen(i) => {
                    let line = Cursor {
                        lo: i,
                        hi: i + 1,
                        depth: 0,
                    };
                    return Some(self.enter_from(list.item(i).next, line, 0));
                }
            },

            (SegmentKind::Excerpt { index, .. }, At::Excerpt(at)) => {
                // A quote may end the excerpt; if not, it may be an escaped one of the text.
                if byte == b'"'
                    && let Some(next) = self.after_excerpt(kind, at)
                {
                    return Some(self.enter_from(next, at, 0));
                }
                At::Excerpt(index.step(at, byte)?)
            }
            (SegmentKind::Place { key, .. }, At::PlaceKey { of, depth }) => {
                match in_key(key, depth, byte)? {
                    Some(depth) => At::PlaceKey { of, depth },
                    None => At::Place {
                        of,
                        at: self.places(state.segment, of, 0).all(),
                    },
                }
            }
            (SegmentKind::Place { .. }, At::Place { of, at }) => {
                let list = self.places(state.segment, of, 0);
                match list.step(at, byte)? {
                    Narrowed::To(at) => At::Place { of, at },
                    Narrowed::Chosen(i) => {
                        let place = list.item(i);
                        return Some(self.enter_from(place.next, of, place.nth));
                    }
                }
            }
            (
                SegmentKind::Through {
                    key,
                    n_common,
                    next,
                    ..
                },
                At::ThroughKey { of, nth, depth },
            ) => {
                // The next key begins with the same bytes, so its segment continues from here.
                if depth == *n_common && key[depth as usize] != byte {
                    let in_next_key = ConstraintState {
                        segment: *next,
                        at: At::Literal(depth),
                    };
                    return self.step(in_next_key, byte);
                }
                match in_key(key, depth, byte)? {
                    Some(depth) => At::ThroughKey { of, nth, depth },
                    None => At::Through {
                        of,
                        nth,
                        at: self.places(state.segment, of, nth).all(),
                    },
                }
            }
            (SegmentKind::Through { .. }, At::Through { of, nth, at }) => {
                let list = self.places(state.segment, of, nth);
                match list.step(at, byte)? {
                    Narrowed::To(at) => At::Through { of, nth, at },
                    Narrowed::Chosen(i) => return Some(self.enter(list.item(i).next)),
                }
            }

            (SegmentKind::Text { controls, next }, At::Text(at)) => {
                match free_text::step(at, byte, *controls)? {
                    TextStep::To(at) => At::Text(at),
                    TextStep::Close => return Some(self.enter(*next)),
                }
            }
            (
                SegmentKind::Fenced {
                    controls,
                    fence_length,
                },
                At::Fenced { text, n_marks },
            ) => {
                // Models write the last backticks and newlines after them in one token.
                if n_marks == Some(*fence_length) {
                    return (byte == b'\n').then_some(state);
                }
                At::Fenced {
                    text: free_text::plain_step(text, byte, *controls)?,
                    n_marks: match byte {
                        b'\n' => Some(0),
                        b'`' => n_marks.map(|n| n + 1),
                        _ => None,
                    },
                }
            }
            (SegmentKind::NewPath { existing, next }, At::NewPath(at)) => {
                match existing.step(at, byte)? {
                    PathStep::To(at) => At::NewPath(at),
                    PathStep::Close => return Some(self.enter(*next)),
                }
            }
            _ => return None,
        };
        Some(ConstraintState {
            segment: state.segment,
            at,
        })
    }

    /// The segment after an excerpt that ends here; `None` if it may not end here.
    fn after_excerpt(&self, kind: &SegmentKind, at: Cursor) -> Option<u32> {
        let SegmentKind::Excerpt {
            index,
            once,
            several,
        } = kind
        else {
            return None;
        };
        match index.occurs(at) {
            Occurs::Never => None,
            Occurs::Once => Some(*once),
            Occurs::Several => Some(*several),
        }
    }

    /// The next byte, if only one is possible. Always `None` within free text and new paths: there
    /// at most one byte of an escape is forced.
    pub fn only_byte(&self, state: ConstraintState) -> Option<u8> {
        match (&self.segments.get(state.segment as usize)?.kind, state.at) {
            (SegmentKind::Literal { bytes, .. }, At::Literal(i)) => Some(bytes[i as usize]),
            (SegmentKind::Choice(list), At::Choice(at)) => list.only_byte(at),
            (SegmentKind::Excerpt { index, .. }, At::Excerpt(at)) => index.only_byte(at),
            (SegmentKind::Place { key, .. }, At::PlaceKey { depth, .. }) => {
                Some(key[depth as usize])
            }
            (SegmentKind::Place { .. }, At::Place { of, at }) => {
                self.places(state.segment, of, 0).only_byte(at)
            }
            (SegmentKind::Through { key, n_common, .. }, At::ThroughKey { depth, .. }) => {
                (depth != *n_common).then(|| key[depth as usize])
            }
            (SegmentKind::Through { .. }, At::Through { of, nth, at }) => {
                self.places(state.segment, of, nth).only_byte(at)
            }
            _ => None,
        }
    }

    /// Whether a state is between two characters of free text. What may follow there does not
    /// depend on what was written.
    pub(super) fn is_free(&self, state: ConstraintState) -> bool {
        state.at == At::Text(TextState::Start)
    }

    /// Whether what may follow a state depends on the state alone, and the state recurs often.
    pub(super) fn recurs(&self, state: ConstraintState) -> bool {
        self.is_free(state) || matches!(state.at, At::Fenced { .. })
    }

    /// Whether these bytes are a complete answer.
    pub fn accepts(&self, answer: &[u8]) -> bool {
        let mut bytes = answer.iter();
        let end = bytes.try_fold(self.start(), |state, &byte| self.step(state, byte));
        end.is_some_and(|state| self.is_complete(state))
    }

    fn enter(&self, segment: u32) -> ConstraintState {
        self.enter_from(segment, Cursor::default(), 0)
    }

    /// Enters a segment. Places and block ends depend on `from`, the excerpt or line before the
    /// segment. `nth` is the index of the occurrence chosen.
    fn enter_from(&self, segment: u32, from: Cursor, nth: u32) -> ConstraintState {
        let at = match self.segments.get(segment as usize).map(|s| &s.kind) {
            None => At::Done,
            Some(SegmentKind::Literal { .. }) => At::Literal(0),
            Some(SegmentKind::Choice(list)) => At::Choice(list.all()),
            Some(SegmentKind::Excerpt { index, .. }) => At::Excerpt(index.all()),
            Some(SegmentKind::Place { .. }) => At::PlaceKey { of: from, depth: 0 },
            Some(&SegmentKind::Through { excerpt, next, .. }) => {
                let index = self.excerpt_index(excerpt);
                let may_begin_block = match index.occurs(from) {
                    Occurs::Once => index.may_begin_block(from),
                    _ => !self.places(segment, from, nth).is_empty(),
                };
                if !may_begin_block {
                    return self.enter(next);
                }
                At::ThroughKey {
                    of: from,
                    nth,
                    depth: 0,
                }
            }
            Some(SegmentKind::Text { .. }) => At::Text(TextState::Start),
            Some(SegmentKind::Fenced { .. }) => At::Fenced {
                text: TextState::Start,
                n_marks: Some(0),
            },
            Some(SegmentKind::NewPath { existing, .. }) => At::NewPath(existing.start()),
        };

        ConstraintState { segment, at }
    }

    /// The choices of a place or a block end.
    fn places(&self, segment: u32, of: Cursor, nth: u32) -> Rc<ChoiceList> {
        let mut places = self.places.borrow_mut();
        let list = places.entry((segment, of, nth)).or_insert_with(|| {
            let items = match &self.segments[segment as usize].kind {
                SegmentKind::Place {
                    among, next, none, ..
                } => self.place_items(among, of, *next, none),
                SegmentKind::Through {
                    excerpt,
                    shown,
                    next,
                    ..
                } => {
                    let old = self.written(*excerpt, of);
                    let at = shown.occurrences(&old)[nth as usize];
                    let ends = shown.block_ends(at, &old).into_iter();
                    ends.map(|(line, _)| item(line, *next)).collect()
                }
                _ => unreachable!("only places and block ends depend on an excerpt"),
            };
            Rc::new(ChoiceList::new(items))
        });
        Rc::clone(list)
    }

    /// The places of an excerpt or a line by name, and the word for none of them.
    fn place_items(&self, among: &PlaceNames, of: Cursor, next: u32, none: &[u8]) -> Vec<Item> {
        let labels = match among {
            PlaceNames::Lines(labels) => labels[of.lo as usize].clone(),
            PlaceNames::Excerpt { segment, shown } => {
                place_labels(shown, &shown.occurrences(&self.written(*segment, of)))
            }
        };
        let mut items = Vec::with_capacity(labels.len() + 1);
        for (label, nth) in labels.iter().zip(0..) {
            items.push(Item {
                nth,
                ..item(label, next)
            });
        }
        // If no place is chosen, the rest of the answer is fixed.
        items.push(Item {
            bytes: [NO_PLACE.as_bytes(), b"\"", none].concat(),
            next: DONE,
            nth: 0,
        });
        items
    }

    fn excerpt_index(&self, segment: u32) -> &ExcerptIndex {
        let SegmentKind::Excerpt { index, .. } = &self.segments[segment as usize].kind else {
            unreachable!("an excerpt was written")
        };
        index
    }

    /// The excerpt of a segment, unescaped.
    fn written(&self, segment: u32, of: Cursor) -> String {
        let quoted = [b"\"", self.excerpt_index(segment).written(of), b"\""].concat();
        serde_json::from_slice(&quoted).expect("an excerpt is a JSON string")
    }
}

/// The number of bytes of a key after one more; `None` within if the key is then complete. `None` if
/// that byte may not come next.
fn in_key(key: &[u8], depth: u32, byte: u8) -> Option<Option<u32>> {
    let is_next = key[depth as usize] == byte;
    let is_complete = depth as usize + 1 == key.len();
    is_next.then_some((!is_complete).then_some(depth + 1))
}
