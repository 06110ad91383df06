//! The portable build: the variant that suits the processor, on processors that qemu plays, and
//! plain words where its libraries are missing. `./x dist` runs this, and `hostile_folder`, on the
//! unpacked archive.

use crate::support::ask;
use crate::support::{Run, folder, program, run};
use slotwright::engine::Engine;
use slotwright::engine::process::ModelProcess;
use slotwright::engine::protocol::Load;
use slotwright::flow::{GenerateOptions, Verdict};
use slotwright::prompt::Profile;
use slotwright::task::Task;
use slotwright::workspace::Workspace;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

const TASK: &str = "Rename process_item to handle_item everywhere";
const FILE: &str = "def process_item(item):\n    return len(item)\n\n\nprint(process_item('x'))\n";

fn after() -> String {
    FILE.replace("process_item", "handle_item")
}

/// The program itself, without what starts it in an archive.
fn inner_program() -> PathBuf {
    let inner = program().with_file_name("lib").join("slotwright");
    if inner.exists() { inner } else { program() }
}

fn launcher() -> PathBuf {
    if inner_program() == program() {
        PathBuf::from(env!("CARGO_BIN_EXE_launcher"))
    } else {
        program()
    }
}

fn qemu() -> Option<&'static str> {
    if !cfg!(target_arch = "x86_64") {
        println!("skipped: the list of processors is of x86-64 ones");
        return None;
    }
    let found = ["qemu-x86_64-static", "qemu-x86_64"]
        .into_iter()
        .find(|qemu| Command::new(qemu).arg("--version").output().is_ok());
    if found.is_none() {
        println!("skipped: there is no qemu-x86_64 (Debian: qemu-user-static) here");
    }
    found
}

fn edit(program: &Path) -> Run {
    let dir = folder(&[("tool.py", FILE.as_bytes())]);
    run(Command::new(program)
        .args(["edit", "--yes", "--stats", "--root"])
        .arg(dir.path())
        .arg(TASK))
}

#[test]
fn it_says_which_variant_computes() {
    let said = edit(&program()).says(0, "wrote tool.py").stderr;
    let variant = said
        .split_once("on CPU (")
        .and_then(|(_, rest)| rest.split_once(')'))
        .expect(&said)
        .0;
    println!("this processor: {variant}");
    assert!(
        inner_program()
            .with_file_name(format!("libggml-cpu-{variant}.so"))
            .exists()
    );
}

#[tokio::test]
async fn every_processor_gets_a_variant_that_it_can_run() {
    let Some(qemu) = qemu() else { return };
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/bundled.gguf");
    // What later processors get depends on what this qemu can play.
    let processors = [
        ("core2duo", Some("x64")),
        ("Nehalem", Some("sse42")),
        ("SandyBridge", None),
        ("Haswell", None),
        ("max", None),
    ];
    for (processor, expected) in processors {
        // qemu plays one process only: what that starts runs on the real processor. So it plays the
        // model process,
        let aside = tempfile::tempdir().unwrap();
        let emulated = aside.path().join("emulated");
        let script = format!(
            "#!/bin/sh\nexec {qemu} -cpu {processor} '{}' \"$@\"\n",
            inner_program().display()
        );
        fs::write(&emulated, script).unwrap();
        fs::set_permissions(&emulated, fs::Permissions::from_mode(0o700)).unwrap();
        let load = Load {
            model: model.clone(),
            threads: 1,
            check_memory: true,
            ..Load::default()
        };
        let mut engine = ModelProcess::start(&emulated, load, &mut |_| {})
            .await
            .unwrap();
        let computes_on = engine.model().computes_on.clone();
        println!("{processor}: {computes_on}");
        if let Some(expected) = expected {
            assert_eq!(computes_on, format!("CPU ({expected})"));
        } else {
            assert_ne!(computes_on, "CPU (x64)", "{processor}");
        }
        let dir = folder(&[("tool.py", FILE.as_bytes())]);
        let workspace = Workspace::open(dir.path()).unwrap();
        let (profile, _) = Profile::of(engine.model()).unwrap();
        let options = GenerateOptions::new(profile);
        let task = Task::new(TASK, vec![]).unwrap();
        match ask(&task, &workspace, options, &mut engine)
            .await
            .unwrap()
            .verdict
        {
            Verdict::Proposed(patched) => {
                assert_eq!(
                    String::from_utf8(patched.after).unwrap(),
                    after(),
                    "{processor}"
                )
            }
            other => panic!("{processor}: {other:?}"),
        }
        // and then all the rest.
        run(Command::new(qemu)
            .arg("-cpu")
            .arg(processor)
            .arg(inner_program())
            .args(["edit", "--yes", "--root"])
            .arg(dir.path())
            .arg(TASK))
        .says(0, "wrote tool.py");
        assert_eq!(
            fs::read_to_string(dir.path().join("tool.py")).unwrap(),
            after()
        );
    }
}

/// A copy of the program and of those of its libraries that are wanted.
fn copied(is_wanted: impl Fn(&str) -> bool) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(inner_program().parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_file() && (name == "slotwright" || name.contains(".so") && is_wanted(name)) {
            fs::copy(&path, dir.path().join(name)).unwrap();
        }
    }
    dir
}

#[test]
fn without_its_variants_it_says_where_it_looked() {
    let dir = copied(|name| !name.starts_with("libggml-cpu-"));
    let folder = dir.path().canonicalize().unwrap();
    let message = format!(
        "no library for this processor (libggml-cpu-*.so) in {}; unpack",
        folder.display()
    );
    edit(&dir.path().join("slotwright")).says(4, &message);
}

#[test]
fn a_variant_that_is_damaged_or_has_amx_is_passed_over() {
    let dir = copied(|name| !name.starts_with("libggml-cpu-") || name == "libggml-cpu-x64.so");
    fs::write(dir.path().join("libggml-cpu-haswell.so"), "damaged").unwrap();
    fs::copy(
        dir.path().join("libggml-cpu-x64.so"),
        dir.path().join("libggml-cpu-sapphirerapids.so"),
    )
    .unwrap();
    edit(&dir.path().join("slotwright")).says(0, "on CPU (x64)");
}

#[test]
fn without_any_libraries_what_starts_it_says_where_it_looked() {
    let dir = tempfile::tempdir().unwrap();
    fs::copy(launcher(), dir.path().join("slotwright")).unwrap();
    let folder = dir.path().canonicalize().unwrap();
    let message = format!("cannot start {}/lib/slotwright: ", folder.display());
    run(Command::new(dir.path().join("slotwright")).arg("--version")).says(4, &message);
}

#[test]
fn a_link_to_it_works_from_anywhere() {
    let dir = tempfile::tempdir().unwrap();
    let link = dir.path().join("sw");
    symlink(program(), &link).unwrap();
    edit(&link).says(0, "wrote tool.py");
}
