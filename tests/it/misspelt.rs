//! Words without quotes, and words that the program does not know: what it takes and what it suggests.

use crate::support::script::Script;
use crate::support::{PROGRAM, Run, folder, run};
use std::fs;
use std::process::Command;

const PICK: &str = r#"{"path":"src/config.py","operation":"replace"}"#;
const SLOTS: &str = r#"{"old":"timeout = 30","new":"timeout = 3"}"#;

fn program(words: &[&str]) -> Run {
    run(Command::new(PROGRAM).args(words))
}

#[test]
fn a_sentence_needs_no_quotes_and_options_stand_anywhere() {
    let dir = folder(&[("src/config.py", b"timeout = 30\n")]);
    for words in [
        ["--yes", "set", "timeout", "to", "3"],
        ["set", "--yes", "timeout", "to", "3"],
        ["set", "timeout", "to", "3", "-y"],
    ] {
        fs::write(dir.path().join("src/config.py"), "timeout = 30\n").unwrap();
        let script = Script::of(&[PICK, SLOTS]);
        script
            .edit(dir.path(), &words)
            .says(0, "wrote src/config.py");
        let asked: String = script.requests()[0]
            .prompt
            .iter()
            .map(|part| part.as_str().to_owned())
            .collect();
        assert!(asked.contains("set timeout to 3"), "{asked}");
    }
    Script::of(&[])
        .edit(dir.path(), &["set", "timeout", "--dry-rn"])
        .says(2, "a similar argument exists: '--dry-run'");
}

#[test]
fn an_unknown_command_has_a_suggestion() {
    program(&["edti", "x"]).says(2, "a similar subcommand exists: 'edit'");
    let models = program(&["modls"]).says(2, "'models'");
    assert!(!models.stderr.contains("model-process"), "{models:?}");
    program(&["eidt", "set", "it", "to", "3"])
        .says(2, "tip: to make an edit: slotwright edit \"set it to 3\"");
    program(&["set", "timeout", "to", "3"]).says(
        2,
        "tip: to make an edit: slotwright edit \"set timeout to 3\"",
    );
    program(&["set the timeout to 3"]).says(
        2,
        "tip: to make an edit: slotwright edit \"set the timeout to 3\"",
    );
    program(&["list"]).says(2, "tip: did you mean slotwright models list?");
    program(&["zzz"]).says(2, "tip: slotwright --help lists the commands");
    // Those of a command are its own.
    program(&["models", "pul", "x", "y"]).says(2, "a similar subcommand exists: 'pull'");
}

#[test]
fn models_list_lists_the_models() {
    let listed = program(&["models", "list"]).says(0, "").stdout;
    assert_eq!(listed, program(&["models"]).says(0, "").stdout);
    let json = program(&["models", "list", "--json"]).says(0, "").stdout;
    assert!(json.starts_with('{'), "{json}");
}

#[test]
fn a_misspelt_file_is_answered_with_the_nearest_ones() {
    let dir = folder(&[
        ("src/config.py", b"timeout = 30\n"),
        ("src/main.py", b"import config\n"),
    ]);
    for file in ["src/confg.py", "config.py", "src/conifg.py"] {
        Script::of(&[])
            .edit(dir.path(), &["--file", file, "set timeout to 3"])
            .says(2, "hint: did you mean src/config.py?");
    }
    Script::of(&[])
        .edit(dir.path(), &["--at", "src/confg.py:1", "set it to 3"])
        .says(2, "hint: did you mean src/config.py?");
    Script::of(&[])
        .edit(dir.path(), &["In src/confg.py, set timeout to 3"])
        .says(2, "hint: did you mean src/config.py?");
    // In the middle of a sentence a word with a dot may be something else, so the edit is shown.
    let pick = r#"{"path":"src/config.py","operation":"replace"}"#;
    let slots = r#"{"old":"timeout = 30","new":"timeout = 3"}"#;
    for (task, is_misspelt) in [
        ("set the timeout in src/confg.py to 3", true),
        ("set config.timeout to 3", false),
        ("set the timeout in config.py to 3", false),
    ] {
        let run = Script::of(&[pick, slots]).edit(dir.path(), &["--dry-run", task]);
        let remark = "there is no file src/confg.py; did you mean src/config.py?";
        assert_eq!(run.stderr.contains(remark), is_misspelt, "{run:#?}");
        assert_eq!(run.stderr.contains("did you mean"), is_misspelt, "{run:#?}");
    }
    let other = Script::of(&[]).edit(dir.path(), &["--file", "README.md", "x"]);
    assert!(!other.says(2, "").stderr.contains("did you mean"));
}

#[test]
fn an_address_without_its_beginning_is_recognised() {
    let dir = folder(&[("a.py", b"a = 1\n")]);
    let root = dir.path().to_string_lossy();
    program(&[
        "edit",
        "--root",
        &root,
        "--model",
        "127.0.0.1:8091/v1#x",
        "y",
    ])
    .says(
        2,
        "hint: is it a server? Its address begins so: --model http://127.0.0.1:8091/v1#x",
    );
}

#[test]
fn short_help_has_the_everyday_options_only() {
    for (command, everyday, advanced) in [
        ("edit", "--dry-run", "--min-certainty"),
        ("apply", "--reverse", "--threads"),
        ("repair", "--test-file", "--max-attempts"),
        ("eval", "--suite", "--oracle"),
    ] {
        let short = program(&[command, "-h"]).says(0, "").stdout;
        assert!(
            short.contains(everyday) && !short.contains(advanced),
            "{short}"
        );
        let long = program(&[command, "--help"]).says(0, "").stdout;
        assert!(
            long.contains("Advanced:") && long.contains(advanced),
            "{long}"
        );
    }
    let short = program(&["edit", "-h"]).says(0, "").stdout;
    let options = short
        .lines()
        .filter(|line| line.trim_start().starts_with('-'));
    assert!(options.count() <= 12, "{short}");
}
