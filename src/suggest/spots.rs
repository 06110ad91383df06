//! What of a line can give way: words, numbers, operators, quoted texts, the value behind `=`.

use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// What a stretch of a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A word or a number.
    Word,
    /// The digits of one.
    Digits,
    /// More than a word without blanks: `1.4.14`, `#e67e22`, `node:path`.
    Wide,
    /// All between two quotes.
    Quoted,
    /// All between two tags.
    Between,
    /// All behind `=` or `:`.
    Value,
    /// All of the line but its indentation and its mark.
    Line,
    /// `<=`, `&&`.
    Operator,
}

/// A stretch of a line.
#[derive(Clone, Debug)]
pub struct Spot {
    pub at: Range<usize>,
    pub kind: Kind,
}

/// By kind; with a group, that is the stretch.
#[rustfmt::skip]
static PATTERNS: LazyLock<Vec<(Kind, Regex)>> = LazyLock::new(|| {
    let patterns = [
        (Kind::Quoted, "\"([^\"]+)\"|'([^']+)'|`([^`]+)`"),
        (Kind::Word, r"[A-Za-z_]\w*|\d[\d_]*(?:\.\d+)*"),
        (Kind::Digits, r"\d+"),
        (Kind::Wide, r"[\w#@$.%][\w.\-/#@%+:$]*\w|#\w+"),
        (Kind::Operator, r"===|!==|<=|>=|==|!=|&&|\|\||\?\?|\+\+|--|\+=|-=|[<>+\-*/]"),
        (Kind::Value, r"[:=]\s*(\S.*?)[,;]?\s*$"),
        (Kind::Between, r">([^<>]+)<"),
        (Kind::Line, r"^\s*(?:[-*#>]+\s+)?(\S.*?)\s*$"),
    ];
    patterns.into_iter().map(|(kind, pattern)| (kind, Regex::new(pattern).expect("it is well formed"))).collect()
});

/// Each stretch once, as the first kind that it is.
pub fn spots(line: &str) -> Vec<Spot> {
    let mut found: Vec<Spot> = Vec::new();
    for (kind, pattern) in PATTERNS.iter() {
        for captures in pattern.captures_iter(line) {
            let group = captures.iter().skip(1).flatten().next().unwrap_or_else(|| captures.get_match());
            if found.iter().all(|other| other.at != group.range()) {
                found.push(Spot { at: group.range(), kind: *kind });
            }
        }
    }
    found
}

/// Whether words and numbers have it.
pub fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Words and numbers, and each mark for itself.
pub fn tokens(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text[at..].trim_start();
        let start = text.len() - rest.len();
        let first = rest.chars().next()?;
        let of_word = rest.len() - rest.trim_start_matches(is_of_word).len();
        at = start + of_word.max(first.len_utf8());
        Some(start..at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_words_and_marks() {
        let all = |text: &str| tokens(text).map(|at| text[at].to_owned()).collect::<Vec<_>>();
        assert_eq!(all(" max_n2 <= \u{e9}t\u{e9}-1\u{2192} "), ["max_n2", "<", "=", "\u{e9}t\u{e9}", "-", "1", "\u{2192}"]);
        assert!(all(" ").is_empty());
    }

    #[test]
    fn a_line_has_spots_of_every_kind() {
        let found = |line: &str, kind: Kind| -> Vec<String> {
            spots(line).into_iter().filter(|spot| spot.kind == kind).map(|spot| line[spot.at].to_owned()).collect()
        };
        assert_eq!(found("wait(x30, 5)", Kind::Digits), ["30"], "the others are words");
        assert_eq!(found("wait(\"a b\")", Kind::Quoted), ["a b"]);
        assert_eq!(found("if a <= b && c", Kind::Operator), ["<=", "&&"]);
        assert_eq!(found("  color: #e67e22 !important;", Kind::Wide), ["#e67e22"]);
        assert_eq!(found("  color: #e67e22 !important;", Kind::Value), ["#e67e22 !important"]);
        assert_eq!(found("<b>Book now</b>", Kind::Between), ["Book now"]);
        assert_eq!(found("## Old title ", Kind::Line), ["Old title"]);
        assert_eq!(found("max_n = 3", Kind::Word), ["max_n", "3"]);
        assert!(spots("").is_empty());
    }
}
