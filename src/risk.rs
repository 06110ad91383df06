//! The risks of an edit: reasons for a second look before it is written.
//!
//! The constraint makes every edit one that applies. It cannot make it the right edit. Some
//! mistakes can be seen without knowing what was meant: the model nearly wrote something else, two
//! names become one, or text is replaced where the model never looked. These checks are pure. The
//! gate shows what they find, and refuses the change where nobody is asked.

use crate::edit::{renamed_definition, whole_token_ranges};
use crate::flow::steps::FileChange;
use crate::flow::uses::{KeptName, Renamed};
use crate::flow::{Patched, overall_certainty};
use crate::prompt::{Profile, Wording};
use crate::search::named::names_nothing_of;
use crate::slots::{Operation, Slot};
use crate::syntax::{self, Break, ChangedText, LeftOut};
use crate::text::ident::{has_word, is_name};
use crate::text::{Text, defined_name, elision, visible};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

/// An edit with a lower certainty is [`Risk::Unsure`], unless the person sets another limit. Chosen
/// for the bundled model, on files full of near-equal places.
pub const MIN_CERTAINTY: f64 = 0.5;

/// The same limit for a model that is asked in words. It is a guess: such a model knows many ways
/// to say the same, so a low certainty means less.
pub const MIN_CERTAINTY_IN_WORDS: f64 = 0.1;

/// The same limit for a model with one of our adapters, which has one way to say each thing. It is
/// the largest, in steps of 0.05, that refuses at most a tenth of the right edits of either.
pub const MIN_CERTAINTY_ADAPTED: f64 = 0.35;

/// The limit for this kind of model.
pub fn min_certainty(profile: &Profile) -> f64 {
    match profile {
        Profile::Compact => MIN_CERTAINTY,
        Profile::Instruct {
            wording: Wording::Trained,
            ..
        } => MIN_CERTAINTY_ADAPTED,
        Profile::Instruct { .. } => MIN_CERTAINTY_IN_WORDS,
    }
}

/// A reason for a person to look at an edit again.
#[derive(Clone, Debug, PartialEq)]
pub enum Risk {
    /// The model nearly wrote something else.
    Unsure {
        /// The slot with the lowest certainty.
        slot: Slot,
        /// The certainty of the whole answer, 0 to 1: see [`overall_certainty`].
        certainty: f64,
        /// The limit: a lower certainty is a risk.
        min: f64,
    },
    /// A name becomes one that the file already has. Afterwards the two cannot be told apart.
    Merge {
        /// The name replaced.
        old: String,
        /// The name that the file had already.
        new: String,
        /// The lines of the replaced name, counted from 1, ascending.
        lines: Vec<usize>,
    },
    /// Text is replaced in parts of the file that were not shown to the model.
    Unseen {
        /// Occurrences in those parts.
        n_unseen: usize,
        /// Occurrences in the file.
        n_all: usize,
        /// The lines of the unseen occurrences, counted from 1, ascending.
        lines: Vec<usize>,
    },
    /// A definition has a new name, and the file still has the old one elsewhere.
    Leftover {
        /// The name before.
        old: String,
        /// The name now. The file did not have it before.
        new: String,
        /// Occurrences of the old name that are left.
        n_left: usize,
        /// Their lines after all edits, counted from 1, ascending.
        lines: Vec<usize>,
    },
    /// A name is another one now, and other files still use the old one.
    Elsewhere(KeptName),
    /// A new line stands for code that was left out, as if another program were to fill it in.
    Elided(LeftOut),
    /// Lines are only taken out of a file, and the task may mean the file itself.
    Empties {
        /// Relative to the root.
        path: String,
        /// Lines before.
        n_before: usize,
        /// Lines that are left.
        n_after: usize,
    },
    /// A block was written anew, and definitions of it are gone that the task does not name.
    Loses {
        /// Relative to the root.
        path: String,
        /// Their names.
        names: Vec<String>,
    },
    /// A file no longer parses, or a new one does not.
    Breaks {
        /// Relative to the root.
        path: String,
        /// Whether the file was not there before.
        is_new: bool,
        /// Where.
        found: Break,
    },
}

