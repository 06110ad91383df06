//! Where an excerpt may begin and end.

use super::ident::is_ident_char;
use fixedbitset::FixedBitSet;
use std::sync::LazyLock;
use unicode_segmentation::UnicodeSegmentation;

/// Marks where an excerpt may begin and end: bit `i` for byte offset `i`, `0..=text.len()`.
///
/// Boundaries are both ends of the text and of every line, and every change of character class. The
/// classes are identifiers and whitespace; every other character (and every CJK character) is a
/// class by itself. No boundary is inside a grapheme cluster (UAX #29, except for the few signs
/// that it joins to a following ASCII character). So no excerpt splits an accent from its letter,
/// or an emoji.
///
/// Whether an excerpt may end at a byte depends only on the excerpt, which itself begins at a
/// boundary, and on the one character after it. The constraint relies on that.
pub fn boundaries(text: &str) -> FixedBitSet {
    let mut set = FixedBitSet::with_capacity(text.len() + 1);
    set.extend(boundary_offsets(text));
    set
}

/// The offsets that [`boundaries`] marks, ascending.
pub fn boundary_offsets(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let mut offsets = Vec::with_capacity(text.len() / 2);
    let mut previous = Class::Single;
    let mut at = 0;
    while at < bytes.len() {
        // Nearly all text is ASCII, where every character is a cluster. Only the rest needs
        // segmentation.
        if bytes[at].is_ascii() && bytes.get(at + 1).is_none_or(u8::is_ascii) {
            let class = ASCII_CLASSES[usize::from(bytes[at])];
            push_boundary(&mut offsets, at, previous, class);
            previous = class;
            at += 1;
            continue;
        }

        let n_foreign = bytes[at + 1..].iter().take_while(|b| !b.is_ascii()).count();
        let stretch = &text[at..at + 1 + n_foreign];
        for (i, grapheme) in stretch.grapheme_indices(true) {
            let class = grapheme.chars().next().map_or(Class::Single, Class::of);
            push_boundary(&mut offsets, at + i, previous, class);
            previous = class;
        }
        at += stretch.len();
    }

    if offsets.first() != Some(&0) {
        offsets.insert(0, 0);
    }
    if offsets.last() != Some(&bytes.len()) {
        offsets.push(bytes.len());
    }
    offsets
}

/// Adds a boundary where a cluster of another class begins.
fn push_boundary(offsets: &mut Vec<usize>, at: usize, previous: Class, class: Class) {
    if class != previous || class == Class::Single {
        offsets.push(at);
    }
}

/// [`Class::of`] for the ASCII characters.
static ASCII_CLASSES: LazyLock<[Class; 128]> =
    LazyLock::new(|| std::array::from_fn(|i| Class::of(char::from(i as u8))));

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Identifier,
    Blank,
    /// Punctuation, newlines, CJK: a boundary on both sides.
    Single,
}

impl Class {
    fn of(c: char) -> Class {
        match c {
            '\n' => Class::Single,
            c if c.is_whitespace() => Class::Blank,
            c if is_cjk(c) => Class::Single,
            c if is_ident_char(c) => Class::Identifier,
            _ => Class::Single,
        }
    }
}

/// Scripts that write words without spaces between them, and Hangul, whose syllables carry endings.
fn is_cjk(c: char) -> bool {
    matches!(u32::from(c),
        0x1100..=0x11ff | 0x2e80..=0x2fdf | 0x3005..=0x3007 | 0x3021..=0x3029 | 0x3031..=0x3035
        | 0x3040..=0x30ff | 0x3100..=0x318f | 0x31a0..=0x31ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff
        | 0xa960..=0xa97f | 0xac00..=0xd7ff | 0xf900..=0xfaff | 0xff66..=0xff9f
        | 0x1b000..=0x1b16f | 0x20000..=0x3ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Marks every boundary with a bar.
    fn check_boundaries(text: &str, expected: &str) {
        let set = boundaries(text);
        let mut marked = String::new();
        for i in 0..=text.len() {
            if set.contains(i) {
                marked.push('|');
            }
            if let Some(c) = text.get(i..).and_then(|rest| rest.chars().next()) {
                marked.push(c);
            }
        }
        assert_eq!(marked, expected);
    }

    #[test]
    fn excerpts_begin_and_end_where_the_class_changes() {
        check_boundaries("foo_1 = bar();", "|foo_1| |=| |bar|(|)|;|");
        check_boundaries("a\n  b\n\nc", "|a|\n|  |b|\n|\n|c|");
        check_boundaries("x\u{4e2d}\u{6587}y", "|x|\u{4e2d}|\u{6587}|y|");
        check_boundaries("e\u{301}te e\u{301}", "|e\u{301}te| |e\u{301}|");
        check_boundaries(
            "\u{1f468}\u{200d}\u{1f469}!\u{1f1e9}\u{1f1ea}\u{1f1eb}\u{1f1f7}",
            "|\u{1f468}\u{200d}\u{1f469}|!|\u{1f1e9}\u{1f1ea}|\u{1f1eb}\u{1f1f7}|",
        );
        check_boundaries("\r\nx", "|\r|\n|x|");
        check_boundaries("", "|");
    }
}
