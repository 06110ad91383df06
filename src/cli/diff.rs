//! The unified diff of a patch: for `patch` and `git apply` as it is, for a terminal made safe and coloured.

use crate::flow::Patched;
use crate::slots::Operation;
use crate::text::Text;
use similar::TextDiff;
use std::borrow::Cow;

/// Lines around a change.
const CONTEXT: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colors {
    Ansi,
    None,
}

/// The diff of the bytes of UTF-8 files, line endings and all; of the decoded text of others.
pub(super) fn unified(patched: &Patched) -> String {
    let before = readable(patched.before.bytes());
    let after = readable(&patched.after);
    let (old, new) = match patched.operation {
        Operation::Create => ("/dev/null".to_owned(), format!("b/{}", patched.path)),
        _ => (format!("a/{}", patched.path), format!("b/{}", patched.path)),
    };
    TextDiff::from_lines(before.as_ref(), after.as_ref()).unified_diff().context_radius(CONTEXT).header(&old, &new).to_string()
}

fn readable(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(
            Text::decode(bytes.to_vec())
                .map_or_else(|_| String::from_utf8_lossy(bytes).into_owned(), |text| text.shown().to_owned()),
        ),
    }
}

/// A diff as it is printed. For a terminal, control characters are spelled out: what a file holds must not
/// move the cursor over what the person is asked to confirm.
pub(super) fn render(diff: &str, colors: Colors, for_terminal: bool) -> String {
    let mut out = String::with_capacity(diff.len());
    for line in diff.split_inclusive('\n') {
        let (text, ending) = line.strip_suffix('\n').map_or((line, ""), |text| (text, "\n"));
        let text = if for_terminal { visible(text.strip_suffix('\r').unwrap_or(text)) } else { Cow::Borrowed(text) };
        let color = match (colors, text.as_bytes().first()) {
            (Colors::None, _) => None,
            (_, _) if text.starts_with("--- ") || text.starts_with("+++ ") => Some("1"),
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
        (c.is_control() && c != '\t') || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
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

    fn patched(before: &[u8], after: &[u8]) -> Patched {
        let before = Text::decode(before.to_vec()).unwrap();
        Patched { path: "a.rs".to_owned(), operation: Operation::Replace, before, after: after.to_vec(), replacements: vec![] }
    }

    #[test]
    fn a_diff_has_the_bytes_of_the_file() {
        let diff = unified(&patched(b"a\r\nb\r\nc", b"a\r\nx\r\nc"));
        assert_eq!(diff, "--- a/a.rs\n+++ b/a.rs\n@@ -1,3 +1,3 @@\n a\r\n-b\r\n+x\r\n c\n\\ No newline at end of file\n");
        let latin = unified(&patched(b"caf\xe9 1\n", b"caf\xe9 2\n"));
        assert_eq!(latin, "--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-caf\u{e9} 1\n+caf\u{e9} 2\n");
    }

    #[test]
    fn a_terminal_sees_control_characters_spelled_out() {
        let diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-\x1b[2J\ta\r\n+\u{202e}b\n c\n";
        assert_eq!(render(diff, Colors::None, false), diff);
        assert_eq!(render(diff, Colors::None, true), "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-^[[2J\ta\n+<U+202E>b\n c\n");
        assert!(render(diff, Colors::Ansi, true).contains("\x1b[31m-^[[2J\ta\x1b[0m\n"));
    }
}
