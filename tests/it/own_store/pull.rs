//! The command: what it says, whom it asks, and what it leaves behind.

use super::*;
use std::process::Stdio;
use std::time::Duration;

#[test]
fn a_model_is_fetched_and_is_used_from_then_on() {
    let (home, server) = (Home::new(), sound());
    let run = pull(&home, &server).says(0, "slotwright: fetching tiny-Q8_0.gguf (");
    let text = &run.stderr;
    assert!(
        text.contains(&format!(
            "apache-2.0) from {}/{REPOSITORY}",
            endpoint(&server)
        )),
        "{text}"
    );
    assert!(
        text.contains("slotwright: fetched someone/Tiny-GGUF:Q8_0 to /"),
        "{text}"
    );
    assert!(
        text.contains("--model someone/Tiny-GGUF:Q8_0 uses it"),
        "{text}"
    );
    assert_eq!(fs::read(place(&home)).unwrap(), model_bytes());
    assert_eq!(home.models(), ["slotwright someone/Tiny-GGUF:Q8_0"]);
    assert_eq!(
        downloads(&server)[0].path,
        format!("/{REPOSITORY}/resolve/main/{FILE}")
    );

    let again = pull(&home, &server).says(0, "someone/Tiny-GGUF:Q8_0 is here already (slotwright)");
    assert_eq!(again.stdout, "");
    assert_eq!(downloads(&server).len(), 1);

    let json = command(&home, &server, &["models", "pull", "--json", REPOSITORY])
        .output()
        .unwrap();
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
            assert!(
                run.stderr.contains(message),
                "{message:?} is not in {run:#?}"
            );
        }
        assert!(!home.path(".local").exists());
    };
    check(
        404,
        "",
        "{}",
        &["has no someone/Tiny-GGUF", "is the name right?"],
    );
    check(
        401,
        "X-Error-Code: RepoNotFound\r\n",
        "{}",
        &["has no someone/Tiny-GGUF"],
    );
    check(
        401,
        "X-Error-Code: GatedRepo\r\nX-Error-Message: Access is   restricted.\r\n",
        "{}",
        &[
            "does not give someone/Tiny-GGUF: 401 Access is restricted.",
            "hint: set HF_TOKEN to a token of yours",
        ],
    );
    check(
        403,
        "X-Error-Message: not yours\r\n",
        "<html>",
        &["403 not yours"],
    );
}

#[test]
fn an_unknown_name_is_told_what_there_is() {
    let (home, server) = (Home::new(), sound());
    let check = |name: &str, messages: &[&str]| {
        let output = command(&home, &server, &["models", "pull", name])
            .output()
            .unwrap();
        let run = Run::from(output).says(2, "slotwright: ");
        for message in messages {
            assert!(
                run.stderr.contains(message),
                "{message:?} is not in {run:#?}"
            );
        }
    };
    check(
        "qwen",
        &[
            "neither in the catalogue nor PUBLISHER/REPOSITORY",
            "qwen2.5-coder-1.5b, ",
        ],
    );
    check(
        "someone/Tiny-GGUF:Q2_K",
        &[
            "someone/Tiny-GGUF has no file \"Q2_K\"; its files are: tiny-Q8_0.gguf",
            "hint: name one behind a colon",
        ],
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
        head(
            to,
            302,
            "text/plain",
            &format!("Location: {elsewhere}\r\nContent-Length: 0\r\n"),
        )
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
fn a_proxy_is_asked_instead_of_the_hub() {
    let (home, proxy) = (Home::new(), sound());
    let mut command = command(&home, &proxy, &["models", "pull", REPOSITORY]);
    command
        .env("HF_ENDPOINT", "http://hub.example")
        .env("HTTP_PROXY", endpoint(&proxy));
    // The server takes the whole address as a path.
    command
        .env("http_proxy", endpoint(&proxy))
        .env_remove("NO_PROXY")
        .env_remove("no_proxy");
    let run = Run::from(command.output().unwrap());
    let asked = proxy.asked();
    assert!(
        asked[0].path.starts_with("http://hub.example/api/models/"),
        "{asked:?} {run:?}"
    );
}

#[test]
fn a_hub_that_cannot_be_reached_is_named() {
    let nobody = crate::support::server::nobody();
    // The hub is asked what a repository has; of a model of the catalogue that is known.
    for (name, n_said) in [(REPOSITORY, 1), ("qwen2.5-coder-0.5b", 2)] {
        let home = Home::new();
        let mut command = home.command();
        command.env("HF_ENDPOINT", nobody.trim_end_matches("/v1"));
        let run = Run::from(command.args(["models", "pull", name]).output().unwrap());
        let run = run.says(4, "slotwright: cannot reach http://127.0.0.1:");
        assert_eq!(
            run.stderr.matches("cannot reach").count(),
            n_said,
            "{run:#?}"
        );
        assert!(run.stderr.contains("HF_ENDPOINT a mirror"), "{run:#?}");
    }
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
    let probe = Command::new("unshare")
        .args(["-rm", "true"])
        .stderr(Stdio::null())
        .status();
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
    assert!(
        run.stderr
            .contains("hint: XDG_DATA_HOME names a folder on another disk"),
        "{run:#?}"
    );
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
    assert!(
        run.stderr.contains("the same command continues it"),
        "{run:#?}"
    );
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
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
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
    run.says(
        130,
        "interrupted; what was fetched is kept, and the same command continues it",
    );
    let again = pull(&home, &server).says(0, "continuing what was fetched before");
    assert!(
        again.stderr.contains("fetched someone/Tiny-GGUF:Q8_0 to /"),
        "{again:#?}"
    );
    assert_eq!(
        downloads(&server).iter().map(range).collect::<Vec<_>>(),
        [None, Some(60)]
    );
}
