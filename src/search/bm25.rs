//! BM25 (Robertson and Zaragoza, 2009): how much a text is about the terms of a task.
//!
//! A term counts for more if few texts have it, if this text has it often, and if this text is
//! short. The length counts in full (b = 1): a long file has words of everything by chance.

use super::terms::Counts;

/// How slowly the weight of a term grows with the number of times that a text has it.
const SATURATION: f64 = 3.0;

/// How rare each term is among some texts: 0 or more.
pub fn rarities(texts: &[&Counts]) -> Vec<f64> {
    let n_terms = texts.first().map_or(0, |counts| counts.of_terms.len());
    let mut rarities = Vec::with_capacity(n_terms);
    for term in 0..n_terms {
        let having = texts.iter().filter(|counts| counts.of_terms[term] > 0);
        let n_having = having.count() as f64;
        let odds = (texts.len() as f64 - n_having + 0.5) / (n_having + 0.5);
        rarities.push((1.0 + odds).ln());
    }
    rarities
}

/// The weight of each term in each text: 0 where the text does not have it.
pub fn weigh(texts: &[&Counts]) -> Vec<Vec<f64>> {
    let rarities = rarities(texts);
    let n_words: usize = texts.iter().map(|counts| counts.n_words).sum();
    let average = n_words.max(1) as f64 / texts.len().max(1) as f64;
    let mut weights = Vec::with_capacity(texts.len());
    for counts in texts {
        let length = counts.n_words.max(1) as f64 / average;
        let mut of_text = Vec::with_capacity(rarities.len());
        for (count, rarity) in counts.of_terms.iter().zip(&rarities) {
            let frequency = *count as f64 / length;
            of_text.push(rarity * frequency / (SATURATION + frequency));
        }
        weights.push(of_text);
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::terms::Terms;

    #[test]
    fn rare_terms_short_texts_and_frequent_terms_weigh_more() {
        let terms = Terms::of("limit, delay");
        let texts = [
            "limit",
            "limit of a thing",
            "limit limit a b",
            "delay and limit",
            "none",
        ];
        let counts: Vec<Counts> = texts.iter().map(|text| terms.counts(text)).collect();
        let weights = weigh(&counts.iter().collect::<Vec<_>>());
        let [limit, delay] = [0, 1];
        assert!(weights[3][delay] > weights[3][limit], "fewer texts have it");
        assert!(weights[0][limit] > weights[1][limit], "it has less else");
        assert!(weights[2][limit] > weights[1][limit], "it has it twice");
        assert_eq!(weights[4], [0.0, 0.0]);
        assert_eq!(weigh(&[]), [[0.0; 0]; 0]);
        assert_eq!(weigh(&[&terms.counts("")]), [[0.0, 0.0]]);
    }
}
