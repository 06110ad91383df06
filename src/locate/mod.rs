//! Where an edit that was not made under our constraint is to be made.
//!
//! The searched text is compared with the file's in ten ways, the `LADDER`, from exact to by
//! tokens. The first rung on which it is found decides, and finding is never guessing: it stands
//! there once, or the patch says which of the places it means, or it is refused with all of them.
//! What a rung sets aside while comparing it gives back to the new text (`fit`): lines that stay
//! are the file's own, new ones take its indentation.

mod already;
mod fit;
pub mod free_slots;
mod fuzzy;
mod haystack;
pub mod hunk;
mod indents;
pub mod miss;
mod rewrite;
pub mod sketch;
mod tie_breaks;

pub use fit::Unfit;
pub use haystack::Haystack;

use crate::edit::Replacement;
use already::{already_there, applied_here};
use haystack::{Fold, Lines, is_blank, words};
use hunk::{Count, Extent, Hunk, HunkLine, Tag};
use miss::{Candidate, Miss};
use schemars::JsonSchema;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use tie_breaks::{contradicting_heading, heed_order, heed_repetition, keep_if_one};

/// How a searched text was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rung {
    /// As it is.
    Exact,
    /// With other line endings.
    LineEndings,
    /// With other blanks at the ends of lines.
    TrailingBlanks,
    /// With other quotes, dashes, blanks or accents of Unicode.
    Unicode,
    /// Indented more or less, all lines alike.
    Indentation,
    /// Indented with other characters or in other steps, or with other blanks between words.
    TabsAndBlanks,
    /// With more or fewer blank lines.
    BlankLines,
    /// Once escapes (`\n`, `\"`, `&lt;`) were undone.
    Escapes,
    /// Once line numbers were taken off.
    LineNumbers,
    /// By its words, numbers and strings, in order.
    Fuzzy,
}

impl fmt::Display for Rung {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rung::Exact => "as it is",
            Rung::LineEndings => "with other line endings",
            Rung::TrailingBlanks => "with other blanks at the ends of lines",
            Rung::Unicode => "with other quotes, dashes, blanks or accents",
            Rung::Indentation => "with other indentation",
            Rung::TabsAndBlanks => "with other tabs and blanks",
            Rung::BlankLines => "with more or fewer blank lines",
            Rung::Escapes => "once escapes were undone",
            Rung::LineNumbers => "once line numbers were taken off",
            Rung::Fuzzy => "by its words, numbers and strings",
        })
    }
}

/// A way of comparing.
struct Step {
    rung: Rung,
    /// All places, and the edit as it is made there.
    find: for<'h> fn(&Haystack, &'h Hunk) -> Found<'h>,
}

const LADDER: [Step; 10] = [
    Step { rung: Rung::Exact, find: exact },
    Step { rung: Rung::LineEndings, find: line_endings },
    Step {
        rung: Rung::TrailingBlanks,
        find: |haystack, hunk| in_text(haystack, Fold::TrailingBlanks, hunk),
    },
    Step { rung: Rung::Unicode, find: |haystack, hunk| in_text(haystack, Fold::Unicode, hunk) },
    Step {
        rung: Rung::Indentation,
        find: |haystack, hunk| in_lines(haystack, Fold::Indentation, hunk),
    },
    Step {
        rung: Rung::TabsAndBlanks,
        find: |haystack, hunk| in_lines(haystack, Fold::Blanks, hunk),
    },
    Step { rung: Rung::BlankLines, find: between_blank_lines },
    Step {
        rung: Rung::Escapes,
        find: |haystack, hunk| rewritten(haystack, hunk, rewrite::without_escapes(hunk)),
    },
    Step { rung: Rung::LineNumbers, find: numbered },
    Step { rung: Rung::Fuzzy, find: by_tokens },
];

/// The rungs below the ones that rewrite the searched text.
const N_PLAIN: usize = 7;

/// Where a hunk may go.
struct Found<'h> {
    /// The hunk as it was found: with what the rung rewrote.
    pub hunk: Cow<'h, Hunk>,
    pub places: Vec<Place>,
}

