//! `slotwright models pull`, `import`, `remove` and `default`: with a hub of the tests' own that
//! fails in every way that hubs and networks do.

use crate::support::Run;
use crate::support::model_stores::{Home, model};
use crate::support::server::{Asked, Server, To, head, whole};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use slotwright::own_store::{Hub, Limits, RemoteFile, Step, StoreError, fetch, fetch::unfinished};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

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
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
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
    let card = json!({"license": "apache-2.0"});
    let body = json!({"id": REPOSITORY, "cardData": card, "siblings": siblings});
    whole(to, 200, "application/json", &body.to_string())
}

fn is_description(asked: &Asked) -> bool {
    asked.path.starts_with("/api/models/")
}

/// The first byte that is asked for.
fn range(asked: &Asked) -> Option<usize> {
    let lower = asked.headers.to_lowercase();
    let range = lower.lines().find_map(|line| line.strip_prefix("range: bytes="))?;
    range.trim_end().trim_end_matches('-').parse().ok()
}

/// Sends a file from the byte on that is asked for, and stops at `end`.
fn send(asked: &Asked, to: To, bytes: &[u8], end: usize) -> io::Result<()> {
    let first = range(asked).unwrap_or(0);
    let length = format!("Content-Length: {}\r\n", bytes.len() - first);
    if first > 0 {
        let range =
            format!("Content-Range: bytes {first}-{}/{1}\r\n", bytes.len() - 1, bytes.len());
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
    server.asked().into_iter().filter(|asked| !is_description(asked)).collect()
}

fn command(home: &Home, server: &Server, arguments: &[&str]) -> Command {
    let mut command = home.command();
    command.env("HF_ENDPOINT", endpoint(server)).env_remove("HF_TOKEN").args(arguments);
    command.env("XDG_CONFIG_HOME", home.path(".config"));
    command
}

fn pull(home: &Home, server: &Server) -> Run {
    Run::from(command(home, server, &["models", "pull", REPOSITORY]).output().unwrap())
}

fn place(home: &Home) -> PathBuf {
    home.path(".local/share/slotwright/models").join(REPOSITORY).join(FILE)
}

/// All files below a folder, without their folders.
fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
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

/// A place for a file, and what fetching it comes to, within limits that a test can wait for.
struct Fetching {
    dir: tempfile::TempDir,
    file: RemoteFile,
    limits: Limits,
}

impl Fetching {
    fn new() -> Fetching {
        let bytes = model_bytes();
        let limits = Limits {
            connect: Duration::from_secs(5),
            silence: Duration::from_secs(20),
            pause: Duration::from_millis(5),
            tries: 3,
            wait: Duration::from_secs(2),
        };
        let file = RemoteFile::new(FILE.to_owned(), bytes.len() as u64, Some(sum(&bytes)));
        Fetching { dir: tempfile::tempdir().unwrap(), file: file.unwrap(), limits }
    }

    fn to(&self) -> PathBuf {
        self.dir.path().join("store").join(FILE)
    }

    /// Puts the beginning of a file where the next attempt looks for it.
    fn begin(&self, bytes: &[u8]) -> PathBuf {
        let part = self.to().with_file_name(format!(".{FILE}.{}.part", &sum(&model_bytes())[..12]));
        fs::create_dir_all(part.parent().unwrap()).unwrap();
        fs::write(&part, bytes).unwrap();
        assert_eq!(unfinished(&self.file, &self.to()).as_ref(), Some(&part));
        part
    }

    /// Also the number of times that the connection was made again.
    fn run(&self, server: &Server) -> (Result<(), StoreError>, usize) {
        let mut hub = Hub::new(&endpoint(server), None).unwrap();
        hub.limits = self.limits;
        let mut n_again = 0;
        let mut on_step = |step: Step| n_again += usize::from(matches!(step, Step::Again(_)));
        let to = self.to();
        let fetched = fetch(&hub, REPOSITORY, &self.file, &to, &mut on_step);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        (runtime.block_on(fetched), n_again)
    }

    /// Fails, and leaves nothing under the file's name.
    fn fails(&self, server: &Server) -> StoreError {
        let error = self.run(server).0.unwrap_err();
        assert!(!self.to().exists());
        error
    }

    #[track_caller]
    fn succeeds(&self, server: &Server) -> usize {
        let (result, n_again) = self.run(server);
        result.unwrap();
        assert_eq!(fs::read(self.to()).unwrap(), model_bytes());
        assert_eq!(names(self.dir.path()), [FILE], "nothing else is left");
        n_again
    }
}

#[test]
fn a_model_is_fetched_and_is_used_from_then_on() {
    let (home, server) = (Home::new(), sound());
    let run = pull(&home, &server).says(0, "slotwright: fetching tiny-Q8_0.gguf (");
    let text = &run.stderr;
    assert!(
        text.contains(&format!("apache-2.0) from {}/{REPOSITORY}", endpoint(&server))),
        "{text}"
    );
    assert!(text.contains("slotwright: fetched someone/Tiny-GGUF:Q8_0 to /"), "{text}");
    assert!(text.contains("--model someone/Tiny-GGUF:Q8_0 uses it"), "{text}");
    assert_eq!(fs::read(place(&home)).unwrap(), model_bytes());
    assert_eq!(home.models(), ["slotwright someone/Tiny-GGUF:Q8_0"]);
    assert_eq!(downloads(&server)[0].path, format!("/{REPOSITORY}/resolve/main/{FILE}"));

    let again = pull(&home, &server).says(0, "someone/Tiny-GGUF:Q8_0 is here already (slotwright)");
    assert_eq!(again.stdout, "");
    assert_eq!(downloads(&server).len(), 1);

    let json = command(&home, &server, &["models", "pull", "--json", REPOSITORY]).output().unwrap();
    let report: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(report["status"], "already_done");
    assert_eq!(report["path"], place(&home).to_str().unwrap());
    assert_eq!(report["licence"], "apache-2.0");
}

#[test]
fn what_another_program_has_is_not_fetched_again() {
    let (home, server) = (Home::new(), sound());
    home.hub(".cache/huggingface/hub", REPOSITORY, FILE);
    pull(&home, &server).says(0, "someone/Tiny-GGUF:Q8_0 is here already (hf)");
    assert!(downloads(&server).is_empty() && !place(&home).exists());
}

#[test]
fn a_broken_connection_is_gone_on_with() {
    let fetching = Fetching::new();
    let server = hub(|n, asked, to, bytes| {
        assert_eq!(range(asked), [None, Some(100), Some(200)][n]);
        send(asked, to, bytes, if n < 2 { 100 * (n + 1) } else { bytes.len() })
    });
    assert_eq!(fetching.succeeds(&server), 2);
}

#[test]
fn what_an_earlier_run_fetched_is_gone_on_with() {
    let fetching = Fetching::new();
    fetching.begin(&model_bytes()[..70]);
    let server = sound();
    assert_eq!(fetching.succeeds(&server), 0);
    assert_eq!(downloads(&server).iter().map(range).collect::<Vec<_>>(), [Some(70)]);

    // All of it was there; only its name was missing.
    let fetching = Fetching::new();
    fetching.begin(&model_bytes());
    fetching.succeeds(&server);
    assert_eq!(downloads(&server).len(), 1);
}

#[test]
fn a_server_that_cannot_go_on_sends_the_file_again() {
    for refusal in [200, 206, 416] {
        let fetching = Fetching::new();
        fetching.begin(&model_bytes()[..70]);
        let server = hub(move |n, asked, to, bytes| match (n, refusal) {
            (0, 416) => whole(to, 416, "text/plain", "no such range"),
            // Another range than the one that was asked for.
            (0, 206) => {
                let range = format!("Content-Range: bytes 0-9/{}\r\n", bytes.len());
                head(to, 206, "text/plain", &format!("Content-Length: 10\r\n{range}"))?;
                to.write_all(&bytes[..10])
            }
            _ => {
                head(to, 200, "text/plain", &format!("Content-Length: {}\r\n", bytes.len()))?;
                assert!(n > 0 || range(asked).is_some());
                to.write_all(bytes)
            }
        });
        fetching.succeeds(&server);
    }
}

#[test]
fn what_is_not_the_publishers_file_never_gets_its_name() {
    let fetching = Fetching::new();
    let other = hub(|_, asked, to, bytes| {
        let mut bytes = bytes.to_owned();
        *bytes.last_mut().unwrap() ^= 1;
        send(asked, to, &bytes, bytes.len())
    });
    let error = fetching.fails(&other);
    assert!(matches!(error, StoreError::WrongSum { .. }), "{error}");
    assert!(names(fetching.dir.path()).is_empty(), "it is not gone on with");

    for change in [-1, 1] {
        let longer = hub(move |_, _, to, bytes| {
            let n = bytes.len().checked_add_signed(change).unwrap();
            head(to, 200, "application/octet-stream", &format!("Content-Length: {n}\r\n"))?;
            to.write_all(&[bytes, b"!"].concat()[..n])
        });
        let error = fetching.fails(&longer);
        assert!(matches!(error, StoreError::WrongSize { .. }), "{error}");
    }
    // Of a length that it does not name.
    let endless = hub(|_, _, to, bytes| {
        head(to, 200, "application/octet-stream", "")?;
        (0..1_000).try_for_each(|_| to.write_all(bytes))
    });
    let error = fetching.fails(&endless);
    assert!(matches!(error, StoreError::WrongSize { .. }), "{error}");
}

#[test]
fn a_beginning_that_was_damaged_on_the_disk_is_fetched_again() {
    let fetching = Fetching::new();
    fetching.begin(&[0; 70]);
    let server = sound();
    assert_eq!(fetching.succeeds(&server), 1);
    assert_eq!(downloads(&server).iter().map(range).collect::<Vec<_>>(), [Some(70), None]);
    // Longer than the file is.
    let fetching = Fetching::new();
    fetching.begin(&[0; 100_000]);
    fetching.succeeds(&server);
}

#[test]
fn a_file_that_is_no_model_is_not_kept() {
    let bytes = b"version https://git-lfs.github.com/spec/v1".as_slice();
    let mut fetching = Fetching::new();
    fetching.file = RemoteFile::new(FILE.to_owned(), bytes.len() as u64, Some(sum(bytes))).unwrap();
    let server = hub(move |_, asked, to, _| send(asked, to, bytes, bytes.len()));
    let error = fetching.fails(&server);
    assert!(matches!(error, StoreError::Unusable { .. }), "{error}");
    assert!(names(fetching.dir.path()).is_empty());
}

#[test]
fn a_connection_that_breaks_for_good_says_what_is_here() {
    let fetching = Fetching::new();
    let server = hub(|n, asked, to, bytes| match n {
        0 => send(asked, to, bytes, 100),
        _ => Ok(()),
    });
    let error = fetching.fails(&server).to_string();
    assert!(error.contains("broke off at 100 of"), "{error}");
    assert_eq!(
        downloads(&server).len(),
        4,
        "as many tries as allowed, after the one that brought some"
    );
    assert_eq!(fs::read(unfinished(&fetching.file, &fetching.to()).unwrap()).unwrap().len(), 100);
    fetching.succeeds(&sound());
}

#[test]
fn a_slow_server_is_waited_for_and_a_silent_one_is_not() {
    let mut fetching = Fetching::new();
    fetching.limits.silence = Duration::from_millis(400);
    let slow = hub(|_, asked, to, bytes| {
        send(asked, to, bytes, 0)?;
        for piece in bytes.chunks(bytes.len() / 5) {
            to.write_all(piece)?;
            to.flush()?;
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(())
    });
    assert_eq!(fetching.succeeds(&slow), 0);
    let mut fetching = Fetching::new();
    fetching.limits = Limits { silence: Duration::from_millis(200), tries: 1, ..fetching.limits };
    let silent = hub(|_, asked, to, bytes| {
        send(asked, to, bytes, 50)?;
        to.flush()?;
        std::thread::sleep(Duration::from_secs(3));
        Ok(())
    });
    let error = fetching.fails(&silent).to_string();
    assert!(error.contains("broke off at 50 of") && error.contains("sent nothing"), "{error}");
}

#[test]
fn a_busy_server_is_asked_again_but_not_for_ever() {
    let fetching = Fetching::new();
    let server = hub(|n, asked, to, bytes| match n {
        0 => whole(to, 503, "text/html", "<title>later</title>"),
        1 => {
            head(to, 429, "text/plain", "Retry-After: 1\r\nContent-Length: 0\r\n")?;
            Ok(())
        }
        _ => send(asked, to, bytes, bytes.len()),
    });
    assert_eq!(fetching.succeeds(&server), 2);
    let fetching = Fetching::new();
    let server = hub(|_, _, to, _| {
        head(to, 429, "text/plain", "Retry-After: 3600\r\nContent-Length: 0\r\n")
    });
    let error = fetching.fails(&server).to_string();
    assert!(error.contains("answers 429: no reason given"), "{error}");
    assert_eq!(downloads(&server).len(), 1);
}

#[test]
fn two_programs_do_not_fetch_the_same_file_at_once() {
    let fetching = Fetching::new();
    let part = fetching.begin(b"");
    let other = fs::File::open(part).unwrap();
    other.lock().unwrap();
    let error = fetching.fails(&sound());
    assert!(error.to_string().ends_with("is being fetched by another slotwright"), "{error}");
    drop(other);
    fetching.succeeds(&sound());
}

#[test]
fn refusals_say_what_to_do() {
    let check = |status: u16, headers: &'static str, body: &'static str, messages: &[&str]| {
        let home = Home::new();
        let server = Server::new(move |_, to| {
            let length = format!("Content-Length: {}\r\n", body.len());
            head(to, status, "application/json", &(length + headers))?;
            to.write_all(body.as_bytes())
        });
        let run = pull(&home, &server).says(2, "slotwright: ");
        for message in messages {
            assert!(run.stderr.contains(message), "{message:?} is not in {run:#?}");
        }
        assert!(!home.path(".local").exists());
    };
    check(404, "", "{}", &["has no someone/Tiny-GGUF", "is the name right?"]);
    check(401, "X-Error-Code: RepoNotFound\r\n", "{}", &["has no someone/Tiny-GGUF"]);
    let gated = r#"{"error": "Access is restricted.\u001b[31m"}"#;
    check(
        401,
        "X-Error-Code: GatedRepo\r\n",
        gated,
        &[
            "does not give someone/Tiny-GGUF to somebody without a token: Access is restricted.",
            "hint: set HF_TOKEN to a token of yours",
        ],
    );
    check(403, "X-Error-Message: not yours\r\n", "<html>", &["not yours"]);
}

#[test]
fn an_unknown_name_is_told_what_there_is() {
    let (home, server) = (Home::new(), sound());
    let check = |name: &str, messages: &[&str]| {
        let output = command(&home, &server, &["models", "pull", name]).output().unwrap();
        let run = Run::from(output).says(2, "slotwright: ");
        for message in messages {
            assert!(run.stderr.contains(message), "{message:?} is not in {run:#?}");
        }
    };
    check("qwen", &["neither in the catalogue nor PUBLISHER/REPOSITORY", "qwen2.5-coder-1.5b, "]);
    check(
        "someone/Tiny-GGUF:Q2_K",
        &["someone/Tiny-GGUF has no file \"Q2_K\"", "hint: it has: tiny-Q8_0.gguf"],
    );
    assert!(downloads(&server).is_empty());
}

#[test]
fn the_token_goes_to_the_hub_alone() {
    let files = Server::new(|asked, to| {
        let bytes = model_bytes();
        send(asked, to, &bytes, bytes.len())
    });
    let elsewhere = format!("{}/signed?key=1", endpoint(&files));
    let hub = hub(move |_, _, to, _| {
        head(to, 302, "text/plain", &format!("Location: {elsewhere}\r\nContent-Length: 0\r\n"))
    });
    let home = Home::new();
    let mut command = command(&home, &hub, &["models", "pull", REPOSITORY]);
    Run::from(command.env("HF_TOKEN", "s3cret").output().unwrap()).says(0, "fetched");
    assert_eq!(fs::read(place(&home)).unwrap(), model_bytes());
    let with_token = |asked: &Asked| asked.headers.contains("Bearer s3cret");
    assert_eq!(hub.asked().len(), 2);
    assert!(hub.asked().iter().all(with_token));
    assert_eq!(files.asked().len(), 1);
    assert!(!files.asked().iter().any(with_token));
}

#[test]
fn no_redirect_leads_astray() {
    let check = |location: &'static str, message: &str| {
        let fetching = Fetching::new();
        let server = hub(move |_, _, to, _| {
            head(to, 302, "text/plain", &format!("Location: {location}\r\nContent-Length: 0\r\n"))
        });
        let error = fetching.fails(&server).to_string();
        assert!(error.contains(message), "{error}");
        downloads(&server).len()
    };
    assert_eq!(check("/round", "again and again"), 10);
    assert_eq!(check("file:///etc/passwd", "no address of the web"), 1);
    assert_eq!(check("http://[", "no address"), 1);

    // From an encrypted hub to one that is not.
    let tls = Server::with_tls(|asked, to| match is_description(asked) {
        true => describe(to, &[(FILE, &model_bytes())]),
        false => {
            head(to, 302, "text/plain", "Location: http://127.0.0.1:9/x\r\nContent-Length: 0\r\n")
        }
    });
    let home = Home::new();
    let certificate = home.path("certificate.pem");
    fs::write(&certificate, tls.certificate.as_ref().unwrap()).unwrap();
    let mut trusting = command(&home, &tls, &["models", "pull", REPOSITORY]);
    let run = Run::from(trusting.env("SSL_CERT_FILE", &certificate).output().unwrap());
    run.says(4, "leads to http://127.0.0.1:9/x, which is not encrypted");
    // Without the certificate.
    pull(&home, &tls).says(4, "hint: SSL_CERT_FILE names a file of certificates");
}

#[test]
fn a_proxy_is_asked_instead_of_the_hub() {
    let (home, proxy) = (Home::new(), sound());
    let mut command = command(&home, &proxy, &["models", "pull", REPOSITORY]);
    command.env("HF_ENDPOINT", "http://hub.example").env("HTTP_PROXY", endpoint(&proxy));
    // The server takes the whole address as a path.
    command.env("http_proxy", endpoint(&proxy)).env_remove("NO_PROXY").env_remove("no_proxy");
    let run = Run::from(command.output().unwrap());
    let asked = proxy.asked();
    assert!(asked[0].path.starts_with("http://hub.example/api/models/"), "{asked:?} {run:?}");
}

#[test]
fn a_hub_that_cannot_be_reached_is_named() {
    let home = Home::new();
    let mut command = home.command();
    let nobody = crate::support::server::nobody();
    command.env("HF_ENDPOINT", nobody.trim_end_matches("/v1"));
    let run = Run::from(command.args(["models", "pull", REPOSITORY]).output().unwrap());
    let run = run.says(4, "slotwright: cannot reach http://127.0.0.1:");
    assert!(run.stderr.contains("hint: HF_ENDPOINT names a mirror"), "{run:#?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_with_too_little_room_is_noticed_before() {
    let (home, server) = (Home::new(), sound());
    let mut command = Command::new("unshare");
    let script = "mount -t tmpfs -o size=1000k tmpfs \"$1\" && shift && exec \"$@\"";
    let data = home.path("data");
    fs::create_dir(&data).unwrap();
    command.args(["-rm", "sh", "-c", script, "sh"]).arg(&data);
    let probe = Command::new("unshare").args(["-rm", "true"]).stderr(Stdio::null()).status();
    if !probe.is_ok_and(|status| status.success()) {
        println!("skipped: a small file system cannot be mounted here");
        return;
    }
    let inner = self::command(&home, &server, &["models", "pull", REPOSITORY]);
    command.arg(inner.get_program()).args(inner.get_args());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let run = Run::from(command.env("XDG_DATA_HOME", &data).output().unwrap());
    let run = run.says(4, "bytes are needed in ");
    assert!(run.stderr.contains("hint: XDG_DATA_HOME names a folder on another disk"), "{run:#?}");
    assert!(downloads(&server).is_empty());
}

#[test]
fn a_write_that_fails_keeps_what_was_fetched() {
    // Files may have 1,024 bytes (two blocks of the shell's), and the model has more.
    let bytes = {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("m.gguf");
        let mut gguf = crate::support::model_stores::header("llama");
        gguf.tensor("token_embd.weight", &[64, 64], || 0.5);
        gguf.write(&path);
        fs::read(path).unwrap()
    };
    let kept = bytes.clone();
    let server = Server::new(move |asked, to| match is_description(asked) {
        true => describe(to, &[(FILE, &kept)]),
        false => send(asked, to, &kept, kept.len()),
    });
    let home = Home::new();
    let inner = command(&home, &server, &["models", "pull", REPOSITORY]);
    let mut limited = Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 2; exec \"$@\"", "sh"]);
    limited.arg(inner.get_program()).args(inner.get_args());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    let run = Run::from(limited.output().unwrap()).says(4, "slotwright: cannot write /");
    assert!(run.stderr.contains("the same command goes on with it"), "{run:#?}");
    assert!(!place(&home).exists());
    pull(&home, &server).says(0, "fetched");
    assert!(range(downloads(&server).last().unwrap()).is_some_and(|first| first > 0));
    assert_eq!(fs::read(place(&home)).unwrap(), bytes);
}

