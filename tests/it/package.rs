//! What a crate holds: all that the program is built from, and nothing that only trains or tests
//! it.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Bytes that all files of the crate may have together, unpacked, without the bundled model and the
/// adapters.
/// Packed they are about a quarter of that.
const MOST_BYTES: u64 = 5_000_000;

/// The paths that `cargo package` would put into the crate.
fn packaged() -> BTreeSet<String> {
    let run = Command::new(env!("CARGO"))
        .args([
            "package",
            "--list",
            "--offline",
            "--allow-dirty",
            "--manifest-path",
        ])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .output()
        .expect("cargo runs");
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    String::from_utf8(run.stdout)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

/// The files below a folder of the repository, as paths relative to its root.
fn files_below(folder: &str, files: &mut Vec<String>) {
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{folder}/{}", entry.file_name().to_str().unwrap());
        match entry.file_type().unwrap().is_dir() {
            true => files_below(&path, files),
            false => files.push(path),
        }
    }
}

#[test]
fn a_crate_holds_the_program_and_no_training_data() {
    let packaged = packaged();
    for folder in ["models/training/", "tests/", "benches/", "fuzz/"] {
        let found: Vec<_> = packaged
            .iter()
            .filter(|path| path.starts_with(folder))
            .collect();
        assert!(found.is_empty(), "{found:?}");
    }
    for path in [
        "models/bundled.gguf",
        "models/adapters/qwen2.5-coder-1.5b-instruct.gguf",
        "models/README.md",
        "NOTICE",
        "LICENSE-MIT",
        "build.rs",
    ] {
        assert!(packaged.contains(path), "{path} is missing");
    }
    // What is read while the program is built, whole. Cargo leaves out folders with a Cargo.toml.
    for folder in ["src", "evals"] {
        let mut files = Vec::new();
        files_below(folder, &mut files);
        let missing: Vec<_> = files
            .iter()
            .filter(|path| !packaged.contains(*path))
            .collect();
        assert!(missing.is_empty(), "not in the crate: {missing:?}");
    }
}

#[test]
fn a_crate_is_small() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Cargo makes some of the files while it packs.
    let size = |path: &String| {
        root.join(path)
            .metadata()
            .map_or(0, |metadata| metadata.len())
    };
    let packaged = packaged();
    let models: u64 = packaged
        .iter()
        .filter(|path| path.ends_with(".gguf"))
        .map(size)
        .sum();
    let all: u64 = packaged.iter().map(size).sum();
    println!(
        "{} files, {all} bytes, {models} of them models",
        packaged.len()
    );
    assert!(
        all - models <= MOST_BYTES,
        "{} bytes without models",
        all - models
    );
}
