//! Which model is used if the person names none.
//!
//! The rule, as `slotwright models` and the guide state it: of the instruct models that fit into
//! the machine's memory, the measured one that gets most tasks right; if none was measured, the
//! largest. The bundled one is used only where it is named.
//!
//! Nothing in the rule changes from one day to the next: neither the memory that is free now nor
//! how fast a model was lately.

use super::catalogue;
use super::header::{Extent, Header};
use super::listing::{Listing, Model};

/// The share of 255 tasks that the bundled model gets right, in percent: BENCHMARKS.md.
pub const BUNDLED_RIGHT: u8 = 29;

/// Bytes below which a model that was not measured is taken to be weaker than the bundled one: half
/// the smallest file of the catalogue, which without an adapter gets little more right.
const MIN_BYTES: u64 = 245_000_000;

/// What a machine can do for a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Machine {
    /// Bytes of memory, used or free. That of devices does not count: where one fails, the processor
    /// computes.
    pub memory: u64,
}

/// Whether a model may be the default, or why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fitness {
    /// It may be the default.
    Good,
    /// It does not fit into memory.
    TooLarge,
    /// It was made to go on with a text, not to do what it is asked.
    NotForQuestions,
    /// The bundled model gets more right.
    TooWeak,
}

impl Fitness {
    /// A word for programs.
    pub fn kind(self) -> &'static str {
        match self {
            Fitness::Good => "good",
            Fitness::TooLarge => "too_large",
            Fitness::NotForQuestions => "not_for_questions",
            Fitness::TooWeak => "too_weak",
        }
    }

    /// A few words for people; empty for [`Fitness::Good`].
    pub fn remark(self) -> &'static str {
        match self {
            Fitness::Good => "",
            Fitness::TooLarge => "too large for memory",
            Fitness::NotForQuestions => "no instruct model",
            Fitness::TooWeak => "weaker than bundled",
        }
    }
}

impl Model {
    /// Whether it fits into memory, of which a quarter is left to other programs.
    pub fn fits(&self, machine: &Machine) -> bool {
        self.needs() <= machine.memory / 4 * 3
    }

    /// The share of small tasks that it gets right, in percent, if it was measured, also in another
    /// quantization.
    pub fn measured_right(&self) -> Option<u8> {
        if let Some(entry) = self.entry {
            return entry.right;
        }
        // A file with a profile was trained for this program, as the bundled model was.
        if self.header.profile.is_some() {
            return Some(BUNDLED_RIGHT);
        }
        catalogue::entry_named(self.header.name.as_deref()?)?.right
    }

    /// What a better model has more of: right answers, then bytes. Of two quantizations of a model
    /// the larger one has lost less of its weights.
    pub fn rank(&self) -> (Option<u8>, u64) {
        (self.measured_right(), self.bytes)
    }

    /// Whether it may be the default. The header of a model that may is read to its end, since only
    /// then it is known whether there is a chat template.
    pub fn fitness(&self, machine: &Machine) -> Fitness {
        if !self.fits(machine) {
            Fitness::TooLarge
        } else if self.measured_right().is_none() && self.bytes < MIN_BYTES {
            Fitness::TooWeak
        } else if self.is_base() || !self.has_prompt_format() {
            Fitness::NotForQuestions
        } else {
            Fitness::Good
        }
    }

    /// Whether its publisher calls it a base model. Many of those have a chat template, which they
    /// were not trained with.
    fn is_base(&self) -> bool {
        let finetune = self.header.finetune.as_deref();
        let names = [finetune, self.header.name.as_deref(), self.stem()];

        names
            .into_iter()
            .flatten()
            .chain([self.name.as_str()])
            .flat_map(|name| name.split(|c: char| !c.is_alphanumeric()))
            .any(|word| word.eq_ignore_ascii_case("base"))
    }