/// One place.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    /// A stretch of the text.
    Text(Range<usize>),
    /// Lines in a row, from this one.
    Lines(usize),
    /// For each searched line the line that it is; none for a blank one that is not there.
    Aligned(Vec<Option<usize>>),
}

/// An edit with its places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// How it was found.
    pub rung: Rung,
    /// What is to be done; sorted, disjoint.
    pub replacements: Vec<Replacement>,
    /// The lines of each place, counted from 0.
    pub lines: Vec<Range<usize>>,
}

/// What came of looking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It is to be made here.
    Here(Located),
    /// It was made already: the new text stands on these lines, counted from 0.
    AlreadyThere(Range<usize>),
}

/// Finds one edit.
///
/// # Errors
/// [`Miss`] if it stands nowhere, or in several places of which the patch names none, or if what is
/// to come there cannot be fitted without guessing.
pub fn locate(haystack: &Haystack, hunk: &Hunk) -> Result<Finding, Miss> {
    locate_all(haystack, &[hunk]).pop().expect("one result for each hunk")
}

/// Finds the edits of one file. Each is looked for in the text as it is, not in what the others
/// make of it; where one of a diff may go to several places, its order among the others may decide.
pub fn locate_all(haystack: &Haystack, hunks: &[&Hunk]) -> Vec<Result<Finding, Miss>> {
    let mut searches: Vec<Search> = Vec::with_capacity(hunks.len());
    let mut drift = 0;
    for hunk in hunks {
        let mut search = Search::of(haystack, hunk);
        search.heed_hints(haystack, drift);
        search.drop_surplus();
        drift = search.drift(haystack).unwrap_or(drift);
        searches.push(search);
    }
    heed_order(haystack, &mut searches);
    heed_repetition(haystack, &mut searches);
    let drifts: Vec<Option<isize>> = searches.iter().map(|search| search.drift(haystack)).collect();
    let conclude =
        |(i, search): (usize, Search)| search.conclude(haystack, drift_between(&drifts, i));
    searches.into_iter().enumerate().map(conclude).collect()
}

/// By how many lines a hunk with nothing to look for is off, as the hunk above it is. None if the
/// one below is off by more or less: somewhere between lines have come or gone, before or after the
/// place that is meant.
fn drift_between(drifts: &[Option<isize>], i: usize) -> Option<isize> {
    let above = drifts[..i].iter().rev().flatten().next().copied().unwrap_or(0);
    drifts[i + 1..].iter().flatten().next().is_none_or(|below| *below == above).then_some(above)
}

/// One hunk and where it may go.
struct Search<'h> {
    pub hunk: &'h Hunk,
    pub found: Option<(Rung, Found<'h>)>,
    /// Places that were found and are not kept: nothing tells so many apart.
    pub n_dropped: usize,
}

/// Places of one hunk that are kept. A hundred hunks with a hundred thousand places each would fill
/// the memory.
const MAX_PLACES: usize = 1_000;

