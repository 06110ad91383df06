//! What the formats of `diff` have in common: lines, code fences, file names, `\ No newline at end
//! of file`, and what the names in a file's header make of the hunks below it.

use super::{Action, FormatError, LineEdit, Over, Request};
use crate::locate::hunk::{Count, Extent, FinalNewline, Hunk, HunkLine, Tag};
use std::ops::Range;

/// The lines of a patch, without line endings.
pub(super) fn lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> =
        text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    lines
}

/// Whether a line opens or closes a code fence. Not one that is indented: in a hunk, that is a
/// context line.
pub(super) fn is_fence(line: &str) -> bool {
    line.starts_with("```") || line.starts_with("~~~")
}

/// The lines of a text that is nothing but a patch, or a patch in one fence, blank lines before and
/// after it aside. Blank lines at the end stay where no fence stands behind them: they may belong
/// to it.
pub(super) fn unfenced(lines: &[&str]) -> Range<usize> {
    let is_blank = |line: &&str| line.trim().is_empty();
    let start = lines.iter().position(|line| !is_blank(line)).unwrap_or(lines.len());
    match lines.iter().rposition(|line| !is_blank(line)) {
        Some(last) if last > start && is_fence(lines[start]) && is_fence(lines[last]) => {
            start + 1..last
        }
        _ => start..lines.len(),
    }
}

/// Whether a line says that the line before it has no line feed. The words are in the language of
/// who made it.
pub(super) fn is_newline_mark(line: &str) -> bool {
    line.starts_with("\\ ")
}

/// Whether a line can be written in a patch and read back.
pub(super) fn is_one_line(text: &str) -> bool {
    !text.contains('\n') && !text.ends_with('\r')
}

/// A name in a file's header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// There is no header.
    Unnamed,
    /// `/dev/null`: the file is not there on this side.
    Absent,
    /// As it stands there.
    Named(String),
}

/// The names in what follows `--- ` and `+++ `, or `*** ` and `--- `, without the prefixes that git
/// adds. `has_prefixes` says whether git's own line has them, where there is one.
///
/// # Errors
/// What is wrong with a name.
pub(super) fn sides(
    old: &str,
    new: &str,
    has_prefixes: Option<bool>,
) -> Result<(Side, Side), String> {
    let ((old, date), (new, _)) = (name_and_date(old)?, name_and_date(new)?);
    // `diff -N` gives a file that is not there the date 0, in the time zone of who made it. Only
    // believed of the old file: it decides whether lines without context are a new file, which
    // never replaces one.
    let is_date_0 = ["1970-01-01 ", "1969-12-31 "].iter().any(|day| date.starts_with(day));
    let (is_old, is_new) = (old != NO_FILE, new != NO_FILE);
    let (stripped_old, stripped_new) = without_prefixes(&old, &new);
    // Beside /dev/null, which is git's way to say it, the prefix is git's too.
    let strips_each =
        has_prefixes.unwrap_or(is_old != is_new) && stripped_old == old && stripped_new == new;
    let strip = |name, prefixes: &[&str]| {
        let known = if has_prefixes.is_some() { prefixes } else { &prefixes[..1] };
        if strips_each {
            known.iter().find_map(|prefix| str::strip_prefix(name, prefix)).unwrap_or(name)
        } else {
            name
        }
    };
    let (old, new) =
        (strip(stripped_old, &["a/", "i/", "c/", "o/"]), strip(stripped_new, &["b/", "w/", "i/"]));
    let side = |name: &str, is_there: bool| {
        if is_there { Side::Named(name.to_owned()) } else { Side::Absent }
    };
    Ok((side(old, is_old && !is_date_0), side(new, is_new)))
}

/// What stands for a file that is not there.
pub(super) const NO_FILE: &str = "/dev/null";

/// The names without the `a/` and `b/` of git, or the letters that stand there with
/// `diff.mnemonicPrefix`.
pub(super) fn without_prefixes<'a>(old: &'a str, new: &'a str) -> (&'a str, &'a str) {
    const MNEMONIC: [(&str, &str); 4] = [("i/", "w/"), ("c/", "i/"), ("c/", "w/"), ("o/", "w/")];
    if let (Some(old), Some(new)) = (old.strip_prefix("a/"), new.strip_prefix("b/")) {
        return (old, new);
    }
    let stripped =
        MNEMONIC.iter().find_map(|(a, b)| Some((old.strip_prefix(a)?, new.strip_prefix(b)?)));
    stripped.filter(|(old, new)| old == new).unwrap_or((old, new))
}

