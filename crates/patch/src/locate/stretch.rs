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

/// A searched line and the line of the file beside it. Of a long one the stretch is given where the
/// two differ first, or that is most like the other.
pub(super) fn of_pair<'l>(searched: &'l str, found: &'l str) -> (Cow<'l, str>, Cow<'l, str>) {
    let in_both = searched
        .chars()
        .zip(found.chars())
        .take_while(|(a, b)| a == b);
    let in_both: usize = in_both.map(|(c, _)| c.len_utf8()).sum();
    if searched.len() > MAX_LINE || in_both >= BEFORE {
        return (around(searched, in_both), around(found, in_both));
    }
    (
        Cow::Borrowed(searched),
        around(found, most_alike(found, searched)),
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

/// Where the part of a line begins that has the most of a text's words, the rare ones before the
/// frequent.
fn most_alike(line: &str, near: &str) -> usize {
    let mut n_times: HashMap<&str, usize> = words(near).map(|word| (word, 0)).collect();
    let mut hits: Vec<(usize, &str)> = Vec::new();
    for word in words(line) {
        if let Some(n) = n_times.get_mut(word) {
            *n += 1;
            hits.push((word.as_ptr() as usize - line.as_ptr() as usize, word));
        }
    }
    let length = 2 * near.len().max(BEFORE);
    let mut inside: HashMap<&str, usize> = HashMap::new();
    let (mut first, mut alike, mut best) = (0, 0.0, (0.0, 0));
    for &(end, word) in &hits {
        let n = inside.entry(word).or_default();
        *n += 1;
        if *n == 1 {
            alike += 1.0 / n_times[word] as f64;
        }
        while hits[first].0 + length < end {
            let gone = hits[first].1;
            let n = inside.entry(gone).or_default();
            *n -= 1;
            if *n == 0 {
                alike -= 1.0 / n_times[gone] as f64;
            }
            first += 1;
        }
        // Sums of fractions that come and go are not exact.
        if alike > best.0 + 1e-9 {
            best = (alike, hits[first].0);
        }
    }
    best.1
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
