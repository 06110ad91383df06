//! The encoding of a file, and which characters may be written into it.
//!
//! Into a file whose encoding is guessed, nothing is written but ASCII and characters that it has
//! already. See [`decoding`] for how the encoding is found.

mod decoding;
mod names;
#[cfg(test)]
mod tests;

pub use decoding::DecodeError;
pub(super) use decoding::{Decoded, Ends};

use decoding::{nearly_utf8, raw_byte};
use encoding_rs::{
    BIG5, EUC_JP, Encoding as Table, GB18030, GBK, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE,
    WINDOWS_1252,
};
use std::borrow::Cow;
use std::fmt;

/// How a file's bytes become characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, with or without a byte order mark.
    Utf8,
    /// UTF-8 but for some bytes. Each of them is shown as one character for private use.
    NearlyUtf8,
    /// ASCII, by what the file says. Also names of encodings that switch between alphabets, as long
    /// as the file has only ASCII.
    Ascii,
    /// UTF-16, little endian; recognized by its byte order mark only.
    Utf16Le,
    /// UTF-16, big endian; recognized by its byte order mark only.
    Utf16Be,
    /// Another encoding, in which all of the file decodes and ASCII is ASCII.
    Other {
        /// Its table of characters.
        table: &'static Table,
        /// How the encoding is known.
        source: Source,
    },
}

/// How a file's encoding is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Named as one of Windows' code pages, or as one that has a single table.
    CodePage,
    /// Named after a standard. Browsers read it with the table of the code page that extends it, and
    /// other programs do not.
    Standard,
    /// Guessed, and no encoding of East Asia fits.
    Guess,
    /// Guessed, and several encodings of East Asia fit.
    PoorGuess,
}

/// New text that cannot be written in a file's encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodeError {
    /// The first character that cannot be written.
    pub character: char,
    /// The encoding of the file.
    pub encoding: Encoding,
    /// The file, if it is known by name.
    pub path: Option<String>,
}

impl std::error::Error for EncodeError {}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.as_deref().unwrap_or("the file");
        write!(f, "the new text has {:?}, ", self.character)?;
        if self.encoding.is_guessed() {
            write!(
                f,
                "and {path} is not UTF-8 and names no encoding: it takes only ASCII"
            )
        } else {
            let name = self.encoding.name();
            write!(f, "which the encoding of {path} ({name}) cannot express")
        }
    }
}

impl EncodeError {
    /// The same error, with the file's name.
    pub fn of(self, path: &str) -> EncodeError {
        EncodeError {
            path: Some(path.to_owned()),
            ..self
        }
    }

    /// What the person can do next.
    pub fn next(&self) -> &'static str {
        if self.encoding.is_guessed() {
            "convert the file to UTF-8, or name its encoding: with a comment like `-*- coding: gbk \
             -*-` in its first line, or as `charset` in .editorconfig"
        } else {
            "write it in other characters, or convert the file to UTF-8 first"
        }
    }
}

