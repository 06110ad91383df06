//! The configuration as a person meets it: what counts, where it comes from, what is wrong with it,
//! and that it has effect.

use crate::support::script::{Script, answer};
use crate::support::{PROGRAM, Run, folder, quiet, run};
use slotwright::constrain::Spec;
use slotwright::slots::Slot;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

const TASK: &str = "Rename process_item to handle_item everywhere";
const TOOL: &[u8] =
    b"def process_item(item):\n    return len(item)\n\n\nprint(process_item('x'))\n";
const PICK: &str = r#"{"path":"tool.py","operation":"replace_all"}"#;
const RENAME: &str = r#"{"old":"process_item","new":"handle_item"}"#;

/// A person with a `config.toml`, and a project with a file, and perhaps a `slotwright.toml`.
struct Setting {
    home: tempfile::TempDir,
    root: tempfile::TempDir,
}

impl Setting {
    fn new(person: Option<&str>, project: Option<&str>) -> Setting {
        let home = tempfile::tempdir().unwrap();
        if let Some(text) = person {
            fs::create_dir(home.path().join("slotwright")).unwrap();
            fs::write(home.path().join("slotwright/config.toml"), text).unwrap();
        }
        let root = folder(&[("tool.py", TOOL)]);
        if let Some(text) = project {
            fs::write(root.path().join("slotwright.toml"), text).unwrap();
        }
        Setting { home, root }
    }

    fn person_file(&self) -> String {
        self.home
            .path()
            .join("slotwright/config.toml")
            .display()
            .to_string()
    }

    fn project_file(&self) -> String {
        let root = self.root.path().canonicalize().unwrap();
        root.join("slotwright.toml").display().to_string()
    }

    /// A command in the project, without a model that a test names.
    fn command(&self, name: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command
            .arg(name)
            .arg("--root")
            .arg(self.root.path())
            .args(arguments);
        // The variable would count before the files.
        quiet(&mut command)
            .env("XDG_CONFIG_HOME", self.home.path())
            .env_remove("SLOTWRIGHT_MODEL");
        command
    }

    fn run(&self, name: &str, arguments: &[&str]) -> Run {
        Run::from(self.command(name, arguments).output().unwrap())
    }

    /// An edit by a model that answers from a script.
    fn edit(&self, script: &Script, arguments: &[&str]) -> Run {
        let mut command = self.command("edit", arguments);
        command.envs(script.environment());
        Run::from(command.output().unwrap())
    }

    fn json(&self) -> serde_json::Value {
        let run = self.run("config", &["--json"]).says(0, "");
        serde_json::from_str(&run.stdout).unwrap()
    }
}

/// The value of a key, and where it comes from.
fn setting(report: &serde_json::Value, key: &str) -> String {
    let all = report["settings"].as_array().unwrap().iter();
    let of_key = all.filter(|setting| setting["key"] == key);
    let shown = |setting: &serde_json::Value| {
        let origin = &setting["origin"];
        let from = ["variable", "line"].map(|field| &origin[field]);
        let from = from.into_iter().find(|value| !value.is_null());
        format!(
            "{} {}",
            setting["value"],
            from.map_or("default".to_owned(), ToString::to_string)
        )
    };
    of_key.map(shown).collect::<Vec<_>>().join("; ")
}

#[test]
fn the_environment_counts_before_a_project_and_that_before_the_person() {
    let setting_of = Setting::new(
        Some("model = \"a\"\nthreads = 2\nshown_tokens = 500\n"),
        None,
    );
    let both = Setting::new(
        Some("shown_tokens = 500\n"),
        Some("# ours\nshown_tokens = 900\n"),
    );
    let check = |setting_of: &Setting, key: &str, expected: &str| {
        assert_eq!(setting(&setting_of.json(), key), expected);
    };
    check(&setting_of, "model", "\"a\" 1");
    check(&setting_of, "color", "null default");
    check(&setting_of, "shown_tokens", "500 3");
    check(&both, "shown_tokens", "900 2");
    let mut command = setting_of.command("config", &["--json"]);
    command.env("SLOTWRIGHT_MODEL", "c").env("NO_COLOR", "1");
    let run = Run::from(command.output().unwrap()).says(0, "");
    let report = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(setting(&report, "model"), "\"c\" \"SLOTWRIGHT_MODEL\"");
    assert_eq!(setting(&report, "color"), "\"never\" \"NO_COLOR\"");
}

