//! The scripted model process itself: what it makes of a script that does not suit, and what the
//! program makes of answers that only a script can be relied on to give.

use crate::support::script::{self, Script, Turn, answer, cut_off};
use crate::support::{PROGRAM, Run, folder};
use slotwright::engine::End;
use slotwright::slots::Slot;
use std::fs;
use std::process::Command;

const BEFORE: &str = "def process_item(item):\n    return len(item)\n";
const TASK: &str = "Rename process_item to handle_item everywhere";
const PICK: &str = r#"{"path":"tool.py","operation":"replace_all"}"#;
const RENAME: &str = r#"{"old":"process_item","new":"handle_item"}"#;

/// An edit with `--yes` and these arguments. If it was not made, the file must be as it was.
#[track_caller]
fn edit(script: &Script, arguments: &[&str], run: impl Fn(&Script, &mut Command) -> Run) -> Run {
    let dir = folder(&[("tool.py", BEFORE.as_bytes())]);
    let mut command = Command::new(PROGRAM);
    command
        .arg("edit")
        .arg("--root")
        .arg(dir.path())
        .arg("--yes")
        .args(arguments)
        .arg(TASK);
    let run = run(script, &mut command);
    let text = fs::read_to_string(dir.path().join("tool.py")).unwrap();
    assert_eq!(text == BEFORE, run.code != Some(0), "{run:#?}");
    run
}

/// This test is the process too: see [`script`].
#[test]
fn it_answers_from_its_script() {
    if script::is_wanted() {
        script::serve();
    }
    let script = Script::of(&[PICK, RENAME]);
    for _ in 0..2 {
        edit(&script, &[], Script::run).says(0, "wrote tool.py");
        assert_eq!(script.offered(), ["tool.py"]);
        assert_eq!(script.requests().len(), 2);
    }
}

#[test]
fn a_script_cannot_lie() {
    let other_file = PICK.replace("tool.py", "main.py");
    let other_text = RENAME.replace("process_item", "process_items");
    let lies = [
        vec![answer(&other_file)],
        vec![answer(PICK), answer(&other_text)],
        vec![answer(PICK), cut_off(&other_text[..25], End::Budget)],
    ];
    for lie in lies {
        let n = lie.len();
        let script = Script::new(lie);
        edit(&script, &[], Script::run_in_vain)
            .fails("the model process ended unexpectedly (exit status: 3)")
            .says(
                4,
                &format!("its last words: the constraint does not let answer {n} through"),
            );
        let noticed = std::panic::catch_unwind(|| edit(&script, &[], Script::run));
        assert!(
            noticed.is_err(),
            "the test that wrote the script does not fail"
        );
    }
}

#[test]
fn a_script_has_as_many_answers_as_are_asked_for() {
    edit(&Script::of(&[PICK]), &[], Script::run_in_vain)
        .fails("the script is at its end: it has 1 answers, and another was asked for");
    let too_long = Script::of(&[PICK, RENAME, PICK]);
    let noticed = std::panic::catch_unwind(|| edit(&too_long, &[], Script::run));
    assert!(
        noticed.is_err(),
        "an answer is left over, and nobody says so"
    );
}

#[test]
fn a_crash_in_the_middle_is_an_error() {
    for turns in [vec![Turn::Crash], vec![answer(PICK), Turn::Crash]] {
        edit(&Script::new(turns), &[], Script::run)
            .fails("the model process ended unexpectedly (signal 6");
    }
}

#[test]
fn silence_in_the_middle_is_an_error_and_slowness_is_none() {
    let silent = Script::new(vec![answer(PICK), Turn::Silence]);
    edit(&silent, &["--model-timeout", "1"], Script::run)
        .fails("the model process has said nothing for 1 seconds; it was ended");
    let slow = Script::new(vec![
        Turn::Wait(600),
        answer(PICK),
        Turn::Wait(600),
        answer(RENAME),
    ]);
    edit(&slow, &["--model-timeout", "60"], Script::run).says(0, "wrote tool.py");
}

#[test]
fn an_answer_that_is_not_complete_is_never_applied() {
    let reasons = [
        (
            End::Budget,
            "the model's answer did not end within its budget; nothing was written",
        ),
        (
            End::Repeats,
            "the model's answer only repeated itself and was stopped; nothing was written",
        ),
        (
            End::NoToken,
            "the model's vocabulary cannot spell what would have to come next",
        ),
    ];
    for (end, reason) in reasons {
        let early = Script::new(vec![cut_off(&PICK[..12], end)]);
        let late = Script::new(vec![answer(PICK), cut_off(&RENAME[..30], end)]);
        for script in [early, late] {
            let run = edit(&script, &["--json"], Script::run).says(1, reason);
            let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
            assert_eq!(report["error"]["kind"], "truncated");
        }
    }
}

#[test]
fn what_the_model_declines_is_said() {
    for (reason, message) in [
        (
            "not_in_these_files",
            "what is asked for has no place in these files",
        ),
        ("unclear", "the task is unclear to it"),
    ] {
        let text = format!(r#"{{"operation":"none","reason":"{reason}"}}"#);
        let run = edit(&Script::of(&[&text]), &["--json"], Script::run).says(1, message);
        let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(report["error"]["kind"], "declined");
    }
}

#[test]
fn what_the_model_was_sure_of_is_reported_as_it_was() {
    let script = Script::new(vec![
        answer(PICK).sure(Slot::Path, 0.9),
        answer(RENAME).sure(Slot::New, 0.75).masked(Slot::Old, 0.25),
    ]);
    let run = edit(&script, &["--json"], Script::run).says(0, "");
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let [pick, fill] = report["stats"]["stages"].as_array().unwrap().as_slice() else {
        panic!("{report:#}")
    };
    assert_eq!(
        (&pick["name"], &fill["name"]),
        (&"pick".into(), &"replace_all".into())
    );
    assert_eq!(
        (&pick["answer"], &fill["answer"]),
        (&PICK.into(), &RENAME.into())
    );
    assert_eq!(
        pick["certainty"],
        serde_json::json!({"path": 0.9, "operation": 1.0})
    );
    assert_eq!(
        fill["certainty"],
        serde_json::json!({"old": 1.0, "new": 0.75})
    );
    assert_eq!(
        fill["masked_mass"],
        serde_json::json!({"old": 0.25, "new": 0.0})
    );
}
