//! The differences that are ignored when lines are compared.

use crate::text::ident::is_ident_char;
use std::borrow::Cow;
use std::ops::Range;
use unicode_normalization::char::decompose_canonical;

/// The differences that are ignored when lines are compared. Each value includes the ones before
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fold {
    /// Nothing.
    Nothing,
    /// Whitespace at the end.
    TrailingWhitespace,
    /// The Unicode spelling of quotes, dashes, spaces and accents, and characters without a width.
    Unicode,
    /// Indentation.
    Indentation,
    /// The amount of whitespace between words, outside quotes.
    Whitespace,
    /// All whitespace outside quotes, the kind of quotes, and a comma or semicolon at the end.
    /// Words, numbers, strings and operators stay.
    Punctuation,
}

/// A folded text, and the origin of each of its bytes.
#[derive(Debug, Default)]
pub(super) struct Folded {
    pub text: String,
    /// The offset in the original text of each byte of `text`, and of its end.
    pub offsets: Vec<usize>,
}

impl Folded {
    /// The range of `original` (the text that was folded) from which these bytes came.
    pub(super) fn original(&self, original: &str, range: Range<usize>) -> Range<usize> {
        let last = self.offsets[range.end - 1];
        self.offsets[range.start]..last + original[last..].chars().next().map_or(0, char::len_utf8)
    }

    /// The part of `original` (the text that was folded) for a range of whole characters.
    pub(super) fn slice<'t>(&self, original: &'t str, range: Range<usize>) -> Option<&'t str> {
        original.get(*self.offsets.get(range.start)?..*self.offsets.get(range.end)?)
    }

    /// Whether a folded text may be cut here: not within what one character became.
    pub(super) fn is_between_chars(&self, at: usize) -> bool {
        at == 0 || at == self.text.len() || self.offsets[at] != self.offsets[at - 1]
    }

    pub(super) fn new(fold: Fold, text: &str) -> Folded {
        let mut folded = Folded::default();
        for (start, c) in text.char_indices() {
            if c == '\n' {
                // A carriage return or whitespace before the newline belongs to the ending.
                let kept = folded.text.trim_end_matches(is_whitespace_char).len();
                folded.text.truncate(kept);
                folded.offsets.truncate(kept);
            }
            if fold == Fold::Unicode {
                push_plain(c, &mut folded.text);
            } else {
                folded.text.push(c);
            }
            folded.offsets.resize(folded.text.len(), start);
        }
        folded.offsets.push(text.len());
        folded
    }
}

pub(super) fn folded_line(fold: Fold, line: &str) -> Cow<'_, str> {
    if fold == Fold::Nothing {
        return Cow::Borrowed(line);
    }
    let line = line.trim_end_matches(is_whitespace_char);
    if fold == Fold::TrailingWhitespace {
        return Cow::Borrowed(line);
    }
    let line = if line.is_ascii() {
        Cow::Borrowed(line)
    } else {
        let mut plain = String::with_capacity(line.len());
        for c in line.chars() {
            push_plain(c, &mut plain);
        }
        plain.truncate(plain.trim_end_matches(is_whitespace_char).len());
        Cow::Owned(plain)
    };
    match fold {
        Fold::Indentation => without_indentation(line),
        Fold::Whitespace => collapsed(line),
        Fold::Punctuation => Cow::Owned(tokens(&line)),
        _ => line,
    }
}

fn without_indentation(line: Cow<'_, str>) -> Cow<'_, str> {
    match line {
        Cow::Borrowed(line) => Cow::Borrowed(line.trim_start_matches([' ', '\t'])),
        Cow::Owned(line) => Cow::Owned(line.trim_start_matches([' ', '\t']).to_owned()),
    }
}

/// The line with one space between its tokens. Quoted text is one token, whatever the kind of
/// quotes.
fn tokens(line: &str) -> String {
    let mut tokens = String::with_capacity(2 * line.len());
    let mut quote = None;
    let mut was_word = false;
    let mut is_escaped = false;

    for c in line.trim().trim_end_matches([',', ';']).chars() {
        let is_word = is_ident_char(c);
        match (quote, c) {
            (Some(open), _) if open == c && !is_escaped => {
                quote = None;
                tokens.push('"');
            }
            (Some(_), _) => tokens.push(c),
            (None, ' ' | '\t') => {
                was_word = false;
                continue;
            }
            (None, '"' | '\'' | '`') => {
                quote = Some(c);
                tokens.push_str(" \"");
            }
            (None, _) => {
                if !(is_word && was_word) {
                    tokens.push(' ');
                }
                tokens.push(c);
            }
        }
        was_word = is_word;
        is_escaped = c == '\\' && !is_escaped;
    }
    tokens
}

/// The line without indentation, and with each run of whitespace outside quotes as one space.
fn collapsed(line: Cow<'_, str>) -> Cow<'_, str> {
    let trimmed = line.trim_start_matches([' ', '\t']);
    if !trimmed.contains('\t') && !trimmed.contains("  ") {
        return without_indentation(line);
    }

    let mut collapsed = String::with_capacity(trimmed.len());
    let mut quote = None;
    let mut is_escaped = false;
    for c in trimmed.chars() {
        match (quote, c) {
            (None, ' ' | '\t') => {
                if !collapsed.ends_with(' ') {
                    collapsed.push(' ');
                }
                continue;
            }
            (None, '"' | '\'' | '`') => quote = Some(c),
            (Some(open), _) if open == c && !is_escaped => quote = None,
            _ => {}
        }
        is_escaped = c == '\\' && !is_escaped;
        collapsed.push(c);
    }
    Cow::Owned(collapsed)
}

pub(super) fn is_blank(line: &str) -> bool {
    line.chars()
        .all(|c| is_whitespace_char(c) || matches!(plain(c), Plain::Char(' ') | Plain::Nothing))
}

fn is_whitespace_char(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\u{b}' | '\u{c}')
}

/// The spaces and tabs at the start of a line.
pub(super) fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Identifiers and numbers.
pub(super) fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c| !is_ident_char(c))
        .filter(|word| !word.is_empty())
}

