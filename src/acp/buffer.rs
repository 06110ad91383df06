//! A file's text as an editor has it, beside that of the disk. Editors, and what connects them, do
//! not give every character back: a carriage return becomes a newline, the last newline is left off,
//! the byte order mark is gone. Such a file is saved, and its bytes are those on disk.

use crate::text::Text;

/// What some programs take for the end of a line, beside the newline. CR LF is one newline already.
const LINE_BREAKS: [char; 9] = [
    '\r', '\x0b', '\x0c', '\x1c', '\x1d', '\x1e', '\u{85}', '\u{2028}', '\u{2029}',
];

/// A file's text with newlines only.
pub(super) fn decoded(bytes: &[u8]) -> String {
    Text::decode(bytes.to_vec()).map_or_else(
        |_| String::from_utf8_lossy(bytes).into_owned(),
        |text| text.shown().to_owned(),
    )
}

/// Whether two texts differ in no more than an editor changes by itself.
pub(super) fn is_same(a: &str, b: &str) -> bool {
    a == b || normal(a, "\n") == normal(b, "\n") || normal(a, "") == normal(b, "")
}

/// A text without what editors change by themselves, with `line_break` for every line break.
fn normal(text: &str, line_break: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = text.replace("\r\n", "\n").replace(LINE_BREAKS, line_break);
    text.trim_end_matches('\n').to_owned()
}

/// The text of an editor with the last newline that the file has. An editor that leaves it off would
/// write the file without it.
pub(super) fn with_last_newline(mut in_editor: String, on_disk: &str) -> String {
    if on_disk.ends_with('\n') && !in_editor.is_empty() && !in_editor.ends_with('\n') {
        in_editor.push('\n');
    }
    in_editor
}

/// Whether a text of an editor lacks what it cannot have been given: line breaks of another kind, or
/// all characters beyond ASCII. Written through that editor, the file would lose them. Both texts are
/// without the carriage returns of CR LF.
pub(super) fn lacks_characters(in_editor: &str, on_disk: &str) -> bool {
    let mut line_breaks = LINE_BREAKS.iter().filter(|c| on_disk.contains(**c));
    if line_breaks.any(|c| !in_editor.contains(*c)) {
        return true;
    }
    let mut others = on_disk.to_owned();
    others.retain(|c| !c.is_ascii() && !LINE_BREAKS.contains(&c));
    !others.is_empty() && !others.contains(|c| in_editor.contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_editor_changes_by_itself_is_no_change() {
        let same = |a: &str, b: &str| assert!(is_same(a, b) && is_same(b, a), "{a:?} {b:?}");
        same("a\nb\n", "a\nb");
        same("a\r\nb\r\n", "a\nb\n");
        same("a\rb\n", "a\nb\n");
        same("a\rb\n", "ab\n");
        same("\u{feff}a\n", "a\n");
        same("a\x0cb\u{2028}c\n", "a\nb\nc");
        let differs = |a: &str, b: &str| assert!(!is_same(a, b) && !is_same(b, a), "{a:?} {b:?}");
        differs("a\nb\n", "ab\n");
        differs("a\n", "a \n");
        differs("a\n", "b\n");
        differs("caf\u{e9}\n", "caf\n");
        differs("", "a");
    }

    #[test]
    fn what_an_editor_has_lost_is_noticed() {
        for (in_editor, on_disk) in [
            ("a\nb\nnew\n", "a\rb\n"),
            ("a\nb\nnew\n", "a\x0cb\n"),
            ("caf\nnew\n", "caf\u{e9}\n"),
            ("caf\u{c3}\u{a9}\nnew\n", "caf\u{e9}\n"),
        ] {
            assert!(lacks_characters(in_editor, on_disk), "{in_editor:?}");
        }
        for (in_editor, on_disk) in [
            ("a\rb\nnew\n", "a\rb\n"),
            ("caf\u{e9}\nnew\n", "caf\u{e9} \u{2014}\n"),
            ("new\n", "a\n"),
            ("caf\u{e9}\n", "a\n"),
        ] {
            assert!(!lacks_characters(in_editor, on_disk), "{in_editor:?}");
        }
    }

    #[test]
    fn the_last_newline_comes_back() {
        let check = |in_editor: &str, on_disk, expected| {
            assert_eq!(with_last_newline(in_editor.to_owned(), on_disk), expected);
        };
        check("b", "a\n", "b\n");
        check("b\n", "a\n", "b\n");
        check("b", "a", "b");
        check("", "a\n", "");
    }
}
