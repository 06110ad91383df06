//! The automaton: which byte may follow which.

use super::choice::{ChoiceList, Interval, Item, Narrowed};
use super::compile::{Compiled, compile};
use super::excerpt::{Cursor, ExcerptIndex, Occurs};
use super::free_text::{self, TextState, TextStep};
use super::new_path::{PathState, PathStep};
use super::segment::{DONE, Places, Segment, SegmentKind, item};
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
        match (
            self.segments.get(state.segment as usize).map(|it| &it.kind),
            state.at,
        ) {
            (_, At::Done) => true,
            (Some(SegmentKind::Fenced { fence_length, .. }), At::Fenced { n_marks, .. }) => {
                n_marks == Some(*fence_length)
            }
            _ => false,
        }
    }

    /// The slot of a state; none in brackets and keys. The key before a place or a block end
    /// already counts as part of its slot.
    pub fn slot(&self, state: ConstraintState) -> Option<Slot> {
        self.segments.get(state.segment as usize)?.slot
    }

    /// The state after one more byte, or `None` if that byte may not come next.
    pub fn step(&self, state: ConstraintState, byte: u8) -> Option<ConstraintState> {
        let to = |at| {
            Some(ConstraintState {
                segment: state.segment,
                at,
            })
        };
        match (&self.segments.get(state.segment as usize)?.kind, state.at) {
            (SegmentKind::Literal { bytes, next }, At::Literal(i)) => {
                if bytes[i as usize] != byte {
                    return None;
                }
                if i as usize + 1 == bytes.len() {
                    Some(self.enter(*next))
                } else {
                    to(At::Literal(i + 1))
                }
            }
            (SegmentKind::Choice(list), At::Choice(at)) => match list.step(at, byte)? {
                Narrowed::To(at) => to(At::Choice(at)),
                Narrowed::Chosen(i) => Some(self.enter_from(
                    list.item(i).next,
                    Cursor {
                        lo: i,
                        hi: i + 1,
                        depth: 0,
                    },
                    0,
                )),
            },
            (
                SegmentKind::Excerpt {
                    index,
                    once,
                    several,
                },
                At::Excerpt(at),
            ) => {
                if byte == b'"' {
                    match index.occurs(at) {
                        Occurs::Never => {} // the byte may still be an escaped quote of the text
                        Occurs::Once => return Some(self.enter_from(*once, at, 0)),
                        Occurs::Several => return Some(self.enter_from(*several, at, 0)),
                    }
                }
                to(At::Excerpt(index.step(at, byte)?))
            }
            (SegmentKind::Place { key, .. }, At::PlaceKey { of, depth }) => {
                if key[depth as usize] != byte {
                    return None;
                }
                if depth as usize + 1 < key.len() {
                    return to(At::PlaceKey {
                        of,
                        depth: depth + 1,
                    });
                }
                to(At::Place {
                    of,
                    at: self.places(state.segment, of, 0).all(),
                })
            }
            (SegmentKind::Place { .. }, At::Place { of, at }) => {
                let list = self.places(state.segment, of, 0);
                match list.step(at, byte)? {
                    Narrowed::To(at) => to(At::Place { of, at }),
                    Narrowed::Chosen(i) => {
                        Some(self.enter_from(list.item(i).next, of, list.item(i).nth))
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
                if depth == *n_common && key[depth as usize] != byte {
                    // The next key begins with the same bytes, so its segment continues from here.
                    return self.step(
                        ConstraintState {
                            segment: *next,
                            at: At::Literal(depth),
                        },
                        byte,
                    );
                }
                if key[depth as usize] != byte {
                    return None;
                }
                if depth as usize + 1 < key.len() {
                    return to(At::ThroughKey {
                        of,
                        nth,
                        depth: depth + 1,
                    });
                }
                to(At::Through {
                    of,
                    nth,
                    at: self.places(state.segment, of, nth).all(),
                })
            }
            (SegmentKind::Through { .. }, At::Through { of, nth, at }) => {
                let list = self.places(state.segment, of, nth);
                match list.step(at, byte)? {
                    Narrowed::To(at) => to(At::Through { of, nth, at }),
                    Narrowed::Chosen(i) => Some(self.enter(list.item(i).next)),
                }
            }
            (SegmentKind::Text { controls, next }, At::Text(at)) => {
                match free_text::step(at, byte, *controls)? {
                    TextStep::To(at) => to(At::Text(at)),
                    TextStep::Close => Some(self.enter(*next)),
                }
            }
            (
                SegmentKind::Fenced {
                    controls,
                    fence_length,
                },
                At::Fenced { text: at, n_marks },
            ) => {
                // Models write the last backticks and newlines after them in one token.
                if n_marks == Some(*fence_length) {
                    return (byte == b'\n').then_some(state);
                }
                let text = free_text::plain_step(at, byte, *controls)?;
                let n_marks = match byte {
                    b'\n' => Some(0),
                    b'`' => n_marks.map(|n| n + 1),
                    _ => None,
                };
                to(At::Fenced { text, n_marks })
            }
            (SegmentKind::NewPath { existing, next }, At::NewPath(at)) => {
                match existing.step(at, byte)? {
                    PathStep::To(at) => to(At::NewPath(at)),
                    PathStep::Close => Some(self.enter(*next)),
                }
            }
            _ => None,
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
        let end = answer
            .iter()
            .try_fold(self.start(), |state, &byte| self.step(state, byte));
        end.is_some_and(|state| self.is_complete(state))
    }

    fn enter(&self, segment: u32) -> ConstraintState {
        self.enter_from(
            segment,
            Cursor {
                lo: 0,
                hi: 0,
                depth: 0,
            },
            0,
        )
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
            Rc::new(ChoiceList::new(
                match &self.segments[segment as usize].kind {
                    SegmentKind::Place {
                        among, next, none, ..
                    } => {
                        let labels = match among {
                            Places::Lines(labels) => labels[of.lo as usize].clone(),
                            Places::Excerpt { segment, shown } => {
                                place_labels(shown, &shown.occurrences(&self.written(*segment, of)))
                            }
                        };
                        let named = labels.iter().zip(0..).map(|(label, nth)| Item {
                            nth,
                            ..item(label, *next)
                        });
                        // If no place is chosen, the rest of the answer is fixed.
                        let none = Item {
                            bytes: [NO_PLACE.as_bytes(), b"\"", none].concat(),
                            next: DONE,
                            nth: 0,
                        };
                        named.chain([none]).collect()
                    }
                    SegmentKind::Through {
                        excerpt,
                        shown,
                        next,
                        ..
                    } => {
                        let old = self.written(*excerpt, of);
                        let at = shown.occurrences(&old)[nth as usize];
                        shown
                            .block_ends(at, &old)
                            .into_iter()
                            .map(|(line, _)| item(line, *next))
                            .collect()
                    }
                    _ => unreachable!(
                        "only places and ends of blocks choose among what depends on an excerpt"
                    ),
                },
            ))
        });
        Rc::clone(list)
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
