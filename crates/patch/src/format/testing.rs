//! Shared parts of the formats' tests.

use super::diff::{self, DiffFile, Side};
use super::patch::{Action, FileEdit, FormatError, LineEdit, Over};
use crate::locate::hunk::{Hunk, HunkLine, Tag};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use std::fs;
use std::process::Command;

/// Checks that a text is refused at this line, with a message that contains `part`.
#[track_caller]
pub(super) fn is_refused(parsed: &Result<Vec<FileEdit>, FormatError>, line: usize, part: &str) {
    match parsed {
        Err(FormatError::Malformed { line: at, message }) => {
            assert!(*at == line && message.contains(part), "{at}: {message}");
        }
        other => panic!("{other:?}"),
    }
}

/// Checks that rendered edits are recognized, and read back as the same edits.
pub(super) fn check_round_trip(
    file_edits: &[FileEdit],
    render: fn(&[FileEdit]) -> Option<String>,
    is_in: fn(&str) -> bool,
    parse: fn(&str) -> Result<Vec<FileEdit>, FormatError>,
) -> Result<(), TestCaseError> {
    let Some(text) = render(file_edits) else {
        return Err(TestCaseError::fail("it cannot be rendered"));
    };
    // Without an edit there is no patch, and so nothing to recognize.
    prop_assert!(file_edits.is_empty() || is_in(&text), "{}", text);
    let mut parsed =
        parse(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
    parsed.iter_mut().for_each(|file_edit| file_edit.line = 0);
    prop_assert_eq!(&parsed[..], file_edits, "{}", text);
    Ok(())
}

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

/// A short form of an edit; `<` marks an edit that is below the one before it.
pub(super) fn brief(file_edit: &FileEdit) -> String {
    let path = file_edit.path.as_deref().unwrap_or("-");
    let action = match &file_edit.action {
        Action::Edit(hunk) => {
            let mut words = hunk
                .hints
                .line
                .map_or(vec![], |line| vec![format!("@{line}")]);
            words.extend(hunk.lines.iter().map(|line| match line.tag {
                Tag::Keep => format!("={}", line.text),
                Tag::Delete => format!("-{}", line.text),
                Tag::Insert => format!("+{}", line.text),
            }));
            words.extend(hunk.hints.above.iter().map(|above| format!("|{above}")));
            format!(
                "{}{}",
                if hunk.hints.is_ordered { "<" } else { "" },
                words.join(" ")
            )
        }
        Action::Write {
            text,
            over: Over::Nothing,
        } => format!("write {text}"),
        Action::Delete { .. } => "delete".to_owned(),
        Action::Move { to } => format!("move {to}"),
        Action::Copy { from } => format!("copy {from}"),
        Action::Mode { is_executable } => format!("executable {is_executable}"),
        Action::Refused { message, .. } => format!("refused {message}"),
        other => format!("{other:?}"),
    };
    format!("{path}: {action}")
}

pub(super) fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(&NASTY[..]).prop_map(str::to_owned),
        "[ -~é]{0,6}"
    ]
}

pub(super) fn path() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("src/x.rs".to_owned()),
        "[a-zé]{1,3}(/[ab\" \t.-]{1,3})?".prop_filter("trimmed", |path| path.trim() == path)
    ]
}

/// Hunks of one file that a diff can express, with lines of these tags.
pub(super) fn hunks(
    tags: &'static [Tag],
    line_number: impl Strategy<Value = Option<usize>>,
) -> impl Strategy<Value = Vec<Hunk>> {
    let line = (prop::sample::select(tags), line()).prop_map(|(tag, text)| HunkLine { tag, text });
    let above = prop::option::of("[a-z(@]{1,5}( [a-z@]{1,4})?");
    let hunk = (
        prop::collection::vec(line, 1..8),
        line_number,
        above,
        any::<(bool, bool)>(),
    );
    let hunk = hunk.prop_map(|(mut lines, line, above, missing)| {
        if lines.iter().all(|line| line.tag == Tag::Keep) {
            lines[0].tag = Tag::Insert;
        }
        let mut hunk = diff::hunk(lines, line, missing);
        if diff::newline_marks(&hunk).is_none() {
            (hunk.final_newline, hunk.hints.at_end) = (None, false);
        }
        hunk.hints.above.extend(above);
        hunk
    });
    prop::collection::vec(hunk, 1..4)
}

pub(super) const TAGS: &[Tag] = &[Tag::Keep, Tag::Delete, Tag::Insert];

pub(super) fn edits(path: Option<String>, hunks: Vec<Hunk>) -> Vec<FileEdit> {
    let mut diff_file = DiffFile::new(0, Side::Unnamed, Side::Unnamed);
    hunks.into_iter().for_each(|hunk| diff_file.push(0, hunk));
    let file_edits = diff_file.file_edits().unwrap().into_iter();
    file_edits
        .map(|file_edit| FileEdit {
            path: path.clone(),
            ..file_edit
        })
        .collect()
}