#[test]
fn lists_add_up() {
    let setting_of = Setting::new(
        Some("ignore = [\"secret/\"]\naccept = [\"merge\"]\n"),
        Some("ignore = [\"gen/\"]\n"),
    );
    let report = setting_of.json();
    assert_eq!(setting(&report, "ignore"), "[\"gen/\"] 1; [\"secret/\"] 1");
    assert_eq!(setting(&report, "accept"), "[\"merge\"] 2");
}

#[test]
fn the_table_names_file_and_line() {
    let setting_of = Setting::new(Some("\nthreads = 2\n"), None);
    let table = setting_of.run("config", &[]).says(0, "").stdout;
    let row = |key: &str| {
        let line = table
            .lines()
            .find(|line| line.starts_with(key))
            .unwrap_or_default();
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        row("threads"),
        format!("threads 2 {}:2", setting_of.person_file())
    );
    assert_eq!(row("model "), "model the best one on this machine default");
    assert!(
        table.contains(&format!("{}: not there", setting_of.project_file())),
        "{table}"
    );
}

#[test]
fn a_mistake_is_reported_with_its_line_and_nothing_is_written() {
    let person = |text: &str, message: &str, hint: &str| {
        let setting_of = Setting::new(Some(text), None);
        check_refused(
            &setting_of,
            &format!("{}{message}", setting_of.person_file()),
            hint,
        );
    };
    person(
        "threads = 2\nmodle = \"x\"\n",
        ":2: unknown field `modle`, expected one of `model`",
        "config --help lists",
    );
    person(
        "[gate]\nmin_certainty = 1\n",
        ":1: unknown field `gate`",
        "config --help lists",
    );
    person(
        "threads = \"four\"\n",
        ":1: invalid type: string \"four\", expected u16",
        "--help",
    );
    for value in ["-1", "1.0", "65536", "99999999999999999999", "[4]", "true"] {
        person(&format!("threads = {value}\n"), ":1: invalid ", "--help");
    }
    person(
        "min_certainty = 1.5\n",
        ":1: min_certainty must be a number from 0 to 1",
        "--help",
    );
    person(
        "min_certainty = nan\n",
        ":1: min_certainty must be a number from 0 to 1",
        "--help",
    );
    person("model = \"\"\n", ":1: model must not be empty", "--help");
    person(
        "color = \"red\"\n",
        ":1: unknown variant `red`, expected one of `auto`",
        "--help",
    );
    person(
        "accept = [\"merg\"]\n",
        ":1: accept must be a list of warnings that there are",
        "--help",
    );
    person(
        "accept = \"merge\"\n",
        ":1: invalid type: string \"merge\", expected a sequence",
        "--help",
    );
    person(
        "model_folders = [\"models\"]\n",
        ":1: model_folders must be absolute",
        "--help",
    );
    person(
        "threads = 0\n",
        ":1: threads must be a whole number",
        "--help",
    );
    person("threads = 2\n\nmodel = = 1\n", ":3: ", "--help");
    person("threads = 2\nthreads = 3\n", ":2: duplicate key", "--help");
    let many = "#".repeat(70_000);
    let setting_of = Setting::new(Some(&many), None);
    check_refused(&setting_of, "it has more than 65536 bytes", "move it away");
}

