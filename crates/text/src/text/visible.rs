//! Makes text safe to print on a terminal.
//!
//! Files, models and servers are not trusted. Their text must not move the cursor, change colours,
//! hide itself, or change the reading direction: a person confirms what they see. See "Trojan
//! Source" (CVE-2021-42574) for the direction, and "Terminal Emulator Security Issues" (Moore,
//! 2003) for escape sequences.
//!
//! All untrusted text goes through [`visible`] before it reaches a terminal or a report.

use std::borrow::Cow;

/// Replaces every invisible character, and every one that a terminal would obey, by a readable
/// form.
///
/// An ASCII control character becomes its caret notation (`\x1b` becomes `^[`). Any other harmful
/// character becomes its number (`<U+202E>`). Tabs stay, and so does all other text, including the
/// zero-width joiners (U+200C, U+200D) that many scripts and emoji need. A newline is a control
/// character too: pass one line at a time.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(spelled).collect())
}

fn spelled(c: char) -> String {
    match c {
        c if !is_harmful(c) => c.to_string(),
        '\0'..='\x1f' => format!("^{}", char::from(c as u8 + b'@')),
        c => format!("<U+{:04X}>", u32::from(c)),
    }
}

fn is_harmful(c: char) -> bool {
    match c {
        '\t' => false,
        // C0, DEL and C1: escape sequences begin with these.
        c if c.is_control() => true,
        // Soft hyphen, zero-width space and byte order mark: all invisible.
        '\u{ad}' | '\u{200b}' | '\u{feff}' => true,
        // Marks that change the reading direction.
        '\u{61c}' | '\u{200e}' | '\u{200f}' => true,
        // Line and paragraph separator, then embeddings and overrides of the direction.
        '\u{2028}'..='\u{202e}' => true,
        // Word joiner, invisible operators, direction isolates, deprecated format marks.
        '\u{2060}'..='\u{206f}' => true,
        // Tags: they can hide a whole ASCII text.
        '\u{e0000}'..='\u{e007f}' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(visible(text), expected, "{text:?}");
        assert_eq!(
            visible(expected),
            expected,
            "what is visible stays as it is"
        );
    }

    #[test]
    fn ordinary_text_stays_and_is_not_copied() {
        for text in [
            "",
            "fn main() {\t}",
            "gr\u{f6}\u{df}e \u{4e2d}\u{6587} \u{5d0}\u{5d1}",
            "e\u{301}",
            "\u{1f469}\u{200d}\u{1f4bb}",
            "\u{a0}",
        ] {
            check(text, text);
            assert!(matches!(visible(text), Cow::Borrowed(_)), "{text:?}");
        }
    }

    #[test]
    fn escape_sequences_are_spelled_out() {
        check("\x1b[2Jgone", "^[[2Jgone");
        check("\x1b]0;title\x07", "^[]0;title^G");
        check("over\rwritten", "over^Mwritten");
        check("back\x08\x08", "back^H^H");
        check("a\nb\0", "a^Jb^@");
        check("\x7f\u{9b}31m", "<U+007F><U+009B>31m");
    }

    #[test]
    fn text_that_hides_or_turns_is_spelled_out() {
        check("\u{202e}txt.exe", "<U+202E>txt.exe");
        check("a\u{2066}b\u{2069}", "a<U+2066>b<U+2069>");
        check("ad\u{200b}min\u{ad}", "ad<U+200B>min<U+00AD>");
        check("\u{feff}x\u{2028}y", "<U+FEFF>x<U+2028>y");
        check("\u{e0041}\u{e007f}", "<U+E0041><U+E007F>");
        check("\u{61c}\u{200e}\u{200f}", "<U+061C><U+200E><U+200F>");
    }

    #[test]
    fn nothing_harmful_is_left_of_any_character() {
        for c in '\0'..=char::MAX {
            let text = format!("a{c}b");
            let shown = visible(&text);
            assert!(!shown.contains(is_harmful), "{c:?}");
            assert!(c == '\t' || !shown.contains(char::is_control), "{c:?}");
        }
    }
}
