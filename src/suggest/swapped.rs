//! Changes that swap two parts of a line: arguments beside each other, what is on both sides of an operator.

use super::Way;
use super::change::Change;
use super::elements::elements;
use super::features::{Features, Line, Sentence, marks};
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Operators whose sides are not the same when swapped. A side is a name, a number or a call, with what is got from it.
static SIDES: LazyLock<Regex> = LazyLock::new(|| {
    let side = r#"[\w$@.\[\]"']+(?:\([^()]*\)[\w.]*)*"#;
    Regex::new(&format!(r"({side})( (?:-|/|<|>|<=|>=|%|\?\?|\|\||&&|==|!=|or|and|:) )({side})")).expect("it is well formed")
});

pub fn ways(sentence: &Sentence, line: &Line) -> Vec<Way> {
    let mut found = Vec::new();
    let mut put = |first: Range<usize>, second: Range<usize>, name: &str| {
        let (a, b) = (&line.text[first.clone()], &line.text[second.clone()]);
        if a == b || b.is_empty() {
            return;
        }
        let text =
            format!("{}{b}{}{a}{}", &line.text[..first.start], &line.text[first.end..second.start], &line.text[second.end..]);
        let features = vec![
            "swapped".to_owned(),
            format!("swapped spoken of:{} {}", sentence.speaks_of(a), sentence.speaks_of(b)),
            format!("{name} alike:{}", a.len() > 1 && b.len() > 1 && a.split('.').next_back() == b.split('.').next_back()),
        ];
        let of = vec![line.whole.clone(), marks(features), sentence.with_each_word(name)];
        found.push(Way { line: line.idx, change: Change::Replace(text), features: Features::new(of, line.search) });
    };
    let elements = elements(line.text);
    for pair in elements.windows(2) {
        if !pair[0].is_last && !pair[1].is_first && pair[0].at.end < pair[1].at.start {
            put(pair[0].at.clone(), pair[1].at.clone(), "swapped elements");
        }
    }
    let mut from = 0;
    while let Some(sides) = SIDES.captures_at(line.text, from) {
        let at = |group: usize| sides.get(group).map_or(0..0, |group| group.range());
        put(at(1), at(3), &format!("swapped{}", &line.text[at(2)]));
        // The right side may be the left one of the next.
        from = at(2).end;
    }
    found
}
