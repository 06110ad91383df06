//! What a command finds of the original's dependencies.

use super::case::{Case, has, limits, run};
use crate::support::folder;
use slotwright::sandbox::SandboxOptions;
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[test]
fn dependencies_are_there_to_be_read() {
    let root = folder(&[
        (".gitignore", b"node_modules\nvenv\ntarget\n"),
        ("a.js", b"console.log(require('left'))\n"),
        (
            "node_modules/left/index.js",
            b"module.exports = 'left of ' + require('right')\n",
        ),
        ("node_modules/right/index.js", b"module.exports = 'right'\n"),
        ("venv/site/module.py", b"VALUE = 1\n"),
        ("target/old", b""),
    ]);
    let case = Case::of(root);
    let sandbox = case.sandbox(&SandboxOptions::default());
    let ran = run(
        &sandbox,
        "cat venv/site/module.py; touch venv/x node_modules/left/x; ls target; \
         mkdir target && echo made",
        &limits(),
    );
    assert!(
        ran.output.text().starts_with("VALUE = 1\n") && ran.output.text().ends_with("made\n"),
        "{ran:?}"
    );
    if has("node") {
        assert_eq!(
            run(&sandbox, "node a.js", &limits()).output.text(),
            "left of right\n"
        );
    }
    if has("python3") && sandbox.isolation().has_namespace("mount") {
        // An editable install names the original.
        let path = case.root().join("venv/site");
        let ran = run(
            &sandbox,
            &format!(
                "PYTHONPATH={} python3 -c 'import module; print(module.VALUE)'",
                path.display()
            ),
            &limits(),
        );
        assert_eq!(ran.output.text(), "1\n");
    }
    drop(sandbox);
    case.check();
    let sandbox = case.sandbox(&SandboxOptions {
        copy_dependencies: true,
        ..SandboxOptions::default()
    });
    assert_eq!(
        run(&sandbox, "touch venv/x target/y && ls target", &limits())
            .output
            .text(),
        "old\ny\n"
    );
    drop(sandbox);
    case.check();
}

#[test]
fn what_is_installed_from_the_folder_is_the_copy() {
    if !has("python3") {
        return;
    }
    let root = folder(&[
        (".gitignore", b".venv\n"),
        ("src/module.py", b"VALUE = 'original'\n"),
    ]);
    let made = std::process::Command::new("python3")
        .args(["-m", "venv", "--without-pip"])
        .arg(root.path().join(".venv"))
        .output()
        .unwrap();
    if !made.status.success() {
        println!("skipped: python3 has no venv here");
        return;
    }
    // As pip does it: a line with the folder's name, and scripts that name their interpreter.
    let real = root.path().canonicalize().unwrap();
    let (source, environment) = (real.join("src"), real.join(".venv"));
    let packages = fs::read_dir(environment.join("lib"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path()
        .join("site-packages");
    fs::write(
        packages.join("project.pth"),
        format!("{}\n", source.display()),
    )
    .unwrap();
    let script = environment.join("bin/show");
    fs::write(
        &script,
        format!(
            "#!{}/bin/python\nimport module\nprint(module.VALUE)\n",
            environment.display()
        ),
    )
    .unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let case = Case::of(root);
    let sandbox = case.sandbox(&SandboxOptions::default());
    if !sandbox.isolation().has_namespace("mount") {
        println!("skipped: without a view of its own the copy cannot have the original's name");
        return;
    }
    let ran = run(
        &sandbox,
        "echo \"VALUE = 'edited'\" > src/module.py; .venv/bin/show; \
         .venv/bin/python -c 'import module; print(module.VALUE)'",
        &limits(),
    );
    assert_eq!(ran.output.text(), "edited\nedited\n");
    drop(sandbox);
    case.check();
}
