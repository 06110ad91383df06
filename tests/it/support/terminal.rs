//! The program on a terminal.

use super::script::Script;
use super::{PROGRAM, quiet};
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Runs the program on a terminal (the `script` of util-linux), and talks to it there.
pub struct Terminal {
    child: Child,
    said: std::sync::mpsc::Receiver<Vec<u8>>,
    /// All that came so far.
    pub raw: String,
    /// The same without colours.
    pub screen: String,
}

impl Terminal {
    /// `slotwright edit` on a folder, with these arguments as a shell takes them and a script as
    /// the model.
    pub fn edit(script: &Script, root: &Path, arguments: &str) -> Option<Terminal> {
        // A shell that stays would end by a Ctrl-C itself, once the program has.
        let line = format!(
            "exec '{PROGRAM}' edit --root '{}' {arguments}",
            root.display()
        );
        Terminal::run_scripted(script, &line)
    }

    /// A line for the shell. `None` where there is no terminal to be had, which is said.
    pub fn run(line: &str) -> Option<Terminal> {
        Terminal::start(line, &[])
    }

    /// The same, with a script as the model.
    pub fn run_scripted(script: &Script, line: &str) -> Option<Terminal> {
        Terminal::start(line, &script.environment())
    }

    fn start(line: &str, environment: &[(&'static str, OsString)]) -> Option<Terminal> {
        let probe = Command::new("script")
            .args(["-qec", "true", "/dev/null"])
            .stdin(Stdio::null())
            .output();
        if !probe.is_ok_and(|p| p.status.success()) {
            println!("skipped: there is no util-linux `script` here to make a terminal with");
            return None;
        }

        let mut command = Command::new("script");
        command.args(["-qec", line, "/dev/null"]);
        let mut child = quiet(&mut command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .env("TERM", "xterm")
            .env("SHELL", "/bin/sh") // the same everywhere
            .envs(environment.iter().cloned())
            .spawn()
            .unwrap();
        let mut out = child.stdout.take().unwrap();
        let (send, said) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = out.read(&mut buffer) {
                let _ = send.send(buffer[..n].to_vec());
            }
        });
        Some(Terminal {
            child,
            said,
            raw: String::new(),
            screen: String::new(),
        })
    }

    /// Waits until this stands on the screen.
    #[track_caller]
    pub fn wait_for(&mut self, text: &str) {
        while !self.screen.contains(text) {
            match self.said.recv_timeout(Duration::from_secs(60)) {
                Ok(bytes) => {
                    self.raw.push_str(&String::from_utf8_lossy(&bytes));
                    self.screen = without_colors(&self.raw);
                }
                Err(_) => panic!("{text:?} never came: {}", self.screen),
            }
        }
    }

    /// Waits until this stands on the screen, and forgets what is before it. Returns that.
    #[track_caller]
    pub fn wait_past(&mut self, text: &str) -> String {
        self.wait_for(text);
        let end = self.screen.find(text).unwrap() + text.len();
        let after = self.screen.split_off(end);
        self.raw.clone_from(&after);
        std::mem::replace(&mut self.screen, after)
    }

    /// Waits for a question that has not been answered yet, and answers it.
    #[track_caller]
    pub fn answer(&mut self, question: &str, answer: &str) {
        self.wait_for(question);
        // What is typed before the question stands does not count.
        self.raw = self.raw.replace(question, "(answered)");
        self.screen.clear();
        self.write(answer);
    }

    pub fn write(&mut self, text: impl AsRef<[u8]>) {
        self.child
            .stdin
            .as_mut()
            .unwrap()
            .write_all(text.as_ref())
            .unwrap();
    }

    /// The same, if it ends within a second.
    pub fn exit_code_soon(&mut self) -> Option<i32> {
        for _ in 0..100 {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        None
    }

    pub fn exit_code(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

/// Without the sequences that set colours. Others stay.
fn without_colors(text: &str) -> String {
    let mut pieces = text.split("\x1b[");
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let end = piece
            .find(|c: char| !c.is_ascii_digit() && c != ';')
            .unwrap_or(piece.len());
        match piece[end..].strip_prefix('m') {
            Some(rest) => plain.push_str(rest),
            None => plain.extend(["\x1b[", piece]),
        }
    }
    plain
}
