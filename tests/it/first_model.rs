//! `slotwright` on a machine without a model: what it says, and what it asks at a terminal.

use crate::support::model_stores::Home;
use crate::support::terminal::Terminal;
use crate::support::{PROGRAM, folder};
use std::fs;
use tempfile::TempDir;

const TASK: &str = "Change MAX_RETRIES from 3 to 5";

fn project() -> TempDir {
    folder(&[("config.py", b"MAX_RETRIES = 3\n")])
}

fn text(dir: &TempDir) -> String {
    fs::read_to_string(dir.path().join("config.py")).unwrap()
}

/// A command at a terminal of a home without models, and without a network.
fn at_terminal(home: &Home, arguments: &str) -> Option<Terminal> {
    let home = home.path("");
    Terminal::run(&format!(
        "HOME='{0}' XDG_DATA_HOME='{0}/data' OLLAMA_MODELS='{0}/o' SLOTWRIGHT_MODEL= \
         HF_ENDPOINT=http://127.0.0.1:9 exec '{PROGRAM}' {arguments}",
        home.display()
    ))
}

fn edit(home: &Home, dir: &TempDir) -> Option<Terminal> {
    at_terminal(
        home,
        &format!("edit --root '{}' '{TASK}'", dir.path().display()),
    )
}

#[test]
fn without_a_person_the_commands_are_named() {
    let (home, dir) = (Home::new().with("OLLAMA_MODELS", "o"), project());
    let root = dir.path().to_str().unwrap();
    let run = home.run(&["edit", "--root", root, "--yes", TASK]);
    let run = run.says(2, "slotwright: there is no model on this machine yet");
    for command in [
        "qwen2.5-coder-1.5b (1.12 GB, 84 % of small edits right): slotwright models pull",
        "slotwright models pull qwen2.5-coder-0.5b",
        "--model bundled",
    ] {
        assert!(run.stderr.contains(command), "{command}: {run:#?}");
    }
    assert!(!home.path(".local").exists(), "nothing is fetched unasked");
    assert_eq!(text(&dir), "MAX_RETRIES = 3\n");
    home.run(&["models", "pull"])
        .says(2, "slotwright: no model is named");
    home.run(&["models", "default"])
        .says(0, "there is no model to use");
}

#[test]
fn at_a_terminal_one_answer_leads_to_the_edit() {
    let (home, dir) = (Home::new(), project());
    let Some(mut terminal) = edit(&home, &dir) else {
        return;
    };
    terminal.wait_for("1  fetch qwen2.5-coder-1.5b (1.12 GB, 84 % of small edits right)");
    terminal.wait_for("2  fetch qwen2.5-coder-0.5b");
    terminal.answer("or nothing to leave it:", "3\n");
    terminal.wait_for("using the bundled model");
    terminal.answer("Change config.py? [y/N/", "y\n");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    assert_eq!(text(&dir), "MAX_RETRIES = 5\n");
}

#[test]
fn a_model_that_is_here_can_be_chosen_though_it_is_weak() {
    let (home, dir) = (Home::new(), project());
    let file = home.path("mine.gguf");
    fs::copy("models/bundled.gguf", &file).unwrap();
    let Some(mut terminal) = edit(&home, &dir) else {
        return;
    };
    let path = format!("{}\n", file.display());
    terminal.answer("or nothing to leave it:", &path);
    terminal.answer("Change config.py? [y/N/", "y\n");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    assert_eq!(text(&dir), "MAX_RETRIES = 5\n");
}

#[test]
fn what_is_no_answer_is_said() {
    for (answer, code, said) in [
        ("", 2, "there is no model on this machine yet"),
        ("q", 2, "there is no model on this machine yet"),
        ("qwen9", 2, "no model on this machine is called \"qwen9\""),
        ("1", 4, "fetching qwen2.5-coder-1.5b"),
    ] {
        let (home, dir) = (Home::new(), project());
        let Some(mut terminal) = edit(&home, &dir) else {
            return;
        };
        terminal.answer("or nothing to leave it:", &format!("{answer}\n"));
        terminal.wait_for(said);
        assert_eq!(
            terminal.exit_code(),
            Some(code),
            "{answer}: {}",
            terminal.screen
        );
        assert_eq!(text(&dir), "MAX_RETRIES = 3\n");
    }
}

#[test]
fn an_editor_fetches_a_model_in_its_terminal() {
    let home = Home::new();
    for arguments in ["models pull", "acp --fetch-model"] {
        let Some(mut terminal) = at_terminal(&home, arguments) else {
            return;
        };
        terminal.wait_for("2  qwen2.5-coder-0.5b");
        terminal.answer("A number, or nothing to leave it:", "2\n");
        terminal.wait_for("127.0.0.1:9");
        assert_eq!(
            terminal.exit_code(),
            Some(4),
            "there is no network: {}",
            terminal.screen
        );
    }
}
