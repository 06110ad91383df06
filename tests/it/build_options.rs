//! What `./x` has llama.cpp built with, for processors that are not here.

use std::path::Path;
use std::process::Command;

/// The options for a processor with these flags, if the person has set these variables. The compiler
/// is a program that takes any flag, or none.
#[track_caller]
fn options(flags: Option<&str>, set: &[(&str, &str)], compiler: &str) -> String {
    let dir = tempfile::tempdir().unwrap();
    let cpu_info = dir.path().join("cpuinfo");
    if let Some(flags) = flags {
        let text = format!("processor\t: 0\nflags\t\t: {flags}\nbugs\t\t:\n\n");
        std::fs::write(&cpu_info, text.repeat(2)).unwrap();
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("x");
    let script = std::fs::read_to_string(script).unwrap();
    // Without what it does when it is called.
    let functions = script.split_once("\ncase ${1:-} in\n").unwrap().0;
    let functions = functions.replace("cd \"$(dirname \"$0\")\"\n", "");
    let call = "choose_instructions; env | sed -n 's/^GGML_//p' | sort | tr '\\n' ' '";
    let mut command = Command::new("bash");
    for name in [
        "AVX512",
        "AVX512_VBMI",
        "AVX512_VNNI",
        "AVX512_BF16",
        "AVX_VNNI",
        "CPU_REPACK",
    ] {
        command.env_remove(format!("GGML_{name}"));
    }
    let run = command
        .args(["-c", &format!("{functions}\nCPU_INFO=$1\n{call}"), "bash"])
        .arg(&cpu_info)
        .env("CXX", compiler)
        .envs(set.iter().copied())
        .output()
        .unwrap();
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    String::from_utf8(run.stdout).unwrap().trim_end().to_owned()
}

const AVX512: &str = "avx2 avx512f avx512bw avx512cd avx512dq avx512vl";
const NONE: &str =
    "AVX512=OFF AVX512_BF16=OFF AVX512_VBMI=OFF AVX512_VNNI=OFF AVX_VNNI=OFF CPU_REPACK=ON";

#[test]
fn llama_cpp_is_built_for_the_processor_at_hand() {
    let newest = format!("fpu {AVX512} avx512vbmi avx512_vnni avx512_bf16");
    assert_eq!(
        options(Some(&newest), &[], "true"),
        "AVX512=ON AVX512_BF16=ON AVX512_VBMI=ON AVX512_VNNI=ON AVX_VNNI=OFF CPU_REPACK=OFF"
    );
    assert_eq!(
        options(Some(AVX512), &[], "true"),
        "AVX512=ON AVX512_BF16=OFF AVX512_VBMI=OFF AVX512_VNNI=OFF AVX_VNNI=OFF CPU_REPACK=ON"
    );
    assert_eq!(
        options(Some("avx2 avx_vnni"), &[], "true"),
        "AVX512=OFF AVX512_BF16=OFF AVX512_VBMI=OFF AVX512_VNNI=OFF AVX_VNNI=ON CPU_REPACK=ON"
    );
    // llama.cpp needs all parts of the family, or uses none.
    assert_eq!(options(Some("avx2 avx512f avx512_vnni"), &[], "true"), NONE);
    assert_eq!(options(Some("avx2"), &[], "true"), NONE);
    assert_eq!(options(None, &[], "true"), NONE);
    // A compiler that does not know the flags.
    assert_eq!(options(Some(&newest), &[], "false"), NONE);
}

#[test]
fn what_the_person_has_set_stays() {
    let newest = format!("{AVX512} avx512_vnni");
    assert_eq!(
        options(Some(&newest), &[("GGML_AVX512", "OFF")], "true"),
        NONE
    );
    let repacked = options(Some(&newest), &[("GGML_CPU_REPACK", "ON")], "true");
    assert!(
        repacked.contains("AVX512_VNNI=ON") && repacked.ends_with("CPU_REPACK=ON"),
        "{repacked}"
    );
}