/// Which of two names is the file's. The old one: what is looked for stands there. But not a copy
/// that was made to compare with, as `x.rs.orig` of `x.rs`.
pub(super) fn path_of(old: String, new: String) -> String {
    let is_copy =
        old.strip_prefix(&new).is_some_and(|suffix| suffix == "~" || suffix.starts_with('.'));
    if is_copy { new } else { old }
}

/// The name ends before a tab, before a date, or with its closing quote.
fn name_and_date(text: &str) -> Result<(String, &str), String> {
    let (name, date) = if text.starts_with('"') {
        let (name, rest) = unquoted(text)?;
        (name, rest.trim_start())
    } else if let Some((name, date)) = text.split_once('\t') {
        (name.to_owned(), date)
    } else {
        // Copied from a terminal or written by a model, the tab before the date is blanks.
        let is_end = |i: &usize| {
            text.as_bytes()[*i] == b' ' && is_date(text.as_bytes().get(i + 1..).unwrap_or_default())
        };
        let end = (0..text.len()).find(is_end).unwrap_or(text.len());
        (text[..end].trim().to_owned(), text[end..].trim_start())
    };
    if name.is_empty() {
        Err("expected a file name or /dev/null here".to_owned())
    } else {
        Ok((name, date))
    }
}

/// Whether it begins as `2013-01-05 16:56`.
fn is_date(text: &[u8]) -> bool {
    const FORM: &[u8] = b"0000-00-00 00:00";
    let fits =
        |(form, byte): (&u8, &u8)| if *form == b'0' { byte.is_ascii_digit() } else { form == byte };
    text.len() >= FORM.len() && FORM.iter().zip(text).all(fits)
}

/// A name in quotes with C's escapes, as git writes names with control characters, quotes,
/// backslashes and, by default, all bytes beyond ASCII; and what follows the closing quote.
///
/// # Errors
/// What is wrong with it.
pub(super) fn unquoted(text: &str) -> Result<(String, &str), String> {
    let bytes = text.as_bytes();
    let mut name = Vec::new();
    let mut i = 1;
    loop {
        let escaped = match bytes.get(i) {
            None => return Err("the quoted file name has no closing quote".to_owned()),
            Some(b'"') => break,
            Some(b'\\') => bytes.get(i + 1).copied().unwrap_or(b'"'),
            Some(&byte) => {
                name.push(byte);
                i += 1;
                continue;
            }
        };
        i += 2;
        name.push(match escaped {
            b'a' => 7,
            b'b' => 8,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 11,
            b'f' => 12,
            b'r' => b'\r',
            b'"' | b'\\' => escaped,
            b'0'..=b'3' => {
                let octal =
                    text.get(i - 1..i + 2).and_then(|digits| u8::from_str_radix(digits, 8).ok());
                i += 2;
                octal.ok_or(
                    "expected three octal digits after a backslash in the quoted file name",
                )?
            }
            _ => {
                return Err("the quoted file name has an escape that git does not write".to_owned());
            }
        });
    }
    let name =
        String::from_utf8(name).map_err(|_| "the quoted file name is not UTF-8".to_owned())?;
    Ok((name, &text[i + 1..]))
}

