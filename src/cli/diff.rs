//! A unified diff as it is printed: for a terminal made safe and coloured.

use crate::text::visible;
use std::borrow::Cow;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colors {
    Ansi,
    None,
}

/// Renders a diff for printing. For a terminal, control characters are spelled out: the text of a
/// file must not move the cursor over what the person is asked to confirm.
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

#[cfg(test)]
mod tests {
    use super::*;

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
