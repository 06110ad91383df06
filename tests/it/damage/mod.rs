//! Edits whose searched text is not quite what the file has: harmless damage is healed, lies are
//! refused, and nothing is ever written that was not meant. Counts by kind are printed;
//! `SLOTWRIGHT_CASES` makes more of them, `SLOTWRIGHT_SEED` others, and `SLOTWRIGHT_SHOW` prints
//! those whose result has the word. They depend on the sources that are edited:
//! `SLOTWRIGHT_CORPUS` names another folder, in which each language comes as often as the others.

mod answers;
mod corpus;
mod kinds;
mod lies;
mod meant;

use crate::support::random::Random;
use corpus::Corpus;
use kinds::{HARMLESS, LEFT_OUT, damaged};
use lies::{LIES, lie};
use meant::Meant;
use slotwright::apply::{self, EditResult, InMemory};
use slotwright::format::{Action, FileEdit, Format, Patch};
use slotwright::hunk::{Extent, Hunk};
use slotwright::locate::Rung;
use std::collections::BTreeMap;

fn is_text(line: &&String) -> bool {
    !line.trim().is_empty()
}

/// How many bytes of spaces and tabs a line begins with.
fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
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

/// What came of an edit.
enum Came {
    /// The file's text afterwards, and the rung.
    Written(String, Rung),
    Already,
    Refused(String),
}

fn came_of(bytes: &str, hunk: Hunk) -> Came {
    let path = "a.txt".to_owned();
    let files = InMemory::from_iter([(path.clone(), bytes.as_bytes())]);
    let file_edit = FileEdit {
        path: Some(path),
        line: 1,
        action: Action::Edit(hunk),
    };
    let patch = Patch::of(Format::SearchReplace, vec![file_edit]);
    let plan = apply::apply(&patch, None, &files);
    match &plan.outcomes[0].result {
        EditResult::Applies(applied) => {
            let after = plan.files[0].after.clone().expect("nothing deletes it");
            let text = String::from_utf8(after).expect("it was UTF-8");
            Came::Written(text, applied.rung.expect("it was searched"))
        }
        EditResult::AlreadyApplied { .. } => Came::Already,
        EditResult::Failed(failed) => Came::Refused(format!("{failed:?}")),
    }
}

/// As they are compared: nothing but whitespace at the ends of lines may differ.
fn plain(text: &str) -> Vec<&str> {
    text.lines()
        .map(|line| line.trim_end_matches([' ', '\t', '\r']))
        .collect()
}

/// A line as a keyboard spells it, without whitespace at its end.
fn keyboard(line: &str) -> String {
    line.replace(['\u{201c}', '\u{201d}'], "\"")
        .replace('\u{2019}', "'")
        .replace('\u{2013}', "-")
        .replace('\u{a0}', " ")
        .trim_end()
        .to_owned()
}

/// The lines that are not blank, without the differences that are healed first.
fn squeezed(lines: &[String]) -> Vec<String> {
    let squeeze = |line: &String| {
        keyboard(line)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    };
    lines
        .iter()
        .map(squeeze)
        .filter(|line| !line.is_empty())
        .collect()
}

/// Whether the file has these lines in order, with a few more between them: then they are no lie,
/// but leave lines out. A number that is changed to that of the line above makes such a text, and so
/// does a line of elsewhere that stands a few lines above.
fn is_there_but_for_lines(lines: &[String], old: &[String]) -> bool {
    let (lines, old) = (squeezed(lines), squeezed(old));
    let n_most = (old.len() + 1).max(old.len() + old.len() / 3);
    (0..lines.len()).any(|from| {
        let mut n_found = 0;
        for line in lines[from..].iter().take(n_most) {
            n_found += usize::from(old.get(n_found) == Some(line));
        }
        n_found == old.len()
    })
}

/// How often the lines occur, whitespace, blank lines and typography set aside.
fn n_places(lines: &[String], old: &[String]) -> usize {
    let (lines, old) = (squeezed(lines), squeezed(old));
    if old.is_empty() {
        return usize::MAX;
    }
    lines
        .windows(old.len())
        .filter(|window| *window == old)
        .count()
}