#[test]
fn a_project_sets_its_budgets_and_nothing_else() {
    let project = |text: &str, message: &str, hint: &str| {
        let setting_of = Setting::new(None, Some(text));
        check_refused(
            &setting_of,
            &format!("{}{message}", setting_of.project_file()),
            hint,
        );
    };
    for line in [
        "model = \"evil.gguf\"",
        "model_folders = [\"/tmp\"]",
        "accept = [\"unsure\"]",
        "min_certainty = 0.0",
        "threads = 1",
        "color = \"never\"",
    ] {
        let key = line.split(' ').next().unwrap();
        let message = format!(":2: a project must not set {key:?}: what came with a folder");
        project(
            &format!("# ours\n{line}\n"),
            &message,
            "put it into your own file",
        );
    }
    project("test = \"make\"\n", ":1: unknown field `test`", "--help");
    for pattern in ["!keep", "#note", "", " ", "a{b"] {
        project(
            &format!("ignore = [{pattern:?}]\n"),
            ":1: ignore must be a list",
            "--help",
        );
    }
    project(
        "shown_tokens = 1000000\n",
        ":1: shown_tokens must be",
        "--help",
    );
}

#[track_caller]
fn check_refused(setting_of: &Setting, message: &str, hint: &str) {
    let script = Script::of(&[PICK, RENAME]);
    let run = setting_of.edit(&script, &["--yes", TASK]).says(2, message);
    assert!(run.stderr.contains(hint), "{hint:?} is not in {run:#?}");
    assert_eq!(
        fs::read(setting_of.root.path().join("tool.py")).unwrap(),
        TOOL
    );
    setting_of.run("config", &[]).says(2, message);
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_and_undo_needs_none() {
    let setting_of = Setting::new(None, None);
    fs::create_dir_all(setting_of.person_file()).unwrap();
    check_refused(&setting_of, "config.toml: it is not a file", "move it away");
    setting_of
        .run("undo", &["--list"])
        .says(0, "nothing was written");
    let setting_of = Setting::new(Some(""), None);
    fs::write(setting_of.person_file(), b"model = \"\xff\"\n").unwrap();
    check_refused(&setting_of, "config.toml: it is not UTF-8", "move it away");
    let setting_of = Setting::new(None, None);
    std::os::unix::fs::symlink("/etc/passwd", setting_of.project_file()).unwrap();
    check_refused(&setting_of, "slotwright.toml leads out of", "move it away");
}

#[test]
fn the_error_is_in_the_json_too() {
    let setting_of = Setting::new(None, Some("model = \"x\"\n"));
    for name in ["config", "edit"] {
        let arguments: &[&str] = if name == "edit" {
            &["--json", TASK]
        } else {
            &["--json"]
        };
        let run = setting_of.run(name, arguments).says(2, "must not set");
        let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(report["status"], "not_made");
        assert_eq!(report["error"]["kind"], "config");
    }
}

#[test]
fn the_model_of_the_configuration_is_used() {
    let setting_of = Setting::new(Some("model = \"~/none.gguf\"\n"), None);
    let mut command = setting_of.command("edit", &[TASK]);
    let run = Run::from(
        command
            .env("HOME", setting_of.home.path())
            .output()
            .unwrap(),
    );
    run.says(
        4,
        &setting_of
            .home
            .path()
            .join("none.gguf")
            .display()
            .to_string(),
    );
    setting_of
        .run("edit", &["--model", "other.gguf", TASK])
        .says(4, "other.gguf");
}

#[test]
fn the_threads_of_the_configuration_are_used() {
    let setting_of = Setting::new(Some("threads = 3\n"), None);
    let engine = setting_of.home.path().join("engine");
    let asked = setting_of.home.path().join("asked");
    fs::write(
        &engine,
        format!("#!/bin/sh\nhead -n 1 > '{}'\n", asked.display()),
    )
    .unwrap();
    fs::set_permissions(&engine, fs::Permissions::from_mode(0o700)).unwrap();
    for (flags, threads) in [(&[][..], 3), (&["--threads", "5"], 5)] {
        let mut command = setting_of.command("edit", &[flags, &[TASK]].concat());
        command.env("SLOTWRIGHT_MODEL", "bundled");
        let run = Run::from(command.env("SLOTWRIGHT_ENGINE", &engine).output().unwrap());
        run.says(4, "");
        let asked = fs::read_to_string(&asked).unwrap();
        assert!(
            asked.contains(&format!("\"threads\":{threads},")),
            "{asked}"
        );
    }
}

#[test]
fn the_gate_heeds_the_person() {
    let script = || Script::new(vec![answer(PICK), answer(RENAME).sure(Slot::New, 0.6)]);
    Setting::new(None, None)
        .edit(&script(), &["--yes", TASK])
        .says(0, "wrote tool.py");
    let strict = Setting::new(Some("min_certainty = 0.9\n"), None);
    strict
        .edit(&script(), &["--yes", TASK])
        .says(1, "less than 0.9");
    strict
        .edit(&script(), &["--yes", "--min-certainty", "0.5", TASK])
        .says(0, "wrote tool.py");
    let accepting = Setting::new(Some("min_certainty = 0.9\naccept = [\"unsure\"]\n"), None);
    accepting
        .edit(&script(), &["--yes", TASK])
        .says(0, "wrote tool.py");
}

#[test]
fn apply_heeds_what_is_accepted() {
    let patch = "3d\n";
    let apply = |setting_of: &Setting| {
        fs::write(setting_of.home.path().join("patch"), patch).unwrap();
        let patch = setting_of.home.path().join("patch").display().to_string();
        setting_of.run(
            "apply",
            &["--yes", "--format", "ed", "--file", "tool.py", &patch],
        )
    };
    apply(&Setting::new(None, None)).says(1, "--accept numbers");
    apply(&Setting::new(Some("accept = [\"numbers\"]\n"), None)).says(0, "tool.py");
}

#[test]
fn colours_can_be_asked_for() {
    let colored = |person: &str, variable: Option<&str>| {
        let setting_of = Setting::new(Some(person), None);
        let mut command = setting_of.command("edit", &["--dry-run", TASK]);
        let script = Script::of(&[PICK, RENAME]);
        command.envs(script.environment());
        if let Some(value) = variable {
            command.env("NO_COLOR", value);
        }
        Run::from(command.output().unwrap())
            .says(0, "")
            .stdout
            .contains("\x1b[32m+")
    };
    assert!(colored("color = \"always\"\n", None));
    assert!(!colored("color = \"always\"\n", Some("1")));
    assert!(colored("color = \"always\"\n", Some("")));
    assert!(!colored("", None));
}

#[test]
fn ignored_files_are_not_looked_at_unless_they_are_named() {
    let setting_of = Setting::new(
        Some("ignore = [\"/secret\"]\n"),
        Some("ignore = [\"*.gen.py\"]\n"),
    );
    for path in ["secret/tool.py", "tool.gen.py", "deep/tool.gen.py"] {
        let path = setting_of.root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, TOOL).unwrap();
    }
    let script = Script::of(&[PICK, RENAME]);
    setting_of.edit(&script, &["--dry-run", TASK]).says(0, "");
    assert_eq!(script.offered(), ["tool.py", "slotwright.toml"]);
    let script = Script::of(&[&PICK.replace("tool.py", "secret/tool.py"), RENAME]);
    let named = ["--dry-run", "--file", "secret/tool.py", TASK];
    let run = setting_of.edit(&script, &named).says(0, "");
    assert!(run.stdout.contains("+++ b/secret/tool.py"), "{run:#?}");
}

