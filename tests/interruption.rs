//! Ctrl-C, a parent that is killed, and the gate: whatever happens, the files are as they were or wholly
//! changed, and no model process is left behind.
#![cfg(unix)]

mod support;

use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::{PROGRAM, folder, quiet};

const TASK: &str = "Rename process_item to handle_item everywhere";
const BEFORE: &str = "def process_item(item):\n    return len(item)\n";
const AFTER: &str = "def handle_item(item):\n    return len(item)\n";

fn signal(child: &Child, name: &str) {
    // The shell's own: a bare machine has no other.
    let done = Command::new("sh").args(["-c", &format!("kill -{name} {}", child.id())]).status().unwrap();
    assert!(done.success());
}

/// The processes that were started with this marker in their environment (none where there is no /proc).
fn running(marker: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let environ = fs::read(entry.path().join("environ")).unwrap_or_default();
        if environ.windows(marker.len()).any(|w| w == marker.as_bytes()) {
            found.push(entry.file_name().into_string().unwrap());
        }
    }
    found
}

/// Those that are still there after a while.
fn left_behind(marker: &str) -> Vec<String> {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !running(marker).is_empty() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    running(marker)
}

fn start(root: &Path, marker: &str) -> Child {
    let mut command = Command::new(PROGRAM);
    command.arg("edit").arg("--root").arg(root).args(["--yes", TASK]);
    quiet(&mut command).env("SLOTWRIGHT_TEST", marker).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
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
            signal(&child, signal_name);
        }
        let status = child.wait().unwrap();
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        let text = fs::read_to_string(dir.path().join("tool.py")).unwrap();
        let whole = if status.success() { text == AFTER } else { text == BEFORE || text == AFTER };
        assert!(whole, "{status:?} {said} {text}");
        if !status.success() {
            n_interrupted += 1;
            expected(&status, &said);
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "a temporary file is left");
        assert_eq!(left_behind(&format!("SLOTWRIGHT_TEST={marker}")), [""; 0], "a model process is left");
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

#[test]
fn a_model_process_that_dies_is_an_error_and_nothing_is_written() {
    if !Path::new("/proc/self/environ").exists() {
        println!("skipped: without /proc the test cannot find the model process");
        return;
    }
    // It lives for a tenth of a second, so it may be gone before it is found: then once more.
    for attempt in 0..20 {
        let dir = folder(&[("tool.py", BEFORE.as_bytes())]);
        let marker = format!("died-{attempt}-{}", std::process::id());
        let mut program = start(dir.path(), &marker);
        let own = program.id().to_string();
        while program.try_wait().unwrap().is_none() {
            let found = running(&format!("SLOTWRIGHT_TEST={marker}")).into_iter().find(|pid| *pid != own);
            if let Some(model) = found {
                Command::new("sh").args(["-c", &format!("kill -KILL {model}")]).output().unwrap();
                break;
            }
        }
        let run = support::Run::from(program.wait_with_output().unwrap());
        if run.code == Some(0) {
            continue;
        }
        run.says(4, "the model process ended unexpectedly (signal 9");
        assert_eq!(fs::read_to_string(dir.path().join("tool.py")).unwrap(), BEFORE);
        return;
    }
    panic!("the model process was never found while it ran");
}

/// Runs the program on a terminal (the `script` of util-linux), and talks to it there.
struct Terminal {
    child: Child,
    said: std::sync::mpsc::Receiver<Vec<u8>>,
    screen: String,
}

impl Terminal {
    fn start(root: &Path) -> Option<Terminal> {
        Terminal::run(&format!("'{PROGRAM}' edit --root '{}' '{TASK}'", root.display()))
    }

