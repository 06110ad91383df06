//! Makes the segments of an answer from the slots of its question.

use super::choice::{ChoiceList, Item};
use super::excerpt::ExcerptIndex;
use super::free_text::Controls;
use super::new_path::ExistingPaths;
use super::segment::{DONE, Places, Segment, SegmentKind, item};
use super::spec::{NoEdit, PickFile, SlotSpec};
use crate::edit::NamedBlock;
use crate::slots::fenced::Fence;
use crate::slots::shape::{self, Field, Presence, ValueKind};
use crate::slots::{NO_OPERATION, Operation, Reason, Slot};
use crate::text::{Occurrence, Shown, place_labels};
use std::collections::HashMap;
use std::rc::Rc;

/// The segments of an answer, and the index of the first one.
pub(super) struct Compiled {
    pub segments: Vec<Segment>,
    pub start: u32,
}

/// Makes the segments for a spec.
pub(super) fn compile(spec: &SlotSpec) -> Compiled {
    let mut compiler = Compiler::default();
    let start = match spec {
        SlotSpec::Pick {
            files,
            may_create,
            goes_on,
            no_edit,
        } => {
            let style = if *goes_on {
                PickStyle::Conversation
            } else {
                PickStyle::Alone
            };
            let reasons = match no_edit {
                NoEdit::ForAnyReason => &Reason::WORDS[..],
                NoEdit::AsTheEnd => &[Reason::AlreadyDone.word()],
                NoEdit::Never => &[],
            };
            compiler.pick(files, *may_create, style, reasons)
        }
        SlotSpec::GoesOn(spec) => {
            compiler.slots(spec.fields(), &Facts::of(spec), shape::CLOSE_AND_GO_ON)
        }
        SlotSpec::Rewrite { blocks, fence } => compiler.rewrite(blocks, fence),
        _ => compiler.slots(spec.fields(), &Facts::of(spec), shape::CLOSE),
    };
    Compiled {
        segments: compiler.segments,
        start,
    }
}

/// The facts that the slots of stage 2 must fit.
struct Facts<'a> {
    /// Empty if there is no file.
    shown: Rc<Shown>,
    existing: &'a [String],
    spelled: &'a [String],
    has_blocks: bool,
}

impl Facts<'_> {
    fn of(spec: &SlotSpec) -> Facts<'_> {
        let shown = spec.shown().cloned().unwrap_or_else(|| Shown {
            windows: Vec::new(),
        });
        let (existing, spelled): (&[String], &[String]) = match spec {
            SlotSpec::Create { existing, spelled } => (existing, spelled),
            _ => (&[], &[]),
        };
        let has_blocks = matches!(
            spec,
            SlotSpec::Replace { blocks: true, .. } | SlotSpec::Where { blocks: true, .. }
        );
        Facts {
            shown: Rc::new(shown),
            existing,
            spelled,
            has_blocks,
        }
    }

    /// The control characters that new text may have.
    fn controls(&self) -> Controls {
        Controls::of(self.shown.windows.iter().map(|window| window.text.as_str()))
    }
}

/// Whether the answer to stage 1 stands alone, or the slots follow on its next line.
#[derive(Clone, Copy)]
enum PickStyle {
    Alone,
    Conversation,
}

#[derive(Default)]
struct Compiler {
    segments: Vec<Segment>,
}

impl Compiler {
    /// The segments of stage 2. Each one names the next, so they are made from the last to the
    /// first.
    fn slots(&mut self, fields: &[Field], facts: &Facts, close: &str) -> u32 {
        let mut next = self.literal(close, DONE);
        for (field_idx, field) in fields.iter().enumerate().rev() {
            let later = &fields[field_idx + 1..];
            let value = match field.value {
                // The excerpt or line before them makes their segments, since they depend on it.
                ValueKind::Place | ValueKind::BlockEnd => continue,
                ValueKind::Excerpt => self.excerpt(field, later, facts, next),
                ValueKind::Line => self.line(field, later, facts, next),
                ValueKind::Word(words) => self.choice(
                    field.slot,
                    words.iter().map(|&word| (word.to_owned(), next)),
                ),
                ValueKind::FreeText => {
                    let kind = SegmentKind::Text {
                        controls: facts.controls(),
                        next,
                    };
                    self.push(Some(field.slot), kind)
                }
                ValueKind::NewPath => {
                    let existing = ExistingPaths::new(facts.existing, facts.spelled);
                    self.push(Some(field.slot), SegmentKind::NewPath { existing, next })
                }
                ValueKind::ListedPath | ValueKind::OperationWord | ValueKind::Block => {
                    unreachable!("no slot of a JSON answer of stage 2")
                }
            };
            let key = match field_idx {
                0 => shape::first_key(field.slot),
                _ => shape::next_key(field.slot),
            };
            next = self.literal(&(key + "\""), value);
        }
        next
    }

