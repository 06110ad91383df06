//! What a model computes on: a device that is named, one that fails, and, where there is one, a real
//! Vulkan device. Mesa's lavapipe is one on any processor; llama.cpp uses it only if
//! `GGML_VK_VISIBLE_DEVICES` names it.

use crate::support::{PROGRAM, Run, folder, program, quiet, run};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const TASK: &str = "Rename process_item to handle_item everywhere";
const FILE: &str = "def process_item(item):\n    return len(item)\n\n\nprint(process_item('x'))\n";

/// An edit by the bundled model, and what the file has then. `set`: sets variables.
fn edit(arguments: &[&str], set: impl Fn(&mut Command)) -> (Run, String) {
    let dir = folder(&[("tool.py", FILE.as_bytes())]);
    let mut command = Command::new(program());
    command.args(["edit", "--model", "bundled", "--yes", "--stats", "--root"]);
    command.arg(dir.path()).args(arguments).arg(TASK);
    set(quiet(&mut command));
    let run = Run::from(command.output().unwrap());
    (run, fs::read_to_string(dir.path().join("tool.py")).unwrap())
}

fn after() -> String {
    FILE.replace("process_item", "handle_item")
}

/// What `slotwright models` lists, where llama.cpp may see these Vulkan devices.
fn listed(visible: &str) -> Value {
    let mut command = Command::new(program());
    command.args(["models", "--json"]);
    let run = run(command.env("GGML_VK_VISIBLE_DEVICES", visible)).says(0, "");
    serde_json::from_str(&run.stdout).unwrap()
}

fn names(listed: &Value) -> Vec<&str> {
    let devices = listed["devices"].as_array().unwrap();
    devices
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect()
}

#[test]
fn the_processor_is_listed_and_can_be_named() {
    let listed = listed("");
    assert_eq!(names(&listed)[0], "cpu");
    let description = listed["devices"][0]["description"].as_str().unwrap();
    let table = run(Command::new(program()).arg("models")).stdout;
    assert!(
        table.contains(&format!("cpu               {description}")),
        "{table}"
    );
    let (run, text) = edit(&["--device", "cpu"], |_| {});
    run.says(0, &format!("on {description}"));
    assert_eq!(text, after());
}

#[test]
fn a_device_that_is_not_there_is_said_with_those_that_are() {
    let (run, text) = edit(&["--device", "Vulkan7"], |_| {});
    run.says(4, "there is no device \"Vulkan7\"; there is ")
        .says(4, "hint: slotwright models lists what there is");
    assert_eq!(text, FILE);
    let dir = folder(&[("slotwright/config.toml", b"device = \"Vulkan7\"\n")]);
    let set = |command: &mut Command| {
        command.env("XDG_CONFIG_HOME", dir.path());
    };
    edit(&[], set).0.says(4, "there is no device \"Vulkan7\"");
    edit(&["--device", "auto"], set).0.says(0, "wrote tool.py");
}

/// An engine that says that the model goes to a device, and then does as `script` says. Where the
/// processor computes, it is the real one.
fn failing(script: &str) -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("engine");
    let text = format!(
        "#!/bin/sh\nread -r load\ncase $load in\n*'\"device\":\"cpu\"'*)\n  \
         {{ printf '%s\\n' \"$load\"; cat; }} | '{PROGRAM}' \"$@\" ;;\n*)\n  \
         echo '{{\"placing\":\"Fake0\"}}'\n  {script} ;;\nesac\n"
    );
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
    (dir, path)
}

#[test]
fn a_device_that_fails_is_said_and_the_processor_goes_on() {
    let loaded = r#"echo '{"loaded":{"name":"","context_tokens":4096,"profile":"compact-4","chat_template":null,"bos":"","eos":"","computes_on":"Fake0"}}'"#;
    let gone = "the model process ended unexpectedly";
    for (script, expected) in [
        ("echo 'device lost' >&2; kill -ABRT $$", gone.to_owned()),
        (
            r#"echo '{"placing":"the driver of a GPU"}'; kill -SEGV $$"#,
            gone.to_owned(),
        ),
        ("sleep 30", "has said nothing for 2 seconds".to_owned()),
        (
            r#"echo '{"failed":{"load":{"path":"m","reason":"no memory for it"}}}'"#,
            "no memory for it".to_owned(),
        ),
        (
            &format!("{loaded}; read -r question; exit 7"),
            gone.to_owned(),
        ),
        (
            &format!(
                r#"{loaded}; read -r question; echo '{{"failed":{{"compute":{{"reason":"lost"}}}}}}'"#
            ),
            "the model cannot compute: lost".to_owned(),
        ),
    ] {
        let (_dir, engine) = failing(script);
        let (run, text) = edit(&["--model-timeout", "2"], |command| {
            command.env("SLOTWRIGHT_ENGINE", &engine);
        });
        run.says(0, " failed, and the CPU goes on: ")
            .says(0, &expected)
            .says(0, "wrote tool.py");
        assert_eq!(text, after(), "{script}");
    }
}

#[test]
fn what_is_no_fault_of_the_device_is_not_tried_again() {
    for (script, expected) in [
        (
            r#"echo '{"failed":{"adapter":{"path":"a","reason":"it is none"}}}'"#,
            "cannot use the adapter a: it is none",
        ),
        // No device was found.
        (
            r#"echo '{"placing":null}'; exit 7"#,
            "the model process ended unexpectedly (exit status: 7)",
        ),
    ] {
        let (_dir, engine) = failing(script);
        let (run, text) = edit(&[], |command| {
            command.env("SLOTWRIGHT_ENGINE", &engine);
        });
        let run = run.says(4, expected);
        assert!(!run.stderr.contains("Fake0"), "{run:#?}");
        assert_eq!(text, FILE);
    }
}

/// Whether llama.cpp sees a Vulkan device here. If not, says why.
fn has_vulkan() -> bool {
    let listed = listed("0");
    let is_there = names(&listed).contains(&"Vulkan0");
    if !is_there {
        println!("skipped: no Vulkan device: {}", listed["unusable_devices"]);
    }
    is_there
}

fn visible(devices: &'static str) -> impl Fn(&mut Command) {
    move |command| {
        command.env("GGML_VK_VISIBLE_DEVICES", devices);
    }
}

#[test]
fn a_device_that_is_there_computes() {
    if !has_vulkan() {
        return;
    }
    for (arguments, devices, expected) in [
        (&[][..], "0", "computing on Vulkan0 ("),
        (&["--device", "Vulkan1"], "0,0", "computing on Vulkan1 ("),
        (&["--device", "cpu"], "0", ", loaded in"),
    ] {
        let (run, text) = edit(arguments, visible(devices));
        let run = run.says(0, expected);
        let on_device = run.stderr.contains("on Vulkan");
        assert_eq!(on_device, !arguments.contains(&"cpu"), "{run:#?}");
        assert_eq!(text, after());
    }
}

/// The variable by which Vulkan's loader is told which drivers there are.
const DRIVERS: &str = "VK_DRIVER_FILES";

#[test]
fn without_a_driver_the_processor_computes() {
    let nothing = Path::new("/nowhere/driver.json");
    let (run, text) = edit(&["--device", "auto"], |command| {
        command
            .env(DRIVERS, nothing)
            .env("VK_ICD_FILENAMES", nothing);
        command.env("GGML_VK_VISIBLE_DEVICES", "0");
    });
    let run = run.says(0, "wrote tool.py");
    assert!(!run.stderr.contains("Vulkan"), "{run:#?}");
    assert_eq!(text, after());
}
