//! One file's text, as the model sees it and as the disk holds it.
//!
//! All code that shows, matches or constrains uses [`Text::shown`]: decoded, without a byte order
//! mark, with `\n` as the only line ending. All code that writes uses [`Text::splice`], which
//! copies the file's own bytes outside the edit and encodes only the new text. So a file always
//! keeps its encoding, its BOM, its mixed line endings and its missing final newline.

pub mod device_name;
pub mod elision;
mod excerpt_bounds;
pub mod ident;
mod indented_blocks;
pub mod line_diff;
mod outline;
pub mod paths;
mod shown;
mod stop_tokens;
mod visible;

pub use excerpt_bounds::{boundaries, boundary_offsets};
pub use indented_blocks::{block_ends, closes};
pub use outline::{Outline, defined_name, is_definition};
pub use shown::{
    Block, BlockSize, GAP, Occurrence, Shown, Window, blocks, line_bytes, line_bytes_around,
    place_labels,
};
pub(crate) use shown::{BlockOffsets, own_end};
pub use stop_tokens::without_stop_tokens;
pub(crate) use visible::visible;

use encoding_rs::{UTF_16BE, UTF_16LE, WINDOWS_1252};
use std::borrow::Cow;
use std::ops::Range;

/// How a file's bytes become characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, with or without a byte order mark.
    Utf8,
    /// UTF-16, little endian; recognized by its byte order mark only.
    Utf16Le,
    /// UTF-16, big endian; recognized by its byte order mark only.
    Utf16Be,
    /// Every other text. Each byte decodes to one character, which encodes to the same byte.
    Windows1252,
}

impl Encoding {
    /// All characters of a file, for display. Keeps the byte order mark and carriage returns.
    pub fn decoded(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Encoding::Utf8 => String::from_utf8_lossy(bytes),
            Encoding::Utf16Le => UTF_16LE.decode_without_bom_handling(bytes).0,
            Encoding::Utf16Be => UTF_16BE.decode_without_bom_handling(bytes).0,
            Encoding::Windows1252 => WINDOWS_1252.decode_without_bom_handling(bytes).0,
        }
    }

    /// The bytes of characters: what [`Encoding::decoded`] was given, for those that it gave.
    ///
    /// # Errors
    /// [`EncodeError`] if the encoding lacks one of them.
    pub fn encoded(self, text: &str) -> Result<Vec<u8>, EncodeError> {
        match self {
            Encoding::Utf8 => Ok(text.as_bytes().to_vec()),
            Encoding::Utf16Le => Ok(text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
            Encoding::Utf16Be => Ok(text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
            Encoding::Windows1252 => {
                let (bytes, _, had_errors) = WINDOWS_1252.encode(text);
                if !had_errors {
                    return Ok(bytes.into_owned());
                }
                let inexpressible = |c: &char| WINDOWS_1252.encode(c.encode_utf8(&mut [0; 4])).2;
                let character = text.chars().find(inexpressible).unwrap_or('\u{fffd}');
                Err(EncodeError { character })
            }
        }
    }
}

/// Why bytes cannot be edited as text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// A NUL byte in a file that is not UTF-16.
    #[error("it is a binary file")]
    Binary,
    /// A UTF-16 byte order mark, followed by bytes that are not UTF-16.
    #[error("it begins as UTF-16 but is not valid UTF-16")]
    BrokenUtf16,
}

/// New text that a file's encoding cannot express.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the new text has {character:?}, which the file's encoding (windows-1252) cannot express")]
pub struct EncodeError {
    /// The first character that the encoding lacks.
    pub character: char,
}

/// A file's text, and the information needed to restore its bytes.
#[derive(Clone, Debug)]
pub struct Text {
    bytes: Vec<u8>,
    shown: String,
    encoding: Encoding,
    bom_len: usize,
    /// Offsets in `shown` of the newlines that are CR LF on disk; ascending.
    crlf: Vec<usize>,
}

