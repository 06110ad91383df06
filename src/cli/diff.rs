//! The unified diff of a patch as it is printed: for a terminal made safe and coloured.

pub(super) use crate::diff::{FileDiff, unified};
use std::borrow::Cow;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colors {
    Ansi,
    None,
}

/// A diff as it is printed. For a terminal, control characters are spelled out: what a file holds
/// must not move the cursor over what the person is asked to confirm.
pub(super) fn render(diff: &str, colors: Colors, for_terminal: bool) -> String {
    let mut out = String::with_capacity(diff.len());
    let mut in_hunks = false;
    for line in diff.split_inclusive('\n') {
        in_hunks |= line.starts_with("@@ ");
        let (text, ending) = line.strip_suffix('\n').map_or((line, ""), |text| (text, "\n"));
        let text = if for_terminal {
            visible(text.strip_suffix('\r').unwrap_or(text))
        } else {
            Cow::Borrowed(text)
        };
        let color = match (colors, text.as_bytes().first()) {
            (Colors::None, _) => None,
            _ if !in_hunks => Some("1"),
            (_, Some(b'+')) => Some("32"),
            (_, Some(b'-')) => Some("31"),
            (_, Some(b'@')) => Some("36"),
            _ => None,
        };
        match color {
            Some(color) => out.push_str(&format!("\x1b[{color}m{text}\x1b[0m{ending}")),
            None => out.extend([text.as_ref(), ending]),
        }
    }
    out
}

/// `\x1b` becomes `^[`, and what changes the direction or the look of text its number.
pub(super) fn visible(text: &str) -> Cow<'_, str> {
    let harmful = |c: char| {
        let invisible = matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}');
        (c.is_control() && c != '\t')
            || invisible
            || matches!(c, '\u{feff}' | '\u{e0000}'..='\u{e007f}')
    };
    if !text.contains(harmful) {
        return Cow::Borrowed(text);
    }
    let spell = |c: char| match c {
        c if !harmful(c) => c.to_string(),
        '\0'..='\x1f' => format!("^{}", char::from(c as u8 + b'@')),
        c => format!("<U+{:04X}>", u32::from(c)),
    };
    Cow::Owned(text.chars().map(spell).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::Patched;
    use crate::slots::Operation;
    use crate::text::Text;

    fn unified_of(patched: Patched) -> String {
        unified(&FileDiff::from(&patched))
    }

    fn patched(before: &[u8], after: &[u8]) -> Patched {
        let before = Text::decode(before.to_vec()).unwrap();
        Patched {
            path: "a.rs".to_owned(),
            operation: Operation::Replace,
            before,
            after: after.to_vec(),
            replacements: vec![],
            rung: crate::locate::Rung::Exact,
            seen: vec![],
        }
    }

    #[test]
    fn a_diff_has_the_bytes_of_the_file() {
        let diff = unified_of(patched(b"a\r\nb\r\nc", b"a\r\nx\r\nc"));
        assert_eq!(
            diff,
            "--- a/a.rs\n+++ b/a.rs\n@@ -1,3 +1,3 @@\n a\r\n-b\r\n+x\r\n c\n\\ No newline at end of file\n"
        );
        let lone = unified_of(patched(b"a\rb\nc\n", b"a\rx\nc\n"));
        assert_eq!(lone, "--- a/a.rs\n+++ b/a.rs\n@@ -1,2 +1,2 @@\n-a\rb\n+a\rx\n c\n");
        let last_accent = unified_of(patched(b"caf\xe9\r\nx\r\n", b"cafe\r\nx\r\n"));
        assert_eq!(
            last_accent,
            "--- a/a.rs\n+++ b/a.rs\n@@ -1,2 +1,2 @@\n-caf\u{e9}\r\n+cafe\r\n x\r\n"
        );
        let latin = unified_of(patched(b"caf\xe9 1\n", b"caf\xe9 2\n"));
        assert_eq!(latin, "--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-caf\u{e9} 1\n+caf\u{e9} 2\n");
    }

    #[test]
    fn files_that_come_go_and_move() {
        let text = Text::decode(b"a\n".to_vec()).unwrap();
        let check = |moved_to: Option<&str>,
                     before: Option<&Text>,
                     after: Option<&[u8]>,
                     expected: &str| {
            assert_eq!(unified(&FileDiff { path: "x", moved_to, before, after }), expected);
        };
        check(None, None, Some(b"a\n"), "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n");
        check(None, Some(&text), None, "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n");
        check(
            Some("y"),
            Some(&text),
            Some(b"a\n"),
            "diff --git a/x b/y\nrename from x\nrename to y\n",
        );
        check(None, None, Some(b""), "diff --git a/x b/x\nnew file mode 100644\n");
        check(
            None,
            Some(&Text::decode(vec![]).unwrap()),
            None,
            "diff --git a/x b/x\ndeleted file mode 100644\n",
        );
    }

    #[test]
    fn a_terminal_sees_control_characters_spelled_out() {
        let diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-\x1b[2J\ta\r\n+\u{202e}b\n c\n";
        assert_eq!(render(diff, Colors::None, false), diff);
        assert_eq!(
            render(diff, Colors::None, true),
            "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-^[[2J\ta\n+<U+202E>b\n c\n"
        );
        assert!(render(diff, Colors::Ansi, true).contains("\x1b[31m-^[[2J\ta\x1b[0m\n"));
        let comment = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- removed comment\n";
        assert!(
            render(comment, Colors::Ansi, true).ends_with("\x1b[31m--- removed comment\x1b[0m\n")
        );
    }
}
