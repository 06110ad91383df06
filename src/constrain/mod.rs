//! The heart: an automaton over the bytes of an answer, made from the slots of one request and the
//! facts they must fit (the paths that exist, the text that was shown).
//!
//! It is deterministic and has no grammar engine under it: an answer is a chain of segments, every
//! slot ends at an unescaped quote, and each kind of slot knows by itself which bytes may come
//! next.
//!
//! | segment | lets through | how |
//! |---|---|---|
//! | literal | its bytes | a position in them |
//! | choice | one of a list: paths, operations, reasons | an interval of the sorted list |
//! | line | a shown line | a choice that knows where each line stands |
//! | excerpt | any stretch of the shown text between boundaries | an interval of a suffix array |
//! | place | the name of one of several places, or `none` | a choice made when it is entered |
//! | through | nothing, or the last line of the block that an excerpt begins | likewise |
//! | text | any text | a few states for UTF-8 and escapes |
//! | new path | a safe path that does not exist | an interval of those that do |
//!
//! ```
//! use slotwright::constrain::{Constraint, SlotSpec};
//! use slotwright::text::Shown;
//!
//! let constraint = Constraint::new(&SlotSpec::Replace { shown: Shown::whole("a = 1\nb = 1\n"), blocks: true });
//! assert!(constraint.accepts(br#"{"old":"a = 1","new":"a = 2"}"#));
//! assert!(constraint.accepts(br#"{"old":"1","place":"line 2","new":"2"}"#));
//! assert!(constraint.accepts(br#"{"old":"a = 1","through":"b = 1","new":""}"#));
//! assert!(!constraint.accepts(br#"{"old":"1","new":"2"}"#));
//! assert!(!constraint.accepts(br#"{"old":"c = 1","new":"c = 2"}"#));
//! ```
//!
//! **Invariants.** Every state that can be reached can be completed (so a mask is never empty for
//! lack of a way on; the one exception is a new path at its length limit). Whatever is accepted
//! parses as the slots it was made for, and names places that exist. [`mask`] turns the automaton
//! into token masks.
//!
//! What has no slots, a [`Spec::Schema`], is another matter, and llguidance's: [`schema`]. To
//! compare with there is [`Spec::Free`], no constraint at all.

mod choice;
mod escape;
mod excerpt;
pub mod free;
mod free_text;
pub mod mask;
mod new_path;
pub mod schema;

use crate::slots::{NO_PLACE, Operation, Reason, Slot};
use crate::text::{Occurrence, Shown, place_labels};
use choice::{ChoiceList, Interval, Item, Narrowed};
use escape::escaped;
use excerpt::{Cursor, ExcerptIndex, Stands};
use free_text::{Controls, TextState, TextStep};
use new_path::{ExistingPaths, PathState, PathStep};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// What an answer must fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spec {
    /// The slots of a question, which fit the files: a [`Constraint`].
    Slots(SlotSpec),
    /// Any JSON that is valid for a JSON Schema, which knows no file: see [`schema`].
    Schema(serde_json::Value),
    /// Any text, until the model ends it: see [`free`].
    Free,
}

/// The slots of one question, and the facts that they must fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlotSpec {
    /// Stage 1.
    Pick {
        /// The files to choose from.
        files: Vec<PickFile>,
        /// Whether a new file is offered as well.
        may_create: bool,
    },
    /// Stage 2 of [`Operation::Replace`].
    Replace {
        /// What of the file the model sees; must have something that is not whitespace.
        shown: Shown,
        /// Whether a block may be named by its beginning and its last line.
        #[serde(default)]
        blocks: bool,
    },
    /// Stage 2 of [`Operation::ReplaceAll`].
    ReplaceAll {
        /// As in `Replace`.
        shown: Shown,
    },
    /// Stage 2 of [`Operation::Insert`].
    Insert {
        /// What of the file the model sees.
        shown: Shown,
    },
    /// Stage 2 of [`Operation::Create`].
    Create {
        /// The paths that exist.
        existing: Vec<String>,
    },
}

