//! The examples for users of the library run, and print what they should. `cargo test` builds
//! them.

use crate::support::{PROGRAM, Run, folder};
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs an example; none where it was not built, which is said.
fn example(name: &str, arguments: &[&str]) -> Option<Run> {
    let path = Path::new(PROGRAM).with_file_name("examples").join(name);
    if !path.exists() {
        println!("skipped: {name} was not built, as it is not with --test");
        return None;
    }
    let mut command = Command::new(path);
    Some(Run::from(
        command
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap(),
    ))
}

#[test]
fn the_mask_loop_writes_answers_that_fit() {
    let Some(run) = example("constrain", &[]) else {
        return;
    };
    assert_eq!(run.code, Some(0), "{run:#?}");
    assert_eq!(run.stdout.matches("{\"old\":\"").count(), 8, "{run:#?}");
    assert_eq!(run.stdout.matches(" tokens chosen").count(), 8, "{run:#?}");
}

#[test]
fn an_edit_is_proposed_without_a_model() {
    let Some(run) = example("edit", &[]) else {
        return;
    };
    assert_eq!(run.code, Some(0), "{run:#?}");
    assert!(
        run.stdout
            .ends_with("-print('hello')\n+print('good morning')\n"),
        "{run:#?}"
    );
}

#[test]
fn a_model_that_stays_loaded_proposes_edits_and_nothing_is_written() {
    const BEFORE: &str = "MAX_RETRIES = 3\n";
    let dir = folder(&[("config.py", BEFORE.as_bytes())]);
    let root = dir.path().to_str().unwrap();
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/models/bundled.gguf");
    let tasks = [
        "Change MAX_RETRIES from 3 to 5",
        "Change MAX_RETRIES from 3 to 7",
    ];
    let Some(run) = example("edit", &[root, model, tasks[0], tasks[1]]) else {
        return;
    };
    assert_eq!(run.code, Some(0), "{run:#?}");
    let n_answers = run.stdout.matches("--- a/config.py\n").count();
    assert_eq!(
        n_answers + run.stdout.matches("no edit:").count(),
        2,
        "{run:#?}"
    );
    assert_eq!(
        std::fs::read_to_string(dir.path().join("config.py")).unwrap(),
        BEFORE
    );
}
