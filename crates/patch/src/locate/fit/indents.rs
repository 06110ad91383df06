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
    /// Sorted, the shallowest searched indentation first.
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

        let shallowest = pairs.iter().map(|(_, file)| *file).min_by_key(|f| f.len());
        let shallowest = shallowest.unwrap_or_default().to_owned();
        if let Some(by) = file.strip_suffix(searched)
            && pairs.iter().all(|(s, f)| f.strip_suffix(s) == Some(by))
        {
            let by = by.to_owned();
            return Some(Indents::Deeper {
                by,
                file: shallowest,
            });
        }
        if let Some(by) = searched.strip_suffix(file)
            && pairs.iter().all(|(s, f)| s.strip_suffix(f) == Some(by))
        {
            let by = by.to_owned();
            return Some(Indents::Shallower {
                by,
                file: shallowest,
            });
        }
        let is_rest_equal = pairs[1..].iter().all(|(searched, file)| searched == file);
        if pairs.len() > 1 && searched.is_empty() && is_rest_equal {
            return Some(Indents::FirstLine {
                searched: searched.to_owned(),
                file: file.to_owned(),
            });
        }
        Respelling::of(haystack.style(), pairs).map(Indents::Respelled)
    }

    /// The difference that applies to new lines, by their indentations. They are usually indented
    /// like the searched lines. If the tie is weak and they are indented like the file, they were
    /// written with the file in view. `None` if it could be either.
    pub fn for_new_lines(self, new: &[&str], tie: Tie) -> Option<Indents> {
        let shallowest = new.iter().min_by_key(|indent| indent.len());
        let (Some(&shallowest), Tie::None | Tie::One | Tie::OneOpening) = (shallowest, tie) else {
            return Some(self);
        };
        match &self {
            Indents::Deeper { file, .. } if shallowest.starts_with(file.as_str()) => {
                (tie != Tie::OneOpening).then_some(Indents::Same)
            }
            Indents::Shallower { by, file } if tie == Tie::None && shallowest == file => {
                (!shallowest.starts_with(by.as_str())).then_some(Indents::Same)
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
            Indents::Deeper { by, .. } => format!("{by}{line}"),
            Indents::Shallower { by, .. } => line.strip_prefix(by.as_str())?.to_owned(),
            Indents::FirstLine { searched, file } if is_first && indent == searched => {
                format!("{file}{rest}")
            }
            Indents::After {
                indent: before,
                is_dedented: true,
            } if !is_first => format!("{before}{line}"),
            Indents::Same | Indents::FirstLine { .. } | Indents::After { .. } => line.to_owned(),
            Indents::Respelled(respelling) => respelling.spelled(indent)? + rest,
            Indents::LineForLine => {
                let (_, file) = instead_of.filter(|(searched, _)| *searched == indent)?;
                format!("{file}{rest}")
            }
        })
    }
}

impl Respelling {
    fn of(style: Style, all: &[(&str, &str)]) -> Option<Respelling> {
        let mut pairs = all.to_vec();
        pairs.sort_by_key(|&(searched, file)| (searched.len(), searched, file));
        pairs.dedup();
        if !keeps_order(&pairs) || !is_plausible(&pairs, style) {
            return None;
        }

        // The smallest difference between two indentations, or to the margin.
        let mut smallest: Option<(&str, &str)> = None;
        let margin = pairs.first().map(|pair| [("", ""), *pair]);
        let neighbours = pairs.windows(2).map(|two| [two[0], two[1]]);
        for two in neighbours.chain(margin) {
            if let Some((searched, file)) = difference(two)
                && !searched.is_empty()
                && smallest.is_none_or(|(least, _)| searched.len() < least.len())
            {
                smallest = Some((searched, file));
            }
        }
        let steps = smallest
            .and_then(|(searched, file)| step(searched, file, style))
            .filter(|steps| are_steps_of(steps, &pairs));

        let mut owned = Vec::with_capacity(pairs.len());
        for (searched, file) in pairs {
            owned.push((searched.to_owned(), file.to_owned()));
        }
        Some(Respelling {
            pairs: owned,
            steps,
        })
    }

