//! One file's text, as the model sees it and as the disk holds it.
//!
//! All code that shows, matches or constrains uses [`Text::shown`]: decoded, without a byte order
//! mark, with `\n` as the only line ending. All code that writes uses [`Text::splice`], which
//! copies the file's own bytes outside the edit and encodes only the new text. So a file always
//! keeps its encoding, its BOM, its mixed line endings and its missing final newline.

mod blocks;
pub mod device_name;
pub mod elision;
mod encoding;
mod excerpt_bounds;
pub mod ident;
mod indented_blocks;
pub mod line_diff;
mod lines;
mod outline;
pub mod paths;
mod safe_path;
mod shown;
mod stop_tokens;
#[cfg(test)]
pub mod testing;
mod visible;

pub use blocks::{Block, BlockSize, blocks};
pub use encoding::{DecodeError, EncodeError, Encoding, Source};
pub use excerpt_bounds::{boundaries, boundary_offsets};
pub use indented_blocks::{block_ends, closes};
pub use lines::{indentation, line_bytes, line_bytes_around, line_end, line_start};
pub use outline::{Outline, defined_name, is_definition};
pub use safe_path::{PathError, check_path, is_repository_data, slashed};
pub use shown::{BlockOffsets, own_end};
pub use shown::{GAP, Occurrence, Shown, Window, place_labels};
pub use stop_tokens::without_stop_tokens;
pub use visible::visible;

use encoding::{Decoded, Ends};
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
    /// Decodes a file's bytes, in the encoding that the file names or that fits them.
    ///
    /// # Errors
    /// [`DecodeError`] if they are no text.
    pub fn decode(bytes: Vec<u8>) -> Result<Text, DecodeError> {
        let declared = Encoding::declared(&bytes);
        Text::decode_as(bytes, declared)
    }

    /// Decodes a file's bytes. `named`: the encoding that is tried before those that only fit the
    /// bytes.
    ///
    /// # Errors
    /// [`DecodeError`] if they are no text.
    pub fn decode_as(bytes: Vec<u8>, named: Option<Encoding>) -> Result<Text, DecodeError> {
        let Decoded {
            encoding,
            text,
            bom_len,
            ends,
        } = Decoded::of(&bytes, named)?;
        let (shown, crlf) = without_carriage_returns(text);
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
        // A byte offset. The byte order mark is copied with the first bytes.
        let mut copied_to = 0;
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
            let in_encoding = self.encoding.bytes_of(character);
            let known = match in_encoding {
                None if old.contains(character) || self.encoding.keeps(character, &self.shown) => {
                    self.bytes_of(character)
                }
                in_encoding => in_encoding,
            };
            bytes.extend(known.ok_or(EncodeError {
                character,
                encoding: self.encoding,
                path: None,
            })?);
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
        let here = line_end(&self.shown, shown_offset);
        let before = line_start(&self.shown, shown_offset).checked_sub(1);
        let newline = if here < self.shown.len() {
            Some(here)
        } else {
            before
        };
        match newline {
            Some(at) if self.crlf.binary_search(&at).is_ok() => "\r\n",
            _ => "\n",
        }
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
    let old = &old[prefix..];
    let new = &new[prefix..];
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
        let mixed = b"a\r\nkeep\nb\r\n";
        check(mixed, "a\nkeep\nb", "a\nkeep\nc", b"a\r\nkeep\nc\r\n");
    }

    #[test]
    fn encodings_and_marks_stay() {
        let mark = b"\xef\xbb\xbfa b\r\n";
        check(mark, "b", "\u{e9}", b"\xef\xbb\xbfa \xc3\xa9\r\n");
        check(b"\xef\xbb\xbfa", "a", "b", b"\xef\xbb\xbfb");
        check(b"caf\xe9 = 1\n", "1", "\u{e9}2", b"caf\xe9 = \xe92\n");
        let unassigned = b"\x81\x8d\x8f\x90\x9d x";
        check(unassigned, "x", "y", b"\x81\x8d\x8f\x90\x9d y");
        let little = b"\xff\xfea\0\r\0\n\0b\0";
        check(little, "b", "c\nd", b"\xff\xfea\0\r\0\n\0c\0\r\0\n\0d\0");
        check(b"\xfe\xff\0a\0b", "b", "c", b"\xfe\xff\0a\0c");
    }

    #[test]
    fn an_insertion_at_the_start_stands_behind_the_byte_order_mark() {
        let text = Text::decode(b"\xef\xbb\xbfa\n".to_vec()).unwrap();
        assert_eq!(text.splice([(0..0, "b\n")]).unwrap(), b"\xef\xbb\xbfb\na\n");
    }

    #[test]
    fn what_cannot_be_edited_is_refused() {
        for (bytes, error) in [
            (&b"a\0b"[..], DecodeError::Binary),
            (b"\xff\xfea", DecodeError::BrokenUtf16),
            (b"\xff\xfe\x00\xd8", DecodeError::BrokenUtf16),
        ] {
            assert_eq!(Text::decode(bytes.to_vec()).unwrap_err(), error);
        }
        let text = Text::decode(b"caf\xe9".to_vec()).unwrap();
        let error = text.splice([(0..0, "\u{4e2d}")]).unwrap_err();
        assert_eq!((error.character, error.path), ('\u{4e2d}', None));
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