/// A name as git writes it, in quotes where it must be.
pub(super) fn quoted(name: &str) -> String {
    if !name.chars().any(|c| c.is_control() || matches!(c, '"' | '\\')) {
        return name.to_owned();
    }
    let mut quoted = String::from('"');
    for c in name.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let mut utf8 = [0; 4];
                quoted.extend(c.encode_utf8(&mut utf8).bytes().map(|byte| format!("\\{byte:03o}")));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A name after `--- ` and the like. A tab keeps a name with blanks apart from a date.
pub(super) fn header_name(name: &str) -> String {
    let quoted = quoted(name);
    if quoted.contains(char::is_whitespace) && !quoted.starts_with('"') {
        quoted + "\t"
    } else {
        quoted
    }
}

/// A file's header and the hunks below it.
pub(super) struct Section {
    /// The line on which it begins.
    pub line: usize,
    /// The file before.
    pub old: Side,
    /// The file after.
    pub new: Side,
    /// Whether the new name is to be the file's.
    pub is_move: bool,
    /// Whether there was a hunk, be it one that changes nothing.
    pub has_hunk: bool,
    /// Those that change something, each with its line.
    pub hunks: Vec<(usize, Hunk)>,
}

impl Section {
    pub(super) fn new(line: usize, old: Side, new: Side) -> Section {
        Section { line, old, new, is_move: false, has_hunk: false, hunks: Vec::new() }
    }

    /// Adds a hunk, if it changes something.
    pub(super) fn push(&mut self, line: usize, mut hunk: Hunk) {
        self.has_hunk = true;
        if hunk.lines.iter().any(|line| line.tag != Tag::Keep) {
            hunk.hints.is_ordered = !self.hunks.is_empty();
            self.hunks.push((line, hunk));
        }
    }

    /// What it asks for. Without hunks, that is only what the names say.
    ///
    /// # Errors
    /// If the names and the hunks say nothing together.
    pub(super) fn requests(self) -> Result<Vec<Request>, FormatError> {
        let line = self.line;
        let edits = |path: Option<String>, hunks: Vec<(usize, Hunk)>| -> Vec<Request> {
            hunks
                .into_iter()
                .map(|(line, hunk)| Request {
                    path: path.clone(),
                    line,
                    action: Action::Edit(hunk),
                })
                .collect()
        };
        let one = |path: String, action: Action| vec![Request { path: Some(path), line, action }];
        Ok(match (self.old, self.new) {
            (Side::Absent, Side::Absent) => {
                return Err(FormatError::at(
                    line,
                    "both names are /dev/null, expected one file name",
                ));
            }
            (Side::Named(path), Side::Absent) => {
                let holds =
                    |(_, hunk): &(usize, Hunk)| hunk.old().map(str::to_owned).collect::<Vec<_>>();
                let holds =
                    (!self.hunks.is_empty()).then(|| self.hunks.iter().flat_map(holds).collect());
                one(path, Action::Delete { holds })
            }
            (Side::Absent, Side::Named(path)) => match written(&self.hunks) {
                // A model writes /dev/null although the file is there, which its deleted lines
                // show.
                None => edits(Some(path), self.hunks),
                Some(_) if self.hunks.len() > 1 => {
                    let message =
                        "a new file has more than one hunk, expected one with all of its lines";
                    return Err(FormatError::at(self.hunks[1].0, message));
                }
                Some(text) => one(path, Action::Write { text, over: Over::Nothing }),
            },
            (Side::Named(old), Side::Named(to)) if self.is_move => {
                let mut requests = one(old.clone(), Action::Move { to });
                requests.extend(edits(Some(old), self.hunks));
                requests
            }
            (Side::Named(old), Side::Named(new)) => edits(Some(path_of(old, new)), self.hunks),
            _ => edits(None, self.hunks),
        })
    }
}

/// The text of a file that was not there before; none if the hunks look for lines in it. Empty
/// lines that lost their `+` are not looked for: no file is there that could have them.
fn written(hunks: &[(usize, Hunk)]) -> Option<String> {
    let mut text = String::new();
    for (_, hunk) in hunks {
        for line in &hunk.lines {
            if line.tag == Tag::Delete || line.tag == Tag::Keep && !line.text.is_empty() {
                return None;
            }
            text.push_str(&line.text);
            text.push('\n');
        }
        if hunk.final_newline.is_some_and(|newline| !newline.after) {
            text.pop();
        }
    }
    Some(text)
}

/// A hunk of a diff: whole lines in one place, where they are exchanged the deleted ones first.
/// `missing` says on which sides `\ No newline at end of file` stands, before and after.
pub(super) fn hunk(lines: Vec<HunkLine>, line: Option<usize>, missing: (bool, bool)) -> Hunk {
    let mut hunk = Hunk {
        lines: deletions_first(lines),
        extent: Extent::Lines,
        count: Count::One,
        hints: Default::default(),
        final_newline: None,
    };
    hunk.hints.line = line;
    if missing.0 || missing.1 {
        hunk.final_newline = Some(FinalNewline { before: !missing.0, after: !missing.1 });
        hunk.hints.at_end = true;
    }
    hunk
}

/// Models write `+` before `-`, or one line after the other; between two lines that stay it means
/// the same.
fn deletions_first(lines: Vec<HunkLine>) -> Vec<HunkLine> {
    let mut ordered = Vec::with_capacity(lines.len());
    let mut inserted = Vec::new();
    for line in lines {
        match line.tag {
            Tag::Insert => inserted.push(line),
            Tag::Delete => ordered.push(line),
            Tag::Keep => {
                ordered.append(&mut inserted);
                ordered.push(line);
            }
        }
    }
    ordered.append(&mut inserted);
    ordered
}

/// How many lines there are before and after.
pub(super) fn counts(hunk: &Hunk) -> (usize, usize) {
    (hunk.old().count(), hunk.new().count())
}

/// A range by its first and last line. The number of an empty range is that of the line before it.
pub(super) fn first_and_last(line: usize, n: usize) -> String {
    match n {
        0 => line.saturating_sub(1).to_string(),
        1 => line.to_string(),
        n => format!("{line},{}", line.saturating_add(n - 1)),
    }
}

/// Behind which lines of a hunk `\ No newline at end of file` stands, before and after. None if a
/// diff cannot say this hunk.
pub(super) fn newline_marks(hunk: &Hunk) -> Option<(Option<usize>, Option<usize>)> {
    let is_sayable = hunk.extent == Extent::Lines
        && hunk.count == Count::One
        && hunk.lines.iter().any(|line| line.tag != Tag::Keep)
        && hunk.lines.iter().all(|line| is_one_line(&line.text));
    if !is_sayable {
        return None;
    }
    let Some(newline) = hunk.final_newline else { return Some((None, None)) };
    let last_old = hunk.lines.iter().rposition(|line| line.tag != Tag::Insert);
    let last_new = hunk.lines.iter().rposition(|line| line.tag != Tag::Delete);
    let marks = (last_old.filter(|_| !newline.before), last_new.filter(|_| !newline.after));
    // A line that stays ends the file before and after, or neither.
    let is_kept = |mark: Option<usize>| mark.is_some_and(|i| hunk.lines[i].tag == Tag::Keep);
    let is_said = (newline.before || marks.0.is_some()) && (newline.after || marks.1.is_some());
    (is_said && (marks.0 == marks.1 || !is_kept(marks.0) && !is_kept(marks.1))).then_some(marks)
}

/// Digits only, no sign.
pub(super) fn number(digits: &str) -> Option<usize> {
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// The order of changes by number in the file as it was: each below the one before it.
#[derive(Default)]
pub(super) struct TopDown {
    /// The last line that may not be touched any more.
    done: usize,
    /// Where the last lines came, if the last change was an insertion: what comes there too has no
    /// order.
    inserted_after: Option<usize>,
}

impl TopDown {
    /// Whether a change is next: of so many lines from this one on, or after it where there are
    /// none.
    pub(super) fn takes(&mut self, line: usize, n_deleted: usize) -> bool {
        let is_below = if n_deleted > 0 {
            line > self.done
        } else {
            line >= self.done && self.inserted_after != Some(line)
        };
        self.inserted_after = (n_deleted == 0).then_some(line);
        self.done = line.saturating_add(n_deleted.saturating_sub(1));
        is_below
    }
}

/// The edits of requests that are nothing else: in the order of the file, each with lines that can
/// be written.
pub(super) fn line_edits(requests: &[Request]) -> Option<Vec<&LineEdit>> {
    let mut order = TopDown::default();
    let edits = requests.iter().map(|request| {
        let Action::Lines(edit) = &request.action else { return None };
        edit.line.checked_add(edit.n_deleted)?;
        let is_change = edit.n_deleted > 0 || !edit.new.is_empty();
        let is_sayable =
            request.path.is_none() && is_change && edit.new.iter().all(|line| is_one_line(line));
        (is_sayable && order.takes(edit.line, edit.n_deleted)).then_some(edit)
    });
    edits.collect()
}

/// Requests file by file: runs of edits in which each after the first stands below the one before
/// it, with the path of all of them, and any other request by itself.
pub(super) fn by_file(requests: &[Request]) -> impl Iterator<Item = &[Request]> {
    requests.chunk_by(|before, after| {
        let is_below = matches!(&after.action, Action::Edit(hunk) if hunk.hints.is_ordered);
        is_below && matches!(before.action, Action::Edit(_)) && before.path == after.path
    })
}

/// The hunks of a run of edits; none if there is something else.
pub(super) fn hunks(run: &[Request]) -> Option<Vec<&Hunk>> {
    run.iter()
        .map(|request| if let Action::Edit(hunk) = &request.action { Some(hunk) } else { None })
        .collect()
}

/// What the tests of the diff formats have in common.
#[cfg(test)]
pub(super) mod testing {
    use super::*;
    use proptest::prelude::*;
    use std::fs;
    use std::process::Command;

    /// Lines that look like marks of the formats.
    const NASTY: [&str; 28] = [
        "",
        " ",
        "a",
        "b",
        "  c",
        "-",
        "+",
        "-- a",
        "++ b",
        "- a",
        "+ b",
        "--- a",
        "+++ b",
        "@@ -1 +1 @@",
        "\\ x",
        "< a",
        "> b",
        "---",
        "3d",
        "1a",
        ".",
        "..",
        "d1 1",
        "a1 1",
        "s/.//",
        "***************",
        "*** 1 ****",
        "```",
    ];

    /// A request in short; `<` for one that stands below the one before it.
    pub fn brief(request: &Request) -> String {
        let path = request.path.as_deref().unwrap_or("-");
        let action = match &request.action {
            Action::Edit(hunk) => {
                let mut words = hunk.hints.line.map_or(vec![], |line| vec![format!("@{line}")]);
                words.extend(hunk.lines.iter().map(|line| match line.tag {
                    Tag::Keep => format!("={}", line.text),
                    Tag::Delete => format!("-{}", line.text),
                    Tag::Insert => format!("+{}", line.text),
                }));
                words.extend(hunk.hints.above.iter().map(|above| format!("|{above}")));
                format!("{}{}", if hunk.hints.is_ordered { "<" } else { "" }, words.join(" "))
            }
            Action::Write { text, over: Over::Nothing } => format!("write {text}"),
            Action::Delete { .. } => "delete".to_owned(),
            Action::Move { to } => format!("move {to}"),
            other => format!("{other:?}"),
        };
        format!("{path}: {action}")
    }

    pub fn line() -> impl Strategy<Value = String> {
        prop_oneof![prop::sample::select(&NASTY[..]).prop_map(str::to_owned), "[ -~é]{0,6}"]
    }

    pub fn path() -> impl Strategy<Value = String> {
        prop_oneof![
            Just("src/x.rs".to_owned()),
            "[a-zé]{1,3}(/[ab\"\\\\ \t.-]{1,3})?"
                .prop_filter("trimmed", |path| path.trim() == path)
        ]
    }

    /// Hunks of one file that a diff can say, with lines of these tags.
    pub fn hunks(
        tags: &'static [Tag],
        line_number: impl Strategy<Value = Option<usize>>,
    ) -> impl Strategy<Value = Vec<Hunk>> {
        let line =
            (prop::sample::select(tags), line()).prop_map(|(tag, text)| HunkLine { tag, text });
        let above = prop::option::of("[a-z(@]{1,5}( [a-z@]{1,4})?");
        let hunk = (prop::collection::vec(line, 1..8), line_number, above, any::<(bool, bool)>());
        let hunk = hunk.prop_map(|(mut lines, line, above, missing)| {
            if lines.iter().all(|line| line.tag == Tag::Keep) {
                lines[0].tag = Tag::Insert;
            }
            let mut hunk = super::hunk(lines, line, missing);
            if newline_marks(&hunk).is_none() {
                (hunk.final_newline, hunk.hints.at_end) = (None, false);
            }
            hunk.hints.above.extend(above);
            hunk
        });
        prop::collection::vec(hunk, 1..4)
    }

    pub const TAGS: &[Tag] = &[Tag::Keep, Tag::Delete, Tag::Insert];

    pub fn edits(path: Option<String>, hunks: Vec<Hunk>) -> Vec<Request> {
        let mut section = Section::new(0, Side::Unnamed, Side::Unnamed);
        hunks.into_iter().for_each(|hunk| section.push(0, hunk));
        let requests = section.requests().unwrap().into_iter();
        requests.map(|request| Request { path: path.clone(), ..request }).collect()
    }

    /// Changes by number with a line between them, so that an ed script can say them.
    pub fn line_edits() -> impl Strategy<Value = Vec<Request>> {
        let edit = (1..9usize, 0..4usize, prop::collection::vec(line(), 0..4));
        prop::collection::vec(edit, 1..5).prop_filter_map("all change something", |edits| {
            let mut free = 0;
            let request = |(gap, n_deleted, new): (usize, usize, Vec<String>)| {
                let line = free + gap - usize::from(free == 0 && n_deleted == 0);
                free = line + n_deleted.max(1);
                let action = Action::Lines(LineEdit { line, n_deleted, new });
                let is_change = matches!(&action, Action::Lines(edit) if edit.n_deleted > 0 || !edit.new.is_empty());
                is_change.then_some(Request { path: None, line: 0, action })
            };
            edits.into_iter().map(request).collect()
        })
    }

    /// Text of a format's own marks and others'.
    pub fn junk(marks: &'static [&'static str]) -> impl Strategy<Value = String> {
        let mark = prop_oneof![4 => prop::sample::select(marks).prop_map(str::to_owned), 2 => Just("\n".to_owned()), 1 => line(), 1 => ".{0,3}"];
        prop::collection::vec(mark, 0..40).prop_map(|parts| parts.concat())
    }

    /// Lines, and whether the last ends with a line feed.
    type File = (Vec<String>, bool);

    /// Compares what a real program's diffs make of an old file with the new file. `path` is the
    /// one that the diffs name.
    pub fn real_diffs(
        program: &str,
        args: &[&str],
        path: Option<&str>,
        parse: fn(&str) -> Result<Vec<Request>, FormatError>,
    ) {
        if Command::new(program).arg("--version").output().is_err() {
            println!("skipped: there is no {program}");
            return;
        }
        let mut state = 7u64;
        let mut random = move |n: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % n
        };
        let folder = tempfile::tempdir().unwrap();
        for _ in 0..60 {
            let n = random(14);
            let mut old: File =
                ((0..n).map(|_| NASTY[random(NASTY.len())].to_owned()).collect(), random(3) > 0);
            let mut new: File = (old.0.clone(), random(3) > 0);
            for _ in 0..1 + random(4) {
                let i = random(new.0.len() + 1);
                match random(3) {
                    0 if i < new.0.len() => drop(new.0.remove(i)),
                    1 if i < new.0.len() => new.0[i] = NASTY[random(NASTY.len())].to_owned(),
                    _ => new.0.insert(i, NASTY[random(NASTY.len())].to_owned()),
                }
            }
            // An empty line without a line feed is none.
            for file in [&mut old, &mut new] {
                file.1 |= file.0.last().is_none_or(String::is_empty);
            }
            let write = |name: &str, (lines, newline): &File| {
                let end = if *newline && !lines.is_empty() { "\n" } else { "" };
                fs::write(folder.path().join(name), lines.join("\n") + end).unwrap();
            };
            write("old", &old);
            write("new", &new);
            let mut command = Command::new(program);
            command
                .current_dir(&folder)
                .env("GIT_CONFIG_GLOBAL", "/dev/null")
                .env("GIT_CONFIG_NOSYSTEM", "1");
            let output = command.args(args).args(["old", "new"]).output().unwrap();
            let diff = String::from_utf8(output.stdout).unwrap();
            let requests = parse(&diff).unwrap_or_else(|error| panic!("{error}\n{diff}"));
            assert!(requests.iter().all(|request| request.path.as_deref() == path), "{diff}");
            let made = apply(&requests, &old).unwrap_or_else(|message| panic!("{message}\n{diff}"));
            assert_eq!(made.0, new.0, "{diff}");
            // ed scripts do not say it, nor do our lines of them and of RCS.
            let says_newline =
                requests.iter().all(|request| matches!(request.action, Action::Edit(_)));
            if says_newline && !new.0.is_empty() {
                assert_eq!(made.1 || old.0.is_empty() && new.1, new.1, "{diff}");
            }
        }
    }

    /// By line numbers only; the deleted and kept lines must be the file's.
    fn apply(requests: &[Request], old: &File) -> Result<File, String> {
        let (mut lines, mut newline, mut at) = (Vec::new(), old.1, 0);
        for request in requests {
            let (start, n_old, new): (usize, usize, Vec<String>) = match &request.action {
                Action::Edit(hunk) => {
                    let start = hunk.hints.line.ok_or("no line")? - 1;
                    let n_old = hunk.old().count();
                    let found = old.0.get(start..start + n_old).ok_or("beyond the end")?;
                    hunk.old().eq(found.iter()).then_some(()).ok_or("other lines stand there")?;
                    if let Some(said) = hunk.final_newline {
                        (old.0.is_empty() || said.before == old.1)
                            .then_some(())
                            .ok_or("other final newline")?;
                        newline = said.after;
                    }
                    (start, n_old, hunk.new().map(str::to_owned).collect())
                }
                Action::Lines(edit) => {
                    (edit.line - usize::from(edit.n_deleted > 0), edit.n_deleted, edit.new.clone())
                }
                other => return Err(format!("{other:?}")),
            };
            lines.extend_from_slice(old.0.get(at..start).ok_or("not in order")?);
            lines.extend(new);
            at = start + n_old;
        }
        lines.extend_from_slice(old.0.get(at..).ok_or("beyond the end")?);
        Ok((lines, newline))
    }
}
