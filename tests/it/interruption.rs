//! Ctrl-C, a parent that is killed, and the gate: whatever happens, the files are as they were or
//! wholly changed, and no model process is left behind.

use crate::support::processes::{
    begins, children, killed_while_it_writes, left_behind, signal, writes_in,
};
use crate::support::random::Random;
use crate::support::script::Script;
use crate::support::terminal::Terminal;
use crate::support::{PROGRAM, folder, quiet};
use slotwright::workspace::journal::{Journal, JournalError};
use slotwright::workspace::{Change, Workspace};
use std::fs;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const TASK: &str = "Rename process_item to handle_item everywhere";
const BEFORE: &str = "def process_item(item):\n    return len(item)\n";
const AFTER: &str = "def handle_item(item):\n    return len(item)\n";

fn start(root: &Path, marker: &str) -> Child {
    let mut command = Command::new(PROGRAM);
    command
        .arg("edit")
        .arg("--root")
        .arg(root)
        .args(["--yes", TASK]);
    quiet(&mut command)
        .env(crate::support::processes::MARKER, marker)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Sends a signal at many moments of a run.
fn check(signal_name: &str, expected: impl Fn(&std::process::ExitStatus, &str)) {
    let mut n_interrupted = 0;
    for i in 0..30 {
        let dir = folder(&[("tool.py", BEFORE.as_bytes())]);
        let marker = format!("{signal_name}-{i}-{}", std::process::id());
        let mut child = start(dir.path(), &marker);
        std::thread::sleep(Duration::from_millis(i * 6));
        if child.try_wait().unwrap().is_none() {
            signal(child.id(), signal_name);
        }
        let status = child.wait().unwrap();
        let mut said = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut said)
            .unwrap();
        let text = fs::read_to_string(dir.path().join("tool.py")).unwrap();
        let whole = if status.success() {
            text == AFTER
        } else {
            text == BEFORE || text == AFTER
        };
        assert!(whole, "{status:?} {said} {text}");
        if !status.success() {
            n_interrupted += 1;
            expected(&status, &said);
        }
        assert_eq!(
            fs::read_dir(dir.path()).unwrap().count(),
            1,
            "a temporary file is left"
        );
        assert_eq!(left_behind(&marker), [""; 0], "a model process is left");
    }
    println!("{n_interrupted} of 30 runs were interrupted by {signal_name}");
    assert!(n_interrupted > 0);
}

#[test]
fn ctrl_c_leaves_the_files_whole_and_nothing_running() {
    check("INT", |status, said| {
        // Before the program listens, the signal ends it as it ends any program.
        let ended = status.code() == Some(130) && said.contains("interrupted; nothing was written");
        assert!(ended || status.signal() == Some(2), "{status:?} {said}");
    });
}

#[test]
fn a_killed_parent_leaves_the_files_whole_and_nothing_running() {
    check("KILL", |status, _| assert_eq!(status.signal(), Some(9)));
}

fn is_model_process(pid: u32) -> bool {
    fs::read(format!("/proc/{pid}/cmdline"))
        .unwrap_or_default()
        .split(|&b| b == 0)
        .any(|word| word == b"model-process")
}

/// Runs the program, and does something to its model process once there is one and a moment has
/// passed.
fn with_model_process(
    arguments: &[&str],
    marker: &str,
    moment: Duration,
    act: impl Fn(u32),
) -> (crate::support::Run, String) {
    let dir = folder(&[("tool.py", BEFORE.as_bytes())]);
    let mut command = Command::new(PROGRAM);
    command
        .arg("edit")
        .arg("--root")
        .arg(dir.path())
        .args(["--yes", TASK])
        .args(arguments);
    quiet(&mut command)
        .env(crate::support::processes::MARKER, marker)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut program = command.spawn().unwrap();
    while program.try_wait().unwrap().is_none() {
        // Between fork and exec it is still a copy of its parent, which waits for it.
        if let Some(&model) = children(program.id())
            .iter()
            .find(|&&child| is_model_process(child))
        {
            std::thread::sleep(moment);
            act(model);
            break;
        }
    }
    let run = crate::support::Run::from(program.wait_with_output().unwrap());
    assert_eq!(left_behind(marker), [""; 0], "a process is left");
    assert_eq!(
        fs::read_dir(dir.path()).unwrap().count(),
        1,
        "a temporary file is left"
    );
    (run, fs::read_to_string(dir.path().join("tool.py")).unwrap())
}

