//! Turns a search for hunks into its result: replacements, already done, or a [`Miss`].

use super::already::{already_there, applied_here};
use super::fit::{self, PlacedHunk, Unfit};
use super::found::{Located, Lookup, Place, Rung};
use super::haystack::Haystack;
use super::hunk_search::HunkSearch;
use super::ladder::{MAX_COMPARED, Matches};
use super::miss::{self, Candidate, Miss};
use super::tie_breaks::{contradicting_heading, heed_hints, heed_order, heed_repetition};
use crate::hunk::{Count, Hunk};
use std::ops::Range;

/// Finds the place of one edit.
///
/// # Errors
/// [`Miss`] if the text does not occur, if it occurs in several places and the patch names none, or
/// if the new text cannot be fitted without guessing.
pub fn locate(haystack: &Haystack, hunk: &Hunk) -> Result<Lookup, Miss> {
    locate_all(haystack, &[hunk])
        .pop()
        .expect("one result for each hunk")
}

/// Finds the places of all edits of one file. Each is searched in the original text, not in the
/// text after the other edits. If a hunk of a diff has several places, its order among the others
/// may decide.
pub fn locate_all(haystack: &Haystack, hunks: &[&Hunk]) -> Vec<Result<Lookup, Miss>> {
    let mut searches: Vec<HunkSearch> = Vec::with_capacity(hunks.len());
    let mut drift = 0;
    for hunk in hunks {
        let mut search = HunkSearch::new(haystack, hunk);
        heed_hints(haystack, &mut search, drift);
        search.drop_surplus();
        drift = search.drift(haystack).unwrap_or(drift);
        searches.push(search);
    }
    heed_order(haystack, &mut searches);
    heed_repetition(haystack, &mut searches);

    let mut drifts = Vec::with_capacity(searches.len());
    for search in &searches {
        drifts.push(search.drift(haystack));
    }
    let mut lookups = Vec::with_capacity(searches.len());
    for (i, search) in searches.into_iter().enumerate() {
        lookups.push(conclude(haystack, search, drift_between(&drifts, i)));
    }
    lookups
}

/// How many lines a hunk without searched lines is off: as many as the hunk above it. `None` if the
/// hunk below is off by another number: then lines were added or removed somewhere between them,
/// before or after the place that is meant.
fn drift_between(drifts: &[Option<isize>], i: usize) -> Option<isize> {
    let above = drifts[..i].iter().rev().flatten().next();
    let above = above.copied().unwrap_or(0);
    let below = drifts[i + 1..].iter().flatten().next();
    below.is_none_or(|below| *below == above).then_some(above)
}

/// The result for one hunk. `drift`: how many lines the neighbouring hunks are off.
fn conclude(haystack: &Haystack, search: HunkSearch, drift: Option<isize>) -> Result<Lookup, Miss> {
    let hunk = search.hunk;
    if hunk.old().next().is_none() {
        return fit::insertion_without_context(haystack, hunk, drift)
            .map_err(|unfit| miss::unfit(hunk, None, unfit));
    }
    let Some((rung, found)) = search.found else {
        return match already_there(haystack, hunk) {
            Some(lines) => Ok(Lookup::AlreadyThere(lines)),
            None if search.n_inside_words > 0 => {
                Err(miss::inside_words(hunk, search.n_inside_words))
            }
            None => Err(miss::not_found(haystack, hunk)),
        };
    };

    let n_found = found.places.len() + search.n_dropped;
    refuse_count(haystack, hunk, (rung, &found), n_found)?;
    if let [place] = found.places.as_slice() {
        if let Some(lines) = applied_here(haystack, &found.hunk, place) {
            return Ok(Lookup::AlreadyThere(lines));
        }
        let lines = place.lines(haystack, &found.hunk);
        if let Some(heading) = contradicting_heading(haystack, hunk, lines.end - 1) {
            let heading = heading.to_owned();
            return Err(miss::unfit(hunk, Some(lines), Unfit::Heading { heading }));
        }
    }
    located(haystack, &found.hunk, &found.places, rung)
        .map(Lookup::Here)
        .map_err(|(lines, unfit)| miss::unfit(hunk, Some(lines), unfit))
}

/// Fails if a hunk was found in more or fewer places than it may be.
fn refuse_count(
    haystack: &Haystack,
    hunk: &Hunk,
    (rung, found): (Rung, &Matches),
    n_found: usize,
) -> Result<(), Miss> {
    match hunk.count {
        Count::One if n_found > 1 => {
            let mut candidates = Vec::new();
            for place in found.places.iter().take(miss::MAX_CANDIDATES) {
                let lines = place.lines(haystack, &found.hunk);
                candidates.push(Candidate::of(haystack, lines));
            }
            Err(miss::ambiguous(hunk, rung, n_found, candidates))
        }
        Count::Exactly(expected) if expected != n_found => {
            Err(miss::miscounted(hunk, expected, n_found))
        }
        // Places found by their tokens alone may differ from each other.
        Count::All | Count::AllWords | Count::Exactly(_) if n_found > 1 && rung == Rung::Fuzzy => {
            Err(miss::not_found(haystack, hunk))
        }
        _ => Ok(()),
    }
}

