//! How a file's bytes become characters, and which characters may be written into it.
//!
//! In order: a byte order mark; the encoding that the file names, if all of it decodes so; UTF-8,
//! also with a few bytes that are not; else a guess. A guess decides only what is shown. Into a file
//! whose encoding is guessed, nothing is written but ASCII and characters that it has already.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    BIG5, DecoderResult, EUC_JP, EUC_KR, Encoding as Table, GB18030, GBK, SHIFT_JIS, UTF_8,
    UTF_16BE, UTF_16LE, WINDOWS_1252,
};
use regex::bytes::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

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

impl std::fmt::Display for EncodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (character, path) = (self.character, self.path.as_deref().unwrap_or("the file"));
        write!(f, "the new text has {character:?}, ")?;
        match self.encoding {
            Encoding::Other {
                source: Source::Guess | Source::PoorGuess,
                ..
            } => {
                write!(
                    f,
                    "and {path} is not UTF-8 and names no encoding: it takes only ASCII"
                )
            }
            encoding => {
                write!(
                    f,
                    "which the encoding of {path} ({}) cannot express",
                    encoding.name()
                )
            }
        }
    }
}

impl EncodeError {
    /// The same, with the file's name.
    pub fn of(self, path: &str) -> EncodeError {
        EncodeError {
            path: Some(path.to_owned()),
            ..self
        }
    }

    /// What to do next.
    pub fn next(&self) -> &'static str {
        match self.encoding {
            Encoding::Other {
                source: Source::Guess | Source::PoorGuess,
                ..
            } => {
                "convert the file to UTF-8, or name its encoding: with a comment like `-*- coding: \
                 gbk -*-` in its first line, or as `charset` in .editorconfig"
            }
            _ => "write it in other characters, or convert the file to UTF-8 first",
        }
    }
}

/// A byte that is not UTF-8, in a file that is otherwise, is shown as this character plus the byte.
/// The same characters serve in the WHATWG's encoding x-user-defined.
const RAW_BYTE: u32 = 0xf700;

/// The ends of characters that have another length as text than on disk: as text, and on disk.
pub(super) type Ends = Vec<(usize, usize)>;

impl Encoding {
    /// The encoding of a file that has no byte order mark and no NUL, its characters, and their
    /// [`Ends`]. `named`: what the file or its folder says, if anything does.
    pub(super) fn of(bytes: &[u8], named: Option<Encoding>) -> (Encoding, String, Ends) {
        let decoded = |encoding: Encoding| {
            let (text, ends) = encoding.characters(bytes)?;
            Some((encoding, text, ends))
        };
        let as_utf8 = || decoded(Encoding::Utf8);
        if let Some(decoded) = as_utf8().filter(|_| named.is_none()) {
            return decoded;
        }
        let (n_valid, n_raw) = utf8_characters(bytes);
        let is_utf8_by_far = n_valid >= MANY && n_valid >= MANY * n_raw;
        let as_named = named.filter(|_| !is_utf8_by_far).and_then(decoded);
        if let Some(decoded) = as_named.or_else(as_utf8) {
            return decoded;
        }

        let fits = |table: &'static Table| {
            table
                .decode_without_bom_handling_and_without_replacement(bytes)
                .is_some()
        };
        let fits_any = [GBK, SHIFT_JIS, EUC_KR, BIG5, EUC_JP].into_iter().any(fits);
        let is_likely_utf8 = named == Some(Encoding::Utf8) || !fits_any;
        if is_utf8_by_far || n_valid >= n_raw && is_likely_utf8 {
            return decoded(Encoding::NearlyUtf8).expect("it takes all bytes");
        }

