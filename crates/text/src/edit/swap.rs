//! The one text that an edit replaces by another.

use super::replacement::Replacement;
use crate::text::boundary_offsets;
use crate::text::ident::is_ident_char;

/// A text that became another one. Both begin and end at a boundary, and have no newline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swap {
    /// At least two characters, of which one is of an identifier or a number.
    pub old: String,
    /// Not only whitespace.
    pub new: String,
}

impl Swap {
    /// What all replacements have in common: the tokens that differ, and nothing around them. `None`
    /// if they replace several texts, or only add or remove some.
    pub fn of(shown: &str, replacements: &[Replacement]) -> Option<Swap> {
        let mut swaps = replacements
            .iter()
            .map(|it| Swap::between(&shown[it.range.clone()], &it.new));
        let first = swaps.next()??;
        swaps
            .all(|swap| swap.as_ref() == Some(&first))
            .then_some(first)
    }

    fn between(old: &str, new: &str) -> Option<Swap> {
        let before = tokens(old);
        let after = tokens(new);
        let (old, new) = match the_same_swap(&before, &after) {
            Some((old, new)) if old.chars().count() > 1 => (old.to_owned(), new.to_owned()),
            _ => core(&before, &after),
        };

        let is_text = old.chars().count() > 1 && old.contains(is_ident_char);
        let is_in_line = !old.contains('\n') && !new.contains('\n');
        (is_text && is_in_line && !new.trim().is_empty()).then_some(Swap { old, new })
    }
}

fn tokens(text: &str) -> Vec<&str> {
    let offsets = boundary_offsets(text);
    offsets
        .windows(2)
        .map(|pair| &text[pair[0]..pair[1]])
        .collect()
}

/// The token that became another one, if it did so wherever something changed.
fn the_same_swap<'t>(before: &[&'t str], after: &[&'t str]) -> Option<(&'t str, &'t str)> {
    if before.len() != after.len() {
        return None;
    }
    let mut changed = before.iter().zip(after).filter(|(old, new)| old != new);
    let first = changed.next()?;
    changed
        .all(|pair| pair == first)
        .then_some((*first.0, *first.1))
}

/// Everything between the tokens that are the same at both ends. A number stays whole: of `1.4.2` and
/// `1.5.2` it is all.
fn core(before: &[&str], after: &[&str]) -> (String, String) {
    let pairs = before.iter().zip(after);
    let mut n_first = pairs.take_while(|(old, new)| old == new).count();
    let most = before.len().min(after.len()) - n_first;
    let pairs = before.iter().rev().zip(after.iter().rev());
    let mut n_last = pairs.take(most).take_while(|(old, new)| old == new).count();

    while n_first > 0 && is_of_number(before[n_first - 1]) {
        n_first -= 1;
    }
    while n_last > 0 && is_of_number(before[before.len() - n_last]) {
        n_last -= 1;
    }
    let old = before[n_first..before.len() - n_last].concat();
    let new = after[n_first..after.len() - n_last].concat();
    (old, new)
}

/// Whether a token can be a part of a number with points.
fn is_of_number(token: &str) -> bool {
    token == "." || token.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: &str, new: &str, expected: Option<(&str, &str)>) {
        let replacement = Replacement {
            range: 0..old.len(),
            new: new.to_owned(),
        };
        let swap = Swap::of(old, &[replacement]);
        let swap = swap.as_ref().map(|it| (it.old.as_str(), it.new.as_str()));
        assert_eq!(swap, expected, "{old} -> {new}");
    }

    #[test]
    fn what_one_replacement_swaps() {
        check("chmod(p, 0666)", "chmod(p, 0644)", Some(("0666", "0644")));
        check("f(10, 10)", "f(25, 25)", Some(("10", "25")));
        check(
            "\"bad input\"",
            "\"empty number\"",
            Some(("bad input", "empty number")),
        );
        check(
            "http://a.org/v1",
            "https://a.org/v2",
            Some(("http://a.org/v1", "https://a.org/v2")),
        );
        check("v = \"1.4.2\"", "v = \"1.5.2\"", Some(("1.4.2", "1.5.2")));
        check("a 1.4.2 b", "a 1.5.0 b", Some(("1.4.2", "1.5.0")));
    }

    #[test]
    fn what_is_no_swap() {
        check("f(a)", "f(a, b)", None);
        check("f(a, b)", "f(a)", None);
        check("x", "y", None);
        check("a == b", "a != b", None);
        check("one\ntwo", "three\nfour", None);
        check("pass", "\n", None);
    }

    #[test]
    fn several_replacements_swap_the_same() {
        let text = "10 20 10\n";
        let at = |start: usize, new: &str| Replacement {
            range: start..start + 2,
            new: new.to_owned(),
        };
        let both = Swap::of(text, &[at(0, "11"), at(6, "11")]);
        assert_eq!(both.map(|it| it.old), Some("10".to_owned()));
        assert_eq!(Swap::of(text, &[at(0, "11"), at(3, "11")]), None);
        assert_eq!(Swap::of(text, &[]), None);
    }
}
