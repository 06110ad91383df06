//! The weights of features, as they were fitted.

use super::features::{Features, List};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::OnceLock;

/// A line each: a feature's name, a tab, its weight. What is not there weighs nothing.
const TABLE: &str = include_str!("../../models/suggestions.tsv");

/// By name.
pub struct Weights {
    of: HashMap<&'static str, f64>,
    search: f64,
}

/// The name of the one feature that is no mark but a number: see [`Features::search`].
const SEARCH: &str = "search";

impl Weights {
    /// The fitted ones.
    pub fn get() -> &'static Weights {
        static WEIGHTS: OnceLock<Weights> = OnceLock::new();
        WEIGHTS.get_or_init(|| {
            let rows = TABLE.lines().filter_map(|row| row.split_once('\t'));
            let of: HashMap<&str, f64> = rows.map(|(name, weight)| (name, weight.parse().expect("a number"))).collect();
            let search = of.get(SEARCH).copied().unwrap_or_default();
            Weights { of, search }
        })
    }

    /// Weighs features of one sentence.
    pub fn scorer(&self) -> Scorer<'_> {
        Scorer { weights: self, of_lists: HashMap::new() }
    }
}

/// Weighs features that share their lists.
pub struct Scorer<'w> {
    weights: &'w Weights,
    /// By where a list lies, with the list so that it stays there.
    of_lists: HashMap<*const Vec<String>, (List, f64)>,
}

impl Scorer<'_> {
    /// The sum of what they weigh.
    pub fn score(&mut self, features: &Features) -> f64 {
        let of = &self.weights.of;
        let sum = |list: &List| list.iter().filter_map(|name| of.get(name.as_str())).sum();
        let lists = features.lists().iter();
        let marks: f64 =
            lists.map(|list| self.of_lists.entry(Rc::as_ptr(list)).or_insert_with(|| (list.clone(), sum(list))).1).sum();
        marks + self.weights.search * features.search
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_is_a_name_and_a_weight() {
        let names: Vec<&str> = TABLE.lines().map(|row| row.split_once('\t').expect("a tab").0).collect();
        assert!(names.is_sorted_by(|a, b| a < b), "in order, each once");
        assert_eq!(Weights::get().of.len(), names.len());
        assert!(Weights::get().search > 0.0, "what the search finds first is likelier");
    }
}