impl<'h> Search<'h> {
    pub fn of(haystack: &Haystack, hunk: &'h Hunk) -> Search<'h> {
        let search = |step: &Step| {
            let found = (step.find)(haystack, hunk);
            (!found.places.is_empty()).then_some((step.rung, found))
        };
        let found = if hunk.old().next().is_some() { LADDER.iter().find_map(search) } else { None };
        Search { hunk, found, n_dropped: 0 }
    }

    pub fn places(&mut self) -> Option<&mut Vec<Place>> {
        self.found.as_mut().map(|(_, found)| &mut found.places)
    }

    /// The first line of its place, if there is but one.
    fn only_line(&self, haystack: &Haystack) -> Option<usize> {
        match self.found.as_ref().map(|(_, found)| found.places.as_slice()) {
            Some([place]) => Some(place.lines(haystack, &self.found.as_ref()?.1.hunk).start),
            _ => None,
        }
    }

    /// Keeps some, where there are very many.
    fn drop_surplus(&mut self) {
        if self.hunk.count == Count::One
            && let Some(places) = self.places()
            && places.len() > MAX_PLACES
        {
            let n_dropped = places.len() - MAX_PLACES;
            places.truncate(MAX_PLACES);
            places.shrink_to_fit();
            self.n_dropped = n_dropped;
        }
    }

    /// How many lines below the line that it names it stands, if that can be said.
    fn drift(&self, haystack: &Haystack) -> Option<isize> {
        Some(self.only_line(haystack)? as isize + 1 - self.hunk.hints.line? as isize)
    }

    /// `drift`: by how many lines what is around it is off.
    fn conclude(self, haystack: &Haystack, drift: Option<isize>) -> Result<Finding, Miss> {
        let Search { hunk, found, n_dropped } = self;
        if hunk.old().next().is_none() {
            return fit::insertion_without_context(haystack, hunk, drift)
                .map_err(|unfit| miss::unfit(hunk, None, unfit));
        }
        let Some((rung, found)) = found else {
            return match already_there(haystack, hunk) {
                Some(lines) => Ok(Finding::AlreadyThere(lines)),
                None => Err(miss::not_found(haystack, hunk)),
            };
        };
        let Found { hunk: as_found, places } = found;
        let n_found = places.len() + n_dropped;
        match hunk.count {
            Count::One if n_found > 1 => {
                let candidates = places.iter().take(miss::MAX_CANDIDATES);
                let candidates = candidates
                    .map(|place| Candidate::of(haystack, place.lines(haystack, &as_found)))
                    .collect();
                return Err(miss::ambiguous(hunk, rung, n_found, candidates));
            }
            Count::Exactly(expected) if expected != n_found => {
                return Err(miss::miscounted(hunk, expected, n_found));
            }
            // By their tokens alone the places may differ from each other.
            Count::All | Count::Exactly(_) if n_found > 1 && rung == Rung::Fuzzy => {
                return Err(miss::not_found(haystack, hunk));
            }
            _ => {}
        }
        if let [place] = places.as_slice()
            && let Some(lines) = applied_here(haystack, &as_found, place)
        {
            return Ok(Finding::AlreadyThere(lines));
        }
        if let [place] = places.as_slice() {
            let lines = place.lines(haystack, &as_found);
            if let Some(heading) = contradicting_heading(haystack, hunk, lines.start) {
                return Err(miss::unfit(
                    hunk,
                    Some(lines),
                    Unfit::Heading { heading: heading.to_owned() },
                ));
            }
        }
        let mut located = Located { rung, replacements: Vec::new(), lines: Vec::new() };
        let is_many = places.len().saturating_mul(as_found.lines.len()) > MAX_COMPARED;
        let mut end = 0;
        for place in &places {
            // A long text in very many places overlaps itself: of places that do, the first is
            // taken here, too.
            if is_many && matches!(place, Place::Lines(at) if *at < end) {
                continue;
            }
            let lines = place.lines(haystack, &as_found);
            let replacements = fit::replacements(haystack, &as_found, place, rung)
                .map_err(|unfit| miss::unfit(hunk, Some(lines.clone()), unfit))?;
            // Of places that overlap the first is taken, as editors do.
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
        located.replacements.retain(|r| haystack.shown[r.range.clone()] != r.new);
        Ok(Finding::Here(located))
    }
}

fn exact<'h>(haystack: &Haystack, hunk: &'h Hunk) -> Found<'h> {
    let places = match hunk.extent {
        Extent::Text => occurrences(haystack.shown, &text_of(hunk.old())),
        Extent::Lines => line_places(haystack, Fold::Nothing, hunk),
    };
    Found { hunk: Cow::Borrowed(hunk), places }
}

fn line_endings<'h>(haystack: &Haystack, hunk: &'h Hunk) -> Found<'h> {
    let plain = without_carriage_returns(hunk);
    match plain {
        Cow::Borrowed(_) => Found { hunk: plain, places: Vec::new() },
        Cow::Owned(plain) => {
            let places = exact(haystack, &plain).places;
            Found { hunk: Cow::Owned(plain), places }
        }
    }
}

