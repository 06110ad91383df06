//! Commands that behave: where they run, what is kept of their output, how their end is told.

use super::case::{Case, has, limits, run, running, runtime};
use slotwright::sandbox::{Command, Ended, Sandbox, SandboxOptions};
use std::fs;
use std::io::Read;
use std::time::Duration;

#[test]
fn a_command_runs_in_the_copy_and_its_end_is_told() {
    let case = Case::new(&[("a.txt", b"a\n"), ("dir/b.txt", b"b\n")]);
    let sandbox = case.sandbox(&SandboxOptions::default());
    let ran = run(
        &sandbox,
        "cat a.txt; echo to stderr >&2; echo more > new.txt; rm dir/b.txt; exit 3",
        &limits(),
    );
    assert_eq!(
        (ran.end, ran.output.text().as_str()),
        (Ended::Exited(3), "a\nto stderr\n")
    );
    assert_eq!(
        fs::read(sandbox.folder().join("new.txt")).unwrap(),
        b"more\n"
    );
    assert!(!sandbox.folder().join("dir/b.txt").exists());
    // The next one sees what the last one left.
    let ran = run(&sandbox, "cat new.txt; pwd; kill -TERM $$", &limits());
    assert_eq!(ran.end, Ended::Signal(15));
    assert_eq!(
        ran.output.text(),
        format!("more\n{}\n", sandbox.folder().display())
    );
    let ran = runtime()
        .block_on(sandbox.run(
            &Command::Program(vec!["no-such-program-here".to_owned()]),
            &limits(),
        ))
        .unwrap();
    assert_eq!(ran.end, Ended::Exited(127));
    assert!(
        ran.output
            .text()
            .contains("cannot run \"no-such-program-here\""),
        "{ran:?}"
    );
    let words = ["printf", "%s|", "two words", "$HOME"]
        .map(str::to_owned)
        .to_vec();
    let ran = runtime()
        .block_on(sandbox.run(&Command::Program(words), &limits()))
        .unwrap();
    assert_eq!(
        (ran.end, ran.output.text().as_str()),
        (Ended::Exited(0), "two words|$HOME|")
    );
    let ran = run(
        &sandbox,
        "read line; echo \"$?[$line]\"; echo said > /dev/stdout; echo x > /dev/null",
        &limits(),
    );
    assert_eq!(ran.output.text(), "1[]\nsaid\n", "standard input is empty");
    drop(sandbox);
    case.check();
}

#[test]
fn a_hundred_megabytes_of_output_are_not_kept() {
    let case = Case::new(&[]);
    let ran = case.run("echo first; head -c 100000000 /dev/zero | tr '\\0' x; echo; echo last");
    assert_eq!(ran.end, Ended::Exited(0));
    assert!(ran.output.head.starts_with("first\nxxx") && ran.output.tail.ends_with("xxx\nlast\n"));
    let kept = (ran.output.head.len() + ran.output.tail.len()) as u64;
    assert!(kept <= 128 << 10);
    assert_eq!(ran.output.dropped + kept, 100_000_012);
}

/// The output's pipe is read while the command runs, so that it never waits.
#[test]
fn a_command_that_closes_its_output_is_waited_for() {
    let case = Case::new(&[]);
    let sandbox = case.sandbox(&SandboxOptions::default());
    let ran = run(&sandbox, "exec >&- 2>&-; sleep 0.3; : > done", &limits());
    assert_eq!(ran.end, Ended::Exited(0));
    let mut text = String::new();
    fs::File::open(sandbox.folder().join("done"))
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!((text.as_str(), ran.output.text().as_str()), ("", ""));
}

#[test]
fn a_command_that_deletes_its_folder_deletes_the_copy() {
    let case = Case::new(&[("a.txt", b"a\n"), ("sub/b.txt", b"b\n")]);
    let sandbox = case.sandbox(&SandboxOptions::default());
    let ran = run(
        &sandbox,
        "rm -rf \"$PWD\" \"$PWD/..\" \"$HOME\" \"$TMPDIR\"; mkdir -p deep/er; chmod 000 deep; \
         echo gone",
        &limits(),
    );
    assert!(ran.output.text().ends_with("gone\n"), "{ran:?}");
    assert!(!sandbox.folder().join("a.txt").exists());
    assert_eq!(
        run(&sandbox, "echo again", &limits()).output.text(),
        "again\n"
    );
    drop(sandbox);
    case.check();
}

#[test]
fn dropping_the_future_kills_the_command() {
    let case = Case::new(&[]);
    let sandbox = case.sandbox(&SandboxOptions::default());
    let command = Command::Shell("setsid sleep 86415 & touch started; sleep 86415".to_owned());
    let limits = limits();
    runtime().block_on(async {
        let started = async {
            while !sandbox.folder().join("started").exists() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::select! {
            ran = sandbox.run(&command, &limits) => panic!("{ran:?}"),
            () = started => {}
        }
    });
    assert_eq!(running("86415"), 0);
    drop(sandbox);
    case.check();
}

#[test]
fn a_crowd_of_sandboxes_does_not_mix() {
    let case = Case::new(&[("a.txt", b"a\n")]);
    let sandboxes: Vec<Sandbox> = (0..4)
        .map(|_| case.sandbox(&SandboxOptions::default()))
        .collect();
    std::thread::scope(|scope| {
        let runs: Vec<_> = sandboxes
            .iter()
            .enumerate()
            .map(|(n, sandbox)| {
                scope.spawn(move || {
                    run(
                        sandbox,
                        &format!("echo {n} > a.txt; sleep 0.2; cat a.txt"),
                        &limits(),
                    )
                })
            })
            .collect();
        for (n, ran) in runs.into_iter().enumerate() {
            assert_eq!(ran.join().unwrap().output.text(), format!("{n}\n"));
        }
    });
    drop(sandboxes);
    case.check();
}

#[test]
fn what_builds_here_builds_in_the_sandbox() {
    let case = Case::new(&[
        ("Makefile", b"all: hello\n\t./hello\n"),
        (
            "hello.c",
            b"#include <stdio.h>\nint main(void) { puts(\"hello\"); return 0; }\n",
        ),
        (
            "Cargo.toml",
            b"[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        ),
        (
            "src/lib.rs",
            b"#[test]\nfn works() { assert_eq!(1 + 1, 2); }\n",
        ),
        (".gitignore", b"target\n"),
    ]);
    if has("make") && has("cc") {
        let ran = case.run("make");
        assert!(
            ran.end == Ended::Exited(0) && ran.output.text().ends_with("hello\n"),
            "{ran:?}"
        );
    }
    if has("cargo") {
        let ran = case.run("cargo test --offline 2>&1");
        assert!(
            ran.end == Ended::Exited(0) && ran.output.text().contains("test works ... ok"),
            "{ran:?}"
        );
    }
}
