//! Unified diffs, as `diff -u`, git and language models write them.
//!
//! What tools write could be left to a library (diffy reads git's diffs). But models miscount,
//! write `@@ ... @@`, lose the blank of an empty context line and put prose around it all, so that
//! a lenient parser must be here anyway; and one that reads the rest reads theirs.
//!
//! ```text
//! patch   := (prose | fence | file | hunk)*
//! file    := "diff --git " NAME " " NAME (git header)* [names] hunk*  |  names hunk*
//! names   := "--- " NAME [TAB date] "+++ " NAME [TAB date]
//! hunk    := "@@ -" RANGE " +" RANGE " @@" [section] body  |  "@@ ... @@" body  |  "@@" [section] body
//!            |  body                                    right below names or an opening ```diff
//! body    := (" " kept | "-" deleted | "+" inserted | "" an empty kept line | "\ No newline at end of file")+
//! RANGE   := LINE ["," COUNT]
//! ```
//!
//! A body ends where its counts say, if nothing that looks like a part of it follows there; else
//! the counts are wrong, and it ends where the next file, hunk or fence begins.

use super::diff::{self, Section, Side};
use super::{Action, FormatError, Over, Request, quoted};
use crate::locate::hunk::{Hunk, HunkLine, Tag};

/// Whether a text has the marks of this format.
pub(super) fn is_in(text: &str) -> bool {
    let lines = diff::lines(text);
    let changes_below = |i: usize| {
        let body = lines[i + 1..].iter().take_while(|line| line.is_empty() || is_body(line));
        body.into_iter().any(|line| line.starts_with(['+', '-']))
    };
    (0..lines.len()).any(|i| {
        lines[i].starts_with("diff --git ")
            || names_at(&lines, i).is_some()
            || (hunk_header(lines[i]).is_some() || opens_diff(lines[i])) && changes_below(i)
    })
}

/// Reads a text.
pub(super) fn parse(text: &str) -> Result<Vec<Request>, FormatError> {
    let lines = diff::lines(text);
    let mut parser = Parser {
        lines: &lines,
        at: 0,
        is_fenced: false,
        section: None,
        requests: Vec::new(),
        unchanged: None,
    };
    parser.run()?;
    match parser.unchanged {
        Some(line) if parser.requests.is_empty() => Err(FormatError::at(
            line,
            "no line of this hunk begins with + or -, expected at least one to insert or delete",
        )),
        _ => Ok(parser.requests),
    }
}

/// Writes requests as git does, `@@ ... @@` where no line number is known.
pub(super) fn render(requests: &[Request]) -> Option<String> {
    let mut text = String::new();
    let mut runs = diff::by_file(requests).enumerate().peekable();
    while let Some((i, run)) = runs.next() {
        let Some(path) = &run[0].path else {
            // Only at the start does no file's header stand above a hunk.
            (i == 0).then_some(())?;
            render_hunks(&mut text, &diff::hunks(run)?)?;
            continue;
        };
        (!path.is_empty() && path != diff::NO_FILE).then_some(())?;
        let (a, b) = (format!("a/{path}"), format!("b/{path}"));
        let names = |a: &str, b: &str| {
            format!("--- {}\n+++ {}\n", diff::header_name(a), diff::header_name(b))
        };
        let git = |b: &str| format!("diff --git {} {}\n", diff::quoted(&a), diff::quoted(b));
        match &run[0].action {
            Action::Edit(_) => {
                text += &(git(&b) + &names(&a, &b));
                render_hunks(&mut text, &diff::hunks(run)?)?;
            }
            Action::Write { text: new, over: Over::Nothing } => {
                text += &(git(&b) + "new file mode 100644\n");
                if !new.is_empty() {
                    text += &names(diff::NO_FILE, &b);
                    let lines: Vec<&str> =
                        new.strip_suffix('\n').unwrap_or(new).split('\n').collect();
                    lines.iter().all(|line| diff::is_one_line(line)).then_some(())?;
                    text += &format!("@@ -0,0 +{} @@\n", range(1, lines.len()));
                    lines.iter().for_each(|line| text += &format!("+{line}\n"));
                    text += if new.ends_with('\n') { "" } else { NO_NEWLINE };
                }
            }
            Action::Delete { .. } => {
                text += &(git(&b) + "deleted file mode 100644\n" + &names(&a, diff::NO_FILE))
            }
            Action::Move { to } => {
                (!to.is_empty()).then_some(())?;
                let b = format!("b/{to}");
                text += &(git(&b)
                    + &format!(
                        "rename from {}\nrename to {}\n",
                        diff::quoted(path),
                        diff::quoted(to)
                    ));
                if let Some((_, run)) =
                    runs.next_if(|(_, run)| run[0].path.as_ref() == Some(path) && is_edit(&run[0]))
                {
                    text += &names(&a, &b);
                    render_hunks(&mut text, &diff::hunks(run)?)?;
                }
            }
            Action::Write { .. } | Action::Lines(_) | Action::Insert(_) => return None,
        }
    }
    Some(text)
}

