//! Text of files and models where a person reads it: nothing in it moves a cursor, hides, or turns
//! the reading direction.

use std::borrow::Cow;

/// `\x1b` becomes `^[`, and what changes the direction or the look of text its number.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    let harmful = |c: char| {
        let invisible = matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}');
        (c.is_control() && c != '\t')
            || invisible
            || matches!(c, '\u{feff}' | '\u{e0000}'..='\u{e007f}')
    };
    if !text.contains(harmful) {
        return Cow::Borrowed(text);
    }
    let spell = |c: char| match c {
        c if !harmful(c) => c.to_string(),
        '\0'..='\x1f' => format!("^{}", char::from(c as u8 + b'@')),
        c => format!("<U+{:04X}>", u32::from(c)),
    };
    Cow::Owned(text.chars().map(spell).collect())
}
