//! `slotwright edit --model http://…` as a person or a script meets it: with a server that says
//! what it is told to, and with a real one of another make where there is one.

use crate::support::server::{self, Server};
use crate::support::{PROGRAM, Run, folder, quiet};
use serde_json::{Value, json};
use slotwright::constrain::{SlotSpec, Spec};
use slotwright::engine::openai::{Address, OpenAi, Patience};
use slotwright::engine::{End, Engine, Limits, Part, Request, Sampling};
use slotwright::slots::{Operation, Slots};
use slotwright::text::Shown;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const FILE: &str = "class Cart:\n    def total(self):\n        return 1\n\n    def count(self):\
    \n        return 2\n";

fn command(root: &Path, model: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .arg("edit")
        .arg("--root")
        .arg(root)
        .args(["--model", model])
        .args(arguments);
    quiet(&mut command);
    command
}

fn edit(root: &Path, model: &str, arguments: &[&str]) -> Run {
    Run::from(command(root, model, arguments).output().unwrap())
}

/// Edits `pkg/cart.py` with these answers, and compares it afterwards.
#[track_caller]
fn check(answers: &[Value], after: &str) -> Run {
    let dir = folder(&[("pkg/cart.py", FILE.as_bytes()), ("b.txt", b"nothing\n")]);
    let answers: Vec<String> = answers.iter().map(Value::to_string).collect();
    let server = Server::says(&answers.iter().map(String::as_str).collect::<Vec<_>>());
    let run = edit(
        dir.path(),
        &server.model("m"),
        &["--yes", "Change the cart"],
    );
    assert_eq!(
        fs::read_to_string(dir.path().join("pkg/cart.py")).unwrap(),
        after,
        "{run:#?}"
    );
    let told = format!("slotwright: asking {}: ", server.address);
    assert!(
        run.stderr.starts_with(&told),
        "where the text goes is said first: {run:#?}"
    );
    run
}

fn pick(operation: &str) -> Value {
    json!({"path": "pkg/cart.py", "operation": operation, "reason": ""})
}

#[test]
fn an_edit_is_made() {
    let slots = json!({"old": "return 1", "place": "", "new": "return 3"});
    let run = check(
        &[pick("replace"), slots],
        &FILE.replace("return 1", "return 3"),
    )
    .says(0, "wrote pkg/cart.py");
    assert!(
        run.stdout
            .contains("-        return 1\n+        return 3\n"),
        "{run:#?}"
    );
    let slots = json!({"old": "count", "new": "size"});
    check(
        &[pick("replace_all"), slots],
        &FILE.replace("count", "size"),
    )
    .says(0, "wrote pkg/cart.py");
    let slots = json!({
        "anchor": "    def count(self):", "place": "", "position": "before",
        "text": "    # How many.",
    });
    let after = FILE.replace("    def count", "    # How many.\n    def count");
    check(&[pick("insert"), slots], &after).says(0, "wrote pkg/cart.py");
}

