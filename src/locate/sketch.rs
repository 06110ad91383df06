//! Completes a whole file with parts left out (`... existing code ...`): finds the part of the file
//! that each marker replaces.

use super::fold::{Fold, folded_line, indentation};
use crate::text::elision::{is_bare_ellipsis, is_elision};

/// Why the part that a marker replaces is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SketchError {
    /// The text next to a marker is not in the file.
    #[error("it leaves out a part of the file beside {line:?}, which the file does not have there")]
    NotThere {
        /// The line beside the marker.
        line: String,
    },
    /// The text next to a marker occurs more than once.
    #[error("it leaves out a part of the file beside {line:?}, which the file has more than once")]
    Ambiguous {
        /// The line beside the marker.
        line: String,
    },
    /// The draft has only markers.
    #[error("it leaves out all of the file")]
    Empty,
}

/// The complete text: each marker becomes the file's lines between the draft's lines around it.
///
/// The lines beside a marker must occur in the file, once, and in the order of the draft. The line
/// before a marker ends a part that the draft rewrites, and the line after it begins one.
pub fn completed(file: &str, draft: &str) -> Result<String, SketchError> {
    let lines: Vec<&str> = file.split_inclusive('\n').collect();
    let plain: Vec<String> = lines
        .iter()
        .map(|line| folded_line(Fold::Whitespace, line.trim_end_matches('\n')).into_owned())
        .collect();
    let find = |line: &str, from: usize| -> Result<usize, SketchError> {
        let wanted = folded_line(Fold::Whitespace, line.trim_end_matches('\n'));
        let mut found = (from..plain.len()).filter(|&i| plain[i] == wanted);
        let line = || line.trim().to_owned();
        match (found.next(), found.next()) {
            (Some(at), None) => Ok(at),
            (None, _) => Err(SketchError::NotThere { line: line() }),
            _ => Err(SketchError::Ambiguous { line: line() }),
        }
    };
    let draft: Vec<&str> = draft.split_inclusive('\n').collect();
    let is_marker = |line: &str| is_elision(line) || is_bare_ellipsis(line);
    let pieces: Vec<&[&str]> =
        draft.split(|line| is_marker(line)).map(without_blank_ends).collect();
    if pieces.iter().all(|piece| piece.is_empty()) {
        return Err(SketchError::Empty);
    }
    let n_pieces = pieces.len();
    let mut out = String::new();
    let mut copied_to = 0; // lines of the file that are in `out`, or are replaced by what is
    for (i, piece) in pieces.into_iter().enumerate() {
        let (Some(first), Some(last)) = (piece.first(), piece.last()) else { continue };
        let is_one_line = piece.len() == 1;
        // The first piece begins at the start of the file, and the last one ends at its end.
        let start = if i == 0 { 0 } else { find(first, copied_to)? };
        let end = match i + 1 == n_pieces {
            true => lines.len(),
            false if is_one_line && i > 0 => start + 1,
            false => match block_end(&lines, start, first, last) {
                Some(end) => end + 1,
                None => find(last, start)? + 1,
            },
        };
        out.extend(lines[copied_to..start].iter().copied());
        for line in piece {
            out.push_str(line);
        }
        copied_to = end;
    }
    if draft.last().is_some_and(|line| is_marker(line)) || copied_to < lines.len() {
        if !out.ends_with('\n') && !out.is_empty() {
            out.push('\n');
        }
        out.extend(lines[copied_to..].iter().copied());
    }
    Ok(out)
}

/// The end of the block that a line opens, if the draft's piece is such a block. It is the first
/// line that equals the piece's last one at the depth of the opening line, with nothing shallower
/// between.
fn block_end(lines: &[&str], start: usize, first: &str, last: &str) -> Option<usize> {
    let closes = last.trim_start().starts_with(['}', ')', ']']) || last.trim() == "end";
    if !closes || indentation(first) != indentation(last) {
        return None;
    }
    let depth = indentation(lines.get(start)?).len();
    let is_there = |line: &str| !line.trim().is_empty() && indentation(line).len() <= depth;
    let end = start + 1 + lines[start + 1..].iter().position(|line| is_there(line))?;
    (lines[end].trim() == last.trim() && indentation(lines[end]).len() == depth).then_some(end)
}

/// Blank lines around a marker belong to the left-out part.
fn without_blank_ends<'a, 'd>(piece: &'a [&'d str]) -> &'a [&'d str] {
    let is_text = |line: &&str| !line.trim().is_empty();
    match (piece.iter().position(is_text), piece.iter().rposition(is_text)) {
        (Some(first), Some(last)) => &piece[first..=last],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(draft: &str, expected: Result<&str, &str>) {
        let file = "import a\n\nfn f() {\n    1\n}\n\nfn g() {\n    2\n}\n";
        let completed = completed(file, draft).map_err(|error| error.to_string());
        match expected {
            Ok(text) => assert_eq!(completed.as_deref(), Ok(text), "{draft}"),
            Err(part) => assert!(
                completed.as_ref().is_err_and(|error| error.contains(part)),
                "{completed:?}"
            ),
        }
    }

    #[test]
    fn markers_become_what_they_stand_for() {
        check("import a\nimport b\n\n// ... existing code ...\n", Err("import b"));
        check(
            "import a\n// ... existing code ...\nfn g() {\n    3\n}\n",
            Ok("import a\n\nfn f() {\n    1\n}\n\nfn g() {\n    3\n}\n"),
        );
        check(
            "// ... existing code ...\n\nfn g() {\n    3\n}\n",
            Ok("import a\n\nfn f() {\n    1\n}\n\nfn g() {\n    3\n}\n"),
        );
        check(
            "import b\nimport a\n// ... existing code ...\n",
            Ok("import b\nimport a\n\nfn f() {\n    1\n}\n\nfn g() {\n    2\n}\n"),
        );
        check(
            "// ... existing code ...\nfn f() {\n    4\n}\n// ... rest of the file ...\n",
            Ok("import a\n\nfn f() {\n    4\n}\n\nfn g() {\n    2\n}\n"),
        );
        check("// ... existing code ...\nfn h() {\n}\n", Err("fn h"));
        check("// ... existing code ...\n", Err("all of the file"));
        check(
            "// ... existing code ...\n    3\n}\n// ... existing code ...\n",
            Err("does not have"),
        );
    }
}