const NO_NEWLINE: &str = "\\ No newline at end of file\n";

const BINARY: &str = "this is a binary patch, which cannot be applied: copy the file instead";

/// Lines below git's names that say nothing here, or what [`Parser::git_header`] reads.
const GIT_HEADERS: [&str; 12] = [
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

/// Lines that stand between two files' hunks.
const BETWEEN: [&str; 8] = [
    "diff ",
    "Index: ",
    "Only in ",
    "commit ",
    "From ",
    "Binary files ",
    "GIT binary patch",
    "=====",
];

struct Parser<'a> {
    lines: &'a [&'a str],
    at: usize,
    is_fenced: bool,
    /// The file whose header was read last.
    section: Option<File>,
    requests: Vec<Request>,
    /// The line of the first hunk without a change.
    unchanged: Option<usize>,
}

struct File {
    section: Section,
    /// Whether its names may still come: after git's header.
    awaits_names: bool,
    /// Whether git's names have prefixes, where there are git's names.
    has_prefixes: Option<bool>,
    is_new: bool,
    is_deleted: bool,
    /// Where its mode changes.
    mode: Option<usize>,
    /// Where it is said to be binary.
    binary: Option<usize>,
}

impl File {
    fn new(section: Section) -> File {
        File {
            section,
            awaits_names: false,
            has_prefixes: None,
            is_new: false,
            is_deleted: false,
            mode: None,
            binary: None,
        }
    }

    fn requests(self) -> Result<Vec<Request>, FormatError> {
        let mut section = self.section;
        if self.is_deleted {
            section.new = Side::Absent;
        } else if let Some(line) = self.binary {
            return Err(FormatError::at(line, BINARY));
        } else if self.is_new {
            section.old = Side::Absent;
        }
        let says_all =
            self.is_new || self.is_deleted || section.is_move || section.new == Side::Absent;
        if !section.has_hunk && !says_all {
            return Err(match self.mode {
                Some(line) => FormatError::at(
                    line,
                    "only the file's mode changes, which is not supported: change it with chmod",
                ),
                None => FormatError::at(
                    section.line,
                    "no hunk follows the file's names, expected a line that begins with @@",
                ),
            });
        }
        if section.hunks.is_empty() && section.has_hunk && section.old == Side::Absent {
            return Err(FormatError::at(
                section.line,
                "no line of the new file begins with +, expected all to",
            ));
        }
        section.requests()
    }
}

