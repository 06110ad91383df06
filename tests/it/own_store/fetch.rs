//! One file from a hub: what breaks off, what is wrong, and who waits for whom.

use super::*;
use slotwright::models::own::fetch::part_path;
use slotwright::models::own::{Hub, Limits, RemoteFile, Step, StoreError, StoreErrorKind, fetch};
use std::time::Duration;

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
            silence: Duration::from_secs(20),
            pause: Duration::from_millis(5),
        };
        let file = RemoteFile::new(FILE, bytes.len() as u64, &sum(&bytes));
        Fetching {
            dir: tempfile::tempdir().unwrap(),
            file: file.unwrap(),
            limits,
        }
    }

    fn to(&self) -> PathBuf {
        self.dir.path().join("store").join(FILE)
    }

    /// Puts the beginning of a file where the next attempt looks for it.
    fn begin(&self, bytes: &[u8]) -> PathBuf {
        let part = part_path(&self.file, &self.to());
        fs::create_dir_all(part.parent().unwrap()).unwrap();
        fs::write(&part, bytes).unwrap();
        part
    }

    /// Also the number of times that the connection was made again.
    fn run(&self, server: &Server) -> (Result<(), StoreError>, usize) {
        let hub = Hub::new(&endpoint(server), None, self.limits).unwrap();
        let mut n_again = 0;
        let mut on_step = |step: Step| n_again += usize::from(matches!(step, Step::Again(_)));
        let to = self.to();
        let fetched = fetch(&hub, REPOSITORY, &self.file, &to, &mut on_step);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
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
fn a_broken_connection_is_gone_on_with() {
    let fetching = Fetching::new();
    let server = hub(|n, asked, to, bytes| {
        assert_eq!(range(asked), [None, Some(100), Some(200)][n]);
        send(
            asked,
            to,
            bytes,
            if n < 2 { 100 * (n + 1) } else { bytes.len() },
        )
    });
    assert_eq!(fetching.succeeds(&server), 2);
}

#[test]
fn what_an_earlier_run_fetched_is_gone_on_with() {
    let fetching = Fetching::new();
    fetching.begin(&model_bytes()[..70]);
    let server = sound();
    assert_eq!(fetching.succeeds(&server), 0);
    assert_eq!(
        downloads(&server).iter().map(range).collect::<Vec<_>>(),
        [Some(70)]
    );

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
                head(
                    to,
                    206,
                    "text/plain",
                    &format!("Content-Length: 10\r\n{range}"),
                )?;
                to.write_all(&bytes[..10])
            }
            _ => {
                head(
                    to,
                    200,
                    "text/plain",
                    &format!("Content-Length: {}\r\n", bytes.len()),
                )?;
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
    assert_eq!(error.kind, StoreErrorKind::Differs, "{error}");
    assert!(
        names(fetching.dir.path()).is_empty(),
        "it is not gone on with"
    );

    for change in [-1, 1] {
        let longer = hub(move |_, _, to, bytes| {
            let n = bytes.len().checked_add_signed(change).unwrap();
            head(
                to,
                200,
                "application/octet-stream",
                &format!("Content-Length: {n}\r\n"),
            )?;
            to.write_all(&[bytes, b"!"].concat()[..n])
        });
        let error = fetching.fails(&longer);
        assert_eq!(error.kind, StoreErrorKind::Differs, "{error}");
    }
    // Of a length that it does not name.
    let endless = hub(|_, _, to, bytes| {
        head(to, 200, "application/octet-stream", "")?;
        (0..1_000).try_for_each(|_| to.write_all(bytes))
    });
    let error = fetching.fails(&endless);
    assert_eq!(error.kind, StoreErrorKind::Differs, "{error}");
}

#[test]
fn a_beginning_that_was_damaged_on_the_disk_is_not_kept() {
    let fetching = Fetching::new();
    fetching.begin(&[0; 70]);
    let server = sound();
    let error = fetching.fails(&server);
    assert!(error.to_string().contains("its SHA-256 is"), "{error}");
    fetching.succeeds(&server);
    assert_eq!(
        downloads(&server).iter().map(range).collect::<Vec<_>>(),
        [Some(70), None]
    );
    // Longer than the file is.
    let fetching = Fetching::new();
    fetching.begin(&[0; 100_000]);
    fetching.succeeds(&server);
}

#[test]
fn a_file_that_is_no_model_is_not_kept() {
    let bytes = b"version https://git-lfs.github.com/spec/v1".as_slice();
    let mut fetching = Fetching::new();
    fetching.file = RemoteFile::new(FILE, bytes.len() as u64, &sum(bytes)).unwrap();
    let server = hub(move |_, asked, to, _| send(asked, to, bytes, bytes.len()));
    let error = fetching.fails(&server);
    assert_eq!(error.kind, StoreErrorKind::Unusable, "{error}");
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
        5,
        "the one that brought some and those after it"
    );
    assert_eq!(
        fs::read(part_path(&fetching.file, &fetching.to()))
            .unwrap()
            .len(),
        100
    );
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
    fetching.limits.silence = Duration::from_millis(200);
    let silent = hub(|_, asked, to, bytes| {
        send(asked, to, bytes, 50)?;
        to.flush()?;
        std::thread::sleep(Duration::from_secs(3));
        Ok(())
    });
    let error = fetching.fails(&silent).to_string();
    assert!(
        error.contains("broke off at 50 of") && error.contains("timed out"),
        "{error}"
    );
}