#[test]
fn a_file_is_made() {
    let dir = folder(&[("a.py", b"x = 1\n")]);
    let picked = json!({"path": "", "operation": "create", "reason": ""}).to_string();
    let server = Server::says(&[&picked, r##"{"path":"./docs/a.md","text":"# A"}"##]);
    edit(dir.path(), &server.model("m"), &["--yes", "Write docs"]).says(0, "wrote docs/a.md");
    assert_eq!(
        fs::read_to_string(dir.path().join("docs/a.md")).unwrap(),
        "# A\n"
    );
    let server = Server::says(&[&picked, r#"{"path":"a.py","text":"x = 2"}"#]);
    edit(dir.path(), &server.model("m"), &["--yes", "Write docs"]).says(1, "there is one already");
    let server = Server::says(&[&picked, r#"{"path":"../a.py","text":"x = 2"}"#]);
    edit(dir.path(), &server.model("m"), &["--yes", "Write docs"]).says(1, "");
    assert!(
        !dir.path().parent().unwrap().join("a.py").exists(),
        "nothing is written outside"
    );
}

#[test]
fn what_is_spelled_otherwise_is_found() {
    // The model leaves out the indentation, and names the file by the end of its path.
    let slots = json!({
        "old": "def total(self):\n    return 1",
        "new": "def total(self):\n    one = 1\n    return one",
    });
    let after = FILE.replace("        return 1", "        one = 1\n        return one");
    let picked = json!({"path": "cart.py", "operation": "replace"});
    check(&[picked, slots], &after)
        .says(0, "it was found with other indentation")
        .says(0, "wrote pkg/cart.py");
    let slots = json!({"old": "return", "place": "line 6", "new": "return 40 +"});
    check(
        &[pick("replace"), slots],
        &FILE.replace("return 2", "return 40 + 2"),
    )
    .says(0, "wrote pkg/cart.py");
}

#[test]
fn what_is_not_there_is_refused() {
    let slots = json!({"old": "raise ValueError('empty cart')", "place": "", "new": "pass"});
    let run = check(&[pick("replace"), slots], FILE).says(
        1,
        "the text to change is not in the file; nothing was written",
    );
    run.says(1, "hint: it looked for \"raise ValueError('empty cart')\"");
    let slots = json!({"old": "return", "place": "", "new": "yield"});
    check(&[pick("replace"), slots], FILE).says(1, "occurs in 2 places");
    let picked = json!({"path": "cart.rb", "operation": "replace", "reason": ""});
    check(&[picked], FILE).says(1, "names \"cart.rb\", and there is no such file");
    check(
        &[json!({"path": "", "operation": "none", "reason": "unclear"})],
        FILE,
    )
    .says(1, "the model declined");
    let run = check(&[json!("no idea")], FILE)
        .says(1, "the answer does not have the slots that were asked for");
    assert!(
        run.stderr
            .contains("the server does not heed a JSON Schema"),
        "{run:#?}"
    );
}

#[test]
fn the_report_says_what_was_asked_where() {
    let dir = folder(&[("a.py", b"x = 1\n")]);
    let slots = r#"{"old":"x = 1","place":"","new":"x = 2"}"#;
    let server = Server::says(&[
        r#"{"path":"a.py","operation":"replace","reason":""}"#,
        slots,
    ]);
    // A proxy is not asked for what is on this machine.
    let mut command = command(
        dir.path(),
        &server.address,
        &["--dry-run", "--json", "--stats", "Make x 2"],
    );
    command.env("http_proxy", server::nobody());
    let run = Run::from(command.output().unwrap()).says(0, "");
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (&report["status"], &report["edits"][0]["rung"]),
        (&json!("would_be_done"), &json!("exact"))
    );
    let stats = &report["stats"];
    assert_eq!(
        (&stats["model"], &stats["computed_on"]),
        (&json!("m"), &json!(server.address))
    );
    assert_eq!(
        (&stats["prompt_tokens"], &stats["sampled_tokens"]),
        (&json!(22), &json!(14))
    );
    assert_eq!(
        fs::read_to_string(dir.path().join("a.py")).unwrap(),
        "x = 1\n"
    );
}

#[test]
fn a_proxy_is_asked_for_other_machines() {
    let dir = folder(&[("a.py", b"x = 1\n")]);
    let slots = r#"{"old":"x = 1","place":"","new":"x = 2"}"#;
    let proxy = Server::says(&[
        r#"{"path":"a.py","operation":"replace","reason":""}"#,
        slots,
    ]);
    let mut command = command(
        dir.path(),
        "http://models.invalid/v1#m",
        &["--yes", "Make x 2"],
    );
    command
        .env_remove("no_proxy")
        .env_remove("NO_PROXY")
        .env("http_proxy", proxy.address.trim_end_matches("/v1"));
    Run::from(command.output().unwrap()).says(0, "wrote a.py");
    assert_eq!(proxy.asked()[0].path, "http://models.invalid/v1/models");
}

#[test]
fn failures_are_clear_and_lose_nothing() {
    let dir = folder(&[("a.py", b"x = 1\n")]);
    let fails = |model: &str, code: i32, message: &str| {
        let run = edit(dir.path(), model, &["--yes", "Make x 2"]).says(code, message);
        assert_eq!(
            fs::read_to_string(dir.path().join("a.py")).unwrap(),
            "x = 1\n"
        );
        assert!(run.stderr.contains("  hint: "), "{run:#?}");
    };
    fails(
        &format!("{}#m", server::nobody()),
        4,
        "cannot reach http://127.0.0.1:",
    );
    fails("http://", 2, "does not name a model on a server");
    fails(
        "https://me:pass@host/v1#m",
        2,
        "a name or password has no place in it",
    );
    let page = Server::new(|_, to| server::whole(to, 200, "text/html", "<title>It works!</title>"));
    fails(
        &page.model("m"),
        4,
        "does not answer like an OpenAI-compatible server",
    );
    let two = Server::new(|_, to| server::models(to, "someone", &["small", "large"]));
    fails(&two.address, 4, "it has small, large");
    let failing = Server::chat("someone", |_, _, to| {
        server::refuse(to, 400, "context length exceeded")
    });
    fails(
        &failing.model("m"),
        4,
        "answers 400: context length exceeded",
    );
    let cut = Server::chat("someone", |_, _, to| {
        server::head(to, 200, "text/event-stream", "")
    });
    fails(&cut.model("m"), 4, "was cut off");
}

#[test]
fn a_certificate_is_trusted_if_the_person_says_so() {
    let dir = folder(&[("a.py", b"x = 1\n")]);
    let server = Server::with_tls(|asked, to| match asked.path.as_str() {
        "/v1/models" => server::models(to, "someone", &["m"]),
        _ => server::stream(to, r#"{"path":"","operation":"none","reason":"unclear"}"#),
    });
    let run = edit(dir.path(), &server.model("m"), &["Make x 2"]).says(4, "is not trusted: ");
    run.says(4, "hint: SSL_CERT_FILE names");
    let certificate = dir.path().join("certificate.pem");
    fs::write(&certificate, server.certificate.as_ref().unwrap()).unwrap();
    let mut command = command(dir.path(), &server.model("m"), &["Make x 2"]);
    command.env("SSL_CERT_FILE", &certificate);
    Run::from(command.output().unwrap()).says(1, "the model declined");
}

/// The text of the last message of a request.
fn last_message(body: &Value) -> &str {
    let messages = body["messages"].as_array().unwrap();
    messages.last().unwrap()["content"].as_str().unwrap()
}

#[test]
fn the_key_is_nowhere_to_be_seen() {
    const KEY: &str = "sk-never-to-be-seen-0123";
    let server = Server::new(|asked, to| {
        let key = asked
            .headers
            .lines()
            .find_map(|line| line.strip_prefix("authorization: Bearer "))
            .unwrap_or("nobody");
        match asked.path.as_str() {
            "/v1/models" => server::models(to, "someone", &["m"]),
            _ if key == "nobody" => server::refuse(to, 401, "who are you?"),
            _ if asked.body["model"] == "wrong" => {
                server::refuse(to, 401, &format!("Incorrect API key provided: {key}."))
            }
            _ if last_message(&asked.body).starts_with("File ") => {
                server::stream(to, r#"{"path":"a.py","operation":"replace","reason":""}"#)
            }
            _ => server::stream(to, r#"{"old":"x = 1","place":"","new":"x = 2"}"#),
        }
    });
    let home = folder(&[]);
    let run_with = |model: &str, variable: &str, value: &str, arguments: &[&str]| {
        let dir = folder(&[("a.py", b"x = 1\n")]);
        let mut command = command(dir.path(), &server.model(model), arguments);
        command
            .env("XDG_STATE_HOME", home.path().join("state"))
            .env("XDG_CACHE_HOME", home.path().join("cache"));
        command
            .env("OPENAI_API_KEY", "sk-of-another-server")
            .env(variable, value);
        let run = Run::from(command.output().unwrap());
        assert!(
            !run.stdout.contains(KEY) && !run.stderr.contains(KEY),
            "{run:#?}"
        );
        run
    };
    let all = ["--yes", "--json", "--stats", "--verbose", "Make x 2"];
    let run = run_with("m", "SLOTWRIGHT_API_KEY", KEY, &all)
        .says(0, "with the key from SLOTWRIGHT_API_KEY");
    assert!(
        server
            .asked()
            .iter()
            .all(|asked| asked.headers.contains(KEY)),
        "it was sent: {run:#?}"
    );
    run_with("m", "OPENAI_API_KEY", KEY, &all).says(0, "with the key from OPENAI_API_KEY");
    let run = run_with("wrong", "SLOTWRIGHT_API_KEY", KEY, &all)
        .says(4, "answers 401: Incorrect API key provided: [key].");
    run.says(4, "hint: the key is read from SLOTWRIGHT_API_KEY");
    // Set to nothing it is none, whatever the other variable says.
    run_with("m", "SLOTWRIGHT_API_KEY", "", &all).says(4, "answers 401: who are you?");
    let mut open = vec![home.path().to_path_buf()];
    let mut n_files = 0;
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else {
            n_files += 1;
            assert!(
                !String::from_utf8_lossy(&fs::read(&path).unwrap()).contains(KEY),
                "{}",
                path.display()
            );
        }
    }
    assert!(n_files > 0, "the journal is kept there");
    // Over plain http it does not leave this machine.
    let dir = folder(&[("a.py", b"x = 1\n")]);
    let mut command = command(dir.path(), "http://192.0.2.1/v1#m", &all);
    command.env("SLOTWRIGHT_API_KEY", KEY);
    let run = Run::from(command.output().unwrap()).says(
        2,
        "is not sent to http://192.0.2.1/v1: it is neither encrypted",
    );
    assert!(
        !run.stdout.contains(KEY) && !run.stderr.contains(KEY),
        "{run:#?}"
    );
}

/// A server of another make with the bundled model. It is ended when this is dropped.
struct RealServer {
    child: Child,
    address: String,
}

impl Drop for RealServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl RealServer {
    /// llama.cpp's own server, or llama-cpp-python's; none if there is neither here.
    fn start() -> Option<RealServer> {
        let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/bundled.gguf");
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port()
            .to_string();
        let mut command = match std::env::var_os("SLOTWRIGHT_TEST_SERVER_PYTHON") {
            Some(python) => {
                let mut command = Command::new(python);
                command.args([
                    "-m",
                    "llama_cpp.server",
                    "--n_ctx",
                    "8192",
                    "--chat_format",
                    "chatml",
                ]);
                command
            }
            None => {
                let in_path = |folder: PathBuf| {
                    Some(folder.join("llama-server")).filter(|program| program.is_file())
                };
                let mut command = Command::new(
                    std::env::split_paths(&std::env::var_os("PATH")?).find_map(in_path)?,
                );
                command.args(["--ctx-size", "8192", "--chat-template", "chatml"]);
                command
            }
        };
        command
            .arg("--model")
            .arg(model)
            .args(["--host", "127.0.0.1", "--port", &port]);
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut server = RealServer {
            child,
            address: format!("http://127.0.0.1:{port}/v1"),
        };
        let began = Instant::now();
        while std::net::TcpStream::connect(format!("127.0.0.1:{port}")).is_err() {
            assert_eq!(server.child.try_wait().unwrap(), None, "it ended by itself");
            assert!(
                began.elapsed() < Duration::from_secs(300),
                "it does not listen"
            );
            std::thread::sleep(Duration::from_millis(100));
        }
        Some(server)
    }
}

/// The bundled model has never seen such a prompt and writes what it likes, within what the server
/// forces. So what is looked at is that every answer has its slots, and that what comes of it is an
/// edit or one of the ways to say no.
#[test]
fn a_server_of_another_make() {
    let Some(server) = RealServer::start() else {
        println!(
            "skipped: there is no llama-server on the path, \
             and SLOTWRIGHT_TEST_SERVER_PYTHON names no python with llama_cpp.server"
        );
        return;
    };
    let tasks = [
        "Change max_retries from 3 to 5",
        "Rename connect to open_connection everywhere",
        "Insert a comment above the function connect",
        "Make the function connect return None",
    ];
    let text = b"max_retries = 3\n\n\ndef connect(host):\n    print(host)\n    return host\n";
    let (mut n_made, mut n_forced) = (0, 0);
    for task in tasks {
        let dir = folder(&[("settings.py", text), ("b.txt", b"nothing\n")]);
        let run = edit(dir.path(), &server.address, &["--dry-run", "--json", task]);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        let stages = report["stats"]["stages"].as_array().unwrap();
        println!(
            "{task}: {} {}",
            report["status"], report["error"]["message"]
        );
        for stage in stages {
            println!("  {}: {}", stage["name"], stage["answer"]);
            n_forced += usize::from(
                serde_json::from_str::<Value>(stage["answer"].as_str().unwrap()).is_ok(),
            );
        }
        assert!(!stages.is_empty(), "{run:#?}");
        let kind = report["error"]["kind"].as_str();
        let is_no = kind
            .is_none_or(|kind| ["declined", "mechanics", "truncated", "unsure"].contains(&kind));
        assert!(is_no && matches!(run.code, Some(0 | 1)), "{run:#?}");
        n_made += usize::from(report["status"] == "would_be_done");
    }
    println!(
        "{n_made} of {} tasks made some edit, {n_forced} answers had their slots",
        tasks.len()
    );
    assert!(
        n_forced >= tasks.len(),
        "the server forces at least the first answer of each task"
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(check_slots(&server.address));
}

/// Asks for the slots of every operation at random, which a model left to itself would not write.
async fn check_slots(address: &str) {
    let patience = Patience::with_silence(Duration::from_secs(60));
    let mut engine = OpenAi::connect(Address::parse(address).unwrap(), None, patience)
        .await
        .unwrap();
    let shown = Shown::whole("def a():\n    return 1\n\n\ndef b():\n    return 1\n");
    let specs = [
        (
            Operation::Replace,
            SlotSpec::Replace {
                shown: shown.clone(),
                blocks: false,
            },
        ),
        (
            Operation::ReplaceAll,
            SlotSpec::ReplaceAll {
                shown: shown.clone(),
            },
        ),
        (
            Operation::Insert,
            SlotSpec::Insert {
                shown: shown.clone(),
                side_first: false,
            },
        ),
        (
            Operation::Create,
            SlotSpec::Create {
                existing: vec![],
                spelled: vec![],
            },
        ),
    ];
    for (operation, spec) in specs {
        let mut n_complete = 0;
        for seed in 0..10 {
            let request = Request {
                prompt: vec![
                    Part::Control("user".to_owned()),
                    Part::Text("Answer in JSON.".to_owned()),
                ],
                spec: Spec::Slots(spec.clone()),
                limits: Limits { answer_tokens: 200 },
                sampling: Sampling::Random {
                    temperature: 1.0,
                    seed,
                },
                fixed_parts: 0,
                file_bytes: 0,
                weights: slotwright::engine::Weights::Adapted,
                likely: None,
                given: None,
                branches: 0,
            };
            let answer = engine.complete(&request, &mut |_| {}).await.unwrap();
            if answer.end != End::Complete {
                continue;
            }
            n_complete += 1;
            match Slots::parse(operation, &answer.text).unwrap_or_else(|error| {
                panic!("{error}: {:?} {:?}", answer.text, engine.take_notes())
            }) {
                Slots::Insert(slots) => {
                    assert!(
                        shown
                            .anchor_lines()
                            .iter()
                            .any(|(line, _)| *line == slots.anchor),
                        "{}",
                        answer.text
                    );
                }
                Slots::Replace(slots) => {
                    assert_ne!(slots.place.as_deref(), Some(""), "{}", answer.text);
                }
                _ => {}
            }
        }
        println!("{operation:?}: {n_complete} of 10 answers ended, all with their slots");
        assert!(n_complete > 0, "{operation:?}: none ended");
    }
    let notes = engine.take_notes();
    println!("{notes:?}");
    assert!(
        !notes.iter().any(|note| note.contains("heed")),
        "what it takes it heeds: {notes:?}"
    );
}
