//! A machine without enough memory or disk: one clear line, exit code 4, files whole, nothing left
//! behind.

use crate::support::models::{self, Recipe};
use crate::support::script::Script;
use crate::support::{PROGRAM, Run, edit, folder, quiet, run};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const TASK: &str = "Rename process_item to handle_item everywhere";
const BEFORE: &[u8] = b"def process_item(item):\n    return len(item)\n";

/// A model file as large as that, almost all of it a hole.
fn large_model(path: &Path, bytes: u64) {
    models::write(path, &Recipe::default());
    fs::OpenOptions::new()
        .write(true)
        .open(path)
        .unwrap()
        .set_len(bytes)
        .unwrap();
}

#[test]
fn a_model_larger_than_memory_is_refused_beforehand() {
    let dir = folder(&[("tool.py", BEFORE)]);
    let models = tempfile::tempdir().unwrap();
    let model = models.path().join("large.gguf");
    large_model(&model, 1 << 43);
    let arguments = ["--yes", "--model", model.to_str().unwrap(), TASK];
    let refused = edit(dir.path(), &arguments)
        .fails("not enough memory: the model needs about 8192.00 GiB, and ");
    assert!(
        refused.stderr.contains("--skip-memory-check"),
        "{refused:?}"
    );
    assert_eq!(fs::read(dir.path().join("tool.py")).unwrap(), BEFORE);
}

/// The program with its address space limited.
fn limited(root: &Path, kib: u64, arguments: &[&str]) -> Run {
    let mut command = Command::new("sh");
    command
        .args([
            "-c",
            &format!("ulimit -v {kib} && exec \"$0\" edit --root \"$@\""),
        ])
        .arg(PROGRAM)
        .arg(root)
        .args(arguments);
    run(&mut command)
}

#[test]
fn a_limit_on_memory_is_noticed_beforehand() {
    let dir = folder(&[("tool.py", BEFORE)]);
    let models = tempfile::tempdir().unwrap();
    let model = models.path().join("large.gguf");
    large_model(&model, 3 << 30);
    let path = model.to_str().unwrap();
    limited(dir.path(), 3 << 20, &["--yes", "--model", path, TASK])
        .fails("not enough memory: the model needs about 3.00 GiB");
    // Tried all the same it fails where memory is asked for, and says so.
    limited(
        dir.path(),
        3 << 20,
        &["--yes", "--skip-memory-check", "--model", path, TASK],
    )
    .fails("cannot load the model");
    assert_eq!(fs::read(dir.path().join("tool.py")).unwrap(), BEFORE);
}

/// Runs a script in a mount namespace of its own, with a small file system on the folder `$1`; none
/// where that may not be done. Without a `model` it is the bundled one.
fn on_small_disk(kib: u32, script: &str, model: Option<&Script>) -> Option<Run> {
    let dir = tempfile::tempdir().unwrap();
    let mount = format!("mount -t tmpfs -o size={kib}k,mode=755 tmpfs \"$1\"");
    let unshare = |script: &str| {
        let mut command = Command::new("unshare");
        command
            .args(["-rm", "sh", "-c", script, "sh"])
            .arg(dir.path())
            .arg(PROGRAM);
        command
    };
    let probe = unshare(&mount)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !probe.is_ok_and(|status| status.success()) {
        println!("skipped: a small file system cannot be mounted here");
        return None;
    }
    let mut command = unshare(&format!("{mount} && cd \"$1\" && {script}"));
    quiet(&mut command).envs(model.map(Script::environment).into_iter().flatten());
    Some(Run::from(command.output().unwrap()))
}

#[test]
fn a_full_disk_leaves_the_file_as_it_was() {
    let script = r#"
        mkdir root && printf 'def process_item(item):\n    return len(item)\n' > root/tool.py
        cp root/tool.py before
        dd if=/dev/zero of=rest bs=4096 2>/dev/null
        "$2" edit --root root --yes "Rename process_item to handle_item everywhere"
        code=$?
        cmp before root/tool.py && ls -A root
        exit $code"#;
    let slots = r#"{"old":"process_item","new":"handle_item"}"#;
    let model = Script::of(&[r#"{"path":"tool.py","operation":"replace_all"}"#, slots]);
    let Some(run) = on_small_disk(256, script, Some(&model)) else {
        return;
    };
    assert_eq!(run.stdout.lines().last(), Some("tool.py"), "{run:?}");
    run.fails("cannot write tool.py: No space left on device (os error 28); the file is as it was");
}

#[test]
fn a_full_disk_leaves_no_half_model_in_the_cache() {
    let script = r#"
        mkdir root && printf 'x = 1\n' > root/a.py
        XDG_CACHE_HOME="$1/cache" "$2" edit --root root --yes "Change x from 1 to 2"
        code=$?
        find cache -type f
        exit $code"#;
    let Some(run) = on_small_disk(1_000, script, None) else {
        return;
    };
    assert_eq!(run.stdout, "");
    run.fails("cannot unpack the bundled model into");
}
