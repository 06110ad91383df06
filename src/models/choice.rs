//! Which model is used if the person names none.
//!
//! The rule, as `slotwright models` and the guide state it: of the instruct models that fit into the
//! machine's memory and are not too large for its processor, the measured one that gets most tasks
//! right; if none was measured, the largest. If the bundled one gets more right, it is used.
//!
//! Nothing in the rule changes from one day to the next: neither what is free of the memory nor how
//! fast a model was lately. How fast one reads is estimated from the size of its file, as each weight
//! is used once for each token.

use super::catalogue;
use super::header::{Extent, Header};
use super::listing::{Listing, Model};

/// Tokens of a prompt a second, below which nobody waits for an answer: a question with one file of
/// a few hundred lines takes half a minute.
pub const BEARABLE: f64 = 40.0;

/// Bytes of weights that one core uses in a second while it reads a prompt. Measured: 64 tokens a
/// second of a 1.1 GB file on two cores.
const BYTES_A_SECOND: f64 = 36e9;

/// The share of 60 tasks that the bundled model gets right, in percent.
pub const BUNDLED_RIGHT: u8 = 20;

/// What a machine can do for a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Machine {
    /// Bytes that there are, whoever uses them now.
    pub memory: u64,
    /// Threads that compute.
    pub threads: usize,
    /// Whether a device other than the processor computes. It has its own memory, and how fast it
    /// is cannot be told from the number of cores.
    pub has_device: bool,
}

/// How well a model fits the machine, and whether it may be the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fitness {
    /// It may be the default.
    Good,
    /// It does not fit into memory.
    TooLarge,
    /// It reads too slowly.
    TooSlow,
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
            Fitness::TooSlow => "too_slow",
            Fitness::NotForQuestions => "not_for_questions",
            Fitness::TooWeak => "too_weak",
        }
    }

    /// For people, in few words. Nothing if the model may be the default.
    pub fn remark(self) -> &'static str {
        match self {
            Fitness::Good => "",
            Fitness::TooLarge => "too large for memory",
            Fitness::TooSlow => "slow here",
            Fitness::NotForQuestions => "no instruct model",
            Fitness::TooWeak => "weaker than bundled",
        }
    }
}

impl Model {
    /// Whether it fits into the memory, of which a quarter is left to other programs.
    pub fn fits(&self, machine: &Machine) -> bool {
        machine.has_device || self.needs() <= machine.memory / 4 * 3
    }

    /// Tokens of a prompt a second: as measured here, else estimated. `None` if nothing can be
    /// said.
    pub fn reading_speed(&self, machine: &Machine) -> Option<f64> {
        self.speed
            .map(|speed| speed.reading)
            .or_else(|| self.estimated_speed(machine))
    }

    fn estimated_speed(&self, machine: &Machine) -> Option<f64> {
        if machine.has_device {
            return None;
        }
        // Of a mixture of experts a token uses only some. The rest of such a model, which every
        // token uses, is about as much again.
        let share = self
            .header
            .experts
            .filter(|&(used, all)| used > 0 && all >= used)
            .map_or(1.0, |(used, all)| (2.0 * used as f64 / all as f64).min(1.0));
        Some(BYTES_A_SECOND * machine.threads as f64 / (self.bytes as f64 * share).max(1.0))
    }

    /// The share of small tasks that it gets right, in percent, if it was measured, also in another
    /// quantization.
    pub fn measured_right(&self) -> Option<u8> {
        // Trained for this program.
        let own = self.header.profile.is_some().then_some(BUNDLED_RIGHT);
        let of_its_name = || self.header.name.as_deref().and_then(catalogue::entry_named);
        self.entry
            .or_else(of_its_name)
            .and_then(|entry| entry.right)
            .or(own)
    }

    /// What a better model has more of: right answers, then bytes. Of models of one name the larger
    /// one has lost less of its weights.
    pub fn rank(&self) -> (Option<u8>, u64) {
        (self.measured_right(), self.bytes)
    }

    /// Whether it gets less right than the bundled model, as far as is known: of models that were not
    /// measured, those that are smaller than all that get more right.
    fn is_weak(&self) -> bool {
        let mut measured = catalogue::entries().iter();
        match self.measured_right() {
            Some(right) => right < BUNDLED_RIGHT,
            None => measured.all(|entry| self.bytes < entry.bytes / 2),
        }
    }

