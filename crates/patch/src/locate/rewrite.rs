//! Rewrites searched text that one tool too many has changed. It still has escapes, or the line
//! numbers of the listing that the model was shown.

use crate::hunk::{Extent, Hunk, Tag};

/// Escapes, each with the text that it represents, in the order in which they are tried at each
/// position.
type Escapes = [(&'static str, &'static str)];

const BACKSLASHES: &Escapes = &[
    (r"\\", "\\"),
    (r"\n", "\n"),
    (r"\r", "\r"),
    (r"\t", "\t"),
    ("\\\"", "\""),
    (r"\'", "'"),
    (r"\`", "`"),
    (r"\$", "$"),
    (r"\/", "/"),
];

const ENTITIES: &Escapes = &[
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&#34;", "\""),
    ("&#39;", "'"),
    ("&apos;", "'"),
    ("&nbsp;", " "),
    ("&amp;", "&"),
];

/// Versions of the hunk without escapes of one kind, of the other, and of both. The new text is
/// unescaped too if all its escapes occur in the searched text. If none do, it was written as meant
/// and stays. If only some do, the case is unclear, and that version is left out.
pub(super) fn without_escapes(hunk: &Hunk) -> Vec<Hunk> {
    let mut versions: Vec<Hunk> = Vec::new();
    let old = hunk.old().collect::<Vec<_>>().join("\n");
    let new = hunk.new().collect::<Vec<_>>().join("\n");
    let both = [BACKSLASHES, ENTITIES].concat();
    for escapes in [BACKSLASHES, ENTITIES, &both] {
        let (plain_old, in_old) = undone(&old, escapes);
        if plain_old == old {
            continue;
        }
        let (plain_new, in_new) = undone(&new, escapes);
        let n_known = in_new.iter().filter(|written| in_old.contains(written));
        let new = match n_known.count() {
            0 => &new,
            n if n == in_new.len() => &plain_new,
            // A tool writes entities in a whole text or nowhere, while a backslash may be the
            // text's own.
            _ if in_new.iter().all(|written| written.starts_with('&')) => &plain_new,
            _ => continue,
        };
        let version = with_texts(hunk, &plain_old, new);
        if !versions.contains(&version) {
            versions.push(version);
        }
    }
    versions
}

/// The hunk with another searched and another new text.
fn with_texts(hunk: &Hunk, old: &str, new: &str) -> Hunk {
    let old: Vec<&str> = old.split('\n').collect();
    let new: Vec<&str> = new.split('\n').collect();
    let deletes_all = hunk.extent == Extent::Lines && hunk.new().next().is_none();
    let lines = Hunk::of_lines(&old, if deletes_all { &[] } else { &new }).lines;
    Hunk {
        lines,
        ..hunk.clone()
    }
}

/// The text without its escapes, and the escapes that it had.
fn undone<'e>(text: &str, escapes: &[(&'e str, &str)]) -> (String, Vec<&'e str>) {
    let mut plain = String::with_capacity(text.len());
    let mut had: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '&']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let escape = escapes
            .iter()
            .find(|(written, _)| rest.starts_with(written));
        let Some((written, meant)) = escape else {
            plain.push_str(&rest[..1]);
            rest = &rest[1..];
            continue;
        };
        plain.push_str(meant);
        rest = &rest[written.len()..];
        if !had.contains(written) {
            had.push(written);
        }
    }
    plain.push_str(rest);
    (plain, had)
}

/// The hunk without line numbers, if all searched lines have them and they count up by one. The
/// first becomes a hint; for a single line it must be right.
pub(super) fn without_line_numbers(hunk: &Hunk) -> Option<Hunk> {
    // New lines may have no numbers, but then none of them may.
    let mut inserted = hunk.lines.iter().filter(|line| line.tag == Tag::Insert);
    let are_new_numbered = inserted.any(|line| numbered(&line.text).is_some());

    let mut first = None;
    let mut expected: Option<usize> = None;
    let mut old = Vec::new();
    let mut new = Vec::new();
    for line in &hunk.lines {
        let is_new = line.tag == Tag::Insert;
        let text = match numbered(&line.text) {
            Some((_, text)) if is_new => text,
            Some((number, text)) if expected.is_none_or(|expected| expected == number) => {
                first = first.or(Some(number));
                expected = Some(number);
                text
            }
            Some(_) => return None,
            // A blank line without a number still counts.
            None if line.text.trim().is_empty() || (is_new && !are_new_numbered) => &line.text,
            None => return None,
        };
        if !is_new {
            expected = expected.and_then(|number| number.checked_add(1));
            old.push(text);
        }
        if line.tag != Tag::Delete {
            new.push(text);
        }
    }

    // Lines that differed only in their numbers now stay.
    let mut plain = Hunk {
        lines: Hunk::of_lines(&old, &new).lines,
        ..hunk.clone()
    };
    plain.hints.line = Some(first?);
    Some(plain)
}

/// `12 | text`, `12|text`, `12: text`, `12→text`, `12⇥text`.
fn numbered(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start_matches(' ');
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = line[..line.len() - rest.len()].parse().ok()?;
    if let Some(text) = rest.strip_prefix(['\t', '\u{2192}']) {
        return Some((number, text));
    }
    let text = rest.trim_start_matches(' ').strip_prefix(['|', ':'])?;
    Some((number, text.strip_prefix(' ').unwrap_or(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone_in_the_new_text_as_in_the_searched() {
        let check = |old: &str, new: &str, expected: &[(&str, &str)]| {
            let versions: Vec<Hunk> = without_escapes(&Hunk::of_text(old, new));
            let expected: Vec<Hunk> = expected
                .iter()
                .map(|(old, new)| Hunk::of_text(old, new))
                .collect();
            assert_eq!(versions, expected, "{old:?} {new:?}");
        };
        check(r"a\nb", r"a\nc", &[("a\nb", "a\nc")]);
        check(r"a\nb", "a\nc", &[("a\nb", "a\nc")]);
        check(r"C:\\x", r"C:\y", &[(r"C:\x", r"C:\y")]);
        check(r"C:\\x", r"D:\temp", &[(r"C:\x", r"D:\temp")]);
        check(r"C:\\x", r"D:\\y\temp", &[]);
        check("a &lt; b", "a &gt; b", &[("a < b", "a &gt; b")]);
        let and = "b &lt; a &amp;&amp; c";
        check(and, "b &lt; a", &[("b < a && c", "b < a")]);
        check("b &lt; a", and, &[("b < a", "b < a && c")]);
        check("plain", "text", &[]);
    }

    #[test]
    fn line_numbers_come_off_if_all_lines_have_them() {
        for (old, new, expected) in [
            (
                &["9 | a", "10 |   b"][..],
                &["9 | c"][..],
                Some((&["a", "  b"][..], &["c"][..], 9)),
            ),
            (
                &["     1\ta", "     2\tb"],
                &["a", "c"],
                Some((&["a", "b"], &["a", "c"], 1)),
            ),
            (&["3: a", "", "5: b"], &[], Some((&["a", "", "b"], &[], 3))),
            (&["1 | a", "3 | b"], &[], None),
            (&["1 | a", "b"], &[], None),
            (&["1 | a"], &["1 | b", "c"], None),
            (&["a"], &["b"], None),
        ] {
            let plain = without_line_numbers(&Hunk::of_lines(old, new));
            let expected = expected.map(|(old, new, line)| {
                let mut hunk = Hunk::of_lines(old, new);
                hunk.hints.line = Some(line);
                hunk
            });
            assert_eq!(plain, expected, "{old:?}");
        }
    }
}
