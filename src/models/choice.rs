//! Which model is used if the person names none.
//!
//! The rule, as `slotwright models` and the guide state it: of the models that are made for being
//! asked, fit into memory and read at least [`BEARABLE`] tokens a second, the one that is expected
//! to get most tasks right. If the bundled one is expected to get more right, it is used.
//!
//! What is not known is estimated from the size of the file. It tells how fast a model reads, as
//! each weight is used once for each token, and roughly how good it is.

use super::catalogue;
use super::header::{Extent, Header};
use super::listing::{Listing, Model};

/// Tokens of a prompt a second, below which nobody waits for an answer: a question with one file of
/// a few hundred lines takes half a minute.
pub const BEARABLE: f64 = 40.0;

/// Bytes of weights that one core uses in a second while it reads a prompt. Measured: 64 tokens a
/// second of a 1.1 GB file on two cores.
const BYTES_A_SECOND: f64 = 36e9;

/// The share of 60 tasks that the bundled model gets right, in percent: docs/models.md, the quick
/// subset.
pub const BUNDLED_RIGHT: f64 = 20.0;

/// What a machine can do for a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Machine {
    /// Bytes that a model may use now.
    pub free_memory: u64,
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
    /// It does not fit into memory now.
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
            Fitness::TooLarge => "too large for memory now",
            Fitness::TooSlow => "slow here",
            Fitness::NotForQuestions => "no instruct model",
            Fitness::TooWeak => "weaker than bundled",
        }
    }
}

impl Model {
    /// Whether it fits into the memory that is free now.
    pub fn fits(&self, machine: &Machine) -> bool {
        machine.has_device || self.needs() <= machine.free_memory
    }

    /// Tokens of a prompt a second: as measured here, else estimated. `None` if nothing can be
    /// said.
    pub fn reading_speed(&self, machine: &Machine) -> Option<f64> {
        if let Some(speed) = self.speed {
            return Some(speed.reading);
        }
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

    /// The share of small tasks that it is expected to get right, in percent: as measured, also of
    /// another quantization of it, else as measured models of its size do without an adapter. It
    /// only ranks: far from those it means little.
    pub fn expected_right(&self) -> f64 {
        let of_its_name = || self.header.name.as_deref().and_then(catalogue::entry_named);
        if let Some(right) = self.entry.or_else(of_its_name).and_then(|entry| entry.right) {
            return right.into();
        }
        // Trained for this program.
        if self.header.profile.is_some() {
            return BUNDLED_RIGHT;
        }
        let mut measured: Vec<(f64, f64)> = catalogue::entries()
            .iter()
            .filter_map(|entry| Some(((entry.bytes as f64).log2(), f64::from(entry.right_alone?))))
            .collect();
        measured.sort_by(|a, b| a.0.total_cmp(&b.0));
        let size = (self.bytes.max(1) as f64).log2();
        // The line through two neighbours, which goes on at both ends.
        let at = measured.iter().position(|&(x, _)| size < x).unwrap_or(measured.len());
        let at = at.clamp(1, measured.len().max(2) - 1);
        match (measured.get(at - 1), measured.get(at)) {
            (Some((x0, y0)), Some((x1, y1))) => y0 + (y1 - y0) * (size - x0) / (x1 - x0),
            _ => 0.0,
        }
    }

    /// How well it fits. A model that else is good has its header read to the end, for only then
    /// it is known whether it has a chat template.
    pub fn fitness(&self, machine: &Machine) -> Fitness {
        if !self.fits(machine) {
            return Fitness::TooLarge;
        }
        if self.reading_speed(machine).is_some_and(|speed| speed < BEARABLE) {
            return Fitness::TooSlow;
        }
        if self.expected_right() < BUNDLED_RIGHT {
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
            text.split(|c: char| !c.is_alphanumeric()).any(|part| part.eq_ignore_ascii_case("base"))
        };
        let header = &self.header;
        let own = [header.finetune.as_deref(), header.name.as_deref()];
        own.into_iter().flatten().chain([self.name.as_str()]).chain(self.stem()).any(is_base)
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
        // Of equals the larger one has lost less of its weights; of copies the first one found.
        ranked.sort_by(|a, b| {
            b.expected_right().total_cmp(&a.expected_right()).then(b.bytes.cmp(&a.bytes))
        });
        ranked.into_iter().find(|model| model.fitness(machine) == Fitness::Good)
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
        let mut header = Header { has_chat_template: Some(true), ..Header::default() };
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
        let listing = Listing { models, ..Listing::default() };
        listing.default_model(&machine).map(|model| model.name.clone())
    }

    const SMALL: Machine = Machine { free_memory: 8 * GB, threads: 2, has_device: false };

    fn sizes() -> Vec<Model> {
        [("0.5b", 5), ("1.5b", 11), ("3b", 19), ("7b", 47)]
            .map(|(name, tenths)| model(name, tenths * GB / 10))
            .into()
    }

    #[test]
    fn the_largest_that_fits_and_is_bearable_is_chosen() {
        let check = |machine, name: &str| {
            assert_eq!(chosen(sizes(), machine).as_deref(), Some(name), "{machine:?}");
        };
        check(SMALL, "1.5b");
        check(Machine { threads: 4, ..SMALL }, "3b");
        check(Machine { threads: 16, ..SMALL }, "7b");
        check(Machine { threads: 16, free_memory: 3 * GB, ..SMALL }, "3b");
        check(Machine { has_device: true, ..SMALL }, "7b");
    }

    fn speed(reading: f64) -> Speed {
        Speed { reading, writing: None, settled: reading }
    }

    #[test]
    fn what_was_measured_counts_more_than_what_is_estimated() {
        let mut models = sizes();
        models[2].speed = Some(speed(90.0));
        models[1].speed = Some(speed(39.0));
        assert_eq!(chosen(models, SMALL).as_deref(), Some("3b"));
        let mut models = sizes();
        models[0].entry = Some(&catalogue::entries()[0]);
        models[1].bytes = 10 * GB / 10;
        assert_eq!(chosen(models, SMALL).as_deref(), Some("0.5b"));
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
        check(&|model| model.header.has_chat_template = Some(false), Fitness::NotForQuestions);
        check(&|model| model.name = "qwen2.5-coder:1.5b-base".to_owned(), Fitness::NotForQuestions);
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
