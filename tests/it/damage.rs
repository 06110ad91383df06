//! Edits whose searched text is not quite what the file has: harmless damage is healed, lies are
//! refused, and nothing is ever written that was not meant. Counts by kind are printed;
//! `SLOTWRIGHT_CASES` makes more of them, `SLOTWRIGHT_SEED` others. They depend on the sources that
//! are edited. To compare two versions, `SLOTWRIGHT_CORPUS` names the folder of one checkout.

use crate::support::random::Random;
use slotwright::edit::Replacement;
use slotwright::locate::Haystack;
use slotwright::locate::hunk::{Extent, Hunk};
use slotwright::locate::{Lookup, Rung, locate};
use slotwright::text::Text;
use slotwright::text::ident::is_ident_char;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Sources to edit: our own, in several languages.
fn corpus() -> Vec<Vec<String>> {
    let root = std::env::var_os("SLOTWRIGHT_CORPUS")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    let mut files = Vec::new();
    let mut folders = vec![root.join("src"), root.join("tests"), root.join("benches")];
    while let Some(folder) = folders.pop() {
        let mut paths: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs" || e == "py") {
                files.push(path);
            }
        }
    }
    files.extend(["x", "README.md", "Cargo.toml"].map(|name| root.join(name)));
    let lines = |path| {
        std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    files.into_iter().map(lines).filter(|lines: &Vec<String>| lines.len() > 30).collect()
}

/// A stretch of a source in some style.
fn file(random: &mut Random, corpus: &[Vec<String>]) -> Vec<String> {
    let source = random.pick(corpus);
    let n = (20 + random.below(300)).min(source.len());
    let from = random.below(source.len() - n + 1);
    let tabs = random.below(4) == 0;
    let halved = random.below(4) == 0;
    let mut lines: Vec<String> = source[from..from + n]
        .iter()
        .map(|line| {
            let rest = line.trim_start_matches(' ');
            let indent = line.len() - rest.len();
            match (tabs, halved) {
                (true, _) if indent % 4 == 0 => "\t".repeat(indent / 4) + rest,
                (false, true) if indent % 4 == 0 => " ".repeat(indent / 2) + rest,
                _ => line.clone(),
            }
        })
        .collect();
    for line in &mut lines {
        match random.below(30) {
            0 if !line.is_empty() => line.push_str(["  ", " ", "\t"][random.below(3)]),
            1 => {
                *line = line
                    .replace(" \"", " \u{201c}")
                    .replace('"', "\u{201d}")
                    .replace('\'', "\u{2019}")
                    .replace(" - ", " \u{2013} ");
            }
            2 => *line = line.replacen(' ', "\u{a0}", usize::from(!line.starts_with(' '))),
            _ => {}
        }
    }
    lines
}

/// A stretch of lines and what it becomes.
struct Meant {
    from: usize,
    old: Vec<String>,
    new: Vec<String>,
}

fn meant(random: &mut Random, lines: &[String]) -> Meant {
    let n = 1 + random.below(8).min(lines.len() - 1);
    let from = random.below(lines.len() - n + 1);
    let old: Vec<String> = lines[from..from + n].to_vec();
    let mut new: Vec<String> = Vec::new();
    let changed = random.below(n);
    let depth =
        |line: &str| line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect::<String>();
    let around =
        old.iter().find(|line| !line.trim().is_empty()).map(|line| depth(line)).unwrap_or_default();
    for (i, line) in old.iter().enumerate() {
        if i != changed {
            new.push(line.clone());
            continue;
        }
        let text = line.trim_end();
        match random.below(4) {
            0 if n > 1 => {}
            1 => {
                new.push(text.to_owned());
                new.push(format!(
                    "{}added_{}();",
                    if text.is_empty() { around.clone() } else { depth(text) },
                    random.below(1000)
                ));
            }
            2 => {
                new.push(format!(
                    "{}# above {}",
                    if text.is_empty() { around.clone() } else { depth(text) },
                    random.below(1000)
                ));
                new.push(line.clone());
            }
            _ if text.is_empty() => new.push(format!("{around}more")),
            _ => new.push(changed_word(random, text).unwrap_or_else(|| format!("{text} more"))),
        }
    }
    if new == old {
        new.push("at_the_end();".to_owned());
    }
    Meant { from, old, new }
}

