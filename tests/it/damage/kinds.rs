//! The ways in which models damage an edit without meaning another.

use super::meant::Meant;
use super::{indent_of, is_text};
use crate::support::random::Random;
use std::collections::BTreeMap;

/// Harmless, but not always to be healed: what becomes of the line is not always clear. Wrong it
/// must never be.
pub const LEFT_OUT: [&str; 4] = [
    "an unchanged line left out",
    "an unchanged line left out of the searched text",
    "comments left out",
    "comments left out of the searched text",
];

pub const HARMLESS: [&str; 31] = [
    "none",
    "trailing blanks dropped",
    "trailing blanks dropped from the searched text",
    "trailing blanks added",
    "CRLF",
    "CRLF in the searched text",
    "indented less",
    "indented more",
    "indented a step more",
    "tabs for blanks",
    "tabs for two blanks",
    "blanks for tabs",
    "tabs inside lines",
    "one blank inside lines",
    "keyboard for typographic",
    "typographic for keyboard",
    "blank lines dropped",
    "blank lines dropped from the searched text",
    "blank line added",
    "first line not indented",
    "line numbers",
    "backslash escapes",
    "HTML entities",
    "other quotes",
    "lines elided",
    "several at once",
    "a comma or semicolon dropped",
    LEFT_OUT[0],
    LEFT_OUT[1],
    LEFT_OUT[2],
    LEFT_OUT[3],
];

/// Kinds that may come together, the first before the second.
const FIRST: [&str; 10] = [
    "indented less",
    "indented more",
    "indented a step more",
    "tabs for blanks",
    "tabs for two blanks",
    "tabs inside lines",
    "blank lines dropped",
    "blank lines dropped from the searched text",
    "first line not indented",
    "none",
];
const SECOND: [&str; 6] = [
    "trailing blanks dropped",
    "trailing blanks added",
    "typographic for keyboard",
    "keyboard for typographic",
    "one blank inside lines",
    "a comma or semicolon dropped",
];

const LAST: [&str; 2] = ["CRLF", "none"];