impl Parser<'_> {
    fn run(&mut self) -> Result<(), FormatError> {
        while let Some(&line) = self.lines.get(self.at) {
            if diff::is_fence(line) {
                self.finish()?;
                let opens_diff = !self.is_fenced && opens_diff(line);
                self.is_fenced = !self.is_fenced;
                self.at += 1;
                if opens_diff && self.is_body_at(self.at) {
                    self.hunk(None)?;
                }
            } else if let Some(names) = line.strip_prefix("diff --git ") {
                self.finish()?;
                self.git_header(names)?;
            } else if line.starts_with("diff --cc ")
                || line.starts_with("diff --combined ")
                || line.starts_with("@@@ ")
            {
                let message = "this is the combined diff of a merge, which cannot be applied: make one with git show -m";
                return Err(FormatError::at(self.at + 1, message));
            } else if let Some((old, new)) = names_at(self.lines, self.at) {
                self.names(old, new)?;
            } else if let Some(header) = hunk_header(line) {
                self.at += 1;
                self.hunk(Some(header))?;
            } else if line == "GIT binary patch"
                || line.starts_with("Binary files ") && line.ends_with(" differ")
            {
                match &mut self.section {
                    Some(file) if file.awaits_names => file.binary = Some(self.at + 1),
                    _ => return Err(FormatError::at(self.at + 1, BINARY)),
                }
                self.at += 1;
            } else {
                self.at += 1;
            }
        }
        self.finish()
    }

    /// Ends the file whose header was read last.
    fn finish(&mut self) -> Result<(), FormatError> {
        if let Some(file) = self.section.take() {
            self.requests.extend(file.requests()?);
        }
        Ok(())
    }

    fn git_header(&mut self, names: &str) -> Result<(), FormatError> {
        let start = self.at + 1;
        let names = git_names(names).map_err(|message| FormatError::at(start, message))?;
        let mut file = File::new(Section::new(start, Side::Unnamed, Side::Unnamed));
        file.awaits_names = true;
        if let Some((old, new)) = &names {
            let (stripped_old, stripped_new) = diff::without_prefixes(old, new);
            file.has_prefixes = Some(stripped_old != old);
            file.section.old = Side::Named(stripped_old.to_owned());
            file.section.new = Side::Named(stripped_new.to_owned());
        }
        self.at += 1;
        while let Some((&line, keyword)) = self
            .lines
            .get(self.at)
            .and_then(|line| Some((line, *GIT_HEADERS.iter().find(|k| line.starts_with(**k))?)))
        {
            let value = &line[keyword.len()..];
            let name = || {
                let name = if value.starts_with('"') {
                    diff::unquoted(value).map(|(name, _)| name)
                } else {
                    Ok(value.to_owned())
                };
                name.map(Side::Named).map_err(|message| FormatError::at(self.at + 1, message))
            };
            match keyword {
                "new file mode " => file.is_new = true,
                "deleted file mode " => file.is_deleted = true,
                "old mode " | "new mode " => file.mode = file.mode.or(Some(self.at + 1)),
                "rename from " | "rename old " => file.section.old = name()?,
                "rename to " => {
                    file.section.new = name()?;
                    file.section.is_move = true;
                }
                "copy from " | "copy to " => {
                    let message =
                        "copying a file is not supported: write the new file as an addition";
                    return Err(FormatError::at(self.at + 1, message));
                }
                _ => {}
            }
            // A link's or a submodule's content is not the text of a file.
            if keyword.ends_with("mode ") && ["120000", "160000"].contains(&value.trim())
                || keyword == "index " && (value.ends_with(" 120000") || value.ends_with(" 160000"))
            {
                let message = "this changes a symbolic link or a submodule, which is not supported: change it by hand";
                return Err(FormatError::at(self.at + 1, message));
            }
            self.at += 1;
        }
        let has_names = file.section.old != Side::Unnamed && file.section.new != Side::Unnamed;
        let names_follow = names_at(self.lines, self.at).is_some();
        if !has_names && !names_follow {
            let message = "cannot tell where the first of the two names ends, expected lines --- and +++ with the names below";
            return Err(FormatError::at(start, message));
        }
        self.section = Some(file);
        Ok(())
    }

    fn names(&mut self, old: &str, new: &str) -> Result<(), FormatError> {
        let line = self.at + 1;
        let has_prefixes = self
            .section
            .as_ref()
            .filter(|file| file.awaits_names)
            .and_then(|file| file.has_prefixes);
        let (old, new) = diff::sides(old, new, has_prefixes)
            .map_err(|message| FormatError::at(line, message))?;
        match self.section.take() {
            Some(mut file) if file.awaits_names => {
                file.awaits_names = false;
                if !file.section.is_move {
                    file.section.old = old;
                    file.section.new = new;
                }
                self.section = Some(file);
            }
            file => {
                self.section = file;
                self.finish()?;
                self.section = Some(File::new(Section::new(line, old, new)));
            }
        }
        self.at += 2;
        if self.is_body_at(self.at) { self.hunk(None) } else { Ok(()) }
    }

    /// Reads the body of a hunk.
    fn hunk(&mut self, header: Option<HunkHeader>) -> Result<(), FormatError> {
        let start = self.at;
        // Without a header, the hunk begins with its first line.
        let line = if header.is_some() { start } else { start + 1 };
        let header = header.unwrap_or_default();
        let counted = header.counts.and_then(|counts| self.counted_end(counts));
        let end = match counted {
            Some(end) => end,
            None => self.marked_end(),
        };
        self.refuse_stray(end, counted.is_some())?;

        let mut lines = Vec::with_capacity(end - start);
        let mut missing = (false, false);
        for text in &self.lines[start..end] {
            let (tag, text) = match text.as_bytes().first() {
                Some(b'-') => (Tag::Delete, &text[1..]),
                Some(b'+') => (Tag::Insert, &text[1..]),
                Some(b'\\') => {
                    let tag = lines.last().map(|line: &HunkLine| line.tag);
                    missing.0 |= matches!(tag, Some(Tag::Delete | Tag::Keep));
                    missing.1 |= matches!(tag, Some(Tag::Insert | Tag::Keep));
                    continue;
                }
                first => (Tag::Keep, &text[usize::from(first.is_some())..]),
            };
            lines.push(HunkLine { tag, text: text.to_owned() });
        }
        let mut hunk = diff::hunk(lines, None, missing);
        // Nothing is deleted: the number is that of the line before.
        let is_insertion =
            header.counts.is_some_and(|(n_old, _)| n_old == 0) && hunk.old().next().is_none();
        hunk.hints.line = match (header.line, header.counts) {
            (Some(line), _) if is_insertion => Some(line.saturating_add(1)),
            (line, _) => line.filter(|line| *line > 0),
        };
        hunk.hints.above.extend(header.section);
        if hunk.lines.iter().all(|line| line.tag == Tag::Keep) {
            self.unchanged = self.unchanged.or(Some(line));
        }
        let unnamed = || File::new(Section::new(line, Side::Unnamed, Side::Unnamed));
        let file = self.section.get_or_insert_with(unnamed);
        file.awaits_names = false;
        file.section.push(line, hunk);
        self.at = end;
        Ok(())
    }

    /// Where the body ends by its counts; none if they are wrong.
    fn counted_end(&self, (mut n_old, mut n_new): (usize, usize)) -> Option<usize> {
        let mut end = self.at;
        while n_old > 0 || n_new > 0 {
            let first = self.lines.get(end)?.as_bytes().first();
            if !matches!(first, None | Some(b' ' | b'-' | b'+' | b'\\')) || self.is_next_file(end) {
                return None;
            }
            n_old = n_old.checked_sub(usize::from(matches!(first, None | Some(b' ' | b'-'))))?;
            n_new = n_new.checked_sub(usize::from(matches!(first, None | Some(b' ' | b'+'))))?;
            end += 1;
        }
        if self.lines.get(end).is_some_and(|line| diff::is_newline_mark(line)) {
            end += 1;
        }
        let next = (end..self.lines.len()).find(|&i| !self.lines[i].is_empty());
        next.is_none_or(|i| self.is_boundary(i) || !is_body(self.lines[i])).then_some(end)
    }

    /// Whether the names of a file stand here even if the counts take them for a deleted and an
    /// inserted line: a model counts one too many more often than a hunk ends with `-- x.rs` that
    /// becomes `++ x.rs`.
    fn is_next_file(&self, i: usize) -> bool {
        let is_path = |name: &str| name.contains(['.', '/']) && !name.contains(' ');
        let sides = names_at(self.lines, i).map(|(old, new)| diff::sides(old, new, None));
        let is_file = match sides {
            Some(Ok((Side::Named(old), Side::Named(new)))) => old == new && is_path(&old),
            Some(Ok((Side::Named(path), Side::Absent) | (Side::Absent, Side::Named(path)))) => {
                is_path(&path)
            }
            _ => false,
        };
        is_file && self.lines.get(i + 2).is_some_and(|line| line.starts_with("@@"))
    }

    /// Where the body ends by its lines.
    fn marked_end(&self) -> usize {
        let is_in = |i: &usize| {
            (self.lines[*i].is_empty() || is_body(self.lines[*i])) && !self.is_boundary(*i)
        };
        let end = (self.at..self.lines.len()).find(|i| !is_in(i)).unwrap_or(self.lines.len());
        // Models leave empty lines before the closing fence.
        self.lines[self.at..end]
            .iter()
            .rposition(|line| !line.is_empty())
            .map_or(self.at, |last| self.at + last + 1)
    }

    /// Refuses a line below a hunk that might belong to it, as a context line that lost its blank:
    /// the changes below it would silently be left out.
    fn refuse_stray(&self, end: usize, is_counted: bool) -> Result<(), FormatError> {
        let stray = (end..self.lines.len()).find(|&i| !self.lines[i].trim().is_empty());
        let Some(stray) = stray.filter(|&i| !self.is_boundary(i)) else { return Ok(()) };
        let is_change = |line: &str| line.starts_with(['+', '-']) && line.contains(|c| c != '-');
        let mut below = (stray..self.lines.len()).take_while(|&i| !self.is_boundary(i));
        if self.is_fenced || !is_counted && below.any(|i| is_change(self.lines[i])) {
            let what = quoted(self.lines[stray]);
            let message = format!(
                "{what} stands in or below a hunk, expected a line that begins with a blank, + or -: begin a line that stays with a blank"
            );
            return Err(FormatError::at(stray + 1, message));
        }
        Ok(())
    }

    /// Whether a body cannot go on here, though the line may look like it.
    fn is_boundary(&self, i: usize) -> bool {
        let line = self.lines[i];
        diff::is_fence(line)
            || names_at(self.lines, i).is_some()
            || line.starts_with("@@")
            || BETWEEN.iter().chain(&GIT_HEADERS).any(|mark| line.starts_with(mark))
            || self.is_signature(i)
    }

    /// Whether git's version stands here, as at the end of a mail.
    fn is_signature(&self, i: usize) -> bool {
        let is_version = |line: &&str| line.starts_with(|c: char| c.is_ascii_digit());
        matches!(self.lines[i], "-- " | "--") && self.lines.get(i + 1).is_some_and(is_version)
    }

    fn is_body_at(&self, i: usize) -> bool {
        self.lines.get(i).is_some_and(|line| is_body(line)) && !self.is_boundary(i)
    }
}

