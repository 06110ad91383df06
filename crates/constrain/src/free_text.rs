//! New text: any valid UTF-8, JSON-escaped in the shortest way. The only control characters are
//! tab, newline and those that the file has.

use super::escape::short_escape;

/// The control characters that new text may have: bit `c` for character `c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Controls(u32);

/// The position in a character or an escape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum TextState {
    /// Between characters.
    Start,
    /// Within a character: `left` continuation bytes are still to come, the next one from `from` to
    /// `to`. This range excludes overlong forms, surrogates and everything above U+10FFFF (Unicode,
    /// table 3-7).
    Utf8 { left: u8, from: u8, to: u8 },
    /// After the backslash.
    Escape,
    /// In `\u00XX`, after `n_digits` of its digits. `high` is the third digit.
    Unicode { n_digits: u8, high: u8 },
}

/// The result of one more byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextStep {
    To(TextState),
    /// The closing quote.
    Close,
}

impl Controls {
    /// Tab, newline, and the control characters of the given texts, except NUL.
    pub fn of<'a>(shown: impl IntoIterator<Item = &'a str>) -> Controls {
        let mut bits = 1 << b'\n' | 1 << b'\t';
        for b in shown
            .into_iter()
            .flat_map(str::bytes)
            .filter(|b| (1..0x20).contains(b))
        {
            bits |= 1 << b;
        }
        Controls(bits)
    }

    fn has(self, control: u8) -> bool {
        control < 0x20 && self.0 & (1 << control) != 0
    }

    /// The allowed control characters that are spelled `\u00XX` with this third digit.
    fn long_form(self, high: u8) -> impl Iterator<Item = u8> {
        (high << 4..(high << 4) + 16).filter(move |&c| self.has(c) && short_escape(c).is_none())
    }

    fn has_long_form(self, high: u8) -> bool {
        self.long_form(high).next().is_some()
    }
}

/// The result of one more byte; `None` if it is not allowed.
pub(super) fn step(state: TextState, byte: u8, controls: Controls) -> Option<TextStep> {
    use TextState::{Escape, Start, Unicode, Utf8};
    let to = match (state, byte) {
        (Start, b'"') => return Some(TextStep::Close),
        (Start, b'\\') => Escape,
        (Start, 0x20..=0x7f) => Start,
        (Start, lead) => begin_character(lead)?,
        (Utf8 { from, to, .. }, b) if !(from..=to).contains(&b) => return None,
        (Utf8 { left: 1, .. }, _) => Start,
        (Utf8 { left, .. }, _) => utf8(left - 1, 0x80, 0xbf),

        (Escape, b'"' | b'\\') => Start,
        (Escape, b'u') if controls.has_long_form(0) || controls.has_long_form(1) => Unicode {
            n_digits: 0,
            high: 0,
        },
        (Escape, letter)
            if (0..0x20).any(|c| controls.has(c) && short_escape(c) == Some(letter)) =>
        {
            Start
        }
        (Escape, _) => return None,

        (
            Unicode {
                n_digits: n @ (0 | 1),
                high,
            },
            b'0',
        ) => Unicode {
            n_digits: n + 1,
            high,
        },
        (Unicode { n_digits: 2, .. }, b'0' | b'1') if controls.has_long_form(byte - b'0') => {
            Unicode {
                n_digits: 3,
                high: byte - b'0',
            }
        }
        (Unicode { n_digits: 3, high }, digit)
            if controls.long_form(high).any(|c| lower_hex(c) == digit) =>
        {
            Start
        }
        (Unicode { .. }, _) => return None,
    };
    Some(TextStep::To(to))
}

/// The state after the first byte of a character of several (Unicode, table 3-7).
fn begin_character(lead: u8) -> Option<TextState> {
    Some(match lead {
        0xc2..=0xdf => utf8(1, 0x80, 0xbf),
        0xe0 => utf8(2, 0xa0, 0xbf),
        0xed => utf8(2, 0x80, 0x9f),
        0xe1..=0xef => utf8(2, 0x80, 0xbf),
        0xf0 => utf8(3, 0x90, 0xbf),
        0xf1..=0xf3 => utf8(3, 0x80, 0xbf),
        0xf4 => utf8(3, 0x80, 0x8f),
        _ => return None,
    })
}

fn utf8(left: u8, from: u8, to: u8) -> TextState {
    TextState::Utf8 { left, from, to }
}

/// The last hexadecimal digit of a byte.
fn lower_hex(byte: u8) -> u8 {
    b"0123456789abcdef"[usize::from(byte & 15)]
}

/// The state after one more byte of text without escapes; `None` if it is not allowed.
pub(super) fn plain_step(state: TextState, byte: u8, controls: Controls) -> Option<TextState> {
    match (state, byte) {
        (TextState::Start, b'"' | b'\\') => Some(TextState::Start),
        (TextState::Start, control) if controls.has(control) => Some(TextState::Start),
        _ => match step(state, byte, controls)? {
            TextStep::To(state) => Some(state),
            TextStep::Close => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(json: &[u8], controls: Controls) -> bool {
        let mut state = TextState::Start;
        for (i, &b) in json.iter().enumerate() {
            match step(state, b, controls) {
                Some(TextStep::To(next)) => state = next,
                Some(TextStep::Close) => return i + 1 == json.len(),
                None => return false,
            }
        }
        false
    }

    #[test]
    fn text_is_what_serde_json_writes() {
        let plain = Controls::of([]);
        for text in [
            "",
            "a \"quoted\" \\ line\n\ttab",
            "\u{7f}\u{80}\u{7ff}\u{800}\u{d7ff}\u{e000}\u{ffff}\u{10000}\u{10ffff}",
        ] {
            assert!(
                accepts(&serde_json::to_vec(text).unwrap()[1..], plain),
                "{text:?}"
            );
        }
        let terminal = Controls::of(["\x1b[0m \x0c\r"]);
        for text in ["\x1b[1m", "\x0c\r\n"] {
            assert!(
                accepts(&serde_json::to_vec(text).unwrap()[1..], terminal),
                "{text:?}"
            );
            assert!(
                !accepts(&serde_json::to_vec(text).unwrap()[1..], plain),
                "{text:?}"
            );
        }
        assert!(!accepts(
            &serde_json::to_vec("\x1c").unwrap()[1..],
            terminal
        ));
    }

    #[test]
    fn every_other_spelling_is_refused() {
        let all = Controls(u32::MAX);
        for bad in [
            br#"\/""#.as_slice(),
            br#"\u0041""#,
            br#"\u000a""#,
            br#"\u001B""#,
            br#"\x41""#,
            b"\n\"",
            b"\0\"",
            b"\xc0\x80\"",
            b"\xe0\x80\x80\"",
            b"\xed\xa0\x80\"",
            b"\xf0\x80\x80\x80\"",
            b"\xf4\x90\x80\x80\"",
            b"\xf5\x80\x80\x80\"",
            b"\x80\"",
            b"\xc3\"",
            b"\xff\"",
        ] {
            assert!(!accepts(bad, all), "{}", bad.escape_ascii());
        }
    }
}