/// The damaged searched and new text, as a model damages them. None where the damage changes
/// nothing.
pub fn damaged(
    random: &mut Random,
    kind: &str,
    meant: &Meant,
) -> Option<(Vec<String>, Vec<String>)> {
    let (old, new) = (&meant.old, &meant.new);
    let all = |lines: &[String], f: &dyn Fn(&str) -> String| {
        lines.iter().map(|line| f(line)).collect::<Vec<_>>()
    };
    let each = |f: &dyn Fn(&str) -> String| (all(old, f), all(new, f));
    let without_blank =
        |lines: &[String]| lines.iter().filter(is_text).cloned().collect::<Vec<_>>();
    let shifted = |by: &str| {
        each(&|line| {
            if line.trim().is_empty() {
                line.to_owned()
            } else {
                format!("{by}{line}")
            }
        })
    };
    // None where two indentations of the file become one, or a file mixes tabs and spaces: then
    // nothing says what a tab is.
    let indent_in = |from: &str, to: &str| {
        let begins_with = |c: char| old.iter().chain(new).any(|line| line.starts_with(c));
        if begins_with(' ') && begins_with('\t') {
            return None;
        }
        let mut spelled: BTreeMap<String, &str> = BTreeMap::new();
        for line in old.iter().chain(new) {
            let indent = &line[..indent_of(line)];
            if *spelled.entry(indent.replace(from, to)).or_insert(indent) != indent {
                return None;
            }
        }
        Some(each(&|line| {
            let indent = indent_of(line);
            line[..indent].replace(from, to) + &line[indent..]
        }))
    };
    let result = match kind {
        "none" => return Some((old.clone(), new.clone())),
        "trailing blanks dropped" => each(&|line| line.trim_end().to_owned()),
        "trailing blanks dropped from the searched text" => {
            (all(old, &|line| line.trim_end().to_owned()), new.clone())
        }
        "trailing blanks added" => {
            let mut old = old.clone();
            let i = random.below(old.len());
            // Of two equal lines, the new text's would not be told apart.
            if old.iter().filter(|line| **line == old[i]).count() > 1 {
                return None;
            }
            // New lines have none; the others of both are the same.
            let damaged = format!("{}  ", old[i]);
            let new = new
                .iter()
                .map(|line| {
                    if *line == old[i] {
                        damaged.clone()
                    } else {
                        line.clone()
                    }
                })
                .collect();
            old[i] = damaged;
            (old, new)
        }
        "CRLF" => each(&|line| format!("{line}\r")),
        "CRLF in the searched text" => (all(old, &|line| format!("{line}\r")), new.clone()),
        "indented less" => {
            let lines = || old.iter().chain(new).filter(is_text);
            let shallowest = lines()
                .map(|line| &line[..indent_of(line)])
                .min_by_key(|i| i.len())?;
            if !lines().all(|line| line.starts_with(shallowest)) {
                return None;
            }
            each(&|line| line.strip_prefix(shallowest).unwrap_or("").to_owned())
        }
        "indented more" => shifted("        "),
        "indented a step more" => shifted([" ", "  ", "    ", "\t"][random.below(4)]),
        "tabs for blanks" => indent_in("    ", "\t")?,
        "tabs for two blanks" => indent_in("  ", "\t")?,
        "blanks for tabs" => indent_in("\t", ["    ", "  "][random.below(2)])?,
        "tabs inside lines" => each(&|line| {
            let indent = indent_of(line);
            line[..indent].to_owned() + &line[indent..].replace("    ", "\t")
        }),
        "one blank inside lines" => each(&|line| {
            let (indent, text) = line.split_at(indent_of(line));
            let words: Vec<&str> = text
                .split([' ', '\t'])
                .filter(|word| !word.is_empty())
                .collect();
            indent.to_owned() + &words.join(" ")
        }),
        "keyboard for typographic" => each(&|line| {
            line.replace(['\u{201c}', '\u{201d}'], "\"")
                .replace('\u{2019}', "'")
                .replace('\u{2013}', "-")
                .replace('\u{a0}', " ")
        }),
        "typographic for keyboard" => each(&|line| {
            line.replace(" \"", " \u{201c}")
                .replace('"', "\u{201d}")
                .replace('\'', "\u{2019}")
        }),
        "blank lines dropped" => (without_blank(old), without_blank(new)),
        "blank lines dropped from the searched text" => (without_blank(old), new.clone()),
        "blank line added" => {
            if old.len() < 2 || new.len() < 2 || old[0] != new[0] {
                return None;
            }
            let add = |lines: &[String]| [&lines[..1], &[String::new()], &lines[1..]].concat();
            (add(old), add(new))
        }
        "first line not indented" => {
            if old.len() < 2 || old[0] != *new.first()? {
                return None;
            }
            let strip = |lines: &[String]| {
                let mut lines = lines.to_vec();
                lines[0] = lines[0].trim_start().to_owned();
                lines
            };
            (strip(old), strip(new))
        }
        "line numbers" => {
            let number = |lines: &[String]| {
                let numbered = |(i, l)| format!("{} | {l}", meant.from + 1 + i);
                lines.iter().enumerate().map(numbered).collect::<Vec<_>>()
            };
            (number(old), number(new))
        }
        "backslash escapes" => each(&|line| line.replace('\\', "\\\\").replace('"', "\\\"")),
        "HTML entities" => each(&|line| {
            line.replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;")
                .replace('"', "&quot;")
        }),
        "other quotes" => {
            // Both are quotes only where a line has no other kind.
            let (from, to) = if random.below(2) == 0 {
                ('"', '\'')
            } else {
                ('\'', '"')
            };
            each(&|line| {
                if line.contains(to)
                    || line.contains(['\\', '`'])
                    || line.matches(from).count() % 2 == 1
                {
                    line.to_owned()
                } else {
                    line.replace(from, &to.to_string())
                }
            })
        }
        "lines elided" => elided(random, old, new)?,
        "several at once" => {
            let kinds: [&str; 3] = [&FIRST[..], &SECOND, &LAST].map(|of| random_of(random, of));
            let [first, second, last] = kinds;
            let (old, new) = damaged(random, first, meant)?;
            let meant = Meant {
                from: meant.from,
                old,
                new,
            };
            let (old, new) = damaged(random, second, &meant)?;
            let meant = Meant {
                from: meant.from,
                old,
                new,
            };
            damaged(random, last, &meant).unwrap_or((meant.old, meant.new))
        }
        "a comma or semicolon dropped" => {
            // Not of the last line: a text that ends before it is in the file as it is.
            let (last, before) = old.split_last()?;
            let is_once = |lines: &[String], line: &str| {
                lines
                    .iter()
                    .filter(|other| other.trim() == line.trim())
                    .count()
                    == 1
            };
            let stays = |line: &String| {
                line != last && new.contains(line) && is_once(old, line) && is_once(new, line)
            };
            let dropped = |line: &String| {
                if stays(line) && line.ends_with([',', ';']) && before.contains(line) {
                    line[..line.len() - 1].to_owned()
                } else {
                    line.clone()
                }
            };
            (
                old.iter().map(dropped).collect(),
                new.iter().map(dropped).collect(),
            )
        }
        kind if LEFT_OUT.contains(&kind) => left_out(random, kind, old, new)?,
        other => panic!("no such damage: {other}"),
    };
    (result.0 != *old && result.0.iter().any(|line| !line.trim().is_empty())).then_some(result)
}

