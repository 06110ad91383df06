//! The architectures that are listed as known are those of the llama.cpp that is built in. To
//! refresh the list: `UPDATE_ARCHITECTURES=1 cargo test --release --test it architectures::`

use regex::Regex;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The source of llama.cpp, in the crate that builds it.
fn source() -> PathBuf {
    // Crates for other systems are on no machine that has only built and tested this.
    let host = Command::new(env!("CARGO"))
        .args(["-vV"])
        .output()
        .expect("cargo runs");
    let host = String::from_utf8(host.stdout).unwrap();
    let host = host
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .expect("cargo names it");
    let run = Command::new(env!("CARGO"))
        .args(["metadata", "--filter-platform", host])
        .args([
            "--format-version=1",
            "--offline",
            "--locked",
            "--manifest-path",
        ])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value = serde_json::from_slice(&run.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&run.stderr)));
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages
        .iter()
        .find(|package| package["name"] == "llama-cpp-sys-2")
        .unwrap();
    let manifest = Path::new(package["manifest_path"].as_str().unwrap());
    manifest.with_file_name("llama.cpp/src/llama-arch.cpp")
}

#[test]
fn the_known_architectures_are_those_of_llama_cpp() {
    let source = std::fs::read_to_string(source()).unwrap();
    let table = source
        .split("LLM_ARCH_NAMES = {")
        .nth(1)
        .unwrap()
        .split("};")
        .next()
        .unwrap();
    let name = Regex::new(r#"\{ *LLM_ARCH_\w+, *"([^"]+)" *\}"#).unwrap();
    let names: Vec<&str> = name
        .captures_iter(table)
        .map(|found| found.get(1).unwrap().as_str())
        .collect();
    assert!(names.len() > 100, "{names:?}");
    let fresh: String = names
        .iter()
        .filter(|name| **name != "(unknown)")
        .map(|name| format!("{name}\n"))
        .collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/models/architectures.txt");
    if std::env::var_os("UPDATE_ARCHITECTURES").is_some() {
        std::fs::write(&path, &fresh).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap();
    assert!(
        there == fresh,
        "src/models/architectures.txt is out of date: \
         UPDATE_ARCHITECTURES=1 cargo test --release --test it architectures::"
    );
}