impl Encoding {
    /// The name as people write it.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 | Encoding::NearlyUtf8 => UTF_8.name(),
            Encoding::Ascii => "US-ASCII",
            Encoding::Utf16Le => UTF_16LE.name(),
            Encoding::Utf16Be => UTF_16BE.name(),
            Encoding::Other {
                table,
                source: Source::Standard,
            } if table == WINDOWS_1252 => "ISO-8859-1",
            Encoding::Other { table, .. } => table.name(),
        }
    }

    fn is_guessed(self) -> bool {
        matches!(
            self,
            Encoding::Other {
                source: Source::Guess | Source::PoorGuess,
                ..
            }
        )
    }

    /// All characters of a file, for display. Keeps the byte order mark and carriage returns.
    pub fn decoded(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Encoding::Utf8 | Encoding::Ascii => String::from_utf8_lossy(bytes),
            Encoding::NearlyUtf8 => nearly_utf8(bytes).0.into(),
            Encoding::Utf16Le => UTF_16LE.decode_without_bom_handling(bytes).0,
            Encoding::Utf16Be => UTF_16BE.decode_without_bom_handling(bytes).0,
            Encoding::Other { table, .. } => table.decode_without_bom_handling(bytes).0,
        }
    }

    /// The lines of a file, with their newlines. In no encoding but UTF-16 can a newline be a part
    /// of another character.
    pub fn lines(self, bytes: &[u8]) -> Vec<&[u8]> {
        let newline = match self {
            Encoding::Utf16Le => [b'\n', 0],
            Encoding::Utf16Be => [0, b'\n'],
            _ => return bytes.split_inclusive(|&byte| byte == b'\n').collect(),
        };
        let (units, _) = bytes.as_chunks::<2>();
        units
            .split_inclusive(|unit| *unit == newline)
            .map(<[[u8; 2]]>::as_flattened)
            .collect()
    }

    /// The bytes of a character that every program would read as that character. `None` if there are
    /// none, or if the encoding is only guessed.
    pub(super) fn bytes_of(self, character: char) -> Option<Vec<u8>> {
        let text = character.to_string();
        match self {
            Encoding::Utf16Le => Some(text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
            Encoding::Utf16Be => Some(text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
            _ if character.is_ascii() => Some(text.into_bytes()),
            Encoding::Utf8 => Some(text.into_bytes()),
            Encoding::NearlyUtf8 if raw_byte(character).is_none() => Some(text.into_bytes()),
            Encoding::Other {
                table,
                source: source @ (Source::CodePage | Source::Standard),
            } => {
                let (bytes, _, has_errors) = table.encode(&text);
                // Shift_JIS would write a backslash for a yen sign.
                let is_same = !has_errors && table.decode_without_bom_handling(&bytes).0 == text;
                let is_fine = is_same && is_common(table, source, character, &bytes);
                is_fine.then(|| bytes.into_owned())
            }
            Encoding::NearlyUtf8 | Encoding::Ascii | Encoding::Other { .. } => None,
        }
    }

    /// Whether a character that a file of this text has may be written again, with the bytes that it
    /// has there. Where the file might be of East Asia, only a letter within a word is sure to be
    /// that letter.
    pub(super) fn keeps(self, character: char, text: &str) -> bool {
        match self {
            Encoding::Other {
                source: Source::Guess,
                ..
            } => true,
            Encoding::Other {
                table,
                source: Source::PoorGuess,
            } if table.is_single_byte() => character.is_alphabetic() && is_in_word(character, text),
            _ => false,
        }
    }
}

/// Whether a character occurs beside a letter of ASCII.
fn is_in_word(character: char, text: &str) -> bool {
    text.match_indices(character).any(|(at, found)| {
        text[..at].ends_with(|c: char| c.is_ascii_alphabetic())
            || text[at + found.len()..].starts_with(|c: char| c.is_ascii_alphabetic())
    })
}

/// Whether the tables that go by the name of an encoding agree on these bytes. The browsers' tables,
/// which are ours, have more: windows-1252 for ISO-8859-1, a code page for each East Asian standard.
fn is_common(table: &'static Table, source: Source, character: char, bytes: &[u8]) -> bool {
    if character.is_control() || ('\u{e000}'..='\u{f8ff}').contains(&character) {
        return false;
    }
    let is_standard = source == Source::Standard;
    match *bytes {
        // The euro sign, which GBK has on Windows only.
        [0x80] if table == GBK => false,
        [byte] => byte >= 0xa0 || !is_standard || !table.name().starts_with("windows-"),
        [lead, _] if is_standard && table == SHIFT_JIS => {
            !matches!(lead, 0x87 | 0xed | 0xee | 0xfa..)
        }
        [lead, _] if is_standard && table == EUC_JP => !matches!(lead, 0xad | 0xf9..),
        [lead, trail] if is_standard && table == BIG5 => match lead {
            0xa3 => trail < 0xc0,
            0xc6 => trail < 0xa1,
            _ => !matches!(lead, 0xc7 | 0xc8 | 0xf9..),
        },
        [lead, trail] if is_standard => lead >= 0xa1 && trail >= 0xa1,
        _ => bytes.len() == 2 || table == GB18030,
    }
}
