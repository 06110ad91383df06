//! Codex's patches: what GPT models write for its `apply_patch` tool. Prose, a fence or the head of
//! a heredoc may stand before a patch; after it only what closes these.
//!
//! ```text
//! patch   = "*** Begin Patch" file* "*** End Patch"
//! file    = "*** Add File: " path ("+" text)*
//!         | "*** Delete File: " path
//!         | "*** Update File: " path ["*** Move to: " path] hunk+
//! hunk    = header* line+ ["*** End of File"]              the first may lack a header
//! header  = "@@" | "@@ " text                              text: a line above the hunk, the outermost first
//! line    = (" " | "-" | "+") text | ""                    the last: an empty line that stays
//! ```
//!
//! The first and the last line, and those that name a file, may have blanks around them. Empty
//! lines at a hunk's end are for the eye: models put them before `*** End Patch`. A hunk of nothing
//! but lines that stay says where the next one is.

use super::{Action, FormatError, Over, Request, file_name, quoted};
use crate::locate::hunk::{Count, Extent, Hints, Hunk, HunkLine, Tag};
use std::collections::HashSet;

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File:";
const DELETE: &str = "*** Delete File:";
const UPDATE: &str = "*** Update File:";
const MOVE: &str = "*** Move to:";
const END_OF_FILE: &str = "*** End of File";

pub(super) fn is_in(text: &str) -> bool {
    text.lines().any(|line| line.trim() == BEGIN)
}

pub(super) fn parse(text: &str) -> Result<Vec<Request>, FormatError> {
    let lines: Vec<&str> = text.lines().collect();
    let Some(begin) = lines.iter().position(|line| line.trim() == BEGIN) else {
        return Ok(Vec::new());
    };
    let end = end(&lines, begin)?;
    let mut reader = Reader {
        lines: &lines[..end],
        line_idx: begin + 1,
        paths: HashSet::new(),
        requests: Vec::new(),
    };
    while let Some(line) = reader.lines.get(reader.line_idx) {
        let header = line.trim();
        if header.is_empty() {
            reader.line_idx += 1;
        } else if let Some(path) = header.strip_prefix(ADD) {
            reader.add(path.trim())?;
        } else if let Some(path) = header.strip_prefix(DELETE) {
            reader.delete(path.trim())?;
        } else if let Some(path) = header.strip_prefix(UPDATE) {
            reader.update(path.trim())?;
        } else {
            let message = format!(
                "found {}, expected `{ADD}`, `{DELETE}` or `{UPDATE}` and a path",
                quoted(header)
            );
            return Err(reader.error(message));
        }
    }
    Ok(reader.requests)
}

/// Requests for one file stand together; a move comes before edits.
pub(super) fn render(requests: &[Request]) -> Option<String> {
    let mut text = format!("{BEGIN}\n");
    let mut paths = HashSet::new();
    let mut requests = requests.iter().peekable();
    while let Some(request) = requests.next() {
        let path =
            request.path.as_deref().filter(|path| *path == path.trim() && !path.is_empty())?;
        if !paths.insert(plain(path)) {
            return None;
        }
        match &request.action {
            Action::Write { text: new, over: Over::Nothing } => {
                text += &format!("{ADD} {path}\n");
                text.extend(new.lines().flat_map(|line| ["+", line, "\n"]));
                continue;
            }
            Action::Delete { .. } => {
                text += &format!("{DELETE} {path}\n");
                continue;
            }
            Action::Move { to } if *to == *to.trim() && !to.is_empty() => {
                text += &format!("{UPDATE} {path}\n{MOVE} {to}\n")
            }
            Action::Edit(hunk) => text += &format!("{UPDATE} {path}\n{}", render_hunk(hunk)?),
            _ => return None,
        }
        let mut n_hunks = usize::from(matches!(request.action, Action::Edit(_)));
        while let Some(next) = requests.next_if(|next| next.path == request.path) {
            let Action::Edit(hunk) = &next.action else { return None };
            text += &render_hunk(hunk)?;
            n_hunks += 1;
        }
        if n_hunks == 0 {
            return None;
        }
    }
    Some(text + END + "\n")
}