impl Text {
    /// Decodes a file's bytes.
    pub fn decode(bytes: Vec<u8>) -> Result<Text, DecodeError> {
        let (encoding, bom_len, decoded) = match bytes.as_slice() {
            [0xff, 0xfe, rest @ ..] => {
                (Encoding::Utf16Le, 2, decode_utf16(rest, u16::from_le_bytes)?)
            }
            [0xfe, 0xff, rest @ ..] => {
                (Encoding::Utf16Be, 2, decode_utf16(rest, u16::from_be_bytes)?)
            }
            all => {
                if all.contains(&0) {
                    return Err(DecodeError::Binary);
                }
                let bom_len = if all.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
                match std::str::from_utf8(&all[bom_len..]) {
                    Ok(text) => (Encoding::Utf8, bom_len, text.to_owned()),
                    Err(_) => {
                        let (text, _) = WINDOWS_1252.decode_without_bom_handling(all);
                        (Encoding::Windows1252, 0, text.into_owned())
                    }
                }
            }
        };
        let (shown, crlf) = without_carriage_returns(decoded);
        Ok(Text { bytes, shown, encoding, bom_len, crlf })
    }

    /// The text that is shown, matched and constrained.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// The bytes that were read. The file must still hold them when it is written.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The encoding of the bytes.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The file's bytes with each range of [`Text::shown`] replaced by its new text.
    ///
    /// The ranges must be disjoint, ascending and on character boundaries. A newline in new text is
    /// written with the line ending of its own line, else of the line before, else as LF.
    pub fn splice<'a>(
        &self,
        replacements: impl IntoIterator<Item = (Range<usize>, &'a str)>,
    ) -> Result<Vec<u8>, EncodeError> {
        let mut out = Vec::with_capacity(self.bytes.len());
        let mut copied_to = 0; // a byte offset: the byte order mark is copied with what comes first
        for (range, new) in replacements {
            // The common start and end of the old and the new text stay untouched. So in a file
            // with mixed line endings, an unchanged line inside an edit keeps its own.
            let new = new.replace("\r\n", "\n");
            let (range, new) = without_common_ends(&self.shown, range, &new);
            out.extend_from_slice(&self.bytes[copied_to..self.byte_offset(range.start)]);
            let ending = self.line_ending_near(range.start);
            out.extend(self.encoding.encoded(&new.replace('\n', ending))?);
            copied_to = self.byte_offset(range.end);
        }
        out.extend_from_slice(&self.bytes[copied_to..]);
        Ok(out)
    }

    /// The byte offset at which a character of the shown text begins. The first character comes
    /// after the byte order mark, so no edit covers the mark.
    fn byte_offset(&self, shown_offset: usize) -> usize {
        let before = &self.shown[..shown_offset];
        let n_crlf = self.crlf.partition_point(|&at| at < shown_offset);
        self.bom_len
            + match self.encoding {
                Encoding::Utf8 => before.len() + n_crlf,
                Encoding::Windows1252 => before.chars().count() + n_crlf,
                Encoding::Utf16Le | Encoding::Utf16Be => {
                    2 * (before.chars().map(char::len_utf16).sum::<usize>() + n_crlf)
                }
            }
    }

    fn line_ending_near(&self, shown_offset: usize) -> &'static str {
        let bytes = self.shown.as_bytes();
        let here = bytes[shown_offset..].iter().position(|&b| b == b'\n').map(|i| i + shown_offset);
        let before = || bytes[..shown_offset].iter().rposition(|&b| b == b'\n');
        match here.or_else(before) {
            Some(at) if self.crlf.binary_search(&at).is_ok() => "\r\n",
            _ => "\n",
        }
    }
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, DecodeError> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(DecodeError::BrokenUtf16);
    }
    let units = pairs.iter().map(|&pair| unit(pair));
    let text = char::decode_utf16(units)
        .collect::<Result<String, _>>()
        .map_err(|_| DecodeError::BrokenUtf16)?;
    if text.contains('\0') { Err(DecodeError::Binary) } else { Ok(text) }
}

fn without_carriage_returns(decoded: String) -> (String, Vec<usize>) {
    if !decoded.contains("\r\n") {
        return (decoded, Vec::new());
    }
    let mut shown = String::with_capacity(decoded.len());
    let mut crlf = Vec::new();
    let mut pieces = decoded.split("\r\n");
    shown.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        crlf.push(shown.len());
        shown.push('\n');
        shown.push_str(piece);
    }
    (shown, crlf)
}

fn without_common_ends<'a>(
    shown: &str,
    range: Range<usize>,
    new: &'a str,
) -> (Range<usize>, &'a str) {
    let old = &shown[range.clone()];
    let prefix = common_len(old.chars(), new.chars());
    let (old, new) = (&old[prefix..], &new[prefix..]);
    let suffix = common_len(old.chars().rev(), new.chars().rev());
    (range.start + prefix..range.end - suffix, &new[..new.len() - suffix])
}

