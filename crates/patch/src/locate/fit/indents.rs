//! How the file's indentation differs from that of the searched lines, and the indentation that new
//! lines get as a result.

use crate::edit::Style;
use crate::locate::fold::indentation;
use crate::locate::haystack::Haystack;

/// How the file's indentation differs from that of the searched lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Indents {
    /// Both are the same.
    Same,
    /// The file's lines have `by` in addition. Its shallowest line is indented by `file`.
    Deeper { by: String, file: String },
    /// The file's lines lack `by`. Its shallowest line is indented by `file`.
    Shallower { by: String, file: String },
    /// Only the first line differs: the searched text began at its first letter.
    FirstLine { searched: String, file: String },
    /// The searched text began after `indent`, at the first letter of a line. `is_dedented`: new
    /// lines lack `indent` too.
    After { indent: String, is_dedented: bool },
    /// The file uses other characters or steps.
    Respelled(Respelling),
    /// The difference is irregular. A new line with the searched indentation of the line that it
    /// replaces takes that line's indentation in the file. Other new lines do not occur.
    LineForLine,
}

/// The searched lines that an edit keeps. They tie the indentation of new lines to that of searched
/// ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tie {
    /// No line: all searched lines are deleted.
    None,
    /// The only searched line.
    One,
    /// The only searched line, and it opens a block: lines after it may be deeper.
    OneOpening,
    /// Several lines.
    Several,
}

/// Each searched indentation with its spelling in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Respelling {
    pairs: Vec<(String, String)>,
    /// One step in the searched text and in the file; `None` if it is unknown.
    steps: Option<(String, String)>,
}

impl Indents {
    /// Compares the indentation of each searched line (first) with the file's (second). `None` if
    /// the two are unrelated.
    pub fn of(haystack: &Haystack, pairs: &[(&str, &str)]) -> Option<Indents> {
        let Some(&(searched, file)) = pairs.first() else {
            return Some(Indents::Same);
        };
        if pairs.iter().all(|(searched, file)| searched == file) {
            return Some(Indents::Same);
        }
        let shallowest = || {
            pairs
                .iter()
                .map(|(_, file)| *file)
                .min_by_key(|file| file.len())
                .unwrap_or_default()
                .to_owned()
        };
        if let Some(by) = file.strip_suffix(searched)
            && pairs
                .iter()
                .all(|(searched, file)| file.strip_suffix(searched) == Some(by))
        {
            return Some(Indents::Deeper {
                by: by.to_owned(),
                file: shallowest(),
            });
        }
        if let Some(by) = searched.strip_suffix(file)
            && pairs
                .iter()
                .all(|(searched, file)| searched.strip_suffix(file) == Some(by))
        {
            return Some(Indents::Shallower {
                by: by.to_owned(),
                file: shallowest(),
            });
        }
        if pairs.len() > 1
            && searched.is_empty()
            && pairs[1..].iter().all(|(searched, file)| searched == file)
        {
            return Some(Indents::FirstLine {
                searched: searched.to_owned(),
                file: file.to_owned(),
            });
        }
        Respelling::of(haystack, pairs).map(Indents::Respelled)
    }

    /// The difference that applies to new lines. They are usually indented like the searched lines.
    /// If the tie is weak and they are indented like the file, they were written with the file in
    /// view. `None` if it could be either.
    pub fn for_new_lines<'a>(
        self,
        new: impl Iterator<Item = &'a str>,
        tie: Tie,
    ) -> Option<Indents> {
        let Some(shallowest) = new
            .min_by_key(|indent| indent.len())
            .filter(|_| tie != Tie::Several)
        else {
            return Some(self);
        };
        match (&self, tie) {
            (Indents::Deeper { file, .. }, _) if shallowest.starts_with(file.as_str()) => match tie
            {
                Tie::OneOpening => None,
                _ => Some(Indents::Same),
            },
            (Indents::Shallower { by, file }, Tie::None) if shallowest == file => {
                match shallowest.starts_with(by.as_str()) {
                    true => None,
                    false => Some(Indents::Same),
                }
            }
            _ => Some(self),
        }
    }

    /// The indentation to insert before the first searched line if new lines come above it.
    pub fn before_first(&self) -> &str {
        if let Indents::After { indent, .. } = self {
            indent
        } else {
            ""
        }
    }

    /// A new line with its indentation. `instead_of`: the searched and the file's indentation of
    /// the line that it replaces. `None` if the new line's indentation has no counterpart.
    pub fn fitted(
        &self,
        line: &str,
        is_first: bool,
        instead_of: Option<(&str, &str)>,
    ) -> Option<String> {
        let indent = indentation(line);
        let rest = &line[indent.len()..];
        if rest.trim().is_empty() {
            return Some(line.to_owned());
        }
        Some(match self {
            Indents::Same => line.to_owned(),
            Indents::Deeper { by, .. } => format!("{by}{line}"),
            Indents::Shallower { by, .. } => line.strip_prefix(by.as_str())?.to_owned(),
            Indents::FirstLine { searched, file } if is_first && indent == searched => {
                format!("{file}{rest}")
            }
            Indents::FirstLine { .. } => line.to_owned(),
            Indents::After {
                indent: before,
                is_dedented: true,
            } if !is_first => {
                format!("{before}{line}")
            }
            Indents::After { .. } => line.to_owned(),
            Indents::Respelled(respelling) => respelling.spelled(indent)? + rest,
            Indents::LineForLine => {
                let (_, file) = instead_of.filter(|(searched, _)| *searched == indent)?;
                format!("{file}{rest}")
            }
        })
    }
}