fn random_of<'a>(random: &mut Random, kinds: &[&'a str]) -> &'a str {
    kinds[random.below(kinds.len())]
}

/// Both texts without a line that stays, or without the comments that stay; or only the searched
/// text.
fn left_out(
    random: &mut Random,
    kind: &str,
    old: &[String],
    new: &[String],
) -> Option<(Vec<String>, Vec<String>)> {
    // Beside an empty line at the edge a text is in the file as it is.
    if [old.first(), old.last()]
        .into_iter()
        .flatten()
        .any(|line| line.trim().is_empty())
    {
        return None;
    }
    let is_once =
        |lines: &[String], line: &String| lines.iter().filter(|other| *other == line).count() == 1;
    let stays = |line: &&String| is_text(line) && is_once(old, line) && is_once(new, line);
    let stays: Vec<&String> = old[1..old.len().max(2) - 1].iter().filter(stays).collect();
    let out: Vec<String> = if kind.starts_with("comments") {
        let is_comment = |line: &str| ["//", "#", "/*", "* "].iter().any(|c| line.starts_with(c));
        stays
            .into_iter()
            .filter(|line| is_comment(line.trim_start()))
            .cloned()
            .collect()
    } else {
        vec![(*stays.get(random.below(stays.len().max(1)))?).clone()]
    };
    let without = |lines: &[String]| {
        lines
            .iter()
            .filter(|line| !out.contains(line))
            .cloned()
            .collect::<Vec<_>>()
    };
    let in_both = !kind.ends_with("searched text");
    (!out.is_empty()).then(|| {
        (
            without(old),
            if in_both { without(new) } else { new.to_vec() },
        )
    })
}

/// Both texts with the middle of the lines that stay elided, before or after what changes.
fn elided(
    random: &mut Random,
    old: &[String],
    new: &[String],
) -> Option<(Vec<String>, Vec<String>)> {
    let marker = [
        "...",
        "// ...",
        "# ... existing code ...",
        "    // ... rest of code ...",
    ];
    let marker = vec![random_of(random, &marker).to_owned()];
    let n_before = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let n_after = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let cut = |lines: &[String]| match n_before >= 3 {
        true => [&lines[..1], &marker, &lines[n_before - 1..]].concat(),
        false => [
            &lines[..lines.len() - n_after + 1],
            &marker,
            &lines[lines.len() - 1..],
        ]
        .concat(),
    };
    (n_before >= 3 || n_after >= 3).then(|| (cut(old), cut(new)))
}
