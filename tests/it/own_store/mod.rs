//! `slotwright models pull`, `import`, `remove` and `default`: with a hub of the tests' own that
//! fails in every way that hubs and networks do.

mod fetch;
mod keep;
mod pull;

use crate::support::Run;
use crate::support::model_stores::{Home, model};
use crate::support::server::{Asked, Server, To, head, whole};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

const REPOSITORY: &str = "someone/Tiny-GGUF";
const FILE: &str = "tiny-Q8_0.gguf";

/// The bytes of a model that can be listed.
fn model_bytes() -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.gguf");
    model(&path);
    fs::read(path).unwrap()
}

fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .fold(String::new(), |mut text, byte| {
            write!(text, "{byte:02x}").unwrap();
            text
        })
}

/// What a hub says of its only repository.
fn describe(to: To, files: &[(&str, &[u8])]) -> io::Result<()> {
    let siblings: Vec<Value> = files
        .iter()
        .map(|(name, bytes)| {
            let lfs = json!({"sha256": sum(bytes), "size": bytes.len(), "pointerSize": 130});
            json!({"rfilename": name, "size": bytes.len(), "lfs": lfs})
        })
        .collect();
    let tags = json!(["gguf", "license:apache-2.0"]);
    let body = json!({"id": REPOSITORY, "tags": tags, "siblings": siblings});
    whole(to, 200, "application/json", &body.to_string())
}

fn is_description(asked: &Asked) -> bool {
    asked.path.starts_with("/api/models/")
}

/// The first byte that is asked for.
fn range(asked: &Asked) -> Option<usize> {
    let lower = asked.headers.to_lowercase();
    let range = lower
        .lines()
        .find_map(|line| line.strip_prefix("range: bytes="))?;
    range.trim_end().trim_end_matches('-').parse().ok()
}

/// Sends a file from the byte on that is asked for, and stops at `end`.
fn send(asked: &Asked, to: To, bytes: &[u8], end: usize) -> io::Result<()> {
    let first = range(asked).unwrap_or(0);
    let length = format!("Content-Length: {}\r\n", bytes.len() - first);
    if first > 0 {
        let range = format!(
            "Content-Range: bytes {first}-{}/{1}\r\n",
            bytes.len() - 1,
            bytes.len()
        );
        head(to, 206, "application/octet-stream", &(length + &range))?;
    } else {
        head(to, 200, "application/octet-stream", &length)?;
    }
    to.write_all(&bytes[first..end.max(first)])
}

/// A hub with one repository of one model, which answers for the file like this. The number counts
/// the questions for the file, from 0.
fn hub(
    answer: impl Fn(usize, &Asked, To, &[u8]) -> io::Result<()> + Send + Sync + 'static,
) -> Server {
    let bytes = model_bytes();
    let n_asked = AtomicUsize::new(0);
    Server::new(move |asked, to| {
        if is_description(asked) {
            return describe(to, &[("README.md", b"hello"), (FILE, &bytes)]);
        }
        answer(n_asked.fetch_add(1, Ordering::SeqCst), asked, to, &bytes)
    })
}

/// A hub that works.
fn sound() -> Server {
    hub(|_, asked, to, bytes| send(asked, to, bytes, bytes.len()))
}

fn endpoint(server: &Server) -> String {
    server.address.trim_end_matches("/v1").to_owned()
}

/// The questions for files.
fn downloads(server: &Server) -> Vec<Asked> {
    server
        .asked()
        .into_iter()
        .filter(|asked| !is_description(asked))
        .collect()
}

fn command(home: &Home, server: &Server, arguments: &[&str]) -> Command {
    let mut command = home.command();
    command
        .env("HF_ENDPOINT", endpoint(server))
        .env_remove("HF_TOKEN")
        .args(arguments);
    command.env("XDG_CONFIG_HOME", home.path(".config"));
    command
}

fn pull(home: &Home, server: &Server) -> Run {
    Run::from(
        command(home, server, &["models", "pull", REPOSITORY])
            .output()
            .unwrap(),
    )
}

fn place(home: &Home) -> PathBuf {
    home.path(".local/share/slotwright/models")
        .join(REPOSITORY)
        .join(FILE)
}

/// All files below a folder, without their folders.
fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut names = Vec::new();
    for entry in entries.map(Result::unwrap) {
        if entry.path().is_dir() {
            names.extend(self::names(&entry.path()));
        } else {
            names.push(entry.file_name().into_string().unwrap());
        }
    }
    names
}
