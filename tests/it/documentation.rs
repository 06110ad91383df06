//! The examples of README.md and docs/, run; and what else of those pages can be checked.
//!
//! A page is read from top to bottom, in a folder of its own:
//!
//! ````text
//! <!-- files: NAME -->     the folder is a fresh copy of tests/documentation/NAME from here on
//! ```console               examples that are run
//! $ slotwright --version   a line for the shell; what follows is all that it prints
//! ...                      stands for any number of lines
//! ```
//! ````
//!
//! Times and durations may differ from what the page says, everything else may not. `UPDATE_DOCS=1
//! cargo test --release --test it documentation` writes what was printed into the pages, without
//! any `...`. Readers use another model than the bundled one, so a script gives the answers that
//! Qwen2.5-Coder-1.5B gave with our adapter: tests/documentation/answers.json has them by sentence, as
//! `--json` shows them. The line that names the model is left out. Of other sentences, of `--json` and
//! `repair` the bundled model makes the edits. What is marked `text` is not run.

use crate::support::script::Script;
use crate::support::tree::has;
use crate::support::{PROGRAM, folder, quiet, run};
use regex::Regex;
use slotwright::config::{Key, keys};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PAGES: [&str; 15] = [
    "README.md",
    "BENCHMARKS.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "docs/guide.md",
    "docs/session.md",
    "docs/configuration.md",
    "docs/apply.md",
    "docs/repair.md",
    "docs/editors.md",
    "docs/eval.md",
    "models/README.md",
    "docs/design.md",
    "docs/guarantee.md",
];

/// Those whose examples are run, each by a test below.
const EXAMPLES: [&str; 7] = [
    "README.md",
    "docs/guide.md",
    "docs/configuration.md",
    "docs/apply.md",
    "docs/repair.md",
    "docs/editors.md",
    "docs/eval.md",
];

#[test]
fn the_examples_of_the_readme() {
    check_examples("README.md");
}

#[test]
fn the_examples_of_the_guide() {
    check_examples("docs/guide.md");
}

#[test]
fn the_examples_of_configuration() {
    check_examples("docs/configuration.md");
}

/// The table of keys is made from the program's own. It stands between two comments.
#[test]
fn the_keys_of_the_configuration_are_current() {
    const PAGE: &str = "docs/configuration.md";
    const BEGIN: &str = "<!-- keys -->\n";
    const END: &str = "<!-- end of keys -->\n";
    let row = |key: &Key| {
        let both = if key.is_for_projects() { "yes" } else { "no" };
        format!(
            "| `{}` | {} | {} | {both} |\n",
            key.name, key.about, key.default
        )
    };
    let table = "| key | meaning | default | in a project |\n|---|---|---|---|\n".to_owned()
        + &keys().iter().map(row).collect::<String>();
    let text = text_of(PAGE);
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (there, after) = rest.split_once(END).unwrap();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(
            root().join(PAGE),
            format!("{before}{BEGIN}{table}{END}{after}"),
        )
        .unwrap();
    } else {
        assert_eq!(there, table, "{PAGE}: UPDATE_DOCS=1 writes this");
    }
}

#[test]
fn the_examples_of_apply() {
    check_examples("docs/apply.md");
}

#[test]
fn the_examples_of_editors() {
    check_examples("docs/editors.md");
}

#[test]
fn the_examples_of_eval() {
    check_examples("docs/eval.md");
}

#[test]
fn the_examples_of_repair() {
    if !has("python3") {
        println!("skipped: there is no python3 here, whose tests the example runs");
    } else if !can_confine() {
        println!("skipped: this system cannot confine the tests that the example runs");
    } else {
        check_examples("docs/repair.md");
    }
}

/// Whether commands of a sandbox can neither write outside it nor reach the network here.
fn can_confine() -> bool {
    let dir = folder(&[("a.txt", b"a")]);
    let options = [
        "repair",
        "--root",
        dir.path().to_str().unwrap(),
        "--test",
        "exit 127",
        "x",
    ];
    !run(Command::new(PROGRAM).args(options))
        .stderr
        .contains("--no-sandbox")
}

