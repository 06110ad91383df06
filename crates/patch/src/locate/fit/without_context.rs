//! Hunks that have no line to search for.

use super::unfit::{Fit, Unfit};
use crate::edit::Replacement;
use crate::hunk::{Extent, Hunk};
use crate::locate::found::{Located, Lookup, Rung};
use crate::locate::haystack::Haystack;

/// Inserts a hunk that has no line to search for, by its hints or into an empty file. `drift`: how
/// many lines the neighbouring hunks are off.
pub(in crate::locate) fn insertion_without_context(
    haystack: &Haystack,
    hunk: &Hunk,
    drift: Option<isize>,
) -> Fit<Lookup> {
    let n_lines = haystack.lines.len();
    let line = if n_lines == 0 {
        0
    } else if hunk.hints.at_end {
        n_lines
    } else {
        let hinted = hunk.hints.line.zip(drift);
        hinted
            .and_then(|(line, drift)| line.checked_add_signed(drift))
            .filter(|&line| line <= n_lines + 1)
            .ok_or(Unfit::Nowhere)?
            .saturating_sub(1)
    };

    let ending = haystack.ending_at(line);
    let text = hunk.new().collect::<Vec<_>>().join(ending);
    let end = haystack.shown.len();
    let ends_without = hunk.final_newline.is_some_and(|newline| !newline.after);
    let replacement = match haystack.lines.get(line) {
        Some(line) => Replacement::insertion(line.start, format!("{text}{ending}")),
        None if hunk.extent == Extent::Text => Replacement::insertion(end, text),
        // A file without a final newline stays without one.
        None if haystack.lacks_final_newline() => {
            Replacement::insertion(end, format!("{ending}{text}"))
        }
        None if ends_without => Replacement::insertion(end, text),
        None => Replacement::insertion(end, format!("{text}{ending}")),
    };
    let place = line..line;
    Ok(Lookup::Here(Located {
        rung: Rung::Exact,
        replacements: vec![replacement],
        lines: vec![place],
    }))
}