    fn spelled(&self, indent: &str) -> Option<String> {
        if let Some((_, file)) = self.pairs.iter().find(|(searched, _)| searched == indent) {
            return Some(file.clone());
        }
        let (searched_step, file_step) = self.steps.as_ref()?;
        for (searched, file) in self.pairs.iter().rev() {
            if let Some(more) = indent.strip_prefix(searched.as_str()) {
                return Some(file.clone() + &file_step.repeat(times(more, searched_step)?));
            }
        }
        for (searched, file) in &self.pairs {
            if let Some(less) = searched.strip_prefix(indent) {
                let file_more = file_step.repeat(times(less, searched_step)?);
                return file.strip_suffix(&file_more).map(str::to_owned);
            }
        }
        None
    }
}

/// Whether equal indentations stay equal, and deeper ones stay deeper.
fn keeps_order(pairs: &[(&str, &str)]) -> bool {
    pairs.windows(2).all(|two| {
        let ((s1, f1), (s2, f2)) = (two[0], two[1]);
        s1 != s2 && (!s2.starts_with(s1) || (f2.starts_with(f1) && f1 != f2))
    })
}

/// What a deeper pair of indentations has more than a shallower one, on both sides.
fn difference<'t>([shallow, deep]: [(&'t str, &'t str); 2]) -> Option<(&'t str, &'t str)> {
    Some((
        deep.0.strip_prefix(shallow.0)?,
        deep.1.strip_prefix(shallow.1)?,
    ))
}

/// Whether all pairs agree on one step.
fn are_steps_of(steps: &(String, String), pairs: &[(&str, &str)]) -> bool {
    pairs.windows(2).all(|two| {
        let (shallow, deep) = (two[0], two[1]);
        let searched = n_steps(shallow.0, deep.0, &steps.0);
        let file = n_steps(shallow.1, deep.1, &steps.1);
        searched.is_none() || searched == file
    })
}

/// How many steps deeper an indentation is than another; `None` if it is not some whole steps.
fn n_steps(shallow: &str, deep: &str, step: &str) -> Option<usize> {
    times(deep.strip_prefix(shallow)?, step)
}

/// Whether indentations in the same characters differ only in the step: a constant ratio, from the
/// margin or from another margin. Any other difference is another structure, not another spelling.
fn is_plausible(pairs: &[(&str, &str)], style: Style) -> bool {
    let (Some((s1, f1)), Some((s2, f2))) = (pairs.first(), pairs.last()) else {
        return true;
    };
    let searched: String = pairs.iter().map(|(searched, _)| *searched).collect();
    let in_file: String = pairs.iter().map(|(_, file)| *file).collect();
    if searched.contains('\t') || in_file.contains('\t') {
        // With tabs only, one tab is one step.
        let has_spaces = searched.contains(' ') || in_file.contains(' ');
        return has_spaces || !searched.contains('\t') || !in_file.contains('\t');
    }

    let more_searched = s2.len().saturating_sub(s1.len());
    let more_in_file = f2.len().saturating_sub(f1.len());
    let n_steps = more_in_file / style.step();
    let is_step = n_steps > 0 && (1..=4).any(|step| step * n_steps == more_searched);
    let is_even = pairs.windows(2).all(|two| {
        let searched = two[1].0.len() - two[0].0.len();
        let file = two[1].1.len().saturating_sub(two[0].1.len());
        searched * more_in_file == file * more_searched
    });
    let is_proportional = s1.len() * f2.len() == s2.len() * f1.len();
    is_even && is_step && (is_proportional || (s1.is_empty() && pairs.len() > 2))
}

/// One step on both sides, from a difference of one or more steps.
fn step(searched: &str, file: &str, style: Style) -> Option<(String, String)> {
    if !is_uniform(searched) || !is_uniform(file) || file.is_empty() {
        return None;
    }
    // With tabs, as many steps as tabs; without, the file's own step decides.
    let n = match (searched.starts_with('\t'), file.starts_with('\t')) {
        (true, _) => searched.len(),
        (false, true) => file.len(),
        (false, false) => file.len() / style.step().min(file.len()),
    };
    Some((nth_part(searched, n)?, nth_part(file, n)?))
}

