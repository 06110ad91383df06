//! Rewrites searched text that one tool too many has changed. It still has escapes, or the line
//! numbers of the listing that the model was shown.

use crate::hunk::{Extent, Hints, Hunk, Tag};

/// An escape, and the text that it represents.
struct Escape {
    written: &'static str,
    meant: &'static str,
}

/// In the order in which they are tried at each position.
const BACKSLASHES: [Escape; 9] = [
    Escape {
        written: r"\\",
        meant: "\\",
    },
    Escape {
        written: r"\n",
        meant: "\n",
    },
    Escape {
        written: r"\r",
        meant: "\r",
    },
    Escape {
        written: r"\t",
        meant: "\t",
    },
    Escape {
        written: "\\\"",
        meant: "\"",
    },
    Escape {
        written: r"\'",
        meant: "'",
    },
    Escape {
        written: r"\`",
        meant: "`",
    },
    Escape {
        written: r"\$",
        meant: "$",
    },
    Escape {
        written: r"\/",
        meant: "/",
    },
];

const ENTITIES: [Escape; 8] = [
    Escape {
        written: "&lt;",
        meant: "<",
    },
    Escape {
        written: "&gt;",
        meant: ">",
    },
    Escape {
        written: "&quot;",
        meant: "\"",
    },
    Escape {
        written: "&#34;",
        meant: "\"",
    },
    Escape {
        written: "&#39;",
        meant: "'",
    },
    Escape {
        written: "&apos;",
        meant: "'",
    },
    Escape {
        written: "&nbsp;",
        meant: " ",
    },
    Escape {
        written: "&amp;",
        meant: "&",
    },
];

/// Versions of the hunk without escapes of one kind, of the other, and of both. The new text is
/// unescaped too if all its escapes occur in the searched text. If none do, it was written as meant
/// and stays. If only some do, the case is unclear, and that version is left out.
pub(super) fn without_escapes(hunk: &Hunk) -> Vec<Hunk> {
    let mut versions: Vec<Hunk> = Vec::new();
    let old = hunk.old().collect::<Vec<_>>().join("\n");
    let new = hunk.new().collect::<Vec<_>>().join("\n");
    let both: Vec<&Escape> = BACKSLASHES.iter().chain(&ENTITIES).collect();
    for escapes in [
        BACKSLASHES.iter().collect::<Vec<_>>(),
        ENTITIES.iter().collect(),
        both,
    ] {
        let (plain, in_old) = undone(&old, &escapes);
        if plain == old {
            continue;
        }
        let (plain_new, in_new) = undone(&new, &escapes);
        let n_known = in_new
            .iter()
            .filter(|escape| in_old.contains(escape))
            .count();
        let new = match n_known {
            0 => new.clone(),
            n if n == in_new.len() => plain_new,
            // A tool writes entities in a whole text or nowhere, while a backslash may be the
            // text's own.
            _ if in_new.iter().all(|escape| escape.starts_with('&')) => plain_new,
            _ => continue,
        };
        let version = match hunk.extent {
            Extent::Text => Hunk::of_text(&plain, &new),
            Extent::Lines if hunk.new().next().is_none() => {
                Hunk::of_lines(&plain.split('\n').collect::<Vec<_>>(), &[])
            }
            Extent::Lines => Hunk::of_lines(
                &plain.split('\n').collect::<Vec<_>>(),
                &new.split('\n').collect::<Vec<_>>(),
            ),
        };
        let version = Hunk {
            count: hunk.count,
            hints: hunk.hints.clone(),
            final_newline: hunk.final_newline,
            ..version
        };
        if !versions.contains(&version) {
            versions.push(version);
        }
    }
    versions
}

