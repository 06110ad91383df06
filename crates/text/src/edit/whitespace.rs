//! Whitespace-only lines in new text.

use std::ops::Range;

/// Whether new text may keep whitespace-only lines: in Markdown, in diffs and snapshots, and in
/// files that already have such lines.
pub fn keeps_blank_lines(path: &str, shown: &str) -> bool {
    let is_markdown = ["md", "markdown", "mdx"].contains(&extension(path).as_str());
    is_markdown
        || is_literal(path)
        || shown
            .split('\n')
            .any(|line| !line.is_empty() && line.trim().is_empty())
}

/// Whether every empty line counts, as in diffs and snapshots.
pub(super) fn is_literal(path: &str) -> bool {
    ["diff", "patch", "snap"].contains(&extension(path).as_str())
}

fn extension(path: &str) -> String {
    let (_, extension) = path.rsplit_once('.').unwrap_or(("", path));
    extension.to_ascii_lowercase()
}

/// New text for a range of a file, with whitespace-only lines emptied, as editors do on saving. The
/// first and the last line of `new` change only if they are whole lines of the file.
pub fn without_blank_lines(shown: &str, range: &Range<usize>, new: &str) -> String {
    let (above, below) = (&shown[..range.start], &shown[range.end..]);
    let starts_line = above.is_empty() || above.ends_with(['\n', '\r']);
    let ends_line = below.is_empty() || below.starts_with(['\n', '\r']);

    let mut lines: Vec<&str> = new.split('\n').collect();
    let last = lines.len() - 1;
    for (i, line) in lines.iter_mut().enumerate() {
        let is_whole = (i > 0 || starts_line) && (i < last || ends_line);
        if is_whole && line.trim().is_empty() {
            *line = "";
        }
    }
    lines.join("\n")
}