fn render_hunk(hunk: &Hunk) -> Option<String> {
    let keeps_newline = hunk.final_newline.is_none_or(|newline| newline.before == newline.after);
    let has_change = hunk.lines.iter().any(|line| line.tag != Tag::Keep);
    if hunk.extent != Extent::Lines || hunk.count != Count::One || !keeps_newline || !has_change {
        return None;
    }
    let mut text = String::new();
    let headers = hunk.hints.above.iter().filter(|above| !above.trim().is_empty());
    text.extend(headers.flat_map(|above| ["@@ ", above, "\n"]));
    if text.is_empty() {
        text += "@@\n";
    }
    for line in &hunk.lines {
        text.push(match line.tag {
            Tag::Keep => ' ',
            Tag::Delete => '-',
            Tag::Insert => '+',
        });
        text += &line.text;
        text.push('\n');
    }
    if hunk.hints.at_end {
        text += END_OF_FILE;
        text.push('\n');
    }
    Some(text)
}

/// The line of `*** End Patch`. It is looked for from the end, for a hunk may hold one as content.
fn end(lines: &[&str], begin: usize) -> Result<usize, FormatError> {
    let delimiter = heredoc(lines, begin)?;
    let closes = |line: &str| {
        let is_fence = file_name::fence(line).is_some_and(|fence| fence.info.is_empty());
        line.trim().is_empty() || is_fence || Some(line.trim()) == delimiter
    };
    let last = begin + lines[begin..].iter().rposition(|line| !closes(line)).unwrap_or_default();
    if lines[last].trim() == END {
        return Ok(last);
    }
    let end = lines[begin..].iter().position(|line| line.trim_end() == END);
    Err(match end {
        Some(n_above) => {
            let junk = begin + n_above + 1;
            let junk =
                junk + lines[junk..].iter().position(|line| !closes(line)).unwrap_or_default();
            let found = quoted(lines[junk].trim());
            FormatError::at(
                junk + 1,
                format!(
                    "found {found} after `{END}`, expected nothing; put one patch alone at the end"
                ),
            )
        }
        None => FormatError::at(
            last + 1,
            format!("the patch ends without `{END}`; the answer may have been cut off"),
        ),
    })
}

/// The word that ends the heredoc in which the patch stands, if it does: `cat <<'EOF'`.
fn heredoc<'a>(lines: &[&'a str], begin: usize) -> Result<Option<&'a str>, FormatError> {
    let head = lines[..begin].iter().rposition(|line| !line.trim().is_empty());
    let Some((line_idx, (_, word))) =
        head.and_then(|line_idx| Some((line_idx, lines[line_idx].rsplit_once("<<")?)))
    else {
        return Ok(None);
    };
    let word = word.trim();
    let bare = word.trim_matches(['\'', '"']);
    if bare.is_empty() || !bare.chars().all(|char| char.is_ascii_alphanumeric() || char == '_') {
        return Ok(None);
    }
    if ["", "'", "\""].iter().any(|quote| word == format!("{quote}{bare}{quote}")) {
        return Ok(Some(bare));
    }
    let message = format!(
        "found {}, whose quotes do not match; write `<<'{bare}'`",
        quoted(lines[line_idx].trim())
    );
    Err(FormatError::at(line_idx + 1, message))
}

/// A path in the form in which the same one is always the same.
fn plain(path: &str) -> Vec<String> {
    path.split('/').filter(|part| !part.is_empty() && *part != ".").map(str::to_owned).collect()
}

/// What is read, from below `*** Begin Patch` to above `*** End Patch`.
struct Reader<'a> {
    lines: &'a [&'a str],
    line_idx: usize,
    /// What the patch names so far.
    paths: HashSet<Vec<String>>,
    requests: Vec<Request>,
}

/// A hunk that is being read.
#[derive(Default)]
struct OpenHunk {
    line_idx: usize,
    above: Vec<String>,
    lines: Vec<HunkLine>,
    /// How many of the last lines are empty ones without a blank before them.
    n_empty: usize,
    has_header: bool,
    has_bare_header: bool,
}