#[test]
fn a_model_process_that_is_killed_is_an_error_and_nothing_is_written() {
    if children(1).is_empty() && !Path::new("/proc/self/task").exists() {
        println!("skipped: without /proc the test cannot find the model process");
        return;
    }
    let mut random = Random(9);
    let mut n_killed = 0;
    for i in 0..100 {
        let marker = format!("killed-{i}-{}", std::process::id());
        let moment = Duration::from_micros(random.below(90_000) as u64);
        let (run, text) = with_model_process(&[], &marker, moment, |model| signal(model, "KILL"));
        if run.code == Some(0) {
            assert_eq!(text, AFTER);
        } else {
            run.fails("the model process ended unexpectedly (signal 9");
            assert_eq!(text, BEFORE);
            n_killed += 1;
        }
    }
    println!("{n_killed} of 100 model processes were killed while they were needed");
    assert!(n_killed > 0);
}

#[test]
fn a_model_process_that_hangs_is_ended_and_nothing_is_written() {
    if children(1).is_empty() && !Path::new("/proc/self/task").exists() {
        println!("skipped: without /proc the test cannot find the model process");
        return;
    }
    let mut n_stopped = 0;
    for i in 0..20 {
        let marker = format!("stopped-{i}-{}", std::process::id());
        let stop = |model| signal(model, "STOP");
        let (run, text) = with_model_process(
            &["--model-timeout", "1"],
            &marker,
            Duration::from_millis(i),
            stop,
        );
        if run.code != Some(0) {
            run.fails("the model process has said nothing for 1 seconds; it was ended");
            assert_eq!(text, BEFORE);
            n_stopped += 1;
        }
        if n_stopped == 3 {
            return;
        }
    }
    panic!("the model process was never stopped while it was needed");
}

#[test]
fn a_program_killed_while_it_writes_leaves_whole_files() {
    const THIS: &str = "interruption::a_program_killed_while_it_writes_leaves_whole_files";
    if let Some(root) = writes_in() {
        write_for_ever(&root);
    }
    const KILLS: usize = 300;
    let mut random = Random(3);
    let (mut n_changed, mut n_left, mut n_made) = (0, 0, 0);
    let dir = folder(&[("a.txt", &one())]);
    for _ in 0..KILLS {
        let moment = Duration::from_micros(random.below(40_000) as u64);
        killed_while_it_writes(THIS, dir.path(), moment);
        let text = fs::read(dir.path().join("a.txt")).unwrap();
        assert!(text == one() || text == other(), "{} bytes", text.len());
        n_changed += usize::from(text == other());
        for entry in fs::read_dir(dir.path()).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if name.starts_with("new") {
                assert_eq!(
                    fs::read(&path).unwrap(),
                    other(),
                    "a new file is there with all its text"
                );
                fs::remove_file(&path).unwrap();
                n_made += 1;
            } else if name != "a.txt" {
                n_left += 1;
            }
        }
        // The next one that writes there removes what was left.
        let workspace = Workspace::open(dir.path()).unwrap();
        workspace
            .write(&Change::replace("a.txt", &text, &one()))
            .unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
    println!(
        "{KILLS} kills: {n_changed} times the file was the new one, {n_made} new files made, \
         {n_left} temporary files left and removed by the next start"
    );
    assert!(n_changed > 0 && n_changed < KILLS);
}

