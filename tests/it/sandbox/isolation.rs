//! What isolation there is, and what happens where parts of it are missing.

use super::case::{Case, has, limits, run, running, snapshot};
use crate::support::{PROGRAM, folder};
use slotwright::sandbox::{Ended, Limits, Sandbox, SandboxError, SandboxOptions};
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

#[test]
fn what_this_system_has_is_in_force() {
    let case = Case::new(&[]);
    let sandbox = case.sandbox(&SandboxOptions::default());
    let isolation = sandbox.isolation();
    println!("{isolation}");
    assert!(isolation.confines() && isolation.seccomp);
    assert!(
        ["core", "file_size"]
            .iter()
            .all(|limit| isolation.limits.iter().any(|l| l == limit))
    );
    let ask = "import ctypes; print(ctypes.CDLL(None).syscall(444, 0, 0, 1))";
    if has("python3") {
        let output = std::process::Command::new("python3")
            .args(["-c", ask])
            .output()
            .unwrap();
        let there_is: u32 = String::from_utf8(output.stdout)
            .unwrap()
            .trim()
            .parse()
            .unwrap();
        assert!(
            isolation.landlock.is_some_and(|abi| abi == there_is.min(9)),
            "{there_is}: {isolation}"
        );
    }
    let unshare = std::process::Command::new("unshare")
        .args(["--user", "--map-current-user", "--pid", "--fork", "true"])
        .output();
    if unshare.is_ok_and(|output| output.status.success()) {
        assert_eq!(
            isolation.namespaces,
            ["user", "pid", "network", "ipc", "mount"],
            "{isolation}"
        );
    } else {
        println!("skipped: no user namespaces here");
    }
    let ran = run(
        &sandbox,
        "grep -E '^(CapEff|CapPrm|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status | tr -s '\\t\\n' \
         ' '",
        &limits(),
    );
    let none = "0000000000000000";
    assert_eq!(
        ran.output.text(),
        format!("CapPrm: {none} CapEff: {none} CapBnd: {none} NoNewPrivs: 1 Seccomp: 2 ")
    );
}

/// A stand-in for the program: it says that there is no isolation, and runs nothing.
#[test]
fn without_isolation_nothing_runs_unless_that_is_allowed() {
    let said = r#"{"Isolated":{"missing":["Landlock (not in this kernel)"]}}"#;
    let program = folder(&[(
        "program",
        format!("#!/bin/sh\nread spec\necho '{said}'\n").as_bytes(),
    )]);
    let program = program.path().join("program");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let outside = folder(&[("x", b"")]);
    let root = folder(&[
        ("a.txt", b"a\n"),
        (".gitignore", b"node_modules\n"),
        ("node_modules/m.js", b"m\n"),
    ]);
    symlink(outside.path(), root.path().join("out")).unwrap();
    let case = Case::of(root);
    let make = |allow_none| {
        Sandbox::within(
            case.place.path(),
            case.root.path(),
            &program,
            &SandboxOptions {
                allow_none,
                ..SandboxOptions::default()
            },
        )
    };
    let refused = make(false).unwrap_err();
    assert!(
        matches!(&refused, SandboxError::NoIsolation { isolation } if !isolation.confines()),
        "{refused}"
    );
    assert!(
        refused.to_string().contains("not in this kernel")
            && refused.to_string().contains("--no-sandbox"),
        "{refused}"
    );
    case.check();
    let sandbox = make(true).unwrap();
    assert!(
        !sandbox.folder().join("out").exists(),
        "a command could write through the link"
    );
    assert!(
        fs::symlink_metadata(sandbox.folder().join("node_modules"))
            .unwrap()
            .is_dir(),
        "and into the original's dependencies"
    );
    drop(sandbox);
    case.check();
}

