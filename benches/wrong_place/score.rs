//! How well a score tells wrong edits from right ones.

use crate::measure::Record;
use slotwright::constrain::Slot;
use std::collections::BTreeMap;

/// The edits of some records, by their scores.
pub struct Scores {
    wrong: Vec<f64>,
    right: Vec<f64>,
}

/// What a threshold does: above it an edit is refused.
#[derive(Clone, Copy)]
pub struct AtThreshold {
    pub threshold: f64,
    /// Of the wrong edits, those refused.
    pub caught: f64,
    /// Of the right edits, those refused.
    pub refused: f64,
    /// Of the edits written, the right ones.
    pub right_of_written: f64,
}

impl Scores {
    /// `None` for a record leaves it out.
    pub fn of(records: &[Record], score: impl Fn(&Record) -> Option<f64>) -> Scores {
        let of = |right: bool| records.iter().filter(|r| r.is_edit() && r.is_right() == right).filter_map(&score).collect();
        Scores { wrong: of(false), right: of(true) }
    }

    /// By what `edit` warns by.
    pub fn used(records: &[Record]) -> Scores {
        Scores::of(records, |record| Some(record.score()))
    }

    /// Wrong and right ones.
    pub fn counts(&self) -> (usize, usize) {
        (self.wrong.len(), self.right.len())
    }

    /// The probability that a wrong edit scores higher than a right one: 0.5 says nothing, 1 everything (the
    /// area under the ROC curve).
    pub fn auc(&self) -> f64 {
        let win = |wrong: f64, right: f64| if wrong > right { 1.0 } else { f64::from(wrong == right) / 2.0 };
        let wins: f64 = self.wrong.iter().map(|&w| self.right.iter().map(|&r| win(w, r)).sum::<f64>()).sum();
        wins / (self.wrong.len() * self.right.len()) as f64
    }

    pub fn at(&self, threshold: f64) -> AtThreshold {
        let above = |scores: &[f64]| scores.iter().filter(|&&score| score > threshold).count();
        let share = |n: usize, of: usize| n as f64 / of as f64;
        let (caught, refused) = (above(&self.wrong), above(&self.right));
        let (wrong, right) = self.counts();
        AtThreshold {
            threshold,
            caught: share(caught, wrong),
            refused: share(refused, right),
            right_of_written: share(right - refused, right - refused + wrong - caught),
        }
    }
}

/// The least of the steps of 0.05 (a finer choice would be one of chance) that refuses no right one of these ordinary edits: whoever
/// is refused what is plain no longer looks.
pub fn best_threshold(ordinary: &[Record]) -> f64 {
    let spares = |threshold: &f64| !ordinary.iter().any(|record| record.is_right() && record.score() > *threshold);
    (1..=20).map(|i| f64::from(i) / 20.0).find(spares).expect("nothing is above 1")
}

/// A way to make one number of the masked mass by slot.
pub struct Candidate {
    pub name: &'static str,
    score: fn(&BTreeMap<Slot, f64>) -> Option<f64>,
}

impl Candidate {
    pub fn scores(&self, records: &[Record]) -> Scores {
        Scores::of(records, |record| (self.score)(&record.masked_mass))
    }
}

const WHERE: [Slot; 7] = [Slot::Path, Slot::Operation, Slot::Old, Slot::Place, Slot::Through, Slot::Anchor, Slot::Position];
const TEXT: [Slot; 2] = [Slot::New, Slot::Text];

pub const CANDIDATES: [Candidate; 11] = [
    Candidate { name: "the largest of all slots", score: |m| largest(m.values()) },
    Candidate {
        name: "the largest of the slots that say where",
        score: |m| largest(WHERE.iter().filter_map(|slot| m.get(slot))),
    },
    Candidate {
        name: "the largest of `old`, `anchor` and `place`",
        score: |m| largest([Slot::Old, Slot::Anchor, Slot::Place].iter().filter_map(|slot| m.get(slot))),
    },
    Candidate {
        name: "any of all slots: 1 − Π(1 − m)",
        score: |m| Some(1.0 - m.values().map(|mass| 1.0 - mass).product::<f64>()),
    },
    Candidate { name: "the largest of the slots that say what", score: |m| largest(TEXT.iter().filter_map(|slot| m.get(slot))) },
    Candidate { name: "`operation` alone", score: |m| m.get(&Slot::Operation).copied() },
    Candidate { name: "`old` alone", score: |m| m.get(&Slot::Old).copied() },
    Candidate { name: "`place` alone", score: |m| m.get(&Slot::Place).copied() },
    Candidate { name: "`new` alone", score: |m| m.get(&Slot::New).copied() },
    Candidate { name: "`anchor` alone", score: |m| m.get(&Slot::Anchor).copied() },
    Candidate { name: "`text` alone", score: |m| m.get(&Slot::Text).copied() },
];

fn largest<'a>(masses: impl Iterator<Item = &'a f64>) -> Option<f64> {
    masses.copied().max_by(f64::total_cmp)
}