#[test]
fn no_more_of_a_file_is_shown_than_a_project_wants() {
    let filler: String = (0..200)
        .map(|i| format!("def other_{i}():\n    return {i}\n\n"))
        .collect();
    let text = format!("{}{filler}", String::from_utf8_lossy(TOOL));
    let shown = |project: Option<&str>| {
        let setting_of = Setting::new(None, project);
        fs::write(setting_of.root.path().join("tool.py"), &text).unwrap();
        let script = Script::of(&[PICK, RENAME]);
        setting_of.edit(&script, &["--dry-run", TASK]).says(0, "");
        let Spec::Slots(spec) = &script.requests()[1].spec else {
            panic!("no slots")
        };
        spec.shown()
            .unwrap()
            .windows
            .iter()
            .map(|window| window.text.len())
            .sum::<usize>()
    };
    let (few, usual) = (shown(Some("shown_tokens = 200\n")), shown(None));
    // A token of the script has four bytes.
    assert!(few <= 800 && few < usual / 2, "{few} and {usual} bytes");
}

#[test]
fn the_files_are_valid_by_their_schemas_where_the_program_takes_them() {
    let schema = |name: &str| -> serde_json::Value {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("schemas")
            .join(name);
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    };
    let person = "model = \"x\"\nmodel_folders = [\"/m\", \"~/m\"]\nthreads = 1\n\
                  min_certainty = 0.5\naccept = [\"merge\"]\ncolor = \"auto\"\n";
    let project = "shown_tokens = 128\nignore = [\"gen/\"]\n";
    let valid = |schema: &serde_json::Value, text: &str| {
        let value: toml::Value = toml::from_str(text).unwrap();
        jsonschema::is_valid(schema, &serde_json::to_value(value).unwrap())
    };
    let (of_person, of_project) = (schema("config_file.json"), schema("project_file.json"));
    assert!(valid(&of_person, &format!("{person}{project}")) && valid(&of_project, project));
    for line in person.lines() {
        assert!(!valid(&of_project, line), "{line}");
    }
    for line in [
        "threads = 0",
        "modle = \"x\"",
        "accept = [\"x\"]",
        "ignore = [\"!x\"]",
    ] {
        assert!(!valid(&of_person, line), "{line}");
    }
    let setting_of = Setting::new(Some(person), Some(project));
    let report = setting_of.json();
    assert!(
        jsonschema::is_valid(&schema("config.json"), &report),
        "{report}"
    );
}