fn is_uniform(indent: &str) -> bool {
    indent.chars().all(|c| c == ' ') || indent.chars().all(|c| c == '\t')
}

/// One of `n` equal parts of an indentation, if it has such parts.
fn nth_part(indent: &str, n: usize) -> Option<String> {
    let is_whole = indent.len().is_multiple_of(n) && indent.len() >= n;
    is_whole.then(|| indent[..indent.len() / n].to_owned())
}

/// How many times `step` makes up `indent`; `None` if it does not.
fn times(indent: &str, step: &str) -> Option<usize> {
    let n = indent.len() / step.len();
    (step.repeat(n) == indent).then_some(n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locate::testing::rows;

    /// Columns: pairs of searched and file indentations, then what indentations of new lines become,
    /// `-` for none. Each is written with an `x` after it.
    #[track_caller]
    fn check(table: &str) {
        let haystack = Haystack::of_shown("a", "");
        for [pairs, new] in rows(table) {
            let pairs: Vec<(String, String)> = pairs.split(',').map(pair).collect();
            let pairs: Vec<_> = pairs
                .iter()
                .map(|(s, f)| (s.as_str(), f.as_str()))
                .collect();
            let indents = Indents::of(&haystack, &pairs).expect("regular");
            for (line, expected) in new.split(',').map(pair) {
                let fitted = indents.fitted(&format!("{line}x"), false, None);
                let expected = (expected != "-").then(|| format!("{expected}x"));
                assert_eq!(fitted, expected, "{line:?} by {indents:?}");
            }
        }
    }

    fn pair(written: &str) -> (String, String) {
        let (searched, file) = written.split_once('>').unwrap();
        let plain = |indent: &str| indent.trim_matches(' ').replace('_', " ").replace('x', "");
        (plain(searched), plain(file))
    }

    #[test]
    fn new_lines_are_indented_as_the_searched_ones_turned_out_to_be() {
        check(
            "
            x > ____x, __x > ______x          | x > ____x, ______x > __________x
            ____x > x, ________x > ____x      | ____x > x, x > -
            x > x, ____x > ⇥x                 | ________x > ⇥⇥x, ___x > -
            ____x > ⇥⇥x, ______x > ⇥⇥⇥x       | ________x > ⇥⇥⇥⇥x, __x > ⇥x
            ⇥x > ____x, ⇥⇥x > ________x       | x > x, ⇥⇥⇥x > ____________x
            x > x, __x > ____x                | ____x > ________x
            ____x > ⇥x                        | ____x > ⇥x, ________x > ⇥⇥x, x > x
            ",
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
        let deeper = Indents::Deeper {
            by: "  ".to_owned(),
            file: "    ".to_owned(),
        };
        let shallower = |file: &str| Indents::Shallower {
            by: "    ".to_owned(),
            file: file.to_owned(),
        };
        let same = Some(Indents::Same);
        let wide = shallower("    ");
        for (indents, new, tie, expected) in [
            (&deeper, vec!["  "], Tie::None, Some(deeper.clone())),
            (&deeper, vec!["    "], Tie::None, same.clone()),
            (&deeper, vec!["    "], Tie::One, same.clone()),
            (&deeper, vec!["    "], Tie::OneOpening, None),
            (&deeper, vec!["    "], Tie::Several, Some(deeper.clone())),
            (&deeper, vec!["", "    "], Tie::None, Some(deeper.clone())),
            (&wide, vec!["    "], Tie::None, None),
            (&shallower("  "), vec!["  "], Tie::None, same),
            (&wide, vec!["        "], Tie::None, Some(wide.clone())),
        ] {
            let fitted = indents.clone().for_new_lines(&new, tie);
            assert_eq!(fitted, expected, "{new:?} {tie:?}");
        }
    }
}