impl SlotSpec {
    /// The operation of stage 2; none for stage 1.
    pub fn operation(&self) -> Option<Operation> {
        match self {
            SlotSpec::Pick { .. } => None,
            SlotSpec::Replace { .. } => Some(Operation::Replace),
            SlotSpec::ReplaceAll { .. } => Some(Operation::ReplaceAll),
            SlotSpec::Insert { .. } => Some(Operation::Insert),
            SlotSpec::Create { .. } => Some(Operation::Create),
        }
    }

    /// What of the file the model sees, where there is a file.
    pub fn shown(&self) -> Option<&Shown> {
        match self {
            SlotSpec::Replace { shown, .. }
            | SlotSpec::ReplaceAll { shown }
            | SlotSpec::Insert { shown } => Some(shown),
            SlotSpec::Pick { .. } | SlotSpec::Create { .. } => None,
        }
    }
}

/// A file of stage 1 and what may be done to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PickFile {
    /// Relative to the root, with `/`.
    pub path: String,
    /// Not empty.
    pub operations: Vec<Operation>,
}

/// A compiled [`SlotSpec`].
#[derive(Debug)]
pub struct Constraint {
    segments: Vec<Segment>,
    start: u32,
    /// By segment, excerpt and occurrence: made when a place or the end of a block is entered,
    /// since what it chooses among depends on what was written before it.
    places: RefCell<HashMap<(u32, Cursor, u32), Rc<ChoiceList>>>,
}

/// Where in an answer a constraint is. Small and copied freely: the walk over the vocabulary keeps
/// a stack of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    segment: u32,
    at: At,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum At {
    Literal(u32),
    Choice(Interval),
    Excerpt(Cursor),
    /// In the key before a place, `of` the excerpt or line before it.
    PlaceKey {
        of: Cursor,
        depth: u32,
    },
    Place {
        of: Cursor,
        at: Interval,
    },
    /// In the key before the end of a block, or still in what it has in common with the next one;
    /// the block begins with the `nth` occurrence of the excerpt `of`.
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
    NewPath(PathState),
    Done,
}

#[derive(Debug)]
struct Segment {
    slot: Option<Slot>,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Literal { bytes: Vec<u8>, next: u32 },
    Choice(ChoiceList),
    Excerpt { index: ExcerptIndex, once: u32, several: u32 },
    Place { among: Places, next: u32, none: Vec<u8> },
    Through { excerpt: u32, shown: Rc<Shown>, next: u32 },
    Text { controls: Controls, next: u32 },
    NewPath { existing: ExistingPaths, next: u32 },
}

/// What a place chooses among.
#[derive(Debug)]
enum Places {
    /// The occurrences of the excerpt that this segment let through.
    Excerpt { segment: u32, shown: Rc<Shown> },
    /// The names of the occurrences of each line, by its index in the list of lines.
    Lines(Vec<Vec<String>>),
}

const DONE: u32 = u32::MAX;
const PLACE_KEY: &[u8] = br#","place":""#;
/// Between an excerpt and the last line of its block.
pub(crate) const THROUGH_KEY: &[u8] = br#","through":""#;
/// Between what is replaced and what stands there instead.
pub(crate) const NEW_KEY: &[u8] = br#","new":""#;

/// So much do the keys have in common behind an excerpt that may begin a block.
const N_COMMON: u32 = {
    let mut n = 0;
    while THROUGH_KEY[n] == NEW_KEY[n] {
        n += 1;
    }
    n as u32
};