fn common_len(a: impl Iterator<Item = char>, b: impl Iterator<Item = char>) -> usize {
    a.zip(b).take_while(|(x, y)| x == y).map(|(x, _)| x.len_utf8()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Replaces the first `old` of a file by `new` and compares the bytes.
    fn check(before: &[u8], old: &str, new: &str, after: &[u8]) {
        let text = Text::decode(before.to_vec()).unwrap();
        let start = text.shown().find(old).unwrap();
        let patched = text.splice([(start..start + old.len(), new)]).unwrap();
        assert_eq!(patched.escape_ascii().to_string(), after.escape_ascii().to_string());
    }

    #[test]
    fn new_lines_take_the_ending_of_their_neighbours() {
        check(b"a\r\nb\r\nc\r\n", "b", "x\ny", b"a\r\nx\r\ny\r\nc\r\n");
        check(b"a\nb\nc\n", "b", "x\ny", b"a\nx\ny\nc\n");
        check(b"a\nb\r\nc\n", "b", "x\ny", b"a\nx\r\ny\r\nc\n");
        check(b"a\r\nb", "b", "b\nc", b"a\r\nb\r\nc");
        check(b"a", "a", "a\nb", b"a\nb");
        check(b"a\r\nkeep\nb\r\n", "a\nkeep\nb", "a\nkeep\nc", b"a\r\nkeep\nc\r\n");
    }

    #[test]
    fn encodings_and_marks_stay() {
        check(b"\xef\xbb\xbfa b\r\n", "b", "\u{e9}", b"\xef\xbb\xbfa \xc3\xa9\r\n");
        check(b"caf\xe9 = 1\n", "1", "\u{20ac}2", b"caf\xe9 = \x802\n");
        check(b"\x81\x8d\x8f\x90\x9d x", "x", "y", b"\x81\x8d\x8f\x90\x9d y");
        check(b"\xff\xfea\0\r\0\n\0b\0", "b", "c\nd", b"\xff\xfea\0\r\0\n\0c\0\r\0\n\0d\0");
        check(b"\xfe\xff\0a\0b", "b", "c", b"\xfe\xff\0a\0c");
        check(b"\xef\xbb\xbfa", "a", "b", b"\xef\xbb\xbfb");
    }

    #[test]
    fn an_insertion_at_the_start_stands_behind_the_byte_order_mark() {
        let text = Text::decode(b"\xef\xbb\xbfa\n".to_vec()).unwrap();
        assert_eq!(text.splice([(0..0, "b\n")]).unwrap(), b"\xef\xbb\xbfb\na\n");
    }

    #[test]
    fn what_cannot_be_edited_is_refused() {
        assert_eq!(Text::decode(b"a\0b".to_vec()).unwrap_err(), DecodeError::Binary);
        assert_eq!(Text::decode(b"\xff\xfea".to_vec()).unwrap_err(), DecodeError::BrokenUtf16);
        assert_eq!(
            Text::decode(b"\xff\xfe\x00\xd8".to_vec()).unwrap_err(),
            DecodeError::BrokenUtf16
        );
        let text = Text::decode(b"caf\xe9".to_vec()).unwrap();
        assert_eq!(
            text.splice([(0..0, "\u{4e2d}")]).unwrap_err(),
            EncodeError { character: '\u{4e2d}' }
        );
    }

    proptest! {
        #[test]
        fn no_edit_gives_every_byte_back(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(text) = Text::decode(bytes.clone()) {
                prop_assert_eq!(text.splice([]).unwrap(), bytes);
            }
        }

        #[test]
        fn bytes_outside_an_edit_stay(
            before in "[ab\u{e9}\u{4e2d}\u{1f600}\r\n ]{0,40}",
            middle in "[ab\r\n]{0,6}",
            after in "[ab\u{e9}\u{4e2d}\u{1f600}\r\n ]{0,40}",
        ) {
            // A CR LF across a seam would be one line ending, so the seams are characters.
            let bytes = format!("{before}<{middle}>{after}").into_bytes();
            let text = Text::decode(bytes).unwrap();
            let start = text.shown().find('<').unwrap();
            let end = text.shown().find('>').unwrap() + 1;
            let patched = text.splice([(start..end, "NEW")]).unwrap();
            prop_assert_eq!(patched, format!("{before}NEW{after}").into_bytes());
        }
    }
}