        let source = if fits_any {
            Source::PoorGuess
        } else {
            Source::Guess
        };
        let guess = decoded(Encoding::Other {
            table: guessed(bytes),
            source,
        });
        let usual = || {
            decoded(Encoding::Other {
                table: WINDOWS_1252,
                source,
            })
        };
        guess
            .or_else(usual)
            .expect("windows-1252 has a character for each byte")
    }

    /// The encoding of a name like `gbk`, `latin-1` or `cp1251`. `None` for unknown names, and for
    /// UTF-16, which only a byte order mark makes sure.
    pub fn named(name: &str) -> Option<Encoding> {
        let name = name.to_ascii_lowercase();
        // Emacs adds the line endings.
        let endings = ["-unix", "-dos", "-mac"];
        let name = endings
            .iter()
            .find_map(|ending| name.strip_suffix(ending))
            .unwrap_or(&name);
        let hyphened = name.replace('_', "-");
        let label = match hyphened.as_str() {
            "cp932" => "windows-31j",
            "cp936" => "gbk",
            "cp949" | "uhc" => "windows-949",
            "cp950" => "big5",
            "eucjp" => "euc-jp",
            "euckr" => "euc-kr",
            "latin-1" | "iso-latin-1" => "latin1",
            "latin9" | "latin-9" | "iso-latin-9" => "iso-8859-15",
            hyphened if Table::for_label(name.as_bytes()).is_none() => hyphened,
            _ => name,
        };
        let table = Table::for_label(label.as_bytes())?;
        if table == UTF_8 {
            return Some(Encoding::Utf8);
        }
        if [UTF_16LE, UTF_16BE].contains(&table) {
            return None;
        }
        if label.ends_with("ascii") || !table.is_ascii_compatible() {
            return Some(Encoding::Ascii);
        }
        let code_pages = ["windows-", "cp", "x-cp", "ms9", "gbk", "gb18030"];
        let is_code_page = code_pages.iter().any(|start| label.starts_with(start));
        let source = if is_code_page {
            Source::CodePage
        } else {
            Source::Standard
        };
        Some(Encoding::Other { table, source })
    }

    /// The encoding that a file names: in a comment of its first two lines, as Python, Ruby and Emacs
    /// read it, or in the header of XML, HTML or CSS.
    pub fn declared(bytes: &[u8]) -> Option<Encoding> {
        /// A header is not longer, bytes.
        const HEADER: usize = 2048;
        static DECLARATION: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(
                r#"(?xi-u)
                \A (?: [^\n]* \n )? (?: [\ \t\f]* \# [^\n]*? | [^\n]*? -\*- [^\n]*? )
                    coding [:=] [\ \t]* ( [-\w.]+ )
                | \A \s* <\?xml [^>]*? \s encoding \s* = \s* ["'] ( [-\w.:]+ )
                | \A \s* (?: < [\s\S]*? )? <meta \s [^>]*? charset \s* = \s* ["']? ( [-\w.:]+ )
                | \A @charset \s "( [-\w.:]+ )"
                "#,
            )
            .expect("a constant")
        });
        let captures = DECLARATION.captures(&bytes[..bytes.len().min(HEADER)])?;
        let name = captures.iter().skip(1).flatten().next()?;
        Encoding::named(std::str::from_utf8(name.as_bytes()).ok()?)
    }

    /// As people write it.
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

    /// The characters of a file without its byte order mark, and their [`Ends`]. `None` if a byte is
    /// not of this encoding.
    fn characters(self, bytes: &[u8]) -> Option<(String, Ends)> {
        match self {
            Encoding::Ascii if !bytes.is_ascii() => None,
            Encoding::Utf8 | Encoding::Ascii => {
                Some((std::str::from_utf8(bytes).ok()?.to_owned(), Ends::new()))
            }
            Encoding::NearlyUtf8 => Some(nearly_utf8(bytes)),
            Encoding::Utf16Le | Encoding::Utf16Be => None,
            Encoding::Other { table, .. } => with_table(table, bytes),
        }
    }

    /// The lines of a file, with their line feeds. In no encoding but UTF-16 can a line feed be a part
    /// of another character.
    pub fn lines(self, bytes: &[u8]) -> Vec<&[u8]> {
        let unit = match self {
            Encoding::Utf16Le => [b'\n', 0],
            Encoding::Utf16Be => [0, b'\n'],
            _ => return bytes.split_inclusive(|&byte| byte == b'\n').collect(),
        };
        let (units, _) = bytes.as_chunks::<2>();
        units
            .split_inclusive(|it| *it == unit)
            .map(<[[u8; 2]]>::as_flattened)
            .collect()
    }

    /// The bytes of a character that every program would read as that character. `None` if there are
    /// none, or if the encoding is only guessed.
    pub(super) fn bytes_of(self, character: char) -> Option<Vec<u8>> {
        let mut utf8 = [0; 4];
        let text = &*character.encode_utf8(&mut utf8);
        let units = || text.encode_utf16();
        match self {
            Encoding::Utf16Le => Some(units().flat_map(u16::to_le_bytes).collect()),
            Encoding::Utf16Be => Some(units().flat_map(u16::to_be_bytes).collect()),
            _ if character.is_ascii() => Some(text.as_bytes().to_vec()),
            Encoding::Utf8 => Some(text.as_bytes().to_vec()),
            Encoding::NearlyUtf8 if raw_byte(character).is_none() => Some(text.as_bytes().to_vec()),
            Encoding::Other {
                table,
                source: source @ (Source::CodePage | Source::Standard),
            } => {
                let (bytes, _, has_errors) = table.encode(text);
                // Shift_JIS would write a backslash for a yen sign.
                let is_same = !has_errors && table.decode_without_bom_handling(&bytes).0 == text;
                let is_fine = is_same && is_common(table, source, character, &bytes);
                is_fine.then(|| bytes.into_owned())
            }
            Encoding::NearlyUtf8 | Encoding::Ascii | Encoding::Other { .. } => None,
        }
    }

    /// Whether a character that a file of this text has may be written again, as it is there. Where the
    /// file might be of East Asia, only a letter within a word is sure to be that letter.
    pub(super) fn keeps(self, character: char, text: &str) -> bool {
        let is_in_word = |(at, found): (usize, &str)| {
            let before = text[..at].chars().next_back();
            let after = text[at + found.len()..].chars().next();
            [before, after]
                .into_iter()
                .flatten()
                .any(|beside| beside.is_ascii_alphabetic())
        };
        match self {
            Encoding::Other {
                source: Source::Guess,
                ..
            } => true,
            Encoding::Other {
                table,
                source: Source::PoorGuess,
            } if table.is_single_byte() => {
                character.is_alphabetic() && text.match_indices(character).any(is_in_word)
            }
            _ => false,
        }
    }
}

