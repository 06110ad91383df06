//! Programs and processes that are killed while a command runs.

use super::case::{Case, limits, run, running, runtime, snapshot, wait_until};
use crate::support::{PROGRAM, folder, processes};
use slotwright::sandbox::{Command, Sandbox, SandboxOptions};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// What [`a_killed_program_leaves_nothing_behind`] kills: it is this test in another process.
const HOLDER: &str = "SLOTWRIGHT_TEST_HOLDER";

#[test]
fn a_killed_program_leaves_nothing_behind() {
    if let Some(root) = std::env::var_os(HOLDER) {
        let root = PathBuf::from(root);
        let sandbox = Sandbox::within(
            &root.join("place"),
            &root.join("original"),
            Path::new(PROGRAM),
            &SandboxOptions::default(),
        )
        .unwrap();
        fs::write(root.join("ready"), "").unwrap();
        run(
            &sandbox,
            "trap '' TERM HUP; setsid sleep 86416 & sleep 86416",
            &limits(),
        );
        unreachable!("it is killed before");
    }
    let dir = folder(&[("original/a.txt", b"a\n")]);
    let original = dir.path().join("original");
    let before = snapshot(&original);
    let test = std::env::current_exe().unwrap();
    let (_, module) = module_path!().split_once("::").unwrap();
    let mut holder = std::process::Command::new(test)
        .args([
            "--exact",
            &format!("{module}::a_killed_program_leaves_nothing_behind"),
        ])
        .env(HOLDER, dir.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_until("the command has not been started", || {
        assert_eq!(
            holder.try_wait().unwrap(),
            None,
            "the other process has ended by itself"
        );
        running("86416") >= 2
    });
    let place = dir.path().join("place");
    let sandboxes = || {
        fs::read_dir(&place)
            .unwrap()
            .flatten()
            .filter(|entry| entry.path().is_dir())
            .count()
    };
    // While it lives, others leave it alone.
    let case = Case {
        root: folder(&[]),
        place: tempfile::tempdir().unwrap(),
        before: BTreeMap::new(),
        program: PathBuf::from(PROGRAM),
    };
    let start = || {
        let options = SandboxOptions::default();
        Sandbox::within(&place, case.root.path(), Path::new(PROGRAM), &options).unwrap();
    };
    start();
    assert_eq!(sandboxes(), 1);
    holder.kill().unwrap();
    holder.wait().unwrap();
    wait_until("the command still runs", || running("86416") == 0);
    // The process that watched may still hold it for a moment.
    wait_until("the next start does not remove the sandbox", || {
        start();
        sandboxes() == 0
    });
    assert!(before == snapshot(&original), "the original has changed");
}

/// The process that watches is killed by somebody else, such as the kernel for want of memory.
#[test]
fn without_its_watch_the_command_ends() {
    let case = Case::new(&[]);
    let sandbox = case.sandbox(&SandboxOptions::default());
    if !sandbox.isolation().has_namespace("pid") {
        println!(
            "skipped: without a namespace of its own a command is not bound to the process that \
             watches it"
        );
        return;
    }
    let kill_watch = || {
        let has_command = |pid: &u32| {
            let mut below = vec![*pid];
            while let Some(pid) = below.pop() {
                if fs::read(format!("/proc/{pid}/cmdline"))
                    .is_ok_and(|line| line == b"sleep\086418\0")
                {
                    return true;
                }
                below.extend(processes::children(pid));
            }
            false
        };
        wait_until("the command has not been started", || {
            processes::children(std::process::id())
                .iter()
                .any(has_command)
        });
        processes::children(std::process::id())
            .into_iter()
            .filter(has_command)
            .for_each(|pid| processes::signal(pid, "KILL"));
    };
    let failed = std::thread::scope(|scope| {
        scope.spawn(kill_watch);
        let command = Command::Shell("setsid sleep 86418 & sleep 86418".to_owned());
        runtime()
            .block_on(sandbox.run(&command, &limits()))
            .unwrap_err()
    });
    assert!(failed.to_string().contains("signal: 9"), "{failed}");
    wait_until("the command still runs", || running("86418") == 0);
    assert_eq!(
        run(&sandbox, "echo again", &limits()).output.text(),
        "again\n"
    );
    drop(sandbox);
    case.check();
}