    fn has_prompt_format(&self) -> bool {
        if self.header.profile.is_some() {
            return true;
        }
        self.header.has_chat_template.unwrap_or_else(|| {
            Header::read(&self.path, Extent::Whole)
                .is_ok_and(|header| header.has_chat_template == Some(true))
        })
    }
}

impl Listing {
    /// The best model for a machine, as [`self`](super::choice) says. `None`: the bundled one.
    pub fn default_model(&self, machine: &Machine) -> Option<&Model> {
        let mut ranked: Vec<&Model> = self.models.iter().collect();
        ranked.sort_by_key(|model| std::cmp::Reverse(model.rank())); // of copies the first one found
        ranked
            .into_iter()
            .find(|model| model.fitness(machine) == Fitness::Good)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::model_folders::Store;
    use std::path::PathBuf;

    const GB: u64 = 1_000_000_000;

    fn model(name: &str, bytes: u64) -> Model {
        let mut header = Header {
            has_chat_template: Some(true),
            ..Header::default()
        };
        header.sizes.weights = bytes;
        Model {
            name: name.to_owned(),
            store: Store::Folder,
            others: Vec::new(),
            path: PathBuf::from(format!("{name}.gguf")),
            bytes,
            header,
            entry: None,
        }
    }

    fn chosen(models: Vec<Model>, machine: Machine) -> Option<String> {
        let listing = Listing {
            models,
            ..Listing::default()
        };
        listing
            .default_model(&machine)
            .map(|model| model.name.clone())
    }

    const SMALL: Machine = Machine { memory: 4 * GB };

    fn sizes() -> Vec<Model> {
        let sizes = [("0.5b", 5), ("1.5b", 11), ("3b", 19), ("7b", 47)];
        sizes
            .map(|(name, tenths)| model(name, tenths * GB / 10))
            .into()
    }

    #[test]
    fn of_those_that_were_not_measured_the_largest_that_fits_is_chosen() {
        for (memory, name) in [(2 * GB, "1.5b"), (4 * GB, "3b"), (12 * GB, "7b")] {
            let machine = Machine { memory };
            assert_eq!(chosen(sizes(), machine).as_deref(), Some(name));
        }
    }

    #[test]
    fn a_measured_one_is_chosen_before_a_larger_one() {
        let entries = catalogue::entries();
        for (measured, name) in [
            (vec![(0, 0)], "0.5b"),
            (vec![(0, 1)], "0.5b"),
            // Too large for the memory.
            (vec![(3, 0)], "3b"),
            // It gets more right.
            (vec![(0, 0), (1, 1)], "0.5b"),
        ] {
            let mut models = sizes();
            for (model, entry) in measured {
                models[model].entry = Some(&entries[entry]);
            }
            assert_eq!(chosen(models, SMALL).as_deref(), Some(name));
        }
    }

    #[test]
    fn models_that_would_do_worse_are_passed_over() {
        let check = |change: &dyn Fn(&mut Model), fitness| {
            let mut model = model("1.5b", 11 * GB / 10);
            change(&mut model);
            assert_eq!(model.fitness(&SMALL), fitness);
            let is_chosen = chosen(vec![model], SMALL).is_some();
            assert_eq!(is_chosen, fitness == Fitness::Good);
        };
        check(&|_| (), Fitness::Good);
        check(&|model| model.bytes = GB / 10, Fitness::TooWeak);
        check(
            &|model| model.header.has_chat_template = Some(false),
            Fitness::NotForQuestions,
        );
        check(
            &|model| model.name = "qwen2.5-coder:1.5b-base".to_owned(),
            Fitness::NotForQuestions,
        );
        check(&|model| model.name = "database".to_owned(), Fitness::Good);
        // As the bundled one, wherever it is.
        check(
            &|model| {
                model.bytes = GB / 100;
                model.header.has_chat_template = Some(false);
                model.header.profile = Some("compact-4".to_owned());
            },
            Fitness::Good,
        );
    }
}
