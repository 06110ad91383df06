//! The benches in Python have tests of their own, in Python. They also check that the list of the
//! quick subset is current.

use std::path::Path;
use std::process::Command;

#[track_caller]
fn check(folder: &str, oldest: &str) {
    let version = format!("import sys; sys.exit(sys.version_info < {oldest})");
    let is_there = Command::new("python3").args(["-c", &version]).output();
    if !is_there.is_ok_and(|run| run.status.success()) {
        println!("skipped: no python3 of version {oldest} or later here");
        return;
    }
    // Nothing is written beside the sources.
    let run = Command::new("python3")
        .args(["-B", "-m", "unittest"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder))
        .output()
        .unwrap();
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
}

#[test]
fn the_bench_of_models_works_and_its_quick_subset_is_current() {
    check("benches/models", "(3, 10)");
}

#[test]
fn the_bench_of_peers_works() {
    check("benches/peers", "(3, 11)");
}

#[test]
fn the_bench_of_phases_works() {
    check("benches/phases", "(3, 11)");
}