#[test]
fn an_interrupted_fetch_is_gone_on_with() {
    let server = hub(|n, asked, to, bytes| {
        if n > 0 {
            return send(asked, to, bytes, bytes.len());
        }
        send(asked, to, bytes, 60)?;
        to.flush()?;
        std::thread::sleep(Duration::from_secs(20));
        Ok(())
    });
    let home = Home::new();
    let mut command = command(&home, &server, &["models", "pull", REPOSITORY]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let part = |home: &Home| {
        let folder = place(home).parent().unwrap().to_owned();
        let mut files = fs::read_dir(folder).into_iter().flatten().flatten();
        files.find(|file| file.metadata().is_ok_and(|metadata| metadata.len() == 60))
    };
    while part(&home).is_none() {
        std::thread::sleep(Duration::from_millis(10));
    }
    crate::support::processes::signal(child.id(), "INT");
    let run = Run::from(child.wait_with_output().unwrap());
    run.says(130, "interrupted; what was fetched is kept, and the same command goes on with it");
    let again = pull(&home, &server).says(0, "going on with what was fetched before");
    assert!(again.stderr.contains("fetched someone/Tiny-GGUF:Q8_0 to /"), "{again:#?}");
    assert_eq!(downloads(&server).iter().map(range).collect::<Vec<_>>(), [None, Some(60)]);
}

#[test]
fn a_model_is_imported_once_and_removed_after_a_question() {
    let (home, server) = (Home::new(), sound());
    let run = |arguments: &[&str]| Run::from(command(&home, &server, arguments).output().unwrap());
    let file = home.path("mine-Q8_0.gguf");
    model(&file);
    let path = file.to_str().unwrap();
    run(&["models", "import", path]).says(0, "slotwright: imported; --model mine-Q8_0 uses it");
    assert_eq!(home.models(), ["slotwright mine-Q8_0"]);
    run(&["models", "import", path]).says(0, "it is in the store already, as mine-Q8_0");
    let stored = home.path(".local/share/slotwright/models/mine-Q8_0.gguf");
    run(&["models", "import", stored.to_str().unwrap()]).says(0, "in the store already");
    assert_eq!(fs::read(&stored).unwrap(), fs::read(&file).unwrap());

    // Another file of the same name, and one that is no model.
    let other = home.path("other/mine-Q8_0.gguf");
    fs::create_dir(other.parent().unwrap()).unwrap();
    let mut changed = fs::read(&file).unwrap();
    *changed.last_mut().unwrap() ^= 1;
    fs::write(&other, &changed).unwrap();
    run(&["models", "import", other.to_str().unwrap()]).says(1, "is there already, and is another");
    fs::write(&other, "text").unwrap();
    run(&["models", "import", other.to_str().unwrap()]).says(1, "mine-Q8_0.gguf is of no use: ");
    run(&["models", "import", "nowhere.gguf"]).says(4, "cannot read nowhere.gguf");

    run(&["models", "remove", "mine"]).says(3, "nobody is there to be asked; nothing was removed");
    assert!(stored.exists());
    run(&["models", "remove", "--yes", "mine"]).says(0, "slotwright: removed mine-Q8_0 (");
    assert!(!stored.exists() && file.exists());
    run(&["models", "remove", "--yes", "mine"]).says(2, "no model on this machine is called");
}

#[test]
fn a_split_model_is_imported_and_removed_whole() {
    let (home, server) = (Home::new(), sound());
    let run = |arguments: &[&str]| Run::from(command(&home, &server, arguments).output().unwrap());
    let parts = ["big-Q8_0-00001-of-00002.gguf", "big-Q8_0-00002-of-00002.gguf"];
    model(&home.path(parts[0]));
    let first = home.path(parts[0]);
    let incomplete = run(&["models", "import", first.to_str().unwrap()]);
    incomplete.says(4, "cannot read");
    model(&home.path(parts[1]));
    run(&["models", "import", first.to_str().unwrap()]).says(0, "imported");
    let store = home.path(".local/share/slotwright/models");
    let mut stored = names(&store);
    stored.sort();
    assert_eq!(stored, parts);
    run(&["models", "remove", "--yes", "big-Q8_0"]).says(0, "removed");
    assert!(names(&store).is_empty());
}

#[test]
fn models_of_other_programs_are_not_removed() {
    let (home, server) = (Home::new().with("OLLAMA_MODELS", "o"), sound());
    home.ollama("o", "registry.ollama.ai/library/small/1b", model);
    home.hub(".cache/huggingface/hub", REPOSITORY, FILE);
    let run = |arguments: &[&str]| Run::from(command(&home, &server, arguments).output().unwrap());
    let ollama = run(&["models", "remove", "--yes", "small:1b"]).says(1, "is not slotwright's: /");
    assert!(ollama.stderr.contains("hint: Ollama removes it: ollama rm small:1b"), "{ollama:#?}");
    run(&["models", "remove", "--yes", "tiny"]).says(1, "hint: it is kept by: hf");
    assert_eq!(home.models().len(), 2);
}

#[test]
fn a_file_that_cannot_be_used_is_removed_from_the_store() {
    let (home, server) = (Home::new(), sound());
    let broken = home.path(".local/share/slotwright/models/a/b-GGUF/b-Q8_0.gguf");
    fs::create_dir_all(broken.parent().unwrap()).unwrap();
    fs::write(&broken, "text").unwrap();
    let arguments = ["models", "remove", "--yes", "a/b-GGUF:Q8_0"];
    let run = Run::from(command(&home, &server, &arguments).output().unwrap());
    run.says(0, "removed a/b-GGUF:Q8_0");
    assert!(!home.path(".local/share/slotwright/models/a").exists(), "nor its empty folders");
}

#[test]
fn the_default_is_kept_in_the_persons_configuration() {
    let (home, server) = (Home::new().with("OLLAMA_MODELS", "o"), sound());
    home.ollama("o", "registry.ollama.ai/library/small/1b", model);
    let run = |arguments: &[&str]| Run::from(command(&home, &server, arguments).output().unwrap());
    run(&["models", "default"]).says(0, "none is set; bundled is the best model on this machine");
    let config = home.path(".config/slotwright/config.toml");
    fs::create_dir_all(config.parent().unwrap()).unwrap();
    fs::write(&config, "# mine\npatience = 9\n").unwrap();
    run(&["models", "default", "small"]).says(0, "slotwright: the default is small:1b now (/");
    assert_eq!(
        fs::read_to_string(&config).unwrap(),
        "# mine\npatience = 9\nmodel = \"small:1b\"\n"
    );
    run(&["models", "default"]).says(0, "the default is small:1b (/");
    run(&["models", "default", "smal"]).says(0, "small:1b now");
    run(&["models", "default", "zzz"]).says(2, "no model on this machine is called \"zzz\"");
    let json = run(&["models", "default", "--json"]);
    let report: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((&report["name"], &report["status"]), (&json!("small:1b"), &json!("already_done")));
    run(&["models", "default", "--best"]).says(0, "the default is the best model on this machine");
    assert_eq!(fs::read_to_string(&config).unwrap(), "# mine\npatience = 9\n");

    let mut other = command(&home, &server, &["models", "default", "bundled"]);
    let run = Run::from(other.env("SLOTWRIGHT_MODEL", "small").output().unwrap());
    run.says(0, "but SLOTWRIGHT_MODEL is set, and counts before it");
}
