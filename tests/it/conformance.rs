//! What other edit systems' own tests feed in, and what they expect, against ours. The cases lie
//! beside the project, not in it; without them this test says so and passes.
//!
//! Each case ends as *same* (the same files, or both refuse), *stricter* (we refuse), *looser*
//! (only we accept), *other* (both accept, and our file differs because a promise of ours demands
//! it) or *wrong* (it differs, and none does). All but *same* need a reason in
//! `conformance/reasons.tsv`; *wrong* there is none.

use slotwright::apply::{self, Files, InMemory};
use slotwright::format::{Action, Format, LineEdit, Patch};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

type Tree = BTreeMap<String, String>;

struct Case {
    id: String,
    format: Format,
    before: Tree,
    text: String,
    after: Vec<Tree>,
    is_error: bool,
    is_partial: bool,
    names_file: bool,
    is_roo: bool,
    is_reverse: bool,
    start_line: Option<usize>,
}

fn tree(value: &serde_json::Value) -> Tree {
    let files = value.as_object().into_iter().flatten();
    // Paths of Windows are ours with a slash.
    files
        .map(|(path, text)| {
            (
                path.replace('\\', "/"),
                text.as_str().expect("a text").to_owned(),
            )
        })
        .collect()
}

impl Case {
    fn parse(line: &str) -> Case {
        let row: serde_json::Value = serde_json::from_str(line).expect("a row is JSON");
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        let (name, expected) = (text("format"), &row["expected"]);
        let before = tree(&row["files_before"]);
        let format = match name.as_str() {
            "codex-patch" | "aider-patch" => Format::Codex,
            "aider-diff" | "roo-diff" | "roo-diff-single" => Format::SearchReplace,
            "aider-udiff" | "unified-diff" => Format::Unified,
            "aider-whole" => Format::WholeFile,
            "str-replace-json" => Format::Json,
            "context-diff" => Format::Context,
            "normal-diff" => Format::Normal,
            "ed-diff" => Format::Ed,
            "rcs-diff" => Format::Rcs,
            other => panic!("no such format: {other}"),
        };
        let is_error = expected["error"] == true;
        let mut after: Vec<Tree> = expected["accept_any_of"]
            .as_array()
            .into_iter()
            .flatten()
            .map(tree)
            .collect();
        if expected["files_after"].is_object() {
            after.insert(0, tree(&expected["files_after"]));
        } else if is_error {
            after.insert(0, before.clone());
        }
        Case {
            id: text("id"),
            format,
            before,
            text: text("edit_text"),
            after,
            is_error,
            is_partial: !expected["failed_blocks"].is_null(),
            is_roo: name.starts_with("roo"),
            is_reverse: row["options"]["reverse"] == true,
            names_file: name.starts_with("roo") || !name.contains("aider"),
            start_line: row["options"]["start_line"]
                .as_u64()
                .map(|line| line as usize),
        }
    }

