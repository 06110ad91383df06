//! Makes the segments of an answer from the slots of its question.

use super::choice::{ChoiceList, Item};
use super::excerpt::ExcerptIndex;
use super::free_text::Controls;
use super::new_path::ExistingPaths;
use super::segment::{DONE, PlaceNames, Segment, SegmentKind, item};
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
            let mut heads = Vec::new();
            let ending = if *goes_on {
                AnswerEnd::GoesOn
            } else {
                AnswerEnd::Complete
            };
            let end = compiler.literal(ending.text(), DONE);
            heads.extend(compiler.reasons(*no_edit));
            heads.extend(may_create.then(|| creation(end)));
            heads.extend(compiler.paths(files, ending, end));
            compiler.pick(heads)
        }
        SlotSpec::GoesOn(spec) => {
            compiler.slots(spec.fields(), &Facts::of(spec), AnswerEnd::GoesOn)
        }
        SlotSpec::Rewrite { blocks, fence } => compiler.rewrite(blocks, fence),
        _ => compiler.slots(spec.fields(), &Facts::of(spec), AnswerEnd::Complete),
    };
    Compiled {
        segments: compiler.segments,
        start,
    }
}

/// Whether another line follows an answer. Its newline then belongs to the answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AnswerEnd {
    Complete,
    GoesOn,
}

