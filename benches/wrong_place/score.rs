//! How well a score tells wrong edits from right ones.

use crate::measure::Record;
use slotwright::slots::Slot;
use std::collections::BTreeMap;

/// The edits of some records, by their scores.
pub struct Scores {
    wrong: Vec<f64>,
    right: Vec<f64>,
}

/// What a threshold does: below it an edit is refused.
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
        let of = |right: bool| {
            records
                .iter()
                .filter(|r| r.is_edit() && r.is_right() == right)
                .filter_map(&score)
                .collect()
        };
        Scores {
            wrong: of(false),
            right: of(true),
        }
    }

    /// By what `edit` warns by.
    pub fn used(records: &[Record]) -> Scores {
        Scores::of(records, |record| Some(record.score()))
    }

    /// Wrong and right ones.
    pub fn counts(&self) -> (usize, usize) {
        (self.wrong.len(), self.right.len())
    }

    /// The probability that a right edit scores higher than a wrong one: 0.5 says nothing, 1
    /// everything (the area under the ROC curve).
    pub fn auc(&self) -> f64 {
        let win = |wrong: f64, right: f64| {
            if right > wrong {
                1.0
            } else {
                f64::from(wrong == right) / 2.0
            }
        };
        let wins: f64 = self
            .wrong
            .iter()
            .map(|&w| self.right.iter().map(|&r| win(w, r)).sum::<f64>())
            .sum();
        wins / (self.wrong.len() * self.right.len()) as f64
    }

    pub fn at(&self, threshold: f64) -> AtThreshold {
        let below = |scores: &[f64]| scores.iter().filter(|&&score| score < threshold).count();
        let share = |n: usize, of: usize| n as f64 / of as f64;
        let (caught, refused) = (below(&self.wrong), below(&self.right));
        let (wrong, right) = self.counts();
        AtThreshold {
            threshold,
            caught: share(caught, wrong),
            refused: share(refused, right),
            right_of_written: share(right - refused, right - refused + wrong - caught),
        }
    }
}

/// The greatest of the steps of 0.05 (a finer choice would be one of chance) that refuses no right
/// one of these ordinary edits: whoever is refused what is plain no longer looks.
pub fn best_threshold(ordinary: &[Record]) -> f64 {
    let spares = |threshold: &f64| {
        !ordinary
            .iter()
            .any(|record| record.is_right() && record.score() < *threshold)
    };
    (0..=20)
        .rev()
        .map(|i| f64::from(i) / 20.0)
        .find(spares)
        .expect("nothing is below 0")
}

/// A way to make one number of what is known by slot: large where the model was sure.
pub struct Candidate {
    pub name: &'static str,
    score: fn(&Record) -> Option<f64>,
}

impl Candidate {
    pub fn scores(&self, records: &[Record]) -> Scores {
        Scores::of(records, self.score)
    }
}

const WHERE: [Slot; 7] = [
    Slot::Path,
    Slot::Operation,
    Slot::Old,
    Slot::Place,
    Slot::Through,
    Slot::Anchor,
    Slot::Position,
];
const TEXT: [Slot; 2] = [Slot::New, Slot::Text];

pub const CANDIDATES: [Candidate; 10] = [
    Candidate {
        name: "certainty: of the whole answer",
        score: |record| Some(record.score()),
    },
    Candidate {
        name: "certainty: of the least certain slot",
        score: |record| least(record.certainty.values()),
    },
    Candidate {
        name: "certainty: of the slots that say where",
        score: |record| product(&record.certainty, &WHERE),
    },
    Candidate {
        name: "certainty: of the slots that say what",
        score: |record| product(&record.certainty, &TEXT),
    },
    Candidate {
        name: "certainty: of `place`",
        score: |record| record.certainty.get(&Slot::Place).copied(),
    },
    Candidate {
        name: "masked mass: none taken in any slot",
        score: |record| Some(kept(&record.masked_mass).product()),
    },
    Candidate {
        name: "masked mass: the largest of all slots",
        score: |record| kept(&record.masked_mass).min_by(f64::total_cmp),
    },
    Candidate {
        name: "masked mass: the largest of those that say where",
        score: |record| kept_of(record, &WHERE),
    },
    Candidate {
        name: "masked mass: the largest of those that say what",
        score: |record| kept_of(record, &TEXT),
    },
    Candidate {
        name: "masked mass: of `place`",
        score: |record| kept_of(record, &[Slot::Place]),
    },
];

fn least<'a>(shares: impl Iterator<Item = &'a f64>) -> Option<f64> {
    shares.copied().min_by(f64::total_cmp)
}

/// Of those of the slots that there are.
fn product(by_slot: &BTreeMap<Slot, f64>, slots: &[Slot]) -> Option<f64> {
    slots
        .iter()
        .filter_map(|slot| by_slot.get(slot).copied())
        .reduce(|a, b| a * b)
}

/// What the constraint left, by slot.
fn kept(masked_mass: &BTreeMap<Slot, f64>) -> impl Iterator<Item = f64> + '_ {
    masked_mass.values().map(|mass| 1.0 - mass)
}

fn kept_of(record: &Record, slots: &[Slot]) -> Option<f64> {
    slots
        .iter()
        .filter_map(|slot| record.masked_mass.get(slot))
        .map(|mass| 1.0 - mass)
        .min_by(f64::total_cmp)
}
