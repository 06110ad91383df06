//! Turns a hunk and its place into replacements: the other half of every rung of the ladder.
//!
//! Lines that stay keep their bytes, with their whitespace, quotes and line endings. Only the text
//! between them is replaced. Every deleted line of the file was searched, or is blank. New lines
//! differ in indentation from the searched lines as the file does.

mod exchange;
mod indents;
mod runs;
mod spelling;
mod unfit;

pub use unfit::Unfit;

use super::fold::{indentation, is_blank};
use super::found::{Located, Lookup, Place, Rung};
use super::haystack::Haystack;
use crate::edit::{Replacement, keep_continued_lines, opens_block, without_blank_lines};
use crate::hunk::{Count, Extent, FinalNewline, Hunk, HunkLine, Tag};
use exchange::{Exchange, insert};
use indents::{Indents, Tie};
use runs::{ChangedRun, runs};
use spelling::{Pairs, keep_line_ends, keep_spelling, keep_to_keyboard};
use std::ops::Range;
use unfit::Fit;

/// The replacements at a place.
pub(super) fn replacements(
    haystack: &Haystack,
    hunk: &Hunk,
    place: &Place,
    rung: Rung,
) -> Fit<Vec<Replacement>> {
    let spans = place.spans(haystack, hunk);
    if matches!(rung, Rung::BlankLines | Rung::Fuzzy)
        && hunk
            .lines
            .iter()
            .all(|line| line.tag == Tag::Keep || is_blank(&line.text))
    {
        return Err(Unfit::BlankLines);
    }
    if rung == Rung::Fuzzy {
        // If the searched text leaves lines out, it is unknown which of two equal lines stays.
        let stays = |text: &str| {
            hunk.lines
                .iter()
                .any(|line| line.tag == Tag::Keep && line.text.trim() == text.trim())
        };
        if hunk
            .lines
            .iter()
            .any(|line| line.tag == Tag::Delete && stays(&line.text))
        {
            return Err(Unfit::Unmentioned {
                lines: place.lines(haystack, hunk),
            });
        }
        // A line that moves may pass them, as a setting does that gets into another section.
        let texts_of = |tag: Tag| {
            let lines = hunk.lines.iter().filter(move |line| line.tag == tag);
            lines
                .map(|line| line.text.trim())
                .filter(|text| !text.is_empty())
        };
        let moves = texts_of(Tag::Delete).any(|gone| texts_of(Tag::Insert).any(|new| new == gone));
        if moves && leaves_out_lines(haystack, hunk, place) {
            return Err(Unfit::Unmentioned {
                lines: place.lines(haystack, hunk),
            });
        }
    }
    let indents = indents(haystack, hunk, place, &spans)?;
    let old: Vec<&str> = hunk.old().collect();
    let pairs = Pairs {
        shown: haystack.shown,
        old: &old,
        spans: &spans,
    };
    let mut replacements = Vec::new();
    for run in runs(hunk, &spans) {
        let mut inserted: Vec<String> = Vec::with_capacity(run.inserted.len());
        let is_first = |i: usize| run.before.is_none() && i == 0;
        for (i, line) in run.inserted.iter().enumerate() {
            let replaced = run
                .deleted
                .get(i)
                .filter(|_| run.deleted.len() == run.inserted.len());
            let depths = |&nth: &usize| {
                Some((
                    indentation(old[nth]),
                    indentation(&haystack.shown[spans[nth].clone()?]),
                ))
            };
            let fitted = indents.fitted(line, is_first(i), replaced.and_then(depths));
            inserted.push(fitted.ok_or_else(|| Unfit::Indentation {
                line: line.trim().to_owned(),
            })?);
        }
        if rung >= Rung::Unicode {
            keep_spelling(&pairs, &run, &mut inserted)?;
            keep_to_keyboard(&pairs, &run, &mut inserted);
        }
        if rung == Rung::Fuzzy {
            keep_line_ends(&pairs, &run, &mut inserted)?;
        }
        let exchange = Exchange {
            haystack,
            hunk,
            spans: &spans,
            indents: &indents,
            rung,
        };
        exchange.of_run(&run, inserted, &mut replacements)?;
    }
    if let Some(newline) = hunk.final_newline {
        set_final_newline(haystack, &spans, newline, &mut replacements);
    }
    if !haystack.keeps_whitespace {
        for replacement in &mut replacements {
            let Range { start, end } = replacement.range;
            let starts_line =
                start == 0 || matches!(haystack.shown.as_bytes()[start - 1], b'\n' | b'\r');
            let ends_line = haystack
                .shown
                .as_bytes()
                .get(end)
                .is_none_or(|&b| matches!(b, b'\n' | b'\r'));
            replacement.new = without_blank_lines(
                &replacement.new,
                starts_line,
                ends_line || replacement.new.ends_with('\n'),
            );
        }
    }
    Ok(keep_continued_lines(haystack.shown, replacements))
}