#[test]
fn the_other_pages_have_no_examples_that_are_run() {
    for page in PAGES {
        if EXAMPLES.contains(&page) {
            continue;
        }
        assert!(
            !text_of(page).contains("```console"),
            "{page} needs a test of its own"
        );
    }
}

/// Runs the examples of a page, and compares.
#[track_caller]
fn check_examples(page: &str) {
    let text = text_of(page);
    let mut shell = Shell::new();
    if page == "README.md" {
        shell.enter("shop"); // no comment comes before the demo
    }
    let mut updated = String::new();
    let mut differences = Vec::new();
    for piece in pieces(&text) {
        match piece {
            Piece::Prose(line) => {
                if let Some(name) = fixture(line) {
                    shell.enter(name);
                }
                updated += line;
            }
            Piece::Example { command, expected } => {
                if command.contains("python3") && !has("python3") {
                    println!("skipped: there is no python3 here: $ {command}");
                    updated += &format!("$ {command}\n{expected}");
                    continue;
                }
                let printed = shell.run(command);
                updated += &format!("$ {command}\n");
                if is_match(&expected, &printed) {
                    updated += &expected;
                } else {
                    updated += &printed;
                    differences.push(format!(
                        "$ {command}\n{printed}--- but the page says\n{expected}"
                    ));
                }
            }
        }
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(root().join(page), updated).unwrap();
    } else {
        let differences = differences.join("\n");
        assert!(
            differences.is_empty(),
            "{page}: UPDATE_DOCS=1 writes this:\n{differences}"
        );
    }
}

