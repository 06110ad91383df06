//! How sure the model was of what it wrote.

use super::warning::{Warning, WarningKind};
use crate::prompt::{Profile, Wording};
use crate::slots::{Slot, overall_certainty};
use std::collections::BTreeMap;

/// An edit with a lower certainty is [`WarningKind::Unsure`], unless the person sets another limit.
/// Chosen for the bundled model, on files full of near-equal places.
pub const MIN_CERTAINTY: f64 = 0.5;

/// The same limit for a model that is asked in words. It is a guess: such a model knows many ways
/// to say the same, so a low certainty means less.
pub const MIN_CERTAINTY_IN_WORDS: f64 = 0.1;

/// The same limit for a model with one of our adapters, which has one way to say each thing. It is
/// the largest, in steps of 0.05, that refuses at most a tenth of the right edits of either.
pub const MIN_CERTAINTY_ADAPTED: f64 = 0.35;

/// The limit for this kind of model.
pub fn min_certainty(profile: &Profile) -> f64 {
    match profile {
        Profile::Compact => MIN_CERTAINTY,
        Profile::Instruct {
            wording: Wording::Trained,
            ..
        } => MIN_CERTAINTY_ADAPTED,
        Profile::Instruct { .. } => MIN_CERTAINTY_IN_WORDS,
    }
}

/// Warns of an answer whose certainty is below `min`, and names what it was least sure of.
pub fn unsure(by_slot: &BTreeMap<Slot, f64>, min: f64) -> Option<Warning> {
    let certainty = overall_certainty(by_slot);
    let (slot, _) = by_slot.iter().min_by(|a, b| a.1.total_cmp(b.1))?;
    if certainty >= min {
        return None;
    }

    let what = match slot {
        Slot::Path => "the file",
        Slot::Operation | Slot::Reason => "the kind of change",
        Slot::Block | Slot::Old | Slot::Place | Slot::Through | Slot::Anchor | Slot::Position => {
            "the place"
        }
        Slot::New | Slot::Text => "the new text",
    };
    let message = format!(
        "the model was not sure of this edit (certainty {certainty:.2} of 1, less than {min}), \
         least of all of {what}: check that first"
    );
    Some(WarningKind::Unsure.says(message))
}

/// An edit that changes nothing is believed only from this certainty on, for every model. When it
/// was chosen, the bundled model said of 181 tasks that were not done that there is nothing to do,
/// and two of these answers reached it.
const SURE: f64 = 0.8;

/// Why an edit that changes nothing is not believed; `None` if it is.
pub fn doubt(certainty: f64) -> Option<String> {
    (certainty < SURE).then(|| {
        format!("it was not sure of that (certainty {certainty:.2} of 1, less than {SURE})")
    })
}