    /// How well it fits. A model that else is good has its header read to the end, for only then
    /// it is known whether it has a chat template.
    pub fn fitness(&self, machine: &Machine) -> Fitness {
        if !self.fits(machine) {
            return Fitness::TooLarge;
        }
        if self
            .estimated_speed(machine)
            .is_some_and(|speed| speed < BEARABLE)
        {
            return Fitness::TooSlow;
        }
        if self.is_weak() {
            return Fitness::TooWeak;
        }
        if self.is_base() || !self.is_asked() {
            return Fitness::NotForQuestions;
        }
        Fitness::Good
    }

    /// Whether its publisher calls it a base model. Many of those have a chat template all the
    /// same, which they were not trained with.
    fn is_base(&self) -> bool {
        let is_base = |text: &str| {
            text.split(|c: char| !c.is_alphanumeric())
                .any(|part| part.eq_ignore_ascii_case("base"))
        };
        let header = &self.header;
        let own = [header.finetune.as_deref(), header.name.as_deref()];
        own.into_iter()
            .flatten()
            .chain([self.name.as_str()])
            .chain(self.stem())
            .any(is_base)
    }

    /// Whether it says how it is asked.
    fn is_asked(&self) -> bool {
        let has_template = || match self.header.has_chat_template {
            Some(has) => has,
            None => Header::read(&self.path, Extent::Whole)
                .is_ok_and(|header| header.has_chat_template == Some(true)),
        };
        self.header.profile.is_some() || has_template()
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
    use crate::models::listing::Speed;
    use crate::models::places::Store;
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
            also_in: Vec::new(),
            also_called: Vec::new(),
            path: PathBuf::from(format!("{name}.gguf")),
            bytes,
            header,
            entry: None,
            speed: None,
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

    const SMALL: Machine = Machine {
        memory: 12 * GB,
        threads: 2,
        has_device: false,
    };

    fn sizes() -> Vec<Model> {
        [("0.5b", 5), ("1.5b", 11), ("3b", 19), ("7b", 47)]
            .map(|(name, tenths)| model(name, tenths * GB / 10))
            .into()
    }

    #[test]
    fn of_those_that_were_not_measured_the_largest_that_fits_is_chosen() {
        let check = |machine, name: &str| {
            assert_eq!(
                chosen(sizes(), machine).as_deref(),
                Some(name),
                "{machine:?}"
            );
        };
        check(SMALL, "1.5b");
        check(
            Machine {
                threads: 4,
                ..SMALL
            },
            "3b",
        );
        check(
            Machine {
                threads: 16,
                ..SMALL
            },
            "7b",
        );
        check(
            Machine {
                threads: 16,
                memory: 4 * GB,
                ..SMALL
            },
            "3b",
        );
        check(
            Machine {
                has_device: true,
                ..SMALL
            },
            "7b",
        );
    }

    #[test]
    fn a_measured_one_is_chosen_before_a_larger_one() {
        let measured = |entry: usize, at: usize| {
            let mut models = sizes();
            models[at].entry = Some(&catalogue::entries()[entry]);
            chosen(models, SMALL)
        };
        assert_eq!(measured(0, 0).as_deref(), Some("0.5b"));
        assert_eq!(measured(1, 0).as_deref(), Some("0.5b"));
        assert_eq!(
            measured(0, 3).as_deref(),
            Some("1.5b"),
            "too large for two cores"
        );
        let mut both = sizes();
        (both[0].entry, both[1].entry) = (
            Some(&catalogue::entries()[0]),
            Some(&catalogue::entries()[1]),
        );
        assert_eq!(
            chosen(both, SMALL).as_deref(),
            Some("0.5b"),
            "it gets more right"
        );
    }

    #[test]
    fn how_fast_models_were_lately_changes_nothing() {
        for readings in [[9.0; 4], [900.0; 4], [30.0, 39.0, 90.0, 41.0]] {
            let mut models = sizes();
            for (model, reading) in models.iter_mut().zip(readings) {
                model.speed = Some(Speed {
                    reading,
                    writing: None,
                    settled: reading,
                });
            }
            assert_eq!(
                chosen(models, SMALL).as_deref(),
                Some("1.5b"),
                "{readings:?}"
            );
        }
    }

    #[test]
    fn a_mixture_of_experts_is_as_fast_as_what_it_uses() {
        let mut mixture = model("30b-a3b", 7 * GB);
        assert_eq!(mixture.fitness(&SMALL), Fitness::TooSlow);
        mixture.header.experts = Some((8, 128));
        assert_eq!(mixture.fitness(&SMALL), Fitness::Good);
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
