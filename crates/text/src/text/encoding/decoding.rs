//! How a file's bytes become characters, and in which encoding they are.
//!
//! In order: a byte order mark; the encoding that the file names, if all of it decodes so; UTF-8,
//! also with a few bytes that are not; else a guess. A guess decides only what is shown.

use super::{Encoding, Source};
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    BIG5, DecoderResult, EUC_JP, EUC_KR, Encoding as Table, GBK, SHIFT_JIS, UTF_16BE, UTF_16LE,
    WINDOWS_1252,
};

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

/// The ends of characters that have another length as text than on disk: as text, and on disk.
pub(in crate::text) type Ends = Vec<(usize, usize)>;

/// A file's characters, and how they are encoded.
pub(in crate::text) struct Decoded {
    pub encoding: Encoding,
    /// The characters after the byte order mark, with carriage returns.
    pub text: String,
    /// The length of the byte order mark, in bytes.
    pub bom_len: usize,
    pub ends: Ends,
}

/// A byte that is not UTF-8, in a file that is otherwise, is shown as this character plus the byte.
/// The same characters serve in the WHATWG's encoding x-user-defined.
const RAW_BYTE: u32 = 0xf700;

/// So many characters of several bytes, and so many to each byte that is not UTF-8, make a file
/// UTF-8 whatever it says. Of a hundred Chinese characters in GBK, fourteen could be UTF-8.
const MANY: usize = 4;

/// Fewer letters that are not ASCII are too little evidence against the encoding that most old
/// files of the West have.
const EVIDENCE: usize = 8;

impl Decoded {
    /// Decodes a file. `named`: the encoding that the file or its folder names, if any.
    pub fn of(bytes: &[u8], named: Option<Encoding>) -> Result<Decoded, DecodeError> {
        match bytes {
            [0xff, 0xfe, rest @ ..] => Decoded::utf16(Encoding::Utf16Le, UTF_16LE, rest),
            [0xfe, 0xff, rest @ ..] => Decoded::utf16(Encoding::Utf16Be, UTF_16BE, rest),
            _ if bytes.contains(&0) => Err(DecodeError::Binary),
            [0xef, 0xbb, 0xbf, rest @ ..] => {
                let decoded = Decoded::in_encoding(Encoding::Utf8, rest)
                    .unwrap_or_else(|| Decoded::nearly_utf8(rest));
                Ok(Decoded {
                    bom_len: 3,
                    ..decoded
                })
            }
            _ => Ok(Decoded::without_mark(bytes, named)),
        }
    }

    fn utf16(
        encoding: Encoding,
        table: &'static Table,
        bytes: &[u8],
    ) -> Result<Decoded, DecodeError> {
        let text = table.decode_without_bom_handling_and_without_replacement(bytes);
        let text = text.ok_or(DecodeError::BrokenUtf16)?.into_owned();
        if text.contains('\0') {
            return Err(DecodeError::Binary);
        }
        Ok(Decoded {
            encoding,
            text,
            bom_len: 2,
            ends: Ends::new(),
        })
    }

    fn without_mark(bytes: &[u8], named: Option<Encoding>) -> Decoded {
        if named.is_none()
            && let Some(decoded) = Decoded::in_encoding(Encoding::Utf8, bytes)
        {
            return decoded;
        }

        let (n_valid, n_raw) = utf8_characters(bytes);
        let is_utf8_by_far = n_valid >= MANY && n_valid >= MANY * n_raw;
        let as_named = named
            .filter(|_| !is_utf8_by_far)
            .and_then(|encoding| Decoded::in_encoding(encoding, bytes));
        if let Some(decoded) = as_named.or_else(|| Decoded::in_encoding(Encoding::Utf8, bytes)) {
            return decoded;
        }

        let may_be_east_asian = [GBK, SHIFT_JIS, EUC_KR, BIG5, EUC_JP]
            .iter()
            .any(|table| has_all(table, bytes));
        let is_likely_utf8 = named == Some(Encoding::Utf8) || !may_be_east_asian;
        if is_utf8_by_far || n_valid >= n_raw && is_likely_utf8 {
            return Decoded::nearly_utf8(bytes);
        }

        let source = if may_be_east_asian {
            Source::PoorGuess
        } else {
            Source::Guess
        };
        [guessed(bytes), WINDOWS_1252]
            .into_iter()
            .find_map(|table| Decoded::in_encoding(Encoding::Other { table, source }, bytes))
            .expect("windows-1252 has a character for each byte")
    }

