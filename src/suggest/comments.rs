//! Changes that put what a sentence says above or below a line as a comment.

use super::Way;
use super::features::{Features, Line, Sentence, marks};
use super::habits::COMMENTS;
use super::named::How;
use super::rows::{is_header, places_beside};

/// Those of a file that has none of them.
const USUAL: [&str; 3] = ["// ", "# ", "/** "];

pub fn ways(sentence: &Sentence, line: &Line) -> Vec<Way> {
    let counts = &sentence.habits.n_comments;
    let has_none = counts.iter().all(|&n| n == 0);
    let most = counts.iter().copied().max().unwrap_or_default();
    let mut found = Vec::new();
    for value in &sentence.values {
        let text = value.named.text.as_str();
        let is_long = matches!(value.named.how, How::Quoted | How::Phrase | How::Rest) && value.class == "phrase";
        if !is_long || line.text.contains(text) {
            continue;
        }
        for ((before, after), &n) in COMMENTS.into_iter().zip(counts) {
            // A docstring is written the same in a file that has none yet.
            let may = n > 0 || has_none && USUAL.contains(&before) || before == "\"\"\"" && line.text.trim_end().ends_with(':');
            if !may {
                continue;
            }
            for (new, how) in written(text) {
                for place in places_beside() {
                    let name = place.name("comment");
                    let features = vec![
                        format!("{name} mark:{before}"),
                        format!("comment often:{}", if n == most { "most" } else { "less" }),
                        format!("comment {how}:{:?} {}", value.named.how, sentence.task().ends_with('.')),
                        format!("{name} header:{}", is_header(line)),
                        format!("{name} header:{} {before}", is_header(line)),
                    ];
                    let of = vec![value.features.clone(), line.whole.clone(), marks(features), sentence.with_each_word(&name)];
                    let (idx, change) = place.change(line, format!("{before}{new}{after}"));
                    found.push(Way { line: idx, change, features: Features::new(of, line.search) });
                }
            }
        }
    }
    found
}

/// As it is said, and as a sentence: with a capital and a full stop.
fn written(text: &str) -> Vec<(String, &'static str)> {
    let mut found = vec![(text.to_owned(), "as said")];
    let ends = text.ends_with(['.', '!', '?', ':']);
    if !ends {
        found.push((format!("{text}."), "with full stop"));
    }
    let mut letters = text.chars();
    if let Some(first) = letters.next().filter(|c| c.is_lowercase()) {
        let capital: String = first.to_uppercase().chain(letters).collect();
        found.push((if ends { capital } else { format!("{capital}.") }, "as a sentence"));
    }
    found
}