impl Constraint {
    /// Compiles a spec. Linear in what is shown: some 50 ms and 4 MB for 1 MB of text.
    pub fn new(spec: &SlotSpec) -> Constraint {
        let mut c = Constraint { segments: Vec::new(), start: 0, places: RefCell::default() };
        c.start = match spec {
            SlotSpec::Pick { files, may_create } => c.pick(files, *may_create),
            SlotSpec::Replace { shown, blocks } => {
                let new = c.new_text(shown);
                let next = c.literal(NEW_KEY, new);
                let excerpt = c.excerpt(shown, next, next);
                let shown = Rc::new(shown.clone());
                let end = blocks.then(|| {
                    c.push(
                        Some(Slot::Through),
                        Kind::Through { excerpt, shown: Rc::clone(&shown), next },
                    )
                });
                let next = end.unwrap_or(next);
                let among = Places::Excerpt { segment: excerpt, shown };
                let place = c.push(
                    Some(Slot::Place),
                    Kind::Place { among, next, none: br#","new":""}"#.to_vec() },
                );
                if let Kind::Excerpt { once, several, .. } = &mut c.segments[excerpt as usize].kind
                {
                    (*once, *several) = (next, place);
                }
                c.literal(br#"{"old":""#, excerpt)
            }
            SlotSpec::ReplaceAll { shown } => {
                let new = c.new_text(shown);
                let next = c.literal(NEW_KEY, new);
                let excerpt = c.excerpt(shown, next, next);
                c.literal(br#"{"old":""#, excerpt)
            }
            SlotSpec::Insert { shown } => {
                let end = c.literal(b"}", DONE);
                let text = c
                    .push(Some(Slot::Text), Kind::Text { controls: controls_of(shown), next: end });
                let text_key = c.literal(br#","text":""#, text);
                let position = c.choice(
                    Slot::Position,
                    ["before", "after"].map(|word| (word.to_owned(), text_key)),
                );
                let next = c.literal(br#","position":""#, position);
                let anchor = c.anchor(shown, next);
                c.literal(br#"{"anchor":""#, anchor)
            }
            SlotSpec::Create { existing } => {
                let end = c.literal(b"}", DONE);
                let text =
                    c.push(Some(Slot::Text), Kind::Text { controls: Controls::of([]), next: end });
                let next = c.literal(br#","text":""#, text);
                let path = c.push(
                    Some(Slot::Path),
                    Kind::NewPath { existing: ExistingPaths::new(existing), next },
                );
                c.literal(br#"{"path":""#, path)
            }
        };
        c
    }

    /// The state before the first byte.
    pub fn start(&self) -> State {
        self.enter(self.start)
    }

    /// Whether the answer is complete. Nothing may follow.
    pub fn is_complete(&self, state: State) -> bool {
        state.at == At::Done
    }

    /// The slot that a state is in, for a place or the end of a block from the key before it on;
    /// none in the other keys and brackets.
    pub fn slot(&self, state: State) -> Option<Slot> {
        self.segments.get(state.segment as usize)?.slot
    }

    /// The state after one byte more, or none if it may not stand here.
    pub fn step(&self, state: State, byte: u8) -> Option<State> {
        let to = |at| Some(State { segment: state.segment, at });
        match (&self.segments.get(state.segment as usize)?.kind, state.at) {
            (Kind::Literal { bytes, next }, At::Literal(i)) => {
                if bytes[i as usize] != byte {
                    return None;
                }
                if i as usize + 1 == bytes.len() {
                    Some(self.enter(*next))
                } else {
                    to(At::Literal(i + 1))
                }
            }
            (Kind::Choice(list), At::Choice(at)) => match list.step(at, byte)? {
                Narrowed::To(at) => to(At::Choice(at)),
                Narrowed::Chosen(i) => Some(self.enter_from(
                    list.item(i).next,
                    Cursor { lo: i, hi: i + 1, depth: 0 },
                    0,
                )),
            },
            (Kind::Excerpt { index, once, several }, At::Excerpt(at)) => {
                if byte == b'"' {
                    match index.stands(at) {
                        Stands::Never => {} // perhaps a quote of the text, behind its backslash
                        Stands::Once => return Some(self.enter_from(*once, at, 0)),
                        Stands::Several => return Some(self.enter_from(*several, at, 0)),
                    }
                }
                to(At::Excerpt(index.step(at, byte)?))
            }
            (Kind::Place { .. }, At::PlaceKey { of, depth }) => {
                if PLACE_KEY[depth as usize] != byte {
                    return None;
                }
                if depth as usize + 1 < PLACE_KEY.len() {
                    return to(At::PlaceKey { of, depth: depth + 1 });
                }
                to(At::Place { of, at: self.places(state.segment, of, 0).all() })
            }
            (Kind::Place { .. }, At::Place { of, at }) => {
                let list = self.places(state.segment, of, 0);
                match list.step(at, byte)? {
                    Narrowed::To(at) => to(At::Place { of, at }),
                    Narrowed::Chosen(i) => {
                        Some(self.enter_from(list.item(i).next, of, list.item(i).nth))
                    }
                }
            }
            (&Kind::Through { next, .. }, At::ThroughKey { of, nth, depth }) => {
                if THROUGH_KEY[depth as usize] != byte {
                    let is_new = depth == N_COMMON && NEW_KEY[depth as usize] == byte;
                    return is_new.then_some(State { segment: next, at: At::Literal(depth + 1) });
                }
                if depth as usize + 1 < THROUGH_KEY.len() {
                    return to(At::ThroughKey { of, nth, depth: depth + 1 });
                }
                to(At::Through { of, nth, at: self.places(state.segment, of, nth).all() })
            }
            (Kind::Through { .. }, At::Through { of, nth, at }) => {
                let list = self.places(state.segment, of, nth);
                match list.step(at, byte)? {
                    Narrowed::To(at) => to(At::Through { of, nth, at }),
                    Narrowed::Chosen(i) => Some(self.enter(list.item(i).next)),
                }
            }
            (Kind::Text { controls, next }, At::Text(at)) => {
                match free_text::step(at, byte, *controls)? {
                    TextStep::To(at) => to(At::Text(at)),
                    TextStep::Close => Some(self.enter(*next)),
                }
            }
            (Kind::NewPath { existing, next }, At::NewPath(at)) => match existing.step(at, byte)? {
                PathStep::To(at) => to(At::NewPath(at)),
                PathStep::Close => Some(self.enter(*next)),
            },
            _ => None,
        }
    }

    /// The next byte, if there is only one. Within free text and new paths none is reported, forced
    /// or not: what is forced there is a byte of an escape at most.
    pub fn only_byte(&self, state: State) -> Option<u8> {
        match (&self.segments.get(state.segment as usize)?.kind, state.at) {
            (Kind::Literal { bytes, .. }, At::Literal(i)) => Some(bytes[i as usize]),
            (Kind::Choice(list), At::Choice(at)) => list.only_byte(at),
            (Kind::Excerpt { index, .. }, At::Excerpt(at)) => index.only_byte(at),
            (Kind::Place { .. }, At::PlaceKey { depth, .. }) => Some(PLACE_KEY[depth as usize]),
            (Kind::Place { .. }, At::Place { of, at }) => {
                self.places(state.segment, of, 0).only_byte(at)
            }
            (Kind::Through { .. }, At::ThroughKey { depth: N_COMMON, .. }) => None,
            (Kind::Through { .. }, At::ThroughKey { depth, .. }) => {
                Some(THROUGH_KEY[depth as usize])
            }
            (Kind::Through { .. }, At::Through { of, nth, at }) => {
                self.places(state.segment, of, nth).only_byte(at)
            }
            _ => None,
        }
    }

    /// Whether a state is between two characters of free text, where what may follow depends on
    /// nothing that was written.
    fn is_free(&self, state: State) -> bool {
        state.at == At::Text(TextState::Start)
    }

    /// Whether these bytes are a complete answer.
    pub fn accepts(&self, answer: &[u8]) -> bool {
        let end = answer.iter().try_fold(self.start(), |state, &byte| self.step(state, byte));
        end.is_some_and(|state| self.is_complete(state))
    }

    fn enter(&self, segment: u32) -> State {
        self.enter_from(segment, Cursor { lo: 0, hi: 0, depth: 0 }, 0)
    }

    /// Enters a segment, `from` being the excerpt or line before it and `nth` which of its
    /// occurrences is meant: on that places and ends of blocks depend.
    fn enter_from(&self, segment: u32, from: Cursor, nth: u32) -> State {
        let at = match self.segments.get(segment as usize).map(|s| &s.kind) {
            None => At::Done,
            Some(Kind::Literal { .. }) => At::Literal(0),
            Some(Kind::Choice(list)) => At::Choice(list.all()),
            Some(Kind::Excerpt { index, .. }) => At::Excerpt(index.all()),
            Some(Kind::Place { .. }) => At::PlaceKey { of: from, depth: 0 },
            Some(&Kind::Through { excerpt, next, .. }) => {
                let index = self.excerpt_index(excerpt);
                let may_begin_block = match index.stands(from) {
                    Stands::Once => index.has_line_behind(from),
                    _ => !self.places(segment, from, nth).is_empty(),
                };
                if !may_begin_block {
                    return self.enter(next);
                }
                At::ThroughKey { of: from, nth, depth: 0 }
            }
            Some(Kind::Text { .. }) => At::Text(TextState::Start),
            Some(Kind::NewPath { existing, .. }) => At::NewPath(existing.start()),
        };
        State { segment, at }
    }

    /// What a place or the end of a block chooses among.
    fn places(&self, segment: u32, of: Cursor, nth: u32) -> Rc<ChoiceList> {
        let mut places = self.places.borrow_mut();
        let list = places.entry((segment, of, nth)).or_insert_with(|| {
            Rc::new(ChoiceList::new(match &self.segments[segment as usize].kind {
                Kind::Place { among, next, none } => {
                    let labels = match among {
                        Places::Lines(labels) => labels[of.lo as usize].clone(),
                        Places::Excerpt { segment, shown } => {
                            place_labels(shown, &shown.occurrences(&self.written(*segment, of)))
                        }
                    };
                    let named = labels
                        .iter()
                        .zip(0..)
                        .map(|(label, nth)| Item { nth, ..item(label, *next) });
                    // Nothing is left to ask once no place was meant: the rest of the answer goes
                    // with it.
                    let none = Item {
                        bytes: [NO_PLACE.as_bytes(), b"\"", none].concat(),
                        next: DONE,
                        nth: 0,
                    };
                    named.chain([none]).collect()
                }
                Kind::Through { excerpt, shown, next } => {
                    let old = self.written(*excerpt, of);
                    let at = shown.occurrences(&old)[nth as usize];
                    shown
                        .lines_behind(at, &old)
                        .into_iter()
                        .map(|(line, _)| item(line, *next))
                        .collect()
                }
                _ => unreachable!(
                    "only places and ends of blocks choose among what depends on an excerpt"
                ),
            }))
        });
        Rc::clone(list)
    }

    fn excerpt_index(&self, segment: u32) -> &ExcerptIndex {
        let Kind::Excerpt { index, .. } = &self.segments[segment as usize].kind else {
            unreachable!("an excerpt was written")
        };
        index
    }

    /// The excerpt that was written.
    fn written(&self, segment: u32, of: Cursor) -> String {
        let quoted = [b"\"", self.excerpt_index(segment).written(of), b"\""].concat();
        serde_json::from_slice(&quoted).expect("an excerpt is a JSON string")
    }

    fn push(&mut self, slot: Option<Slot>, kind: Kind) -> u32 {
        self.segments.push(Segment { slot, kind });
        self.segments.len() as u32 - 1
    }

    fn literal(&mut self, bytes: &[u8], next: u32) -> u32 {
        self.push(None, Kind::Literal { bytes: bytes.to_vec(), next })
    }

    fn choice(&mut self, slot: Slot, words: impl IntoIterator<Item = (String, u32)>) -> u32 {
        let items = words.into_iter().map(|(word, next)| item(&word, next)).collect();
        self.push(Some(slot), Kind::Choice(ChoiceList::new(items)))
    }

    fn excerpt(&mut self, shown: &Shown, once: u32, several: u32) -> u32 {
        let index = ExcerptIndex::new(shown);
        assert!(
            !index.is_empty(),
            "a blank text has no excerpt: flow offers no replacement for it"
        );
        self.push(Some(Slot::Old), Kind::Excerpt { index, once, several })
    }

    fn new_text(&mut self, shown: &Shown) -> u32 {
        let end = self.literal(b"}", DONE);
        self.push(Some(Slot::New), Kind::Text { controls: controls_of(shown), next: end })
    }

    fn anchor(&mut self, shown: &Shown, next: u32) -> u32 {
        let lines = shown.anchor_lines();
        let place = self.segments.len() as u32; // pushed below
        let items: Vec<Item> = lines
            .iter()
            .map(|(line, at)| item(line, if at.len() > 1 { place } else { next }))
            .collect();
        let list = ChoiceList::new(items);
        // A place is known by the index of its line in the sorted list.
        let by_line: HashMap<Vec<u8>, &Vec<Occurrence>> =
            lines.iter().map(|(line, at)| (item(line, 0).bytes, at)).collect();
        let labels = (0..lines.len() as u32).map(|i| match by_line[&list.item(i).bytes] {
            at if at.len() > 1 => place_labels(shown, at),
            _ => Vec::new(),
        });
        let among = Places::Lines(labels.collect());
        let none = br#","position":"after","text":""}"#.to_vec();
        self.push(Some(Slot::Place), Kind::Place { among, next, none });
        self.push(Some(Slot::Anchor), Kind::Choice(list))
    }

    fn pick(&mut self, files: &[PickFile], may_create: bool) -> u32 {
        let end = self.literal(b"}", DONE);
        let reason =
            self.choice(Slot::Reason, Reason::ALL.map(|reason| (reason.word().to_owned(), end)));
        let mut heads =
            vec![Item { bytes: br#"operation":"none","reason":""#.to_vec(), next: reason, nth: 0 }];
        if may_create {
            heads.push(Item { bytes: br#"operation":"create""#.to_vec(), next: end, nth: 0 });
        }
        if !files.is_empty() {
            // Files that allow the same operations share the segment that chooses among them.
            let mut by_operations: HashMap<&[Operation], u32> = HashMap::new();
            let mut paths = Vec::new();
            for file in files {
                let next = *by_operations.entry(&file.operations).or_insert_with(|| {
                    let operation = self.choice(
                        Slot::Operation,
                        file.operations.iter().map(|o| (o.word().to_owned(), end)),
                    );
                    self.literal(br#","operation":""#, operation)
                });
                paths.push((file.path.clone(), next));
            }
            let path = self.choice(Slot::Path, paths);
            heads.push(Item { bytes: br#"path":""#.to_vec(), next: path, nth: 0 });
        }
        let head = self.push(Some(Slot::Operation), Kind::Choice(ChoiceList::new(heads)));
        self.literal(br#"{""#, head)
    }
}

/// A word of a choice, up to and with its closing quote.
fn item(word: &str, next: u32) -> Item {
    let mut bytes = escaped(word);
    bytes.push(b'"');
    Item { bytes, next, nth: 0 }
}

fn controls_of(shown: &Shown) -> Controls {
    Controls::of(shown.windows.iter().map(|w| w.text.as_str()))
}

#[cfg(test)]
mod oracle;