/// As a stretch of the text, else as whole lines.
fn in_text<'h>(haystack: &Haystack, fold: Fold, hunk: &'h Hunk) -> Found<'h> {
    let plain = without_carriage_returns(hunk);
    if plain.extent == Extent::Text {
        let searched = haystack::Folded::new(fold, &text_of(plain.old())).text;
        let folded = haystack.folded(fold);
        let mut places = Vec::new();
        for range in ranges_of(&folded.text, &searched) {
            let is_whole = |at: usize| {
                at == 0 || at == folded.text.len() || folded.offsets[at] != folded.offsets[at - 1]
            };
            if is_whole(range.start) && is_whole(range.end) {
                places.push(Place::Text(folded.original(haystack.shown, range)));
            }
        }
        if !places.is_empty() {
            return Found { hunk: plain, places };
        }
    }
    in_lines(haystack, fold, hunk)
}

/// As whole lines in a row.
fn in_lines<'h>(haystack: &Haystack, fold: Fold, hunk: &'h Hunk) -> Found<'h> {
    let hunk = as_lines(without_carriage_returns(hunk));
    // Brackets alone, indented otherwise, are no text to be found by.
    if fold >= Fold::Indentation && !hunk.old().any(|line| words(line).next().is_some()) {
        return Found { hunk, places: Vec::new() };
    }
    let mut places = line_places(haystack, fold, &hunk);
    let is_regular = if fold == Fold::Indentation { fit::is_shifted } else { fit::is_regular };
    keep_regular(haystack, &hunk, &mut places, is_regular);
    Found { hunk, places }
}

/// Leaves out where the indentation has nothing to do with that of the searched lines. Where a long
/// text stands in very many places none is: they are looked at one by one, and which is meant must
/// be said in another way.
fn keep_regular(
    haystack: &Haystack,
    hunk: &Hunk,
    places: &mut Vec<Place>,
    is_regular: fn(&Haystack, &Hunk, &Place) -> bool,
) {
    if places.len().saturating_mul(hunk.lines.len()) <= MAX_COMPARED {
        places.retain(|place| is_regular(haystack, hunk, place));
    }
}

/// In lines: what takes about a second.
const MAX_COMPARED: usize = 5_000_000;

fn line_places(haystack: &Haystack, fold: Fold, hunk: &Hunk) -> Vec<Place> {
    let lines = haystack.lines_under(fold);
    let Some(searched) = numbers(lines, fold, hunk.old()) else { return Vec::new() };
    starts(&lines.of_line, Some(&lines.positions), &searched)
        .into_iter()
        .map(Place::Lines)
        .collect()
}

fn numbers<'a>(lines: &Lines, fold: Fold, old: impl Iterator<Item = &'a str>) -> Option<Vec<u32>> {
    let numbers: Option<Vec<u32>> = old.map(|line| lines.number_of(fold, line)).collect();
    numbers.filter(|numbers| !numbers.is_empty())
}

/// As whole lines, setting aside the blank ones between.
fn between_blank_lines<'h>(haystack: &Haystack, hunk: &'h Hunk) -> Found<'h> {
    let hunk = as_lines(without_carriage_returns(hunk));
    let lines = haystack.lines_under(Fold::Blanks);
    let not_blank = haystack.not_blank();
    let mut places = Vec::new();
    let searched = numbers(lines, Fold::Blanks, hunk.old().filter(|line| !is_blank(line)));
    if let Some(searched) = searched.filter(|_| hunk.old().any(|line| words(line).next().is_some()))
    {
        let of_line: Vec<u32> = not_blank.iter().map(|&i| lines.of_line[i]).collect();
        let mut starts = starts(&of_line, None, &searched);
        if starts.len().saturating_mul(hunk.lines.len()) > MAX_COMPARED {
            starts.clear(); // a long text that stands nearly everywhere: nothing could say which is meant
        }
        for first in starts {
            let mut found = not_blank[first..].iter().copied();
            let aligned: Vec<Option<usize>> =
                hunk.old().map(|line| if is_blank(line) { None } else { found.next() }).collect();
            places.push(Place::Aligned(with_blank_lines(haystack, aligned)));
        }
    }
    keep_regular(haystack, &hunk, &mut places, fit::is_regular);
    Found { hunk, places }
}

