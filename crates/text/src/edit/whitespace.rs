//! Whitespace-only lines in new text.

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
    path.rsplit('.')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase()
}

/// Empties whitespace-only lines, as editors do on saving. The first and the last line change only
/// if they are whole lines of the file.
pub fn without_blank_lines(new: &str, starts_line: bool, ends_line: bool) -> String {
    let n_lines = new.split('\n').count();
    let whole = |i: usize| (i > 0 || starts_line) && (i + 1 < n_lines || ends_line);
    let tidy = |(i, line): (usize, &str)| {
        if whole(i) && line.trim().is_empty() {
            String::new()
        } else {
            line.to_owned()
        }
    };
    new.split('\n')
        .enumerate()
        .map(tidy)
        .collect::<Vec<_>>()
        .join("\n")
}