/// Whether a line is one of a hunk, an empty one aside.
fn is_body(line: &str) -> bool {
    line.starts_with([' ', '+', '-']) || diff::is_newline_mark(line)
}

fn opens_diff(line: &str) -> bool {
    let word = line.trim_start_matches(['`', '~']).trim();
    diff::is_fence(line) && matches!(word, "diff" | "udiff" | "patch")
}

/// What follows `---` and `+++` if the names of a file stand here. A model that leaves out the
/// blank after them is understood if a hunk follows, and if it is no decrement that becomes an
/// increment (`--x;`, `++x;`).
fn names_at<'a>(lines: &[&'a str], i: usize) -> Option<(&'a str, &'a str)> {
    let (old, new) = (lines.get(i)?.strip_prefix("---")?, lines.get(i + 1)?.strip_prefix("+++")?);
    if let (Some(old), Some(new)) = (old.strip_prefix([' ', '\t']), new.strip_prefix([' ', '\t'])) {
        return Some((old, new));
    }
    let is_git = old.starts_with("a/") && new.starts_with("b/")
        || old == diff::NO_FILE
        || new == diff::NO_FILE;
    (is_git && lines.get(i + 2).is_some_and(|line| line.starts_with("@@"))).then_some((old, new))
}

/// The two names after `diff --git`; none where they cannot be told apart.
fn git_names(text: &str) -> Result<Option<(String, String)>, String> {
    if text.starts_with('"') {
        let (old, rest) = diff::unquoted(text)?;
        let rest = rest.trim_start();
        let new = if rest.starts_with('"') { diff::unquoted(rest)?.0 } else { rest.to_owned() };
        return Ok(Some((old, new)));
    }
    if let Some((old, new)) = text.split_once(" \"") {
        return Ok(Some((old.to_owned(), diff::unquoted(&format!("\"{new}"))?.0)));
    }
    // The name stands there twice, so that it may have blanks: they part in the middle.
    let middle = text.len() / 2;
    if let (Some(old), Some(new)) =
        (text.get(..middle), text.get(middle..).and_then(|text| text.strip_prefix(' ')))
    {
        let (stripped_old, stripped_new) = diff::without_prefixes(old, new);
        if stripped_old == stripped_new {
            return Ok(Some((old.to_owned(), new.to_owned())));
        }
    }
    let mut parts =
        text.match_indices(" b/").chain(text.match_indices(' ').filter(|_| !text.contains(" b/")));
    Ok(match (parts.next(), parts.next()) {
        (Some((i, _)), None) => Some((text[..i].to_owned(), text[i + 1..].to_owned())),
        _ => None,
    })
}