impl AnswerEnd {
    fn text(self) -> &'static str {
        match self {
            AnswerEnd::Complete => shape::CLOSE,
            AnswerEnd::GoesOn => shape::CLOSE_AND_GO_ON,
        }
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

#[derive(Default)]
struct Compiler {
    segments: Vec<Segment>,
}

impl Compiler {
    /// The segments of stage 2. Each one names the next, so they are made from the last to the
    /// first.
    fn slots(&mut self, fields: &[Field], facts: &Facts, ending: AnswerEnd) -> u32 {
        let mut next = self.literal(ending.text(), DONE);
        for (field_idx, field) in fields.iter().enumerate().rev() {
            let later = &fields[field_idx + 1..];
            let value = match field.value {
                // The excerpt or line before them makes their segments, since they depend on it.
                ValueKind::Place | ValueKind::BlockEnd => continue,
                ValueKind::Excerpt => self.excerpt(field, later, facts, next),
                ValueKind::Line => self.line(field, later, facts, next),
                ValueKind::Word(words) => self.choice(field.slot, words, next),
                ValueKind::FreeText => {
                    let controls = facts.controls();
                    self.push(Some(field.slot), SegmentKind::Text { controls, next })
                }
                ValueKind::NewPath => {
                    let existing = ExistingPaths::new(facts.existing, facts.spelled);
                    self.push(Some(field.slot), SegmentKind::NewPath { existing, next })
                }
                ValueKind::ListedPath | ValueKind::OperationWord | ValueKind::Block => {
                    unreachable!("no slot of a JSON answer of stage 2")
                }
            };

            let key = if field_idx == 0 {
                shape::first_key(field.slot)
            } else {
                shape::next_key(field.slot)
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

        let mut after_once = next;
        if let Some(end) = optional(later, ValueKind::BlockEnd)
            && facts.has_blocks
        {
            after_once = self.block_end(end, excerpt, facts, next);
        }
        let mut after_several = after_once;
        if let Some(place) = optional(later, ValueKind::Place) {
            let among = PlaceNames::Excerpt {
                segment: excerpt,
                shown: Rc::clone(&facts.shown),
            };
            after_several = self.place(place, among, later, after_once);
        }
        if let SegmentKind::Excerpt { once, several, .. } =
            &mut self.segments[excerpt as usize].kind
        {
            *once = after_once;
            *several = after_several;
        }
        excerpt
    }

    /// The last line of a block that begins with an excerpt. `next` is the key after it.
    fn block_end(&mut self, field: &Field, excerpt: u32, facts: &Facts, next: u32) -> u32 {
        let key = opening(field);
        let SegmentKind::Literal { bytes, .. } = &self.segments[next as usize].kind else {
            unreachable!("a key follows an excerpt")
        };
        let common = key.iter().zip(bytes).take_while(|(a, b)| a == b);
        let kind = SegmentKind::Through {
            n_common: common.count() as u32,
            key,
            excerpt,
            shown: Rc::clone(&facts.shown),
            next,
        };
        self.push(Some(field.slot), kind)
    }

    /// The place of an excerpt or a line. `later` are the fields after these.
    fn place(&mut self, field: &Field, among: PlaceNames, later: &[Field], next: u32) -> u32 {
        let kind = SegmentKind::Place {
            key: opening(field),
            among,
            next,
            none: unused_rest(later),
        };
        self.push(Some(field.slot), kind)
    }

    /// A line, with its place if the answer has that field. `later` are the fields after it.
    fn line(&mut self, field: &Field, later: &[Field], facts: &Facts, next: u32) -> u32 {
        let lines = facts.shown.anchors();
        let Some(place_field) = optional(later, ValueKind::Place) else {
            return self.choice(field.slot, lines.iter().map(|(line, _)| line), next);
        };
        // The segment of the place is pushed below.
        let place = self.segments.len() as u32;
        let mut items = Vec::with_capacity(lines.len());
        let mut by_line: HashMap<Vec<u8>, &Vec<Occurrence>> = HashMap::new();
        for (line, at) in &lines {
            let item = item(line, if at.len() > 1 { place } else { next });
            by_line.insert(item.bytes.clone(), at);
            items.push(item);
        }

        // A place is known by the index of its line in the sorted list.
        let list = ChoiceList::new(items);
        let labels = (0..lines.len() as u32).map(|i| match by_line[&list.item(i).bytes] {
            at if at.len() > 1 => place_labels(&facts.shown, at),
            _ => Vec::new(),
        });
        let among = PlaceNames::Lines(labels.collect());
        self.place(place_field, among, later, next);
        self.push(Some(field.slot), SegmentKind::Choice(list))
    }

    /// The segments of stage 1: a bracket and one of the heads.
    fn pick(&mut self, heads: Vec<Item>) -> u32 {
        let kind = SegmentKind::Choice(ChoiceList::new(heads));
        let head = self.push(Some(Slot::Operation), kind);
        self.literal(BRACKET, head)
    }

    /// The head of an answer that declines, if that is allowed.
    fn reasons(&mut self, no_edit: NoEdit) -> Option<Item> {
        let reasons: &[&str] = match no_edit {
            NoEdit::ForAnyReason => &Reason::WORDS,
            NoEdit::AsTheEnd => &[Reason::AlreadyDone.word()],
            NoEdit::Never => return None,
        };
        let close = self.literal(shape::CLOSE, DONE);
        let reason = self.choice(Slot::Reason, reasons, close);
        let text = format!(
            "{}\"{NO_OPERATION}\"{}\"",
            shape::first_key(Slot::Operation),
            shape::next_key(Slot::Reason)
        );
        Some(head(&text, reason))
    }

    /// The head of an answer that names one of these files, if there are any. A conversation has
    /// more spellings of an operation.
    fn paths(&mut self, files: &[PickFile], ending: AnswerEnd, end: u32) -> Option<Item> {
        if files.is_empty() {
            return None;
        }
        // Files that allow the same operations share the segment that chooses among them.
        let mut by_operations: HashMap<&[Operation], u32> = HashMap::new();
        let mut paths = Vec::with_capacity(files.len());
        for file in files {
            let next = *by_operations.entry(&file.operations).or_insert_with(|| {
                let words = file.operations.iter().flat_map(|operation| match ending {
                    AnswerEnd::Complete => &operation.spellings()[..1],
                    AnswerEnd::GoesOn => operation.spellings(),
                });
                let operation = self.choice(Slot::Operation, words, end);
                self.literal(&(shape::next_key(Slot::Operation) + "\""), operation)
            });
            paths.push(item(&file.path, next));
        }
        let kind = SegmentKind::Choice(ChoiceList::new(paths));
        let path = self.push(Some(Slot::Path), kind);
        Some(head(&(shape::first_key(Slot::Path) + "\""), path))
    }

    /// A choice among words.
    fn choice<'w>(
        &mut self,
        slot: Slot,
        words: impl IntoIterator<Item = &'w (impl AsRef<str> + 'w)>,
        next: u32,
    ) -> u32 {
        let words = words.into_iter();
        let items = words.map(|word| item(word.as_ref(), next)).collect();
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

/// The beginning of every answer of stage 1.
const BRACKET: &str = "{\"";

/// The beginning of an answer of stage 1, after its bracket.
fn head(text: &str, next: u32) -> Item {
    Item {
        bytes: text.as_bytes()[BRACKET.len()..].to_vec(),
        next,
        nth: 0,
    }
}

/// The head of an answer that makes a new file.
fn creation(end: u32) -> Item {
    let key = shape::first_key(Slot::Operation);
    head(&format!("{key}\"{}\"", Operation::Create.word()), end)
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