/// The line with one of its words (names, numbers) exchanged.
fn changed_word(random: &mut Random, line: &str) -> Option<String> {
    let mut words = Vec::new();
    let mut start = None;
    for (i, c) in line.char_indices().chain([(line.len(), ' ')]) {
        match start {
            None if is_ident_char(c) => start = Some(i),
            Some(from) if !is_ident_char(c) => {
                words.push(from..i);
                start = None;
            }
            _ => {}
        }
    }
    if words.is_empty() {
        return None;
    }
    let range = random.pick(&words).clone();
    let new = match line[range.clone()].parse::<u64>() {
        Ok(number) => number.wrapping_add(1 + random.below(9) as u64).to_string(),
        Err(_) => format!("{}_other", &line[range.clone()]),
    };
    Some(format!("{}{new}{}", &line[..range.start], &line[range.end..]))
}

/// Harmless, but not always to be healed: what becomes of the line is not always clear. Wrong it
/// must never be.
const LEFT_OUT: &str = "an unchanged line left out";

const HARMLESS: [&str; 19] = [
    "none",
    "trailing blanks dropped",
    "trailing blanks added",
    "CRLF",
    "indented less",
    "indented more",
    "tabs for blanks",
    "blanks for tabs",
    "keyboard for typographic",
    "typographic for keyboard",
    "blank lines dropped",
    "blank line added",
    "first line not indented",
    "line numbers",
    "backslash escapes",
    "HTML entities",
    "several at once",
    "a comma or semicolon dropped",
    LEFT_OUT,
];

/// The same damage to both texts, as a model does it. None where the damage changes nothing.
fn damaged(random: &mut Random, kind: &str, meant: &Meant) -> Option<(Vec<String>, Vec<String>)> {
    let (old, new) = (&meant.old, &meant.new);
    let each = |f: &dyn Fn(&str) -> String| {
        (old.iter().map(|l| f(l)).collect::<Vec<_>>(), new.iter().map(|l| f(l)).collect::<Vec<_>>())
    };
    let is_text = |line: &&String| !line.trim().is_empty();
    let indent_of = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let result = match kind {
        "none" => return Some((old.clone(), new.clone())),
        "trailing blanks dropped" => each(&|line| line.trim_end().to_owned()),
        "trailing blanks added" => {
            let mut old = old.clone();
            let i = random.below(old.len());
            // New lines have none; the others of both are the same.
            let damaged = format!("{}  ", old[i]);
            let new = new
                .iter()
                .map(|line| if *line == old[i] { damaged.clone() } else { line.clone() })
                .collect();
            old[i] = damaged;
            (old, new)
        }
        "CRLF" => each(&|line| format!("{line}\r")),
        "indented less" => {
            let shallowest =
                old.iter().chain(new).filter(is_text).map(|line| indent_of(line)).min()?;
            each(&|line| line.get(shallowest..).unwrap_or("").to_owned())
        }
        "indented more" => each(&|line| {
            if line.trim().is_empty() { line.to_owned() } else { format!("        {line}") }
        }),
        "tabs for blanks" => each(&|line| {
            let indent = indent_of(line);
            if line[..indent].contains('\t') || indent % 4 != 0 {
                line.to_owned()
            } else {
                "\t".repeat(indent / 4) + &line[indent..]
            }
        }),
        "blanks for tabs" => each(&|line| {
            let indent = indent_of(line);
            line[..indent].replace('\t', "    ") + &line[indent..]
        }),
        "keyboard for typographic" => each(&|line| {
            line.replace(['\u{201c}', '\u{201d}'], "\"")
                .replace('\u{2019}', "'")
                .replace('\u{2013}', "-")
                .replace('\u{a0}', " ")
        }),
        "typographic for keyboard" => each(&|line| {
            line.replace(" \"", " \u{201c}").replace('"', "\u{201d}").replace('\'', "\u{2019}")
        }),
        "blank lines dropped" => {
            let without =
                |lines: &[String]| lines.iter().filter(is_text).cloned().collect::<Vec<_>>();
            (without(old), without(new))
        }
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
                lines
                    .iter()
                    .enumerate()
                    .map(|(i, l)| format!("{} | {l}", meant.from + 1 + i))
                    .collect::<Vec<_>>()
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
        "several at once" => {
            let (old, new) = {
                let first = random_of(
                    random,
                    &["indented less", "indented more", "tabs for blanks", "none"],
                );
                damaged(random, first, meant)?
            };
            let meant = Meant { from: meant.from, old, new };
            let (old, new) = {
                let second = random_of(
                    random,
                    &["CRLF", "trailing blanks dropped", "trailing blanks added"],
                );
                damaged(random, second, &meant)?
            };
            let meant = Meant { from: meant.from, old, new };
            let last = random_of(
                random,
                &["typographic for keyboard", "keyboard for typographic", "none"],
            );
            damaged(random, last, &meant).unwrap_or((meant.old, meant.new))
        }
        "a comma or semicolon dropped" => {
            // Not of the last line: a text that ends before it is in the file as it is.
            let (last, before) = old.split_last()?;
            let stays =
                |line: &String| line != last && new.contains(line) && line.ends_with([',', ';']);
            let dropped = |line: &String| {
                if stays(line) && before.contains(line) {
                    line[..line.len() - 1].to_owned()
                } else {
                    line.clone()
                }
            };
            (old.iter().map(dropped).collect(), new.iter().map(dropped).collect())
        }
        LEFT_OUT => {
            let is_once = |lines: &[String], line: &String| {
                lines.iter().filter(|other| *other == line).count() == 1
            };
            let stays = |line: &&String| is_text(line) && is_once(old, line) && is_once(new, line);
            let stays: Vec<&String> = old[1..old.len().max(2) - 1].iter().filter(stays).collect();
            let out = (*stays.get(random.below(stays.len().max(1)))?).clone();
            let without = |lines: &[String]| {
                lines.iter().filter(|line| **line != out).cloned().collect::<Vec<_>>()
            };
            // Beside an empty line at the edge a text is in the file as it is.
            if [old.first(), old.last()].into_iter().flatten().any(|line| line.trim().is_empty()) {
                return None;
            }
            (without(old), without(new))
        }
        other => panic!("no such damage: {other}"),
    };
    (result.0 != *old && result.0.iter().any(|line| !line.trim().is_empty())).then_some(result)
}