/// Gives searched blank lines the blank lines of the file that stand where they do, as far as there
/// are any.
fn with_blank_lines(haystack: &Haystack, mut aligned: Vec<Option<usize>>) -> Vec<Option<usize>> {
    let is_free = |i: usize| haystack.lines.get(i).is_some() && is_blank(haystack.line_text(i));
    for k in 1..aligned.len() {
        if let (None, Some(before)) = (aligned[k], aligned[k - 1]) {
            aligned[k] = Some(before + 1).filter(|&i| is_free(i));
        }
    }
    for k in (0..aligned.len().saturating_sub(1)).rev() {
        if let (None, Some(after)) = (aligned[k], aligned[k + 1])
            && aligned[..k].iter().all(Option::is_none)
        {
            aligned[k] = after.checked_sub(1).filter(|&i| is_free(i));
        }
    }
    aligned
}

/// By tokens, if no other place is nearly as good. See [`fuzzy`].
fn by_tokens<'h>(haystack: &Haystack, hunk: &'h Hunk) -> Found<'h> {
    let hunk = as_lines(without_carriage_returns(hunk));
    let mut places = fuzzy::places(haystack, &hunk);
    keep_regular(haystack, &hunk, &mut places, fit::is_regular);
    Found { hunk, places }
}

/// On the rungs below, with another text to look for.
fn rewritten<'h>(haystack: &Haystack, hunk: &'h Hunk, versions: Vec<Hunk>) -> Found<'h> {
    for version in versions {
        for step in &LADDER[..N_PLAIN] {
            let Found { hunk: as_found, mut places } = (step.find)(haystack, &version);
            // What the line number says is not set aside with it.
            if let (Some(line), 2..) = (version.hints.line, places.len()) {
                let as_found: &Hunk = &as_found;
                keep_if_one(&mut places, |place| place.lines(haystack, as_found).start + 1 == line);
            }
            if !places.is_empty() {
                return Found { hunk: Cow::Owned(as_found.into_owned()), places };
            }
        }
    }
    Found { hunk: Cow::Borrowed(hunk), places: Vec::new() }
}

/// A single line with a number is a guess unless the number is right.
fn numbered<'h>(haystack: &Haystack, hunk: &'h Hunk) -> Found<'h> {
    let mut found = rewritten(haystack, hunk, rewrite::without_line_numbers(hunk));
    if let (Some(line), 1) = (found.hunk.hints.line, found.hunk.old().count()) {
        let as_found: &Hunk = &found.hunk;
        found.places.retain(|place| place.lines(haystack, as_found).start + 1 == line);
    }
    found
}

impl Place {
    /// Its lines, counted from 0.
    fn lines(&self, haystack: &Haystack, hunk: &Hunk) -> Range<usize> {
        match self {
            Place::Text(range) => {
                haystack.line_at(range.start)
                    ..haystack.line_at(range.end.max(range.start + 1) - 1) + 1
            }
            Place::Lines(first) => *first..first + hunk.old().count(),
            Place::Aligned(lines) => {
                let found = || lines.iter().flatten();
                found().min().copied().unwrap_or(0)..found().max().map_or(0, |last| last + 1)
            }
        }
    }

    /// For each searched line the bytes that it is, without the line ending.
    fn spans(&self, haystack: &Haystack, hunk: &Hunk) -> Vec<Option<Range<usize>>> {
        let line = |i: usize| haystack.lines[i].start..haystack.lines[i].end;
        match self {
            Place::Text(range) => {
                let mut start = range.start;
                let spans = haystack.shown[range.clone()].split('\n').map(|text| {
                    let span = start..start + text.len();
                    start = span.end + 1;
                    Some(span)
                });
                spans.collect()
            }
            Place::Lines(first) => {
                (*first..first + hunk.old().count()).map(|i| Some(line(i))).collect()
            }
            Place::Aligned(lines) => lines.iter().map(|i| i.map(line)).collect(),
        }
    }
}