/// What a line that begins with `@@` says.
#[derive(Debug, Default, PartialEq, Eq)]
struct HunkHeader {
    /// As it stands there: where nothing is deleted, of the line before.
    line: Option<usize>,
    /// Of old and new lines.
    counts: Option<(usize, usize)>,
    /// What follows the second `@@`.
    section: Option<String>,
}

fn hunk_header(line: &str) -> Option<HunkHeader> {
    let rest = line.strip_prefix("@@")?;
    // `@@count = 0` is Ruby, and `@@@` a merge.
    let is_header = rest.is_empty() || rest.starts_with([' ', '\t', '-']);
    is_header.then_some(())?;
    let (ranges, section) = rest.split_once("@@").unwrap_or((rest, ""));
    let (ranges, section) = (ranges.trim(), section.trim());
    let mut header = HunkHeader::default();
    // Where a range is to be, a model puts dots or `-XX,YY`, or leaves it out, or writes the
    // section there.
    let is_range = ranges.is_empty() || ranges.starts_with(['-', '.', '…']);
    let section = if is_range { section } else { ranges };
    header.section = Some(section).filter(|section| !section.is_empty()).map(str::to_owned);
    let mut words = ranges.split_whitespace();
    let old = words.next().and_then(|word| number_and_count(word.strip_prefix('-')?));
    let new = words.next().and_then(|word| number_and_count(word.strip_prefix('+')?));
    header.line = old.map(|(line, _)| line);
    header.counts = old.zip(new).map(|((_, n_old), (_, n_new))| (n_old, n_new));
    Some(header)
}

fn number_and_count(range: &str) -> Option<(usize, usize)> {
    let (number, count) = range.split_once(',').unwrap_or((range, "1"));
    Some((number.parse().ok()?, count.parse().ok()?))
}

fn is_edit(request: &Request) -> bool {
    matches!(request.action, Action::Edit(_))
}

/// Whether two of its lines would be a file's names in a hunk without counts.
fn has_names(hunk: &Hunk) -> bool {
    let look_like_names = |pair: &[HunkLine]| {
        let [old, new] = pair else { return false };
        (old.tag, new.tag) == (Tag::Delete, Tag::Insert)
            && old.text.starts_with("--")
            && new.text.starts_with("++")
    };
    hunk.lines.windows(2).any(look_like_names)
}

fn render_hunks(text: &mut String, hunks: &[&Hunk]) -> Option<()> {
    let (mut n_old_before, mut n_new_before) = (0, 0);
    for hunk in hunks {
        let marks = diff::newline_marks(hunk)?;
        let (n_old, n_new) = diff::counts(hunk);
        if let Some(line) = hunk.hints.line {
            // The number of an empty range is that of the line before it.
            let first = |line: usize, n: usize| {
                range(if n == 0 { line.saturating_sub(1) } else { line }, n)
            };
            let new_line = line.saturating_add(n_new_before).saturating_sub(n_old_before).max(1);
            *text += &format!("@@ -{} +{} @@", first(line, n_old), first(new_line, n_new));
        } else {
            (!has_names(hunk)).then_some(())?;
            *text += "@@ ... @@";
        }
        if let Some(above) = hunk.hints.above.last() {
            diff::is_one_line(above).then_some(())?;
            *text += &format!(" {above}");
        }
        text.push('\n');
        for (i, line) in hunk.lines.iter().enumerate() {
            let sign = match line.tag {
                Tag::Keep => ' ',
                Tag::Delete => '-',
                Tag::Insert => '+',
            };
            *text += &format!("{sign}{}\n", line.text);
            if marks.0 == Some(i) || marks.1 == Some(i) {
                *text += NO_NEWLINE;
            }
        }
        n_old_before += n_old;
        n_new_before += n_new;
    }
    Some(())
}

