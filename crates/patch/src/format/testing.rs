//! Shared parts of the formats' tests.

use super::patch::{Action, FileEdit, FormatError, Over};
use crate::hunk::{HunkLine, Tag};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use std::fs;
use std::process::Command;

type Parse = fn(&str) -> Result<Vec<FileEdit>, FormatError>;

/// Checks the short form of each edit, as [`brief`] gives it.
#[track_caller]
pub(super) fn is_read(parse: Parse, text: &str, expected: &[&str]) {
    let file_edits = parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    let actual: Vec<String> = file_edits.iter().map(brief).collect();
    assert_eq!(actual, expected, "{text:?}");
}

/// Checks each change by number: its line, the number of deleted lines, and the new lines.
#[track_caller]
pub(super) fn is_read_as_lines(parse: Parse, text: &str, expected: &[(usize, usize, &[&str])]) {
    let file_edits = parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    let mut actual = Vec::new();
    for file_edit in &file_edits {
        match &file_edit.action {
            Action::Lines(edit) => actual.push((edit.line, edit.n_deleted, edit.new.clone())),
            other => panic!("{other:?}"),
        }
    }
    let expected: Vec<(usize, usize, Vec<String>)> = expected
        .iter()
        .map(|(line, n, new)| (*line, *n, new.iter().map(ToString::to_string).collect()))
        .collect();
    assert_eq!(actual, expected, "{text:?}");
}

/// Checks that a text is refused with an error that begins like this.
#[track_caller]
pub(super) fn is_rejected(parse: Parse, text: &str, message: &str) {
    let error = parse(text).expect_err(text).to_string();
    assert!(error.starts_with(message), "{text:?}: {error}");
}

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

/// Checks that edits are read with the lines of these hunks, in their order.
pub(super) fn check_hunks(
    parsed: &Result<Vec<FileEdit>, FormatError>,
    hunks: &[Vec<HunkLine>],
) -> Result<(), TestCaseError> {
    let Ok(file_edits) = parsed else {
        return Err(TestCaseError::fail(format!("{parsed:?}")));
    };
    prop_assert_eq!(file_edits.len(), hunks.len());
    for (file_edit, lines) in file_edits.iter().zip(hunks) {
        let Action::Edit(hunk) = &file_edit.action else {
            return Err(TestCaseError::fail(format!("{file_edit:?}")));
        };
        let old = lines.iter().filter(|line| line.tag != Tag::Insert);
        let new = lines.iter().filter(|line| line.tag != Tag::Delete);
        prop_assert!(hunk.old().eq(old.map(|line| line.text.as_str())));
        prop_assert!(hunk.new().eq(new.map(|line| line.text.as_str())));
    }
    Ok(())
}

/// Hunks as a diff without line numbers has them, each below this header.
pub(super) fn hunks_below(header: &str, hunks: &[Vec<HunkLine>]) -> String {
    let mut text = String::new();
    for lines in hunks {
        text += header;
        for line in lines {
            let sign = match line.tag {
                Tag::Keep => ' ',
                Tag::Delete => '-',
                Tag::Insert => '+',
            };
            text += &format!("{sign}{}\n", line.text);
        }
    }
    text
}

/// Lines that look like marks of the formats, separated by bars.
const NASTY: &str = "| |a|b|  c|-|+|-- a|++ b|- a|+ b|--- a|+++ b|@@ -1 +1 @@|\\ x|< a|> b|---|3d|\
    1a|.|..|d1 1|a1 1|s/.//|***************|*** 1 ****|*** End Patch|*** End of File|```";

/// A short form of an edit; `<` marks an edit that is below the one before it.
fn brief(file_edit: &FileEdit) -> String {
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
            words.extend(hunk.hints.at_end.then(|| "$".to_owned()));
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
        Action::Lines(edit) => format!(
            "lines {}, {} deleted, new {:?}",
            edit.line, edit.n_deleted, edit.new
        ),
        Action::Delete { .. } => "delete".to_owned(),
        Action::Move { to } => format!("move {to}"),
        Action::Copy { from } => format!("copy {from}"),
        Action::Mode { is_executable } => format!("executable {is_executable}"),
        Action::Refused { message, .. } => format!("refused {message}"),
        other => format!("{other:?}"),
    };
    format!("{path}: {action}")
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(NASTY.split('|').collect::<Vec<_>>()).prop_map(str::to_owned),
        "[ -~é]{0,6}"
    ]
}

/// The lines of hunks, each with a change.
pub(super) fn hunks() -> impl Strategy<Value = Vec<Vec<HunkLine>>> {
    let tag = prop::sample::select(vec![Tag::Keep, Tag::Delete, Tag::Insert]);
    let line = (tag, line()).prop_map(|(tag, text)| HunkLine { tag, text });
    let hunk = prop::collection::vec(line, 1..8).prop_map(|mut lines| {
        if lines.iter().all(|line| line.tag == Tag::Keep) {
            lines[0].tag = Tag::Insert;
        }
        lines
    });
    prop::collection::vec(hunk, 1..4)
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
pub(super) fn real_diffs(program: &str, args: &[&str], path: Option<&str>, parse: Parse) {
    if Command::new(program).arg("--version").output().is_err() {
        println!("skipped: there is no {program}");
        return;
    }
    let nasty: Vec<&str> = NASTY.split('|').collect();
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
                .map(|_| nasty[random(nasty.len())].to_owned())
                .collect(),
            random(3) > 0,
        );
        let mut new: File = (old.0.clone(), random(3) > 0);
        for _ in 0..1 + random(4) {
            let i = random(new.0.len() + 1);
            match random(3) {
                0 if i < new.0.len() => drop(new.0.remove(i)),
                1 if i < new.0.len() => new.0[i] = nasty[random(nasty.len())].to_owned(),
                _ => new.0.insert(i, nasty[random(nasty.len())].to_owned()),
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
        let made = apply(&file_edits, &old).unwrap_or_else(|| panic!("{diff}"));
        assert_eq!(made.0, new.0, "{diff}");
        // ed scripts cannot say it, nor can RCS diffs.
        let says_newline = file_edits
            .iter()
            .all(|file_edit| matches!(file_edit.action, Action::Edit(_)));
        if says_newline && !new.0.is_empty() {
            assert_eq!(made.1 || old.0.is_empty() && new.1, new.1, "{diff}");
        }
    }
}

/// Applies edits by line number only; `None` if deleted or kept lines are not the file's.
fn apply(file_edits: &[FileEdit], old: &File) -> Option<File> {
    let mut lines: Vec<String> = Vec::new();
    let mut newline = old.1;
    let mut at = 0;
    for file_edit in file_edits {
        let (start, n_old, new): (usize, usize, Vec<String>) = match &file_edit.action {
            Action::Edit(hunk) => {
                let start = hunk.hints.line? - 1;
                let n_old = hunk.old().count();
                let is_there = hunk.old().eq(old.0.get(start..start + n_old)?.iter());
                if let Some(said) = hunk.final_newline {
                    newline = said.after;
                    (old.0.is_empty() || said.before == old.1).then_some(())?;
                }
                is_there.then_some(())?;
                (start, n_old, hunk.new().map(str::to_owned).collect())
            }
            Action::Lines(edit) => {
                let start = edit.line - usize::from(edit.n_deleted > 0);
                (start, edit.n_deleted, edit.new.clone())
            }
            _ => return None,
        };
        lines.extend_from_slice(old.0.get(at..start)?);
        lines.extend(new);
        at = start + n_old;
    }
    lines.extend_from_slice(old.0.get(at..)?);
    Some((lines, newline))
}
