//! Keeps the file's spelling in new lines: the quotes, dashes and commas of the text that they
//! share with the lines they replace.

use super::PlacedHunk;
use super::runs::ChangedRun;
use super::unfit::{Fit, Unfit};
use crate::locate::fold::{Fold, Folded, folded_line, indentation, is_blank, keyboard};
use crate::text::line_diff::diff;
use similar::{DiffOp, DiffTag};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use unicode_normalization::char::is_combining_mark;

impl<'t> PlacedHunk<'_, 't> {
    /// Spells the common part of a new line and the searched line that it replaces as in the file,
    /// with the file's quotes, dashes, and tabs and spaces between words.
    ///
    /// # Errors
    /// [`Unfit::Spelling`] if a new line repeats a word that the file spells otherwise, and replaces
    /// no single line. Then nothing says whether the word is the same.
    pub(super) fn keep_spelling(&self, run: &ChangedRun, inserted: &mut [String]) -> Fit<()> {
        let replaced = self.replaced_lines(run, inserted);
        let left: Vec<usize> = run
            .deleted
            .iter()
            .copied()
            .filter(|&nth| !replaced.contains(&Some(nth)))
            .collect();

        for (new, replaced) in inserted.iter_mut().zip(replaced) {
            if let Some(spelled) = replaced.and_then(|nth| self.respelled(nth, new)) {
                *new = spelled;
                continue;
            }
            let sources = replaced.as_ref().map_or(&left[..], std::slice::from_ref);
            for &nth in sources {
                if let Some(word) = self
                    .word_spelled_otherwise(nth, new)
                    .or_else(|| self.line_with_other_spaces(nth, new))
                {
                    let word = word.to_owned();
                    return Err(Unfit::Spelling { word });
                }
            }
        }
        Ok(())
    }

    /// The searched line that each new line replaces. Equal lines replace each other. Between those,
    /// lines are paired one by one if their numbers are equal.
    fn replaced_lines(&self, run: &ChangedRun, inserted: &[String]) -> Vec<Option<usize>> {
        let mut old = Vec::with_capacity(run.deleted.len());
        for &nth in &run.deleted {
            old.push(folded_line(Fold::Whitespace, self.old[nth]));
        }
        let mut new = Vec::with_capacity(inserted.len());
        for line in inserted {
            new.push(folded_line(Fold::Whitespace, line));
        }

        let mut replaced = vec![None; inserted.len()];
        for op in diff(&old, &new) {
            if op.old_range().len() == op.new_range().len() {
                for (nth, i) in op.old_range().zip(op.new_range()) {
                    replaced[i] = Some(run.deleted[nth]);
                }
            }
        }
        replaced
    }

    /// The new line, with the part that it shares with a searched line spelled as in the file.
    /// `None` if the file has the searched line verbatim, or differs from it in more than spelling.
    fn respelled(&self, nth: usize, new: &str) -> Option<String> {
        // The indentation is fitted already.
        let found = without_indentation(self.found(nth)?.trim_end());
        let searched = without_indentation(self.old[nth].trim_end());
        let (indent, new) = new.split_at(indentation(new).len());
        if found == searched {
            return None;
        }

        let found_plain = Folded::new(Fold::Unicode, found);
        let old_plain = Folded::new(Fold::Unicode, searched);
        let new_plain = Folded::new(Fold::Unicode, new);
        let found_signs = signs(&found_plain.text);
        let old_signs = signs(&old_plain.text);
        let new_signs = signs(&new_plain.text);
        if !are_alike(&found_signs, &old_signs) {
            return None;
        }
        let ops = diff(&old_signs, &new_signs);
        // With other quotes on one side of a text, the new line would be torn.
        if has_other_quotes(&found_signs, &old_signs)
            && ops
                .iter()
                .any(|op| changes_quotes(op, &old_signs, &new_signs))
        {
            return None;
        }

        let found_at = offsets(&found_signs);
        let new_at = offsets(&new_signs);
        let mut spelled = indent.to_owned();
        for op in ops {
            for (i, nth) in op.new_range().enumerate() {
                let mut sign = new_plain.slice(new, new_at[nth]..new_at[nth + 1])?;
                if op.tag() == DiffTag::Equal {
                    let nth = op.old_range().start + i;
                    let in_file = found_plain.slice(found, found_at[nth]..found_at[nth + 1])?;
                    // One space is usual. Tabs and several spaces are copied badly.
                    if sign != " " || !is_space(in_file) {
                        sign = in_file;
                    }
                }
                spelled.push_str(sign);
            }
        }
        Some(spelled)
    }

    /// The file's line, if the searched line has tabs or several spaces where the file has others,
    /// and the new line has the same ones between the same two letters.
    fn line_with_other_spaces(&self, nth: usize, new: &str) -> Option<&'t str> {
        let found = self.found(nth)?.trim();
        let searched = self.old[nth].trim();
        let found_signs = signs(found);
        let old_signs = signs(searched);
        let new_signs = signs(new.trim());
        if found == searched || found_signs.len() != old_signs.len() {
            return None;
        }

        for (found_three, old_three) in found_signs.windows(3).zip(old_signs.windows(3)) {
            let (in_file, space) = (found_three[1], old_three[1]);
            let is_other =
                is_space(space) && space != in_file && (space != " " || !in_file.is_ascii());
            if is_other && new_signs.windows(3).any(|new| new == old_three) {
                return Some(found);
            }
        }
        None
    }

    /// A word of the file's line that both the searched line and the new line spell differently, as
    /// a keyboard does or otherwise.
    fn word_spelled_otherwise(&self, nth: usize, new: &str) -> Option<&'t str> {
        let found = self.found(nth)?;
        let searched = self.old[nth];
        if found == searched || found.is_ascii() {
            return None;
        }
        let as_searched: HashSet<&str> = quoted_words(searched).collect();
        let plain: HashSet<Cow<str>> = as_searched
            .iter()
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

    /// Replaces a word processor's quote or dash in new lines by the keyboard's. It does so if the
    /// searched lines have the same character and the file has none like it.
    pub(super) fn keep_to_keyboard(&self, run: &ChangedRun, inserted: &mut [String]) {
        if inserted.iter().all(|line| line.is_ascii()) {
            return;
        }
        // The deleted lines tell best; if there are none, all searched lines do.
        let mut searched = String::new();
        let mut in_file = String::new();
        for nth in 0..self.old.len() {
            if run.deleted.is_empty() || run.deleted.contains(&nth) {
                searched += self.old[nth];
                in_file += self.found(nth).unwrap_or_default();
            }
        }

        for line in inserted.iter_mut().filter(|line| !line.is_ascii()) {
            let mut plain = String::with_capacity(line.len());
            for c in line.chars() {
                let is_searched_only = searched.contains(c) && !in_file.contains(c);
                plain.push(keyboard(c).filter(|_| is_searched_only).unwrap_or(c));
            }
            *line = plain;
        }
    }

    /// Keeps the file's comma or semicolon, which matching ignored, in the line that replaces the
    /// searched one. Fails if no single line replaces it: a list might lose the comma between two
    /// elements.
    pub(super) fn keep_line_ends(&self, run: &ChangedRun, inserted: &mut [String]) -> Fit<()> {
        if inserted.is_empty() {
            return Ok(());
        }
        if let Some(kept) = run.before.and_then(|nth| self.other_end(nth))
            && (kept.in_file.contains(',') || kept.searched.contains(','))
        {
            return Err(kept.unfit());
        }
        if run.deleted.len() != inserted.len() {
            let other = run.deleted.iter().find_map(|&nth| self.other_end(nth));
            return other.map_or(Ok(()), |other| Err(other.unfit()));
        }

        for (&nth, new) in run.deleted.iter().zip(inserted) {
            if let Some(other) = self.other_end(nth) {
                let len = new.trim_end().len();
                let end = line_end(new);
                let body = &new[..len - end.len()];
                let is_opening = body.ends_with(['{', '(', '[', ':']);
                if end == other.searched && !is_blank(body) && !is_opening {
                    *new = format!("{body}{}{}", other.in_file, &new[len..]);
                }
            }
        }
        Ok(())
    }

    /// How a searched line ends in the file, if it ends otherwise there.
    fn other_end(&self, nth: usize) -> Option<OtherEnd<'_>> {
        let line = self.found(nth)?;
        let other = OtherEnd {
            line: line.trim(),
            in_file: line_end(line),
            searched: line_end(self.old[nth]),
        };
        (other.in_file != other.searched).then_some(other)
    }
}

