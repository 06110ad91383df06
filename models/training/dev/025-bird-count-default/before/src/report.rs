use crate::parse::Sighting;
use std::collections::HashMap;

pub fn totals<'a>(sightings: &[&'a Sighting]) -> HashMap<&'a str, u32> {
    let mut map = HashMap::new();
    for s in sightings {
        *map.entry(s.species.as_str()).or_insert(0) += s.count;
    }
    map
}

pub fn print_top(sightings: &[&Sighting], n: usize) {
    let mut rows: Vec<_> = totals(sightings).into_iter().collect();
    rows.sort_by(|a, b| b.1.cmp(&a.1));
    for (species, count) in rows.into_iter().take(n) {
        println!("{:>6}  {}", count, species);
    }
}
