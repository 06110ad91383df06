//! Diffs as the real `diff` and `git` make them, applied by us and by the real `patch` and `git
//! apply`: to the file they were made from, and to one that has changed elsewhere since. A tool
//! that is not installed is said and left out.
//!
//! All cases of a format are one run of each tool, so that this takes a few seconds.
//! `SLOTWRIGHT_CASES` makes more of them.

use crate::support::random::Random;
use slotwright::apply::{self, EditResult, InMemory, Plan};
use slotwright::format::Format;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// A file, what it becomes, what it has become elsewhere, and what both together make of it.
struct Case {
    original: String,
    edited: String,
    drifted: String,
    both: String,
}

/// What happens to each line of a file: what comes before it, and whether it stays.
struct Changes {
    before: Vec<Vec<String>>,
    stays: Vec<bool>,
}

impl Changes {
    fn none(n: usize) -> Changes {
        Changes {
            before: vec![Vec::new(); n + 1],
            stays: vec![true; n],
        }
    }

    /// Changes `n` lines in a few places which are allowed.
    fn add(&mut self, random: &mut Random, n_places: usize, is_allowed: impl Fn(usize) -> bool) {
        for _ in 0..n_places {
            let (at, kind) = (random.below(self.before.len()), random.below(3));
            let n = if kind == 0 { 0 } else { 1 + random.below(3) };
            if !(at..=at + n).all(|i| i < self.before.len() && is_allowed(i)) {
                continue;
            }
            (at..at + n).for_each(|i| self.stays[i] = false);
            if kind != 1 {
                self.before[at] = (0..1 + random.below(3)).map(|_| line(random)).collect();
            }
        }
    }

    fn touches(&self, i: usize) -> bool {
        self.before.get(i).is_some_and(|before| !before.is_empty())
            || self.stays.get(i) == Some(&false)
    }
}

fn line(random: &mut Random) -> String {
    const ODD: [&str; 22] = [
        "", "", "", "}", "}", "    }", "end", "-", "+", "- x", "+ x", "--- a", "+++ b", "***",
        "! x", "< x", "> x", "\\ x", ".", "..", " ", "\t@@ x",
    ];
    match random.below(5) {
        0 => (*random.pick(&ODD)).to_owned(),
        _ => format!(
            "{}v{} = f({});",
            "    ".repeat(random.below(3)),
            random.below(12),
            random.below(6)
        ),
    }
}

fn together(lines: &[String], all: &[&Changes], has_newline: bool) -> String {
    let mut text = String::new();
    for i in 0..=lines.len() {
        let new = all.iter().flat_map(|changes| &changes.before[i]);
        let old = lines
            .get(i)
            .filter(|_| all.iter().all(|changes| changes.stays[i]));
        new.chain(old).for_each(|line| text += &format!("{line}\n"));
    }
    if !has_newline {
        text.pop();
    }
    text
}

impl Case {
    fn random(random: &mut Random) -> Case {
        let n = 6 + random.below(60);
        let lines: Vec<String> = (0..n).map(|_| line(random)).collect();
        let mut edit = Changes::none(n);
        while !(0..=n).any(|i| edit.touches(i)) {
            let n_places = 1 + random.below(3);
            edit.add(random, n_places, |_| true);
        }
        let mut drift = Changes::none(n);
        let n_places = 1 + random.below(5);
        drift.add(random, n_places, |i| {
            !(i.saturating_sub(1)..=i + 1).any(|i| edit.touches(i))
        });
        let had = random.below(6) > 0;
        let has = if random.below(6) > 0 { had } else { !had };
        Case {
            original: together(&lines, &[], had),
            edited: together(&lines, &[&edit], has),
            drifted: together(&lines, &[&drift], had),
            both: together(&lines, &[&drift, &edit], has),
        }
    }
}

/// A way to make a diff, and the tool that applies it.
struct Kind {
    name: &'static str,
    format: Format,
    make: &'static [&'static str],
    apply: &'static [&'static str],
    /// Whether lines that stay say where it goes.
    has_context: bool,
}