/// A part of a page.
enum Piece<'t> {
    /// A line that is not part of an example, with its newline.
    Prose(&'t str),
    /// A command of a console block, and the lines below it.
    Example { command: &'t str, expected: String },
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut closing = None;
    for line in text.split_inclusive('\n') {
        match (closing, line.strip_prefix("$ ")) {
            (Some(_), Some(command)) => {
                let (command, expected) = (command.trim_end(), String::new());
                pieces.push(Piece::Example { command, expected });
            }
            (Some(fence), None) if line.trim_end() != fence => match pieces.last_mut() {
                Some(Piece::Example { expected, .. }) => *expected += line,
                _ => panic!("a console block begins with a command, not with {line:?}"),
            },
            _ => {
                closing = if closing.is_some() {
                    None
                } else {
                    opened_fence(line)
                };
                pieces.push(Piece::Prose(line));
            }
        }
    }
    pieces
}

/// The backticks that close the console block which a line opens.
fn opened_fence(line: &str) -> Option<&str> {
    let fence = line.trim_end().strip_suffix("console")?;
    (fence.len() >= 3 && fence.bytes().all(|byte| byte == b'`')).then_some(fence)
}

/// The name in `<!-- files: NAME -->`.
fn fixture(line: &str) -> Option<&str> {
    line.strip_prefix("<!-- files: ")?.strip_suffix(" -->\n")
}

/// Whether a command printed what a page says.
fn is_match(expected: &str, printed: &str) -> bool {
    let (expected, printed) = (without_times(expected), without_times(printed));
    let expected: Vec<&str> = expected.lines().collect();
    lines_match(&expected, &printed.lines().collect::<Vec<_>>())
}

fn lines_match(expected: &[&str], printed: &[&str]) -> bool {
    match (expected, printed) {
        ([], printed) => printed.is_empty(),
        (["...", after @ ..], printed) => {
            (0..=printed.len()).any(|n| lines_match(after, &printed[n..]))
        }
        ([first, after @ ..], [line, below @ ..]) => {
            // Editors take whitespace off the ends of lines.
            first.trim_end() == line.trim_end() && lines_match(after, below)
        }
        (_, []) => false,
    }
}

/// Every duration as the same one: `0.3 s`, `12 ms`.
fn without_times(text: &str) -> String {
    let duration = Regex::new(r"\b[0-9]+(\.[0-9]+)? (ms|s|min)\b").unwrap();
    duration.replace_all(text, "0 s").into_owned()
}

/// Where the commands of a page run.
struct Shell {
    home: tempfile::TempDir,
    folder: PathBuf,
    last_exit_code: i32,
    /// The answers of the 1.5B, by sentence.
    scripts: BTreeMap<String, Script>,
}

impl Shell {
    fn new() -> Shell {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("project");
        fs::create_dir(&folder).unwrap();
        let answers = text_of("tests/documentation/answers.json");
        let answers: BTreeMap<String, Vec<String>> = serde_json::from_str(&answers).unwrap();
        let mut scripts = BTreeMap::new();
        for (sentence, answers) in answers {
            let answers: Vec<&str> = answers.iter().map(String::as_str).collect();
            scripts.insert(sentence, Script::adapted(&answers));
        }
        Shell {
            home,
            folder,
            last_exit_code: 0,
            scripts,
        }
    }

    /// Goes to a fresh copy of a fixture.
    fn enter(&mut self, name: &str) {
        self.folder = self.home.path().join(name);
        if self.folder.exists() {
            fs::remove_dir_all(&self.folder).unwrap();
        }
        // What was written in a folder of the same name before is no business of this one.
        let _ = fs::remove_dir_all(self.home.path().join(".local/state"));
        copy(&root().join("tests/documentation").join(name), &self.folder);
    }

    /// What a line for the shell prints, on both streams. `$?` is the exit code of the line before.
    fn run(&mut self, line: &str) -> String {
        let programs = Path::new(PROGRAM).parent().unwrap();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let paths = [programs.to_path_buf()]
            .into_iter()
            .chain(std::env::split_paths(&path));
        let mut command = Command::new("sh");
        quiet(&mut command)
            .args([
                "-c",
                &format!("exec 2>&1; (exit {}); {line}", self.last_exit_code),
            ])
            .current_dir(&self.folder)
            .env("PATH", std::env::join_paths(paths).unwrap())
            .env("HOME", self.home.path())
            .env("XDG_CONFIG_HOME", self.home.path().join(".config"))
            .env("XDG_CACHE_HOME", self.home.path().join(".cache"))
            .env("XDG_STATE_HOME", self.home.path().join(".local/state"));
        let mut scripts = self.scripts.iter();
        let script = scripts.find(|(sentence, _)| line.contains(sentence.as_str()));
        if let Some((_, script)) = script.filter(|_| !line.contains("--json")) {
            command.envs(script.environment());
        }
        let output = command.output().unwrap();
        self.last_exit_code = output.status.code().unwrap_or(-1);
        let home = self.home.path().to_str().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        let printed = printed.replace(home, "/home/you");
        let lines = printed.split_inclusive('\n');
        lines.filter(|line| !line.contains("script.gguf")).collect()
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text_of(page: &str) -> String {
    fs::read_to_string(root().join(page)).unwrap()
}

/// `./x demo`, but for what it builds.
#[test]
fn the_demo_makes_its_edits() {
    let mut demo = Command::new(root().join("packaging/demo.sh"));
    let demo = run(demo.arg(PROGRAM)).says(0, "a throw-away project");
    assert_eq!(
        demo.stderr.matches("slotwright: wrote ").count(),
        3,
        "{demo:#?}"
    );
    assert!(demo.stderr.contains("edits by bundled"), "{demo:#?}");
}

#[test]
fn the_readme_is_a_front_page() {
    let readme = text_of("README.md");
    let n_lines = readme.lines().count();
    assert!(
        n_lines <= 130,
        "README.md has {n_lines} lines; the manual is docs/"
    );
    assert!(
        !readme.contains("<!--"),
        "readers see the source of README.md too"
    );
}

#[test]
fn links_lead_somewhere() {
    let link = Regex::new(r"\]\(([^)\s]+)\)").unwrap();
    for page in PAGES.into_iter().chain(["benches/README.md"]) {
        let text = text_of(page);
        for target in link
            .captures_iter(&text)
            .map(|found| found.get(1).unwrap().as_str())
        {
            if target.starts_with("http") {
                continue;
            }
            let (path, heading) = target.split_once('#').unwrap_or((target, ""));
            let linked = match path {
                "" => root().join(page),
                path => root().join(page).parent().unwrap().join(path),
            };
            assert!(linked.exists(), "{page}: {target} does not exist");
            let has_heading = || {
                let linked = fs::read_to_string(&linked).unwrap();
                linked
                    .lines()
                    .any(|line| line.starts_with('#') && anchor(line) == heading)
            };
            assert!(
                heading.is_empty() || has_heading(),
                "{page}: {target} has no such heading"
            );
        }
    }
}

/// The messages in the guide are those of the program.
#[test]
fn messages_are_quoted_as_they_are() {
    let guide = text_of("docs/guide.md");
    let table = guide
        .split("## Troubleshooting")
        .nth(1)
        .unwrap()
        .split("\n## ")
        .next()
        .unwrap();
    let sources = sources(&root().join("src"));
    for row in table.lines().filter(|line| line.starts_with("| ")) {
        let message = row.split(" | ").next().unwrap();
        // Code is what stands between an odd backtick and the next one.
        for part in message.split('`').skip(1).step_by(2) {
            assert!(sources.contains(part), "no message has {part:?}");
        }
    }
}

/// The text of all source files.
fn sources(folder: &Path) -> String {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let text = |path: PathBuf| match path.is_dir() {
        true => sources(&path),
        false => String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned(),
    };
    entries.map(text).collect()
}

/// The anchor that GitHub gives a heading.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    text.chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

#[test]
fn every_option_is_described_and_no_other() {
    let option = Regex::new(r"--[a-z][a-z-]+").unwrap();
    let options = |text: &str| -> BTreeSet<String> {
        option
            .find_iter(text)
            .map(|found| found.as_str().to_owned())
            .collect()
    };
    let pages: Vec<String> = PAGES.iter().map(|page| text_of(page)).collect();
    let described = options(&pages.concat());
    let mut known = options(OF_OTHER_PROGRAMS);
    for (command, page) in [
        ("edit", "docs/guide.md"),
        ("models", "docs/guide.md"),
        ("models default", "docs/guide.md"),
        ("models remove", "docs/guide.md"),
        ("undo", "docs/guide.md"),
        ("purge", "docs/guide.md"),
        ("config", "docs/configuration.md"),
        ("apply", "docs/apply.md"),
        ("repair", "docs/repair.md"),
        ("mcp", "docs/editors.md"),
        ("acp", "docs/editors.md"),
        ("eval", "docs/eval.md"),
    ] {
        let words = command.split(' ').chain(["--help"]);
        let help = Command::new(PROGRAM).args(words).output().unwrap();
        let help = String::from_utf8(help.stdout).unwrap();
        // Only what stands where options are listed: examples name those of other programs.
        let of_command = help
            .lines()
            .filter(|line| line.trim_start().starts_with('-') && line.starts_with("  "))
            .flat_map(options)
            .filter(|option| option != "--help")
            .collect::<BTreeSet<_>>();
        let text = text_of(page) + &text_of("docs/guide.md");
        for option in &of_command {
            assert!(
                options(&text).contains(option),
                "{page} says nothing of {command} {option}"
            );
        }
        known.extend(of_command);
    }
    let unknown: Vec<&String> = described.difference(&known).collect();
    assert!(
        unknown.is_empty(),
        "the pages speak of options that do not exist: {unknown:?}"
    );
}

/// Options of cargo and others that the pages name.
const OF_OTHER_PROGRAMS: &str = concat!(
    "--release --features --no-default-features --test --open --version --no-fail-fast --install --quick ",
    "--strategies --prefix --remove --transport --make-acp-client"
);