impl Risk {
    /// The kinds of risk that `--accept` takes.
    pub const ACCEPTABLE: [&str; 7] = [
        "unsure", "merge", "unseen", "leftover", "elided", "shrinks", "breaks",
    ];

    /// The risk's kind: one word for programs.
    pub fn kind(&self) -> &'static str {
        match self {
            Risk::Unsure { .. } => "unsure",
            Risk::Merge { .. } => "merge",
            Risk::Unseen { .. } => "unseen",
            Risk::Leftover { .. } | Risk::Elsewhere(_) => "leftover",
            Risk::Elided(_) => "elided",
            Risk::Empties { .. } | Risk::Loses { .. } => "shrinks",
            Risk::Breaks { .. } => "breaks",
        }
    }
}

impl fmt::Display for Risk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Risk::Unsure {
                slot,
                certainty,
                min,
            } => {
                let what = match slot {
                    Slot::Path => "the right file",
                    Slot::Operation | Slot::Reason => "the right kind of change",
                    Slot::Block
                    | Slot::Old
                    | Slot::Place
                    | Slot::Through
                    | Slot::Anchor
                    | Slot::Position => "the right place",
                    Slot::New | Slot::Text => "the right text",
                };
                let slot = slot.key();
                write!(
                    f,
                    "the model was not sure of it \
                     (certainty {certainty:.2} of 1, less than {min}), \
                     least of its slot \"{slot}\": check that this is {what}"
                )
            }
            Risk::Merge { old, new, lines } => {
                let lines = line_names(lines);
                write!(
                    f,
                    "{old} and {new} become one name: {new} is in the file already ({lines})"
                )
            }
            Risk::Unseen {
                n_unseen,
                n_all,
                lines,
            } => {
                let stand = if *n_unseen == 1 { "stands" } else { "stand" };
                write!(
                    f,
                    "{n_unseen} of {n_all} occurrences {stand} in parts of the file \
                     that the model did not see ({})",
                    line_names(lines)
                )
            }
            Risk::Leftover {
                old,
                new,
                n_left,
                lines,
            } => {
                let uses = if *n_left == 1 {
                    "use of it is"
                } else {
                    "uses of it are"
                };
                write!(
                    f,
                    "the definition of {old} is now called {new}, and {n_left} {uses} left ({}): \
                     to change all of them, ask to \"rename {old} to {new} everywhere\"",
                    line_names(lines)
                )
            }
            Risk::Elsewhere(kept) => write_kept(kept, f),
            Risk::Elided(LeftOut {
                path,
                line,
                n_lines,
                names,
            }) => {
                write!(
                    f,
                    "{path}: the new text leaves code out where it says `{}`",
                    visible(line)
                )?;
                let s = if *n_lines == 1 { "" } else { "s" };
                match (n_lines, names.as_slice()) {
                    (0, _) => Ok(()),
                    (_, []) => write!(f, ": {n_lines} line{s} of the file would be gone"),
                    (_, names) => {
                        let names = names.join(", ");
                        write!(
                            f,
                            ": {n_lines} line{s} of the file would be gone, with {names}"
                        )
                    }
                }
            }
            Risk::Empties {
                path,
                n_before,
                n_after,
            } => {
                let n_removed = n_before - n_after;
                write!(
                    f,
                    "{n_removed} of {n_before} lines of {path} go, and the file stays: no task \
                     deletes a file; {} does",
                    deletion(path)
                )
            }
            Risk::Loses { path, names } => {
                let are = if names.len() == 1 { "is" } else { "are" };
                let names = names.join(", ");
                write!(
                    f,
                    "{names} of {path} {are} gone, and the task does not say so"
                )
            }
            Risk::Breaks {
                path,
                is_new,
                found:
                    Break {
                        language,
                        line,
                        text,
                    },
            } => {
                let parses = if *is_new {
                    "does not parse"
                } else {
                    "no longer parses"
                };
                write!(
                    f,
                    "{path} {parses} as {language}: line {line}, `{}`",
                    visible(text)
                )
            }
        }
    }
}

