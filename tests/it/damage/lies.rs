//! Searched texts that are not true of the file. They must be refused.

use super::meant::{Meant, changed_word};
use crate::support::random::Random;

pub const LIES: [&str; 9] = [
    "a word changed",
    "a line invented",
    "a line invented inside",
    "a sign changed",
    "a line of elsewhere inside",
    "two lines swapped",
    "a number changed",
    "letters in another case",
    "a text in quotes changed",
];

/// The searched text with the lie in it, and the number of the line that is one.
pub fn lie(
    random: &mut Random,
    kind: &str,
    lines: &[String],
    meant: &Meant,
) -> Option<(Vec<String>, usize)> {
    let mut old = meant.old.clone();
    let mut i = random.below(old.len());
    match kind {
        "a word changed" => old[i] = changed_word(random, &old[i])?,
        "a line invented" => {
            old.push("    invented_call(42);".to_owned());
            i = old.len() - 1;
        }
        "a line invented inside" => old.insert(i, "// nobody wrote this line".to_owned()),
        "a line of elsewhere inside" => {
            let other = random.pick(lines).clone();
            if other.trim().len() < 4 {
                return None;
            }
            old.insert(i, other);
        }
        "two lines swapped" => {
            if i + 1 == old.len() || old[i].trim().is_empty() || old[i + 1].trim().is_empty() {
                return None;
            }
            old.swap(i, i + 1);
        }
        "a sign changed" => {
            let signs = [
                ("==", "!="),
                (" + ", " - "),
                ("&&", "||"),
                ("<", ">"),
                ("(", "["),
                (".", "->"),
            ];
            let (from, to) = signs.iter().find(|(from, _)| old[i].contains(from))?;
            old[i] = old[i].replacen(from, to, 1);
        }
        "a number changed" => {
            let at = old[i].find(|c: char| c.is_ascii_digit())?;
            let digit = old[i].as_bytes()[at] - b'0';
            let other = (digit + 1 + random.below(9) as u8) % 10;
            old[i].replace_range(at..=at, &other.to_string());
        }
        "letters in another case" => {
            let at = old[i].find(|c: char| c.is_ascii_alphabetic())?;
            let c = old[i].as_bytes()[at] as char;
            let other = if c.is_uppercase() {
                c.to_ascii_lowercase()
            } else {
                c.to_ascii_uppercase()
            };
            old[i].replace_range(at..=at, &other.to_string());
        }
        "a text in quotes changed" => {
            // Elsewhere it is not clear what is in quotes.
            if old[i].matches('"').count() != 2 || old[i].contains(['\'', '`', '\\']) {
                return None;
            }
            let open = old[i].find('"')?;
            let end = open + 1 + old[i][open + 1..].find('"')?;
            let text = &old[i][open + 1..end];
            let other = match random.below(3) {
                0 => format!("{text} "),
                1 => format!("{text}."),
                _ => text.replacen(' ', "  ", 1),
            };
            old[i].replace_range(open + 1..end, &other);
        }
        other => panic!("no such lie: {other}"),
    }
    (old != meant.old).then_some((old, i))
}
