//! Texts that nobody would write on purpose, a bounded number of them, and large ones: nothing
//! panics and nothing hangs. The slowest are printed. What must hold is shared with the fuzz
//! targets (`fuzz/`). `SLOTWRIGHT_CASES` makes more of the small ones.

use crate::support::fuzzed;
use crate::support::random::Random;
use slotwright::apply::InMemory;
use slotwright::format::{Action, FileEdit, Format, Over, Patch};
use slotwright::hunk::{Count, Hunk};
use slotwright::text::Text;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

const MEGABYTE: usize = 1_000_000;
/// Not a promise, a guard: what takes longer hangs.
const TOO_LONG: Duration = Duration::from_secs(30);

/// What begins or ends something in one of the formats, or is quoted, escaped or left out there.
const MARKS: [&str; 74] = [
    "<<<<<<< SEARCH\n",
    "=======\n",
    ">>>>>>> REPLACE\n",
    "------- SEARCH\n",
    "+++++++ REPLACE\n",
    ":start_line:1\n",
    "-------\n",
    "\\=======\n",
    "<<<<<<< HEAD\n",
    "*** Begin Patch\n",
    "*** End Patch\n",
    "*** Add File: a\n",
    "*** Delete File: a\n",
    "*** Update File: a\n",
    "*** Move to: b\n",
    "*** End of File\n",
    "@@\n",
    "@@ a\n",
    "@@ -1,2 +1,2 @@\n",
    "@@ -1 +1,9999999999999999999 @@ f\n",
    "@@ -18446744073709551615,18446744073709551615 +0,0 @@\n",
    "@@ ... @@\n",
    "diff --git a/a b/a\n",
    "diff --git \"a/\\303\\244\" b/x y\n",
    "rename from a\n",
    "rename to b\n",
    "new file mode 100644\n",
    "deleted file mode 100644\n",
    "--- a/a\n",
    "+++ b/a\n",
    "--- /dev/null\n",
    "+++ /dev/null\n",
    "*** a\n",
    "--- a\t2024-01-01 00:00\n",
    "***************\n",
    "*** 1,3 ****\n",
    "--- 1,3 ----\n",
    "*** 0 ****\n",
    "! a\n",
    "  a\n",
    " a\n",
    "-a\n",
    "+b\n",
    "- b\n",
    "+ c\n",
    "\\ No newline at end of file\n",
    "1c1\n",
    "1,2d0\n",
    "0a1,2\n",
    "< a\n",
    "---\n",
    "> b\n",
    "Index: a\n",
    "1a\n",
    ".\n",
    "..\n",
    "s/.//\n",
    "a1 1\n",
    "d1 1\n",
    "d18446744073709551615 18446744073709551615\n",
    "a\n",
    "```\n",
    "```python\n",
    "````\n",
    "a.txt\n",
    "**b.py**\n",
    "// ... existing code ...\n",
    "...\n",
    "{\"path\": \"a\", \"old_string\": \"a\", \"new_string\": \"b\"}\n",
    "{\"edits\": [",
    "\"old_string\": \"\\u12",
    "{\"command\": \"insert\", \"path\": \"a\", \"insert_line\": 18446744073709551615, \
        \"insert_text\": \"x\"}\n",
    "\r\n",
    "\u{feff}\u{e4}\u{2028}\n",
];

type Parsing = Box<dyn FnOnce(&str) -> Option<Patch> + Send>;
type Reader = (&'static str, fn(&[u8]));

const READERS: [Reader; 14] = [
    ("search_replace", fuzzed::search_replace),
    ("codex", fuzzed::codex),
    ("unified", fuzzed::unified),
    ("json", fuzzed::json),
    ("whole_file", fuzzed::whole_file),
    ("context", fuzzed::context),
    ("normal", fuzzed::normal),
    ("ed", fuzzed::ed),
    ("rcs", fuzzed::rcs),
    ("any_format", fuzzed::any_format),
    ("mixed", fuzzed::mixed),
    ("locate", fuzzed::locate_in),
    ("syntax", fuzzed::syntax),
    ("review", fuzzed::review),
];

/// The patches of the scenarios.
fn patches() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let mut folders: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.sort();
    folders
        .iter()
        .filter_map(|folder| std::fs::read(folder.join("edit.txt")).ok())
        .collect()
}

fn junk(random: &mut Random, n: usize) -> Vec<u8> {
    (0..n).map(|_| random.next() as u8).collect()
}

