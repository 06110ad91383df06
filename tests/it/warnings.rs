//! What asks for a second look: said at the gate and in a dry run, carried by `--json`, refused by
//! `--yes`. The model answers from a script, which says how sure it was.

use crate::support::published::SWIFT;
use crate::support::script::{Script, answer};
use crate::support::terminal::Terminal;
use crate::support::{Run, folder};
use serde_json::{Value, json};
use slotwright::risk::{MIN_CERTAINTY, MIN_CERTAINTY_ADAPTED, MIN_CERTAINTY_IN_WORDS};
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

fn cases() -> [Case; 6] {
    let calls: String =
        (0..400).map(|i| format!("def other_{i}():\n    return process_item({i})\n\n")).collect();
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
            warning: "of 402 occurrences stand in parts of the file \
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
            file: "sample.swift",
            before: SWIFT.to_owned(),
            task: "Add the comment // reads a file above the function load.",
            kind: "unsure",
            warning: "the model was not sure of it (certainty 0.04 of 1, less than 0.1), \
                      least of its slot \"text\": check that this is the right text",
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
        let refused =
            case.edit(dir.path(), &["--yes"]).says(1, case.warning).says(1, "nothing was written");
        let hint = format!("hint: {}", case.way_around.join(" "));
        assert!(refused.says(1, "without --yes you see the diff").stderr.contains(&hint), "{hint}");
        assert!(case.is_untouched(dir.path()), "{}", case.kind);
        case.edit(dir.path(), &[&["--yes"], case.way_around].concat()).says(0, "wrote ");
        assert!(!case.is_untouched(dir.path()), "{}", case.kind);
    }
}

#[test]
fn where_nobody_can_be_asked_it_says_what_yes_would_need() {
    for case in cases() {
        let dir = case.folder();
        let hint =
            format!("hint: with --yes, {} writes it all the same", case.way_around.join(" "));
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
                &["--yes", "--json", "--accept", "unseen,merge,unsure,leftover,elided,breaks"],
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
        let run = case.edit(dir.path(), &["--dry-run", "--json"]).says(0, case.warning);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(report["status"], "would_be_done");
        let [warning] = report["warnings"].as_array().unwrap().as_slice() else {
            panic!("{report:#}")
        };
        assert_eq!((&warning["kind"], &warning["accepted"]), (&json!(case.kind), &json!(false)));
        assert!(warning["message"].as_str().unwrap().contains(case.warning));
        let run = case.edit(dir.path(), &["--yes", "--json"]).says(1, "");
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(
            (&report["status"], &report["error"]["kind"]),
            (&json!("not_made"), &json!(case.kind))
        );
        assert!(!report["diff"].as_str().unwrap().is_empty(), "what was refused can be looked at");
    }
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
fn that_there_is_nothing_to_do_is_not_believed_unless_the_model_was_sure() {
    let dir = folder(&[("sample.swift", SWIFT.as_bytes())]);
    let pick = r#"{"path":"sample.swift","operation":"replace"}"#;
    let changes_nothing = r#"{"old":"maxRetries = 3","new":"maxRetries = 3"}"#;
    let is_done = r#"{"operation":"none","reason":"already_done"}"#;
    let turns = |certainty| {
        [
            vec![answer(pick), answer(changes_nothing).sure(Slot::New, certainty)],
            vec![answer(is_done).sure(Slot::Operation, certainty)],
        ]
    };
    let claims = ["the model's edit changes nothing", "the model says that it is done already"];
    let task = "Tidy up load";
    for (turns, claim) in turns(0.7).into_iter().zip(claims) {
        let unsure = Script::new(turns);
        let options = ["--yes", "--json", "--min-certainty", "0", task];
        let doubt =
            format!("{claim}, and it was not sure of it (certainty 0.70 of 1, less than 0.8)");
        let run = unsure.edit(dir.path(), &options).says(1, &doubt);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(
            (&report["status"], &report["error"]["kind"]),
            (&json!("not_made"), &json!("unsure"))
        );
        unsure
            .edit(dir.path(), &["--yes", "--accept", "unsure", task])
            .says(0, &format!("nothing to do: {claim}"));
    }
    for (turns, claim) in turns(0.9).into_iter().zip(claims) {
        Script::new(turns)
            .edit(dir.path(), &["--yes", task])
            .says(0, &format!("nothing to do: {claim}"));
    }
    assert_eq!(fs::read_to_string(dir.path().join("sample.swift")).unwrap(), SWIFT);
}

#[test]
fn the_limit_is_a_probability() {
    let dir = folder(&[("tool.py", BEFORE.as_bytes())]);
    for wrong in ["1.1", "-0.1", "NaN", "much"] {
        rename()
            .edit(dir.path(), &["--dry-run", &format!("--min-certainty={wrong}"), RENAME])
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
    script.edit(dir.path(), &["--yes", "--min-certainty", "0.98", RENAME]).says(0, "wrote tool.py");
}

#[test]
fn the_gate_warns_before_it_asks() {
    for case in cases() {
        let dir = case.folder();
        let task = format!("'{}'", case.task);
        let Some(mut terminal) = Terminal::edit(&case.script, dir.path(), &task) else { return };
        terminal.wait_for("? [y/N/");
        let warning =
            terminal.screen.find(case.warning).unwrap_or_else(|| panic!("{}", terminal.screen));
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
    let Some(mut terminal) = Terminal::edit(&script, dir.path(), &task) else { return };
    terminal.wait_for("? [y/N/");
    assert!(
        terminal.screen.contains("replaces 2 occurrences on 2 lines: 1, 5"),
        "{}",
        terminal.screen
    );
    terminal.write("n\n");
    assert_eq!(terminal.exit_code(), Some(3));
}