impl Reader<'_> {
    fn error(&self, message: impl Into<String>) -> FormatError {
        FormatError::at(self.line_idx + 1, message)
    }

    /// The line of a file's name is read.
    fn begin(&mut self, path: &str) -> Result<(), FormatError> {
        if path.is_empty() {
            return Err(self.error("the name of the file is missing; put it after the colon"));
        }
        if !self.paths.insert(plain(path)) {
            return Err(self.error(format!(
                "{} is in the patch twice; put all that is done to it in one place",
                quoted(path)
            )));
        }
        self.line_idx += 1;
        Ok(())
    }

    fn push(&mut self, path: &str, line_idx: usize, action: Action) {
        self.requests.push(Request { path: Some(path.to_owned()), line: line_idx + 1, action });
    }

    fn add(&mut self, path: &str) -> Result<(), FormatError> {
        let start = self.line_idx;
        self.begin(path)?;
        let mut text = String::new();
        while let Some(line) = self.lines.get(self.line_idx).and_then(|line| line.strip_prefix('+'))
        {
            text += line;
            text.push('\n');
            self.line_idx += 1;
        }
        self.expect_next_file("every line of a new file begins with `+`, an empty one too")?;
        self.push(path, start, Action::Write { text, over: Over::Nothing });
        Ok(())
    }

    fn delete(&mut self, path: &str) -> Result<(), FormatError> {
        self.push(path, self.line_idx, Action::Delete { holds: None });
        self.begin(path)?;
        self.expect_next_file("a file that is deleted has no lines")
    }

    /// After a file that is added or deleted comes the next one, or nothing.
    fn expect_next_file(&mut self, rule: &str) -> Result<(), FormatError> {
        while self.lines.get(self.line_idx).is_some_and(|line| line.trim().is_empty()) {
            self.line_idx += 1;
        }
        match self.lines.get(self.line_idx) {
            Some(line) if !line.trim().starts_with("*** ") => Err(self.error(format!(
                "found {}, expected the next file or `{END}`; {rule}",
                quoted(line)
            ))),
            _ => Ok(()),
        }
    }

    fn update(&mut self, path: &str) -> Result<(), FormatError> {
        let start = self.line_idx;
        let n_before = self.requests.len();
        self.begin(path)?;
        let mut has_lines = false;
        if let Some(to) =
            self.lines.get(self.line_idx).and_then(|line| line.trim().strip_prefix(MOVE))
        {
            if to.trim().is_empty() {
                return Err(self.error(format!("found `{MOVE}` without a path; put one after it")));
            }
            self.push(path, self.line_idx, Action::Move { to: to.trim().to_owned() });
            self.line_idx += 1;
        }
        let mut hunk = OpenHunk::default();
        while let Some(line) = self.lines.get(self.line_idx).copied() {
            if let Some(header) = line.strip_prefix("@@") {
                if !hunk.lines.is_empty() {
                    hunk = self.close(path, hunk, false)?;
                }
                let header = header.strip_prefix(' ').unwrap_or(header);
                if header.trim().is_empty() && hunk.has_bare_header {
                    return Err(
                        self.error("found `@@` twice without a line between; leave one out")
                    );
                }
                hunk.has_bare_header |= header.trim().is_empty();
                hunk.has_header = true;
                hunk.above.extend((!header.trim().is_empty()).then(|| header.to_owned()));
            } else if line.trim_end() == END_OF_FILE {
                hunk = self.close(path, hunk, true)?;
            } else if line.starts_with("***") {
                break;
            } else if line.is_empty() && hunk.lines.is_empty() && !hunk.has_header {
                // Between the file's name or the end of the file and the next hunk.
            } else if has_lines && hunk.lines.is_empty() && !hunk.has_header {
                return Err(self.error(format!(
                    "found {} after `{END_OF_FILE}`, expected `@@` or the next file",
                    quoted(line)
                )));
            } else if let Some(hunk_line) = hunk_line(line) {
                if hunk.lines.is_empty() {
                    hunk.line_idx = self.line_idx;
                }
                hunk.n_empty = if line.is_empty() { hunk.n_empty + 1 } else { 0 };
                hunk.lines.push(hunk_line);
                has_lines = true;
            } else {
                return Err(self.error(format!(
                    "found {}, expected a line that begins with ` `, `-`, `+` or `@@`",
                    quoted(line)
                )));
            }
            self.line_idx += 1;
        }
        if hunk.has_header || !hunk.lines.is_empty() {
            self.close(path, hunk, false)?;
        }
        if !has_lines {
            return Err(FormatError::at(
                start + 1,
                format!("nothing is to be changed in {}; put a hunk under it", quoted(path)),
            ));
        }
        if self.requests.len() == n_before {
            let message =
                format!("no line of {} is changed; begin a line with `-` or `+`", quoted(path));
            return Err(FormatError::at(start + 1, message));
        }
        Ok(())
    }

    /// Ends a hunk and begins the next one.
    fn close(
        &mut self,
        path: &str,
        mut hunk: OpenHunk,
        at_end: bool,
    ) -> Result<OpenHunk, FormatError> {
        hunk.lines.truncate(hunk.lines.len() - hunk.n_empty);
        if hunk.lines.is_empty() {
            return Err(self.error("the hunk above has no lines; begin each with ` `, `-` or `+`"));
        }
        if hunk.lines.iter().all(|line| line.tag == Tag::Keep) {
            hunk.above.extend(hunk.lines.into_iter().map(|line| line.text));
            return Ok(OpenHunk { above: hunk.above, ..OpenHunk::default() });
        }
        deletes_first(&mut hunk.lines);
        // Lines to add with nothing that says where: Codex itself puts them at the end.
        let says_nothing =
            hunk.above.is_empty() && hunk.lines.iter().all(|line| line.tag == Tag::Insert);
        let hunk_hints = Hints {
            line: None,
            above: hunk.above,
            at_end: at_end || says_nothing,
            is_ordered: true,
        };
        let edit = Hunk {
            lines: hunk.lines,
            extent: Extent::Lines,
            count: Count::One,
            hints: hunk_hints,
            final_newline: None,
        };
        self.push(path, hunk.line_idx, Action::Edit(edit));
        Ok(OpenHunk::default())
    }
}