impl Respelling {
    fn of(haystack: &Haystack, all: &[(&str, &str)]) -> Option<Respelling> {
        let mut pairs: Vec<(String, String)> = all
            .iter()
            .map(|&(s, f)| (s.to_owned(), f.to_owned()))
            .collect();
        pairs.sort_by(|a, b| (a.0.len(), a).cmp(&(b.0.len(), b)));
        pairs.dedup();
        // Equal indentations stay equal, and deeper ones stay deeper.
        let keeps_order = pairs.windows(2).all(|two| {
            let [(s1, f1), (s2, f2)] = two else {
                return true;
            };
            s1 != s2 && (!s2.starts_with(s1.as_str()) || (f2.starts_with(f1.as_str()) && f1 != f2))
        });
        let style = haystack.style();
        if !keeps_order || !is_plausible(&pairs, style) {
            return None;
        }
        let differences = pairs.windows(2).filter_map(|two| {
            let (s, f) = (
                two[1].0.strip_prefix(two[0].0.as_str())?,
                two[1].1.strip_prefix(two[0].1.as_str())?,
            );
            (!s.is_empty()).then_some((s, f))
        });
        let from_zero = pairs
            .iter()
            .take(1)
            .filter(|(s, f)| !s.is_empty() && !f.is_empty())
            .map(|(s, f)| (s.as_str(), f.as_str()));
        let smallest = differences.chain(from_zero).min_by_key(|(s, _)| s.len());
        let steps = smallest.and_then(|(searched, file)| step(searched, file, style));
        // All pairs agree on one step, or none is known.
        let steps = steps.filter(|(s, f)| {
            pairs.windows(2).all(|two| {
                let more = |a: &str, b: &str, step: &str| {
                    b.strip_prefix(a).and_then(|more| times(more, step))
                };
                let (searched, file) =
                    (more(&two[0].0, &two[1].0, s), more(&two[0].1, &two[1].1, f));
                searched.is_none() || searched == file
            })
        });
        Some(Respelling { pairs, steps })
    }

    fn spelled(&self, indent: &str) -> Option<String> {
        if let Some((_, file)) = self.pairs.iter().find(|(searched, _)| searched == indent) {
            return Some(file.clone());
        }
        let (searched_step, file_step) = self.steps.as_ref()?;
        let deeper = self
            .pairs
            .iter()
            .rev()
            .find_map(|(searched, file)| Some((indent.strip_prefix(searched.as_str())?, file)));
        if let Some((more, file)) = deeper {
            return Some(file.clone() + &file_step.repeat(times(more, searched_step)?));
        }
        let (less, file) = self
            .pairs
            .iter()
            .find_map(|(searched, file)| Some((searched.strip_prefix(indent)?, file)))?;
        let n = times(less, searched_step)?;
        file.strip_suffix(file_step.repeat(n).as_str())
            .map(str::to_owned)
    }
}

/// Whether indentations in the same characters differ only in the step: a constant ratio, from the
/// margin or from another margin. Any other difference is another structure, not another spelling.
fn is_plausible(pairs: &[(String, String)], style: Style) -> bool {
    let uses = |c: char| {
        (
            pairs.iter().any(|(searched, _)| searched.contains(c)),
            pairs.iter().any(|(_, file)| file.contains(c)),
        )
    };
    let (Some((s1, f1)), Some((s2, f2))) = (pairs.first(), pairs.last()) else {
        return true;
    };
    match (uses('\t'), uses(' ')) {
        ((true, true), (false, false)) => false, // one tab is one step
        ((false, false), _) => {
            let (more_searched, more_in_file) = (
                s2.len().saturating_sub(s1.len()),
                f2.len().saturating_sub(f1.len()),
            );
            let n_steps = more_in_file / style.step();
            let is_step = n_steps > 0 && (1..=4).any(|step| step * n_steps == more_searched);
            let is_even = pairs.windows(2).all(|two| {
                let (searched, file) = (
                    two[1].0.len() - two[0].0.len(),
                    two[1].1.len().saturating_sub(two[0].1.len()),
                );
                searched * more_in_file == file * more_searched
            });
            let is_proportional = s1.len() * f2.len() == s2.len() * f1.len();
            is_even && is_step && (is_proportional || (s1.is_empty() && pairs.len() > 2))
        }
        _ => true,
    }
}