    /// The segments of a block's new text in a fence, with its name where there is a choice.
    fn rewrite(&mut self, blocks: &[NamedBlock], fence: &Fence) -> u32 {
        assert!(
            !blocks.is_empty(),
            "flow offers it only where there is a block"
        );
        let controls = Controls::of(blocks.iter().map(|block| block.text.as_str()));
        let kind = SegmentKind::Fenced {
            controls,
            fence_length: fence.length,
        };
        let text = self.push(Some(Slot::Text), kind);
        if let [_] = blocks {
            return self.literal(&fence.head(None), text);
        }
        let named = blocks.iter().map(|block| Item {
            bytes: fence.head(Some(&block.name)).into_bytes()[1..].to_vec(),
            next: text,
            nth: 0,
        });
        let kind = SegmentKind::Choice(ChoiceList::new(named.collect()));
        let name = self.push(Some(Slot::Block), kind);
        self.literal("`", name)
    }

    /// An excerpt, with its place and the end of its block if the answer has these fields. `later`
    /// are the fields after it.
    fn excerpt(&mut self, field: &Field, later: &[Field], facts: &Facts, next: u32) -> u32 {
        let index = ExcerptIndex::new(&facts.shown);
        assert!(
            !index.is_empty(),
            "a text of only whitespace has no excerpt, so flow offers no replacement for it"
        );
        let kind = SegmentKind::Excerpt {
            index,
            once: next,
            several: next,
        };
        let excerpt = self.push(Some(field.slot), kind);
        let mut once_after = next;
        if let Some(end) = optional(later, ValueKind::BlockEnd)
            && facts.has_blocks
        {
            let key = opening(end);
            let n_common = match &self.segments[next as usize].kind {
                SegmentKind::Literal { bytes, .. } => {
                    key.iter().zip(bytes).take_while(|(a, b)| a == b).count()
                }
                _ => unreachable!("a key follows an excerpt"),
            };
            let kind = SegmentKind::Through {
                key,
                n_common: n_common as u32,
                excerpt,
                shown: Rc::clone(&facts.shown),
                next,
            };
            once_after = self.push(Some(end.slot), kind);
        }
        let mut several_after = once_after;
        if let Some(place) = optional(later, ValueKind::Place) {
            let kind = SegmentKind::Place {
                key: opening(place),
                among: Places::Excerpt {
                    segment: excerpt,
                    shown: Rc::clone(&facts.shown),
                },
                next: once_after,
                none: unused_rest(later),
            };
            several_after = self.push(Some(place.slot), kind);
        }
        if let SegmentKind::Excerpt { once, several, .. } =
            &mut self.segments[excerpt as usize].kind
        {
            (*once, *several) = (once_after, several_after);
        }
        excerpt
    }

    /// A line, with its place if the answer has that field. `later` are the fields after it.
    fn line(&mut self, field: &Field, later: &[Field], facts: &Facts, next: u32) -> u32 {
        let place_field = optional(later, ValueKind::Place);
        // The segment of the place is pushed below.
        let place = if place_field.is_some() {
            self.segments.len() as u32
        } else {
            next
        };
        let lines = facts.shown.anchors();
        let items: Vec<Item> = lines
            .iter()
            .map(|(line, at)| item(line, if at.len() > 1 { place } else { next }))
            .collect();
        let list = ChoiceList::new(items);
        if let Some(place_field) = place_field {
            // A place is known by the index of its line in the sorted list.
            let by_line: HashMap<Vec<u8>, &Vec<Occurrence>> = lines
                .iter()
                .map(|(line, at)| (item(line, 0).bytes, at))
                .collect();
            let labels = (0..lines.len() as u32).map(|i| match by_line[&list.item(i).bytes] {
                at if at.len() > 1 => place_labels(&facts.shown, at),
                _ => Vec::new(),
            });
            let among = Places::Lines(labels.collect());
            let (key, none) = (opening(place_field), unused_rest(later));
            let kind = SegmentKind::Place {
                key,
                among,
                next,
                none,
            };
            self.push(Some(place_field.slot), kind);
        }
        self.push(Some(field.slot), SegmentKind::Choice(list))
    }

