//! What asks for a second look: said at the gate and in a dry run, carried by `--json`, refused by
//! `--yes`. The model answers from a script, which says how sure it was.

use crate::support::published::SWIFT;
use crate::support::script::{Script, answer};
use crate::support::terminal::Terminal;
use crate::support::{Run, folder};
use serde_json::{Value, json};
use slotwright::review::{MIN_CERTAINTY, MIN_CERTAINTY_ADAPTED, MIN_CERTAINTY_IN_WORDS};
use slotwright::slots::Slot;
use std::fs;
use std::path::Path;

const RENAME: &str = "Rename process_item to handle_item everywhere";
const BEFORE: &str =
    "def process_item(item):\n    return len(item)\n\n\nprint(process_item('x'))\n";

const PICK: &str = r#"{"path":"tool.py","operation":"replace_all"}"#;
const SLOTS: &str = r#"{"old":"process_item","new":"handle_item"}"#;

fn rename() -> Script {
    Script::of(&[PICK, SLOTS])
}

/// A task, a file, what the model answers, and what is said about the edit.
struct Case {
    file: &'static str,
    before: String,
    task: &'static str,
    kind: &'static str,
    warning: &'static str,
    /// What has it written all the same.
    way_around: &'static [&'static str],
    script: Script,
}

fn cases() -> [Case; 8] {
    let calls: String = (0..400)
        .map(|i| format!("def other_{i}():\n    return process_item({i})\n\n"))
        .collect();
    [
        Case {
            file: "tool.py",
            before: format!("{BEFORE}\n\ndef handle_item(item):\n    return 0\n"),
            task: RENAME,
            kind: "merge",
            warning: "process_item and handle_item become one name: \
                      handle_item is in the file already (line 8)",
            way_around: &["--accept", "merge"],
            script: rename(),
        },
        Case {
            file: "tool.py",
            before: format!("{BEFORE}{calls}"),
            task: RENAME,
            kind: "unseen",
            warning: "of 402 occurrences are in parts of the file \
                      that the model did not see (lines ",
            way_around: &["--accept", "unseen"],
            script: Script::with_context(4_000, vec![answer(PICK), answer(SLOTS)]),
        },
        Case {
            file: "tool.py",
            before: BEFORE.to_owned(),
            task: "process_item needs a better name",
            kind: "leftover",
            warning: "the definition of process_item is now called handle_item, and 1 use of it is \
                      left (line 5): to change all of them, ask to \"rename process_item to \
                      handle_item everywhere\"",
            way_around: &["--accept", "leftover"],
            script: Script::of(&[
                r#"{"path":"tool.py","operation":"replace"}"#,
                r#"{"old":"def process_item(item):","new":"def handle_item(item):"}"#,
            ]),
        },
        Case {
            file: "tool.py",
            before: BEFORE.to_owned(),
            task: "count the items",
            kind: "breaks",
            warning: "tool.py no longer parses as Python: line 2, `return sum(item`",
            way_around: &["--accept", "breaks"],
            script: Script::of(&[
                r#"{"path":"tool.py","operation":"replace"}"#,
                r#"{"old":"return len(item)","new":"return sum(item"}"#,
            ]),
        },
        Case {
            file: "tool.py",
            before: BEFORE.to_owned(),
            task: "count the items twice",
            kind: "elided",
            warning: "the new text leaves code out where it says `# ... rest of the function ...`",
            way_around: &["--accept", "elided"],
            script: Script::of(&[
                r#"{"path":"tool.py","operation":"replace"}"#,
                r#"{"old":"return len(item)","new":"n = len(item)\n    # ... rest of the function ...\n    return n"}"#,
            ]),
        },
        Case {
            file: "notes.txt",
            before: "Shopping\n========\n\nMilk\nBread\n".to_owned(),
            task: "delete the file notes.txt",
            kind: "shrinks",
            warning: "3 of 5 lines of notes.txt go, and the file stays: to delete it, \
                      run rm 'notes.txt'",
            way_around: &["--accept", "shrinks"],
            script: Script::of(&[
                r#"{"path":"notes.txt","operation":"replace"}"#,
                r#"{"old":"Shopping\n========","new":""}"#,
            ]),
        },
        Case {
            file: "tool.py",
            before: format!("{BEFORE}\n\ndef count(items):\n    return len(items)\n"),
            task: "print something else",
            kind: "elided",
            warning: "tool.py: the new text leaves code out where it says `# la suite ne change \
                      pas`: 2 lines of the file would be gone, with count",
            way_around: &["--accept", "elided"],
            script: Script::of(&[
                r#"{"path":"tool.py","operation":"replace"}"#,
                concat!(
                    r#"{"old":"print(process_item('x'))\n\n\ndef count(items):\n"#,
                    r#"    return len(items)","new":"print(process_item('y'))\n\n\n"#,
                    r##"# la suite ne change pas"}"##
                ),
            ]),
        },
        Case {
            file: "sample.swift",
            before: SWIFT.to_owned(),
            task: "Add the comment // reads a file above the function load.",
            kind: "unsure",
            warning: "the model was not sure of this edit (certainty 0.04 of 1, less than 0.1), \
                      least of all of the new text: check that first",
            way_around: &["--accept", "unsure"],
            script: Script::new(vec![
                answer(r#"{"path":"sample.swift","operation":"insert"}"#).sure(Slot::Path, 0.5),
                answer(concat!(
                    r#"{"position":"before","anchor":"func load(path: String) -> String {","#,
                    r#""text":"// reads a file"}"#
                ))
                .sure(Slot::Text, 0.08),
            ]),
        },
    ]
}

impl Case {
    fn folder(&self) -> tempfile::TempDir {
        folder(&[(self.file, self.before.as_bytes())])
    }

    fn edit(&self, root: &Path, arguments: &[&str]) -> Run {
        self.script.edit(root, &[arguments, &[self.task]].concat())
    }

    fn is_untouched(&self, root: &Path) -> bool {
        fs::read_to_string(root.join(self.file)).unwrap() == self.before
    }
}

#[test]
fn yes_refuses_until_it_is_told_not_to() {
    for case in cases() {
        let dir = case.folder();
        let refused = case
            .edit(dir.path(), &["--yes"])
            .says(1, case.warning)
            .says(1, "nothing was written");
        let hint = format!("hint: {}", case.way_around.join(" "));
        assert!(
            refused
                .says(1, "without --yes you see the diff")
                .stderr
                .contains(&hint),
            "{hint}"
        );
        assert!(case.is_untouched(dir.path()), "{}", case.kind);
        case.edit(dir.path(), &[&["--yes"], case.way_around].concat())
            .says(0, "wrote ");
        assert!(!case.is_untouched(dir.path()), "{}", case.kind);
    }
}

#[test]
fn where_nobody_can_be_asked_it_says_what_yes_would_need() {
    for case in cases() {
        let dir = case.folder();
        let hint = format!(
            "hint: with --yes, {} writes it all the same",
            case.way_around.join(" ")
        );
        let run = case.edit(dir.path(), &[]).says(3, &hint);
        assert!(
            run.stdout.starts_with("--- a/") && !run.stderr.contains("--- a/"),
            "the diff is printed once: {run:#?}"
        );
        assert!(case.is_untouched(dir.path()), "{}", case.kind);
    }
}

#[test]
fn what_is_accepted_is_still_said() {
    for case in cases() {
        let dir = case.folder();
        let run = case
            .edit(
                dir.path(),
                &[
                    "--yes",
                    "--json",
                    "--accept",
                    "unseen,merge,unsure,leftover,elided,shrinks,breaks",
                ],
            )
            .says(0, case.warning);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(report["warnings"][0]["accepted"], json!(true));
    }
}

#[test]
fn a_dry_run_and_json_carry_it() {
    for case in cases() {
        let dir = case.folder();
        let run = case
            .edit(dir.path(), &["--dry-run", "--json"])
            .says(0, case.warning);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(report["status"], "would_be_done");
        let [warning] = report["warnings"].as_array().unwrap().as_slice() else {
            panic!("{report:#}")
        };
        assert_eq!(
            (&warning["kind"], &warning["accepted"]),
            (&json!(case.kind), &json!(false))
        );
        assert!(warning["message"].as_str().unwrap().contains(case.warning));
        let run = case.edit(dir.path(), &["--yes", "--json"]).says(1, "");
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(
            (&report["status"], &report["error"]["kind"]),
            (&json!("not_made"), &json!(case.kind))
        );
        assert!(
            !report["diff"].as_str().unwrap().is_empty(),
            "what was refused can be looked at"
        );
    }
}

/// A rename of one file's `old`, in all places, and what is said of the other files.
struct Renaming {
    files: &'static [(&'static str, &'static str)],
    task: &'static str,
    path: &'static str,
    old: &'static str,
    new: &'static str,
    others: Others,
}

/// What becomes of other files.
enum Others {
    Stay,
    /// These are renamed too.
    Follow(&'static str),
    /// They stay, with this warning.
    Warn(&'static str),
}

const WIDTHS: &str = "def width_of(text):\n    return len(text)\n";

const RENAMINGS: [Renaming; 9] = [
    // Another file defines the name too, and uses this one.
    Renaming {
        files: &[
            ("ui/widths.py", WIDTHS),
            (
                "ui/label.py",
                "from .widths import width_of\n\nclass Label:\n    def width_of(self):\n        \
                 return width_of(self.text)\n",
            ),
            (
                "ui/table.py",
                "def cells(row):\n    return [width_of(cell) for cell in row]\n",
            ),
        ],
        task: "rename width_of to columns_of everywhere",
        path: "ui/widths.py",
        old: "width_of",
        new: "columns_of",
        others: Others::Warn(
            "width_of is now called columns_of, and 2 other files still have the old name \
             (ui/label.py, ui/table.py); ui/label.py defines width_of too, so it may be another one \
             there",
        ),
    },
    // A constant, which the other file reads through the module.
    Renaming {
        files: &[
            ("limits.py", "LIMIT = 3\nLONG = 2 * LIMIT\n"),
            ("main.py", "import limits\nprint(limits.LIMIT)\n"),
            ("own.py", "LIMIT = 5\nprint(LIMIT)\n"),
        ],
        task: "LIMIT should be called MOST",
        path: "limits.py",
        old: "LIMIT",
        new: "MOST",
        others: Others::Follow("wrote limits.py, main.py"),
    },
    // A type.
    Renaming {
        files: &[
            ("src/shape.rs", "pub struct Shape {\n    pub n: u8,\n}\n"),
            (
                "src/draw.rs",
                "pub fn draw(shape: &Shape) -> u8 {\n    shape.n\n}\n",
            ),
        ],
        task: "Shape is no good name: call it Figure",
        path: "src/shape.rs",
        old: "Shape",
        new: "Figure",
        others: Others::Follow("wrote src/shape.rs, src/draw.rs"),
    },
    // Uses alone: the definition is where the import says.
    Renaming {
        files: &[
            (
                "files.py",
                "def load(path):\n    return open(path).read()\n",
            ),
            (
                "main.py",
                "from files import load\nprint(load('a'), load('b'))\n",
            ),
        ],
        task: "Call load read_text",
        path: "main.py",
        old: "load",
        new: "read_text",
        others: Others::Warn(
            "main.py now says read_text instead of load, and 1 other file still has the old name (files.py); \
             files.py defines it",
        ),
    },
    // Nothing says so but the task.
    Renaming {
        files: &[
            (
                "a/files.go",
                "package a\n\nfunc load(path string) string {\n\treturn path\n}\n",
            ),
            (
                "a/run.go",
                "package a\n\nfunc run() string {\n\treturn load(\"a\")\n}\n",
            ),
        ],
        task: "Rename load to readText everywhere",
        path: "a/run.go",
        old: "load",
        new: "readText",
        others: Others::Warn("a/run.go now says readText instead of load"),
    },
    // The other file means its own.
    Renaming {
        files: &[
            ("one.py", "def run():\n    pass\n\n\nrun()\n"),
            ("two.py", "def run():\n    return 2\n\n\nrun()\n"),
        ],
        task: "rename run to start everywhere",
        path: "one.py",
        old: "run",
        new: "start",
        others: Others::Stay,
    },
    // What is used now is another function, which is there.
    Renaming {
        files: &[
            (
                "files.py",
                "def load(path):\n    pass\n\n\ndef read_text(path):\n    pass\n",
            ),
            ("main.py", "import files\nprint(files.load('a'))\n"),
        ],
        task: "use read_text for load everywhere",
        path: "main.py",
        old: "load",
        new: "read_text",
        others: Others::Stay,
    },
    // A local variable.
    Renaming {
        files: &[
            ("files.py", "def load(path):\n    pass\n"),
            (
                "main.py",
                "def weigh(boxes):\n    load = sum(boxes)\n    return load\n",
            ),
        ],
        task: "call load total in weigh",
        path: "main.py",
        old: "load",
        new: "total",
        others: Others::Stay,
    },
    // Another language.
    Renaming {
        files: &[
            ("files.py", "def load(path):\n    pass\n"),
            ("main.js", "function main() {\n  return load();\n}\n"),
        ],
        task: "rename load to fetch everywhere",
        path: "files.py",
        old: "load",
        new: "fetch",
        others: Others::Stay,
    },
];

#[test]
fn other_files_that_keep_a_name_are_a_warning() {
    for Renaming {
        files,
        task,
        path,
        old,
        new,
        others,
    } in RENAMINGS
    {
        let files: Vec<(&str, &[u8])> = files
            .iter()
            .map(|(path, text)| (*path, text.as_bytes()))
            .collect();
        let dir = folder(&files);
        let pick = format!(r#"{{"path":"{path}","operation":"replace_all"}}"#);
        let slots = format!(r#"{{"old":"{old}","new":"{new}"}}"#);
        let script = Script::of(&[&pick, &slots]);
        let warning = match others {
            Others::Warn(warning) => warning,
            Others::Follow(_) | Others::Stay => {
                let said = match others {
                    Others::Follow(said) => said,
                    _ => &format!("wrote {path}\n"),
                };
                let run = script.edit(dir.path(), &["--yes", task]).says(0, said);
                assert!(!run.stderr.contains("warning"), "{task}: {run:#?}");
                continue;
            }
        };
        let run = script
            .edit(dir.path(), &["--yes", "--json", task])
            .says(1, warning);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(report["warnings"][0]["kind"], "leftover", "{task}");
        script
            .edit(dir.path(), &["--yes", "--accept", "leftover", task])
            .says(0, "wrote ");
    }
}

#[test]
fn lines_go_without_a_word_where_the_task_names_them() {
    let notes = "Shopping\n========\n\nMilk\nBread\n";
    let pick = r#"{"path":"notes.txt","operation":"replace"}"#;
    for (task, old, new, warning) in [
        ("Take Milk off the list in notes.txt", "Milk", "", None),
        (
            "Remove the heading Shopping of notes.txt",
            "Shopping\\n========",
            "",
            None,
        ),
        (
            "Remove the heading of notes.txt",
            "Shopping\\n========",
            "",
            Some("3 of 5 lines"),
        ),
        ("Rewrite notes.txt", "Milk", "Oat milk", None),
        (
            "Clear the list",
            notes,
            "",
            Some("5 of 5 lines of notes.txt go"),
        ),
        (
            "please remove notes.txt",
            "Milk",
            "",
            Some("the file stays"),
        ),
    ] {
        let dir = folder(&[("notes.txt", notes.as_bytes())]);
        let old = old.trim_end().replace('\n', "\\n");
        let slots = format!(r#"{{"old":"{old}","new":"{new}"}}"#);
        let run = Script::of(&[pick, &slots]).edit(dir.path(), &["--yes", task]);
        match warning {
            Some(warning) => drop(run.says(1, warning)),
            None => assert!(!run.says(0, "wrote").stderr.contains("warning"), "{task}"),
        }
    }
}

#[test]
fn a_declined_deletion_has_the_command() {
    let dir = folder(&[("notes.txt", b"Milk\n"), ("my/b.py", b"count = 1\n")]);
    for reason in ["already_done", "not_in_these_files", "unclear"] {
        let none = format!(r#"{{"operation":"none","reason":"{reason}"}}"#);
        let decline = |task: &str| Script::of(&[&none]).edit(dir.path(), &["--yes", task]);
        let command = "hint: slotwright deletes no file: to delete it, run rm 'notes.txt'";
        decline("delete the file notes.txt").says(1, command);
        decline("Please remove my/b.py.").says(1, "run rm 'my/b.py'");
        for task in ["delete count in my/b.py", "delete the file other.txt"] {
            assert!(!decline(task).says(1, "").stderr.contains("rm '"), "{task}");
        }
    }
}

#[test]
fn a_definition_without_uses_in_its_file_is_renamed_for_the_others_too() {
    let user = "from widths import width_of\nprint(width_of('a'))\n";
    let dir = folder(&[
        ("widths.py", WIDTHS.as_bytes()),
        ("main.py", user.as_bytes()),
    ]);
    let script = Script::of(&[
        r#"{"path":"widths.py","operation":"replace"}"#,
        r#"{"old":"def width_of(text):","new":"def columns_of(text):"}"#,
    ]);
    let task = "width_of needs a better name";
    script
        .edit(dir.path(), &["--dry-run", task])
        .says(0, "where the model left it: the new name is put there too");
    script
        .edit(dir.path(), &["--yes", "--file", "widths.py", task])
        .says(1, "1 other file still has the old name (main.py)");
    let Some(mut terminal) = Terminal::edit(&script, dir.path(), &format!("'{task}'")) else {
        return;
    };
    terminal.answer("Change 2 files? ", "y\n");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    let user = user.replace("width_of", "columns_of");
    assert_eq!(
        fs::read_to_string(dir.path().join("main.py")).unwrap(),
        user
    );
}

#[test]
fn nothing_is_said_of_an_ordinary_edit() {
    let dir = folder(&[("tool.py", BEFORE.as_bytes())]);
    let run = rename()
        .edit(dir.path(), &["--yes", "--json", RENAME])
        .says(0, "replaces 2 occurrences on 2 lines: 1, 5");
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["warnings"], json!([]));
    assert!(!run.stderr.contains("warning"), "{run:#?}");
}

#[test]
fn that_there_is_nothing_to_do_is_believed_of_a_line_that_shows_it() {
    let dir = folder(&[("sample.swift", SWIFT.as_bytes())]);
    let line = SWIFT
        .lines()
        .position(|line| line.contains("maxRetries"))
        .unwrap()
        + 1;
    let shown = format!("sample.swift has it already on line {line}: `");
    let task = "Set maxRetries to 3";
    for (operation, slots) in [
        (
            "replace",
            r#"{"old":"maxRetries = 3","new":"maxRetries = 3"}"#,
        ),
        ("replace_all", r#"{"old":"maxRetries","new":"maxRetries"}"#),
    ] {
        let pick = format!(r#"{{"path":"sample.swift","operation":"{operation}"}}"#);
        let script = |certainty| {
            Script::new(vec![
                answer(&pick),
                answer(slots).sure(Slot::New, certainty),
            ])
        };
        script(0.9)
            .edit(dir.path(), &["--yes", task])
            .says(0, &format!("nothing to do: {shown}"));
        let unsure = script(0.7);
        let run = unsure
            .edit(
                dir.path(),
                &["--yes", "--json", "--min-certainty", "0", task],
            )
            .says(
                1,
                "it was not sure of that (certainty 0.70 of 1, less than 0.8)",
            );
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        let (status, kind) = (&report["status"], &report["error"]["kind"]);
        assert_eq!((status, kind), (&json!("not_made"), &json!("unsure")));
        unsure
            .edit(dir.path(), &["--yes", "--accept", "unsure", task])
            .says(0, &shown);
    }
    assert_eq!(
        fs::read_to_string(dir.path().join("sample.swift")).unwrap(),
        SWIFT
    );
}

#[test]
fn a_claim_that_all_is_done_is_no_evidence() {
    let dir = folder(&[("sample.swift", SWIFT.as_bytes())]);
    let is_done = r#"{"operation":"none","reason":"already_done"}"#;
    let task = "Add a method isHidden to Loader";
    for certainty in [0.7, 0.9, 1.0] {
        let script = Script::new(vec![answer(is_done).sure(Slot::Operation, certainty)]);
        for accept in [&[][..], &["--accept", "unsure"]] {
            let run = script
                .edit(dir.path(), &[&["--yes", "--json", task], accept].concat())
                .says(
                    1,
                    "the model says that it is done already, and shows no line that has it",
                );
            let report: Value = serde_json::from_str(&run.stdout).unwrap();
            let (status, kind) = (&report["status"], &report["error"]["kind"]);
            assert_eq!((status, kind), (&json!("not_made"), &json!("declined")));
        }
    }
    assert_eq!(
        fs::read_to_string(dir.path().join("sample.swift")).unwrap(),
        SWIFT
    );
}

#[test]
fn the_limit_is_a_probability() {
    let dir = folder(&[("tool.py", BEFORE.as_bytes())]);
    for wrong in ["1.1", "-0.1", "NaN", "much"] {
        rename()
            .edit(
                dir.path(),
                &["--dry-run", &format!("--min-certainty={wrong}"), RENAME],
            )
            .says(2, "--min-certainty");
    }
    let script = Script::new(vec![answer(PICK), answer(SLOTS).sure(Slot::New, 0.99)]);
    script
        .edit(dir.path(), &["--yes", "--min-certainty", "1", RENAME])
        .says(1, "(certainty 0.99 of 1, less than 1)");
    let help = rename()
        .edit(dir.path(), &["--help"])
        .stdout
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let said = format!(
        "[default: {MIN_CERTAINTY} for the bundled model and {MIN_CERTAINTY_ADAPTED} with an adapter \
         of ours, both measured; {MIN_CERTAINTY_IN_WORDS}, a guess, for others;"
    );
    assert!(help.contains(&said), "{help}");
    rename()
        .edit(dir.path(), &["--yes", "--accept", "everything", RENAME])
        .says(2, "unsure, merge, unseen");
    script
        .edit(dir.path(), &["--yes", "--min-certainty", "0.98", RENAME])
        .says(0, "wrote tool.py");
}

#[test]
fn the_gate_warns_before_it_asks() {
    for case in cases() {
        let dir = case.folder();
        let task = format!("'{}'", case.task);
        let Some(mut terminal) = Terminal::edit(&case.script, dir.path(), &task) else {
            return;
        };
        terminal.wait_for("? [y/N/");
        let warning = terminal
            .screen
            .find(case.warning)
            .unwrap_or_else(|| panic!("{}", terminal.screen));
        assert!(warning < terminal.screen.find("? [y/N/").unwrap());
        assert!(
            terminal.screen.find("+++ ").unwrap() < warning,
            "after the diff, where it is still seen"
        );
        terminal.write("y\n");
        terminal.wait_for("wrote ");
        assert_eq!(terminal.exit_code(), Some(0));
        assert!(!case.is_untouched(dir.path()), "a person decides");
    }
}

#[test]
fn the_gate_says_how_far_it_reaches() {
    let dir = folder(&[("tool.py", BEFORE.as_bytes())]);
    let script = rename();
    let task = format!("'{RENAME}'");
    let Some(mut terminal) = Terminal::edit(&script, dir.path(), &task) else {
        return;
    };
    terminal.wait_for("? [y/N/");
    assert!(
        terminal
            .screen
            .contains("replaces 2 occurrences on 2 lines: 1, 5"),
        "{}",
        terminal.screen
    );
    terminal.write("n\n");
    assert_eq!(terminal.exit_code(), Some(3));
}
