//! The weights of features, as they were fitted.

use super::features::{Features, List};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::OnceLock;

/// A line for all features whose names begin alike, up to their last colon: that beginning, then the rest of each name and its
/// weight, with tabs between. What is not there weighs nothing.
const TABLE: &str = include_str!("../../models/suggestions.tsv");

/// By name, in its two parts.
pub struct Weights {
    of: HashMap<(&'static str, &'static str), f64>,
    search: f64,
}

/// The name of the one feature that is no mark but a number: see [`Features::search`].
const SEARCH: &str = "search";

impl Weights {
    /// The fitted ones.
    pub fn get() -> &'static Weights {
        static WEIGHTS: OnceLock<Weights> = OnceLock::new();
        WEIGHTS.get_or_init(|| {
            let of: HashMap<(&str, &str), f64> = rows().collect();
            let search = of.get(&parts_of(SEARCH)).copied().unwrap_or_default();
            Weights { of, search }
        })
    }

    /// Weighs features of one sentence.
    pub fn scorer(&self) -> Scorer<'_> {
        Scorer { weights: self, of_lists: HashMap::new() }
    }
}

/// What is in the table, in its order.
fn rows() -> impl Iterator<Item = ((&'static str, &'static str), f64)> {
    TABLE.lines().flat_map(|line| {
        let (beginning, rest) = line.split_once('\t').expect("a tab");
        let mut cells = rest.split('\t');
        std::iter::from_fn(move || {
            let name = cells.next()?;
            let weight = cells.next().expect("a weight for each name");
            Some(((beginning, name), weight.parse().expect("a number")))
        })
    })
}

/// A name's beginning up to its last colon, and the rest.
fn parts_of(name: &str) -> (&str, &str) {
    name.split_at(name.rfind(':').map_or(0, |colon| colon + 1))
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
        let sum = |list: &List| list.iter().filter_map(|name| of.get(&parts_of(name))).sum();
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
        let names: Vec<(&str, &str)> = rows().map(|(name, _)| name).collect();
        assert!(names.is_sorted_by(|a, b| a < b), "in order, each once");
        assert!(names.iter().all(|&(beginning, rest)| parts_of(&format!("{beginning}{rest}")) == (beginning, rest)));
        assert_eq!(Weights::get().of.len(), names.len());
        assert!(Weights::get().search > 0.0, "what the search finds first is likelier");
    }
}
