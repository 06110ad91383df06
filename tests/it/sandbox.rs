//! Commands that misbehave, in a sandbox: each is real, and afterwards nothing of it is left and
//! the original is as before.

mod worktree;

use crate::support::{PROGRAM, folder, processes};
use slotwright::sandbox::{
    Command, CopyKind, Ended, Limits, Ran, Sandbox, SandboxError, SandboxOptions,
};
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use worktree::{repository_in, without_times};

/// A folder, a place for sandboxes of it, and what the folder was before.
struct Case {
    root: TempDir,
    place: TempDir,
    before: BTreeMap<PathBuf, Entry>,
    program: PathBuf,
}

/// Contents or target, permissions, and the time of the last change in nanoseconds.
type Entry = (Vec<u8>, u32, i128);

fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Entry> {
    let mut entries = BTreeMap::new();
    let mut next = vec![folder.to_path_buf()];
    while let Some(path) = next.pop() {
        let metadata = fs::symlink_metadata(&path).unwrap();
        let content = if metadata.is_dir() {
            next.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            Vec::new()
        } else if metadata.is_symlink() {
            fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
        } else {
            fs::read(&path).unwrap()
        };
        let time = i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec());
        entries.insert(path, (content, metadata.mode(), time));
    }
    entries
}

impl Case {
    fn new(files: &[(&str, &[u8])]) -> Case {
        Case::of(folder(files))
    }

    fn of(root: TempDir) -> Case {
        let before = snapshot(root.path());
        Case { root, place: tempfile::tempdir().unwrap(), before, program: PathBuf::from(PROGRAM) }
    }

    fn root(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap()
    }

    fn sandbox(&self, options: &SandboxOptions) -> Sandbox {
        Sandbox::within(self.place.path(), self.root.path(), &self.program, options).unwrap()
    }

    /// Runs a command in a sandbox of its own. Afterwards the original is as before, and the
    /// sandbox is gone.
    #[track_caller]
    fn run_within(&self, command: &str, limits: &Limits) -> Ran {
        let sandbox = self.sandbox(&SandboxOptions::default());
        let ran = run(&sandbox, command, limits);
        drop(sandbox);
        self.check();
        ran
    }

    #[track_caller]
    fn run(&self, command: &str) -> Ran {
        self.run_within(command, &limits())
    }

