//! The weights of features, as they were fitted.

use super::features::Features;
use std::collections::HashMap;
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

    /// The sum of what a candidate's features weigh.
    pub fn score(&self, features: &Features) -> f64 {
        let marks: f64 = features.marks().filter_map(|name| self.of.get(name)).sum();
        marks + self.search * features.search
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