    /// The segments of stage 1.
    fn pick(
        &mut self,
        files: &[PickFile],
        may_create: bool,
        style: PickStyle,
        reasons: &[&str],
    ) -> u32 {
        const BRACKET: &str = "{\"";
        let head = |text: String, next: u32| {
            let bytes = text.as_bytes()[BRACKET.len()..].to_vec();
            Item {
                bytes,
                next,
                nth: 0,
            }
        };
        let operation_key = shape::first_key(Slot::Operation);
        let close = self.literal(shape::CLOSE, DONE);
        let end = match style {
            PickStyle::Alone => close,
            PickStyle::Conversation => self.literal(shape::CLOSE_AND_GO_ON, DONE),
        };
        let spellings = |operation: &Operation| match style {
            PickStyle::Alone => &operation.spellings()[..1],
            PickStyle::Conversation => operation.spellings(),
        };
        let mut heads = Vec::new();
        if !reasons.is_empty() {
            let words = reasons.iter().map(|&word| (word.to_owned(), close));
            let reason = self.choice(Slot::Reason, words);
            let reason_key = shape::next_key(Slot::Reason);
            heads.push(head(
                format!("{operation_key}\"{NO_OPERATION}\"{reason_key}\""),
                reason,
            ));
        }
        if may_create {
            heads.push(head(
                format!("{operation_key}\"{}\"", Operation::Create.word()),
                end,
            ));
        }
        if !files.is_empty() {
            // Files that allow the same operations share the segment that chooses among them.
            let mut by_operations: HashMap<&[Operation], u32> = HashMap::new();
            let mut paths = Vec::new();
            for file in files {
                let next = *by_operations.entry(&file.operations).or_insert_with(|| {
                    let words = file.operations.iter().flat_map(spellings);
                    let operation =
                        self.choice(Slot::Operation, words.map(|&word| (word.to_owned(), end)));
                    self.literal(&(shape::next_key(Slot::Operation) + "\""), operation)
                });
                paths.push((file.path.clone(), next));
            }
            let path = self.choice(Slot::Path, paths);
            heads.push(head(shape::first_key(Slot::Path) + "\"", path));
        }
        let kind = SegmentKind::Choice(ChoiceList::new(heads));
        let head = self.push(Some(Slot::Operation), kind);
        self.literal(BRACKET, head)
    }

    fn choice(&mut self, slot: Slot, words: impl IntoIterator<Item = (String, u32)>) -> u32 {
        let items = words
            .into_iter()
            .map(|(word, next)| item(&word, next))
            .collect();
        self.push(Some(slot), SegmentKind::Choice(ChoiceList::new(items)))
    }

    fn literal(&mut self, text: &str, next: u32) -> u32 {
        self.push(
            None,
            SegmentKind::Literal {
                bytes: text.as_bytes().to_vec(),
                next,
            },
        )
    }

    fn push(&mut self, slot: Option<Slot>, kind: SegmentKind) -> u32 {
        self.segments.push(Segment { slot, kind });
        self.segments.len() as u32 - 1
    }
}

/// The field with this kind of value among the optional fields directly after an excerpt or line.
fn optional(later: &[Field], value: ValueKind) -> Option<&Field> {
    let mut fields = later
        .iter()
        .take_while(|field| field.presence != Presence::Always);
    fields.find(|field| field.value == value)
}

/// The key of a field that is not the first, and the quote that opens its value.
fn opening(field: &Field) -> Vec<u8> {
    (shape::next_key(field.slot) + "\"").into_bytes()
}

/// The rest of an answer that chooses no place. All of it is fixed.
fn unused_rest(later: &[Field]) -> Vec<u8> {
    let mut rest = Vec::new();
    for field in later
        .iter()
        .filter(|field| field.presence == Presence::Always)
    {
        rest.extend(opening(field));
        rest.extend_from_slice(field.value.unused().as_bytes());
        rest.push(b'"');
    }
    rest.extend_from_slice(shape::CLOSE.as_bytes());
    rest
}