fn range(line: usize, n: usize) -> String {
    if n == 1 { line.to_string() } else { format!("{line},{n}") }
}

#[cfg(test)]
mod tests {
    use super::super::diff::testing::{self, TAGS, hunks, path, real_diffs};
    use super::super::testing::check_round_trip;
    use super::*;
    use proptest::prelude::*;

    /// A request in short: `path: ` and the body, `@line` before and `|section` behind it where
    /// there are any.
    fn check(text: &str, expected: &[&str]) {
        assert!(is_in(text), "{text:?}");
        let requests = parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
        let actual: Vec<String> = requests.iter().map(testing::brief).collect();
        assert_eq!(actual, expected, "{text:?}");
    }

    fn reject(text: &str, message: &str) {
        let error = parse(text).expect_err(text).to_string();
        assert!(error.starts_with(message), "{text:?}: {error}");
    }

    #[test]
    fn a_diff_as_tools_write_it() {
        check(
            "--- a/x.rs\n+++ b/x.rs\n@@ -3,2 +3,2 @@ fn f()\n a\n-b\n+c\n",
            &["x.rs: @3 =a -b +c |fn f()"],
        );
        check(
            "--- x\t2020-01-01 10:00:00\n+++ x\t2020-01-01 10:00:01\n@@ -1 +1 @@\n-b\n+c\n",
            &["x: @1 -b +c"],
        );
        check("--- x y  2020-01-01 10:00:00\n+++ x y\n@@ -1 +1 @@\n-b\n+c\n", &["x y: @1 -b +c"]);
        check("--- x\r\n+++ x\r\n@@ -1 +1 @@\r\n-b\r\n+c\r\n", &["x: @1 -b +c"]);
        check("--- x\n+++ x\n@@ -4,0 +5 @@\n+c\n", &["x: @5 +c"]);
        check(
            "--- x\n+++ x\n@@ -1 +1 @@\n-b\n+c\n@@ -8 +8 @@\n-d\n+e\n",
            &["x: @1 -b +c", "x: <@8 -d +e"],
        );
        check(
            "--- x\n+++ x\n@@ -1 +1 @@\n--- b\n+++ c\n@@ -3 +3 @@\n-d\n+e\n",
            &["x: @1 --- b +++ c", "x: <@3 -d +e"],
        );
        check(
            "--- x\n+++ x\n@@ -1 +0,0 @@\n-b\n--- y\n+++ y\n@@ -1 +1 @@\n-d\n+e\n",
            &["x: @1 -b", "y: @1 -d +e"],
        );
        check(
            "From 1\n\n---\n x | 2 +-\n\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n-- \n2.34.1\n\n",
            &["x: @1 -b +c"],
        );
    }