/// So many characters of several bytes, and so many to each byte that is not UTF-8, make a file UTF-8
/// whatever it says. Of a hundred Chinese characters in GBK, fourteen could be UTF-8.
const MANY: usize = 4;

/// How many characters of several bytes there are, and how many bytes that are no UTF-8.
fn utf8_characters(bytes: &[u8]) -> (usize, usize) {
    let (mut n_valid, mut n_raw) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        n_valid += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        n_raw += chunk.invalid().len();
    }
    (n_valid, n_raw)
}

/// The likeliest table by the frequencies of letters. A few letters are too little evidence against
/// the encoding that most old files of the West have.
fn guessed(bytes: &[u8]) -> &'static Table {
    const EVIDENCE: usize = 8;
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
fn raw_byte(character: char) -> Option<u8> {
    let byte = u8::try_from(u32::from(character).checked_sub(RAW_BYTE)?).ok()?;
    (!byte.is_ascii()).then_some(byte)
}

fn nearly_utf8(bytes: &[u8]) -> (String, Ends) {
    let mut text = String::with_capacity(bytes.len());
    let (mut ends, mut at) = (Ends::new(), 0);
    let mut push_raw = |text: &mut String, raw: &[u8], at: &mut usize| {
        for &byte in raw {
            text.extend(char::from_u32(RAW_BYTE + u32::from(byte)));
            *at += 1;
            ends.push((text.len(), *at));
        }
    };
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            if raw_byte(character).is_some() {
                // It must not be taken for the byte.
                let mut utf8 = [0; 4];
                push_raw(
                    &mut text,
                    character.encode_utf8(&mut utf8).as_bytes(),
                    &mut at,
                );
            } else {
                text.push(character);
                at += character.len_utf8();
            }
        }
        push_raw(&mut text, chunk.invalid(), &mut at);
    }
    (text, ends)
}

