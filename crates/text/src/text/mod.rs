//! One file's text, as the model sees it and as the disk holds it.
//!
//! All code that shows, matches or constrains uses [`Text::shown`]: decoded, without a byte order
//! mark, with `\n` as the only line ending. All code that writes uses [`Text::splice`], which
//! copies the file's own bytes outside the edit and encodes only the new text. So a file always
//! keeps its encoding, its BOM, its mixed line endings and its missing final newline.

pub mod device_name;
pub mod elision;
mod encoding;
mod excerpt_bounds;
pub mod ident;
mod indented_blocks;
pub mod line_diff;
mod outline;
pub mod paths;
mod safe_path;
mod shown;
mod stop_tokens;
mod visible;

pub use encoding::{DecodeError, EncodeError, Encoding, Source};
pub use excerpt_bounds::{boundaries, boundary_offsets};
pub use indented_blocks::{block_ends, closes};
pub use outline::{Outline, defined_name, is_definition};
pub use safe_path::{PathError, check_path, is_repository_data, slashed};
pub use shown::{
    Block, BlockSize, GAP, Occurrence, Shown, Window, blocks, line_bytes, line_bytes_around,
    place_labels,
};
pub use shown::{BlockOffsets, own_end};
pub use stop_tokens::without_stop_tokens;
pub use visible::visible;

use encoding::Ends;
use std::ops::Range;

/// A file's text, and the information needed to restore its bytes.
#[derive(Clone, Debug)]
pub struct Text {
    bytes: Vec<u8>,
    shown: String,
    encoding: Encoding,
    bom_len: usize,
    /// Offsets in `shown` of the newlines that are CR LF on disk; ascending.
    crlf: Vec<usize>,
    /// Where characters have another length on disk than as text.
    ends: Ends,
}

impl Text {
    /// Decodes a file's bytes, in the encoding that the file names or that they are of.
    ///
    /// # Errors
    /// [`DecodeError`] if they are no text.
    pub fn decode(bytes: Vec<u8>) -> Result<Text, DecodeError> {
        let declared = Encoding::declared(&bytes);
        Text::decode_as(bytes, declared)
    }

    /// Decodes a file's bytes. `named`: the encoding that is tried before the ones that only the
    /// bytes tell of.
    ///
    /// # Errors
    /// [`DecodeError`] if they are no text.
    pub fn decode_as(bytes: Vec<u8>, named: Option<Encoding>) -> Result<Text, DecodeError> {
        let ((encoding, decoded, ends), bom_len) = match bytes.as_slice() {
            [0xff, 0xfe, rest @ ..] => {
                let decoded = decode_utf16(rest, u16::from_le_bytes)?;
                ((Encoding::Utf16Le, decoded, Ends::new()), 2)
            }
            [0xfe, 0xff, rest @ ..] => {
                let decoded = decode_utf16(rest, u16::from_be_bytes)?;
                ((Encoding::Utf16Be, decoded, Ends::new()), 2)
            }
            all if all.contains(&0) => return Err(DecodeError::Binary),
            [0xef, 0xbb, 0xbf, rest @ ..] => {
                let is_utf8 = std::str::from_utf8(rest).is_ok();
                let encoding = if is_utf8 {
                    Encoding::Utf8
                } else {
                    Encoding::NearlyUtf8
                };
                (Encoding::of(rest, Some(encoding)), 3)
            }
            all => (Encoding::of(all, named), 0),
        };
        let (shown, crlf) = without_carriage_returns(decoded);
        Ok(Text {
            bytes,
            shown,
            encoding,
            bom_len,
            crlf,
            ends,
        })
    }

