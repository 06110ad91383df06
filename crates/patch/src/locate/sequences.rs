//! Finds a sequence in another: bytes in a text, or numbers that represent lines.

use std::ops::Range;

/// All occurrences of a text, including overlapping ones: any of them may be meant.
pub(super) fn ranges_of(text: &str, searched: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut from = 0;
    // A text that overlaps itself everywhere must not be compared at every offset.
    while let Some(start) = text[from..]
        .find(searched)
        .map(|i| i + from)
        .filter(|_| !searched.is_empty())
    {
        ranges.push(start..start + searched.len());
        from = start + text[start..].chars().next().map_or(1, char::len_utf8);
        if ranges.len() >= MAX_OVERLAPPING {
            from = from.max(start + searched.len());
        }
    }
    ranges
}

/// The most overlapping occurrences that are listed.
const MAX_OVERLAPPING: usize = 1_000;

/// The starts of a sequence of numbers in another. `positions` lists the indices of each number, if
/// they are known.
pub(super) fn starts(text: &[u32], positions: Option<&[Vec<u32>]>, searched: &[u32]) -> Vec<usize> {
    if searched.len() > text.len() {
        return Vec::new();
    }
    if let Some(positions) = positions {
        let (offset, rarest) = (0..searched.len())
            .map(|i| (i, &positions[searched[i] as usize]))
            .min_by_key(|(_, positions)| positions.len())
            .expect("it is not empty");
        if rarest.len() * searched.len() <= text.len() {
            return rarest
                .iter()
                .filter_map(|&at| (at as usize).checked_sub(offset))
                .filter(|&start| text[start..].starts_with(searched))
                .collect();
        }
    }
    all_starts(text, searched)
}

/// In linear time (Knuth, Morris and Pratt, 1977).
fn all_starts(text: &[u32], searched: &[u32]) -> Vec<usize> {
    // failure[i]: how many numbers still match if the match fails after i numbers.
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
