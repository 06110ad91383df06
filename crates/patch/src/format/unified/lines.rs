//! Reads single lines of a unified diff: names, hunk headers, marks.

use crate::format::diff;

/// Lines below git's names: headers without a meaning here, and headers that the parser reads.
pub(super) const GIT_HEADERS: [&str; 12] = [
    "old mode ",
    "new mode ",
    "new file mode ",
    "deleted file mode ",
    "copy from ",
    "copy to ",
    "rename from ",
    "rename to ",
    "rename old ",
    "similarity index ",
    "dissimilarity index ",
    "index ",
];

/// Whether a line stands between the hunks of two files. Below a hunk it may also be a line of the
/// file that lost its space (`index = 0`, `From here on`), so that it must have the form that tools
/// give it.
pub(super) fn is_heading(lines: &[&str], i: usize) -> bool {
    let line = lines[i];
    let is_hex = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_hexdigit());
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    let is_commit = |word: &str| is_number(word) || word.len() >= 7 && is_hex(word);
    let is_header = |line: &&str| {
        line.starts_with("diff --git ") || GIT_HEADERS.iter().any(|header| line.starts_with(header))
    };
    let beside = [i.checked_sub(1), Some(i + 1)].into_iter().flatten();
    let mut beside = beside.filter_map(|i| lines.get(i));
    let Some((mark, rest)) = line.split_once(' ') else {
        return line.starts_with("=====") && beside.any(|line| line.starts_with("Index: "));
    };
    let first = rest.split_whitespace().next().unwrap_or_default();
    match mark {
        "index" => first
            .split_once("..")
            .is_some_and(|(a, b)| is_hex(a) && is_hex(b)),
        "old" | "new" | "deleted" if rest.contains("mode ") => {
            rest.rsplit(' ').next().is_some_and(is_number)
        }
        "similarity" | "dissimilarity" => rest.starts_with("index ") && rest.ends_with('%'),
        "copy" | "rename" => is_header(&line) && beside.any(is_header),
        "diff" => rest.starts_with('-') || names_at(lines, i + 1).is_some(),
        "Index:" => {
            lines
                .get(i + 1)
                .is_some_and(|line| line.starts_with("====="))
                || names_at(lines, i + 1).is_some()
        }
        "Only" => rest.starts_with("in ") && rest.contains(": "),
        "commit" | "From" => is_commit(first),
        "Binary" => rest.starts_with("files ") && rest.ends_with(" differ"),
        "GIT" => rest == "binary patch",
        _ => false,
    }
}

/// Whether a line belongs to a hunk; an empty line does not count.
pub(super) fn is_body(line: &str) -> bool {
    line.starts_with([' ', '+', '-']) || diff::is_newline_mark(line)
}

pub(super) fn opens_diff(line: &str) -> bool {
    let word = line.trim_start_matches(['`', '~']).trim();
    diff::is_fence(line) && matches!(word, "diff" | "udiff" | "patch")
}

/// The text after `---` and `+++` if these two lines name a file. Without the space after them,
/// which models leave out, the names must be git's and a hunk must follow. Otherwise they may be a
/// decrement that becomes an increment (`--x;`, `++x;`).
pub(super) fn names_at<'a>(lines: &[&'a str], i: usize) -> Option<(&'a str, &'a str)> {
    let (old, new) = (
        lines.get(i)?.strip_prefix("---")?,
        lines.get(i + 1)?.strip_prefix("+++")?,
    );
    if let (Some(old), Some(new)) = (old.strip_prefix([' ', '\t']), new.strip_prefix([' ', '\t'])) {
        return Some((old, new));
    }
    let is_git = old.starts_with("a/") && new.starts_with("b/")
        || old == diff::NO_FILE
        || new == diff::NO_FILE;
    (is_git && lines.get(i + 2).is_some_and(|line| line.starts_with("@@"))).then_some((old, new))
}

/// The two names after `diff --git`; `None` if they cannot be told apart.
pub(super) fn git_names(text: &str) -> Result<Option<(String, String)>, String> {
    if text.starts_with('"') {
        let (old, rest) = diff::unquoted(text)?;
        let rest = rest.trim_start();
        let new = if rest.starts_with('"') {
            diff::unquoted(rest)?.0
        } else {
            rest.to_owned()
        };
        return Ok(Some((old, new)));
    }
    if let Some((old, new)) = text.split_once(" \"") {
        return Ok(Some((
            old.to_owned(),
            diff::unquoted(&format!("\"{new}"))?.0,
        )));
    }
    // The name occurs twice and may contain spaces, so the text is split in the middle.
    let middle = text.len() / 2;
    if let (Some(old), Some(new)) = (
        text.get(..middle),
        text.get(middle..).and_then(|text| text.strip_prefix(' ')),
    ) {
        let (stripped_old, stripped_new) = diff::without_prefixes(old, new);
        if stripped_old == stripped_new {
            return Ok(Some((old.to_owned(), new.to_owned())));
        }
    }
    let mut parts = text
        .match_indices(" b/")
        .chain(text.match_indices(' ').filter(|_| !text.contains(" b/")));
    Ok(match (parts.next(), parts.next()) {
        (Some((i, _)), None) => Some((text[..i].to_owned(), text[i + 1..].to_owned())),
        _ => None,
    })
}

/// The content of a line that begins with `@@`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct HunkHeader {
    /// The old line number as written; for an insertion, that of the line before.
    pub line: Option<usize>,
    /// The numbers of old and new lines.
    pub counts: Option<(usize, usize)>,
    /// The text after the second `@@`.
    pub section: Option<String>,
}

pub(super) fn hunk_header(line: &str) -> Option<HunkHeader> {
    let rest = line.strip_prefix("@@")?;
    // `@@count = 0` is Ruby, and `@@@` is a merge.
    let is_header = rest.is_empty() || rest.starts_with([' ', '\t', '-']);
    is_header.then_some(())?;
    let (ranges, section) = rest.split_once("@@").unwrap_or((rest, ""));
    let (ranges, section) = (ranges.trim(), section.trim());
    let mut header = HunkHeader::default();
    // In place of a range, models write dots, `-XX,YY`, nothing, or the section.
    let is_range = ranges.is_empty() || ranges.starts_with(['-', '.', '…']);
    let section = if is_range { section } else { ranges };
    header.section = Some(section)
        .filter(|section| !section.is_empty())
        .map(str::to_owned);
    let mut words = ranges.split_whitespace();
    let old = words
        .next()
        .and_then(|word| number_and_count(word.strip_prefix('-')?));
    let new = words
        .next()
        .and_then(|word| number_and_count(word.strip_prefix('+')?));
    header.line = old.map(|(line, _)| line);
    header.counts = old.zip(new).map(|((_, n_old), (_, n_new))| (n_old, n_new));
    Some(header)
}

fn number_and_count(range: &str) -> Option<(usize, usize)> {
    let (number, count) = range.split_once(',').unwrap_or((range, "1"));
    Some((number.parse().ok()?, count.parse().ok()?))
}