/// A tab in front of all lines may be a step more, or stand for the spaces of another place.
const ADDS_TABS: [&str; 2] = ["indented a step more", "several at once"];

fn n_blank(lines: &[String]) -> usize {
    lines.iter().filter(|line| !is_text(line)).count()
}

/// Whether the edit has nothing to do with blank lines: they are not at its edges, they stay, and no
/// line beside one goes while another comes. Otherwise the damaged edit means another one as well.
fn keeps_blank_lines(meant: &Meant) -> bool {
    let at_edge = [meant.old.first(), meant.old.last()];
    if at_edge.into_iter().flatten().any(|line| !is_text(&line)) {
        return false;
    }
    let paragraphs = |lines: &[String]| -> Vec<Vec<String>> {
        lines
            .split(|line| !is_text(&line))
            .map(<[String]>::to_vec)
            .collect()
    };
    let (old, new) = (paragraphs(&meant.old), paragraphs(&meant.new));
    let keeps_edges = |(old, new): (&Vec<String>, &Vec<String>)| {
        old.len() == new.len() || (old.first() == new.first() && old.last() == new.last())
    };
    old.len() == new.len() && (old.len() == 1 || old.iter().zip(&new).all(keeps_edges))
}

/// The lines without commas and semicolons at their ends.
fn but_for_commas(lines: &[String]) -> Vec<String> {
    lines
        .iter()
        .map(|line| line.trim_end().trim_end_matches([',', ';']).to_owned())
        .collect()
}

/// Whether the damage makes two lines the same. If only one of them goes, nothing says which.
fn makes_lines_equal(meant: &Meant, old: &[String]) -> bool {
    let of_line = |i: usize| meant.old[i].trim_end();
    let is_equal_to_above =
        |i: usize| (0..i).any(|above| old[above] == old[i] && of_line(above) != of_line(i));
    old.len() == meant.old.len() && (0..old.len()).any(is_equal_to_above)
}

/// Whether a text occurs as it is, or as lines with other whitespace.
fn occurs(lines: &[String], old: &[String]) -> bool {
    n_places(lines, old) > 0 || lines.join("\n").contains(&old.join("\n"))
}

/// Whether a searched text occurs anywhere but where it is meant: as it is, or with its own
/// indentation, and other spaces between words and other blank lines. Then it is no damaged text,
/// but an edit of that place. Nested brackets, indented less, occur one line below as well.
/// `tab` is how many spaces a tab of the text may be.
fn occurs_elsewhere(lines: &[String], meant: &Meant, old: &[String], tab: Option<usize>) -> bool {
    let line_of = |text: &str, at: usize| text[..at].matches('\n').count();
    let (all, text) = (lines.join("\n"), old.join("\n"));
    if all
        .match_indices(&text)
        .any(|(at, _)| line_of(&all, at) != meant.from)
    {
        return true;
    }
    let spaced_once = |indent: &str, text: &str| {
        indent.to_owned()
            + &keyboard(text)
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
    };
    let expanded = |line: &String| {
        let (indent, text) = line.split_at(indent_of(line));
        let tab = tab.map_or("\t".to_owned(), |tab| " ".repeat(tab));
        spaced_once(&indent.replace('\t', &tab), text)
    };
    let as_it_is = |i: &usize| {
        let (indent, text) = lines[*i].split_at(indent_of(&lines[*i]));
        spaced_once(indent, text)
    };
    let old: Vec<String> = old.iter().filter(is_text).map(expanded).collect();
    let here: Vec<usize> = (0..lines.len()).filter(|&i| is_text(&&lines[i])).collect();
    let there: Vec<String> = here.iter().map(as_it_is).collect();
    let meant_first = here.iter().find(|&&i| i >= meant.from);
    let mut windows = there.windows(old.len()).zip(&here);
    windows.any(|(window, first)| window == old && Some(first) != meant_first)
}

#[derive(Default, Clone, Copy)]
struct Tally {
    cases: usize,
    right: usize,
    refused: usize,
    wrong: usize,
}

/// The results by kind.
#[derive(Default)]
struct Tallies {
    harmless: BTreeMap<&'static str, Tally>,
    lies: BTreeMap<&'static str, Tally>,
    ambiguous: BTreeMap<&'static str, Tally>,
    rungs: BTreeMap<Rung, usize>,
}

