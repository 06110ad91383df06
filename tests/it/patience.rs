//! How much of a file is shown: as much as the model reads in the person's patience, once its speed
//! was measured. The model answers from a script, which says how long reading took.

use crate::support::folder;
use crate::support::script::{Script, Turn, answer};
use serde_json::{Value, json};
use slotwright::engine::Part;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

const PICK: &str = r#"{"path":"long.py","operation":"replace"}"#;
const SLOTS: &str = r#"{"old":"value_7 = 7","new":"value_7 = 8"}"#;
const TASK: &str = "set value_7 to 8";

/// A file of some 3,500 tokens as the script counts them.
fn long_file() -> String {
    (0..1_000).map(|i| format!("value_{i} = {i}\n")).collect()
}

/// A model that took so many milliseconds to read its first prompt. Measurements are kept by a
/// model's content, so the turn that is never reached makes it one that was never measured.
fn script(ms: f64) -> Script {
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap();
    let never = Turn::Wait(now.as_nanos() as u64);
    Script::new(vec![answer(PICK).after_reading(ms), answer(SLOTS), never])
}

fn shown(script: &Script, root: &Path, arguments: &[&str]) -> Value {
    let run = script.edit(root, &[arguments, &["--dry-run", "--json", TASK]].concat());
    let report: Value = serde_json::from_str(&run.says(0, "").stdout).unwrap();
    report["stats"]["shown"].clone()
}

fn prompt_bytes(script: &Script) -> usize {
    script.requests()[0]
        .prompt
        .iter()
        .map(|part| part.as_str().len())
        .sum()
}

#[test]
fn what_is_shown_follows_the_speed_of_earlier_runs() {
    let dir = folder(&[("long.py", long_file().as_bytes())]);
    let script = script(1_000_000.0);
    let first = shown(&script, dir.path(), &[]);
    assert_eq!(first["tokens"], 1_500);
    assert_eq!(
        (&first["patience"], &first["read_per_second"]),
        (&Value::Null, &Value::Null)
    );
    let unbounded = prompt_bytes(&script);

    // Some 3 tokens in a second: patience decides, but never to less than 1,000.
    let second = shown(&script, dir.path(), &[]);
    assert_eq!(
        (&second["tokens"], &second["patience"]),
        (&json!(1_000), &json!(6))
    );
    assert!(
        second["read_per_second"].as_f64().unwrap() < 10.0,
        "{second}"
    );
    let bounded = prompt_bytes(&script);
    assert!(
        bounded + 4 * 300 < unbounded,
        "{bounded} and {unbounded} bytes"
    );
    assert_eq!(
        shown(&script, dir.path(), &[]),
        second,
        "the same from run to run"
    );
    assert_eq!(prompt_bytes(&script), bounded);

    let patient = shown(&script, dir.path(), &["--patience", "600"]);
    assert!(patient["tokens"].as_u64().unwrap() > 1_000, "{patient}");
    assert!(prompt_bytes(&script) > bounded + 4 * 500);
    let other = shown(&script, dir.path(), &["--threads", "61"]);
    assert_eq!(other["tokens"], 1_500, "other threads have another speed");
}

#[test]
fn a_fast_model_is_shown_more() {
    let dir = folder(&[("long.py", long_file().as_bytes())]);
    let script = script(1.0);
    shown(&script, dir.path(), &[]);
    let run = script.edit(dir.path(), &["--dry-run", "--stats", TASK]);
    run.says(
        0,
        "at most 6000 tokens of a file are shown, to be read in some 6 s; so far ",
    );
    let whole = long_file();
    let prompt: String = script.requests()[0]
        .prompt
        .iter()
        .map(Part::as_str)
        .collect();
    assert!(
        prompt.contains(whole.trim_end()),
        "all of the file is shown"
    );
    assert_eq!(
        fs::read_to_string(dir.path().join("long.py")).unwrap(),
        whole
    );
}