const KINDS: [Kind; 7] = [
    Kind {
        name: "diff -u",
        format: Format::Unified,
        make: &["diff", "-r", "-u"],
        apply: &["patch", "-u"],
        has_context: true,
    },
    Kind {
        name: "diff -U0",
        format: Format::Unified,
        make: &["diff", "-r", "-U0"],
        apply: &["patch", "-u"],
        has_context: false,
    },
    Kind {
        name: "diff -c",
        format: Format::Context,
        make: &["diff", "-r", "-c"],
        apply: &["patch", "-c"],
        has_context: true,
    },
    Kind {
        name: "diff",
        format: Format::Normal,
        make: &["diff", "-r"],
        apply: &["patch", "-n"],
        has_context: false,
    },
    Kind {
        name: "diff -e",
        format: Format::Ed,
        make: &["diff", "-r", "-e"],
        apply: &["ed"],
        has_context: false,
    },
    Kind {
        name: "diff -n",
        format: Format::Rcs,
        make: &["diff", "-r", "-n"],
        apply: &[],
        has_context: false,
    },
    Kind {
        name: "git diff",
        format: Format::Unified,
        make: &["git", "diff", "--no-index", "--no-prefix", "--no-color"],
        apply: &["git", "apply", "-v", "--reject"],
        has_context: true,
    },
];

