//! Answers that say what a model nearly wrote instead.

use slotwright::engine::{Answer, AnswerStats, Branch, End, Likelihood};

/// A complete answer of this probability, and beginnings of others with theirs.
pub fn answer(text: &str, probability: f64, branches: &[(&str, f64)]) -> Answer {
    let branch = |(beginning, probability): &(&str, f64)| Branch {
        beginning: (*beginning).to_owned(),
        log: probability.ln(),
        free_log: probability.ln(),
    };
    let branches = branches.iter().map(branch).collect();
    let likelihood = Likelihood {
        log: probability.ln(),
        free_log: probability.ln(),
        branches,
    };
    Answer {
        text: text.to_owned(),
        end: End::Complete,
        stats: AnswerStats::default(),
        likelihood,
    }
}
