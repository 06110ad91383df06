//! The weights of features, as they were fitted.

use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// A line for all features whose names begin alike, up to their last colon: that beginning, then the rest of each name and its
/// weight, with tabs between. What is not there weighs nothing.
const TABLE: &str = include_str!("../../models/suggestions.tsv");

/// By name, in its two parts.
pub struct Weights {
    by_name: FxHashMap<(&'static str, &'static str), f64>,
    /// What the one feature weighs that is no mark but a number: see [`super::Features::search`].
    pub search: f64,
}

/// Its name.
const SEARCH: &str = "search";

impl Weights {
    /// The fitted ones.
    pub fn get() -> &'static Weights {
        static WEIGHTS: OnceLock<Weights> = OnceLock::new();
        WEIGHTS.get_or_init(|| {
            let by_name: FxHashMap<(&str, &str), f64> = rows().collect();
            let search = by_name.get(&parts_of(SEARCH)).copied().unwrap_or_default();
            Weights { by_name, search }
        })
    }

    /// What features weigh together.
    pub fn of(&self, names: &[String]) -> f64 {
        names.iter().filter_map(|name| self.by_name.get(&parts_of(name))).sum()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_is_a_name_and_a_weight() {
        let names: Vec<(&str, &str)> = rows().map(|(name, _)| name).collect();
        assert!(names.is_sorted_by(|a, b| a < b), "in order, each once");
        assert!(names.iter().all(|&(beginning, rest)| parts_of(&format!("{beginning}{rest}")) == (beginning, rest)));
        assert_eq!(Weights::get().by_name.len(), names.len());
        assert!(Weights::get().search > 0.0, "what the search finds first is likelier");
    }
}
