//! Words and names in code: which characters form them, and where whole words occur.

/// Whether a character can be part of an identifier, in any script.
pub fn is_ident_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether `text` is an identifier as most languages spell one.
pub fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_') && text.chars().all(is_ident_char)
}

/// Whether `text` is an identifier, or one with the sign before it that marks variables in PHP, Perl and
/// shells.
pub fn is_name(text: &str) -> bool {
    is_identifier(text.strip_prefix('$').unwrap_or(text))
}

/// Whether a text contains a word that is not part of a longer identifier.
pub fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        !text[..at].ends_with(is_ident_char) && !text[at + word.len()..].starts_with(is_ident_char)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_as_a_whole() {
        for (text, word, expected) in [
            ("load(path)", "path", true),
            ("load_path", "path", false),
            ("paths path", "path", true),
            ("éa", "a", false),
            ("", "a", false),
        ] {
            assert_eq!(has_word(text, word), expected, "{text}");
        }
    }

    #[test]
    fn identifiers() {
        assert!(
            ["a", "_1", "größe", "max_rows"]
                .into_iter()
                .all(is_identifier)
        );
        assert!(
            !["", "1a", "a b", "a.b", "$a"]
                .into_iter()
                .any(is_identifier)
        );
        assert!(["a", "$_1", "$größe"].into_iter().all(is_name));
        assert!(
            !["", "$", "$1", "$$a", "@a", "#fff"]
                .into_iter()
                .any(is_name)
        );
    }
}