fn hunk_line(line: &str) -> Option<HunkLine> {
    let mut chars = line.chars();
    let tag = match chars.next() {
        None | Some(' ') => Tag::Keep,
        Some('-') => Tag::Delete,
        Some('+') => Tag::Insert,
        Some(_) => return None,
    };
    Some(HunkLine { tag, text: chars.as_str().to_owned() })
}

/// Where lines are exchanged, the deleted ones come first.
fn deletes_first(lines: &mut [HunkLine]) {
    for changed in
        lines.chunk_by_mut(|line, next| (line.tag == Tag::Keep) == (next.tag == Tag::Keep))
    {
        changed.sort_by_key(|line| line.tag == Tag::Insert);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check_round_trip, is_refused};
    use super::*;
    use proptest::prelude::*;

    /// What a request asks for, in short.
    fn shown(request: Request) -> String {
        let path = request.path.unwrap();
        match request.action {
            Action::Write { text, over: Over::Nothing } => format!("write {path} {text:?}"),
            Action::Delete { .. } => format!("delete {path}"),
            Action::Move { to } => format!("move {path} {to}"),
            Action::Edit(hunk) => {
                let lines: Vec<String> =
                    hunk.lines.iter().map(|line| format!("{:?} {}", line.tag, line.text)).collect();
                let end = if hunk.hints.at_end { " at end" } else { "" };
                assert!(hunk.hints.is_ordered);
                format!("edit {path} {:?} {}{end}", hunk.hints.above, lines.join(", "))
            }
            other => format!("{other:?}"),
        }
    }

    #[track_caller]
    fn check(body: &str, expected: &[&str]) {
        let text = format!("*** Begin Patch\n{body}*** End Patch");
        assert!(is_in(&text));
        let requests: Vec<String> = parse(&text).unwrap().into_iter().map(shown).collect();
        assert_eq!(requests, expected, "{body}");
    }

    #[track_caller]
    fn check_err(text: &str, line: usize, part: &str) {
        is_refused(&parse(text), line, part);
    }

    #[test]
    fn files_are_added_deleted_moved_and_updated() {
        check("*** Add File: a/b.txt\n+x\n+\n+ y\n\n", &[r#"write a/b.txt "x\n\n y\n""#]);
        check(
            "*** Add File: empty\n  *** Delete File: c.txt \n",
            &[r#"write empty """#, "delete c.txt"],
        );
        check(
            "*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n",
            &["move a b", "edit a [] Delete x, Insert y"],
        );
        check("*** Update File: a\n*** Move to: b\n@@\n same\n", &["move a b"]);
        check("*** Update File: a\r\n@@\r\n-x\r\n+y\r\n", &["edit a [] Delete x, Insert y"]);
        check("", &[]);
    }

    #[test]
    fn hunks_have_headers_and_ends() {
        check("*** Update File: a\n x\n+y\n", &["edit a [] Keep x, Insert y"]);
        check(
            "*** Update File: a\n\n@@ class A\n@@     def f\n+y\n-x\n x\n",
            &[r#"edit a ["class A", "    def f"] Delete x, Insert y, Keep x"#],
        );
        check(
            "*** Update File: a\n@@\n+y\n*** End of File\n\n*** Delete File: b\n",
            &["edit a [] Insert y at end", "delete b"],
        );
        check("*** Update File: a\n@@\n x\n@@\n-y\n", &[r#"edit a ["x"] Delete y"#]);
        check(
            "*** Update File: a\n@@\n-a\n@@ b\n-c\n",
            &["edit a [] Delete a", r#"edit a ["b"] Delete c"#],
        );
    }

    #[test]
    fn an_empty_line_stays_inside_a_hunk_only() {
        check(
            "*** Update File: a\n@@\n x\n\n-y\n\n\n@@\n-z\n\n",
            &["edit a [] Keep x, Keep , Delete y", "edit a [] Delete z"],
        );
        check("*** Update File: a\n@@\n-y\n \n", &["edit a [] Delete y, Keep "]);
    }

    #[test]
    fn a_patch_stands_in_prose_fences_and_heredocs() {
        let patch = "*** Begin Patch\n*** Delete File: a\n*** End Patch\n";
        for text in [
            format!("Here it is:\n\n```diff\n{patch}```\n"),
            format!("```bash\napply_patch <<'EOF'\n{patch}EOF\n```\n"),
            format!("<<EOF\n{patch}EOF"),
            format!("cat <<\"PATCH\"\n\n{patch}PATCH\n"),
            patch.replace("***", " ***").replace('\n', " \r\n"),
        ] {
            assert_eq!(
                parse(&text).unwrap().into_iter().map(shown).collect::<Vec<_>>(),
                ["delete a"],
                "{text}"
            );
        }
    }

    #[test]
    fn a_broken_patch_is_refused_with_its_line() {
        for (body, line, part) in [
            ("*** Frobnicate File: a\n", 2, "found `*** Frobnicate File: a`, expected"),
            ("*** Add File:\n", 2, "missing"),
            ("*** Add File: a\nx\n", 3, "begins with `+`"),
            ("*** Add File: a\n+x\n\n+y\n", 5, "begins with `+`"),
            ("*** Delete File: a\nx\n", 3, "no lines"),
            ("*** Update File: a\n", 2, "nothing is to be changed"),
            ("*** Update File: a\n*** Move to:\n", 3, "without a path"),
            (
                "*** Update File: a\n*** Move to: b\n*** Delete File: c\n",
                2,
                "nothing is to be changed",
            ),
            ("*** Update File: a\n@@\n", 4, "no lines"),
            ("*** Update File: a\n@@\n\n", 5, "no lines"),
            ("*** Update File: a\n@@\n*** End of File\n", 4, "no lines"),
            ("*** Update File: a\n@@\n@@\n-x\n", 4, "twice"),
            ("*** Update File: a\n@@\n-x\nbad\n", 5, "found `bad`"),
            ("*** Update File: a\n@@\n x\n", 2, "no line"),
            ("*** Update File: a\n@@\n-x\n*** End of File\n-y\n", 6, "expected `@@`"),
            ("*** Update File: a\n@@\n-x\n*** Update File: ./a\n@@\n-y\n", 5, "twice"),
        ] {
            check_err(&format!("*** Begin Patch\n{body}*** End Patch\n"), line, part);
        }
        check_err(
            "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n\n",
            5,
            "without `*** End Patch`",
        );
        check_err(
            "*** Begin Patch\n*** Delete File: a\n*** End Patch\n\n*** Delete File: b\n",
            5,
            "after `*** End Patch`",
        );
        check_err("cat <<\"EOF'\n*** Begin Patch\n*** End Patch\nEOF\n", 1, "quotes do not match");
        check_err("*** Begin Patch\n*** End Patch\nEOF\n", 3, "found `EOF`");
        assert_eq!(parse("bad"), Ok(Vec::new()));
        assert!(!is_in("what `*** Begin Patch` means"));
    }

    fn hunk() -> impl Strategy<Value = Action> {
        let tag = prop::sample::select(vec![Tag::Keep, Tag::Delete, Tag::Insert]);
        let line = (tag, "[ -~é]{0,6}|\\*\\*\\* End (Patch|of File)|@@");
        let above = prop::collection::vec("[ -~]{0,4}[a-z]", 0..3);
        (prop::collection::vec(line, 0..6), any::<bool>(), above, "[a-z]?").prop_map(
            |(lines, at_end, above, last)| {
                let mut lines: Vec<HunkLine> =
                    lines.into_iter().map(|(tag, text)| HunkLine { tag, text }).collect();
                lines.push(HunkLine { tag: Tag::Insert, text: last });
                deletes_first(&mut lines);
                let says_nothing =
                    above.is_empty() && lines.iter().all(|line| line.tag == Tag::Insert);
                let hints =
                    Hints { line: None, above, at_end: at_end || says_nothing, is_ordered: true };
                Action::Edit(Hunk {
                    lines,
                    extent: Extent::Lines,
                    count: Count::One,
                    hints,
                    final_newline: None,
                })
            },
        )
    }

    fn requests() -> impl Strategy<Value = Vec<Request>> {
        let write = "([ -~]{0,5}\n){0,3}"
            .prop_map(|text| vec![Action::Write { text, over: Over::Nothing }]);
        let edits = (prop::option::of("[a-z/]{1,5}"), prop::collection::vec(hunk(), 1..4))
            .prop_map(|(to, edits)| {
                to.map(|to| Action::Move { to }).into_iter().chain(edits).collect()
            });
        prop::collection::vec(
            prop_oneof![Just(vec![Action::Delete { holds: None }]), write, edits],
            0..4,
        )
        .prop_map(|files| {
            let requests = |(file_idx, actions): (usize, Vec<Action>)| {
                actions.into_iter().map(move |action| Request {
                    path: Some(format!("f {file_idx}")),
                    line: 0,
                    action,
                })
            };
            files.into_iter().enumerate().flat_map(requests).collect()
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(requests in requests()) {
            check_round_trip(&requests, render, is_in, parse)?;
        }

        #[test]
        fn no_text_is_too_strange(text in "\\PC*", marks in prop::collection::vec(
            prop::sample::select(vec![BEGIN, END, ADD, UPDATE, DELETE, MOVE, END_OF_FILE, "@@", " a", "-é", "+", "<<", "'EOF'", "```", "\r", "\n", "\n", "\n"]), 0..20)) {
            let _ = parse(&text);
            let _ = parse(&format!("{BEGIN}\n{}\n{END}", marks.concat()));
            let _ = parse(&marks.concat());
        }
    }
}