/// Fits the edit at all its places, or fails at the first that does not fit. `hunk` is the hunk as
/// its rung rewrote it.
fn located(
    haystack: &Haystack,
    hunk: &Hunk,
    places: &[Place],
    rung: Rung,
) -> Result<Located, (Range<usize>, Unfit)> {
    let mut located = Located {
        rung,
        replacements: Vec::new(),
        lines: Vec::new(),
    };
    let is_many = places.len().saturating_mul(hunk.lines.len()) > MAX_COMPARED;
    let mut end = 0;
    for place in places {
        // A long text in very many places overlaps itself. Of overlapping places, the first is
        // taken here too.
        if is_many && matches!(place, Place::Lines(at) if *at < end) {
            continue;
        }

        let lines = place.lines(haystack, hunk);
        let replacements = PlacedHunk::new(haystack, hunk, place)
            .replacements(rung)
            .map_err(|unfit| (lines.clone(), unfit))?;
        // Of overlapping places the first is taken, as in editors.
        let is_free = replacements
            .first()
            .zip(located.replacements.last())
            .is_none_or(|(next, last)| next.range.start >= last.range.end);
        if is_free {
            located.replacements.extend(replacements);
            end = lines.end;
            located.lines.push(lines);
        }
    }
    located
        .replacements
        .retain(|r| haystack.shown[r.range.clone()] != r.new);
    Ok(located)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locate::testing::rows;

    /// Checks an edit. `expected` is the file afterwards, or `!` and a part of the refusal's reason.
    #[track_caller]
    fn check(file: &str, hunk: &Hunk, expected: &str) {
        let haystack = Haystack::of_shown("a.txt", file);
        match locate(&haystack, hunk) {
            Ok(Lookup::Here(located)) => {
                let mut after = file.to_owned();
                for replacement in located.replacements.into_iter().rev() {
                    after.replace_range(replacement.range, &replacement.new);
                }
                assert_eq!(after, expected);
            }
            Err(miss) => {
                let part = expected.strip_prefix('!').expect("it is found");
                assert!(miss.headline().contains(part), "{miss:?}");
            }
            found => panic!("{found:?}"),
        }
    }

    /// Columns: a file, the searched lines, the new lines, and what is expected.
    #[track_caller]
    fn check_lines(table: &str) {
        for [file, old, new, expected] in rows(table) {
            let old: Vec<&str> = old.split('\n').collect();
            let new: Vec<&str> = new.split('\n').collect();
            check(&file, &Hunk::of_lines(&old, &new), &expected);
        }
    }

    #[test]
    fn a_line_that_stays_keeps_its_quotes_beside_new_ones() {
        // The searched line ends with whitespace and the new one does not, so the line is deleted
        // and inserted again.
        check_lines(
            "
            e: ‘x’ undeclared⏎next⏎ | e: ‘x' undeclared ⏎next | e: ‘x' undeclared⏎added();⏎next \
                | e: ‘x’ undeclared⏎added();⏎next⏎
            e: ‘x’ undeclared⏎next⏎ | e: 'x' undeclared ⏎next | above⏎e: 'x' undeclared⏎next \
                | above⏎e: ‘x’ undeclared⏎next⏎
            ",
        );
    }

    #[test]
    fn the_whitespace_of_a_blank_first_line_goes_and_stays_with_it() {
        for [old, new, expected] in rows(
            "
            ⏎  b⏎c   | ··b⏎c    | a⏎  b ⏎c⏎
            ⏎  b⏎c   | ⏎  b⏎d   | a⏎⇥⏎  b ⏎d⏎
            a⏎⏎  b⏎c | a⏎  b⏎c  | a⏎  b ⏎c⏎
            ",
        ) {
            check("a\n\t\n  b \nc\n", &Hunk::of_text(&old, &new), &expected);
        }
    }

    #[test]
    fn whether_a_repeated_word_is_the_same_is_not_guessed() {
        // One line for one: their common part is spelled as in the file. Where the file has the
        // keyboard's quotes, new lines have them too. If the new lines repeat none of its words,
        // they stay as written.
        check_lines(
            r#"
            say(“it’s”, 1);⏎next⏎ | say("it's", 1);⏎next | say("it's", 2);⏎next \
                | say(“it’s”, 2);⏎next⏎
            say(“it’s”, 1);⏎next⏎ | say("it's", 1);⏎next | if x {⏎say("it's", 2);⏎}⏎next \
                | !other characters
            say("it's", 1);⏎next⏎ | say(“it’s”, 1);⏎next | if x {⏎say(“it’s”, 2);⏎}⏎next \
                | if x {⏎say("it's", 2);⏎}⏎next⏎
            say(“it’s”, 1);⏎next⏎ | say("it's", 1);⏎next | if x {⏎say("no", 2);⏎}⏎next \
                | if x {⏎say("no", 2);⏎}⏎next⏎
            "#
            .replace("\\\n", "")
            .as_str(),
        );
    }
}