/// The program where there are no namespaces to be had: in a user namespace that may have none in
/// it.
fn program_without_namespaces() -> Option<TempDir> {
    let script = format!(
        "#!/bin/sh\nexec unshare --user --map-root-user sh -c 'echo 0 > \
         /proc/sys/user/max_user_namespaces && exec \"$0\" \"$@\"' {PROGRAM} \"$@\"\n"
    );
    let dir = folder(&[("program", script.as_bytes())]);
    let program = dir.path().join("program");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let works = std::process::Command::new(&program)
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success());
    if !works {
        println!("skipped: no user namespaces here that could be taken away");
    }
    works.then_some(dir)
}

#[test]
fn without_namespaces_the_other_walls_hold() {
    let Some(program) = program_without_namespaces() else {
        return;
    };
    let root = folder(&[
        ("a.txt", b"a\n"),
        (".gitignore", b"venv\n"),
        ("venv/module.py", b"VALUE = 1\n"),
        ("fork.sh", b"sh fork.sh 86417 & sh fork.sh 86417 & wait\n"),
    ]);
    let mut case = Case::of(root);
    case.program = program.path().join("program");
    let sandbox = case.sandbox(&SandboxOptions::default());
    let isolation = sandbox.isolation();
    println!("{isolation}");
    assert!(
        isolation.confines() && isolation.namespaces.is_empty(),
        "{isolation}"
    );
    assert!(
        isolation
            .missing
            .iter()
            .any(|m| m.starts_with("namespaces (")),
        "{isolation}"
    );
    drop(sandbox);

    let outside = folder(&[("kept.txt", b"SECRET\n")]);
    let before = snapshot(outside.path());
    let (original, out) = (case.root(), outside.path().display());
    let original = original.display();
    let ran = case.run(&format!(
        "echo x > {original}/a.txt; rm {original}/a.txt; touch {original}/new
        echo x > venv/module.py; truncate -s 0 {out}/kept.txt
        cat {out}/kept.txt /etc/shadow; rm -rf {out}
        touch /tmp/slotwright-escaped /dev/shm/slotwright-escaped; kill -9 {}
        cat venv/module.py; echo end",
        std::process::id()
    ));
    let text = ran.output.text();
    assert!(
        text.ends_with("VALUE = 1\nend\n") && !text.contains("SECRET") && !text.contains("root:"),
        "{text}"
    );
    assert!(
        before == snapshot(outside.path())
            && !Path::new("/tmp/slotwright-escaped").exists()
            && !Path::new("/dev/shm/slotwright-escaped").exists()
    );

    let short = Limits {
        time: Duration::from_secs(2),
        ..limits()
    };
    let ran = case.run_within(
        "trap '' TERM; (setsid sh -c 'setsid sleep 86417 & sleep 86417' &); sleep 86417",
        &short,
    );
    assert_eq!((ran.end, running("86417")), (Ended::TimedOut, 0));
    let ran = case.run(
        "(setsid sh -c 'trap \"\" TERM; \
                        sleep 86417 & sleep 86417' >/dev/null 2>&1 &); sleep 1; echo done",
    );
    assert_eq!(
        (ran.end, ran.output.text().as_str(), running("86417")),
        (Ended::Exited(0), "done\n", 0)
    );
    let ran = case.run_within(
        "sh fork.sh 86417",
        &Limits {
            processes: 40,
            ..limits()
        },
    );
    assert_eq!((ran.end, running("86417")), (Ended::TooManyProcesses, 0));

    if has("python3") {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        let connect = format!("import socket; socket.create_connection((\"127.0.0.1\", {port}))");
        let ran = case.run(&format!(
            "python3 -c '{connect}'; python3 -c 'import socket; socket.socketpair(); \
             socket.socket(socket.AF_UNIX)'"
        ));
        assert_eq!(
            ran.output.text().matches("PermissionError").count(),
            2,
            "{ran:?}"
        );
        assert!(listener.accept().is_err());
        let hog = "python3 -c 'import time; x = b\"x\" * (400 << 20); time.sleep(60)'";
        assert_eq!(
            case.run_within(
                hog,
                &Limits {
                    memory: 256 << 20,
                    ..limits()
                }
            )
            .end,
            Ended::TooMuchMemory
        );
    }
}