/// All risks of an edit but [`Risk::Leftover`], [`Risk::Elsewhere`], [`Risk::Elided`] and
/// [`Risk::Breaks`], which depend on the edits after it or on other files. `certainty` is by slot;
/// `min_certainty` is the limit for the whole answer.
pub fn risks(patched: &Patched, certainty: &BTreeMap<Slot, f64>, min_certainty: f64) -> Vec<Risk> {
    [
        unsure(certainty, min_certainty),
        merge(patched),
        unseen(patched),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// An edit that changes nothing is believed only from this certainty on, for every model. When it was
/// chosen, the bundled model said of 181 tasks that were not done that there is nothing to do, and two
/// of these answers reached it.
const SURE: f64 = 0.8;

/// Why an edit that changes nothing is not believed; `None` if it is.
pub fn doubt(certainty: f64) -> Option<String> {
    (certainty < SURE)
        .then(|| format!("it was not sure of it (certainty {certainty:.2} of 1, less than {SURE})"))
}

fn unsure(by_slot: &BTreeMap<Slot, f64>, min: f64) -> Option<Risk> {
    let certainty = overall_certainty(by_slot);
    let (&slot, _) = by_slot
        .iter()
        .min_by(|a, b| a.1.total_cmp(b.1))
        .filter(|_| certainty < min)?;
    Some(Risk::Unsure {
        slot,
        certainty,
        min,
    })
}

fn merge(patched: &Patched) -> Option<Risk> {
    let first =
        (patched.operation == Operation::ReplaceAll).then(|| patched.replacements.first())??;
    let shown = patched.before.shown();
    let (old, new) = (&shown[first.range.clone()], first.new.as_str());
    if !is_name(old) || !is_name(new) {
        return None;
    }
    let lines = line_numbers(
        shown,
        whole_token_ranges(shown, new)
            .iter()
            .map(|range| range.start),
    );
    (!lines.is_empty()).then(|| Risk::Merge {
        old: old.to_owned(),
        new: new.to_owned(),
        lines,
    })
}

fn unseen(patched: &Patched) -> Option<Risk> {
    let occurrences = occurrences(patched)?;
    let is_seen = |at: usize, end: usize| {
        patched
            .seen
            .iter()
            .any(|seen| seen.start <= at && end <= seen.end)
    };
    let unseen: Vec<usize> = occurrences
        .iter()
        .filter(|o| !is_seen(o.0, o.1))
        .map(|o| o.0)
        .collect();
    let lines = line_numbers(patched.before.shown(), unseen.iter().copied());
    (!unseen.is_empty()).then_some(Risk::Unseen {
        n_unseen: unseen.len(),
        n_all: occurrences.len(),
        lines,
    })
}

/// The files of a change that have a new mark for left-out code, or a comment in the place of code.
/// The path of each, and its text before and after; none where it is not there.
pub fn elided<'a>(
    files: impl IntoIterator<Item = (&'a str, Option<&'a Text>, Option<&'a [u8]>)>,
) -> Vec<Risk> {
    let mut texts = Vec::new();
    for (path, before, after) in files {
        let after = after.and_then(|bytes| Text::decode_after(before, bytes.to_vec()).ok());
        texts.push((path, before.map_or("", Text::shown), after));
    }
    let mut changed = Vec::new();
    for (path, before, after) in &texts {
        changed.push(ChangedText {
            path,
            before,
            after: after.as_ref().map_or("", Text::shown),
        });
    }
    let in_place = syntax::left_out(&changed);
    let is_found = |text: &&ChangedText| in_place.iter().any(|found| found.path == text.path);
    let marked = changed
        .iter()
        .filter(|text| !is_found(text))
        .filter_map(marked);
    in_place
        .iter()
        .cloned()
        .chain(marked)
        .map(Risk::Elided)
        .collect()
}

/// A new mark for left-out code.
fn marked(
    &ChangedText {
        path,
        before,
        after,
    }: &ChangedText,
) -> Option<LeftOut> {
    let was_there = |line: &str| before.lines().any(|old| old.trim() == line);
    let line = after
        .lines()
        .map(str::trim)
        .find(|line| elision::is_elision(line) && !was_there(line))?;
    Some(LeftOut {
        path: path.to_owned(),
        line: line.to_owned(),
        n_lines: 0,
        names: Vec::new(),
    })
}

/// The command that deletes a file.
pub fn deletion(path: &str) -> String {
    format!("rm '{}'", path.replace('\'', r"'\''"))
}

/// Whether lines are only taken out of a file, and either all of them go, or the task names the file
/// and nothing of what goes. `edits`: those of the file.
pub fn empties<'e>(
    sentence: &str,
    change: &FileChange,
    edits: impl Iterator<Item = &'e Patched>,
) -> Option<Risk> {
    let before = change.before.as_ref()?;
    let after = Text::decode_after(change.before.as_ref(), change.after.clone()).ok()?;
    let mut removed = String::new();
    for edit in edits {
        for replacement in &edit.replacements {
            if !replacement.new.trim().is_empty() {
                return None;
            }
            removed += &edit.before.shown()[replacement.range.clone()];
            removed.push('\n');
        }
    }

    let is_empty = after.shown().trim().is_empty();
    let is_meant = is_empty || names_nothing_of(sentence, &change.path, &removed);
    let n_lines = |text: &Text| text.shown().lines().count();
    is_meant.then(|| Risk::Empties {
        path: change.path.clone(),
        n_before: n_lines(before),
        n_after: n_lines(&after),
    })
}

/// Whether a block was written anew, and definitions are gone that the task does not name.
pub fn loses(sentence: &str, patched: &Patched) -> Option<Risk> {
    if patched.operation != Operation::Rewrite {
        return None;
    }
    let after = Text::decode_after(Some(&patched.before), patched.after.clone()).ok()?;
    let is_gone = |name: &&str| !has_word(after.shown(), name) && !has_word(sentence, name);
    let mut names: Vec<String> = Vec::new();
    for name in patched
        .before
        .shown()
        .lines()
        .filter_map(defined_name)
        .filter(is_gone)
    {
        if !names.iter().any(|other| other == name) {
            names.push(name.to_owned());
        }
    }
    (!names.is_empty()).then(|| Risk::Loses {
        path: patched.path.clone(),
        names,
    })
}

/// Whether a file no longer parses after all edits, or a new one does not. `before`: none for a new
/// file.
pub fn breaks(path: &str, before: Option<&Text>, after: &[u8]) -> Option<Risk> {
    let after = Text::decode_after(before, after.to_vec()).ok()?;
    let found = syntax::breaks(path, before.map(Text::shown), after.shown())?;
    Some(Risk::Breaks {
        path: path.to_owned(),
        is_new: before.is_none(),
        found,
    })
}

/// Whether an edit renames a definition and not its uses. `afterwards` is the file after all edits:
/// a later step may have renamed the uses. If the old name still has a definition there, the uses
/// may be of that one (an overloaded or shadowed name), and there is no risk to see.
pub fn leftover(patched: &Patched, afterwards: &[u8]) -> Option<Risk> {
    // Everywhere is not everywhere where only some lines may change.
    if !matches!(
        patched.operation,
        Operation::Replace | Operation::ReplaceAll
    ) {
        return None;
    }
    let (old, new) = renamed_definition(patched.before.shown(), &patched.replacements)?;
    let afterwards = Text::decode_after(Some(&patched.before), afterwards.to_vec()).ok()?;
    let afterwards = afterwards.shown();
    if afterwards
        .lines()
        .filter_map(defined_name)
        .any(|name| name == old)
    {
        return None;
    }
    let left = whole_token_ranges(afterwards, &old);
    let lines = line_numbers(afterwards, left.iter().map(|range| range.start));
    let n_left = left.len();
    (n_left > 0).then_some(Risk::Leftover {
        old,
        new,
        n_left,
        lines,
    })
}

/// The extent of an edit of every occurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    /// The number of occurrences.
    pub n_occurrences: usize,
    /// The lines on which they begin, counted from 1, ascending.
    pub lines: Vec<usize>,
}