    /// Decodes a file's bytes after a change: in its encoding `before`, unless it is new.
    ///
    /// # Errors
    /// [`DecodeError`] if they are no text.
    pub fn decode_after(before: Option<&Text>, bytes: Vec<u8>) -> Result<Text, DecodeError> {
        match before {
            Some(before) => Text::decode_as(bytes, Some(before.encoding)),
            None => Text::decode(bytes),
        }
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
            let old = &self.shown[range.clone()];
            let (range, new) = without_common_ends(&self.shown, range, &new);
            out.extend_from_slice(&self.bytes[copied_to..self.byte_offset(range.start)]);
            let ending = self.line_ending_near(range.start);
            out.extend(self.encoded(&new.replace('\n', ending), old)?);
            copied_to = self.byte_offset(range.end);
        }
        out.extend_from_slice(&self.bytes[copied_to..]);
        Ok(out)
    }

    /// The bytes of new text that replaces `old`, a part of this one. Characters of `old` can always
    /// be written: as the file has them.
    ///
    /// # Errors
    /// [`EncodeError`] if the file's encoding lacks one of the others, or is only guessed.
    pub fn encoded(&self, new: &str, old: &str) -> Result<Vec<u8>, EncodeError> {
        let mut bytes = Vec::with_capacity(new.len());
        for character in new.chars() {
            let is_known =
                || old.contains(character) || self.encoding.keeps(character, &self.shown);
            let as_there = || self.bytes_of(character).filter(|_| is_known());
            let found = self.encoding.bytes_of(character).or_else(as_there);
            let error = || EncodeError {
                character,
                encoding: self.encoding,
                path: None,
            };
            bytes.extend(found.ok_or_else(error)?);
        }
        Ok(bytes)
    }

    /// The bytes of a character where it first occurs.
    fn bytes_of(&self, character: char) -> Option<Vec<u8>> {
        let start = self.shown.find(character)?;
        let end = start + character.len_utf8();
        Some(self.bytes[self.byte_offset(start)..self.byte_offset(end)].to_vec())
    }

    /// The byte offset at which a character of the shown text begins. The first character comes
    /// after the byte order mark, so no edit covers the mark.
    fn byte_offset(&self, shown_offset: usize) -> usize {
        let n_crlf = self.crlf.partition_point(|&at| at < shown_offset);
        if matches!(self.encoding, Encoding::Utf16Le | Encoding::Utf16Be) {
            let before = &self.shown[..shown_offset];
            return self.bom_len + 2 * (before.encode_utf16().count() + n_crlf);
        }
        let decoded = shown_offset + n_crlf;
        let n_ends = self.ends.partition_point(|&(end, _)| end <= decoded);
        let (end, byte) = if n_ends > 0 {
            self.ends[n_ends - 1]
        } else {
            (0, 0)
        };
        self.bom_len + byte + (decoded - end)
    }

    fn line_ending_near(&self, shown_offset: usize) -> &'static str {
        let bytes = self.shown.as_bytes();
        let here = bytes[shown_offset..]
            .iter()
            .position(|&b| b == b'\n')
            .map(|i| i + shown_offset);
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
    if text.contains('\0') {
        Err(DecodeError::Binary)
    } else {
        Ok(text)
    }
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
    (
        range.start + prefix..range.end - suffix,
        &new[..new.len() - suffix],
    )
}

fn common_len(a: impl Iterator<Item = char>, b: impl Iterator<Item = char>) -> usize {
    a.zip(b)
        .take_while(|(x, y)| x == y)
        .map(|(x, _)| x.len_utf8())
        .sum()
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
        assert_eq!(
            patched.escape_ascii().to_string(),
            after.escape_ascii().to_string()
        );
    }

    #[test]
    fn new_lines_take_the_ending_of_their_neighbours() {
        check(b"a\r\nb\r\nc\r\n", "b", "x\ny", b"a\r\nx\r\ny\r\nc\r\n");
        check(b"a\nb\nc\n", "b", "x\ny", b"a\nx\ny\nc\n");
        check(b"a\nb\r\nc\n", "b", "x\ny", b"a\nx\r\ny\r\nc\n");
        check(b"a\r\nb", "b", "b\nc", b"a\r\nb\r\nc");
        check(b"a", "a", "a\nb", b"a\nb");
        check(
            b"a\r\nkeep\nb\r\n",
            "a\nkeep\nb",
            "a\nkeep\nc",
            b"a\r\nkeep\nc\r\n",
        );
    }

    #[test]
    fn encodings_and_marks_stay() {
        check(
            b"\xef\xbb\xbfa b\r\n",
            "b",
            "\u{e9}",
            b"\xef\xbb\xbfa \xc3\xa9\r\n",
        );
        check(b"caf\xe9 = 1\n", "1", "\u{e9}2", b"caf\xe9 = \xe92\n");
        check(
            b"\x81\x8d\x8f\x90\x9d x",
            "x",
            "y",
            b"\x81\x8d\x8f\x90\x9d y",
        );
        check(
            b"\xff\xfea\0\r\0\n\0b\0",
            "b",
            "c\nd",
            b"\xff\xfea\0\r\0\n\0c\0\r\0\n\0d\0",
        );
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
        assert_eq!(
            Text::decode(b"a\0b".to_vec()).unwrap_err(),
            DecodeError::Binary
        );
        assert_eq!(
            Text::decode(b"\xff\xfea".to_vec()).unwrap_err(),
            DecodeError::BrokenUtf16
        );
        assert_eq!(
            Text::decode(b"\xff\xfe\x00\xd8".to_vec()).unwrap_err(),
            DecodeError::BrokenUtf16
        );
        let text = Text::decode(b"caf\xe9".to_vec()).unwrap();
        assert_eq!(
            text.splice([(0..0, "\u{4e2d}")]).unwrap_err(),
            EncodeError {
                character: '\u{4e2d}',
                encoding: text.encoding(),
                path: None
            }
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
