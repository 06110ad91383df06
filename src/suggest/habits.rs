//! How a file writes things: what joins conditions, begins comments and ends statements.

use regex::Regex;
use std::sync::LazyLock;

/// What is before and behind the text of a comment or of an item of a list.
#[rustfmt::skip]
pub const COMMENTS: [(&str, &str); 16] = [
    ("/// ", ""), ("//! ", ""), ("// ", ""), ("# ", ""), ("## ", ""), ("-- ", ""), ("--- ", ""), ("; ", ""), ("% ", ""), ("/** ", " */"), ("/* ", " */"),
    ("\"\"\"", "\"\"\""), ("@doc \"", "\""), ("* ", ""), ("- ", ""), ("<!-- ", " -->"),
];

/// Where words join conditions.
static WORDS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(?:if|elif|while|return)\b.* (?:and|or) ").expect("it is well formed"));

/// What can be seen of all lines of a file.
pub struct Habits {
    /// Whether conditions are joined by `and` and `or`, not by `&&` and `||`.
    pub joins_by_words: bool,
    /// How many lines are each of [`COMMENTS`].
    pub n_comments: [usize; COMMENTS.len()],
    /// The mark with which most statements end: `;` or none.
    pub ending_mark: &'static str,
    /// Whether any line ends with a semicolon.
    pub has_semicolons: bool,
}

impl Habits {
    /// Linear in the text.
    pub fn new(text: &str) -> Habits {
        let lines = || text.split('\n');
        let is_comment = |line: &str, (before, after): (&str, &str)| {
            line.trim().strip_prefix(before).is_some_and(|rest| after.is_empty() || rest.ends_with(after.trim_start()))
        };
        let n_marked = lines().filter(|line| line.trim_end().ends_with(';')).count();
        Habits {
            joins_by_words: !text.contains("&&")
                && !text.contains("||")
                && (lines().any(|line| WORDS.is_match(line)) || !text.contains(['{', ';'])),
            n_comments: COMMENTS.map(|comment| lines().filter(|line| is_comment(line, comment)).count()),
            ending_mark: if n_marked * 5 > lines().count() { ";" } else { "" },
            has_semicolons: lines().any(|line| line.ends_with(';')),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn habits_are_those_of_most_lines() {
        let python = Habits::new("# One.\nif a and b:\n    x = 1\n");
        assert!(python.joins_by_words && python.ending_mark.is_empty() && !python.has_semicolons);
        assert_eq!(python.n_comments[3], 1);
        let c = Habits::new("/* One. */\nif (a && b) {\n  x = 1;\n}\n");
        assert!(!c.joins_by_words && c.has_semicolons);
        assert_eq!(c.ending_mark, "", "one line of five");
        assert_eq!(Habits::new("a();\nb();\n").ending_mark, ";");
    }
}
