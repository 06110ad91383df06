//! Messages as Markdown, which editors show them as.

/// Characters that Markdown takes for itself: `__init__.py` would lose its underscores.
const MARKS: [char; 7] = ['_', '*', '<', '>', '[', ']', '~'];

/// What stands around a word, and is no part of a name.
const AROUND: [char; 12] = ['(', ')', ',', '.', ':', ';', '!', '?', '"', '\'', '…', '`'];

/// A message of plain lines as Markdown: each line is a paragraph, unless it belongs to a list; lines
/// that are indented are code; and names with marks are code too.
pub(super) fn markdown(message: &str) -> String {
    let mut text = String::new();
    let mut before = Line::Start;
    for line in message.trim_end().lines() {
        let kind = Line::of(line, before);
        if before == Line::Code && kind != Line::Code {
            text += "```\n";
        }
        if before != Line::Start && kind != before || kind == Line::Words {
            text.push('\n');
        }
        match kind {
            Line::Code if before != Line::Code => text += &format!("```\n{line}\n"),
            Line::Code => text += &format!("{line}\n"),
            Line::Words | Line::Item | Line::Start => text += &format!("{}\n", words(line)),
        }
        before = kind;
    }
    if before == Line::Code {
        text += "```\n";
    }
    text.trim_start_matches('\n').to_owned()
}

/// What a line of a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// There was none yet.
    Start,
    Words,
    Item,
    Code,
}

impl Line {
    fn of(line: &str, before: Line) -> Line {
        if line.starts_with("- ") {
            Line::Item
        } else if line.starts_with("  ") || line.is_empty() && before == Line::Code {
            Line::Code
        } else {
            Line::Words
        }
    }
}

/// A line with its names as code. What is code already stays.
fn words(line: &str) -> String {
    let mut text = String::new();
    for (i, part) in line.split('`').enumerate() {
        if i > 0 {
            text.push('`');
        }
        if i % 2 == 1 {
            text += part;
            continue;
        }
        let words: Vec<String> = part.split(' ').map(word).collect();
        text += &words.join(" ");
    }
    text
}

fn word(word: &str) -> String {
    let core = word.trim_start_matches(AROUND);
    let start = &word[..word.len() - core.len()];
    let core = core.trim_end_matches(AROUND);
    let end = &word[start.len() + core.len()..];
    if core.contains(MARKS) && core.contains(char::is_alphanumeric) {
        format!("{start}`{core}`{end}")
    } else {
        word.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(message: &str, expected: &str) {
        assert_eq!(markdown(message), expected);
    }

    #[test]
    fn names_keep_their_marks() {
        check(
            "Wrote src/pkg/__init__.py, a*b.\n",
            "Wrote `src/pkg/__init__.py`, `a*b`.\n",
        );
        check(
            "load_all is used (in `a_b.py`)",
            "`load_all` is used (in `a_b.py`)\n",
        );
        check(
            "Vec<T> and plain.py, 2 * 3",
            "`Vec<T>` and plain.py, 2 * 3\n",
        );
    }

    #[test]
    fn lines_are_paragraphs_and_lists_are_lists() {
        check("one\ntwo", "one\n\ntwo\n");
        check("why:\n- a\n- b_c\nend", "why:\n\n- a\n- `b_c`\n\nend\n");
    }

    #[test]
    fn indented_lines_are_code() {
        check(
            "it has:\n  3 | a_b\n\n  4 | c\nend",
            "it has:\n\n```\n  3 | a_b\n\n  4 | c\n```\n\nend\n",
        );
        check("x:\n  a", "x:\n\n```\n  a\n```\n");
    }
}