#[test]
fn a_killed_commit_of_twenty_files_is_all_old_or_all_new_after_the_next_start() {
    const THIS: &str =
        "interruption::a_killed_commit_of_twenty_files_is_all_old_or_all_new_after_the_next_start";
    if let Some(dir) = writes_in() {
        commit_for_ever(&dir);
    }
    const KILLS: usize = 200;
    let mut random = Random(4);
    let (mut n_finished, mut n_new) = (0, 0);
    let dir = tempfile::tempdir().unwrap();
    let (root, state) = (dir.path().join("root"), dir.path().join("state"));
    fs::create_dir(&root).unwrap();
    for i in 0..20 {
        fs::write(root.join(file(i)), content(i, 0)).unwrap();
    }
    for _ in 0..KILLS {
        let moment = Duration::from_micros(random.below(150_000) as u64);
        killed_while_it_writes(THIS, dir.path(), moment);
        // The next start.
        let workspace = Workspace::open(&root).unwrap();
        let recovered = open_journal(&state, &workspace)
            .recover(&workspace)
            .unwrap();
        assert!(
            recovered.len() <= 1 && recovered.iter().all(|r| r.changed.is_empty()),
            "{recovered:?}"
        );
        n_finished += recovered.len();
        let first = fs::read_to_string(root.join(file(0))).unwrap();
        let version: usize = first.split(' ').nth(1).unwrap().parse().unwrap();
        for i in 0..20 {
            assert_eq!(
                fs::read_to_string(root.join(file(i))).unwrap(),
                content(i, version),
                "{i}"
            );
        }
        n_new += version % 2;
    }
    println!("{KILLS} kills: {n_finished} interrupted commits were finished by the next start");
    assert!(n_finished > 0 && n_new > 0 && n_new < KILLS);
}

fn file(i: usize) -> String {
    format!("{i}.txt")
}

fn content(i: usize, version: usize) -> String {
    format!("{i} {version} {}", "text\n".repeat(2_000))
}

/// A process that another test starts at this moment has a copy of this one's lock, until it runs
/// a program of its own.
fn open_journal(state: &Path, workspace: &Workspace) -> Journal {
    for _ in 0..1_000 {
        match Journal::open(state, workspace) {
            Err(JournalError::Locked { .. }) => std::thread::sleep(Duration::from_millis(10)),
            opened => return opened.unwrap(),
        }
    }
    panic!("the journal is locked for ten seconds");
}

fn commit_for_ever(dir: &Path) -> ! {
    let workspace = Workspace::open(&dir.join("root")).unwrap();
    let journal = open_journal(&dir.join("state"), &workspace);
    let first = fs::read_to_string(dir.join("root").join(file(0))).unwrap();
    let from: usize = first.split(' ').nth(1).unwrap().parse().unwrap();
    begins();
    for version in from.. {
        let change = |i| {
            Change::replace(
                &file(i),
                content(i, version).as_bytes(),
                content(i, version + 1).as_bytes(),
            )
        };
        journal
            .commit(&workspace, &(0..20).map(change).collect::<Vec<_>>(), "edit")
            .unwrap();
    }
    unreachable!("there is always another number")
}

fn one() -> Vec<u8> {
    b"one\n".repeat(20_000)
}

fn other() -> Vec<u8> {
    b"the other\r\n".repeat(30_000)
}

fn write_for_ever(root: &Path) -> ! {
    let workspace = Workspace::open(root).unwrap();
    let (one, other) = (one(), other());
    begins();
    for i in 0.. {
        workspace
            .write(&Change::replace("a.txt", &one, &other))
            .unwrap();
        workspace
            .write(&Change::create(&format!("new{i}.txt"), &other))
            .unwrap();
        workspace
            .write(&Change::replace("a.txt", &other, &one))
            .unwrap();
    }
    unreachable!("there is always another number")
}