fn marks(random: &mut Random, n: usize) -> Vec<u8> {
    // A few of them over and over make more sense than all of them.
    let few: Vec<&str> = (0..2 + random.below(8))
        .map(|_| *random.pick(&MARKS))
        .collect();
    (0..n).flat_map(|_| random.pick(&few).bytes()).collect()
}

fn mutated(random: &mut Random, patches: &[Vec<u8>]) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = random
        .pick(patches)
        .split_inclusive(|&b| b == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    for _ in 0..1 + random.below(4) {
        if lines.is_empty() {
            break;
        }
        let (at, other) = (random.below(lines.len()), random.below(lines.len()));
        match random.below(8) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(other, lines[at].clone()),
            2 => lines.swap(at, other),
            3 => lines.truncate(at + 1),
            4 => lines.insert(at, random.pick(&MARKS).as_bytes().to_vec()),
            5 => {
                let other = random.pick(patches);
                lines.extend(other.split_inclusive(|&b| b == b'\n').map(<[u8]>::to_vec));
            }
            6 if !lines[at].is_empty() => {
                let byte = random.below(lines[at].len());
                lines[at][byte] = *random.pick(b"\n\r\t \"\\`<>=+-*@{}[].,0129\xff\xc3");
            }
            _ => {
                let n = random.below(lines[at].len() + 1);
                lines[at].truncate(n);
            }
        }
    }
    lines.concat()
}

