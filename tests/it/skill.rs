//! `slotwright skill`: what other agents are told to call is there, and does what they are told.

use crate::support::{PROGRAM, folder, quiet, run};
use regex::Regex;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

fn skill() -> String {
    run(Command::new(PROGRAM).arg("skill")).says(0, "").stdout
}

#[test]
fn it_is_a_skill_that_agents_can_read() {
    let skill = skill();
    assert!(skill.lines().count() <= 60);
    let (head, _) = skill
        .strip_prefix("---\n")
        .unwrap()
        .split_once("\n---\n")
        .unwrap();
    let fields: Vec<(&str, &str)> = head
        .lines()
        .map(|line| line.split_once(": ").unwrap())
        .collect();
    let [("name", name), ("description", description)] = fields[..] else {
        panic!("{fields:?}");
    };
    assert_eq!(name, "slotwright");
    assert!((100..=1_024).contains(&description.len()));
    assert!(!description.contains(": "), "plain YAML ends there");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/skill");
    assert!(folder.join(name).join("SKILL.md").exists());
}

#[test]
fn its_options_exist() {
    let option = Regex::new(r"--[a-z][a-z-]+").unwrap();
    let options = |text: &str| -> BTreeSet<String> {
        let found = option.find_iter(text);
        found.map(|found| found.as_str().to_owned()).collect()
    };
    let mut known = BTreeSet::new();
    for command in ["edit", "apply", "undo"] {
        let help = run(Command::new(PROGRAM).args([command, "--help"]));
        known.extend(options(&help.stdout));
    }
    let skill = skill();
    let unknown: Vec<String> = options(&skill).difference(&known).cloned().collect();
    assert_eq!(unknown, [""; 0]);
    assert!(options(&skill).len() >= 6, "{:?}", options(&skill));
}

#[test]
fn its_commands_do_what_it_says() {
    let before = "import os\n\nMAX_RETRIES = 3\nTIMEOUT = 30\n";
    let after = before.replace("30", "60");
    let patch = "config.py\n```python\n".to_owned() + &after + "```\n";
    let dir = folder(&[
        ("config.py", before.as_bytes()),
        ("answer.md", patch.as_bytes()),
    ]);
    let text = || std::fs::read_to_string(dir.path().join("config.py")).unwrap();
    let state = folder(&[]);
    let shell = |command: &str| {
        let program = Path::new(PROGRAM).parent().unwrap().display();
        let mut shell = Command::new("sh");
        quiet(&mut shell)
            .args(["-c", &format!("PATH={program}:$PATH; {command}")])
            .env("XDG_STATE_HOME", state.path())
            .current_dir(dir.path());
        run(&mut shell)
    };

    let skill = skill();
    let lines = skill.lines().map(str::trim);
    let commands: Vec<&str> = lines
        .filter(|line| line.starts_with("slotwright "))
        .collect();
    let statuses = [
        ("would_be_done", before),
        ("done", &after),
        ("would_be_done", before),
        ("done", &after),
    ];
    assert_eq!(commands.len(), statuses.len(), "{commands:?}");
    for (command, (status, expected)) in commands.into_iter().zip(statuses) {
        let ran = shell(command).says(0, "");
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(report["status"], status, "{command}: {report:#}");
        assert!(
            report["diff"].as_str().unwrap().contains("+TIMEOUT = 60"),
            "{report:#}"
        );
        assert_eq!(text(), expected, "{command}");
        if status == "done" {
            shell("slotwright undo").says(0, "undone: ");
        }
    }
    assert_eq!(text(), before);
}