/// The extent of an edit of every occurrence; `None` for any other edit.
pub fn reach(patched: &Patched) -> Option<Reach> {
    let occurrences = occurrences(patched)?;
    let lines = line_numbers(patched.before.shown(), occurrences.iter().map(|o| o.0));
    Some(Reach {
        n_occurrences: occurrences.len(),
        lines,
    })
}

impl fmt::Display for Reach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = if self.n_occurrences == 1 { "" } else { "s" };
        write!(f, "replaces {} occurrence{s} on ", self.n_occurrences)?;
        match self.lines.len() {
            1 => write!(f, "{}", line_names(&self.lines)),
            n_lines => write!(f, "{n_lines} lines: {}", first_of(&self.lines)),
        }
    }
}

/// The start and end of each occurrence, without the whitespace around it. If the edit empties and
/// removes a line, its line ending is part of the replacement but not of the occurrence.
fn occurrences(patched: &Patched) -> Option<Vec<(usize, usize)>> {
    let shown = patched.before.shown();
    let bounds = |range: &Range<usize>| {
        let text = &shown[range.clone()];
        let start = range.start + (text.len() - text.trim_start().len());
        (start, start + text.trim().len())
    };
    (patched.operation == Operation::ReplaceAll).then(|| {
        patched
            .replacements
            .iter()
            .map(|r| bounds(&r.range))
            .collect()
    })
}

