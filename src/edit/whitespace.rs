//! Lines of nothing but whitespace in new text.

/// Markdown ends lines in blanks for a reason, diffs and snapshots are what they are, and a file
/// that has such lines keeps its habit.
pub(crate) fn keeps_blank_lines(path: &str, shown: &str) -> bool {
    let is_markdown = ["md", "markdown", "mdx"].contains(&extension(path).as_str());
    is_markdown
        || is_literal(path)
        || shown.split('\n').any(|line| !line.is_empty() && line.trim().is_empty())
}

/// Diffs and snapshots are what they are, empty lines too.
pub(super) fn is_literal(path: &str) -> bool {
    ["diff", "patch", "snap"].contains(&extension(path).as_str())
}

fn extension(path: &str) -> String {
    path.rsplit('.').next().unwrap_or_default().to_ascii_lowercase()
}

/// Lines of nothing but blanks become empty, as editors make them on saving. The first and the last
/// line only where they are whole lines of the file.
pub(crate) fn without_blank_lines(new: &str, starts_line: bool, ends_line: bool) -> String {
    let n_lines = new.split('\n').count();
    let whole = |i: usize| (i > 0 || starts_line) && (i + 1 < n_lines || ends_line);
    let tidy = |(i, line): (usize, &str)| {
        if whole(i) && line.trim().is_empty() { String::new() } else { line.to_owned() }
    };
    new.split('\n').enumerate().map(tidy).collect::<Vec<_>>().join("\n")
}
