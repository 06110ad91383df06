//! Files of many encodings, and edits of them.

use super::*;
use crate::text::Text;
use crate::text::testing::rows;
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
    for [text, name] in rows(
        r#"
        # -*- coding: gbk -*-⏎x = 1⏎                                    | GBK
        #!/usr/bin/python⏎# vim: set fileencoding=cp1251 :⏎             | windows-1251
        // -*- mode: c; coding: euc-kr-unix -*-⏎                        | EUC-KR
        # encoding: Shift_JIS⏎                                          | Shift_JIS
        # coding: iso8859_15⏎                                           | ISO-8859-15
        # coding: latin-1⏎                                              | ISO-8859-1
        # coding: us-ascii⏎                                             | US-ASCII
        # coding: iso-2022-jp⏎                                          | US-ASCII
        <?xml version='1.0' encoding='windows-1251'?>⏎<a/>⏎             | windows-1251
        <!doctype html>⏎<head>⏎<meta charset=big5>⏎                     | Big5
        <html><meta http-equiv='a' content='text/html; charset=euc-jp'> | EUC-JP
        @charset "koi8-r";⏎a { }⏎                                       | KOI8-R
        # coding: utf-8-unix⏎                                           | UTF-8
        <?xml version='1.0' encoding='UTF-16'?>⏎                        | UTF-8
        # coding: ebcdic⏎                                               | UTF-8
        a⏎b⏎# coding: gbk⏎                                              | UTF-8
        let page = '<meta charset=gbk>';⏎                               | UTF-8
        coding: gbk⏎                                                    | UTF-8
        # coding: latin-1⏎# naïveté, déjà vu⏎                           | UTF-8
        "#,
    ) {
        assert_eq!(encoding_of(text.as_bytes()).name(), name, "{text}");
    }
}

#[test]
fn a_few_bytes_that_are_not_utf8_stay_and_the_rest_is() {
    let before = b"caf\xc3\xa9 1\nbad \xff byte\nabc\n";
    assert_eq!(encoding_of(before), Encoding::NearlyUtf8);
    for (old, new, expected) in [
        ("abc", "a — c", "caf\u{e9} 1\nbad \u{f7ff} byte\na — c\n"),
        (
            "caf\u{e9} 1",
            "th\u{e9} 2",
            "th\u{e9} 2\nbad \u{f7ff} byte\nabc\n",
        ),
        (
            "bad \u{f7ff} byte",
            "one \u{f7ff}",
            "caf\u{e9} 1\none \u{f7ff}\nabc\n",
        ),
    ] {
        let after = replaced(before, old, new).unwrap();
        assert!(after.contains(&0xff));
        assert_eq!(Encoding::NearlyUtf8.decoded(&after), expected);
    }
    // Where the byte was not, its sign cannot be written.
    assert_eq!(replaced(before, "abc", "\u{f7ff}"), Err('\u{f7ff}'));
    // A sign of that kind that the file has in UTF-8 stays what it is.
    let private = "\u{e9}\u{e9} \u{f7ff} x\n".as_bytes();
    let before = [private, b"\xff y\n"].concat();
    let after = [private, b"\xff z\n"].concat();
    assert_eq!(replaced(&before, "y", "z").unwrap(), after);
    let beside = replaced(&before, " x\n\u{f7ff} y", " x\n\u{f7ff} z");
    assert_eq!(beside.unwrap(), after);
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
    let name = "name = '\u{6d4b}\u{8bd5}'";
    let moved = "'\u{6d4b}\u{8bd5}' = name";
    let after = GBK.encode(&format!("{moved}\nx = 1\n")).0.into_owned();
    check(&chinese, name, moved, Ok(&after));
    let french = b"# \xe0 c\xf4t\xe9 \nx = 1\n";
    let with_accent = b"# \xe0 c\xf4t\xe9 \nx = '\xe9'\n";
    check(french, "1", "'\u{e9}'", Ok(with_accent));
    check(french, "1", "'\u{20ac}'", Err('\u{20ac}'));
    let german = b"Gr\xfc\xdfe\n5\n";
    check(german, "5", "f\u{fc}nf", Ok(b"Gr\xfc\xdfe\nf\xfcnf\n"));
    check(german, "5", "\u{e4}", Err('\u{e4}'));
}

#[test]
fn a_name_of_a_standard_does_not_mean_the_code_page() {
    for (head, new, expected) in [
        ("latin-1", '\u{e9}', Some(&b"\xe9"[..])),
        ("latin-1", '\u{2014}', None),
        ("cp1252", '\u{2014}', Some(b"\x97")),
        ("iso-8859-15", '\u{20ac}', Some(b"\xa4")),
        ("gbk", '\u{2014}', Some(b"\xa1\xaa")),
        ("gbk", '\u{20ac}', None),
        ("gb18030", '\u{20ac}', Some(b"\xa2\xe3")),
        ("euc-kr", '\u{ac02}', None),
        ("cp949", '\u{ac02}', Some(b"\x81\x41")),
        ("shift_jis", '\u{2460}', None),
        ("shift_jis", '\u{a5}', None),
        ("cp932", '\u{2460}', Some(b"\x87\x40")),
        ("ascii", '\u{e9}', None),
    ] {
        let head = format!("# coding: {head}\n");
        let found = replaced(format!("{head}x\n").as_bytes(), "\nx", &format!("\n{new}"));
        let after = expected.map(|bytes| [head.as_bytes(), bytes, b"\n"].concat());
        assert_eq!(found.ok(), after, "{head} {new}");
    }
}

/// Names of encodings and characters that they have.
const ALPHABETS: [(&str, &str); 9] = [
    ("gbk", "你好测试中文—“×"),
    ("shift_jis", "日本語テスト表ｱ"),
    ("euc-kr", "시험한국어"),
    ("big5", "中文測試功許"),
    ("euc-jp", "日本語テスｱ"),
    ("gb18030", "你好€😀"),
    ("windows-1251", "домЖ—"),
    ("windows-1252", "éß—€œ"),
    ("iso-8859-15", "éß€œ"),
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