/// Whether the file has lines between the searched ones that are not blank.
fn leaves_out_lines(haystack: &Haystack, hunk: &Hunk, place: &Place) -> bool {
    let is_text = |&i: &usize| !is_blank(haystack.line_text(i));
    let n_searched = hunk.old().filter(|line| !is_blank(line)).count();
    place.lines(haystack, hunk).filter(is_text).count() > n_searched
}

/// Whether the indentation of the place differs from the searched one by the same shift in all
/// lines, or only in the first line.
pub(super) fn is_shifted(haystack: &Haystack, hunk: &Hunk, place: &Place) -> bool {
    let indents = Indents::of(
        haystack,
        &indent_pairs(haystack, hunk, &place.spans(haystack, hunk)),
    );
    !matches!(indents, None | Some(Indents::Respelled(_)))
}

/// Whether the place is indented exactly as wide as the searched lines, if a tab of theirs is one
/// step of a file that is indented with spaces. How wide a tab of the file is, nothing says.
pub(super) fn is_as_wide(haystack: &Haystack, hunk: &Hunk, place: &Place) -> bool {
    let style = haystack.style();
    let is_as_wide = |(searched, file): &(&str, &str)| {
        searched == file || (!file.contains('\t') && style.columns(searched) == file.len())
    };
    indent_pairs(haystack, hunk, &place.spans(haystack, hunk))
        .iter()
        .all(is_as_wide)
}

/// Whether new lines can be indented at this place. The indentation equals the searched one or
/// differs regularly, or new lines only replace others.
pub(super) fn is_regular(haystack: &Haystack, hunk: &Hunk, place: &Place) -> bool {
    indents_of(haystack, hunk, &place.spans(haystack, hunk)).is_some()
}

fn indents_of(haystack: &Haystack, hunk: &Hunk, spans: &[Option<Range<usize>>]) -> Option<Indents> {
    let pairs = indent_pairs(haystack, hunk, spans);
    // An irregular indentation means another structure, while no indentation at all means that the
    // text lost it.
    let is_flat = pairs.windows(2).all(|two| two[0].0 == two[1].0);
    Indents::of(haystack, &pairs).or_else(|| {
        if !is_flat {
            return None;
        }
        let old: Vec<&str> = hunk.old().collect();
        let is_line_for_line = |run: &ChangedRun| {
            let as_deep = |(&nth, new): (&usize, &&str)| {
                is_blank(new) || indentation(old[nth]) == indentation(new)
            };
            run.inserted.is_empty()
                || (run.deleted.len() == run.inserted.len()
                    && run.deleted.iter().zip(&run.inserted).all(as_deep))
        };
        runs(hunk, spans)
            .iter()
            .all(is_line_for_line)
            .then_some(Indents::LineForLine)
    })
}

fn indents(
    haystack: &Haystack,
    hunk: &Hunk,
    place: &Place,
    spans: &[Option<Range<usize>>],
) -> Fit<Indents> {
    if let Place::Text(range) = place {
        return Ok(after_indentation(haystack, hunk, range).unwrap_or(Indents::Same));
    }
    let unfit = || Unfit::Indentation {
        line: hunk.new().next().unwrap_or_default().trim().to_owned(),
    };
    let indents = indents_of(haystack, hunk, spans).ok_or_else(unfit)?;
    let is_text = |line: &&HunkLine| !is_blank(&line.text);
    let tie = match hunk
        .lines
        .iter()
        .filter(is_text)
        .find(|line| line.tag == Tag::Keep)
    {
        // A single kept line may have lost its indentation while the new lines kept theirs. Then
        // the new lines decide, unless it opens a block.
        Some(only) if hunk.old().filter(|line| !is_blank(line)).count() == 1 => {
            match opens_block(&only.text) {
                true => Tie::OneOpening,
                false => Tie::One,
            }
        }
        Some(_) => Tie::Several,
        None => Tie::None,
    };
    let inserted = || {
        let lines = hunk
            .lines
            .iter()
            .filter(|line| line.tag == Tag::Insert)
            .filter(is_text);
        lines.map(|line| indentation(&line.text))
    };
    let fitted = indents
        .clone()
        .for_new_lines(inserted(), tie)
        .ok_or_else(unfit)?;
    // New lines that are as deep as one of the searched lines were not surely written with the file
    // in view.
    let shallowest = inserted().min_by_key(|indent| indent.len());
    let is_searched = hunk
        .old()
        .any(|line| !is_blank(line) && Some(indentation(line)) == shallowest);
    match matches!(indents, Indents::Deeper { .. }) && fitted == Indents::Same && is_searched {
        true => Err(unfit()),
        false => Ok(fitted),
    }
}

