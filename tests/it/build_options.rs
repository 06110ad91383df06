//! `./x options`: what llama.cpp is built with, for processors that are not here.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

const AVX512: &str = "AVX512F AVX512BW AVX512CD AVX512DQ AVX512VL";
const NONE: &str =
    "AVX512=OFF AVX512_VBMI=OFF AVX512_VNNI=OFF AVX512_BF16=OFF AVX_VNNI=OFF CPU_REPACK=ON";

/// The options where the compiler defines these macros for the processor, and where the person has
/// set these variables.
fn options(macros: &str, set: &[(&str, &str)]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let compiler = dir.path().join("c++");
    let lines = macros
        .split(' ')
        .map(|name| format!("#define __{name}__ 1\n"));
    let script = format!("#!/bin/sh\ncat <<END\n{}END\n", lines.collect::<String>());
    std::fs::write(&compiler, script).unwrap();
    std::fs::set_permissions(&compiler, PermissionsExt::from_mode(0o755)).unwrap();

    let mut command = Command::new("bash");
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("GGML_")) {
        command.env_remove(name);
    }
    let output = command
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("x"))
        .arg("options")
        .env("CXX", compiler)
        .envs(set.iter().copied())
        .output()
        .unwrap();

    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    printed.trim_end().replace("GGML_", "").replace('\n', " ")
}

#[test]
fn llama_cpp_is_built_for_the_processor_at_hand() {
    assert_eq!(
        options(&format!("{AVX512} AVX512VBMI AVX512VNNI AVX512BF16"), &[]),
        "AVX512=ON AVX512_VBMI=ON AVX512_VNNI=ON AVX512_BF16=ON AVX_VNNI=OFF CPU_REPACK=OFF"
    );
    assert_eq!(
        options(AVX512, &[]),
        "AVX512=ON AVX512_VBMI=OFF AVX512_VNNI=OFF AVX512_BF16=OFF AVX_VNNI=OFF CPU_REPACK=ON"
    );
    assert_eq!(
        options("AVX2 AVXVNNI", &[]),
        "AVX512=OFF AVX512_VBMI=OFF AVX512_VNNI=OFF AVX512_BF16=OFF AVX_VNNI=ON CPU_REPACK=ON"
    );
    // llama.cpp needs all parts of the family, or uses none.
    assert_eq!(options("AVX2 AVX512F AVX512VNNI", &[]), NONE);
    assert_eq!(options("AVX2", &[]), NONE);
}

#[test]
fn what_the_person_has_set_stays() {
    let newest = format!("{AVX512} AVX512VNNI");
    assert_eq!(options(&newest, &[("GGML_AVX512", "OFF")]), NONE);

    let repacked = options(&newest, &[("GGML_CPU_REPACK", "ON")]);
    assert!(repacked.contains("AVX512_VNNI=ON"), "{repacked}");
    assert!(repacked.ends_with("CPU_REPACK=ON"), "{repacked}");
}