fn text_of<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}

fn occurrences(text: &str, searched: &str) -> Vec<Place> {
    ranges_of(text, searched).into_iter().map(Place::Text).collect()
}

/// All of them, overlapping ones too: each is a place that may be meant.
fn ranges_of(text: &str, searched: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut from = 0;
    // A text that overlaps itself everywhere must not be compared everywhere.
    while let Some(start) =
        text[from..].find(searched).map(|i| i + from).filter(|_| !searched.is_empty())
    {
        ranges.push(start..start + searched.len());
        from = start + text[start..].chars().next().map_or(1, char::len_utf8);
        if ranges.len() >= MAX_OVERLAPPING {
            from = from.max(start + searched.len());
        }
    }
    ranges
}

const MAX_OVERLAPPING: usize = 1_000;

/// Where a sequence of numbers stands in another: where its rarest number does, or by Knuth, Morris
/// and Pratt.
fn starts(text: &[u32], positions: Option<&[Vec<u32>]>, searched: &[u32]) -> Vec<usize> {
    if searched.len() > text.len() {
        return Vec::new();
    }
    if let Some(positions) = positions {
        let (offset, rarest) = (0..searched.len())
            .map(|i| (i, &positions[searched[i] as usize]))
            .min_by_key(|(_, positions)| positions.len())
            .expect("it is not empty");
        if rarest.len() * searched.len() <= text.len() {
            let starts = rarest.iter().filter_map(|&at| (at as usize).checked_sub(offset));
            return starts.filter(|&start| text[start..].starts_with(searched)).collect();
        }
    }
    // failure[i]: how much of the sequence is still matched if it stops after i numbers.
    let mut failure = vec![0; searched.len() + 1];
    let mut matched = 0;
    for i in 1..searched.len() {
        while matched > 0 && searched[i] != searched[matched] {
            matched = failure[matched];
        }
        matched += usize::from(searched[i] == searched[matched]);
        failure[i + 1] = matched;
    }
    let mut starts = Vec::new();
    matched = 0;
    for (i, &number) in text.iter().enumerate() {
        while matched == searched.len() || (matched > 0 && number != searched[matched]) {
            matched = failure[matched];
        }
        matched += usize::from(number == searched[matched]);
        if matched == searched.len() {
            starts.push(i + 1 - matched);
        }
    }
    starts
}

/// Carriage returns as the patch's own line endings: gone at the ends of lines; inside a line they
/// end it, as in files of old Macs.
fn without_carriage_returns(hunk: &Hunk) -> Cow<'_, Hunk> {
    if !hunk.lines.iter().any(|line| line.text.contains('\r')) {
        return Cow::Borrowed(hunk);
    }
    let lines = hunk.lines.iter().flat_map(|line| {
        let text = line.text.strip_suffix('\r').unwrap_or(&line.text);
        text.split('\r').map(|text| HunkLine { tag: line.tag, text: text.to_owned() })
    });
    Cow::Owned(Hunk { lines: lines.collect(), ..hunk.clone() })
}

/// A text taken for whole lines: what it ends or begins with in common is a line feed, not a line.
fn as_lines(hunk: Cow<'_, Hunk>) -> Cow<'_, Hunk> {
    if hunk.extent == Extent::Lines {
        return hunk;
    }
    let mut hunk = hunk.into_owned();
    hunk.extent = Extent::Lines;
    let is_kept_line_feed = |line: &HunkLine| line.tag == Tag::Keep && line.text.is_empty();
    if hunk.lines.len() > 1 && hunk.lines.last().is_some_and(is_kept_line_feed) {
        hunk.lines.pop();
    }
    if hunk.lines.len() > 1 && hunk.lines.first().is_some_and(is_kept_line_feed) {
        hunk.lines.remove(0);
    }
    Cow::Owned(hunk)
}

/// Why a place cannot be changed.
type Fit<T> = Result<T, Unfit>;