fn from_environment(name: &str, otherwise: usize) -> usize {
    std::env::var(name)
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(otherwise)
}

#[test]
fn damage_is_healed_and_lies_are_refused() {
    let n_cases = from_environment("SLOTWRIGHT_CASES", 2_000);
    let random = &mut Random(from_environment("SLOTWRIGHT_SEED", 4) as u64);
    let corpus = Corpus::read();
    let mut tallies = Tallies::default();
    let mut n = 0;
    while n < n_cases {
        n += usize::from(is_tried(random, &corpus, &mut tallies));
    }
    let print = |name: &str, t: &Tally| {
        println!(
            "{name:50} {:6} cases {:6} right {:6} refused {:6} wrong",
            t.cases, t.right, t.refused, t.wrong
        );
    };
    tallies
        .harmless
        .iter()
        .for_each(|(name, tally)| print(name, tally));
    tallies
        .lies
        .iter()
        .for_each(|(name, tally)| print(&format!("lie: {name}"), tally));
    tallies
        .ambiguous
        .iter()
        .for_each(|(name, tally)| print(&format!("twice: {name}"), tally));
    println!("rungs: {:?}", tallies.rungs);
    let to_heal = || {
        tallies
            .harmless
            .iter()
            .filter(|(kind, _)| !LEFT_OUT.contains(kind))
    };
    let n_to_heal: usize = to_heal().map(|(_, tally)| tally.cases).sum();
    let n_healed: usize = to_heal().map(|(_, tally)| tally.right).sum();
    let healed = n_healed as f64 / n_to_heal as f64;
    println!(
        "healed {:.1} % of {n_to_heal} damaged edits",
        100.0 * healed
    );
    let n_wrong =
        |tallies: &BTreeMap<&str, Tally>| tallies.values().map(|t| t.wrong).sum::<usize>();
    assert_eq!(
        n_wrong(&tallies.harmless),
        0,
        "something was written that was not meant"
    );
    assert_eq!(n_wrong(&tallies.lies), 0, "a lie was believed");
    assert_eq!(n_wrong(&tallies.ambiguous), 0, "a place was guessed");
    assert!(
        healed >= 0.95,
        "less than 95 % of the harmless damage is healed"
    );
}