    fn nearly_utf8(bytes: &[u8]) -> Decoded {
        Decoded::in_encoding(Encoding::NearlyUtf8, bytes).expect("it takes all bytes")
    }

    /// `None` if a byte is not of this encoding.
    fn in_encoding(encoding: Encoding, bytes: &[u8]) -> Option<Decoded> {
        let (text, ends) = match encoding {
            Encoding::Ascii if !bytes.is_ascii() => return None,
            Encoding::Utf8 | Encoding::Ascii => {
                (std::str::from_utf8(bytes).ok()?.to_owned(), Ends::new())
            }
            Encoding::NearlyUtf8 => nearly_utf8(bytes),
            Encoding::Utf16Le | Encoding::Utf16Be => return None,
            Encoding::Other { table, .. } => with_table(table, bytes)?,
        };
        Some(Decoded {
            encoding,
            text,
            bom_len: 0,
            ends,
        })
    }
}

/// How many characters of several bytes there are, and how many bytes that are no UTF-8.
fn utf8_characters(bytes: &[u8]) -> (usize, usize) {
    let mut n_valid = 0;
    let mut n_raw = 0;
    for chunk in bytes.utf8_chunks() {
        n_valid += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        n_raw += chunk.invalid().len();
    }
    (n_valid, n_raw)
}

fn has_all(table: &'static Table, bytes: &[u8]) -> bool {
    table
        .decode_without_bom_handling_and_without_replacement(bytes)
        .is_some()
}

/// The likeliest table by the frequencies of letters.
fn guessed(bytes: &[u8]) -> &'static Table {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let guess = detector.guess(None, Utf8Detection::Deny);
    let is_enough = bytes.iter().filter(|byte| !byte.is_ascii()).count() >= EVIDENCE;
    if is_enough || !guess.is_single_byte() {
        guess
    } else {
        WINDOWS_1252
    }
}

/// The byte that a character for private use stands for in [`Encoding::NearlyUtf8`].
pub(super) fn raw_byte(character: char) -> Option<u8> {
    let byte = u8::try_from(u32::from(character).checked_sub(RAW_BYTE)?).ok()?;
    (!byte.is_ascii()).then_some(byte)
}

pub(super) fn nearly_utf8(bytes: &[u8]) -> (String, Ends) {
    let mut text = String::with_capacity(bytes.len());
    let mut ends = Ends::new();
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            if raw_byte(character).is_none() {
                text.push(character);
                at += character.len_utf8();
            } else {
                // It must not be taken for the byte.
                push_raw(
                    character.to_string().as_bytes(),
                    &mut at,
                    &mut text,
                    &mut ends,
                );
            }
        }
        push_raw(chunk.invalid(), &mut at, &mut text, &mut ends);
    }
    (text, ends)
}

fn push_raw(raw: &[u8], at: &mut usize, text: &mut String, ends: &mut Ends) {
    for &byte in raw {
        text.extend(char::from_u32(RAW_BYTE + u32::from(byte)));
        *at += 1;
        ends.push((text.len(), *at));
    }
}

fn with_table(table: &'static Table, bytes: &[u8]) -> Option<(String, Ends)> {
    /// More than the characters of one byte, and of those before that it completes, take.
    const ROOM: usize = 16;
    let mut decoder = table.new_decoder_without_bom_handling();
    let mut text = String::with_capacity(bytes.len() + ROOM);
    let mut ends = Ends::new();
    for (i, &byte) in bytes.iter().enumerate() {
        let start = text.len();
        let is_last = i + 1 == bytes.len();
        text.reserve(ROOM);
        let (result, _) = decoder.decode_to_string_without_replacement(&[byte], &mut text, is_last);

        let mut new = text[start..].chars();
        match (result, new.next(), new.next()) {
            // Big5 has bytes for a letter and its accent. No edit could end between them.
            (DecoderResult::Malformed(..), ..) | (_, _, Some(_)) => return None,
            (_, Some(character), _) if !character.is_ascii() => ends.push((text.len(), i + 1)),
            _ => {}
        }
    }
    Some((text, ends))
}
