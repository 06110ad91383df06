//! The one answer that is taught where several would make the same edit.
//!
//! A small model learns what it can see in one place. Where in a line an excerpt should begin
//! depends on what changes there and on where else the words stand: a model would have to know both
//! before its first token. So an excerpt is a whole line, which is copied twice, the second time
//! with the change; of a very long line what changes, in whole words, grown to the left until it
//! has a name in it and stands once. A line is inserted at the neighbour that the task speaks of,
//! without the indentation that the program gives it; the neighbour is named without its own.

use slotwright::edit::{EditSet, place, place_name};
use slotwright::slots::{Insert, Operation, Position, Replace, Slots};
use slotwright::text::ident::is_ident_char;
use slotwright::text::{Shown, Text};

/// An edit that is known, and what of the file is shown.
#[derive(Clone, Copy)]
pub struct KnownEdit<'a> {
    pub task: &'a str,
    pub path: &'a str,
    pub before: &'a Text,
    pub shown: &'a Shown,
    pub after: &'a str,
}

/// Lines that stay, before and after those that do not.
struct Changed<'t> {
    /// The number of equal lines above.
    above: usize,
    old: Vec<&'t str>,
    new: Vec<&'t str>,
}

fn changed<'t>(before: &'t str, after: &'t str) -> Changed<'t> {
    let lines = |text: &'t str| {
        text.strip_suffix('\n')
            .unwrap_or(text)
            .split('\n')
            .collect::<Vec<_>>()
    };
    let (old, new) = (lines(before), lines(after));
    let above = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let most_below = old.len().min(new.len()) - above;
    let below = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(most_below)
        .take_while(|(a, b)| a == b)
        .count();
    Changed {
        above,
        old: old[above..old.len() - below].to_vec(),
        new: new[above..new.len() - below].to_vec(),
    }
}

/// How many lines give way, and to how many.
pub fn n_changed(before: &str, after: &str) -> (usize, usize) {
    let changed = changed(before, after);
    (changed.old.len(), changed.new.len())
}

/// Which operation makes this edit.
pub fn operation(before: &str, after: &str) -> Operation {
    let (n_old, _) = n_changed(before, after);
    if n_old == 0 && !before.trim().is_empty() {
        Operation::Insert
    } else {
        Operation::Replace
    }
}

/// The slots that make this edit of what is shown, and that are taken.
pub fn slots(edit: KnownEdit, is_taken: impl Fn(&Slots) -> bool) -> Option<Slots> {
    let KnownEdit {
        task,
        path,
        before,
        shown,
        after,
    } = edit;
    let makes_it = |slots: &Slots| -> bool {
        let Ok(Some(edit)) = place(slots, shown) else {
            return false;
        };
        EditSet::of(&edit, path, before).is_ok_and(|set| {
            set.apply(before)
                .is_ok_and(|bytes| bytes == after.as_bytes())
        })
    };
    let candidates = match operation(before.shown(), after) {
        Operation::Insert => insertions(task, before.shown(), shown, after),
        _ => {
            let named = blocks(before.shown(), shown, after);
            named
                .into_iter()
                .chain(replacements(task, before.shown(), shown, after))
                .collect()
        }
    };
    candidates
        .into_iter()
        .find(|slots| is_taken(slots) && makes_it(slots))
}

/// Best first.
fn insertions(task: &str, before: &str, shown: &Shown, after: &str) -> Vec<Slots> {
    let changed = changed(before, after);
    let lines: Vec<&str> = before.split('\n').collect();
    let mut candidates: Vec<(i64, Slots)> = Vec::new();
    // The same lines can be inserted a little higher where the line above is the last of them.
    let mut new = changed.new.clone();
    let mut at = changed.above;
    for _ in 0..4 {
        for (idx, position) in [
            (at.checked_sub(1), Position::After),
            (Some(at), Position::Before),
        ] {
            let Some((idx, line)) = idx.and_then(|idx| lines.get(idx).map(|line| (idx, *line)))
            else {
                continue;
            };
            if line.trim().is_empty() {
                continue;
            }
            let is_blank = |line: Option<&&str>| line.is_none_or(|line| line.trim().is_empty());
            let mut texts = vec![dedented(&new), new.join("\n")];
            if is_blank(new.last()) {
                // The program takes one newline at the end for that of the last line.
                texts.extend([dedented(&new) + "\n", new.join("\n") + "\n"]);
            }
            for text in texts {
                let score = 10 * words_shared(line, task)
                    + 2 * i64::from(before.matches(line).count() == 1)
                    - 3 * i64::from(is_blank(new.first()))
                    - 3 * i64::from(is_blank(new.last()))
                    + i64::from(position == Position::After)
                    - 8 * i64::from(!line.contains(char::is_alphanumeric))
                    - 25 * i64::from(!is_whole(&new));
                if let Some(place) = place_of(shown, before, line, idx) {
                    let anchor = line.trim().to_owned();
                    let slots = Slots::Insert(Insert {
                        anchor,
                        place,
                        position,
                        text,
                    });
                    candidates.push((score, slots));
                }
            }
        }
        let Some(above) = at.checked_sub(1).and_then(|i| lines.get(i)) else {
            break;
        };
        if new.last() != Some(above) {
            break;
        }
        new.rotate_right(1);
        at -= 1;
    }
    candidates.sort_by_key(|(score, _)| -score);
    candidates.into_iter().map(|(_, slots)| slots).collect()
}