#[test]
fn completions_are_for_people() {
    for (shell, word) in [
        ("bash", "complete -F _slotwright"),
        ("zsh", "#compdef slotwright"),
        ("fish", "complete -c slotwright"),
    ] {
        let run = run(Command::new(PROGRAM).args(["completions", shell])).says(0, "");
        assert!(
            run.stdout.contains(word) && run.stdout.contains("dry-run"),
            "{shell}"
        );
        assert!(!run.stdout.contains("-process"), "{shell}");
    }
    run(Command::new(PROGRAM).args(["completions", "tcsh"])).says(2, "bash");
}

#[test]
fn there_is_a_manual_page_for_each_command() {
    let page = run(Command::new(PROGRAM).arg("man")).says(0, "").stdout;
    assert!(
        page.contains(".TH slotwright 1") && !page.contains("-process"),
        "{page}"
    );
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().join("new/man1");
    run(Command::new(PROGRAM).arg("man").arg(&place)).says(0, "wrote the manual pages");
    for name in [
        "slotwright",
        "slotwright-edit",
        "slotwright-config",
        "slotwright-eval-compare",
    ] {
        let page = fs::read_to_string(place.join(format!("{name}.1"))).unwrap();
        assert!(page.contains(".SH SYNOPSIS"), "{name}");
    }
    let in_the_way = place.join("slotwright.1");
    run(Command::new(PROGRAM).arg("man").arg(&in_the_way)).says(4, "cannot write the manual pages");
}

#[test]
fn a_persons_check_is_run_and_an_empty_one_refused() {
    let script = Script::of(&[PICK, RENAME]);
    let setting_of = Setting::new(Some("check = \"python3 tool.py\"\n"), None);
    let arguments = ["--no-sandbox", "--dry-run", TASK];
    setting_of
        .edit(&script, &arguments)
        .says(0, "check: passed");
    assert_eq!(
        setting(&setting_of.json(), "check"),
        "\"python3 tool.py\" 1"
    );
    let empty = Setting::new(Some("check = ' '\n"), None);
    empty
        .edit(&script, &arguments)
        .says(2, "check must not be empty");
    // What a project offers is not in force.
    let project = Setting::new(None, Some("check = \"exit 1\"\n"));
    assert_eq!(setting(&project.json(), "check"), "null default");
}
