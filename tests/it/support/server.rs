//! A server of the tests' own that says what it is told to, and keeps what it was asked.

use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

/// A request.
#[derive(Clone, Debug)]
pub struct Asked {
    pub path: String,
    /// As they came, one a line.
    pub headers: String,
    pub body: Value,
}

/// A server on a port of this machine; it lives as long as the test's process.
pub struct Server {
    /// `http://127.0.0.1:PORT/v1`
    pub address: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    /// Its certificate in PEM, if it has one.
    pub certificate: Option<String>,
}

/// Where an answer is written to.
pub type To<'a> = &'a mut dyn Write;

impl Server {
    /// A server that answers each request like this.
    pub fn new(answer: impl Fn(&Asked, To) -> io::Result<()> + Send + Sync + 'static) -> Server {
        Server::start(None, answer)
    }

    /// The same over TLS, with a certificate for 127.0.0.1 that nobody vouches for.
    pub fn with_tls(
        answer: impl Fn(&Asked, To) -> io::Result<()> + Send + Sync + 'static,
    ) -> Server {
        let rcgen::CertifiedKey { cert, signing_key } =
            rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
        let certificate = CertificateDer::from(cert.der().to_vec());
        let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .unwrap();
        Server {
            certificate: Some(cert.pem()),
            ..Server::start(Some(Arc::new(config)), answer)
        }
    }

    /// A server with one model, `m`, owned by this maker, that answers the nth question (counted
    /// from 0) like this.
    pub fn chat(
        owned_by: &'static str,
        answer: impl Fn(usize, &Asked, To) -> io::Result<()> + Send + Sync + 'static,
    ) -> Server {
        let n_asked = Mutex::new(0);
        Server::new(move |asked, to| {
            if !asked.path.ends_with("/chat/completions") {
                return if asked.path.ends_with("/models") {
                    models(to, owned_by, &["m"])
                } else {
                    not_found(to)
                };
            }
            let n = {
                let mut n_asked = n_asked.lock().unwrap();
                *n_asked += 1;
                *n_asked - 1
            };
            answer(n, asked, to)
        })
    }

    /// A server that answers the questions with these texts, in order, and the last one for ever.
    pub fn says(texts: &[&str]) -> Server {
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        Server::chat("someone", move |n, _, to| {
            stream(to, &texts[n.min(texts.len() - 1)])
        })
    }

    /// The reference of a model on it.
    pub fn model(&self, name: &str) -> String {
        format!("{}#{name}", self.address)
    }

    /// All that was asked.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// The questions among it.
    pub fn questions(&self) -> Vec<Asked> {
        self.asked()
            .into_iter()
            .filter(|asked| asked.path.ends_with("/chat/completions"))
            .collect()
    }

    fn start(
        tls: Option<Arc<rustls::ServerConfig>>,
        answer: impl Fn(&Asked, To) -> io::Result<()> + Send + Sync + 'static,
    ) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let scheme = if tls.is_some() { "https" } else { "http" };
        let address = format!("{scheme}://{}/v1", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (kept, answer) = (Arc::clone(&asked), Arc::new(answer));
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let (kept, answer, tls) = (Arc::clone(&kept), Arc::clone(&answer), tls.clone());
                // Whoever hangs up is no concern of the server's.
                std::thread::spawn(move || match tls {
                    None => serve(connection?, &kept, &*answer),
                    Some(config) => {
                        let session =
                            rustls::ServerConnection::new(config).map_err(io::Error::other)?;
                        serve(
                            rustls::StreamOwned::new(session, connection?),
                            &kept,
                            &*answer,
                        )
                    }
                });
            }
        });
        Server {
            address,
            asked,
            certificate: None,
        }
    }
}

/// An address of this machine at which nobody listens.
pub fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}/v1", listener.local_addr().unwrap())
}

fn serve<C: Read + Write>(
    mut connection: C,
    kept: &Mutex<Vec<Asked>>,
    answer: &(impl Fn(&Asked, To) -> io::Result<()> + ?Sized),
) -> io::Result<()> {
    let mut reader = BufReader::new(&mut connection);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = String::new();
    while reader.read_line(&mut headers)? > 2 {}
    let length = headers.lines().find_map(|line| {
        line.to_lowercase()
            .strip_prefix("content-length:")?
            .trim()
            .parse()
            .ok()
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    let asked = Asked {
        path,
        headers,
        body: serde_json::from_slice(&body).unwrap_or_default(),
    };
    kept.lock().unwrap().push(asked.clone());
    answer(&asked, &mut connection)?;
    connection.flush()
}

/// The beginning of an answer.
pub fn head(to: To, status: u16, content_type: &str, more: &str) -> io::Result<()> {
    write!(
        to,
        "HTTP/1.1 {status} Status\r\nContent-Type: {content_type}\r\n\
         Connection: close\r\n{more}\r\n"
    )
}

/// An answer in one piece.
pub fn whole(to: To, status: u16, content_type: &str, body: &str) -> io::Result<()> {
    head(
        to,
        status,
        content_type,
        &format!("Content-Length: {}\r\n", body.len()),
    )?;
    to.write_all(body.as_bytes())
}

/// A refusal as OpenAI words it.
pub fn refuse(to: To, status: u16, message: &str) -> io::Result<()> {
    whole(
        to,
        status,
        "application/json",
        &json!({"error": {"message": message, "type": "error", "param": null}}).to_string(),
    )
}

pub fn not_found(to: To) -> io::Result<()> {
    whole(to, 404, "application/json", r#"{"detail":"Not Found"}"#)
}

pub fn models(to: To, owned_by: &str, names: &[&str]) -> io::Result<()> {
    let data: Vec<Value> = names
        .iter()
        .map(|name| json!({"id": name, "object": "model", "owned_by": owned_by}))
        .collect();
    whole(
        to,
        200,
        "application/json",
        &json!({"object": "list", "data": data}).to_string(),
    )
}

/// One event of a stream: a piece of text.
pub fn event(text: &str) -> String {
    format!(
        "data: {}\n\n",
        json!({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": null}]})
    )
}

/// The end of a stream.
pub fn end(reason: &str) -> String {
    let last = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]});
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7}});
    format!("data: {last}\n\ndata: {usage}\n\ndata: [DONE]\n\n")
}

/// An answer, streamed in pieces of a few characters.
pub fn stream(to: To, text: &str) -> io::Result<()> {
    head(to, 200, "text/event-stream", "")?;
    let chars: Vec<char> = text.chars().collect();
    for piece in chars.chunks(5) {
        to.write_all(event(&piece.iter().collect::<String>()).as_bytes())?;
    }
    to.write_all(end("stop").as_bytes())
}