fn random_of<'a>(random: &mut Random, kinds: &[&'a str]) -> &'a str {
    kinds[random.below(kinds.len())]
}

const LIES: [&str; 4] =
    ["a word changed", "a line invented", "a line invented inside", "a sign changed"];

fn lie(random: &mut Random, kind: &str, meant: &Meant) -> Option<Vec<String>> {
    let mut old = meant.old.clone();
    let i = random.below(old.len());
    match kind {
        "a word changed" => old[i] = changed_word(random, &old[i])?,
        "a line invented" => old.push("    invented_call(42);".to_owned()),
        "a line invented inside" => old.insert(i, "// nobody wrote this line".to_owned()),
        "a sign changed" => {
            let signs =
                [("==", "!="), (" + ", " - "), ("&&", "||"), ("<", ">"), ("(", "["), (".", "->")];
            let (from, to) = signs.iter().find(|(from, _)| old[i].contains(from))?;
            old[i] = old[i].replacen(from, to, 1);
        }
        other => panic!("no such lie: {other}"),
    }
    Some(old)
}

fn hunk(extent: Extent, old: &[String], new: &[String]) -> Hunk {
    match extent {
        Extent::Text => Hunk::of_text(&old.join("\n"), &new.join("\n")),
        Extent::Lines => {
            let (old, new): (Vec<&str>, Vec<&str>) = (
                old.iter().map(String::as_str).collect(),
                new.iter().map(String::as_str).collect(),
            );
            Hunk::of_lines(&old, &new)
        }
    }
}

/// As they are compared: nothing but blanks at the ends of lines may differ.
fn plain(text: &str) -> Vec<&str> {
    text.lines().map(|line| line.trim_end_matches([' ', '\t', '\r'])).collect()
}

fn applied(text: &Text, replacements: &[Replacement]) -> String {
    let bytes = text
        .splice(replacements.iter().map(|r| (r.range.clone(), r.new.as_str())))
        .expect("it is UTF-8");
    String::from_utf8(bytes).unwrap()
}

