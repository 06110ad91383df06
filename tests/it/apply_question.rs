//! `slotwright apply` at a terminal: its question.

use crate::support::terminal::Terminal;
use crate::support::{PROGRAM, folder};
use std::fs;

const CONFIG: &str = "MAX_RETRIES = 3\n\n\ndef load(path):\n    return open(path).read()\n";
const PATCH: &str = "config.py\n```\n<<<<<<< SEARCH\nMAX_RETRIES = 3\n=======\nMAX_RETRIES = 5\n\
    >>>>>>> REPLACE\n```\n";

#[test]
fn on_a_terminal_it_asks_also_when_the_patch_is_piped_in() {
    let dir = folder(&[("config.py", CONFIG.as_bytes()), ("p.md", PATCH.as_bytes())]);
    let text = || fs::read_to_string(dir.path().join("config.py")).unwrap();
    let root = dir.path().display();
    let Some(mut terminal) = Terminal::run(&format!(
        "cat '{root}/p.md' | '{PROGRAM}' apply --root '{root}'"
    )) else {
        return;
    };
    terminal.wait_for("Change config.py? [y/N/");
    terminal.write("n\n");
    assert_eq!(terminal.exit_code(), Some(3), "{}", terminal.screen);
    assert_eq!(text(), CONFIG);
    let Some(mut terminal) =
        Terminal::run(&format!("'{PROGRAM}' apply --root '{root}' '{root}/p.md'"))
    else {
        return;
    };
    terminal.wait_for("Change config.py? [y/N/");
    terminal.write("y\n");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    assert_eq!(text(), CONFIG.replace("= 3", "= 5"));
}

#[test]
#[cfg(unix)]
fn a_yes_typed_before_the_question_does_not_answer_it() {
    let dir = folder(&[("config.py", CONFIG.as_bytes()), ("p.md", PATCH.as_bytes())]);
    let root = dir.path().display();
    // The patch comes late, so that the answer is there before the question.
    let Some(mut terminal) = Terminal::run(&format!(
        "(while [ ! -e '{root}/go' ]; do sleep 0.05; done; cat '{root}/p.md') \
         | '{PROGRAM}' apply --root '{root}'"
    )) else {
        return;
    };
    terminal.write("y\n");
    terminal.wait_for("y");
    fs::write(dir.path().join("go"), "").unwrap();
    terminal.wait_for("Change config.py? [y/N/");
    terminal.write("n\n");
    assert_eq!(terminal.exit_code(), Some(3), "{}", terminal.screen);
    assert_eq!(
        fs::read_to_string(dir.path().join("config.py")).unwrap(),
        CONFIG
    );
}

#[test]
fn a_file_changed_while_the_question_stands_is_not_overwritten() {
    let dir = folder(&[("config.py", CONFIG.as_bytes()), ("p.md", PATCH.as_bytes())]);
    let root = dir.path().display();
    let Some(mut terminal) =
        Terminal::run(&format!("'{PROGRAM}' apply --root '{root}' '{root}/p.md'"))
    else {
        return;
    };
    terminal.wait_for("Change config.py? [y/N/");
    fs::write(dir.path().join("config.py"), "their work\n").unwrap();
    terminal.write("y\n");
    assert_eq!(terminal.exit_code(), Some(1), "{}", terminal.screen);
    assert_eq!(
        fs::read_to_string(dir.path().join("config.py")).unwrap(),
        "their work\n"
    );
}

/// Two blocks, of which the second searches what is not there.
fn one_of_two() -> String {
    let fails = PATCH.replace("MAX_RETRIES = 3", "NO_SUCH = 1");
    format!("{PATCH}\n{fails}")
}

#[test]
fn the_edits_that_can_be_made_are_asked_about() {
    let patch = one_of_two();
    for (key, code) in [("y\n", 5), ("n\n", 3)] {
        let dir = folder(&[("config.py", CONFIG.as_bytes()), ("p.md", patch.as_bytes())]);
        let root = dir.path().display();
        let Some(mut terminal) =
            Terminal::run(&format!("'{PROGRAM}' apply --root '{root}' '{root}/p.md'"))
        else {
            return;
        };
        terminal.wait_for("edit 2 (line 12 of the patch, config.py): the text to change");
        terminal.answer(
            "Change config.py without the edit that cannot be made? [y/N/e/?] ",
            key,
        );
        assert_eq!(terminal.exit_code(), Some(code), "{}", terminal.screen);
        let text = fs::read_to_string(dir.path().join("config.py")).unwrap();
        let expected = if code == 5 {
            CONFIG.replace("= 3", "= 5")
        } else {
            CONFIG.to_owned()
        };
        assert_eq!(text, expected);
    }
}

#[test]
fn a_patch_that_is_typed_is_waited_for() {
    let dir = folder(&[("config.py", CONFIG.as_bytes())]);
    let root = dir.path().display();
    let Some(mut terminal) = Terminal::run(&format!("'{PROGRAM}' apply --root '{root}' -")) else {
        return;
    };
    terminal.wait_for("type or paste the patch, then end it with Ctrl-D");
    terminal.write(PATCH);
    terminal.write("\x04");
    terminal.answer("Change config.py? [y/N/e/?] ", "y\n");
    assert_eq!(terminal.exit_code(), Some(0), "{}", terminal.screen);
    let text = fs::read_to_string(dir.path().join("config.py")).unwrap();
    assert_eq!(text, CONFIG.replace("= 3", "= 5"));
}
