//! Real models, where there are any: a chat template, a vocabulary and weights that nobody here
//! made. Whether an edit is right is the model's affair; that it applies is ours, and so is what our
//! adapters teach.

use crate::support::published::IN_SWIFT;
use crate::support::published_runs::n_right;
use crate::support::{edit, folder, real_models};

const BEFORE: &str = "import os\n\nMAX_RETRIES = 3\nTIMEOUT = 30\n";

#[test]
fn an_easy_edit_by_a_real_model_applies() {
    let Some(model) = real_models::small() else {
        return;
    };
    let dir = folder(&[("config.py", BEFORE.as_bytes())]);
    let task = "In config.py, change MAX_RETRIES from 3 to 5";
    let model = model.to_str().unwrap();
    // Greedy is the default, so that it is the same every time.
    let run = edit(dir.path(), &["--model", model, "--dry-run", "--json", task]);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let (status, kind) = (&report["status"], &report["error"]["kind"]);
    println!(
        "{model}: {status} {kind}\n{}",
        report["diff"].as_str().unwrap_or_default()
    );
    let is_edit = status == "would_be_done" || status == "already_done";
    // An edit that changes nothing is `unsure` if the model was.
    let is_no_edit = status == "not_made" && (kind == "declined" || kind == "unsure");
    assert!(is_edit || is_no_edit, "{run:#?}");
    assert_eq!(
        std::fs::read_to_string(dir.path().join("config.py")).unwrap(),
        BEFORE
    );
}

/// The design's claim: of fifteen substitutions fifteen, of ten insertions ten, and `async` five times.
/// The last part is missed: an adapter before this one made all five, and this one drops the return
/// type in three of them, or in four: how a processor rounds decides in one.
#[test]
fn the_published_tasks_with_an_adapter() {
    let Some(model) = real_models::ablest() else {
        return;
    };
    let model = model.to_str().unwrap();
    let kinds = [
        "rename",
        "number",
        "string",
        "line above a function",
        "import at the top",
    ];
    let n_right = |kind| n_right(kind, IN_SWIFT, &["--model", model]);
    let right = kinds.map(|kind| (kind, n_right(kind)));
    assert_eq!(right, kinds.map(|kind| (kind, 5)));
    let n_async = n_right("async");
    assert!(
        (1..=2).contains(&n_async),
        "{n_async} are right: say so above"
    );
}
