//! The bench of models: its own tests, which are in Python as it is. They say too whether the list
//! of the quick subset is current, and whether the page has the places for the tables.

use std::path::Path;
use std::process::Command;

#[test]
fn the_bench_of_models_works_and_its_quick_subset_is_current() {
    // As old a version as the bench can do with.
    let version = "import sys; sys.exit(sys.version_info < (3, 10))";
    let is_there = Command::new("python3").args(["-c", version]).output();
    if !is_there.is_ok_and(|run| run.status.success()) {
        println!("skipped: no python3 of version 3.10 or later here");
        return;
    }
    // Nothing is written beside the sources.
    let run = Command::new("python3")
        .args(["-B", "-m", "unittest"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/models"))
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}
