//! What a whole new text makes of a file: one that leaves parts out is completed from what is there.

use super::elided::leaves_out;
use super::plan::{Failed, FailedKind, PlacedPart};
use crate::format::Over;
use crate::locate::miss::LineRange;
use crate::locate::sketch::{self, Completed, Guess};
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

/// The text that a file has afterwards; None if it is the one `there`.
pub(super) fn written(
    path: &str,
    there: Option<&str>,
    text: &str,
    over: Over,
) -> Result<Option<WholeText>, Failed> {
    let text = &text.replace("\r\n", "\n");
    let has_markers = leaves_out(text, over);
    let left_out =
        |message: String, next: &str| Err(Failed::new(FailedKind::LeftOut, message, next));
    let Some(there) = there else {
        return match over {
            _ if has_markers => left_out(
                format!("{path} would be new, and the text leaves parts of it out"),
                "write the whole file",
            ),
            Over::File | Over::Version => Err(missing(path)),
            Over::Nothing | Over::Anything | Over::NothingOrVersion => {
                Ok(Some(WholeText::of(text)))
            }
        };
    };
    // The file decides whether its last line ends with a newline; a fence cannot say it.
    let text = match !there.is_empty() && !there.ends_with('\n') {
        true => text.strip_suffix('\n').unwrap_or(text),
        false => text,
    };
    if text == there {
        return Ok(None);
    }
    if over == Over::Nothing && !there.trim().is_empty() {
        return Err(exists(path));
    }
    if has_markers {
        return match sketch::completed(there, text) {
            Ok(Completed { text, .. }) if text == *there => Ok(None),
            Ok(Completed {
                text,
                by_likeness,
                removed,
                ..
            }) => {
                let part = |Guess {
                                line,
                                lines,
                                removes,
                            }: Guess| PlacedPart {
                    line,
                    lines: LineRange::of(&lines),
                    removes,
                };
                let placed = by_likeness.into_iter().map(part).collect();
                let removed = removed.iter().map(LineRange::of).collect();
                Ok(Some(WholeText {
                    text,
                    placed,
                    removed,
                }))
            }
            Err(error) => left_out(
                error.to_string(),
                "between each marker and what changes, write a line that is in the file once; or \
                 write the whole file",
            ),
        };
    }
    if matches!(over, Over::Version | Over::NothingOrVersion) {
        let (n_kept, n_lines) = n_kept(there, text);
        if 2 * n_kept < n_lines {
            return left_out(
                format!(
                    "it has {n_kept} of the {n_lines} lines of {path}, and may be only a part of it"
                ),
                "if it is the whole new text, send it alone, with the path on the line above; if it \
                 is a part, write `... existing code ...` for each part that stays",
            );
        }
    }
    Ok(Some(WholeText::of(text)))
}

/// Why no file is made where there is one.
pub(super) fn exists(path: &str) -> Failed {
    let message = format!("there is a file {path} already, and the patch would make it");
    let next = "change the file that is there: name the text to replace, or delete it first";
    Failed::new(FailedKind::Exists, message, next)
}

/// Why nothing is done with a file that is not there.
pub(super) fn missing(path: &str) -> Failed {
    Failed::new(
        FailedKind::NoFile,
        format!("there is no file {path:?}"),
        "check its path, or leave it out of the patch",
    )
}

/// How many of a file's lines a text has, and how many there are. Blank lines do not count.
fn n_kept(there: &str, text: &str) -> (usize, usize) {
    let lines = |text: &str| -> Vec<String> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.map(str::to_owned).collect()
    };
    let (there, text) = (lines(there), lines(text));
    let text: HashSet<&str> = text.iter().map(String::as_str).collect();
    let n_kept = there
        .iter()
        .filter(|line| text.contains(line.as_str()))
        .count();
    (n_kept, there.len())
}