/// The line numbers of ascending offsets, each line once.
fn line_numbers(text: &str, offsets: impl Iterator<Item = usize>) -> Vec<usize> {
    let (mut line, mut counted) = (1, 0);
    let mut lines: Vec<usize> = offsets
        .map(|at| {
            line += text[counted..at].matches('\n').count();
            counted = at;
            line
        })
        .collect();
    lines.dedup();
    lines
}

fn write_kept(kept: &KeptName, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let KeptName {
        path,
        renamed,
        old,
        new,
        paths,
        also_defined,
    } = kept;
    let files = match paths.len() {
        1 => "1 other file still has".to_owned(),
        n => format!("{n} other files still have"),
    };
    let paths = first_of(paths);
    match renamed {
        Renamed::Uses => {
            write!(
                f,
                "{path} calls {old} now {new}, and {files} the old name ({paths})"
            )
        }
        _ => write!(
            f,
            "{old} is now called {new}, and {files} the old name ({paths})"
        ),
    }?;
    match (also_defined, renamed) {
        (Some(other), Renamed::Uses) => write!(f, "; {other} defines it"),
        (Some(other), _) => {
            write!(
                f,
                "; {other} defines {old} too, so it may be another one there"
            )
        }
        (None, _) => Ok(()),
    }
}

fn line_names(lines: &[usize]) -> String {
    format!(
        "{} {}",
        if lines.len() == 1 { "line" } else { "lines" },
        first_of(lines)
    )
}