/// Whether lines look like something that a person would write in one go: they do not begin deeper
/// than they go on, and close every bracket that they open, and no other.
fn is_whole(lines: &[&str]) -> bool {
    let depth = |line: &&&str| line.len() - line.trim_start().len();
    let mut inked = lines
        .iter()
        .filter(|line| !line.trim().is_empty())
        .peekable();
    let first = inked.peek().map_or(0, depth);
    if inked.any(|line| depth(&line) < first) {
        return false;
    }
    let mut n_open = 0;
    for c in lines.iter().flat_map(|line| line.chars()) {
        match c {
            '(' | '[' | '{' => n_open += 1,
            ')' | ']' | '}' => n_open -= 1,
            _ => {}
        }
        if n_open < 0 {
            return false;
        }
    }
    n_open == 0
}

/// The name of a line's place, if it needs one; none if it is not shown.
fn place_of(shown: &Shown, before: &str, line: &str, idx: usize) -> Option<Option<String>> {
    let offset: usize = before
        .split('\n')
        .take(idx)
        .map(|line| line.len() + 1)
        .sum();
    let all = shown.anchors();
    let (_, occurrences) = all.iter().find(|(anchor, _)| *anchor == line.trim())?;
    place_name(shown, occurrences, offset)
}

fn dedented(lines: &[&str]) -> String {
    let depth = |line: &&&str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let shallowest = lines
        .iter()
        .filter(|line| !line.trim().is_empty())
        .map(|line| depth(&line))
        .min()
        .unwrap_or(0);
    lines
        .iter()
        .map(|line| line.get(shallowest..).unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

/// How many different words of a line the task has.
fn words_shared(line: &str, task: &str) -> i64 {
    let words = |text: &str| -> std::collections::BTreeSet<String> {
        let words = text
            .split(|c| !is_ident_char(c))
            .filter(|word| word.len() > 2);
        words.map(str::to_lowercase).collect()
    };
    words(line).intersection(&words(task)).count() as i64
}

/// A block by as much of its beginning as stands once, and its last line; best first.
fn blocks(before: &str, shown: &Shown, after: &str) -> Vec<Slots> {
    let changed = changed(before, after);
    let lines: Vec<&str> = before.split('\n').collect();
    let is_empty = |line: &&str| line.trim().is_empty();
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let mut candidates = Vec::new();
    let (mut at, n) = (changed.above, changed.old.len());
    // Lines that go may go a little higher where the line above is the last of them; empty ones at
    // their ends go by themselves.
    let n_higher = if changed.new.is_empty() { 6 } else { 0 };
    for _ in 0..=n_higher {
        let block = &lines[at..at + n];
        let n_top = if changed.new.is_empty() {
            block.iter().take_while(|line| is_empty(line)).count()
        } else {
            0
        };
        let n_end = if changed.new.is_empty() {
            block.iter().rev().take_while(|line| is_empty(line)).count()
        } else {
            0
        };
        if n >= n_top + n_end + 3 {
            let block = &block[n_top..n - n_end];
            let start: usize = lines[..at + n_top].iter().map(|line| line.len() + 1).sum();
            let inked = || block.iter().filter(|line| !is_empty(line));
            let depth = match changed.new.is_empty() {
                true => indentation(block[0]),
                false => common(
                    block
                        .join("\n")
                        .chars()
                        .take_while(|c| matches!(c, ' ' | '\t')),
                    changed.new.join("\n").chars(),
                ),
            };
            let is_block = inked().all(|line| indentation(line) >= indentation(block[0]));
            for n_named in 1..=block.len() - 2 {
                let old = block[..n_named].join("\n")[depth..].to_owned();
                let new = changed.new.join("\n");
                let slots = replace(
                    shown,
                    old,
                    start + depth,
                    new.get(depth..).unwrap_or_default(),
                );
                if let Some(Slots::Replace(slots @ Replace { place: None, .. })) = slots {
                    let end = block[block.len() - 1];
                    // The constraint offers no other ends.
                    let is_offered = shown.occurrences(&slots.old).iter().any(|&at| {
                        shown
                            .block_ends(at, &slots.old)
                            .iter()
                            .any(|(line, _)| *line == end)
                    });
                    if !is_offered {
                        continue;
                    }
                    let through = Some(end.to_owned());
                    candidates.push((
                        !is_block,
                        n_named,
                        Slots::Replace(Replace { through, ..slots }),
                    ));
                }
            }
        }
        let Some(above) = at
            .checked_sub(1)
            .filter(|&above| n > 0 && lines[above] == lines[at + n - 1])
        else {
            break;
        };
        at = above;
    }
    candidates.sort_by_key(|&(is_odd, n_named, _)| (is_odd, n_named));
    candidates.into_iter().map(|(_, _, slots)| slots).collect()
}

/// A stretch of the old text and what it becomes.
#[derive(Clone, Copy)]
struct Span {
    start: usize,
    end: usize,
    /// How much shorter or longer the new text is behind the change.
    shift: isize,
}

/// A longer line is not copied whole. In bytes.
const LONG_LINE: usize = 160;

/// Best first.
fn replacements(task: &str, before: &str, shown: &Shown, after: &str) -> Vec<Slots> {
    let changed = changed(before, after);
    let start: usize = before
        .split('\n')
        .take(changed.above)
        .map(|line| line.len() + 1)
        .sum();
    let old_text = changed.old.join("\n");
    let new_text = changed.new.join("\n");
    let cut = |span: Span| -> (&str, &str) {
        let new_end = (span.end as isize + span.shift) as usize;
        (
            &old_text[span.start..span.end],
            &new_text[span.start..new_end],
        )
    };
    let shift = new_text.len() as isize - old_text.len() as isize;
    let depth = old_text.len() - old_text.trim_start().len();
    if changed.new.is_empty() {
        // Lines that go: all of them, without the first one's indentation; the program takes the
        // line feed.
        let span = Span {
            start: depth,
            end: old_text.len(),
            shift,
        };
        let old = &old_text[span.start..span.end];
        return [old.to_owned(), format!("{old}\n"), format!("{old_text}\n")]
            .into_iter()
            .zip([start + depth, start + depth, start])
            .filter_map(|(old, at)| replace(shown, old, at, ""))
            .collect();
    }
    // Without the indentation that they share.
    let depth = common(
        old_text.chars().take_while(|c| matches!(c, ' ' | '\t')),
        new_text.chars(),
    );
    let lines = Span {
        start: depth,
        end: old_text.len(),
        shift,
    };
    let whole = replace(shown, cut(lines).0.to_owned(), start + depth, cut(lines).1);
    if changed
        .old
        .iter()
        .chain(&changed.new)
        .all(|line| line.len() <= LONG_LINE)
        && !cut(lines).0.trim().is_empty()
    {
        return whole.into_iter().collect();
    }
    let mut equal_before = common(old_text.chars(), new_text.chars());
    let rest = |text: &str| text[equal_before..].chars().rev().collect::<Vec<_>>();
    let mut equal_after = common(rest(&old_text).into_iter(), rest(&new_text).into_iter());
    // Of "a |b |c" and "a| b| c" the second: what comes or goes takes the blank before it along.
    let come_or_gone = |before: usize, after: usize| {
        let (old, new) = (
            &old_text[before..old_text.len() - after],
            &new_text[before..new_text.len() - after],
        );
        (old.is_empty() && new.ends_with(' ')) || (new.is_empty() && old.ends_with(' '))
    };
    if come_or_gone(equal_before, equal_after) && old_text[..equal_before].ends_with(' ') {
        (equal_before, equal_after) = (equal_before - 1, equal_after + 1);
    }
    let core = Span {
        start: equal_before,
        end: old_text.len() - equal_after,
        shift,
    };
    let boundary = |text: &str, at: usize| {
        let class = |c: char| if is_ident_char(c) { 0 } else { 1 + c as u32 };
        let before = text[..at].chars().next_back().map(class);
        let after = text[at..].chars().next().map(class);
        before != after || before.is_some_and(|class| class > 1 && class != 1 + ' ' as u32)
    };
    // Where a boundary is one in both texts.
    let starts: Vec<usize> = (0..=core.start)
        .filter(|&i| {
            old_text.is_char_boundary(i) && boundary(&old_text, i) && boundary(&new_text, i)
        })
        .collect();
    let moved = |i: usize| (i as isize + shift) as usize;
    let ends: Vec<usize> = (core.end..=old_text.len())
        .filter(|&i| {
            old_text.is_char_boundary(i) && boundary(&old_text, i) && boundary(&new_text, moved(i))
        })
        .collect();
    let (Some(&first_start), Some(&first_end)) = (starts.last(), ends.first()) else {
        return Vec::new();
    };
    let span = Span {
        start: first_start,
        end: first_end,
        shift,
    };
    // Text that the task quotes is taken whole.
    let quoted = |text: &str| text.trim() == text && !text.is_empty() && task.contains(text);
    let mut best = span;
    let mut most = 0;
    for &start in &starts {
        for &end in &ends {
            let span = Span { start, end, shift };
            let (old, new) = cut(span);
            if old.trim() != old || old.contains('\n') {
                continue;
            }
            let (has_old, has_new) = (quoted(old), quoted(new));
            let weight = match (has_old, has_new) {
                (true, true) => 2 * (old.len() + new.len()),
                (false, true) if new.len() > 8 => 2 * new.len(),
                _ => 0,
            };
            if weight > most {
                (best, most) = (span, weight);
            }
        }
    }
    let mut spans = vec![best];
    let line_start = old_text[..best.start].rfind('\n').map_or(0, |i| i + 1);
    let line_end = old_text[best.end..]
        .find('\n')
        .map_or(old_text.len(), |i| best.end + i);
    let first_word =
        line_start + (old_text[line_start..].len() - old_text[line_start..].trim_start().len());
    // To the left, a word at a time; then to the right.
    let wordy = |i: usize| old_text[i..].starts_with(is_ident_char);
    for &start in starts
        .iter()
        .rev()
        .filter(|&&i| i < best.start && i >= first_word)
    {
        if wordy(start) || start == first_word {
            spans.push(Span { start, ..best });
        }
    }
    let leftmost = spans.last().copied().unwrap_or(best);
    for &end in ends.iter().filter(|&&i| i > best.end && i <= line_end) {
        let closes_word = old_text[..end].ends_with(is_ident_char);
        if closes_word || end == line_end {
            spans.push(Span { end, ..leftmost });
        }
    }
    let has_name = |text: &str| {
        let words = text.split(|c| !is_ident_char(c));
        words
            .filter(|word| word.len() > 2)
            .any(|word| word.contains(char::is_alphabetic))
    };
    let once = |text: &str| shown.occurrences(text).len() == 1;
    let good = |span: &&Span| {
        let (old, _) = cut(**span);
        !old.trim().is_empty() && old.trim_start() == old && has_name(old) && once(old)
    };
    let mut ordered: Vec<Span> = spans.iter().filter(good).copied().collect();
    // No stretch of its line stands once: its place is named.
    ordered.extend(
        spans
            .iter()
            .rev()
            .filter(|span| !cut(**span).0.trim().is_empty())
            .copied(),
    );
    ordered.push(Span {
        start: 0,
        end: old_text.len(),
        shift,
    });
    ordered
        .into_iter()
        .filter_map(|span| {
            let (old, new) = cut(span);
            replace(shown, old.to_owned(), start + span.start, new)
        })
        .collect()
}

/// Characters that are equal at the beginning, in bytes.
fn common(a: impl Iterator<Item = char>, b: impl Iterator<Item = char>) -> usize {
    a.zip(b)
        .take_while(|(a, b)| a == b)
        .map(|(c, _)| c.len_utf8())
        .sum()
}

/// The slots for a text that stands at an offset of the file; none if it is not shown there.
fn replace(shown: &Shown, old: String, offset: usize, new: &str) -> Option<Slots> {
    let place = place_name(shown, &shown.occurrences(&old), offset)?;
    Some(Slots::Replace(Replace {
        old,
        place,
        through: None,
        new: new.to_owned(),
    }))
}
