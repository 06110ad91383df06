//! Nothing is ever loaded from the folder being edited. In it, as the current folder, lie libraries
//! under every name that the program, llama.cpp or the loader might ask for; each leaves a mark
//! when it is loaded.

use crate::support::{folder, program, quiet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const TASK: &str = "Rename process_item to handle_item everywhere";
const FILE: &str = "def process_item(item):\n    return len(item)\n\n\nprint(process_item('x'))\n";

/// Of llama.cpp and what comes with it.
const OURS: &[&str] = &[
    "libggml.so",
    "libggml.so.0",
    "libggml-base.so",
    "libggml-base.so.0",
    "libggml-blas.so",
    "libggml-cpu.so",
    "libggml-cpu-x64.so",
    "libggml-cpu-sse42.so",
    "libggml-cpu-haswell.so",
    "libggml-cpu-skylakex.so",
    "libggml-cpu-cascadelake.so",
    "libggml-cpu-icelake.so",
    "libggml-cpu-zen4.so",
    "libggml-cpu-sapphirerapids.so",
    "libggml-cuda.so",
    "libggml-vulkan.so",
    "libggml-rpc.so",
    "libllama.so",
    "libllama.so.0",
    "libgomp.so.1",
    "libomp.so",
    "libstdc++.so.6",
];

/// Of the system. The loader looks for them wherever LD_LIBRARY_PATH says, for any program.
const THE_SYSTEMS: &[&str] = &[
    "libc.so.6",
    "libm.so.6",
    "libgcc_s.so.1",
    "libdl.so.2",
    "libpthread.so.0",
    "ld-linux-x86-64.so.2",
];

/// Says that it is the best variant, should it be asked.
const SOURCE: &str = r#"
#include <fcntl.h>
__attribute__((constructor)) static void leave_a_mark(void) {
    open(MARK, O_CREAT | O_WRONLY, 0600);
}
int ggml_backend_score(void) { leave_a_mark(); return 1 << 30; }
void *ggml_backend_init(void) { leave_a_mark(); return 0; }
"#;

/// A library that makes the file `mark` when it is loaded; nothing if there is no C compiler.
fn hostile_library(dir: &Path, mark: &Path) -> Option<PathBuf> {
    let (source, library) = (dir.join("hostile.c"), dir.join("hostile.so"));
    fs::write(&source, SOURCE).unwrap();
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(&source)
        .arg(format!("-DMARK=\"{}\"", mark.display()));
    match cc.output() {
        Ok(output) => assert!(output.status.success(), "{output:?}"),
        Err(error) => {
            println!("skipped: the C compiler, cc: {error}");
            return None;
        }
    }
    Some(library)
}

/// An edit in a folder with these libraries leaves no mark, and is made. With a `search_path` the
/// environment leads to them by every name that the loader or llama.cpp knows.
#[track_caller]
fn check(planted: &[&str], search_path: Option<&str>) {
    let aside = tempfile::tempdir().unwrap();
    let mark = aside.path().join("mark");
    let Some(library) = hostile_library(aside.path(), &mark) else {
        return;
    };

    // It does what it should where it is loaded.
    Command::new(program())
        .arg("--version")
        .env("LD_PRELOAD", &library)
        .output()
        .unwrap();
    assert!(mark.exists(), "the library leaves no mark");
    fs::remove_file(&mark).unwrap();

    let dir = folder(&[("tool.py", FILE.as_bytes())]);
    for place in ["", "lib", "backends"] {
        fs::create_dir_all(dir.path().join(place)).unwrap();
        for name in planted {
            fs::copy(&library, dir.path().join(place).join(name)).unwrap();
        }
    }
    let mut command = Command::new(program());
    command
        .args(["edit", "--yes", "--stats", TASK])
        .current_dir(dir.path());
    command.env_remove("LD_LIBRARY_PATH");
    if let Some(search_path) = search_path {
        let named = dir.path().join("libggml-cpu.so");
        command
            .env("LD_LIBRARY_PATH", search_path)
            .env("GGML_BACKEND_PATH", named)
            .env("GGML_BACKEND_DIR", dir.path());
    }
    let run =
        crate::support::Run::from(quiet(&mut command).output().unwrap()).says(0, "wrote tool.py");
    assert!(
        !mark.exists(),
        "a library of the folder was loaded: {run:#?}"
    );
    assert_eq!(
        fs::read_to_string(dir.path().join("tool.py")).unwrap(),
        FILE.replace("process_item", "handle_item")
    );
}

#[test]
fn no_library_of_the_current_folder_is_loaded() {
    check(&[OURS, THE_SYSTEMS].concat(), None);
}

#[test]
fn nor_does_an_environment_that_names_it_lead_there() {
    // An empty entry is the current folder: easily there by mistake.
    check(OURS, Some(":"));
    check(OURS, Some(".:lib"));
}