/// A line that ends with other commas and semicolons in the file than in the searched text.
struct OtherEnd<'a> {
    /// The file's line.
    line: &'a str,
    in_file: &'a str,
    searched: &'a str,
}

impl OtherEnd<'_> {
    fn unfit(&self) -> Unfit {
        Unfit::LineEnd {
            line: self.line.to_owned(),
        }
    }
}

/// The commas and semicolons at the end of a line.
fn line_end(line: &str) -> &str {
    let line = line.trim_end();
    &line[line.trim_end_matches([',', ';']).len()..]
}

fn without_indentation(line: &str) -> &str {
    &line[indentation(line).len()..]
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

/// Whether two lines differ in their quotes and spaces at most.
fn are_alike(found: &[&str], old: &[&str]) -> bool {
    found.len() == old.len()
        && found.iter().zip(old).all(|(found, old)| {
            found == old || (is_space(found) && is_space(old)) || (is_quote(found) && is_quote(old))
        })
}

fn has_other_quotes(found: &[&str], old: &[&str]) -> bool {
    let mut pairs = found.iter().zip(old);
    pairs.any(|(found, old)| is_quote(found) && found != old)
}

/// Whether a step of a diff removes or adds quotes.
fn changes_quotes(op: &DiffOp, old: &[&str], new: &[&str]) -> bool {
    let mut signs = old[op.old_range()].iter().chain(&new[op.new_range()]);
    op.tag() != DiffTag::Equal && signs.any(|sign| is_quote(sign))
}

/// The byte offset of each sign, and of the end.
fn offsets(signs: &[&str]) -> Vec<usize> {
    let mut offsets = vec![0];
    for sign in signs {
        offsets.push(offsets[offsets.len() - 1] + sign.len());
    }
    offsets
}

/// Words, including the quotes, dashes and operators next to them.
fn quoted_words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| c.is_whitespace() || ",;:.()[]".contains(c))
        .filter(|word| !word.is_empty())
}
