//! Processes that a test started, and what became of them. Without /proc nothing is found.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The environment variable by which the processes of a run are found.
pub const MARKER: &str = "SLOTWRIGHT_TEST";

/// Sends a signal, if the process is still there.
pub fn signal(pid: u32, name: &str) {
    // The shell's own: a bare machine has no other.
    Command::new("sh")
        .args(["-c", &format!("kill -{name} {pid} 2>/dev/null")])
        .status()
        .unwrap();
}

/// The processes that this one has started and that still run.
pub fn children(pid: u32) -> Vec<u32> {
    let mut children = Vec::new();
    for task in fs::read_dir(format!("/proc/{pid}/task"))
        .into_iter()
        .flatten()
        .flatten()
    {
        let listed = fs::read_to_string(task.path().join("children")).unwrap_or_default();
        children.extend(
            listed
                .split_whitespace()
                .filter_map(|pid| pid.parse::<u32>().ok()),
        );
    }
    children
}

/// The processes with this marker that are still there after a while: what each was called with,
/// and its state.
pub fn left_behind(marker: &str) -> Vec<String> {
    // A loaded machine takes its time to end one.
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut n_clear = 0;
    loop {
        let found = running(marker);
        // A process that becomes another program has no environment for a moment, and is not seen.
        n_clear = if found.is_empty() { n_clear + 1 } else { 0 };
        if n_clear == 3 || Instant::now() > deadline {
            return found;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn running(marker: &str) -> Vec<String> {
    let wanted = format!("{MARKER}={marker}\0");
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let environ = fs::read(entry.path().join("environ")).unwrap_or_default();
        if environ
            .windows(wanted.len())
            .any(|w| w == wanted.as_bytes())
        {
            let read = |name: &str| fs::read(entry.path().join(name)).unwrap_or_default();
            let command = String::from_utf8_lossy(&read("cmdline")).replace('\0', " ");
            let state = String::from_utf8_lossy(&read("stat")).into_owned();
            found.push(format!("{command}({state})"));
        }
    }
    found
}

/// Set for a process that writes until it is killed: where.
const WRITES_IN: &str = "SLOTWRIGHT_TEST_WRITES_IN";

/// What such a process says before it writes.
const BEGINS: &str = "it begins to write";

/// Starts this test binary again with the one test that `test` names, which must write in this
/// folder for ever, and kills it so long after it has begun to.
pub fn killed_while_it_writes(test: &str, folder: &Path, moment: Duration) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", test, "--nocapture"])
        .env(WRITES_IN, folder);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let said = BufReader::new(child.stdout.take().unwrap());
    let has_begun = said
        .lines()
        .map_while(Result::ok)
        .any(|line| line.contains(BEGINS));
    assert!(has_begun, "{test} ended before it wrote anything");
    std::thread::sleep(moment);
    assert_eq!(child.try_wait().unwrap(), None, "{test} ended by itself");
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Where this process is to write until it is killed, if it is such a one.
pub fn writes_in() -> Option<PathBuf> {
    std::env::var_os(WRITES_IN).map(PathBuf::from)
}

/// Says that it begins to.
pub fn begins() {
    println!("{BEGINS}");
}
