//! What is shown of a long line: minified code and data have lines of megabytes.

use super::fold::words;
use std::borrow::Cow;
use std::collections::HashMap;

/// The longest line that is shown whole, in bytes.
const MAX_LINE: usize = 400;

/// The longest message, in bytes.
const MAX_MESSAGE: usize = 1_000;

/// Stands for the rest of a line. In ASCII, since other characters are spelled out where lines differ.
const CUT: &str = "[...]";

/// Bytes that are shown before the place that matters.
const BEFORE: usize = 80;

/// A searched line and the line of the file beside it. A long one is cut to the stretch where the two
/// differ first, or where it has the rarest word of the other.
pub(super) fn of_pair<'l>(searched: &'l str, found: &'l str) -> (Cow<'l, str>, Cow<'l, str>) {
    let in_both: usize = searched
        .chars()
        .zip(found.chars())
        .take_while(|(a, b)| a == b)
        .map(|(c, _)| c.len_utf8())
        .sum();
    if searched.len() > MAX_LINE || in_both >= BEFORE {
        return (around(searched, in_both), around(found, in_both));
    }
    (
        Cow::Borrowed(searched),
        around(found, rarest_word(found, searched)),
    )
}

/// The beginning of a long line.
pub(super) fn beginning(line: &str) -> Cow<'_, str> {
    around(line, 0)
}

/// A message that has a line in it, which may be long.
pub fn message(message: String) -> String {
    if message.len() > MAX_MESSAGE {
        format!(
            "{}{CUT}",
            &message[..message.floor_char_boundary(MAX_MESSAGE)]
        )
    } else {
        message
    }
}

/// The stretch of a long line around a byte.
fn around(line: &str, at: usize) -> Cow<'_, str> {
    if line.len() <= MAX_LINE {
        return Cow::Borrowed(line);
    }
    let latest = line.len() - MAX_LINE;
    let start = line.floor_char_boundary(at.saturating_sub(BEFORE).min(latest));
    let end = line.floor_char_boundary(start + MAX_LINE);
    let before = if start > 0 { CUT } else { "" };
    let after = if end < line.len() { CUT } else { "" };
    Cow::Owned(format!("{before}{}{after}", &line[start..end]))
}

/// The offset in a line of the word that it shares with a text and has the fewest times.
fn rarest_word(line: &str, text: &str) -> usize {
    let mut offsets: HashMap<&str, Vec<usize>> = HashMap::new();
    for word in words(line) {
        let offset = word.as_ptr() as usize - line.as_ptr() as usize;
        offsets.entry(word).or_default().push(offset);
    }
    let shared = words(text).filter_map(|word| offsets.get(word));
    let rarest = shared.min_by_key(|offsets| offsets.len());
    rarest.map_or(0, |offsets| offsets[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long(middle: &str) -> String {
        format!("{0}{middle}{0}", "f(x);".repeat(1_000))
    }

    #[test]
    fn short_lines_are_shown_whole() {
        assert_eq!(of_pair("a = 1", "a = 2"), ("a = 1".into(), "a = 2".into()));
        assert_eq!(beginning("a"), "a");
    }

    #[test]
    fn of_a_long_line_the_part_is_shown_that_is_like_the_searched_text() {
        for middle in ["var total=1,rest=2;", "var total = 7;", "total(rest, var)"] {
            let line = long(middle);
            let (searched, found) = of_pair("var total = 1, rest = 2;", &line);
            assert_eq!(searched, "var total = 1, rest = 2;");
            assert!(
                found.contains(middle) && found.len() < MAX_LINE + 11,
                "{found}"
            );
        }
    }

    #[test]
    fn of_two_long_lines_the_part_is_shown_where_they_differ() {
        let (a, b) = (long("total=1"), long("total=2"));
        let (searched, found) = of_pair(&a, &b);
        assert!(
            searched.contains("total=1") && found.contains("total=2"),
            "{searched} {found}"
        );
        let (searched, found) = of_pair(&a, "f(x)");
        assert!(
            searched.starts_with("f(x);") && found == "f(x)",
            "{searched}"
        );
    }

    #[test]
    fn a_cut_is_between_characters() {
        let line = "é".repeat(1_000);
        for at in 0..line.len() {
            assert!(around(&line, at).replace(CUT, "").chars().all(|c| c == 'é'));
        }
        assert!(of_pair("", &line).1.len() < MAX_LINE + 11);
    }
}
