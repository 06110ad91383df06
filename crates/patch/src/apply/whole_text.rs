//! Turns a whole new text into a file's text. One that leaves parts out is completed from the file.

use super::elided::leaves_out;
use super::plan::{Failed, FailedKind, PlacedPart};
use crate::format::Over;
use crate::locate::miss::LineRange;
use crate::locate::sketch;
use std::collections::HashSet;

/// A file's whole new text.
#[derive(Debug)]
pub(super) struct WholeText {
    pub text: String,
    /// See [`super::plan::Applied`].
    pub placed: Vec<PlacedPart>,
    /// See [`super::plan::Applied`].
    pub removed: Vec<LineRange>,
}

impl WholeText {
    fn of(text: &str) -> WholeText {
        WholeText {
            text: text.to_owned(),
            placed: Vec::new(),
            removed: Vec::new(),
        }
    }
}

/// The text that a file has afterwards; `None` if it is the one `there`.
pub(super) fn written(
    path: &str,
    there: Option<&str>,
    text: &str,
    over: Over,
) -> Result<Option<WholeText>, Failed> {
    let text = &text.replace("\r\n", "\n");
    let has_markers = leaves_out(text, over);
    let Some(there) = there else {
        if has_markers {
            let message = format!("{path} would be new, and the text leaves parts of it out");
            return Err(left_out(message, "write the whole file"));
        }
        if matches!(over, Over::File | Over::Version) {
            return Err(missing(path));
        }
        return Ok(Some(WholeText::of(text)));
    };

    // The file decides whether its last line ends with a newline; a fence cannot say it.
    let text = if there.is_empty() || there.ends_with('\n') {
        text
    } else {
        text.strip_suffix('\n').unwrap_or(text)
    };
    if text == there {
        return Ok(None);
    }
    if over == Over::Nothing && !there.trim().is_empty() {
        return Err(exists(path));
    }
    if has_markers {
        return completed(there, text);
    }
    if matches!(over, Over::Version | Over::NothingOrVersion) {
        refuse_a_part(path, there, text)?;
    }
    Ok(Some(WholeText::of(text)))
}

/// A text whose markers stand for parts of the file; `None` if it comes to the text `there`.
fn completed(there: &str, text: &str) -> Result<Option<WholeText>, Failed> {
    let completed = sketch::completed(there, text).map_err(|error| {
        let next = "between each marker and what changes, write a line that is in the file once; \
            or write the whole file";
        left_out(error.to_string(), next)
    })?;
    if completed.text == there {
        return Ok(None);
    }
    let mut placed = Vec::new();
    for guess in completed.by_likeness {
        placed.push(PlacedPart {
            line: guess.line,
            lines: LineRange::of(&guess.lines),
            removes: guess.removes,
        });
    }
    Ok(Some(WholeText {
        text: completed.text,
        placed,
        removed: completed.removed.iter().map(LineRange::of).collect(),
    }))
}

/// Refuses a text that has less than half of the file's lines.
fn refuse_a_part(path: &str, there: &str, text: &str) -> Result<(), Failed> {
    let (n_kept, n_lines) = n_kept(there, text);
    if 2 * n_kept >= n_lines {
        return Ok(());
    }
    let message =
        format!("it has {n_kept} of the {n_lines} lines of {path}, and may be only a part of it");
    let next = "if it is the whole new text, send it alone, with the path on the line above; if it \
        is a part, write `... existing code ...` for each part that stays";
    Err(left_out(message, next))
}

fn left_out(message: String, next: &str) -> Failed {
    Failed::new(FailedKind::LeftOut, message, next)
}

/// The error for a file that the patch would make, and that exists.
pub(super) fn exists(path: &str) -> Failed {
    let message = format!("there is a file {path} already, and the patch would make it");
    let next = "change the file that is there: name the text to replace, or delete it first";
    Failed::new(FailedKind::Exists, message, next)
}

/// The error for a file that does not exist.
pub(super) fn missing(path: &str) -> Failed {
    Failed::new(
        FailedKind::NoFile,
        format!("there is no file {path:?}"),
        "check its path, or leave it out of the patch",
    )
}

/// The number of a file's lines that a text has, and the number of all its lines. Blank lines do not
/// count.
fn n_kept(there: &str, text: &str) -> (usize, usize) {
    let text: HashSet<&str> = text.lines().map(str::trim).collect();
    let mut n_kept = 0;
    let mut n_lines = 0;
    for line in there.lines().map(str::trim).filter(|line| !line.is_empty()) {
        n_lines += 1;
        n_kept += usize::from(text.contains(line));
    }
    (n_kept, n_lines)
}