enum Plain {
    Char(char),
    Dots,
    Nothing,
    Same,
}

/// The keyboard's spelling of characters from word processors and web pages.
fn plain(c: char) -> Plain {
    match c {
        '\u{2018}'..='\u{201b}' | '\u{2032}' => Plain::Char('\''),
        '\u{201c}'..='\u{201f}' | '\u{2033}' => Plain::Char('"'),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => Plain::Char('-'),
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
            Plain::Char(' ')
        }
        // Full-width punctuation; models exchange it in Chinese and Japanese comments. Letters and
        // digits of that width are other names and numbers.
        '\u{ff01}'..='\u{ff0f}'
        | '\u{ff1a}'..='\u{ff20}'
        | '\u{ff3b}'..='\u{ff40}'
        | '\u{ff5b}'..='\u{ff5e}' => {
            char::from_u32(u32::from(c) - 0xfee0).map_or(Plain::Same, Plain::Char)
        }
        // The last one asks for the coloured form of a picture.
        '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{ad}' | '\u{fe0f}' => Plain::Nothing,
        '\u{2026}' => Plain::Dots,
        _ => Plain::Same,
    }
}

/// The keyboard's character for a quote, dash or space, if there is one.
pub(super) fn keyboard(c: char) -> Option<char> {
    if let Plain::Char(c) = plain(c) {
        Some(c)
    } else {
        None
    }
}

/// Uses canonical decomposition instead of NFC: both unify the two spellings of an accent.
fn push_plain(c: char, text: &mut String) {
    match plain(c) {
        Plain::Char(c) => text.push(c),
        Plain::Dots => text.push_str("..."),
        Plain::Nothing => {}
        Plain::Same if c.is_ascii() => text.push(c),
        Plain::Same => decompose_canonical(c, |c| text.push(c)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_each_way_of_comparing_sets_aside() {
        for (fold, a, b, are_equal) in [
            (Fold::Nothing, "a", "a ", false),
            (Fold::TrailingWhitespace, "a", "a \t\r", true),
            (Fold::TrailingWhitespace, " a", "a", false),
            (
                Fold::Unicode,
                "it’s “x”\u{a0}— caf\u{e9}",
                "it's \"x\" - cafe\u{301} ",
                true,
            ),
            (Fold::Unicode, "a\u{200b}b\u{2026}", "ab...", true),
            (
                Fold::Unicode,
                "\u{2764}\u{fe0f} a\u{ff0c}b\u{ff1a}",
                "\u{2764} a,b:",
                true,
            ),
            (Fold::Unicode, "\u{ff11}", "1", false),
            (Fold::Unicode, "cafe", "caf\u{e9}", false),
            (Fold::Indentation, "\t  a  b", "a  b", true),
            (Fold::Indentation, "a  b", "a b", false),
            (Fold::Whitespace, "\tx  =\t1", "x = 1", true),
            (Fold::Whitespace, "x = 'a  b'", "x = 'a b'", false),
            (Fold::Whitespace, r#"x = "a\"  b""#, r#"x = "a\" b""#, false),
            (Fold::Whitespace, "f(x)", "f( x)", false),
            (Fold::Punctuation, "f( 'x y',a )", "f(\"x y\", a);", true),
            (Fold::Punctuation, "f('x y')", "f('xy')", false),
            (Fold::Punctuation, "return x", "returnx", false),
            (Fold::Punctuation, "a - b", "a + b", false),
            (Fold::Punctuation, "f(1)", "f(2)", false),
        ] {
            let is_same = folded_line(fold, a) == folded_line(fold, b);
            assert_eq!(is_same, are_equal, "{fold:?} {a:?} {b:?}");
        }
    }

    #[test]
    fn a_folded_text_knows_where_it_came_from() {
        let folded = Folded::new(Fold::Unicode, "a \u{2026}\u{e9} \nb");
        assert_eq!(folded.text, "a ...e\u{301}\nb");
        assert_eq!(folded.offsets, [0, 1, 2, 2, 2, 5, 5, 5, 8, 9, 10]);
    }
}
