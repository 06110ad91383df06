//! Commands that reach for what is outside: files, secrets, sockets.

use super::case::{Case, has, limits, run, snapshot};
use crate::support::folder;
use slotwright::sandbox::{Ended, SandboxOptions};
use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

#[test]
fn nothing_outside_is_written() {
    let root = folder(&[("a.txt", b"a\n"), ("sub/b.txt", b"b\n")]);
    let outside = folder(&[("kept.txt", b"kept\n")]);
    let (inside, out) = (
        root.path().canonicalize().unwrap(),
        outside.path().canonicalize().unwrap(),
    );
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
        "echo x > {original}/a.txt; rm -f {original}/sub/b.txt
        touch -d 2001-01-01 {original}/a.txt; chmod 777 {original}/sub
        echo x > {out}/kept.txt; touch {out}/{marker}; chmod 777 {out}/kept.txt
        touch -d 2001-01-01 {out}/kept.txt; rm -rf {out}; mv {out} {out}2
        echo x > out/kept.txt; echo x > out.txt; touch out/{marker}; touch climbs/{marker}
        echo x > absolute/new; truncate -s 0 out.txt
        for f in /tmp /var/tmp /dev/shm {home_path} / /usr /etc /run /proc /sys /opt; do
            touch $f/{marker}; mkdir $f/{marker}-d
        done
        ln {out}/kept.txt linked; ln -s {out}/kept.txt here; echo x > here
        mount -t tmpfs tmpfs {out}; mount -o remount,rw /usr
        chmod 777 /usr/bin/env; touch /usr/bin/env; chown 1 /etc/hostname; mknod dev b 7 0
        echo x > /proc/sys/kernel/core_pattern
        echo finished"
    );
    let sandbox = case.sandbox(&SandboxOptions::default());
    let hosts = fs::metadata("/etc/hostname")
        .ok()
        .map(|m| (m.uid(), m.mode()));
    let env = fs::metadata("/usr/bin/env")
        .map(|m| (m.mode(), m.mtime(), m.ctime()))
        .unwrap();
    let ran = run(&sandbox, &command, &limits());
    assert!(
        ran.end == Ended::Exited(0) && ran.output.text().ends_with("finished\n"),
        "{ran:#?}"
    );
    assert!(before == snapshot(outside.path()), "{ran:#?}");
    assert_eq!(
        fs::read(sandbox.folder().join("sub/new")).unwrap(),
        b"x\n",
        "an absolute link leads to the copy"
    );
    for folder in [
        "/tmp", "/var/tmp", "/dev/shm", "/", "/usr", "/etc", "/run", "/opt",
    ]
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
    assert_eq!(
        fs::metadata("/etc/hostname")
            .ok()
            .map(|m| (m.uid(), m.mode())),
        hosts
    );
    assert_eq!(
        fs::metadata("/usr/bin/env")
            .map(|m| (m.mode(), m.mtime(), m.ctime()))
            .unwrap(),
        env
    );
    drop(sandbox);
    case.check();
}

#[test]
fn secrets_are_not_readable() {
    let home = etcetera::home_dir().unwrap();
    let in_home = tempfile::Builder::new()
        .prefix(".slotwright-test-")
        .tempdir_in(&home)
        .unwrap();
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
    let read: String = paths
        .iter()
        .map(|path| format!("cat {}; ", path.display()))
        .collect();
    let pid = std::process::id();
    let ran = case.run(&format!(
        "{read} ls -A ~ {}; cat .env; tr '\\0' '\\n' < /proc/{pid}/environ; \
         cat /proc/*/environ | tr '\\0' '\\n' | grep CARGO_MANIFEST; \
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
    let (tcp_port, udp_port) = (
        tcp.local_addr().unwrap().port(),
        udp.local_addr().unwrap().port(),
    );
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
attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', \
{udp_port})))
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
    assert!(
        !ran.output.text().contains("REACHED") && lines[7] == "b'pair'",
        "{ran:?}"
    );
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
    assert_eq!(
        ran.output.text(),
        "fork [4, 9]\nspawn [4, 9]\nforkserver [4, 9]\n2\nTrue\n"
    );
}
