//! How messages and tables look on a terminal: colours, and lines that fit.

use crate::support::terminal::Terminal;
use crate::support::{PROGRAM, folder, run};
use std::process::Command;

/// What an edit of a file that is not there says, in columns and with this environment.
fn failure_on_terminal(columns: usize, environment: &str) -> Option<Terminal> {
    let dir = folder(&[("some_module/configuration.py", b"a = 1\n")]);
    let mut terminal = Terminal::run(&format!(
        "stty rows 24 cols {columns}; cd '{}'; {environment} '{PROGRAM}' edit --file configuration.py x; echo end",
        dir.path().display()
    ))?;
    terminal.wait_for("end\r\n");
    Some(terminal)
}

#[track_caller]
fn fits(screen: &str, columns: usize) {
    for line in screen.lines() {
        let width = line.trim_end_matches('\r').chars().count();
        assert!(width <= columns, "{width} columns: {line}");
    }
}

#[test]
fn failures_have_colours_and_lines_that_fit() {
    let Some(terminal) = failure_on_terminal(60, "") else {
        return;
    };
    assert!(
        terminal
            .raw
            .contains("\x1b[1;31mslotwright:\x1b[0m there is no file"),
        "{}",
        terminal.raw
    );
    assert!(
        terminal.raw.contains("\x1b[36m  hint:\x1b[0m did you mean"),
        "{}",
        terminal.raw
    );
    fits(&terminal.screen, 60);
    let words: Vec<&str> = terminal.screen.split_whitespace().collect();
    assert!(
        words.contains(&"some_module/configuration.py?"),
        "{words:?}"
    );
}

#[test]
fn there_are_no_colours_where_they_are_not_wanted() {
    for environment in ["NO_COLOR=1", "TERM=dumb"] {
        let Some(terminal) = failure_on_terminal(200, environment) else {
            return;
        };
        assert!(
            !terminal.raw.contains('\x1b'),
            "{environment}: {}",
            terminal.raw
        );
        assert!(terminal.screen.contains("slotwright: there is no file"));
    }
}

#[test]
fn tables_fit_the_terminal_and_are_whole_in_a_pipe() {
    for command in ["config", "models"] {
        let line = format!("stty rows 24 cols 80; '{PROGRAM}' {command}; echo end");
        let Some(mut terminal) = Terminal::run(&line) else {
            return;
        };
        terminal.wait_for("end\r\n");
        fits(&terminal.screen, 80);
    }
    let piped = run(Command::new(PROGRAM).arg("config")).says(0, "").stdout;
    assert!(
        piped.contains("adapter of ours, 0.1 for others  default\n"),
        "{piped}"
    );
}