/// For a text that begins at the first letter of an indented line. Its other lines are indented
/// either as in the file, or as if the first line had no indentation.
fn after_indentation(haystack: &Haystack, hunk: &Hunk, range: &Range<usize>) -> Option<Indents> {
    let line = haystack.lines.get(haystack.line_at(range.start))?;
    let indent = haystack
        .shown
        .get(line.start..range.start)
        .filter(|indent| !indent.is_empty() && is_blank(indent))?;
    let last = haystack.lines[haystack.line_at(range.end.max(range.start + 1) - 1)];
    let ends_line = is_blank(&haystack.shown[range.end.min(last.end)..last.end]);
    if !ends_line
        || hunk
            .old()
            .next()
            .is_some_and(|first| is_blank(first) || first.starts_with([' ', '\t']))
    {
        return None;
    }
    let is_text = |line: &&str| !is_blank(line);
    let searched_more = hunk.old().skip(1).any(|line| is_text(&line));
    let is_dedented = !searched_more
        && !hunk
            .new()
            .skip(1)
            .filter(is_text)
            .all(|line| line.starts_with(indent));
    Some(Indents::After {
        indent: indent.to_owned(),
        is_dedented,
    })
}

/// The indentation of each non-blank searched line, and the file's indentation there.
fn indent_pairs<'a>(
    haystack: &'a Haystack,
    hunk: &'a Hunk,
    spans: &[Option<Range<usize>>],
) -> Vec<(&'a str, &'a str)> {
    let found = hunk
        .old()
        .zip(spans)
        .filter_map(|(line, span)| Some((line, &haystack.shown[span.clone()?])));
    found
        .filter(|(line, _)| !is_blank(line))
        .map(|(line, found)| (indentation(line), indentation(found)))
        .collect()
}

/// Inserts a hunk that has no line to search for, by its hints or into an empty file. `drift`: how
/// many lines the neighbouring hunks are off.
pub(super) fn insertion_without_context(
    haystack: &Haystack,
    hunk: &Hunk,
    drift: Option<isize>,
) -> Fit<Lookup> {
    let n_lines = haystack.lines.len();
    let hinted = hunk
        .hints
        .line
        .zip(drift)
        .and_then(|(line, drift)| line.checked_add_signed(drift));
    let line = match (&hunk.hints, n_lines) {
        (_, 0) => 0,
        (hints, _) if hints.at_end => n_lines,
        _ => hinted
            .filter(|&line| line <= n_lines + 1)
            .ok_or(Unfit::Nowhere)?
            .saturating_sub(1),
    };
    let ending = haystack.ending_at(line);
    let text = hunk.new().collect::<Vec<_>>().join(ending);
    let ends_without = hunk.final_newline.is_some_and(|newline| !newline.after);
    let lacks_final_newline = haystack
        .lines
        .last()
        .is_some_and(|line| line.next == line.end);
    let replacement = match haystack.lines.get(line) {
        Some(line) => insert(line.start, format!("{text}{ending}")),
        None if hunk.extent == Extent::Text => insert(haystack.shown.len(), text),
        // A file without a final newline stays without one.
        None if lacks_final_newline => insert(haystack.shown.len(), format!("{ending}{text}")),
        None if ends_without => insert(haystack.shown.len(), text),
        None => insert(haystack.shown.len(), format!("{text}{ending}")),
    };
    debug_assert!(hunk.count == Count::One);
    let place = line..line;
    Ok(Lookup::Here(Located {
        rung: Rung::Exact,
        replacements: vec![replacement],
        lines: vec![place],
    }))
}

/// Applies `\ No newline at end of file`, if the hunk reaches the end and changes the newline
/// there.
fn set_final_newline(
    haystack: &Haystack,
    spans: &[Option<Range<usize>>],
    newline: FinalNewline,
    replacements: &mut Vec<Replacement>,
) {
    let len = haystack.shown.len();
    let Some(last) = haystack.lines.last() else {
        return;
    };
    let reaches_end = spans.iter().flatten().any(|span| span.end == last.end);
    let has_newline = last.next > last.end;
    if !reaches_end || newline.before == newline.after || has_newline == newline.after {
        return;
    }
    let at = if has_newline { last.end } else { len };
    let new = if newline.after { "\n" } else { "" };
    match replacements
        .last_mut()
        .filter(|replacement| replacement.range.end >= at)
    {
        Some(replacement) => {
            replacement.range.end = len;
            if newline.after {
                replacement.new.push('\n');
            } else if replacement.new.ends_with('\n') {
                replacement.new.pop();
            }
        }
        None => replacements.push(Replacement {
            range: at..len,
            new: new.to_owned(),
        }),
    }
}
