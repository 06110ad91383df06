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
    let above = i.checked_sub(1).map_or("", |above| lines[above]);
    let below = lines.get(i + 1).copied().unwrap_or_default();
    let Some((mark, rest)) = line.split_once(' ') else {
        let is_below_index = above.starts_with("Index: ") || below.starts_with("Index: ");
        return line.starts_with("=====") && is_below_index;
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
        "copy" | "rename" => is_git_line(line) && (is_git_line(above) || is_git_line(below)),
        "diff" => rest.starts_with('-') || names_at(lines, i + 1).is_some(),
        "Index:" => below.starts_with("=====") || names_at(lines, i + 1).is_some(),
        "Only" => rest.starts_with("in ") && rest.contains(": "),
        "commit" | "From" => is_number(first) || first.len() >= 7 && is_hex(first),
        "Binary" => rest.starts_with("files ") && rest.ends_with(" differ"),
        "GIT" => rest == "binary patch",
        _ => false,
    }
}

fn is_git_line(line: &str) -> bool {
    line.starts_with("diff --git ") || GIT_HEADERS.iter().any(|header| line.starts_with(header))
}

fn is_hex(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
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
    let old = lines.get(i)?.strip_prefix("---")?;
    let new = lines.get(i + 1)?.strip_prefix("+++")?;
    if let (Some(old), Some(new)) = (old.strip_prefix([' ', '\t']), new.strip_prefix([' ', '\t'])) {
        return Some((old, new));
    }
    let is_git = old.starts_with("a/") && new.starts_with("b/")
        || old == diff::NO_FILE
        || new == diff::NO_FILE;
    (is_git && lines.get(i + 2)?.starts_with("@@")).then_some((old, new))
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
        let (new, _) = diff::unquoted(&format!("\"{new}"))?;
        return Ok(Some((old.to_owned(), new)));
    }

    // The name occurs twice and may contain spaces, so the text is split in the middle.
    let (old, new) = text.split_at_checked(text.len() / 2).unwrap_or_default();
    if let Some(new) = new.strip_prefix(' ') {
        let (stripped_old, stripped_new) = diff::without_prefixes(old, new);
        if stripped_old == stripped_new {
            return Ok(Some((old.to_owned(), new.to_owned())));
        }
    }

    // Otherwise one place must be the only one that may separate them.
    let separator = if text.contains(" b/") { " b/" } else { " " };
    let mut places = text.match_indices(separator);
    Ok(match (places.next(), places.next()) {
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
    if !(rest.is_empty() || rest.starts_with([' ', '\t', '-'])) {
        return None;
    }
    let (ranges, section) = rest.split_once("@@").unwrap_or((rest, ""));
    let (ranges, section) = (ranges.trim(), section.trim());
    // In place of a range, models write dots, `-XX,YY`, nothing, or the section.
    let is_range = ranges.is_empty() || ranges.starts_with(['-', '.', '…']);
    let section = if is_range { section } else { ranges };

    let mut words = ranges.split_whitespace();
    let old = number_and_count(words.next(), '-');
    let new = number_and_count(words.next(), '+');
    Some(HunkHeader {
        line: old.map(|(line, _)| line),
        counts: old.zip(new).map(|((_, n_old), (_, n_new))| (n_old, n_new)),
        section: (!section.is_empty()).then(|| section.to_owned()),
    })
}

fn number_and_count(word: Option<&str>, sign: char) -> Option<(usize, usize)> {
    let range = word?.strip_prefix(sign)?;
    let (number, count) = range.split_once(',').unwrap_or((range, "1"));
    Some((number.parse().ok()?, count.parse().ok()?))
}