/// Changes by number with at least one line between them, so that an ed script can express them.
pub(super) fn line_edits() -> impl Strategy<Value = Vec<FileEdit>> {
    let edit = (1..9usize, 0..4usize, prop::collection::vec(line(), 0..4));
    prop::collection::vec(edit, 1..5).prop_filter_map("all change something", |edits| {
        let mut free = 0;
        let file_edit = |(gap, n_deleted, new): (usize, usize, Vec<String>)| {
            let line = free + gap - usize::from(free == 0 && n_deleted == 0);
            free = line + n_deleted.max(1);
            let is_change = n_deleted > 0 || !new.is_empty();
            let action = Action::Lines(LineEdit {
                line,
                n_deleted,
                new,
            });
            is_change.then_some(FileEdit {
                path: None,
                line: 0,
                action,
            })
        };
        edits.into_iter().map(file_edit).collect()
    })
}

/// Random text from the marks of a format and of other formats.
pub(super) fn junk(marks: &'static [&'static str]) -> impl Strategy<Value = String> {
    let mark = prop_oneof![
        4 => prop::sample::select(marks).prop_map(str::to_owned),
        2 => Just("\n".to_owned()),
        1 => line(),
        1 => ".{0,3}",
    ];
    prop::collection::vec(mark, 0..40).prop_map(|parts| parts.concat())
}

/// The lines, and whether the last one ends with a newline.
type File = (Vec<String>, bool);

/// Checks that the diffs of a real program turn the old file into the new one. `path` is the name
/// in the diffs.
pub(super) fn real_diffs(
    program: &str,
    args: &[&str],
    path: Option<&str>,
    parse: fn(&str) -> Result<Vec<FileEdit>, FormatError>,
) {
    if Command::new(program).arg("--version").output().is_err() {
        println!("skipped: there is no {program}");
        return;
    }
    let mut state = 7u64;
    let mut random = move |n: usize| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as usize % n
    };
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..60 {
        let n = random(14);
        let mut old: File = (
            (0..n)
                .map(|_| NASTY[random(NASTY.len())].to_owned())
                .collect(),
            random(3) > 0,
        );
        let mut new: File = (old.0.clone(), random(3) > 0);
        for _ in 0..1 + random(4) {
            let i = random(new.0.len() + 1);
            match random(3) {
                0 if i < new.0.len() => drop(new.0.remove(i)),
                1 if i < new.0.len() => new.0[i] = NASTY[random(NASTY.len())].to_owned(),
                _ => new.0.insert(i, NASTY[random(NASTY.len())].to_owned()),
            }
        }
        // An empty last line without a newline is not a line.
        for file in [&mut old, &mut new] {
            file.1 |= file.0.last().is_none_or(String::is_empty);
        }
        let write = |name: &str, (lines, newline): &File| {
            let end = if *newline && !lines.is_empty() {
                "\n"
            } else {
                ""
            };
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
        let file_edits = parse(&diff).unwrap_or_else(|error| panic!("{error}\n{diff}"));
        assert!(
            file_edits
                .iter()
                .all(|file_edit| file_edit.path.as_deref() == path),
            "{diff}"
        );
        let made = apply(&file_edits, &old).unwrap_or_else(|message| panic!("{message}\n{diff}"));
        assert_eq!(made.0, new.0, "{diff}");
        // ed scripts cannot say it, nor can our form of them and of RCS diffs.
        let says_newline = file_edits
            .iter()
            .all(|file_edit| matches!(file_edit.action, Action::Edit(_)));
        if says_newline && !new.0.is_empty() {
            assert_eq!(made.1 || old.0.is_empty() && new.1, new.1, "{diff}");
        }
    }
}

/// Applies edits by line number only; deleted and kept lines must equal the file's.
fn apply(file_edits: &[FileEdit], old: &File) -> Result<File, String> {
    let (mut lines, mut newline, mut at) = (Vec::new(), old.1, 0);
    for file_edit in file_edits {
        let (start, n_old, new): (usize, usize, Vec<String>) = match &file_edit.action {
            Action::Edit(hunk) => {
                let start = hunk.hints.line.ok_or("no line")? - 1;
                let n_old = hunk.old().count();
                let found = old.0.get(start..start + n_old).ok_or("beyond the end")?;
                hunk.old()
                    .eq(found.iter())
                    .then_some(())
                    .ok_or("other lines stand there")?;
                if let Some(said) = hunk.final_newline {
                    (old.0.is_empty() || said.before == old.1)
                        .then_some(())
                        .ok_or("other final newline")?;
                    newline = said.after;
                }
                (start, n_old, hunk.new().map(str::to_owned).collect())
            }
            Action::Lines(edit) => (
                edit.line - usize::from(edit.n_deleted > 0),
                edit.n_deleted,
                edit.new.clone(),
            ),
            other => return Err(format!("{other:?}")),
        };
        lines.extend_from_slice(old.0.get(at..start).ok_or("not in order")?);
        lines.extend(new);
        at = start + n_old;
    }
    lines.extend_from_slice(old.0.get(at..).ok_or("beyond the end")?);
    Ok((lines, newline))
}