    #[track_caller]
    fn check(&self) {
        assert!(self.before == snapshot(self.root.path()), "the original has changed");
        let left: Vec<_> = fs::read_dir(self.place.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(left, ["lock"], "the sandbox is still there");
    }
}

/// Enough for a loaded machine.
fn limits() -> Limits {
    Limits { time: Duration::from_secs(120), ..Limits::default() }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn run(sandbox: &Sandbox, command: &str, limits: &Limits) -> Ran {
    runtime().block_on(sandbox.run(&Command::Shell(command.to_owned()), limits)).unwrap()
}

fn has(program: &str) -> bool {
    let found = std::process::Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let has = found.is_ok_and(|status| status.success());
    if !has {
        eprintln!("skipped: there is no {program} here");
    }
    has
}

/// Processes that were called with this argument. A command is found by a number that it alone
/// waits for.
fn running(word: &str) -> usize {
    let is_called_with = |entry: &fs::DirEntry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        line.split(|&byte| byte == 0).any(|argument| argument == word.as_bytes())
    };
    fs::read_dir("/proc").unwrap().flatten().filter(is_called_with).count()
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_command_runs_in_the_copy_and_its_end_is_told() {
    let case = Case::new(&[("a.txt", b"a\n"), ("dir/b.txt", b"b\n")]);
    let sandbox = case.sandbox(&SandboxOptions::default());
    let ran = run(
        &sandbox,
        "cat a.txt; echo to stderr >&2; echo more > new.txt; rm dir/b.txt; exit 3",
        &limits(),
    );
    assert_eq!((ran.end, ran.output.text().as_str()), (Ended::Exited(3), "a\nto stderr\n"));
    assert_eq!(fs::read(sandbox.folder().join("new.txt")).unwrap(), b"more\n");
    assert!(!sandbox.folder().join("dir/b.txt").exists());
    // The next one sees what the last one left.
    let ran = run(&sandbox, "cat new.txt; pwd; kill -TERM $$", &limits());
    assert_eq!(ran.end, Ended::Signal(15));
    assert_eq!(ran.output.text(), format!("more\n{}\n", sandbox.folder().display()));
    let ran = runtime()
        .block_on(
            sandbox.run(&Command::Program(vec!["no-such-program-here".to_owned()]), &limits()),
        )
        .unwrap();
    assert_eq!(ran.end, Ended::Exited(127));
    assert!(ran.output.text().contains("cannot run \"no-such-program-here\""), "{ran:?}");
    let words = ["printf", "%s|", "two words", "$HOME"].map(str::to_owned).to_vec();
    let ran = runtime().block_on(sandbox.run(&Command::Program(words), &limits())).unwrap();
    assert_eq!((ran.end, ran.output.text().as_str()), (Ended::Exited(0), "two words|$HOME|"));
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
fn what_this_system_has_is_in_force() {
    let case = Case::new(&[]);
    let sandbox = case.sandbox(&SandboxOptions::default());
    let isolation = sandbox.isolation();
    println!("{isolation}");
    assert!(isolation.confines() && isolation.seccomp);
    assert!(["core", "file_size"].iter().all(|limit| isolation.limits.iter().any(|l| l == limit)));
    let ask = "import ctypes; print(ctypes.CDLL(None).syscall(444, 0, 0, 1))";
    if has("python3") {
        let output = std::process::Command::new("python3").args(["-c", ask]).output().unwrap();
        let there_is: u32 = String::from_utf8(output.stdout).unwrap().trim().parse().unwrap();
        assert!(
            isolation.landlock.is_some_and(|abi| abi == there_is.min(9)),
            "{there_is}: {isolation}"
        );
    }
    let unshare = std::process::Command::new("unshare")
        .args(["--user", "--map-current-user", "--pid", "--fork", "true"])
        .output();
    if unshare.is_ok_and(|output| output.status.success()) {
        assert_eq!(isolation.namespaces, ["user", "pid", "network", "ipc", "mount"], "{isolation}");
    } else {
        println!("skipped: no user namespaces here");
    }
    let ran = run(
        &sandbox,
        "grep -E '^(CapEff|CapPrm|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status | tr -s '\\t\\n' ' '",
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
    let program =
        folder(&[("program", format!("#!/bin/sh\nread spec\necho '{said}'\n").as_bytes())]);
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
            &SandboxOptions { allow_none, ..SandboxOptions::default() },
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
    assert!(!sandbox.folder().join("out").exists(), "a command could write through the link");
    assert!(
        fs::symlink_metadata(sandbox.folder().join("node_modules")).unwrap().is_dir(),
        "and into the original's dependencies"
    );
    drop(sandbox);
    case.check();
}

#[test]
fn a_command_that_hangs_is_killed_with_all_that_it_started() {
    let case = Case::new(&[]);
    let limits = Limits { time: Duration::from_secs(2), ..limits() };
    let ran = case.run_within(
        "trap '' TERM HUP INT; sleep 86411 & (setsid sleep 86411 &) ; echo started; sleep 86411; sleep 86411",
        &limits,
    );
    assert_eq!((ran.end, ran.output.text().as_str()), (Ended::TimedOut, "started\n"));
    assert!(ran.time >= limits.time, "{:?}", ran.time);
    assert_eq!(running("86411"), 0);
}

#[test]
fn daemons_end_with_the_command() {
    let case = Case::new(&[]);
    let ran = case.run("(setsid sh -c 'trap \"\" TERM; sleep 86412 & sleep 86412' >/dev/null 2>&1 &); sleep 1; echo done");
    assert_eq!((ran.end, ran.output.text().as_str()), (Ended::Exited(0), "done\n"));
    assert_eq!(running("86412"), 0);
    // One that keeps the output open does not keep us waiting.
    let ran = case.run("setsid sleep 86413 & echo done");
    assert_eq!((ran.end, ran.output.text().as_str()), (Ended::Exited(0), "done\n"));
    assert_eq!(running("86413"), 0);
}

#[test]
fn forking_without_end_ends() {
    let python = "import os, sys\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass\n";
    let case = Case::new(&[
        ("bomb.sh", b"sh bomb.sh 86414 & sh bomb.sh 86414 & wait\n"),
        ("bomb.py", python.as_bytes()),
    ]);
    let limits = Limits { time: Duration::from_secs(30), processes: 40, ..limits() };
    // This one gives up when it cannot fork any more.
    case.run_within("sh bomb.sh 86414", &limits);
    assert_eq!(running("86414"), 0);
    if has("python3") {
        assert_eq!(case.run_within("python3 bomb.py 86414", &limits).end, Ended::TooManyProcesses);
        assert_eq!(running("86414"), 0);
    }
}

#[test]
fn a_full_disk_is_noticed() {
    let case = Case::new(&[]);
    let limits = Limits { disk: 64 << 20, file_size: 8 << 20, ..limits() };
    let many = "n=0; while :; do head -c 4000000 /dev/zero > file$n; n=$((n+1)); done";
    assert_eq!(case.run_within(many, &limits).end, Ended::TooMuchDisk);
    for place in ["$HOME", "$TMPDIR", "/tmp"] {
        assert_eq!(
            case.run_within(&format!("cd {place} && {many}"), &limits).end,
            Ended::TooMuchDisk,
            "{place}"
        );
    }
    let ran = case.run_within("head -c 100000000 /dev/zero > file; echo $(wc -c < file)", &limits);
    assert_eq!(ran.output.text().lines().last(), Some("8388608"), "{ran:?}");
    let deleted = "for n in 3 4 5 6 7 8 9; do eval \"exec $n>f\"; rm f; head -c 8000000 /dev/zero >&$n; done; \
        sh -c 'for n in 3 4 5 6 7 8 9; do eval \"exec $n>f\"; rm f; head -c 8000000 /dev/zero >&$n; done; sleep 60'; sleep 60";
    assert_eq!(case.run_within(deleted, &limits).end, Ended::TooMuchDisk);
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

#[test]
fn a_memory_hog_is_ended() {
    if !has("python3") {
        return;
    }
    let case = Case::new(&[]);
    let limits = Limits { memory: 256 << 20, ..limits() };
    // One process, several together, shared memory, and memory that is a file.
    let one = "python3 -c 'import time; x = b\"x\" * (400 << 20); time.sleep(60)'";
    assert_eq!(case.run_within(one, &limits).end, Ended::TooMuchMemory);
    // What is mapped and not used does no harm.
    let mapped = "python3 -c 'import mmap; x = mmap.mmap(-1, 100 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000); print(len(x) >> 30)'";
    assert_eq!(case.run_within(mapped, &limits).output.text(), "100\n");
    let several = "for n in 1 2 3; do python3 -c 'x = b\"x\" * (120 << 20); import time; time.sleep(60)' & done; wait";
    assert_eq!(case.run_within(several, &limits).end, Ended::TooMuchMemory);
    let file = "python3 -c '
import os, time
for _ in range(8):
    os.write(os.memfd_create(\"\"), b\"x\" * (60 << 20))
time.sleep(60)'";
    assert_eq!(case.run_within(file, &limits).end, Ended::TooMuchMemory);
    let ran = case.run_within("head -c 400000000 /dev/zero > /dev/shm/x; echo $?", &limits);
    assert!(ran.output.text().ends_with("1\n"), "{ran:?}");
}

#[test]
fn nothing_outside_is_written() {
    let root = folder(&[("a.txt", b"a\n"), ("sub/b.txt", b"b\n")]);
    let outside = folder(&[("kept.txt", b"kept\n")]);
    let (inside, out) =
        (root.path().canonicalize().unwrap(), outside.path().canonicalize().unwrap());
    symlink(&out, inside.join("out")).unwrap();
    symlink(out.join("kept.txt"), inside.join("out.txt")).unwrap();
    symlink("../../../../../../../../../../etc", inside.join("climbs")).unwrap();
    symlink(inside.join("sub"), inside.join("absolute")).unwrap();
    let case = Case::of(root);
    let before = snapshot(&out);
    let home = etcetera::home_dir().unwrap();
    let marker = format!("slotwright-escaped-{}", std::process::id());
    let (original, out, home_path) = (inside.display(), out.display(), home.display());
    // Each line is tried by itself; what the original's own path leads to is the copy.
    let command = format!(
        "echo x > {original}/a.txt; rm -f {original}/sub/b.txt; touch -d 2001-01-01 {original}/a.txt; chmod 777 {original}/sub
        echo x > {out}/kept.txt; touch {out}/{marker}; chmod 777 {out}/kept.txt; touch -d 2001-01-01 {out}/kept.txt; rm -rf {out}; mv {out} {out}2
        echo x > out/kept.txt; echo x > out.txt; touch out/{marker}; touch climbs/{marker}; echo x > absolute/new; truncate -s 0 out.txt
        for f in /tmp /var/tmp /dev/shm {home_path} / /usr /etc /run /proc /sys /opt; do touch $f/{marker}; mkdir $f/{marker}-d; done
        ln {out}/kept.txt linked; ln -s {out}/kept.txt here; echo x > here; mount -t tmpfs tmpfs {out}; mount -o remount,rw /usr
        chmod 777 /usr/bin/env; touch /usr/bin/env; chown 1 /etc/hostname; mknod dev b 7 0; echo x > /proc/sys/kernel/core_pattern
        echo finished"
    );
    let sandbox = case.sandbox(&SandboxOptions::default());
    let hosts = fs::metadata("/etc/hostname").ok().map(|m| (m.uid(), m.mode()));
    let env = fs::metadata("/usr/bin/env").map(|m| (m.mode(), m.mtime(), m.ctime())).unwrap();
    let ran = run(&sandbox, &command, &limits());
    assert!(ran.end == Ended::Exited(0) && ran.output.text().ends_with("finished\n"), "{ran:#?}");
    assert!(before == snapshot(outside.path()), "{ran:#?}");
    assert_eq!(
        fs::read(sandbox.folder().join("sub/new")).unwrap(),
        b"x\n",
        "an absolute link leads to the copy"
    );
    for folder in ["/tmp", "/var/tmp", "/dev/shm", "/", "/usr", "/etc", "/run", "/opt"]
        .map(Path::new)
        .iter()
        .chain([&home.as_path()])
    {
        assert!(
            !folder.join(&marker).exists() && !folder.join(format!("{marker}-d")).exists(),
            "{}",
            folder.display()
        );
    }
    assert_eq!(fs::metadata("/etc/hostname").ok().map(|m| (m.uid(), m.mode())), hosts);
    assert_eq!(
        fs::metadata("/usr/bin/env").map(|m| (m.mode(), m.mtime(), m.ctime())).unwrap(),
        env
    );
    drop(sandbox);
    case.check();
}

#[test]
fn secrets_are_not_readable() {
    let home = etcetera::home_dir().unwrap();
    let in_home = tempfile::Builder::new().prefix(".slotwright-test-").tempdir_in(&home).unwrap();
    fs::write(in_home.path().join("id_ed25519"), "SECRET KEY").unwrap();
    let outside = folder(&[("x", b"SECRET FILE")]);
    let case = Case::new(&[(".env", b"TOKEN=SECRET TOKEN"), (".gitignore", b".env\n")]);
    assert!(
        std::env::var_os("CARGO_MANIFEST_DIR").is_some(),
        "cargo sets what the command must not see"
    );
    let paths = [
        in_home.path().join("id_ed25519"),
        outside.path().join("x"),
        case.root().join(".env"),
        PathBuf::from("/etc/shadow"),
    ];
    let read: String = paths.iter().map(|path| format!("cat {}; ", path.display())).collect();
    let pid = std::process::id();
    let ran = case.run(&format!(
        "{read} ls -A ~ {}; cat .env; tr '\\0' '\\n' < /proc/{pid}/environ; cat /proc/*/environ | tr '\\0' '\\n' | grep CARGO_MANIFEST; \
        echo ENVIRONMENT; env",
        home.display()
    ));
    let text = ran.output.text();
    assert!(
        !text.contains("SECRET") && !text.contains("CARGO_MANIFEST") && !text.contains("root:"),
        "{text}"
    );
    let (_, environment) = text.split_once("ENVIRONMENT\n").unwrap();
    let known = |name: &str| {
        [
            "PATH", "HOME", "TMPDIR", "TMP", "TEMP", "TERM", "PWD", "OLDPWD", "SHLVL", "_", "LANG",
            "TZ", "USER", "LOGNAME", "CC", "CXX",
        ]
        .contains(&name)
            || [
                "LC_",
                "PIP_NO_",
                "npm_config_",
                "CARGO_",
                "RUSTUP_",
                "GO",
                "PYENV_",
                "PYTHONDONT",
                "LIBCLANG",
                "LD_LIBRARY",
                "NVM_",
                "JAVA_HOME",
                "VIRTUAL_ENV",
            ]
            .iter()
            .any(|beginning| name.starts_with(beginning))
    };
    for line in environment.lines() {
        let (name, _) = line.split_once('=').unwrap();
        assert!(known(name), "{line}");
    }
    assert!(
        environment.contains("\nTERM=dumb") || environment.starts_with("TERM=dumb"),
        "{environment}"
    );
}

#[test]
fn nobody_can_be_reached() {
    if !has("python3") {
        return;
    }
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let dir = tempfile::tempdir().unwrap();
    let named = std::os::unix::net::UnixListener::bind(dir.path().join("socket")).unwrap();
    let name = format!("slotwright-test-{}", std::process::id());
    let address = std::os::unix::net::SocketAddr::from_abstract_name(&name).unwrap();
    let unnamed = std::os::unix::net::UnixListener::bind_addr(&address).unwrap();
    for listener in [&named, &unnamed] {
        listener.set_nonblocking(true).unwrap();
    }
    tcp.set_nonblocking(true).unwrap();
    udp.set_nonblocking(true).unwrap();
    let (tcp_port, udp_port) = (tcp.local_addr().unwrap().port(), udp.local_addr().unwrap().port());
    let script = format!(
        "
import os, socket, sys
def attempt(what):
    try:
        what()
        print('REACHED')
    except OSError as error:
        print(type(error).__name__)
attempt(lambda: socket.create_connection(('127.0.0.1', {tcp_port}), 5))
attempt(lambda: socket.create_connection(('::1', {tcp_port}), 5))
attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {udp_port})))
attempt(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW))
attempt(lambda: socket.socket(40, socket.SOCK_STREAM))
attempt(lambda: socket.socket(socket.AF_UNIX).connect('{}'))
attempt(lambda: socket.socket(socket.AF_UNIX).connect('\\0{name}'))
a, b = socket.socketpair()
a.send(b'pair')
print(b.recv(9))
",
        dir.path().join("socket").display()
    );
    let case = Case::new(&[("try.py", script.as_bytes())]);
    let ran = case.run("python3 try.py");
    let lines: Vec<&str> = ran.output.head.lines().collect();
    assert_eq!(lines.len(), 8, "{ran:?}");
    assert_eq!(lines[..5], ["PermissionError"; 5], "{ran:?}");
    assert!(!ran.output.text().contains("REACHED") && lines[7] == "b'pair'", "{ran:?}");
    assert!(tcp.accept().is_err() && named.accept().is_err() && unnamed.accept().is_err());
    assert!(udp.recv(&mut [0; 9]).is_err());
}

#[test]
fn commands_may_talk_to_each_other() {
    if !has("python3") {
        return;
    }
    let script = "
import multiprocessing, os, pty, tempfile
from multiprocessing.managers import BaseManager
def square(n): return n * n
if __name__ == '__main__':
    for method in ('fork', 'spawn', 'forkserver'):
        with multiprocessing.get_context(method).Pool(2) as pool:
            print(method, pool.map(square, [2, 3]))
    with tempfile.NamedTemporaryFile() as file:
        print(file.write(b'xy'))
    master, slave = pty.openpty()
    print(os.isatty(slave))
";
    let case = Case::new(&[("talk.py", script.as_bytes())]);
    let sandbox = case.sandbox(&SandboxOptions::default());
    if !sandbox.isolation().has_namespace("mount") {
        println!("skipped: without a view of its own a command has no sockets with names");
        return;
    }
    let ran = run(&sandbox, "python3 talk.py", &limits());
    assert_eq!(ran.output.text(), "fork [4, 9]\nspawn [4, 9]\nforkserver [4, 9]\n2\nTrue\n");
}

#[test]
fn a_command_that_deletes_its_folder_deletes_the_copy() {
    let case = Case::new(&[("a.txt", b"a\n"), ("sub/b.txt", b"b\n")]);
    let sandbox = case.sandbox(&SandboxOptions::default());
    let ran = run(
        &sandbox,
        "rm -rf \"$PWD\" \"$PWD/..\" \"$HOME\" \"$TMPDIR\"; mkdir -p deep/er; chmod 000 deep; echo gone",
        &limits(),
    );
    assert!(ran.output.text().ends_with("gone\n"), "{ran:?}");
    assert!(!sandbox.folder().join("a.txt").exists());
    assert_eq!(run(&sandbox, "echo again", &limits()).output.text(), "again\n");
    drop(sandbox);
    case.check();
}

#[test]
fn dependencies_are_there_to_be_read() {
    let root = folder(&[
        (".gitignore", b"node_modules\nvenv\ntarget\n"),
        ("a.js", b"console.log(require('left'))\n"),
        ("node_modules/left/index.js", b"module.exports = 'left of ' + require('right')\n"),
        ("node_modules/right/index.js", b"module.exports = 'right'\n"),
        ("venv/site/module.py", b"VALUE = 1\n"),
        ("target/old", b""),
    ]);
    let case = Case::of(root);
    let sandbox = case.sandbox(&SandboxOptions::default());
    let ran = run(
        &sandbox,
        "cat venv/site/module.py; touch venv/x node_modules/left/x; ls target; mkdir target && echo made",
        &limits(),
    );
    assert!(
        ran.output.text().starts_with("VALUE = 1\n") && ran.output.text().ends_with("made\n"),
        "{ran:?}"
    );
    if has("node") {
        assert_eq!(run(&sandbox, "node a.js", &limits()).output.text(), "left of right\n");
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
    let sandbox =
        case.sandbox(&SandboxOptions { copy_dependencies: true, ..SandboxOptions::default() });
    assert_eq!(
        run(&sandbox, "touch venv/x target/y && ls target", &limits()).output.text(),
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
    let root = folder(&[(".gitignore", b".venv\n"), ("src/module.py", b"VALUE = 'original'\n")]);
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
    fs::write(packages.join("project.pth"), format!("{}\n", source.display())).unwrap();
    let script = environment.join("bin/show");
    fs::write(
        &script,
        format!("#!{}/bin/python\nimport module\nprint(module.VALUE)\n", environment.display()),
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
        "echo \"VALUE = 'edited'\" > src/module.py; .venv/bin/show; .venv/bin/python -c 'import module; print(module.VALUE)'",
        &limits(),
    );
    assert_eq!(ran.output.text(), "edited\nedited\n");
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

/// What [`a_killed_program_leaves_nothing_behind`] kills: it is this test in another process.
const HOLDER: &str = "SLOTWRIGHT_TEST_HOLDER";

#[test]
fn a_killed_program_leaves_nothing_behind() {
    if let Some(root) = std::env::var_os(HOLDER) {
        let root = PathBuf::from(root);
        let options = SandboxOptions { copy: CopyKind::Worktree, ..SandboxOptions::default() };
        let sandbox = Sandbox::within(
            &root.join("place"),
            &root.join("repository"),
            Path::new(PROGRAM),
            &options,
        )
        .unwrap();
        fs::write(root.join("ready"), "").unwrap();
        run(&sandbox, "trap '' TERM HUP; setsid sleep 86416 & sleep 86416", &limits());
        unreachable!("it is killed before");
    }
    if !has("git") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let repository = dir.path().join("repository");
    repository_in(&repository);
    let before = snapshot(&repository);
    let test = std::env::current_exe().unwrap();
    let mut holder = std::process::Command::new(test)
        .args(["--exact", "a_killed_program_leaves_nothing_behind"])
        .env(HOLDER, dir.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_until("the command has not been started", || running("86416") >= 2);
    let place = dir.path().join("place");
    let sandboxes =
        || fs::read_dir(&place).unwrap().flatten().filter(|entry| entry.path().is_dir()).count();
    // While it lives, others leave it alone.
    let case = Case {
        root: folder(&[]),
        place: tempfile::tempdir().unwrap(),
        before: BTreeMap::new(),
        program: PathBuf::from(PROGRAM),
    };
    let start = || {
        drop(
            Sandbox::within(
                &place,
                case.root.path(),
                Path::new(PROGRAM),
                &SandboxOptions::default(),
            )
            .unwrap(),
        )
    };
    start();
    assert_eq!(sandboxes(), 1);
    holder.kill().unwrap();
    holder.wait().unwrap();
    wait_until("the command still runs", || running("86416") == 0);
    assert!(repository.join(".git/worktrees").exists());
    // The process that watched may still hold it for a moment.
    wait_until("the next start does not remove the sandbox", || {
        start();
        sandboxes() == 0
    });
    assert!(
        without_times(&before) == without_times(&snapshot(&repository)),
        "the repository has changed"
    );
}

/// The process that watches is killed by somebody else, such as the kernel for want of memory.
#[test]
fn without_its_watch_the_command_ends() {
    let case = Case::new(&[]);
    let sandbox = case.sandbox(&SandboxOptions::default());
    if !sandbox.isolation().has_namespace("pid") {
        println!(
            "skipped: without a namespace of its own a command is not bound to the process that watches it"
        );
        return;
    }
    let kill_watch = || {
        let has_command = |pid: &u32| {
            let mut below = vec![*pid];
            while let Some(pid) = below.pop() {
                if fs::read(format!("/proc/{pid}/cmdline"))
                    .is_ok_and(|line| line == b"sleep\086418\0")
                {
                    return true;
                }
                below.extend(processes::children(pid));
            }
            false
        };
        wait_until("the command has not been started", || {
            processes::children(std::process::id()).iter().any(has_command)
        });
        processes::children(std::process::id())
            .into_iter()
            .filter(has_command)
            .for_each(|pid| processes::signal(pid, "KILL"));
    };
    let failed = std::thread::scope(|scope| {
        scope.spawn(kill_watch);
        let command = Command::Shell("setsid sleep 86418 & sleep 86418".to_owned());
        runtime().block_on(sandbox.run(&command, &limits())).unwrap_err()
    });
    assert!(failed.to_string().contains("signal: 9"), "{failed}");
    wait_until("the command still runs", || running("86418") == 0);
    assert_eq!(run(&sandbox, "echo again", &limits()).output.text(), "again\n");
    drop(sandbox);
    case.check();
}

#[test]
fn a_crowd_of_sandboxes_does_not_mix() {
    let case = Case::new(&[("a.txt", b"a\n")]);
    let sandboxes: Vec<Sandbox> =
        (0..4).map(|_| case.sandbox(&SandboxOptions::default())).collect();
    std::thread::scope(|scope| {
        let runs: Vec<_> = sandboxes
            .iter()
            .enumerate()
            .map(|(n, sandbox)| {
                scope.spawn(move || {
                    run(sandbox, &format!("echo {n} > a.txt; sleep 0.2; cat a.txt"), &limits())
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
        ("hello.c", b"#include <stdio.h>\nint main(void) { puts(\"hello\"); return 0; }\n"),
        ("Cargo.toml", b"[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
        ("src/lib.rs", b"#[test]\nfn works() { assert_eq!(1 + 1, 2); }\n"),
        (".gitignore", b"target\n"),
    ]);
    if has("make") && has("cc") {
        let ran = case.run("make");
        assert!(ran.end == Ended::Exited(0) && ran.output.text().ends_with("hello\n"), "{ran:?}");
    }
    if has("cargo") {
        let ran = case.run("cargo test --offline 2>&1");
        assert!(
            ran.end == Ended::Exited(0) && ran.output.text().contains("test works ... ok"),
            "{ran:?}"
        );
    }
}

/// The program where there are no namespaces to be had, nor control groups: in a user namespace
/// that may have none in it.
fn program_without_namespaces() -> Option<TempDir> {
    let script = format!(
        "#!/bin/sh\nexec unshare --user --map-root-user --mount sh -c 'mount -t tmpfs none /sys/fs/cgroup && echo 0 > /proc/sys/user/max_user_namespaces && exec \"$0\" \"$@\"' {PROGRAM} \"$@\"\n"
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
    let Some(program) = program_without_namespaces() else { return };
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
        isolation.confines() && isolation.namespaces.is_empty() && isolation.cgroup.is_empty(),
        "{isolation}"
    );
    assert!(isolation.missing.iter().any(|m| m.starts_with("namespaces (")), "{isolation}");
    drop(sandbox);

    let outside = folder(&[("kept.txt", b"SECRET\n")]);
    let before = snapshot(outside.path());
    let (original, out) = (case.root(), outside.path().display());
    let original = original.display();
    let ran = case.run(&format!(
        "echo x > {original}/a.txt; rm {original}/a.txt; touch {original}/new; echo x > venv/module.py; truncate -s 0 {out}/kept.txt
        cat {out}/kept.txt /etc/shadow; rm -rf {out}; touch /tmp/slotwright-escaped /dev/shm/slotwright-escaped; kill -9 {}; cat venv/module.py; echo end",
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

    let short = Limits { time: Duration::from_secs(2), ..limits() };
    let ran = case.run_within(
        "trap '' TERM; (setsid sh -c 'setsid sleep 86417 & sleep 86417' &); sleep 86417",
        &short,
    );
    assert_eq!((ran.end, running("86417")), (Ended::TimedOut, 0));
    let ran = case.run("(setsid sh -c 'trap \"\" TERM; sleep 86417 & sleep 86417' >/dev/null 2>&1 &); sleep 1; echo done");
    assert_eq!(
        (ran.end, ran.output.text().as_str(), running("86417")),
        (Ended::Exited(0), "done\n", 0)
    );
    let ran = case.run_within("sh fork.sh 86417", &Limits { processes: 40, ..limits() });
    assert_eq!((ran.end, running("86417")), (Ended::TooManyProcesses, 0));

    if has("python3") {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        let connect = format!("import socket; socket.create_connection((\"127.0.0.1\", {port}))");
        let ran = case.run(&format!(
            "python3 -c '{connect}'; python3 -c 'import socket; socket.socketpair(); socket.socket(socket.AF_UNIX)'"
        ));
        assert_eq!(ran.output.text().matches("PermissionError").count(), 2, "{ran:?}");
        assert!(listener.accept().is_err());
        let hog = "python3 -c 'import time; x = b\"x\" * (400 << 20); time.sleep(60)'";
        assert_eq!(
            case.run_within(hog, &Limits { memory: 256 << 20, ..limits() }).end,
            Ended::TooMuchMemory
        );
    }
}

/// The output's pipe is read while the command runs, so that it never waits.
#[test]
fn a_command_that_closes_its_output_is_waited_for() {
    let case = Case::new(&[]);
    let sandbox = case.sandbox(&SandboxOptions::default());
    let ran = run(&sandbox, "exec >&- 2>&-; sleep 0.3; : > done", &limits());
    assert_eq!(ran.end, Ended::Exited(0));
    let mut text = String::new();
    fs::File::open(sandbox.folder().join("done")).unwrap().read_to_string(&mut text).unwrap();
    assert_eq!((text.as_str(), ran.output.text().as_str()), ("", ""));
}
