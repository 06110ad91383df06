//! Keeps the file's spelling in new lines: the quotes, dashes and commas of the text that they
//! share with the lines they replace.

use super::runs::ChangedRun;
use super::unfit::{Fit, Unfit};
use crate::locate::fold::{Fold, Folded, folded_line, indentation, is_blank, keyboard};
use crate::text::line_diff::diff;
use similar::{DiffOp, DiffTag};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use unicode_normalization::char::is_combining_mark;

/// The searched lines, and the file's text in their places.
pub(super) struct Pairs<'a> {
    /// The file's text.
    pub shown: &'a str,
    /// The searched lines.
    pub old: &'a [&'a str],
    /// The byte range of each of them; `None` for a blank line that the file lacks.
    pub spans: &'a [Option<Range<usize>>],
}

impl<'a> Pairs<'a> {
    /// The file's text in place of a searched line.
    pub fn found(&self, nth: usize) -> Option<&'a str> {
        self.spans[nth].clone().map(|span| &self.shown[span])
    }
}

/// Spells the common part of a new line and the searched line that it replaces as in the file, with
/// the file's quotes, dashes, and tabs and spaces between words.
///
/// # Errors
/// [`Unfit::Spelling`] if a new line repeats a word that the file spells otherwise, and replaces no
/// single line. Then nothing says whether the word is the same.
pub(super) fn keep_spelling(pairs: &Pairs, run: &ChangedRun, inserted: &mut [String]) -> Fit<()> {
    let replaced = replaced_lines(pairs, run, inserted);
    let left: Vec<usize> = run
        .deleted
        .iter()
        .copied()
        .filter(|&nth| !replaced.contains(&Some(nth)))
        .collect();
    for (new, replaced) in inserted.iter_mut().zip(replaced) {
        if let Some(spelled) = replaced.and_then(|nth| respelled(pairs, nth, new)) {
            *new = spelled;
            continue;
        }
        let sources = replaced.as_ref().map_or(&left[..], std::slice::from_ref);
        let otherwise = |&nth: &usize| {
            word_spelled_otherwise(pairs, nth, new)
                .or_else(|| line_with_other_spaces(pairs, nth, new))
        };
        if let Some(word) = sources.iter().find_map(otherwise) {
            return Err(Unfit::Spelling {
                word: word.to_owned(),
            });
        }
    }
    Ok(())
}

/// The searched line that each new line replaces. Equal lines replace each other. Between those,
/// lines are paired one by one if their numbers are equal.
fn replaced_lines(pairs: &Pairs, run: &ChangedRun, inserted: &[String]) -> Vec<Option<usize>> {
    let old: Vec<_> = run
        .deleted
        .iter()
        .map(|&nth| folded_line(Fold::Whitespace, pairs.old[nth]))
        .collect();
    let new: Vec<_> = inserted
        .iter()
        .map(|line| folded_line(Fold::Whitespace, line))
        .collect();
    let mut replaced = vec![None; inserted.len()];
    for op in diff(&old, &new) {
        let (_, from, to) = op.as_tag_tuple();
        if from.len() == to.len() {
            for (nth, i) in from.zip(to) {
                replaced[i] = Some(run.deleted[nth]);
            }
        }
    }
    replaced
}