/// Tries one edit. False if the damage left nothing to try.
fn is_tried(random: &mut Random, corpus: &Corpus, tallies: &mut Tallies) -> bool {
    let mut lines = corpus.file(random);
    let mut meant = Meant::of(random, &lines);
    if random.below(8) == 0 {
        meant.add_twin(random, &mut lines);
    }
    let ending = if random.below(5) == 0 { "\r\n" } else { "\n" };
    let bytes: String = lines
        .iter()
        .flat_map(|line| [line.as_str(), ending])
        .collect();
    // A text that becomes nothing leaves its line behind.
    let is_text = random.below(2) == 0 && !meant.new.is_empty();
    let extent = if is_text { Extent::Text } else { Extent::Lines };
    let expected = meant.done(&lines).join("\n") + "\n";
    let is_lie = random.below(4) == 0;
    let without_commas = but_for_commas(&lines);
    let n_places = |old: &[String]| n_places(&lines, old);
    if n_places(&meant.old) == usize::MAX {
        return false;
    }
    let (group, kind, old, new) = if is_lie {
        let kind = *random.pick(&LIES);
        let Some((old, at)) = lie(random, kind, &lines, &meant) else {
            return false;
        };
        // Of a line that stays, the new text may tell the same lie.
        let mut new = meant.new.clone();
        if let Some(same) = meant.old.get(at).filter(|_| random.below(2) == 0)
            && let Some(line) = new.iter_mut().find(|line| *line == same)
        {
            line.clone_from(&old[at]);
        }
        let is_true = occurs(&lines, &old) || is_there_but_for_lines(&lines, &old);
        if is_true || n_places(&meant.new) > 0 || n_places(&new) > 0 {
            return false; // it is true of another place, or what it asks for is there
        }
        (&mut tallies.lies, kind, old, new)
    } else {
        let kind = *random.pick(&HARMLESS);
        let Some((old, new)) = damaged(random, kind, &meant) else {
            return false;
        };
        let changes_blank_lines = [&old, &new]
            .into_iter()
            .zip([&meant.old, &meant.new])
            .any(|(lines, meant)| n_blank(lines) != n_blank(meant));
        if old == new
            || (changes_blank_lines && !keeps_blank_lines(&meant))
            || makes_lines_equal(&meant, &old)
            || (kind != "none" && occurs_elsewhere(&lines, &meant, &old, None))
            || (ADDS_TABS.contains(&kind)
                && [2, 4, 8]
                    .iter()
                    .any(|&tab| occurs_elsewhere(&lines, &meant, &old, Some(tab))))
            || (LEFT_OUT.contains(&kind)
                && (occurs(&lines, &old) || occurs(&without_commas, &but_for_commas(&old))))
        {
            return false;
        }
        match n_places(&meant.old) {
            1 => (&mut tallies.harmless, kind, old, new),
            _ => (&mut tallies.ambiguous, kind, old, new),
        }
    };
    let tally = group.entry(kind).or_default();
    tally.cases += 1;
    let came = came_of(&bytes, hunk(extent, &old, &new));
    let (result, got) = match &came {
        Came::Written(got, _) if is_lie => ("wrong", got.as_str()),
        Came::Already if is_lie => ("wrong", "already applied"),
        Came::Written(got, rung) => {
            *tallies.rungs.entry(*rung).or_default() += 1;
            let n_returns = if ending == "\n" {
                0
            } else {
                got.matches('\n').count()
            };
            let is_right = is_as_expected(plain(got), plain(&expected), &meant)
                && got.matches("\r\n").count() == n_returns;
            (if is_right { "right" } else { "wrong" }, got.as_str())
        }
        Came::Already if plain(&bytes) == plain(&expected) => ("right", ""),
        Came::Already => ("refused", "already applied"),
        Came::Refused(why) => ("refused", why.as_str()),
    };
    match result {
        "right" => tally.right += 1,
        "refused" => tally.refused += 1,
        _ => tally.wrong += 1,
    }
    let what = format!("{result} {}{kind}", if is_lie { "lie: " } else { "" });
    if std::env::var("SLOTWRIGHT_SHOW").is_ok_and(|show| what.contains(&show)) {
        let old_and_new = format!("OLD\n{}\nNEW\n{}", old.join("\n"), new.join("\n"));
        let around = lines[meant.from.saturating_sub(3)..]
            .iter()
            .take(meant.old.len() + 6);
        let around = around.map(String::as_str).collect::<Vec<_>>().join("\n");
        let got = match &came {
            Came::Written(..) => difference(&expected, got),
            _ => got.to_owned(),
        };
        println!("--- {what} {extent:?}\n{old_and_new}\nFILE\n{around}\nGOT {got}\n");
    }
    true
}

/// Whether the lines are those that are expected. In a new line the new text's own way to write
/// quotes and one space is right, too.
fn is_as_expected(got: Vec<&str>, expected: Vec<&str>, meant: &Meant) -> bool {
    let loose = |line: &str| {
        let line = keyboard(line).replace('\'', "\"");
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let is_new = |line: &str| !meant.old.iter().any(|old| old.trim_end() == line);
    let n_tabs = |line: &str| line.matches('\t').count();
    let is_same = |(got, expected): (&&str, &&str)| {
        got == expected
            || (is_new(expected)
                && got[..indent_of(got)] == expected[..indent_of(expected)]
                && n_tabs(got) <= n_tabs(expected)
                && loose(got) == loose(expected))
    };
    got.len() == expected.len() && got.iter().zip(&expected).all(is_same)
}

/// The lines that are expected and not there, and those that are there instead.
fn difference(expected: &str, got: &str) -> String {
    let (expected, got) = (plain(expected), plain(got));
    let n_before = expected
        .iter()
        .zip(&got)
        .take_while(|(a, b)| a == b)
        .count();
    let rest = |lines: &[&str]| {
        lines[n_before..]
            .iter()
            .take(12)
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    format!(
        "from line {} on\n{}EXPECTED\n{}",
        n_before + 1,
        rest(&got),
        rest(&expected)
    )
}