/// The text without its escapes, and the escapes that it had.
fn undone<'e>(text: &str, escapes: &[&'e Escape]) -> (String, Vec<&'e str>) {
    let mut plain = String::with_capacity(text.len());
    let mut had: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let here = || {
            escapes
                .iter()
                .find(|escape| rest.starts_with(escape.written))
        };
        if let Some(escape) = matches!(c, '\\' | '&').then(here).flatten() {
            plain.push_str(escape.meant);
            if !had.contains(&escape.written) {
                had.push(escape.written);
            }
            rest = &rest[escape.written.len()..];
        } else {
            plain.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    (plain, had)
}

/// The hunk without line numbers, if all searched lines have them and they count up by one. The
/// first becomes a hint; for a single line it must be right.
pub(super) fn without_line_numbers(hunk: &Hunk) -> Vec<Hunk> {
    let mut expected = None;
    let mut first = None;
    let mut lines = Vec::with_capacity(hunk.lines.len());
    for line in &hunk.lines {
        let mut line = line.clone();
        match numbered(&line.text) {
            Some((number, text)) => {
                if line.tag != Tag::Insert {
                    if expected.is_some_and(|expected| expected != number) {
                        return Vec::new();
                    }
                    expected = number.checked_add(1);
                    first = first.or(Some(number));
                }
                line.text = text.to_owned();
            }
            None if line.text.trim().is_empty() => {
                // A blank line without a number still counts.
                if line.tag != Tag::Insert {
                    expected = expected.map(|expected: usize| expected.saturating_add(1));
                }
            }
            // New lines may have no numbers, but then none of them may.
            None if line.tag == Tag::Insert
                && !hunk
                    .lines
                    .iter()
                    .any(|l| l.tag == Tag::Insert && numbered(&l.text).is_some()) => {}
            None => return Vec::new(),
        }
        lines.push(line);
    }
    let Some(first) = first else {
        return Vec::new();
    };
    // Lines that differed only in their numbers now stay.
    let plain = Hunk {
        lines,
        ..hunk.clone()
    };
    let (old, new): (Vec<&str>, Vec<&str>) = (plain.old().collect(), plain.new().collect());
    let hints = Hints {
        line: Some(first),
        ..hunk.hints.clone()
    };
    vec![Hunk {
        extent: hunk.extent,
        count: hunk.count,
        hints,
        ..Hunk::of_lines(&old, &new)
    }]
}

/// `12 | text`, `12|text`, `12: text`, `12→text`, `12⇥text`.
fn numbered(line: &str) -> Option<(usize, &str)> {
    let trimmed = line.trim_start_matches(' ');
    let digits = trimmed.len()
        - trimmed
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .len();
    let number = trimmed[..digits].parse().ok()?;
    let rest = &trimmed[digits..];
    if let Some(text) = rest
        .strip_prefix('\t')
        .or_else(|| rest.strip_prefix('\u{2192}'))
    {
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
        check(
            "a &lt; b &amp;&amp; c",
            "b &lt; a",
            &[("a < b && c", "b < a")],
        );
        check(
            "a &lt; b",
            "a &lt; b &amp;&amp; c",
            &[("a < b", "a < b && c")],
        );
        check("plain", "text", &[]);
    }

    #[test]
    fn line_numbers_come_off_if_all_lines_have_them() {
        let check = |old: &[&str], new: &[&str], expected: Option<(&[&str], &[&str], usize)>| {
            let versions = without_line_numbers(&Hunk::of_lines(old, new));
            let found = versions.first().map(|hunk| {
                (
                    hunk.old().collect::<Vec<_>>(),
                    hunk.new().collect::<Vec<_>>(),
                    hunk.hints.line,
                )
            });
            let expected =
                expected.map(|(old, new, line)| (old.to_vec(), new.to_vec(), Some(line)));
            assert_eq!(found, expected, "{old:?}");
        };
        check(
            &["9 | a", "10 |   b"],
            &["9 | c"],
            Some((&["a", "  b"], &["c"], 9)),
        );
        check(
            &["     1\ta", "     2\tb"],
            &["a", "c"],
            Some((&["a", "b"], &["a", "c"], 1)),
        );
        check(&["3: a", "", "5: b"], &[], Some((&["a", "", "b"], &[], 3)));
        check(&["1 | a", "3 | b"], &[], None);
        check(&["1 | a", "b"], &[], None);
        check(&["1 | a"], &["1 | b", "c"], None);
        check(&["a"], &["b"], None);
    }
}