fn rename() -> Script {
    let slots = r#"{"old":"process_item","new":"handle_item"}"#;
    Script::of(&[r#"{"path":"tool.py","operation":"replace_all"}"#, slots])
}

fn at_the_gate(script: &Script, root: &Path) -> Option<Terminal> {
    Terminal::edit(script, root, &format!("'{TASK}'"))
}

#[test]
fn the_gate_asks_and_takes_yes() {
    let dir = folder(&[("tool.py", BEFORE.as_bytes())]);
    let script = rename();
    let Some(mut terminal) = at_the_gate(&script, dir.path()) else {
        return;
    };
    terminal.wait_for("Change tool.py? [y/N/");
    assert!(
        terminal.raw.contains("\x1b[32m+\x1b[0m"),
        "{}",
        terminal.raw
    );
    assert_eq!(
        fs::read_to_string(dir.path().join("tool.py")).unwrap(),
        BEFORE,
        "nothing is written before yes"
    );
    terminal.write("y\n");
    terminal.wait_for("wrote tool.py");
    assert_eq!(terminal.exit_code(), Some(0));
    assert_eq!(
        fs::read_to_string(dir.path().join("tool.py")).unwrap(),
        AFTER
    );
}

#[test]
fn the_gate_takes_no_and_nothing_as_no() {
    for answer in ["n\n", "\n", "\x04"] {
        let dir = folder(&[("tool.py", BEFORE.as_bytes())]);
        let script = rename();
        let Some(mut terminal) = at_the_gate(&script, dir.path()) else {
            return;
        };
        terminal.wait_for("? [y/N/");
        terminal.write(answer);
        terminal.wait_for("not confirmed; nothing was written");
        assert_eq!(terminal.exit_code(), Some(3));
        assert_eq!(
            fs::read_to_string(dir.path().join("tool.py")).unwrap(),
            BEFORE
        );
    }
}

#[test]
fn the_gate_shows_what_it_asks_about_wherever_the_result_goes() {
    let dir = folder(&[("tool.py", BEFORE.as_bytes())]);
    let edit = format!("'{PROGRAM}' edit --root '{}'", dir.path().display());
    for line in [
        format!("{edit} '{TASK}' > /dev/null"),
        format!("{edit} --json '{TASK}' > /dev/null"),
    ] {
        let script = rename();
        let Some(mut terminal) = Terminal::run_scripted(&script, &line) else {
            return;
        };
        terminal.wait_for("Change tool.py? [y/N");
        assert!(
            terminal.screen.contains("+def handle_item(item):"),
            "{}",
            terminal.screen
        );
        terminal.write("n\n");
        assert_eq!(terminal.exit_code(), Some(3));
    }
}

#[test]
fn ctrl_c_at_the_gate_writes_nothing() {
    let dir = folder(&[("tool.py", BEFORE.as_bytes())]);
    let script = rename();
    let Some(mut terminal) = at_the_gate(&script, dir.path()) else {
        return;
    };
    terminal.wait_for("? [y/N/");
    terminal.write("\x03");
    terminal.wait_for("interrupted; nothing was written");
    assert_eq!(terminal.exit_code(), Some(130));
    assert_eq!(
        fs::read_to_string(dir.path().join("tool.py")).unwrap(),
        BEFORE
    );
}

#[test]
fn a_file_changed_while_the_gate_waits_is_not_overwritten() {
    let dir = folder(&[("tool.py", BEFORE.as_bytes())]);
    let script = rename();
    let Some(mut terminal) = at_the_gate(&script, dir.path()) else {
        return;
    };
    terminal.wait_for("? [y/N/");
    fs::write(dir.path().join("tool.py"), "their work\n").unwrap();
    terminal.write("y\n");
    terminal.wait_for("changed since it was read");
    assert_eq!(terminal.exit_code(), Some(1));
    assert_eq!(
        fs::read_to_string(dir.path().join("tool.py")).unwrap(),
        "their work\n"
    );
}