/// The first ten, and how many more there are.
fn first_of<T: ToString>(all: &[T]) -> String {
    const NAMED: usize = 10;
    let named: Vec<String> = all.iter().take(NAMED).map(T::to_string).collect();
    let more = if all.len() > NAMED {
        format!(" and {} more", all.len() - NAMED)
    } else {
        String::new()
    };
    named.join(", ") + &more
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{Edit, EditSet};
    use crate::locate::Rung;
    use crate::text::Text;

    /// An edit of every occurrence, in a file that was shown whole.
    fn patched(before: &str, old: &str, new: &str) -> Patched {
        let before = Text::decode(before.into()).unwrap();
        let edit = Edit::ReplaceAll {
            old: old.to_owned(),
            new: new.to_owned(),
        };
        let edit_set = EditSet::of(&edit, "a.rs", &before).unwrap();
        let seen = std::iter::once(0..before.shown().len()).collect();
        let (after, replacements) = (
            edit_set.apply(&before).unwrap(),
            edit_set.replacements().to_vec(),
        );
        let (path, operation, rung) = ("a.rs".to_owned(), Operation::ReplaceAll, Rung::Exact);
        Patched {
            path,
            operation,
            before,
            after,
            replacements,
            rung,
            seen,
        }
    }

    fn messages(risks: &[Risk]) -> Vec<String> {
        risks.iter().map(ToString::to_string).collect()
    }

    #[track_caller]
    fn check_merge(before: &str, old: &str, new: &str, expected: Option<&str>) {
        let risks = risks(&patched(before, old, new), &BTreeMap::new(), 0.0);
        assert_eq!(
            messages(&risks),
            Vec::from_iter(expected),
            "{old} to {new} in {before:?}"
        );
    }

    #[test]
    fn a_name_that_is_taken() {
        let taken = "a and b become one name: b is in the file already (line 2)";
        check_merge("a\nb\n", "a", "b", Some(taken));
        check_merge("a\nb b\n", "a", "b", Some(taken));
        check_merge("a\r\nb\r\n", "a", "b", Some(taken));
        let variables = "$a and $b become one name: $b is in the file already (line 2)";
        check_merge("$a = 1;\n$b = 2;\n", "$a", "$b", Some(variables));
        check_merge(
            "b.a = b\nb\n",
            "a",
            "b",
            Some("a and b become one name: b is in the file already (lines 1, 2)"),
        );
        check_merge(
            "\u{e9}t\u{e9} \u{e4}",
            "\u{e9}t\u{e9}",
            "\u{e4}",
            Some(
                "\u{e9}t\u{e9} and \u{e4} become one name: \u{e4} is in the file already (line 1)",
            ),
        );
        let many = "b\n".repeat(12) + "a";
        check_merge(
            &many,
            "a",
            "b",
            Some(
                "a and b become one name: b is in the file already \
                 (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more)",
            ),
        );
    }

    #[test]
    fn names_that_are_free_and_what_is_no_name() {
        check_merge("$a = 1;\n$bb = 2;\n", "$a", "$b", None);
        check_merge("a\nbb b_b bbb\n", "a", "b", None);
        check_merge("a\nb\n", "a", "c", None);
        check_merge("a\nb = 1\n", "a", "b = 1", None);
        check_merge("a()\nb\n", "a()", "b", None);
        check_merge("3 5\n", "3", "5", None);
        check_merge("a\nb\n", "a", "", None);
    }

    #[test]
    fn one_place_may_get_a_name_that_is_there() {
        let mut one = patched("a\nb\n", "a", "b");
        one.operation = Operation::Replace;
        assert_eq!(risks(&one, &BTreeMap::new(), 0.0), []);
        assert_eq!(reach(&one), None);
    }

    #[track_caller]
    fn check_unseen(old: &str, new: &str, seen: &[(usize, usize)], expected: Option<&str>) {
        let mut patched = patched("x = 1\nx = 1\nx = 1\n", old, new);
        patched.seen = seen.iter().map(|&(start, end)| start..end).collect();
        assert_eq!(
            messages(&risks(&patched, &BTreeMap::new(), 0.0)),
            Vec::from_iter(expected)
        );
    }

    #[test]
    fn occurrences_that_were_not_shown() {
        let part = |n: &str, lines: &str| {
            format!("{n} in parts of the file that the model did not see ({lines})")
        };
        check_unseen("x", "y", &[(0, 17)], None);
        check_unseen("x", "y", &[(0, 5), (6, 17)], None);
        check_unseen(
            "x",
            "y",
            &[(0, 5)],
            Some(&part("2 of 3 occurrences stand", "lines 2, 3")),
        );
        check_unseen(
            "x",
            "y",
            &[(0, 5), (12, 17)],
            Some(&part("1 of 3 occurrences stands", "line 2")),
        );
        check_unseen(
            "x = 1",
            "",
            &[(0, 5), (12, 17)],
            Some(&part("1 of 3 occurrences stands", "line 2")),
        );
        // The text is shown, but no single window has all of it.
        check_unseen(
            "1\nx",
            "y",
            &[(0, 5), (6, 17)],
            Some(&part("1 of 2 occurrences stands", "line 1")),
        );
    }

    /// The warning of an edit that replaces the one occurrence of `old`.
    fn left_of(before: &str, old: &str, new: &str) -> Option<String> {
        let text = Text::decode(before.into()).unwrap();
        let at = text.shown().find(old).unwrap();
        let edit = Edit::Replace {
            at: at..at + old.len(),
            new: new.to_owned(),
        };
        let edit_set = EditSet::of(&edit, "a.rs", &text).unwrap();
        let after = edit_set.apply(&text).unwrap();
        let replacements = edit_set.replacements().to_vec();
        let patched = Patched {
            operation: Operation::Replace,
            before: text,
            replacements,
            after: after.clone(),
            ..patched("x", "x", "y")
        };
        assert_eq!(risks(&patched, &BTreeMap::new(), 0.0), []);
        leftover(&patched, &after).map(|risk| risk.to_string())
    }

    #[test]
    fn a_definition_is_renamed_and_its_uses_are_not() {
        let said = |n: &str| {
            Some(format!(
                "the definition of load is now called read, and {n}: to change all of them, \
                 ask to \"rename load to read everywhere\""
            ))
        };
        let python = "def load(path):\n    return 1\n\n\nload('a')\nx = load(load('b'))\n";
        let three = said("3 uses of it are left (lines 5, 6)");
        assert_eq!(left_of(python, "def load(path):", "def read(path):"), three);
        assert_eq!(left_of(python, "load(path)", "read(path, n=1)"), three);
        let block = "def load(path):\n    return 1\n";
        assert_eq!(
            left_of(python, block, "def read(path):\n    return 2\n"),
            three
        );
        let windows = python.replace('\n', "\r\n");
        assert_eq!(
            left_of(&windows, "def load(path):", "def read(path):"),
            three
        );
        let rust = "impl A {\n    pub fn load(&self) {\n        B::load();\n    }\n}\n";
        let one = said("1 use of it is left (line 3)");
        assert_eq!(left_of(rust, "fn load(&self)", "fn read(&self)"), one);
    }

    #[test]
    fn no_uses_are_left_or_they_may_be_of_something_else() {
        let none = |before: &str, old: &str, new: &str| {
            assert_eq!(
                left_of(before, old, new),
                None,
                "{old} to {new} in {before:?}"
            );
        };
        let file = "def load(path):\n    return 1\n\n\nload('a')\n";
        none(file, "def load(path):", "def load(path, n):"); // the name stays
        none(file, "    return 1", "    return load(2)");
        none(file, "load('a')", "read('a')"); // a use
        none(file, "def load(path):\n    return 1\n", ""); // removed
        none(file, "def load(path):", "# read"); // no definition any more
        none(
            file,
            "def load(path):",
            "def a(x):\n    pass\n\n\ndef b(path):",
        ); // two for one
        none(
            "def load(a):\n    pass\n\nx = reload(a)\nload_all()\n",
            "def load",
            "def read",
        );
        none(
            "def load(a):\n    pass\n\nread(load)\n",
            "def load",
            "def read",
        ); // not new
        let overloaded = "int load(int a) {\n}\nint load(char b) {\n}\nint x = load(3);\n";
        none(overloaded, "load(int a)", "read(int a)");
        none(
            "use s::Shape;\n\nimpl Shape for A {\n}\n",
            "impl Shape",
            "impl Area",
        );
        none("# load\n\nHow to load it\n", "# load", "# read"); // a heading
        none("[load]\nx = \"load\"\n", "[load]", "[read]");
    }

    #[test]
    fn a_later_step_may_rename_the_uses() {
        let before = "def load():\n    pass\n\n\nload()\n";
        let text = Text::decode(before.into()).unwrap();
        let edit = Edit::Replace {
            at: 4..8,
            new: "read".to_owned(),
        };
        let edit_set = EditSet::of(&edit, "a.py", &text).unwrap();
        let patched = Patched {
            operation: Operation::Replace,
            replacements: edit_set.replacements().to_vec(),
            before: text,
            ..patched("x", "x", "y")
        };
        assert!(leftover(&patched, b"def read():\n    pass\n\n\nload()\n").is_some());
        assert_eq!(
            leftover(&patched, b"def read():\n    pass\n\n\nread()\n"),
            None
        );
    }

    #[test]
    fn how_far_it_reaches() {
        let said = |before: &str, old: &str, new: &str| {
            reach(&patched(before, old, new)).unwrap().to_string()
        };
        assert_eq!(said("x", "x", "y"), "replaces 1 occurrence on line 1");
        assert_eq!(
            said("x x\n\nx\n", "x", "y"),
            "replaces 3 occurrences on 2 lines: 1, 3"
        );
        assert_eq!(
            said("a\n  x\n  x", "x", ""),
            "replaces 2 occurrences on 2 lines: 2, 3"
        );
        assert_eq!(
            said(&"x\n".repeat(20), "x", "y"),
            "replaces 20 occurrences on 20 lines: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 10 more"
        );
    }

    #[test]
    fn a_block_written_anew_that_loses_definitions() {
        let before = "fn keep() {}\nfn lose() {}\nfn drop_it() {}\n";
        let mut edit = patched(before, "lose", "other");
        let said = |edit: &Patched, task: &str| loses(task, edit).map(|risk| risk.to_string());
        assert_eq!(said(&edit, "tidy up"), None, "slots say what they replace");
        edit.operation = Operation::Rewrite;
        let lost = "lose of a.rs is gone, and the task does not say so";
        assert_eq!(said(&edit, "tidy up").as_deref(), Some(lost));
        assert_eq!(said(&edit, "call lose other"), None);
        edit.after = b"fn keep() {}\n".to_vec();
        let lost = "lose, drop_it of a.rs are gone, and the task does not say so";
        assert_eq!(said(&edit, "tidy up").as_deref(), Some(lost));
    }

    #[test]
    fn all_slots_count_and_the_least_sure_one_is_named() {
        let by_slot = BTreeMap::from([(Slot::Operation, 0.9), (Slot::Old, 0.5), (Slot::New, 0.8)]);
        let edit = patched("x", "x", "y");
        let risks = |min: f64| risks(&edit, &by_slot, min);
        let [
            Risk::Unsure {
                slot: Slot::Old,
                certainty,
                min: 0.4,
            },
        ] = risks(0.4)[..]
        else {
            panic!("{:?}", risks(0.4))
        };
        assert!((certainty - 0.36).abs() < 1e-9);
        assert_eq!(risks(0.35), [], "only what is below it");
        assert_eq!(risks(0.0), []);
        let said = "the model was not sure of it (certainty 0.36 of 1, less than 0.4), \
                    least of its slot \"old\": check that this is the right place";
        assert_eq!(risks(0.4)[0].to_string(), said);
        // A server gives no probabilities.
        assert_eq!(super::risks(&edit, &BTreeMap::new(), 1.0), []);
    }
}