/// How often it stands there, blanks and blank lines and typography set aside.
/// The lines that are not blank, without the differences that are healed first.
fn squeezed(lines: &[String]) -> Vec<String> {
    let squeeze = |line: &String| {
        let plain = line
            .replace(['\u{201c}', '\u{201d}'], "\"")
            .replace('\u{2019}', "'")
            .replace('\u{2013}', "-")
            .replace('\u{a0}', " ");
        plain.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    lines.iter().map(squeeze).filter(|line| !line.is_empty()).collect()
}

/// Whether the file has these lines with one more between them: then they are no lie, but leave a
/// line out. A number that is changed to that of the line above makes such a text.
fn is_there_but_for_a_line(lines: &[String], old: &[String]) -> bool {
    let (lines, old) = (squeezed(lines), squeezed(old));
    lines.windows(old.len() + 1).any(|window| {
        (1..old.len()).any(|i| window[..i] == old[..i] && window[i + 1..] == old[i..])
    })
}

fn n_places(lines: &[String], old: &[String]) -> usize {
    let (lines, old) = (squeezed(lines), squeezed(old));
    if old.is_empty() {
        return usize::MAX;
    }
    lines.windows(old.len()).filter(|window| *window == old).count()
}

/// Whether it stands, as it is, anywhere but in the lines from `from` to the end of `lines`.
fn occurs_elsewhere(shown: &str, old: &str, lines: &[String], from: usize) -> bool {
    let offset = |n: usize| lines[..n].iter().map(|line| line.len() + 1).sum::<usize>();
    let meant = offset(from)..offset(lines.len());
    shown.match_indices(old).any(|(at, _)| !meant.contains(&at))
}

#[derive(Default, Clone, Copy)]
struct Tally {
    cases: usize,
    right: usize,
    refused: usize,
    wrong: usize,
}

#[test]
fn damage_is_healed_and_lies_are_refused() {
    let n_cases: usize =
        std::env::var("SLOTWRIGHT_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(2_000);
    let shown = std::env::var("SLOTWRIGHT_SHOW").ok();
    let corpus = corpus();
    let seed =
        std::env::var("SLOTWRIGHT_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(4);
    let random = &mut Random(seed);
    let mut harmless: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut lies: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut ambiguous = Tally::default();
    let mut rungs: BTreeMap<Rung, usize> = BTreeMap::new();
    let mut n = 0;
    while n < n_cases {
        let lines = file(random, &corpus);
        let meant = meant(random, &lines);
        let ending = if random.below(5) == 0 { "\r\n" } else { "\n" };
        let bytes: String = lines.iter().flat_map(|line| [line.as_str(), ending]).collect();
        let text = Text::decode(bytes.clone().into_bytes()).unwrap();
        let haystack = Haystack::new("a.txt", &text);
        let extent = if random.below(2) == 0 { Extent::Text } else { Extent::Lines };
        let expected = [&lines[..meant.from], &meant.new, &lines[meant.from + meant.old.len()..]]
            .concat()
            .join("\n")
            + "\n";
        let is_lie = random.below(4) == 0;
        let show = |what: &str, old: &[String], new: &[String], got: &str| {
            if shown.as_deref().is_some_and(|s| what.contains(s)) {
                println!(
                    "--- {what} {extent:?}\nOLD\n{}\nNEW\n{}\nMEANT\n{}\n=>\n{}\nGOT {got}\n",
                    old.join("\n"),
                    new.join("\n"),
                    meant.old.join("\n"),
                    meant.new.join("\n")
                );
            }
        };
        let places = n_places(&lines, &meant.old);
        if places > 1 {
            if places == usize::MAX {
                continue;
            }
            n += 1;
            ambiguous.cases += 1;
            match locate(&haystack, &hunk(extent, &meant.old, &meant.new)) {
                Ok(Lookup::Here(located))
                    if plain(&applied(&text, &located.replacements)) != plain(&expected) =>
                {
                    ambiguous.wrong += 1;
                    show("ambiguous wrong", &meant.old, &meant.new, &format!("{located:?}"));
                }
                Ok(_) => ambiguous.right += 1,
                Err(_) => ambiguous.refused += 1,
            }
            continue;
        }
        if is_lie {
            let kind = *random.pick(&LIES);
            let Some(old) = lie(random, kind, &meant) else { continue };
            if n_places(&lines, &old) > 0
                || is_there_but_for_a_line(&lines, &old)
                || n_places(&lines, &meant.new) > 0
            {
                continue; // it is true of another place, or what it asks for is there
            }
            n += 1;
            let tally = lies.entry(kind).or_default();
            tally.cases += 1;
            match locate(&haystack, &hunk(extent, &old, &meant.new)) {
                Err(_) => tally.refused += 1,
                found => {
                    tally.wrong += 1;
                    show(&format!("lie {kind}"), &old, &meant.new, &format!("{found:?}"));
                }
            }
            continue;
        }
        let kind = *random.pick(&HARMLESS);
        let Some((old, new)) = damaged(random, kind, &meant) else { continue };
        // An edit of blank lines alone is gone with them.
        let n_blank = |lines: &[String]| lines.iter().filter(|line| line.trim().is_empty()).count();
        let at_edge = [meant.old.first(), meant.old.last()]
            .into_iter()
            .flatten()
            .any(|line| line.trim().is_empty());
        // A text that stands elsewhere is no damaged text, but an edit of that place.
        let occurs = kind != "none"
            && occurs_elsewhere(
                text.shown(),
                &old.join("\n"),
                &lines[..meant.from + meant.old.len()],
                meant.from,
            );
        let without_it = || n_places(&lines, &old) > 0 || text.shown().contains(&old.join("\n"));
        let is_elsewhere = occurs || (kind == LEFT_OUT && without_it());
        if is_elsewhere {
            continue;
        }
        if old == new
            || (kind.starts_with("blank line")
                && (at_edge || n_blank(&meant.old) != n_blank(&meant.new)))
        {
            continue;
        }
        n += 1;
        let tally = harmless.entry(kind).or_default();
        tally.cases += 1;
        match locate(&haystack, &hunk(extent, &old, &new)) {
            Ok(Lookup::Here(located)) => {
                *rungs.entry(located.rung).or_default() += 1;
                let got = applied(&text, &located.replacements);
                let keeps_endings = got.matches("\r\n").count()
                    == if ending == "\n" { 0 } else { got.matches('\n').count() };
                if plain(&got) == plain(&expected) && keeps_endings {
                    tally.right += 1;
                } else {
                    tally.wrong += 1;
                    show(&format!("wrong {kind}"), &old, &new, &format!("{located:?}"));
                }
            }
            Ok(Lookup::AlreadyThere(_)) if plain(&bytes) == plain(&expected) => tally.right += 1,
            other => {
                tally.refused += 1;
                show(&format!("refused {kind}"), &old, &new, &format!("{other:?}"));
            }
        }
    }
    let print = |name: &str, t: &Tally| {
        println!(
            "{name:28} {:6} cases {:6} right {:6} refused {:6} wrong",
            t.cases, t.right, t.refused, t.wrong
        );
    };
    harmless.iter().for_each(|(name, tally)| print(name, tally));
    lies.iter().for_each(|(name, tally)| print(&format!("lie: {name}"), tally));
    print("ambiguous", &ambiguous);
    println!("rungs: {rungs:?}");
    let sum = |f: fn(&Tally) -> usize| {
        harmless
            .iter()
            .filter(|(kind, _)| **kind != LEFT_OUT)
            .map(|(_, tally)| f(tally))
            .sum::<usize>()
    };
    let healed = sum(|t| t.right) as f64 / sum(|t| t.cases) as f64;
    println!("healed {:.1} % of {} damaged edits", 100.0 * healed, sum(|t| t.cases));
    assert_eq!(
        harmless.values().map(|t| t.wrong).sum::<usize>(),
        0,
        "something was written that was not meant"
    );
    assert_eq!(lies.values().map(|t| t.wrong).sum::<usize>(), 0, "a lie was believed");
    assert_eq!(ambiguous.wrong, 0, "a place was guessed");
    assert!(healed >= 0.95, "less than 95 % of the harmless damage is healed");
}