    fn run(line: &str) -> Option<Terminal> {
        let probe = Command::new("script").args(["-qec", "true", "/dev/null"]).stdin(Stdio::null()).output();
        if !probe.is_ok_and(|p| p.status.success()) {
            println!("skipped: there is no util-linux `script` here to make a terminal with");
            return None;
        }

        let mut command = Command::new("script");
        command.args(["-qec", line, "/dev/null"]);
        let mut child = quiet(&mut command).stdin(Stdio::piped()).stdout(Stdio::piped()).env("TERM", "xterm").spawn().unwrap();
        let mut out = child.stdout.take().unwrap();
        let (send, said) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = out.read(&mut buffer) {
                let _ = send.send(buffer[..n].to_vec());
            }
        });
        Some(Terminal { child, said, screen: String::new() })
    }

    /// Waits until this stands on the screen.
    #[track_caller]
    fn wait_for(&mut self, text: &str) {
        while !self.screen.contains(text) {
            match self.said.recv_timeout(Duration::from_secs(60)) {
                Ok(bytes) => self.screen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(_) => panic!("{text:?} never came: {}", self.screen),
            }
        }
    }

    fn write(&mut self, text: &str) {
        self.child.stdin.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
    }

    fn exit_code(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

#[test]
fn the_gate_asks_and_takes_yes() {
    let dir = folder(&[("tool.py", BEFORE.as_bytes())]);
    let Some(mut terminal) = Terminal::start(dir.path()) else { return };
    terminal.wait_for("Change tool.py? [y/N] ");
    assert!(terminal.screen.contains("\x1b[32m+def handle_item(item):"), "{}", terminal.screen);
    assert_eq!(fs::read_to_string(dir.path().join("tool.py")).unwrap(), BEFORE, "nothing is written before yes");
    terminal.write("y\n");
    terminal.wait_for("wrote tool.py");
    assert_eq!(terminal.exit_code(), Some(0));
    assert_eq!(fs::read_to_string(dir.path().join("tool.py")).unwrap(), AFTER);
}

#[test]
fn the_gate_takes_no_and_nothing_as_no() {
    for answer in ["n\n", "\n", "\x04"] {
        let dir = folder(&[("tool.py", BEFORE.as_bytes())]);
        let Some(mut terminal) = Terminal::start(dir.path()) else { return };
        terminal.wait_for("[y/N] ");
        terminal.write(answer);
        terminal.wait_for("not confirmed; nothing was written");
        assert_eq!(terminal.exit_code(), Some(3));
        assert_eq!(fs::read_to_string(dir.path().join("tool.py")).unwrap(), BEFORE);
    }
}

#[test]
fn the_gate_shows_what_it_asks_about_wherever_the_result_goes() {
    let dir = folder(&[("tool.py", BEFORE.as_bytes())]);
    let edit = format!("'{PROGRAM}' edit --root '{}'", dir.path().display());
    for line in [format!("{edit} '{TASK}' > /dev/null"), format!("{edit} --json '{TASK}' > /dev/null")] {
        let Some(mut terminal) = Terminal::run(&line) else { return };
        terminal.wait_for("Change tool.py? [y/N] ");
        assert!(terminal.screen.contains("+def handle_item(item):"), "{}", terminal.screen);
        terminal.write("n\n");
        assert_eq!(terminal.exit_code(), Some(3));
    }
}

#[test]
fn ctrl_c_at_the_gate_writes_nothing() {
    let dir = folder(&[("tool.py", BEFORE.as_bytes())]);
    let Some(mut terminal) = Terminal::start(dir.path()) else { return };
    terminal.wait_for("[y/N] ");
    terminal.write("\x03");
    terminal.wait_for("interrupted; nothing was written");
    assert_eq!(terminal.exit_code(), Some(130));
    assert_eq!(fs::read_to_string(dir.path().join("tool.py")).unwrap(), BEFORE);
}

#[test]
fn a_file_changed_while_the_gate_waits_is_not_overwritten() {
    let dir = folder(&[("tool.py", BEFORE.as_bytes())]);
    let Some(mut terminal) = Terminal::start(dir.path()) else { return };
    terminal.wait_for("[y/N] ");
    fs::write(dir.path().join("tool.py"), "their work\n").unwrap();
    terminal.write("y\n");
    terminal.wait_for("changed by somebody else since it was read");
    assert_eq!(terminal.exit_code(), Some(1));
    assert_eq!(fs::read_to_string(dir.path().join("tool.py")).unwrap(), "their work\n");
}