#[test]
fn small_texts() {
    let n_cases = std::env::var("SLOTWRIGHT_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(3000);
    let mut random = Random(1);
    let patches = patches();
    let mut n_texts = 0;
    for i in 0..n_cases {
        let n = random.below(if i % 10 == 0 { 2000 } else { 100 });
        let texts = [
            junk(&mut random, n),
            marks(&mut random, n / 5),
            mutated(&mut random, &patches),
        ];
        for text in texts {
            n_texts += 1;
            for (name, read) in READERS {
                if std::panic::catch_unwind(|| read(&text)).is_err() {
                    panic!("{name} panics on {:?}", String::from_utf8_lossy(&text));
                }
            }
        }
    }
    println!("{n_texts} texts, each read in {} ways", READERS.len());
}

/// How long something takes. It is not waited for any longer than it may take.
fn timed<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> (Duration, T) {
    let (sender, receiver) = mpsc::channel();
    let start = Instant::now();
    std::thread::spawn(move || drop(sender.send(work())));
    match receiver.recv_timeout(TOO_LONG) {
        Ok(result) => (start.elapsed(), result),
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("{name} takes more than {TOO_LONG:?}"),
        Err(mpsc::RecvTimeoutError::Disconnected) => panic!("{name} panics"),
    }
}

fn print_slowest(mut times: Vec<(Duration, String)>) {
    times.sort();
    println!("{} large ones; the slowest:", times.len());
    times
        .iter()
        .rev()
        .take(25)
        .for_each(|(time, name)| println!("{:8.1} ms  {name}", time.as_secs_f64() * 1e3));
}

/// A megabyte of something again and again.
fn large(part: &str) -> String {
    part.repeat(MEGABYTE / part.len() + 1)
}

#[test]
fn large_texts() {
    let mut random = Random(2);
    let mut texts: Vec<(String, String)> = vec![
        (
            "random bytes".to_owned(),
            String::from_utf8_lossy(&junk(&mut random, MEGABYTE)).into_owned(),
        ),
        (
            "an unclosed object".to_owned(),
            format!("{{\"path\": \"a\", \"old_string\": \"{}", large("x\n")),
        ),
        (
            "an object of one long string".to_owned(),
            format!("{{\"path\": \"a\", \"content\": \"{}\"}}", large("x\\n")),
        ),
        (
            "an object with many edits".to_owned(),
            format!(
                "{{\"path\": \"a\", \"edits\": [{}]}}",
                large("{\"old_string\": \"a\", \"new_string\": \"b\"},")
            ),
        ),
        (
            "a search of many lines".to_owned(),
            format!(
                "a\n<<<<<<< SEARCH\n{}=======\nx\n>>>>>>> REPLACE\n",
                large("x\n")
            ),
        ),
        ("a block with many other lines".to_owned(), {
            let lines = |word: &str| {
                (0..60_000)
                    .map(|i| format!("{word} {i}\n"))
                    .collect::<String>()
            };
            format!(
                "a\n<<<<<<< SEARCH\n{}=======\n{}>>>>>>> REPLACE\n",
                lines("old"),
                lines("new")
            )
        }),
        (
            "a hunk of many lines".to_owned(),
            format!("--- a\n+++ a\n@@ -1 +1 @@\n{}", large(" x\n-x\n+y\n")),
        ),
        (
            "several formats by turns".to_owned(),
            large(
                "*** Begin Patch\n*** Delete File: x\n*** End Patch\nb.py\n```\ny\n```\n\
                 a\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n",
            ),
        ),
        (
            "a header of many quotes".to_owned(),
            format!("diff --git {}", large("\"")),
        ),
        (
            "a header of many names".to_owned(),
            format!("diff --git {}", large("a/b b/b ")),
        ),
        (
            "a name of many dates".to_owned(),
            format!("--- {}\n+++ b\n", large("2024-01-01 00:00 ")),
        ),
    ];
    for part in [
        "x",
        "x\n",
        "\n",
        "\r",
        "\r\n",
        "\"",
        "\\",
        "`",
        "{",
        "[",
        "{\"",
        "[{\"",
        " ",
        "\t",
        "=",
        "<",
        "@",
        "*",
        "\u{e4}",
        "... ",
        "- ",
        "ab \n",
        "``` \n",
        "``",
        "#",
        "\"\\",
        "{\"a\":",
        "here is `a.txt` ",
    ] {
        texts.push((format!("{part:?} again and again"), large(part)));
    }
    for (i, mark) in MARKS.into_iter().enumerate() {
        texts.push(match i % 3 {
            0 => (
                format!("{mark:?} once, then lines"),
                format!("{mark}{}", large("x y\n")),
            ),
            _ => (format!("{mark:?} again and again"), large(mark)),
        });
    }
    for n in [3, 6] {
        for i in 0..5 {
            let few: Vec<&str> = (0..n).map(|_| *random.pick(&MARKS)).collect();
            let text: String = (0..MEGABYTE / 12).map(|_| *random.pick(&few)).collect();
            texts.push((format!("{n} marks at random ({i}): {few:?}"), text));
        }
    }
    let all: Vec<String> = patches()
        .iter()
        .map(|patch| String::from_utf8_lossy(patch).into_owned())
        .collect();
    for patch in all.iter().step_by(11) {
        texts.push((
            format!(
                "a patch again and again: {:?}",
                &patch.chars().take(60).collect::<String>()
            ),
            large(patch),
        ));
    }
    let mut times = Vec::new();
    for (name, text) in texts {
        let text: Arc<str> = text.into();
        let mut parse = |how: String, work: Parsing| {
            let (name, text) = (format!("{how}: {name}"), text.clone());
            let (time, patch) = timed(&name, move || work(&text));
            times.push((time, name));
            patch
        };
        parse(
            "any format".to_owned(),
            Box::new(|text| Patch::parse(text).ok()),
        );
        let mut patches = Vec::new();
        for format in Format::ALL {
            patches.push(parse(
                format.name().to_owned(),
                Box::new(move |text| format.parse(text).ok()),
            ));
        }
        for patch in patches.into_iter().flatten() {
            let (name, n) = (
                format!("applied ({:?}): {name}", patch.format()),
                patch.file_edits().count(),
            );
            let (time, ()) = timed(&name, move || {
                fuzzed::patch(&patch, &InMemory::from_iter([("a", "a\nb\n")]));
            });
            times.push((time, format!("{name} ({n} edits)")));
        }
    }
    print_slowest(times);
}

/// A small file and an edit of it, by a hunk of all its lines: done and taken back, it is as it
/// was.
#[test]
fn what_is_done_can_be_taken_back() {
    let mut random = Random(3);
    let words = [
        "a",
        "b",
        "",
        "    a",
        "}",
        "x = 1",
        "\tb",
        "end",
        "a  b",
        "\u{201c}q\u{201d}",
    ];
    let (mut n_done, mut n_taken_back) = (0, 0);
    for _ in 0..3000 {
        let lines = |random: &mut Random, n: usize| {
            (0..n).map(|_| *random.pick(&words)).collect::<Vec<_>>()
        };
        let n = 1 + random.below(12);
        let old = lines(&mut random, n);
        let mut new = old.clone();
        for _ in 0..1 + random.below(3) {
            let at = random.below(new.len() + 1);
            let n_gone = random.below(2).min(new.len() - at);
            let n_new = random.below(3);
            new.splice(at..at + n_gone, lines(&mut random, n_new));
        }
        let hunk = Hunk::of_lines(&old, &new);
        if hunk.changes_nothing() || new.is_empty() {
            continue;
        }
        let before = old
            .iter()
            .map(|line| format!("{line}\n"))
            .collect::<String>();
        let after = new
            .iter()
            .map(|line| format!("{line}\n"))
            .collect::<String>();
        let text = |text: &str| Text::decode(text.into()).unwrap();
        let done = fuzzed::one(&text(&before), &hunk).expect("all of the file is there");
        assert_eq!(done, after, "{before:?} {hunk:?}");
        n_done += 1;
        if let Ok(taken_back) = fuzzed::one(&text(&after), &hunk.reversed()) {
            assert_eq!(taken_back, before, "{after:?} {hunk:?}");
            n_taken_back += 1;
        }
    }
    println!("{n_done} edits, {n_taken_back} taken back");
    assert_eq!(n_done, n_taken_back);
}

fn strs(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).collect()
}

