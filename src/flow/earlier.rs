//! What was done just before a task, as a model is told it.

use crate::task::{Earlier, Standing};
use crate::text::{Text, line_diff};
use crate::workspace::Change;

/// The longest text of changed lines, in bytes: some 400 tokens.
const LONGEST: usize = 1_600;

/// The longest sentence, in bytes.
const LONGEST_SENTENCE: usize = 1_000;

/// The changes of an edit, and the sentence that it was made for.
pub(crate) fn earlier(sentence: &str, changes: &[&Change], standing: Standing) -> Earlier {
    let mut done = String::new();
    let mut files = Vec::new();
    for change in changes {
        files.push(change.path.clone());
        done += &format!("{}\n{}", change.path, changed_lines(change));
    }
    Earlier {
        sentence: shortened(sentence, LONGEST_SENTENCE),
        done: shortened(&done, LONGEST),
        files,
        standing,
    }
}

/// The lines that a change takes out, with a minus, and those that it puts in, with a plus.
fn changed_lines(change: &Change) -> String {
    let decoded = |bytes: &Option<Vec<u8>>| {
        let text = Text::decode(bytes.clone().unwrap_or_default());
        text.map_or_else(|_| String::new(), |text| text.shown().to_owned())
    };
    let before = decoded(&change.before);
    let after = decoded(&change.after);
    let old: Vec<&str> = before.split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();

    let mut lines = String::new();
    for (bytes, added) in line_diff::replaced(&line_diff::diff(&old, &new), &old) {
        for line in before[bytes].lines() {
            lines += &format!("-{line}\n");
        }
        for line in &new[added] {
            lines += &format!("+{}\n", line.trim_end_matches('\n'));
        }
    }
    lines
}

/// The text without what is too long of it, and without the newline at its end.
fn shortened(text: &str, longest: usize) -> String {
    let text = text.trim_end();
    if text.len() <= longest {
        return text.to_owned();
    }
    let kept = &text[..text.floor_char_boundary(longest)];
    let kept = kept.rsplit_once('\n').map_or(kept, |(lines, _)| lines);
    format!("{kept}\n...")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changed_lines_are_told() {
        let before = b"a = 1\nb = 2\nc = 3\n";
        let after = b"a = 1\nb = 20\nc = 3\nd = 4";
        let change = Change::replace("x.py", before, after);
        let made = Change::create("y.py", b"\n");
        let earlier = earlier("Use 20.", &[&change, &made], Standing::Written);
        assert_eq!(earlier.done, "x.py\n-b = 2\n+b = 20\n+d = 4\ny.py\n+");
        assert_eq!(earlier.files, ["x.py", "y.py"]);
        assert_eq!(earlier.standing, Standing::Written);
    }

    #[test]
    fn what_is_long_is_cut_at_a_line() {
        let after = "some text\n".repeat(400);
        let change = Change::create("x.txt", after.as_bytes());
        let done = earlier("Write it", &[&change], Standing::Written).done;
        assert!(
            done.len() <= LONGEST + 4 && done.ends_with("+some text\n..."),
            "{done}"
        );
        assert_eq!(shortened(&"é".repeat(10), 5), "éé\n...");
    }
}