/// One step on both sides, from a difference of one or more steps.
fn step(searched: &str, file: &str, style: Style) -> Option<(String, String)> {
    let is_uniform = |text: &str| text.chars().all(|c| c == ' ') || text.chars().all(|c| c == '\t');
    if !is_uniform(searched) || !is_uniform(file) || file.is_empty() {
        return None;
    }
    // With tabs, as many steps as tabs; without, the file's own step decides.
    let n = match (searched.starts_with('\t'), file.starts_with('\t')) {
        (true, _) => searched.len(),
        (false, true) => file.len(),
        (false, false) => file.len() / style.step().min(file.len()),
    };
    let part = |text: &str| {
        text.len()
            .is_multiple_of(n)
            .then(|| text[..text.len() / n].to_owned())
            .filter(|part| !part.is_empty())
    };
    part(searched).zip(part(file))
}

/// How many times `step` makes up `indent`; `None` if it does not.
fn times(indent: &str, step: &str) -> Option<usize> {
    let n = indent.len() / step.len();
    (step.repeat(n) == indent).then_some(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks what `new` indentations become, from pairs of searched and file indentations.
    fn check(pairs: &[(&str, &str)], new: &[(&str, Option<&str>)]) {
        let haystack = Haystack::of_shown("a", "");
        let indents = Indents::of(&haystack, pairs).expect("regular");
        for (line, expected) in new {
            let fitted = indents.fitted(&format!("{line}x"), false, None);
            assert_eq!(
                fitted,
                expected.map(|e| format!("{e}x")),
                "{line:?} by {indents:?}"
            );
        }
    }

    #[test]
    fn new_lines_are_indented_as_the_searched_ones_turned_out_to_be() {
        check(
            &[("", "    "), ("  ", "      ")],
            &[("", Some("    ")), ("      ", Some("          "))],
        );
        check(
            &[("    ", ""), ("        ", "    ")],
            &[("    ", Some("")), ("", None)],
        );
        check(
            &[("", ""), ("    ", "\t")],
            &[("        ", Some("\t\t")), ("   ", None)],
        );
        check(
            &[("    ", "\t\t"), ("      ", "\t\t\t")],
            &[("        ", Some("\t\t\t\t")), ("  ", Some("\t"))],
        );
        check(
            &[("\t", "    "), ("\t\t", "        ")],
            &[("", Some("")), ("\t\t\t", Some("            "))],
        );
        check(&[("", ""), ("  ", "    ")], &[("    ", Some("        "))]);
        check(
            &[("    ", "\t")],
            &[
                ("    ", Some("\t")),
                ("        ", Some("\t\t")),
                ("", Some("")),
            ],
        );
    }

    #[test]
    fn what_is_irregular_is_not_guessed() {
        let haystack = Haystack::of_shown("a", "");
        for pairs in [
            [("", "  "), ("", "    ")].as_slice(),
            &[("", "    "), ("  ", "    ")],
            &[("", "    "), ("    ", "  ")],
            &[("", ""), ("", "  "), ("  ", "  ")],
            &[("    ", "      "), ("        ", "        ")],
            &[("", "  "), ("  ", "    "), ("      ", "      ")],
        ] {
            assert_eq!(Indents::of(&haystack, pairs), None, "{pairs:?}");
        }
        let first_line = Indents::of(&haystack, &[("", "    "), ("        ", "        ")]).unwrap();
        assert_eq!(first_line.fitted("x", true, None), Some("    x".to_owned()));
        assert_eq!(first_line.fitted("x", false, None), Some("x".to_owned()));
    }

    #[test]
    fn new_lines_that_are_indented_as_the_file_is_stay() {
        let check = |indents: &Indents, new: &[&str], tie: Tie, expected: Option<&Indents>| {
            assert_eq!(
                indents
                    .clone()
                    .for_new_lines(new.iter().copied(), tie)
                    .as_ref(),
                expected,
                "{new:?} {tie:?}"
            );
        };
        let deeper = Indents::Deeper {
            by: "  ".to_owned(),
            file: "    ".to_owned(),
        };
        check(&deeper, &["  "], Tie::None, Some(&deeper));
        check(&deeper, &["    "], Tie::None, Some(&Indents::Same));
        check(&deeper, &["    "], Tie::One, Some(&Indents::Same));
        check(&deeper, &["    "], Tie::OneOpening, None);
        check(&deeper, &["    "], Tie::Several, Some(&deeper));
        check(&deeper, &["", "    "], Tie::None, Some(&deeper));
        let shallower = |by: &str, file: &str| Indents::Shallower {
            by: by.to_owned(),
            file: file.to_owned(),
        };
        check(&shallower("    ", "    "), &["    "], Tie::None, None);
        check(
            &shallower("    ", "  "),
            &["  "],
            Tie::None,
            Some(&Indents::Same),
        );
        check(
            &shallower("    ", "    "),
            &["        "],
            Tie::None,
            Some(&shallower("    ", "    ")),
        );
    }
}