    /// What we make of it, and whether anything was refused.
    fn run(&self) -> (Tree, bool) {
        let files = InMemory::from_iter(self.before.clone());
        let parsed = self.format.parse(&self.text).ok();
        let patch = if self.is_reverse {
            parsed.and_then(|patch| patch.reversed())
        } else {
            parsed
        };
        let Some(mut patch) = patch else {
            return (self.before.clone(), true);
        };
        if let Some(line) = self.start_line {
            for file_edit in patch.file_edits_mut() {
                match &mut file_edit.action {
                    Action::Edit(hunk) => {
                        hunk.hints.line.get_or_insert(line);
                    }
                    // With nothing searched, the call's line is where the new ones go.
                    Action::Write { text, .. } => {
                        let new = text.lines().map(str::to_owned).collect();
                        file_edit.action = Action::Lines(LineEdit {
                            line: line - 1,
                            n_deleted: 0,
                            new,
                        });
                    }
                    _ => {}
                }
            }
        }
        let is_unnamed = patch.file_edits().any(|file_edit| file_edit.path.is_none());
        let only = files.listing().first().filter(|_| {
            files.listing().len() == 1 && self.names_file && (self.is_roo || is_unnamed)
        });
        let plan = apply::apply(&patch, only.map(String::as_str), &files);
        let failed = plan.failed().next().is_some();
        let mut after = self.before.clone();
        if !failed || self.is_partial {
            for file in plan.files {
                after.remove(&file.path);
                if let Some(bytes) = file.after {
                    after.insert(
                        file.moved_to.unwrap_or(file.path),
                        String::from_utf8(bytes).expect("it was UTF-8"),
                    );
                }
            }
        }
        (after, failed)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Same,
    Stricter,
    Looser,
    Other,
}

/// Lines of nothing but blanks in new text become empty with us.
fn comparable(tree: &Tree) -> Tree {
    let line = |line: &str| {
        if line.trim_matches([' ', '\t']).is_empty() {
            String::new()
        } else {
            line.to_owned()
        }
    };
    tree.iter()
        .map(|(path, text)| {
            (
                path.clone(),
                text.split('\n').map(line).collect::<Vec<_>>().join("\n"),
            )
        })
        .collect()
}

fn judge(case: &Case, ours: &Tree, failed: bool) -> Verdict {
    let is_theirs = case
        .after
        .iter()
        .any(|after| comparable(after) == comparable(ours));
    match (case.is_error, failed) {
        _ if is_theirs => Verdict::Same,
        (true, true) => Verdict::Same,
        (true, false) => Verdict::Looser,
        (false, true) => Verdict::Stricter,
        (false, false) => Verdict::Other,
    }
}

/// File and id (a `*` at its end stands for the rest), verdict, why.
fn reasons() -> Vec<(String, String, String)> {
    let text = include_str!("../conformance/reasons.tsv");
    let rows = text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    rows.map(|line| {
        let mut fields = line.splitn(3, '\t').map(str::to_owned);
        let mut next = || {
            fields
                .next()
                .unwrap_or_else(|| panic!("three fields: {line}"))
        };
        (next(), next(), next())
    })
    .collect()
}

#[test]
fn every_difference_has_its_reason() {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/conformance");
    if !folder.is_dir() {
        println!(
            "skipped: the conformance cases are not beside the project ({})",
            folder.display()
        );
        return;
    }
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "jsonl"));
    paths.sort();
    let reasons = reasons();
    let mut used = vec![false; reasons.len()];
    let mut complaints = Vec::new();
    let mut totals = [0; 4];
    let mut misdetected = 0;
    println!(
        "{:36} {:>5} {:>5} {:>8} {:>6} {:>5}",
        "file", "cases", "same", "stricter", "looser", "other"
    );
    for path in paths {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let mut counts = [0; 4];
        for line in std::fs::read_to_string(&path).unwrap().lines() {
            let case = Case::parse(line);
            let (ours, failed) = case.run();
            let verdict = judge(&case, &ours, failed);
            counts[verdict as usize] += 1;
            if !case.is_error
                && case.format.parse(&case.text).is_ok()
                && !Patch::parse(&case.text).is_ok_and(|patch| patch.format() == Some(case.format))
            {
                misdetected += 1;
                println!("  not recognised as {}: {}", case.format.name(), case.id);
            }
            if verdict == Verdict::Same {
                continue;
            }
            let key = format!("{name}/{}", case.id);
            let verdict_name = format!("{verdict:?}").to_lowercase();
            let matches = |(pattern, verdict, _): &(String, String, String)| {
                *verdict == verdict_name
                    && pattern
                        .strip_suffix('*')
                        .map_or(*pattern == key, |start| key.starts_with(start))
            };
            match reasons.iter().position(matches) {
                Some(i) => used[i] = true,
                None => {
                    complaints.push(format!("{key}\t{verdict_name}\t"));
                    if std::env::var("SLOTWRIGHT_SHOW").is_ok_and(|wanted| key.contains(&wanted)) {
                        println!(
                            "--- {verdict_name} {key}\nBEFORE {:?}\nPATCH\n{}\nTHEIRS {:?}\nOURS \
                                {ours:?}",
                            case.before, case.text, case.after
                        );
                        if let Ok(patch) = case.format.parse(&case.text) {
                            let files = InMemory::from_iter(case.before.clone());
                            let only = files
                                .listing()
                                .first()
                                .filter(|_| files.listing().len() == 1);
                            println!(
                                "{:?}",
                                apply::apply(&patch, only.map(String::as_str), &files).outcomes
                            );
                        } else {
                            println!("{:?}", case.format.parse(&case.text));
                        }
                    }
                }
            }
        }
        let n: usize = counts.iter().sum();
        println!(
            "{name:36} {n:>5} {:>5} {:>8} {:>6} {:>5}",
            counts[0], counts[1], counts[2], counts[3]
        );
        (0..4).for_each(|i| totals[i] += counts[i]);
    }
    let n: usize = totals.iter().sum();
    println!(
        "{:36} {n:>5} {:>5} {:>8} {:>6} {:>5}",
        "all", totals[0], totals[1], totals[2], totals[3]
    );
    println!(
        "same: {:.1} %; format not recognised by itself: {misdetected}",
        100.0 * totals[0] as f64 / n as f64
    );
    for (i, (pattern, verdict, _)) in reasons.iter().enumerate().filter(|(i, _)| !used[*i]) {
        complaints.push(format!("reason {i} is for nothing: {pattern} {verdict}"));
    }
    assert!(
        complaints.is_empty(),
        "{} without a reason:\n{}",
        complaints.len(),
        complaints.join("\n")
    );
}