/// The new line, with the part that it shares with a searched line spelled as in the file. `None`
/// if the file has the searched line verbatim, or differs from it in more than spelling.
fn respelled(pairs: &Pairs, nth: usize, new: &str) -> Option<String> {
    let (found, searched) = (pairs.found(nth)?.trim_end(), pairs.old[nth].trim_end());
    // Another rung handles the indentation.
    let (indent, new) = new.split_at(indentation(new).len());
    let (found, searched) = (
        &found[indentation(found).len()..],
        &searched[indentation(searched).len()..],
    );
    if found == searched {
        return None;
    }
    let plain = |text| Folded::new(Fold::Unicode, text);
    let (found_plain, old_plain, new_plain) = (plain(found), plain(searched), plain(new));
    let found_signs = signs(&found_plain.text);
    let (old_signs, new_signs) = (signs(&old_plain.text), signs(&new_plain.text));
    let is_same = |(found, old): (&&str, &&str)| {
        found == old || (is_space(found) && is_space(old)) || (is_quote(found) && is_quote(old))
    };
    if found_signs.len() != old_signs.len() || !found_signs.iter().zip(&old_signs).all(is_same) {
        return None;
    }
    let ops = diff(&old_signs, &new_signs);
    let changes_quotes = found_signs
        .iter()
        .zip(&old_signs)
        .any(|(f, o)| is_quote(f) && f != o);
    let are_quotes_kept = |op: &DiffOp| {
        let signs = [&old_signs[op.old_range()], &new_signs[op.new_range()]];
        op.tag() == DiffTag::Equal || !signs.concat().into_iter().any(is_quote)
    };
    // With other quotes on one side of a text, the new line would be torn.
    if changes_quotes && !ops.iter().all(are_quotes_kept) {
        return None;
    }
    let (found_at, new_at) = (offsets(&found_signs), offsets(&new_signs));
    let mut spelled = indent.to_owned();
    for op in ops {
        for (i, nth) in op.new_range().enumerate() {
            let mut sign = new_plain.slice(new, new_at[nth]..new_at[nth + 1])?;
            if op.tag() == DiffTag::Equal {
                let nth = op.old_range().start + i;
                let in_file = found_plain.slice(found, found_at[nth]..found_at[nth + 1])?;
                // One space is what everybody writes. Tabs and several spaces are copied badly.
                if sign != " " || !is_space(in_file) {
                    sign = in_file;
                }
            }
            spelled.push_str(sign);
        }
    }
    Some(spelled)
}

/// The characters of a text, each with its accents: the accent that [`Folded`] takes off a letter
/// has no place of its own in the file. Spaces and tabs in a row are one.
fn signs(text: &str) -> Vec<&str> {
    let mut signs = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        let n_accents = after.len() - after.trim_start_matches(is_combining_mark).len();
        let len = indentation(rest).len().max(c.len_utf8() + n_accents);
        signs.push(&rest[..len]);
        rest = &rest[len..];
    }
    signs
}

fn is_quote(sign: &str) -> bool {
    matches!(sign, "\"" | "'" | "`")
}

fn is_space(sign: &str) -> bool {
    sign.starts_with([' ', '\t'])
}

/// The byte offset of each sign, and of the end.
fn offsets(signs: &[&str]) -> Vec<usize> {
    let mut offsets = vec![0];
    for sign in signs {
        offsets.push(offsets[offsets.len() - 1] + sign.len());
    }
    offsets
}

/// The file's line, if the searched line has tabs or several spaces where the file has others, and
/// the new line has the same ones between the same two letters.
fn line_with_other_spaces<'a>(pairs: &Pairs<'a>, nth: usize, new: &str) -> Option<&'a str> {
    let (found, searched) = (pairs.found(nth)?.trim(), pairs.old[nth].trim());
    let (found_signs, old_signs, new_signs) = (signs(found), signs(searched), signs(new.trim()));
    if found == searched || found_signs.len() != old_signs.len() {
        return None;
    }
    let is_repeated = |(found, old): (&[&str], &[&str])| {
        is_space(old[1])
            && (old[1] != " " || !found[1].is_ascii())
            && old[1] != found[1]
            && new_signs.windows(3).any(|new| new == old)
    };
    found_signs
        .windows(3)
        .zip(old_signs.windows(3))
        .any(is_repeated)
        .then_some(found)
}