#[test]
fn a_busy_server_is_asked_again_but_not_for_ever() {
    let fetching = Fetching::new();
    let server = hub(|n, asked, to, bytes| match n {
        0 => whole(to, 503, "text/html", "<title>later</title>"),
        1 => head(to, 429, "text/plain", "Content-Length: 0\r\n"),
        _ => send(asked, to, bytes, bytes.len()),
    });
    assert_eq!(fetching.succeeds(&server), 2);
    let fetching = Fetching::new();
    let server = hub(|_, _, to, _| head(to, 429, "text/plain", "Content-Length: 0\r\n"));
    let error = fetching.fails(&server).to_string();
    assert!(error.contains("429 Too Many Requests"), "{error}");
    assert_eq!(downloads(&server).len(), 5);
}

#[test]
fn two_programs_do_not_fetch_the_same_file_at_once() {
    let fetching = Fetching::new();
    let part = fetching.begin(b"");
    let other = fs::File::open(part).unwrap();
    other.lock().unwrap();
    let error = fetching.fails(&sound());
    assert!(
        error
            .to_string()
            .ends_with("is being fetched by another slotwright"),
        "{error}"
    );
    drop(other);
    fetching.succeeds(&sound());
}

#[test]
fn no_redirect_leads_astray() {
    let check = |location: &'static str, message: &str| {
        let fetching = Fetching::new();
        let server = hub(move |_, _, to, _| {
            head(
                to,
                302,
                "text/plain",
                &format!("Location: {location}\r\nContent-Length: 0\r\n"),
            )
        });
        let error = fetching.fails(&server).to_string();
        assert!(error.contains(message), "{error}");
        downloads(&server).len()
    };
    assert_eq!(check("/round", "again and again"), 11);
    assert_eq!(check("file:///etc/passwd", "302 Found"), 1);
    assert_eq!(check("http://[", "302 Found"), 1);

    // From an encrypted hub to one that is not.
    let tls = Server::with_tls(|asked, to| match is_description(asked) {
        true => describe(to, &[(FILE, &model_bytes())]),
        false => head(
            to,
            302,
            "text/plain",
            "Location: http://127.0.0.1:9/x\r\nContent-Length: 0\r\n",
        ),
    });
    let home = Home::new();
    let certificate = home.path("certificate.pem");
    fs::write(&certificate, tls.certificate.as_ref().unwrap()).unwrap();
    let mut trusting = command(&home, &tls, &["models", "pull", REPOSITORY]);
    let run = Run::from(
        trusting
            .env("SSL_CERT_FILE", &certificate)
            .output()
            .unwrap(),
    );
    run.says(4, "leads to http://127.0.0.1:9/x, which is not encrypted");
    // Without the certificate.
    pull(&home, &tls).says(4, "SSL_CERT_FILE a certificate");
}