/// What a tool prints, and what it says beside; none if there is no such tool.
fn run(
    folder: &Path,
    command: &[&str],
    arguments: &[&str],
    input: &str,
) -> Option<(String, String)> {
    let mut child = Command::new(command[0])
        .args(&command[1..])
        .args(arguments)
        .current_dir(folder)
        .envs([
            ("LC_ALL", "C"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CEILING_DIRECTORIES", "/"),
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Some((
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    ))
}

fn write_all<'a>(folder: &Path, texts: impl Iterator<Item = &'a str>) {
    std::fs::create_dir_all(folder).unwrap();
    for (i, text) in texts.enumerate() {
        std::fs::write(folder.join(i.to_string()), text).unwrap();
    }
}

impl Kind {
    /// The diff of each case, in their order; none where it has none.
    fn diffs(&self, folder: &Path, n: usize) -> Option<Vec<String>> {
        let (output, _) = run(folder, self.make, &["a", "b"], "")?;
        let mut diffs = vec![String::new(); n];
        // An RCS diff whose last line has no line feed is followed by the next one's first line at
        // once.
        let head = if self.make[0] == "git" {
            "diff --git a/".to_owned()
        } else {
            format!("{} a/", self.make.join(" "))
        };
        for part in output.split(&head).skip(1) {
            let (name, body) = part.split_once('\n')?;
            let i: usize = name.split(' ').next()?.parse().ok()?;
            diffs[i] = if self.make[0] == "git" {
                format!("{head}{part}")
            } else {
                body.to_owned()
            };
        }
        Some(diffs)
    }

    /// What the tool makes of the files, none for each that it refuses or takes with a grain of
    /// salt; none at all without the tool.
    fn applied_by_tool(
        &self,
        folder: &Path,
        diffs: &[String],
        files: &[&str],
    ) -> Option<Vec<Option<String>>> {
        let program = self.apply.first()?;
        let folder = folder.join(format!(
            "{}-{}",
            self.name.replace(' ', "-"),
            files[0].len()
        ));
        write_all(&folder, files.iter().copied());
        let mut is_clean = vec![false; files.len()];
        if *program == "ed" {
            run(&folder, &["ed", "--version"], &[], "")?;
            let scripts = folder.with_extension("scripts");
            write_all(&scripts, diffs.iter().map(String::as_str));
            let each = "for i in *; do (cat \"$1/$i\"; echo w) | ed -s \"$i\" > /dev/null 2>&1 || \
                echo \"$i\"; done";
            let (failed, _) = run(&folder, &["sh", "-c", each, "sh"], &[scripts.to_str()?], "")?;
            is_clean.fill(true);
            failed
                .lines()
                .for_each(|name| is_clean[name.parse::<usize>().unwrap()] = false);
        } else if *program == "git" {
            let (_, said) = run(&folder, self.apply, &["-p1"], &diffs.concat())?;
            for line in said.lines() {
                if let Some(name) = line
                    .strip_prefix("Applied patch ")
                    .and_then(|line| line.strip_suffix(" cleanly."))
                {
                    is_clean[name.parse::<usize>().unwrap()] = true;
                }
            }
        } else {
            let options = ["-p0", "-f", "-F0", "-r", "-", "--no-backup-if-mismatch"];
            let index = |(i, diff): (usize, &String)| {
                if diff.is_empty() {
                    String::new()
                } else {
                    format!("Index: {i}\n{diff}")
                }
            };
            // The names in the headers would be taken before the one of the index.
            let plain = |diff: String| {
                diff.replace("\n--- a/", "\n--- ")
                    .replace("\n+++ b/", "\n+++ ")
                    .replace("\n*** a/", "\n*** ")
                    .replace("\n--- b/", "\n--- ")
            };
            let input: String = diffs.iter().enumerate().map(index).map(plain).collect();
            let (printed, said) = run(&folder, self.apply, &options, &input)?;
            let said = printed + &said;
            for section in said.split("patching file ").skip(1) {
                let (name, section) = section.split_once('\n').unwrap_or((section, ""));
                let is_doubtful = [
                    "FAILED",
                    "fuzz",
                    "ignored",
                    "malformed",
                    "garbage",
                    "kip",
                    "***",
                ]
                .iter()
                .any(|word| section.contains(word));
                is_clean[name.trim_matches('\'').parse::<usize>().unwrap()] = !is_doubtful;
            }
        }
        let read = |(i, is_clean): (usize, bool)| {
            is_clean.then(|| std::fs::read_to_string(folder.join(i.to_string())).unwrap())
        };
        Some(is_clean.into_iter().enumerate().map(read).collect())
    }
}

/// What we make of a file, or why not.
fn ours(format: Format, diff: &str, file: &str) -> Result<String, String> {
    let patch = format.parse(diff).map_err(|error| error.to_string())?;
    let Plan { files, outcomes } =
        apply::apply(&patch, Some("file"), &InMemory::from_iter([("file", file)]));
    for outcome in outcomes {
        if let EditResult::Failed(failed) = outcome.result {
            let reason = failed.miss.map(|miss| {
                serde_json::to_value(miss).unwrap()["reason"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            });
            return Err(reason.unwrap_or_else(|| format!("{:?}", failed.kind)));
        }
    }
    let after = files
        .into_iter()
        .next()
        .map(|file| String::from_utf8(file.after.expect("it stays")).unwrap());
    Ok(after.unwrap_or_else(|| file.to_owned()))
}

/// Lines of nothing but blanks in new text become empty with us.
fn comparable(text: &str) -> String {
    text.split('\n')
        .map(|line| {
            if line.trim_matches([' ', '\t']).is_empty() {
                ""
            } else {
                line
            }
        })
        .collect::<Vec<_>>()
        .join("\n")
}

#[derive(Default)]
struct Row {
    tool_right: usize,
    tool_wrong: usize,
    tool_refuses: usize,
    our_right: usize,
    our_wrong: usize,
    we_refuse: usize,
    differ: usize,
    only_we: usize,
    /// By reason: the tool accepts and we refuse, and how often of these it was right.
    only_tool: BTreeMap<String, (usize, usize)>,
}

#[test]
fn as_the_real_tools_do() {
    let n_cases = std::env::var("SLOTWRIGHT_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(300);
    let mut random = Random(20_260_714);
    let mut cases: Vec<Case> = (0..n_cases).map(|_| Case::random(&mut random)).collect();
    cases.retain(|case| {
        case.original != case.edited && !case.edited.is_empty() && !case.drifted.is_empty()
    });
    let folder = tempfile::tempdir().unwrap();
    write_all(
        &folder.path().join("a"),
        cases.iter().map(|case| case.original.as_str()),
    );
    write_all(
        &folder.path().join("b"),
        cases.iter().map(|case| case.edited.as_str()),
    );
    println!(
        "{} cases; right: as if the other changes had been made to the edited file",
        cases.len()
    );
    println!(
        "{:9} {:9} | {:>5} {:>5} {:>7} | {:>5} {:>5} {:>7} | {:>6} {:>7} | only the tool, by why \
            we refuse (of these right)",
        "made by",
        "file",
        "tool",
        "wrong",
        "refuses",
        "ours",
        "wrong",
        "refuse",
        "differ",
        "only we"
    );
    let mut wrong = Vec::new();
    for kind in &KINDS {
        let Some(diffs) = kind.diffs(folder.path(), cases.len()) else {
            println!("{:9} skipped: there is no {}", kind.name, kind.make[0]);
            continue;
        };
        for is_drifted in [false, true] {
            let files: Vec<&str> = cases
                .iter()
                .map(|c| {
                    if is_drifted {
                        &*c.drifted
                    } else {
                        &*c.original
                    }
                })
                .collect();
            let folder = folder
                .path()
                .join(if is_drifted { "drifted" } else { "original" });
            let by_tool = kind.applied_by_tool(&folder, &diffs, &files);
            let mut row = Row::default();
            for (i, case) in cases.iter().enumerate() {
                let (had, has) = (case.original.ends_with('\n'), case.edited.ends_with('\n'));
                let is_sayable = match kind.format {
                    Format::Ed => had && has, // it has no files without a final newline
                    // It says so by lacking one itself, which is too little for us.
                    Format::Rcs => had == has,
                    _ => true,
                };
                if diffs[i].is_empty() || !is_sayable {
                    continue;
                }
                let right = &comparable(if is_drifted { &case.both } else { &case.edited });
                let ours = ours(kind.format, &diffs[i], files[i]).map(|ours| comparable(&ours));
                let theirs = by_tool
                    .as_ref()
                    .and_then(|files| files[i].as_deref())
                    .map(comparable);
                match &ours {
                    Ok(ours) if ours == right => row.our_right += 1,
                    Ok(_) => row.our_wrong += 1,
                    Err(_) => row.we_refuse += 1,
                }
                match &theirs {
                    Some(theirs) if theirs == right => row.tool_right += 1,
                    Some(_) => row.tool_wrong += 1,
                    None => row.tool_refuses += 1,
                }
                let mut show = |why: &str| {
                    let text = format!(
                        "{why}: {} {i}\n{}--- FILE\n{}\n--- OURS\n{ours:?}\n--- THEIRS\n\
                            {theirs:?}\n--- RIGHT\n{right:?}",
                        kind.name, diffs[i], files[i]
                    );
                    wrong.push(text);
                };
                match (&ours, &theirs) {
                    (Ok(ours), Some(theirs)) if ours != theirs => {
                        row.differ += 1;
                        // Lines that come without any around them go by their number, and by how
                        // far the hunks beside them are off; of these, patch heeds only the one
                        // above. And git glues what comes below to a last line without a line feed
                        // that is not the last any more.
                        if ours != right && (kind.has_context || theirs == right) {
                            show("we and the tool differ");
                        }
                    }
                    (Ok(ours), None) => {
                        row.only_we += 1;
                        // That the last line has no line feed says nothing about one that is not
                        // the last any more.
                        if kind.has_context
                            && ours.trim_end_matches('\n') != right.trim_end_matches('\n')
                        {
                            show("only we accept it, and wrongly");
                        }
                    }
                    (Err(why), Some(theirs)) => {
                        let (n, n_right) = row.only_tool.entry(why.clone()).or_default();
                        (*n, *n_right) = (*n + 1, *n_right + usize::from(theirs == right));
                    }
                    _ => {}
                }
                let is_excused =
                    kind.name == "diff -U0" && ours.as_ref().is_err_and(|why| why == "ambiguous");
                if !is_drifted && ours.as_ref() != Ok(right) && !is_excused {
                    show("the file it was made from");
                }
            }
            let file = if is_drifted { "drifted" } else { "original" };
            let tool = match by_tool {
                Some(_) => {
                    format!(
                        "{:5} {:5} {:7}",
                        row.tool_right, row.tool_wrong, row.tool_refuses
                    )
                }
                None => format!("{:^19}", "no such tool"),
            };
            println!(
                "{:9} {file:9} | {tool} | {:5} {:5} {:7} | {:6} {:7} | {}",
                kind.name,
                row.our_right,
                row.our_wrong,
                row.we_refuse,
                row.differ,
                if by_tool.is_some() { row.only_we } else { 0 },
                row.only_tool
                    .iter()
                    .map(|(why, (n, right))| format!("{why} {n} ({right})"))
                    .collect::<Vec<_>>()
                    .join(", ")
            );
        }
    }
    assert!(
        wrong.is_empty(),
        "{} are wrong:\n{}",
        wrong.len(),
        wrong
            .iter()
            .take(6)
            .cloned()
            .collect::<Vec<_>>()
            .join("\n\n")
    );
}
