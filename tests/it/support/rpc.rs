//! A program that speaks JSON-RPC over its standard input and output, a message a line.

use super::{PROGRAM, quiet};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

/// A test that waits so long for a message has failed.
const PATIENCE: Duration = Duration::from_secs(120);

/// The program, and the test's end of the line.
pub struct RpcProgram {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Messages that came while another one was waited for.
    unread: Vec<Value>,
    n_requests: u64,
}

impl RpcProgram {
    /// Starts `slotwright` with these arguments, in a folder, with the bundled model unless `change`
    /// says something else.
    pub fn start(root: &Path, arguments: &[&str], change: impl FnOnce(&mut Command)) -> RpcProgram {
        let mut command = Command::new(PROGRAM);
        quiet(command.args(arguments)).current_dir(root);
        change(&mut command);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (send, messages) = mpsc::channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line)
                    .unwrap_or_else(|error| panic!("{error}: not a message: {line}"));
                if send.send(message).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        RpcProgram {
            child,
            input,
            messages,
            unread: Vec::new(),
            n_requests: 0,
        }
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a line as it is. A program that has ended takes none.
    pub fn send_line(&mut self, line: &[u8]) {
        let input = self.input.as_mut().expect("it has not been ended");
        let _ = input.write_all(line).and_then(|()| input.write_all(b"\n"));
        let _ = input.flush();
    }

    pub fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes());
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request. Gives its number.
    pub fn request(&mut self, method: &str, params: Value) -> u64 {
        self.n_requests += 1;
        let id = self.n_requests;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Answers a request of the program.
    pub fn respond(&mut self, request: &Value, result: Value) {
        self.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
    }

    /// The next message that is wanted; the others are kept.
    #[track_caller]
    pub fn wait_for(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.unread.iter().position(&is_wanted) {
            return self.unread.remove(at);
        }
        loop {
            let message = self.messages.recv_timeout(PATIENCE);
            let message = message.unwrap_or_else(|error| panic!("{error}; {:?}", self.unread));
            if is_wanted(&message) {
                return message;
            }
            self.unread.push(message);
        }
    }

    /// The answer to a request, an error too.
    #[track_caller]
    pub fn answer(&mut self, id: u64) -> Value {
        self.wait_for(|message| message["id"] == id && message.get("method").is_none())
    }

    /// The next request or notification of this method.
    #[track_caller]
    pub fn wait_for_method(&mut self, method: &str) -> Value {
        self.wait_for(|message| message["method"] == method)
    }

    /// Sends a request and waits for its result.
    #[track_caller]
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let mut answer = self.answer(id);
        assert!(answer.get("error").is_none(), "{answer:#}");
        answer["result"].take()
    }

    /// Closes its input and waits for its end. Gives what it said on standard error.
    pub fn end(mut self) -> (ExitStatus, String) {
        drop(self.input.take());
        let mut said = String::new();
        self.child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut said)
            .unwrap();
        (self.child.wait().unwrap(), said)
    }
}

impl Drop for RpcProgram {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may have ended
        let _ = self.child.wait();
    }
}