#[test]
fn large_files() {
    let mut random = Random(4);
    let source = |random: &mut Random, n_words: usize| -> Vec<String> {
        let line = |random: &mut Random| {
            format!(
                "{}v{} = f({}, \"{}\");",
                "    ".repeat(random.below(4)),
                random.below(n_words),
                random.below(9),
                random.below(9)
            )
        };
        (0..40_000).map(|_| line(random)).collect()
    };
    let equal = |line: &str| vec![line.to_owned(); 100_000];
    let files: Vec<(&str, Vec<String>)> = vec![
        ("random lines", source(&mut random, 1_000_000)),
        ("lines that stand often", source(&mut random, 3)),
        ("equal lines", equal("    x = 1;")),
        ("equal short lines", equal("a")),
        ("blank lines", equal("")),
        ("lines of blanks", equal("    ")),
        ("closing brackets", equal("}")),
        (
            "two lines in turn",
            (0..100_000)
                .map(|i| {
                    if i % 2 == 0 {
                        "    a = 1;"
                    } else {
                        "    b(\"x\")"
                    }
                    .to_owned()
                })
                .collect(),
        ),
        (
            "deeper and deeper",
            (0..1_400).map(|i| format!("{}x", " ".repeat(i))).collect(),
        ),
        ("one line", vec!["abc def ".repeat(MEGABYTE / 8)]),
        ("one line of one letter", vec!["a".repeat(MEGABYTE)]),
        ("one line of quotes", vec!["\"".repeat(MEGABYTE)]),
        (
            "one line of typographic quotes",
            vec!["\u{201c}".repeat(MEGABYTE / 3)],
        ),
        ("one line of backslashes", vec!["\\n".repeat(MEGABYTE / 2)]),
    ];
    let mut times = Vec::new();
    for (n_files, (name, lines)) in files.into_iter().enumerate() {
        let lines = Arc::new(lines);
        let text = Arc::new(Text::decode((lines.join("\n") + "\n").into_bytes()).unwrap());
        let mut hunks: Vec<(String, Hunk)> = Vec::new();
        for n in [1, 3, 40, 10_000] {
            let n = n.min(lines.len());
            let from = random.below(lines.len() - n + 1);
            let old: Vec<String> = lines[from..from + n].to_vec();
            let mut new = old.clone();
            new[n / 2] = format!(
                "{} changed",
                old[n / 2].chars().take(1000).collect::<String>()
            );
            let edit = |how: &str, change: &dyn Fn(&str) -> String| {
                let changed = |lines: &[String]| {
                    lines
                        .iter()
                        .map(|line| change(line))
                        .collect::<Vec<String>>()
                };
                (format!("{n} lines {how}"), changed(&old), changed(&new))
            };
            let made = [
                edit("as they are", &str::to_owned),
                edit("with trailing blanks", &|line| format!("{line} ")),
                edit("without indentation", &|line| line.trim_start().to_owned()),
                edit("with more of it", &|line| format!("   {line}")),
                edit("with tabs", &|line| line.replace("    ", "\t")),
                edit("with blanks doubled", &|line| line.replace(' ', "  ")),
                edit("with escapes", &|line| line.replace('"', "\\\"")),
                edit("with entities", &|line| line.replace('"', "&quot;")),
                edit("with commas", &|line| format!("{line},")),
                edit("with a word more", &|line| format!("{line} wrong")),
                edit("with a carriage return", &|line| format!("{line}\r\r")),
                edit("with typographic quotes", &|line| {
                    line.replace('"', "\u{201d}")
                }),
            ];
            for (how, old, new) in made {
                let hunk = Hunk::of_lines(&strs(&old), &strs(&new));
                if hunk.changes_nothing() {
                    continue;
                }
                hunks.push((how.clone(), hunk.clone()));
                hunks.push((
                    format!("{how}, as a text"),
                    Hunk::of_text(&old.join("\n"), &new.join("\n")),
                ));
                if how.ends_with("as they are") || how.ends_with("indentation") {
                    hunks.push((
                        format!("{how}, everywhere"),
                        Hunk {
                            count: Count::All,
                            ..hunk.clone()
                        },
                    ));
                    let mut hinted = hunk.clone();
                    hinted.hints.line = Some(from + 1);
                    hunks.push((format!("{how}, with its line"), hinted.clone()));
                    hinted.hints.line = Some(7);
                    hinted.hints.above = vec![
                        "fn nowhere() {".to_owned(),
                        lines[0].chars().take(200).collect(),
                    ];
                    hunks.push((format!("{how}, below a heading"), hinted));
                    let numbered: Vec<String> = old
                        .iter()
                        .enumerate()
                        .map(|(i, line)| format!("{:6}\t{line}", from + 1 + i))
                        .collect();
                    hunks.push((
                        format!("{how}, numbered"),
                        Hunk::of_lines(&strs(&numbered), &["new"]),
                    ));
                    hunks.push((format!("{how}, taken back"), hunk.reversed()));
                }
            }
        }
        // A part of them for each file, so that this takes no longer than the rest; all of them
        // where more is asked for.
        let is_all = std::env::var_os("SLOTWRIGHT_CASES").is_some();
        let hunks = hunks
            .into_iter()
            .enumerate()
            .filter(|(i, _)| is_all || i % 5 == n_files % 5);

        for (_, (how, hunk)) in hunks.collect::<Vec<_>>() {
            let name = format!("{name}: {how}");
            let text = text.clone();
            let (time, _) = timed(&name, move || {
                fuzzed::one(&text, &hunk).map_err(|miss| miss.headline())
            });
            times.push((time, name));
        }
        // Many hunks of one diff.
        let hunk = |i: usize| {
            let line = &lines[(i * 37) % lines.len()];
            let line: String = line.chars().take(100_000).collect();
            let mut hunk = Hunk::of_lines(&[&line], &[&format!("{line} changed")]);
            hunk.hints.is_ordered = i > 0;
            hunk.hints.line = Some(i * 37 + 1);
            FileEdit {
                path: None,
                line: 1,
                action: Action::Edit(hunk),
            }
        };
        let file_edits: Vec<FileEdit> = (0..if lines.len() > 1 { 100 } else { 5 })
            .map(hunk)
            .collect();
        let patch = Patch::of(Format::Unified, file_edits);
        let tree = InMemory::from_iter([("a", text.shown())]);
        let file = name;
        let name = format!("{file}: many hunks");
        let (time, _) = timed(&name, move || {
            slotwright::apply::apply(&patch, Some("a"), &tree)
                .outcomes
                .len()
        });
        times.push((time, name));
        // A sketch of many parts, each of which begins and ends as the file does somewhere.
        let part = |i: usize| {
            let line = |n: usize| -> String {
                lines[(i * 3 + n) % lines.len()]
                    .chars()
                    .take(100_000)
                    .collect()
            };
            format!(
                "// ... existing code ...\n{}\n{} changed\n{}\n",
                line(0),
                line(1),
                line(2)
            )
        };
        let sketch: String = (0..if lines.len() > 1 { 3_000 } else { 5 })
            .map(part)
            .collect();
        let write = Action::Write {
            text: sketch,
            over: Over::Anything,
        };
        let file_edit = FileEdit {
            path: None,
            line: 1,
            action: write,
        };
        let patch = Patch::of(Format::WholeFile, vec![file_edit]);
        let tree = InMemory::from_iter([("a", text.shown())]);
        let name = format!("{file}: a sketch");
        let (time, _) = timed(&name, move || {
            slotwright::apply::apply(&patch, Some("a"), &tree)
                .outcomes
                .len()
        });
        times.push((time, name));
    }
    print_slowest(times);
}
