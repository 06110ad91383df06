//! JSON strings in their shortest spelling, the only one that a constraint accepts.
//!
//! `serde_json` writes the same spelling. So a constraint accepts exactly what `serde_json` would
//! have written for some allowed value.

/// A control character's one-letter escape.
pub(super) fn short_escape(control: u8) -> Option<u8> {
    Some(match control {
        b'\n' => b'n',
        b'\t' => b't',
        b'\r' => b'r',
        0x08 => b'b',
        0x0c => b'f',
        _ => return None,
    })
}

/// Whether a byte is a character that a JSON string has unescaped.
pub(super) fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=0x7f) && byte != b'"' && byte != b'\\'
}

/// Appends a character as a JSON string spells it.
pub(super) fn push_escaped(out: &mut Vec<u8>, c: char) {
    match c {
        '"' | '\\' => out.extend([b'\\', c as u8]),
        '\0'..='\x1f' => match short_escape(c as u8) {
            Some(letter) => out.extend([b'\\', letter]),
            None => out.extend(format!("\\u{:04x}", c as u32).bytes()),
        },
        ' '..='\x7f' => out.push(c as u8),
        _ => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

/// The length of a text in a JSON string, in bytes, without the quotes.
pub(super) fn escaped_len(text: &str) -> usize {
    let mut len = text.len();
    for byte in text.bytes() {
        len += match byte {
            b'"' | b'\\' => 1,
            0..0x20 if short_escape(byte).is_some() => 1,
            0..0x20 => 5,
            _ => 0,
        };
    }
    len
}

/// A text as a JSON string spells it, without the quotes.
pub(super) fn escaped(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 8);
    for c in text.chars() {
        push_escaped(&mut out, c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_spelling_is_serde_jsons(text in any::<String>()) {
            let quoted = [b"\"".as_slice(), &escaped(&text), b"\""].concat();
            prop_assert_eq!(quoted.len(), escaped_len(&text) + 2);
            let expected = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(String::from_utf8(quoted).unwrap(), expected);
        }
    }

    #[test]
    fn every_control_character() {
        let all: String = (0..=0x9f_u32).filter_map(char::from_u32).collect();
        let quoted = format!("\"{}\"", String::from_utf8(escaped(&all)).unwrap());
        assert_eq!(quoted, serde_json::to_string(&all).unwrap());
    }
}