/// A word of the file's line that both the searched line and the new line spell differently, as a
/// keyboard does or otherwise.
fn word_spelled_otherwise<'a>(pairs: &Pairs<'a>, nth: usize, new: &str) -> Option<&'a str> {
    let (found, searched) = (pairs.found(nth)?, pairs.old[nth]);
    if found == searched || found.is_ascii() {
        return None;
    }
    let as_searched: HashSet<&str> = quoted_words(searched).collect();
    let plain: HashSet<Cow<str>> = quoted_words(searched)
        .map(|word| folded_line(Fold::Unicode, word))
        .collect();
    let mut otherwise: HashMap<Cow<str>, &str> = HashMap::new();
    for word in quoted_words(found).filter(|word| !word.is_ascii()) {
        let plain_word = folded_line(Fold::Unicode, word);
        if !as_searched.contains(word) && plain.contains(&plain_word) {
            otherwise.insert(plain_word, word);
        }
    }
    quoted_words(new).find_map(|word| {
        let in_file = *otherwise.get(&folded_line(Fold::Unicode, word))?;
        (in_file != word).then_some(in_file)
    })
}

/// Words, including the quotes, dashes and operators next to them.
fn quoted_words(line: &str) -> impl Iterator<Item = &str> {
    let is_between =
        |c: char| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '.' | '(' | ')' | '[' | ']');
    line.split(is_between).filter(|word| !word.is_empty())
}

/// Replaces a word processor's quote or dash in new lines by the keyboard's. It does so if the
/// searched lines have the same character and the file has none like it.
pub(super) fn keep_to_keyboard(pairs: &Pairs, run: &ChangedRun, inserted: &mut [String]) {
    if inserted.iter().all(|line| line.is_ascii()) {
        return;
    }
    // The deleted lines tell best; if there are none, all searched lines do.
    let looked_at =
        || (0..pairs.old.len()).filter(|nth| run.deleted.is_empty() || run.deleted.contains(nth));
    let is_in_file = |c: char| {
        looked_at()
            .filter_map(|nth| pairs.found(nth))
            .any(|found| found.contains(c))
    };
    let is_searched = |c: char| looked_at().any(|nth| pairs.old[nth].contains(c));
    for line in inserted {
        if !line.is_ascii() {
            let plain = |c: char| {
                keyboard(c)
                    .filter(|_| is_searched(c) && !is_in_file(c))
                    .unwrap_or(c)
            };
            *line = line.chars().map(plain).collect();
        }
    }
}

/// The commas and semicolons at the end of a line.
fn line_end(line: &str) -> &str {
    let line = line.trim_end();
    &line[line.trim_end_matches([',', ';']).len()..]
}

/// Keeps the file's comma or semicolon, which matching ignored, in the line that replaces the
/// searched one. Fails if no single line replaces it: a list might lose the comma between two
/// elements.
pub(super) fn keep_line_ends(pairs: &Pairs, run: &ChangedRun, inserted: &mut [String]) -> Fit<()> {
    let ends = |nth: usize| {
        let found = pairs.found(nth)?;
        let (file, searched) = (line_end(found), line_end(pairs.old[nth]));
        (file != searched).then_some((found.trim(), file, searched))
    };
    if inserted.is_empty() {
        return Ok(());
    }
    let kept = run
        .before
        .and_then(ends)
        .filter(|(_, file, searched)| file.contains(',') || searched.contains(','));
    if let Some((line, ..)) = kept {
        return Err(Unfit::LineEnd {
            line: line.to_owned(),
        });
    }
    if run.deleted.len() != inserted.len() {
        return match run.deleted.iter().find_map(|&nth| ends(nth)) {
            Some((line, ..)) => Err(Unfit::LineEnd {
                line: line.to_owned(),
            }),
            None => Ok(()),
        };
    }
    for (&nth, new) in run.deleted.iter().zip(inserted) {
        let Some((_, file, searched)) = ends(nth) else {
            continue;
        };
        let (len, end) = (new.trim_end().len(), line_end(new));
        let body = &new[..len - end.len()];
        if end == searched && !is_blank(body) && !body.ends_with(['{', '(', '[', ':']) {
            *new = format!("{body}{file}{}", &new[len..]);
        }
    }
    Ok(())
}