    #[test]
    fn names() {
        let edit = |old: &str, new: &str, path: &str| {
            check(
                &format!("--- {old}\n+++ {new}\n@@ -1 +1 @@\n-b\n+c\n"),
                &[&format!("{path}: @1 -b +c")],
            );
        };
        edit("a/x", "b/x", "x");
        edit("i/x", "w/x", "x");
        edit("a/x", "a/x", "a/x");
        edit("a/x", "x", "a/x");
        edit("a/a/x", "b/a/x", "a/x");
        edit("old", "new", "old");
        edit("x.rs.orig", "x.rs", "x.rs");
        edit("x.rs", "x.rs.new", "x.rs");
        edit(r#""a/\303\251\t\"""#, r#""b/\303\251\t\"""#, "é\t\"");
        check(
            "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ x\n@@ -1 +1 @@\n-b\n+c\n",
            &["x: @1 -b +c"],
        );
        check(
            "diff --git a/a/x b/a/x\n--- a/a/x\n+++ b/a/x\n@@ -1 +1 @@\n-b\n+c\n",
            &["a/x: @1 -b +c"],
        );
        check(
            "diff --git b/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+c\n",
            &["b/x: write c\n"],
        );
        check(
            "diff --git c/x w/x\nnew file mode 100644\n--- /dev/null\n+++ w/x\n@@ -0,0 +1 @@\n+c\n",
            &["x: write c\n"],
        );
        check("---a/x\n+++b/x\n@@ ... @@\n-b\n+c\n", &["x: -b +c"]);
        for name in [r#""a/\x""#, r#""a"#, r#""a/\377""#, r#""a/\3""#, ""] {
            reject(&format!("--- {name}\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n"), "line 1: ");
        }
    }

    #[test]
    fn as_models_write_it() {
        check(
            "Sure.\n\n```diff\n--- x\n+++ x\n@@ ... @@\n-b\n+c\n\n```\nDone.\n- really\n",
            &["x: -b +c"],
        );
        check(
            "--- x\n+++ x\n@@ ... @@\n-b\n+c\n\n--- y\n+++ y\n@@ ... @@\n-d\n+e\n",
            &["x: -b +c", "y: -d +e"],
        );
        check(
            "--- x\n+++ x\n@@ ... @@ class A\n-b\n@@ def f(): @@\n+e\n",
            &["x: -b |class A", "x: <+e |def f():"],
        );
        check("--- x\n+++ x\n@@ -1,9 +1,7 @@\n a\n\n-b\n+c\n", &["x: @1 =a = -b +c"]);
        check("--- x\n+++ x\n@@ -XX,3 +XX,3 @@ f\n-b\n+c\n", &["x: -b +c |f"]);
        check("--- x\n+++ x\n@@\n+c\n a\n-b\n", &["x: +c =a -b"]);
        check("--- x\n+++ x\n@@\n+c\n-b\n+d\n", &["x: -b +c +d"]);
        check("--- x\n+++ x\n-b\n+c\n", &["x: -b +c"]);
        check("@@ ... @@\n-b\n+c\n", &["-: -b +c"]);
        check("```diff\n-b\n+c\n```\n", &["-: -b +c"]);
        check("--- x\n+++ x\n@@ ... @@\n a\n@@ ... @@\n-b\n", &["x: -b"]);
        check(
            "--- x\n+++ x\n@@ -1,2 +1,2 @@\n-b\n+c\n--- y.rs\n+++ y.rs\n@@ -1 +1 @@\n-d\n",
            &["x: @1 -b +c", "y.rs: @1 -d"],
        );
        check("--- x\n+++ x\n@@ -1,2 +1,3 @@\n a\n+c\n\n```\n", &["x: @1 =a +c ="]);
        check("--- x\n+++ x\n@@ -1 +1 @@\n-b\n+c\n\nSo:\n- one\n", &["x: @1 -b +c"]);
        check(
            "```diff\n--- x\n+++ x\n@@\n-b\n```\nand\n```diff\n@@\n-c\n```\n",
            &["x: -b", "-: -c"],
        );
    }

    #[test]
    fn files() {
        check("--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+b\n+c\n", &["x: write b\nc\n"]);
        check("--- /dev/null\n+++ x\n@@\n+b\n\n+c\n\n", &["x: write b\n\nc\n"]);
        check(
            "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+b\n\\ No newline at end of file\n",
            &["x: write b"],
        );
        check("--- /dev/null\n+++ x\n@@ ... @@\n-b\n+c\n", &["x: -b +c"]);
        check(
            "--- x\t1970-01-01 01:00:00.0 +0100\n+++ x\t2020-01-01 10:00:00\n@@ -0,0 +1 @@\n+b\n",
            &["x: write b\n"],
        );
        check("diff --git a/x y b/x y\nnew file mode 100644\nindex 0..1\n", &["x y: write "]);
        check("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n", &["x: delete"]);
        check(
            "diff --git a/x b/x\ndeleted file mode 100644\nBinary files a/x and /dev/null differ\n",
            &["x: delete"],
        );
        let rename = "diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\n";
        check(rename, &["x: move y"]);
        check(
            &format!("{rename}--- a/x\n+++ b/y\n@@ -1 +1 @@\n-b\n+c\n"),
            &["x: move y", "x: @1 -b +c"],
        );
        check(
            "diff --git a/x b/x\nold mode 1\nnew mode 2\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-b\n+c\n",
            &["x: @1 -b +c"],
        );
    }

    #[test]
    fn final_newlines() {
        let newline = |body: &str| match &parse(&format!("@@ -1 +1 @@\n{body}")).unwrap()[0].action
        {
            Action::Edit(hunk) => hunk.final_newline.map(|newline| (newline.before, newline.after)),
            other => panic!("{other:?}"),
        };
        assert_eq!(newline("-a\n+b\n"), None);
        assert_eq!(newline("-a\n\\ No newline at end of file\n+b\n"), Some((false, true)));
        assert_eq!(newline("-a\n+b\n\\ Kein Zeilenumbruch am Dateiende.\n"), Some((true, false)));
        assert_eq!(newline("+b\n a\n\\ No newline at end of file\n"), Some((false, false)));
    }

    #[test]
    fn rejects() {
        reject("--- x\n+++ x\ninvalid header\n a\n-b\n+c\n", "line 1: no hunk follows");
        reject(
            "--- x\n+++ x\n@@ -1 +1 @@\n a\n",
            "line 3: no line of this hunk begins with + or -",
        );
        reject("--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n", "line 1: both names");
        reject(
            "--- /dev/null\n+++ x\n@@\n+a\n@@\n+b\n",
            "line 5: a new file has more than one hunk",
        );
        reject("--- /dev/null\n+++ x\n@@\n a\n", "line 1: no line of the new file");
        reject(
            "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n",
            "line 2: only the file's mode changes",
        );
        reject("diff --git a/x b/y\ncopy from x\ncopy to y\n", "line 2: copying a file");
        reject(
            "diff --git a/x b/x\nindex 1..2\nGIT binary patch\n",
            "line 3: this is a binary patch",
        );
        reject("Binary files x and y differ\n", "line 1: this is a binary patch");
        reject(
            "diff --git a/x b/x\nnew file mode 120000\n",
            "line 2: this changes a symbolic link",
        );
        reject("diff --git a/x y z\nnew file mode 100644\n", "line 1: cannot tell where");
        reject("diff --cc x\n@@@ -1,1 -1,1 +1,1 @@@\n", "line 1: this is the combined diff");
        // A context line that lost its blank, and what stands below it.
        reject(
            "```diff\n--- x\n+++ x\n@@\n-b\n+c\ndef f():\n-d\n```\n",
            "line 7: `def f():` stands in or below a hunk",
        );
        reject(
            "--- x\n+++ x\n@@ -1,9 +1,9 @@\n-b\ndef f():\n-d\n",
            "line 5: `def f():` stands in or below a hunk",
        );
        assert_eq!(parse("no diff here\n- really\n+ not\n"), Ok(Vec::new()));
    }

    #[test]
    fn other_text_is_not_taken_for_it() {
        for text in [
            "",
            "- a\n- b\n",
            "---\ntitle: x\n---\n",
            "@@count = 0\n-1\n",
            "--x;\n++x;\n",
            "```\n-a\n```\n",
            "a @@ b\n",
        ] {
            assert!(!is_in(text), "{text:?}");
        }
    }

    #[test]
    fn rendered_as_git_does() {
        let text = "diff --git a/x y b/x y\n--- a/x y\t\n+++ b/x y\t\n@@ -1 +1,2 @@\n-b\n+c\n+d\n@@ -5,0 +7 @@ f\n+e\n";
        assert_eq!(render(&parse(text).unwrap()).as_deref(), Some(text));
    }

    #[test]
    fn the_same_as_diff_and_git() {
        real_diffs("diff", &["-U0"], Some("old"), parse);
        real_diffs("diff", &["-u"], Some("old"), parse);
        real_diffs("git", &["diff", "--no-index"], Some("old"), parse);
    }

    fn file() -> impl Strategy<Value = Vec<Request>> {
        let request =
            |path: &str, action: Action| Request { path: Some(path.to_owned()), line: 0, action };
        let text = (testing::line(), testing::line(), any::<bool>())
            .prop_map(|(a, b, newline)| format!("{a}\n{b}{}", if newline { "\n" } else { "x" }));
        prop_oneof![
            4 => (path(), hunks(TAGS, prop::option::of(1..1000usize))).prop_map(move |(path, hunks)| testing::edits(Some(path), hunks)),
            1 => (path(), path(), prop::option::of(hunks(TAGS, prop::option::of(1..1000usize)))).prop_map(move |(path, to, hunks)| {
                let mut requests = vec![request(&path, Action::Move { to })];
                requests.extend(testing::edits(Some(path), hunks.unwrap_or_default()));
                requests
            }),
            1 => path().prop_map(move |path| vec![request(&path, Action::Delete { holds: None })]),
            1 => (path(), text).prop_map(move |(path, text)| vec![request(&path, Action::Write { text, over: Over::Nothing })]),
            1 => path().prop_map(move |path| vec![request(&path, Action::Write { text: String::new(), over: Over::Nothing })]),
        ]
    }

    proptest! {
        #[test]
        fn what_is_rendered_is_parsed(unnamed in prop::option::of(hunks(TAGS, prop::option::of(1..1000usize))), files in prop::collection::vec(file(), 1..4)) {
            let mut requests = testing::edits(None, unnamed.unwrap_or_default());
            requests.extend(files.into_iter().flatten());
            let is_ambiguous = |request: &Request| matches!(&request.action, Action::Edit(hunk) if hunk.hints.line.is_none() && has_names(hunk));
            prop_assume!(!requests.iter().any(is_ambiguous));
            check_round_trip(&requests, render, is_in, parse)?;
        }

        #[test]
        fn never_panics(text in testing::junk(&[
            "--- ", "+++ ", "a/x", "b/y", "/dev/null", "@@ ", "-1,2", "+0,0", "...", " @@", "diff --git ", "rename from ", "rename to ",
            "new file mode ", "deleted file mode ", "old mode ", "copy from ", "Binary files ", "index ", "```diff", "```", "-- ", "\\ No",
            "\"", "\\3", "18446744073709551615",
        ])) {
            let _ = (is_in(&text), parse(&text).map(|requests| render(&requests)));
        }
    }
}