fn with_table(table: &'static Table, bytes: &[u8]) -> Option<(String, Ends)> {
    /// More than the characters of one byte, and of those before that it completes, take.
    const ROOM: usize = 16;
    let mut decoder = table.new_decoder_without_bom_handling();
    let mut text = String::with_capacity(bytes.len() + ROOM);
    let mut ends = Ends::new();
    for (i, &byte) in bytes.iter().enumerate() {
        let (start, is_last) = (text.len(), i + 1 == bytes.len());
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
        [lead, trail] if is_standard => match () {
            () if table == SHIFT_JIS => !matches!(lead, 0x87 | 0xed | 0xee | 0xfa..),
            () if table == EUC_JP => !matches!(lead, 0xad | 0xf9..),
            () if table == BIG5 => match lead {
                0xa3 => trail < 0xc0,
                0xc6 => trail < 0xa1,
                _ => !matches!(lead, 0xc7 | 0xc8 | 0xf9..),
            },
            () => lead >= 0xa1 && trail >= 0xa1,
        },
        _ => bytes.len() == 2 || table == GB18030,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Text;
    use proptest::prelude::*;
    use std::ops::Range;

    fn encoding_of(bytes: &[u8]) -> Encoding {
        Text::decode(bytes.to_vec()).unwrap().encoding()
    }

    /// Replaces `old`, which the file has once. The new bytes, or the character that is refused.
    fn replaced(bytes: &[u8], old: &str, new: &str) -> Result<Vec<u8>, char> {
        let text = Text::decode(bytes.to_vec()).unwrap();
        let start = text.shown().find(old).expect("it is shown");
        text.splice([(start..start + old.len(), new)])
            .map_err(|error| error.character)
    }

    #[test]
    fn a_file_is_of_the_encoding_that_it_names() {
        #[track_caller]
        fn check(text: &str, name: &str) {
            assert_eq!(encoding_of(text.as_bytes()).name(), name, "{text}");
        }
        check("# -*- coding: gbk -*-\nx = 1\n", "GBK");
        check(
            "#!/usr/bin/python\n# vim: set fileencoding=cp1251 :\n",
            "windows-1251",
        );
        check("// -*- mode: c; coding: euc-kr-unix -*-\n", "EUC-KR");
        check("# encoding: Shift_JIS\n", "Shift_JIS");
        check("# coding: iso8859_15\n", "ISO-8859-15");
        check("# coding: latin-1\n", "ISO-8859-1");
        check("# coding: us-ascii\n", "US-ASCII");
        check("# coding: iso-2022-jp\n", "US-ASCII");
        check(
            "<?xml version='1.0' encoding='windows-1251'?>\n<a/>\n",
            "windows-1251",
        );
        check("<!doctype html>\n<head>\n<meta charset=big5>\n", "Big5");
        check(
            "<html><meta http-equiv='a' content='text/html; charset=euc-jp'>",
            "EUC-JP",
        );
        check("@charset \"koi8-r\";\na { }\n", "KOI8-R");
        // These are Unicode, or no declarations.
        check("# coding: utf-8-unix\n", "UTF-8");
        check("<?xml version='1.0' encoding='UTF-16'?>\n", "UTF-8");
        check("# coding: ebcdic\n", "UTF-8");
        check("a\nb\n# coding: gbk\n", "UTF-8");
        check("let page = '<meta charset=gbk>';\n", "UTF-8");
        check("coding: gbk\n", "UTF-8");
        // So many characters of UTF-8 are no chance.
        check(
            "# coding: latin-1\n# na\u{ef}vet\u{e9}, d\u{e9}j\u{e0} vu\n",
            "UTF-8",
        );
    }

    #[test]
    fn a_few_bytes_that_are_not_utf8_stay_and_the_rest_is() {
        let before = b"caf\xc3\xa9 1\nbad \xff byte\nabc\n";
        assert_eq!(encoding_of(before), Encoding::NearlyUtf8);
        let check = |old, new, expected: &[u8]| {
            assert_eq!(replaced(before, old, new).unwrap(), expected, "{old} {new}");
        };
        check(
            "abc",
            "a \u{2014} c",
            b"caf\xc3\xa9 1\nbad \xff byte\na \xe2\x80\x94 c\n",
        );
        check(
            "caf\u{e9} 1",
            "th\u{e9} 2",
            b"th\xc3\xa9 2\nbad \xff byte\nabc\n",
        );
        check(
            "bad \u{f7ff} byte",
            "one \u{f7ff}",
            b"caf\xc3\xa9 1\none \xff\nabc\n",
        );
        // Where the byte was not, its sign cannot be written.
        assert_eq!(replaced(before, "abc", "\u{f7ff}"), Err('\u{f7ff}'));
        // A sign of that kind that the file has in UTF-8 stays what it is.
        let private = "\u{e9}\u{e9} \u{f7ff} x\n".as_bytes();
        let before = [private, b"\xff y\n"].concat();
        let after = [private, b"\xff z\n"].concat();
        assert_eq!(replaced(&before, "y", "z").unwrap(), after);
        assert_eq!(
            replaced(&before, " x\n\u{f7ff} y", " x\n\u{f7ff} z").unwrap(),
            after
        );
    }

    #[test]
    fn into_a_file_that_names_no_encoding_nothing_is_written_but_what_it_has() {
        let check = |before: &[u8], old: &str, new: &str, expected: Result<&[u8], char>| {
            let found = replaced(before, old, new);
            assert_eq!(found, expected.map(<[u8]>::to_vec), "{old} {new}");
        };
        // One letter of Shift_JIS: its first byte is a dash in windows-1252.
        let japanese = b"x = '\x97\xd1'\n";
        check(japanese, "x", "y", Ok(b"y = '\x97\xd1'\n"));
        check(japanese, "x", "y \u{2014}", Err('\u{2014}'));
        let chinese = GBK.encode("name = '\u{6d4b}\u{8bd5}'\nx = 1\n").0;
        check(&chinese, "1", "'\u{e9}'", Err('\u{e9}'));
        check(&chinese, "1", "'\u{d7}'", Err('\u{d7}'));
        // What is replaced may stay, wherever it comes to stand.
        let moved = GBK.encode("'\u{6d4b}\u{8bd5}' = name\nx = 1\n").0;
        check(
            &chinese,
            "name = '\u{6d4b}\u{8bd5}'",
            "'\u{6d4b}\u{8bd5}' = name",
            Ok(&moved),
        );
        let french = b"# \xe0 c\xf4t\xe9 \nx = 1\n";
        check(
            french,
            "1",
            "'\u{e9}'",
            Ok(b"# \xe0 c\xf4t\xe9 \nx = '\xe9'\n"),
        );
        check(french, "1", "'\u{20ac}'", Err('\u{20ac}'));
        let german = b"Gr\xfc\xdfe\n5\n";
        check(german, "5", "f\u{fc}nf", Ok(b"Gr\xfc\xdfe\nf\xfcnf\n"));
        check(german, "5", "\u{e4}", Err('\u{e4}'));
    }

    #[test]
    fn a_name_of_a_standard_does_not_mean_the_code_page() {
        let check = |head: &str, new: char, expected: Option<&[u8]>| {
            let before = format!("# coding: {head}\nx\n");
            let after = expected
                .map(|bytes| [&before.as_bytes()[..before.len() - 2], bytes, b"\n"].concat());
            assert_eq!(
                replaced(before.as_bytes(), "\nx", &format!("\n{new}")).ok(),
                after,
                "{head} {new}"
            );
        };
        check("latin-1", '\u{e9}', Some(b"\xe9"));
        check("latin-1", '\u{2014}', None);
        check("cp1252", '\u{2014}', Some(b"\x97"));
        check("iso-8859-15", '\u{20ac}', Some(b"\xa4"));
        check("gbk", '\u{2014}', Some(b"\xa1\xaa"));
        check("gbk", '\u{20ac}', None);
        check("gb18030", '\u{20ac}', Some(b"\xa2\xe3"));
        check("euc-kr", '\u{ac02}', None);
        check("cp949", '\u{ac02}', Some(b"\x81\x41"));
        check("shift_jis", '\u{2460}', None);
        check("shift_jis", '\u{a5}', None);
        check("cp932", '\u{2460}', Some(b"\x87\x40"));
        check("ascii", '\u{e9}', None);
    }

    /// Names of encodings and characters that they have.
    const ALPHABETS: [(&str, &str); 9] = [
        (
            "gbk",
            "\u{4f60}\u{597d}\u{6d4b}\u{8bd5}\u{4e2d}\u{6587}\u{2014}\u{201c}\u{d7}",
        ),
        (
            "shift_jis",
            "\u{65e5}\u{672c}\u{8a9e}\u{30c6}\u{30b9}\u{30c8}\u{8868}\u{ff71}",
        ),
        ("euc-kr", "\u{c2dc}\u{d5d8}\u{d55c}\u{ad6d}\u{c5b4}"),
        ("big5", "\u{4e2d}\u{6587}\u{6e2c}\u{8a66}\u{529f}\u{8a31}"),
        ("euc-jp", "\u{65e5}\u{672c}\u{8a9e}\u{30c6}\u{30b9}\u{ff71}"),
        ("gb18030", "\u{4f60}\u{597d}\u{20ac}\u{1f600}"),
        ("windows-1251", "\u{434}\u{43e}\u{43c}\u{416}\u{2014}"),
        ("windows-1252", "\u{e9}\u{df}\u{2014}\u{20ac}\u{153}"),
        ("iso-8859-15", "\u{e9}\u{df}\u{20ac}\u{153}"),
    ];

    /// Lines of an alphabet, as indices of characters.
    fn lines(most: usize) -> impl Strategy<Value = Vec<usize>> {
        proptest::collection::vec(any::<usize>(), 0..most)
    }

    fn spelled(alphabet: &str, indices: &[usize]) -> String {
        let characters: Vec<char> = alphabet.chars().chain("ab \n\n=\u{5c}x".chars()).collect();
        indices
            .iter()
            .map(|i| characters[i % characters.len()])
            .collect()
    }

    /// A range of characters, as one of bytes.
    fn part(text: &str, a: usize, b: usize) -> Range<usize> {
        let bounds: Vec<usize> = text
            .char_indices()
            .map(|(at, _)| at)
            .chain([text.len()])
            .collect();
        let (a, b) = (bounds[a % bounds.len()], bounds[b % bounds.len()]);
        a.min(b)..a.max(b)
    }

    proptest! {
        #[test]
        fn what_is_written_decodes_as_before(
            which in 0..ALPHABETS.len(),
            (body, new) in (lines(40), lines(10)),
            (a, b) in (any::<usize>(), any::<usize>()),
            (is_declared, has_crlf) in any::<(bool, bool)>(),
        ) {
            let (name, alphabet) = ALPHABETS[which];
            let table = Table::for_label(name.as_bytes()).unwrap();
            let head = if is_declared { format!("# coding: {name}\n") } else { String::new() };
            let (body, new) = (spelled(alphabet, &body), spelled(alphabet, &new));
            let whole = format!("{head}{body}");
            let on_disk = |text: &str| text.replace('\n', if has_crlf { "\r\n" } else { "\n" });
            let bytes = table.encode(&on_disk(&whole)).0.into_owned();
            let range = part(&body, a, b);
            let range = head.len() + range.start..head.len() + range.end;

            let text = Text::decode(bytes.clone()).unwrap();
            // What names nothing and could be UTF-8 is taken for it.
            let is_utf8 = text.encoding() == Encoding::Utf8;
            let is_read = text.shown() == whole && !is_utf8;
            prop_assert!(is_read || !is_declared, "{:?}", text.shown());
            if is_read {
                let expected = [&whole[..range.start], &new, &whole[range.end..]].concat();
                match text.splice([(range.clone(), new.as_str())]) {
                    Ok(after) => {
                        let decoded = table.decode_without_bom_handling_and_without_replacement(&after);
                        // A first line has no neighbour whose line ending a new one could take.
                        let plain = |text: &str| text.replace("\r\n", "\n");
                        prop_assert_eq!(plain(&decoded.expect("of the encoding")), expected);
                        let prefix = table.encode(&on_disk(&whole[..range.start])).0.len();
                        let suffix = table.encode(&on_disk(&whole[range.end..])).0.len();
                        prop_assert_eq!(&after[..prefix], &bytes[..prefix]);
                        prop_assert_eq!(&after[after.len() - suffix..], &bytes[bytes.len() - suffix..]);
                    }
                    Err(_) => prop_assert!(!is_declared),
                }
            }
        }

        #[test]
        fn utf_8_with_a_bad_byte_and_utf_16_decode_as_before(
            body in "[a\u{e9}\u{4e2d}\u{1f600}\n]{8,30}",
            new in "[b\u{e9}\u{2014}\n]{0,6}",
            (a, b, at) in (any::<usize>(), any::<usize>(), any::<usize>()),
            form in 0..3usize,
        ) {
            let range = part(&body, a, b);
            let encoded = |text: &str| -> Vec<u8> {
                match form {
                    0 => text.as_bytes().to_vec(),
                    1 => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
                    _ => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
                }
            };
            let mark = ["\u{e9}\u{e9}\u{e9}\u{e9}".as_bytes(), b"\xff\xfe", b"\xfe\xff"][form];
            // A bad byte outside what is edited.
            let bad = part(&body[..range.start], at, at).start;
            let bad_bytes: &[u8] = if form == 0 { b"\xff" } else { b"" };
            let (before, old, rest) = (&body[..range.start], &body[range.clone()], &body[range.end..]);
            let start = [mark, &encoded(&before[..bad]), bad_bytes, &encoded(&before[bad..])].concat();
            let bytes = [&start[..], &encoded(old), &encoded(rest)].concat();
            let text = Text::decode(bytes).unwrap();
            let from = text.shown().len() - rest.len() - old.len();
            let after = text.splice([(from..from + old.len(), new.as_str())]).unwrap();
            prop_assert_eq!(after, [&start[..], &encoded(&new), &encoded(rest)].concat());
        }
    }
}
