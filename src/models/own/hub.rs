//! A hub of models, Hugging Face's or a mirror of it: its address, its token, and what it is asked.
//!
//! `/api/models/REPOSITORY?blobs=true` lists the files of a repository
//! (<https://huggingface.co/docs/hub/api>).

use super::error::{StoreError, StoreErrorKind};
use crate::http::{self, cause, is_loopback, safe};
use reqwest::header::{AUTHORIZATION, HeaderValue, RANGE};
use reqwest::redirect::{Action, Attempt, Policy};
use reqwest::{Client, Response, StatusCode, Url};
use serde::Deserialize;
use std::ffi::OsString;
use std::ops::Deref;
use std::time::Duration;

/// Where models are fetched if `HF_ENDPOINT` names no other hub.
const ENDPOINT: &str = "https://huggingface.co";

/// A hub leads to a store of files, and that perhaps to the nearest one.
const MAX_REDIRECTS: usize = 10;

/// The longest list of files that is read, in bytes.
const MAX_LIST: usize = 16 << 20;

/// The time limits of a transfer. No limit is on the whole: a slow line takes hours.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How long a server may be silent.
    pub silence: Duration,
    /// The pause before the second try. It doubles with each further try.
    pub pause: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            silence: Duration::from_secs(30),
            pause: Duration::from_millis(500),
        }
    }
}

/// A hub, and who asks it. The header with the token is one that `Debug` does not show.
#[derive(Clone, Debug)]
pub struct Hub {
    endpoint: Url,
    token: Option<HeaderValue>,
    client: Client,
    pub(super) limits: Limits,
}

impl Hub {
    /// The hub at an address, asked with a token if there is one.
    ///
    /// # Errors
    /// [`StoreErrorKind::Variable`] if the address is none, or the token would be readable for others.
    pub fn new(endpoint: &str, token: Option<&str>, limits: Limits) -> Result<Hub, StoreError> {
        let endpoint = address(endpoint)?;
        let mut client = http::client(Duration::from_secs(15))
            .redirect(Policy::custom(follow))
            .referer(false)
            .read_timeout(limits.silence);
        if is_loopback(&endpoint) {
            client = client.no_proxy();
        }
        let client = client
            .build()
            .map_err(|error| StoreError::new(StoreErrorKind::Unreachable, cause(&error)))?;

        let token = match token.map(str::trim).filter(|token| !token.is_empty()) {
            Some(token) => Some(authorization(token, &endpoint)?),
            None => None,
        };
        Ok(Hub {
            endpoint,
            token,
            client,
            limits,
        })
    }

    /// The hub of `HF_ENDPOINT`, or else Hugging Face's; with the token of `HF_TOKEN`. `variable`
    /// gives a variable of the environment.
    ///
    /// # Errors
    /// As [`Hub::new`], and if `HF_HUB_OFFLINE` is set.
    pub fn of_environment(variable: impl Fn(&str) -> Option<OsString>) -> Result<Hub, StoreError> {
        // An empty variable is one that is not set.
        let [offline, endpoint, token] =
            ["HF_HUB_OFFLINE", "HF_ENDPOINT", "HF_TOKEN"].map(|name| {
                let value = variable(name)?.to_string_lossy().into_owned();
                (!value.trim().is_empty()).then_some(value)
            });
        if offline.is_some_and(|value| value != "0") {
            let message = "HF_HUB_OFFLINE is set, so nothing is fetched";
            return Err(StoreError::new(StoreErrorKind::Variable, message));
        }
        let endpoint = endpoint.as_deref().unwrap_or(ENDPOINT);
        Hub::new(endpoint, token.as_deref(), Limits::default())
    }

    /// Its address, as messages show it.
    pub fn address(&self) -> String {
        self.endpoint.as_str().trim_end_matches('/').to_owned()
    }

    /// Asks what a repository has.
    pub(super) async fn repository(&self, name: &str) -> Result<Repository, StoreError> {
        let mut url = self.at(["api", "models"].into_iter().chain(name.split('/')));
        url.set_query(Some("blobs=true"));
        let mut response = self.get(url, 0, name).await?;

        let mut body = Vec::new();
        while let Some(piece) = self.piece(&mut response).await? {
            body.extend_from_slice(&piece);
            if body.len() > MAX_LIST {
                return Err(self.not_a_hub("its list of files has no end"));
            }
        }
        match serde_json::from_slice::<Described>(&body) {
            Ok(described) => Ok(described.repository(name)),
            Err(error) => Err(self.not_a_hub(&error.to_string())),
        }
    }

    /// Asks for a file of a repository, from this byte on. The answer is 200, 206 or, if `from` is
    /// not 0, 416.
    pub(super) async fn file(
        &self,
        repository: &str,
        path: &str,
        from: u64,
    ) -> Result<Response, StoreError> {
        let folders = repository.split('/').chain(["resolve", "main"]);
        let url = self.at(folders.chain(path.split('/')));
        self.get(url, from, &format!("{repository}/{path}")).await
    }

    /// The next piece of an answer; `None` at its end.
    pub(super) async fn piece(
        &self,
        response: &mut Response,
    ) -> Result<Option<impl Deref<Target = [u8]>>, StoreError> {
        let piece = response.chunk().await;
        piece.map_err(|error| self.unreachable(&error))
    }

    /// `what`: the repository or file, for messages.
    async fn get(&self, url: Url, from: u64, what: &str) -> Result<Response, StoreError> {
        let mut request = self.client.get(url);
        if let Some(token) = &self.token {
            // A redirect to another server does not take it along.
            request = request.header(AUTHORIZATION, token);
        }
        if from > 0 {
            request = request.header(RANGE, format!("bytes={from}-"));
        }
        let response = request.send().await.map_err(|error| {
            if error.is_redirect() {
                self.not_a_hub(&cause(&error))
            } else {
                self.unreachable(&error)
            }
        })?;

        let status = response.status();
        let is_past_the_end = from > 0 && status == StatusCode::RANGE_NOT_SATISFIABLE;
        if status.is_success() || is_past_the_end {
            Ok(response)
        } else {
            Err(self.refusal(&response, what))
        }
    }

    fn refusal(&self, response: &Response, what: &str) -> StoreError {
        let address = self.address();
        let status = response.status();
        // Without a token the hub answers 401 for a repository that is not there.
        let is_missing = header(response, "x-error-code")
            .is_some_and(|code| matches!(&*code, "RepoNotFound" | "EntryNotFound"));
        if is_missing || status == StatusCode::NOT_FOUND {
            let message = format!("{address} has no {what}");
            return StoreError::new(StoreErrorKind::Missing, message);
        }

        let reason = header(response, "x-error-message")
            .or_else(|| status.canonical_reason().map(str::to_owned))
            .unwrap_or_default();
        let status = status.as_u16();
        let message = format!("{address} does not give {what}: {status} {reason}");
        StoreError::new(StoreErrorKind::Refused(status), message)
    }

    fn unreachable(&self, error: &reqwest::Error) -> StoreError {
        let (address, reason) = (self.address(), safe(&cause(error)));
        let message = format!("cannot reach {address}: {reason}");
        StoreError::new(StoreErrorKind::Unreachable, message)
    }

    fn not_a_hub(&self, reason: &str) -> StoreError {
        let (address, reason) = (self.address(), safe(reason));
        let message = format!("{address} does not answer like a hub of models: {reason}");
        StoreError::new(StoreErrorKind::NotAHub, message)
    }

    fn at<'p>(&self, parts: impl Iterator<Item = &'p str>) -> Url {
        let mut url = self.endpoint.clone();
        url.path_segments_mut()
            .expect("it has a host")
            .pop_if_empty()
            .extend(parts);
        url
    }
}

fn address(endpoint: &str) -> Result<Url, StoreError> {
    let url = Url::parse(endpoint.trim_end_matches('/')).ok();
    url.filter(|url| {
        let has_password = !url.username().is_empty() || url.password().is_some();
        matches!(url.scheme(), "http" | "https") && url.has_host() && !has_password
    })
    .ok_or_else(|| {
        let message = format!(
            "HF_ENDPOINT is {endpoint:?}, which is no address: it begins with https://, and has no \
             password"
        );
        StoreError::new(StoreErrorKind::Variable, message)
    })
}

/// The header that carries a token, unless others could read it on the network.
fn authorization(token: &str, endpoint: &Url) -> Result<HeaderValue, StoreError> {
    if endpoint.scheme() == "http" && !is_loopback(endpoint) {
        let message = format!(
            "HF_TOKEN is not sent to {endpoint}, which is neither encrypted (https) nor on this \
             machine"
        );
        return Err(StoreError::new(StoreErrorKind::Variable, message));
    }
    let Ok(mut header) = HeaderValue::try_from(format!("Bearer {token}")) else {
        let message = "HF_TOKEN has characters that no token has";
        return Err(StoreError::new(StoreErrorKind::Variable, message));
    };
    header.set_sensitive(true);
    Ok(header)
}

/// Follows a redirect, unless it leads from an encrypted server to one that is not.
fn follow(attempt: Attempt) -> Action {
    let was_encrypted = attempt.previous().iter().any(|url| url.scheme() == "https");
    let scheme = attempt.url().scheme();
    let is_safe = scheme == "https" || (scheme == "http" && !was_encrypted);

    if attempt.previous().len() > MAX_REDIRECTS {
        attempt.error("it leads elsewhere again and again")
    } else if is_safe {
        attempt.follow()
    } else {
        let to = attempt.url().to_string();
        attempt.error(format!("it leads to {to}, which is not encrypted"))
    }
}

fn header(response: &Response, name: &str) -> Option<String> {
    let value = response.headers().get(name)?;
    Some(safe(&String::from_utf8_lossy(value.as_bytes())))
}

/// What a repository has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Repository {
    /// `PUBLISHER/NAME`.
    pub name: String,
    /// The licence, as its publisher calls it.
    pub licence: Option<String>,
    /// Its large files. Models are among them.
    pub files: Vec<RemoteFile>,
}

/// A file of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteFile {
    /// Its path there. It is safe below a folder here.
    path: String,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256 in lower hexadecimal.
    pub sha256: String,
}

impl RemoteFile {
    /// A file, unless its path could lead out of a folder or be hidden in it.
    pub fn new(path: &str, bytes: u64, sha256: &str) -> Option<RemoteFile> {
        path.split('/').all(is_safe).then(|| RemoteFile {
            path: path.to_owned(),
            bytes,
            sha256: sha256.to_ascii_lowercase(),
        })
    }

    /// Its path in the repository, and in the folder for it here.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The last part of its path.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

fn is_safe(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('.')
        && !name.contains(|c: char| c.is_control() || c == '\\' || c == ':')
}

/// A hub's description of a repository, as far as it matters here.
#[derive(Deserialize)]
struct Described {
    #[serde(default)]
    tags: Vec<String>,
    siblings: Vec<Sibling>,
}

#[derive(Deserialize)]
struct Sibling {
    rfilename: String,
    /// `None` for a small file, which git itself keeps.
    lfs: Option<Lfs>,
}

#[derive(Deserialize)]
struct Lfs {
    sha256: String,
    size: u64,
}

impl Described {
    fn repository(self, name: &str) -> Repository {
        let mut tags = self.tags.iter();
        let files = self.siblings.iter().filter_map(|sibling| {
            let lfs = sibling.lfs.as_ref()?;
            RemoteFile::new(&sibling.rfilename, lfs.size, &lfs.sha256)
        });
        Repository {
            name: name.to_owned(),
            licence: tags.find_map(|tag| tag.strip_prefix("license:")).map(safe),
            files: files.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Result<Hub, StoreError> {
        Hub::of_environment(|name| {
            variables
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| OsString::from(value))
        })
    }

    #[track_caller]
    fn check_refused(variables: &[(&str, &str)], message: &str) {
        let error = of(variables).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
        assert!(!error.contains("secret token"), "{error}");
    }

    #[test]
    fn the_environment_names_hub_and_token() {
        let hub = of(&[("HF_ENDPOINT", ""), ("HF_TOKEN", " ")]).unwrap();
        assert_eq!(hub.address(), ENDPOINT);
        assert_eq!(hub.token, None);
        let mirror = ("HF_ENDPOINT", "https://hf.example/hub/");
        let mirror = of(&[mirror, ("HF_TOKEN", "t\n")]).unwrap();
        assert_eq!(mirror.address(), "https://hf.example/hub");
        assert_eq!(mirror.token.as_ref().unwrap(), "Bearer t");
        assert!(!format!("{mirror:?}").contains("Bearer"));
        let url = mirror.at(["a b", "c#.gguf"].into_iter());
        assert_eq!(url.as_str(), "https://hf.example/hub/a%20b/c%23.gguf");
    }

    #[test]
    fn what_the_environment_forbids_is_refused() {
        let token = ("HF_TOKEN", "secret token");
        for address in ["http://mirror.example", "http://192.168.1.2:8080"] {
            check_refused(&[("HF_ENDPOINT", address), token], "HF_TOKEN is not sent");
        }
        assert!(of(&[("HF_ENDPOINT", "http://localhost:8080"), token]).is_ok());
        check_refused(&[("HF_TOKEN", "a\nb")], "characters that no token has");
        check_refused(&[("HF_HUB_OFFLINE", "1")], "HF_HUB_OFFLINE is set");
        assert!(of(&[("HF_HUB_OFFLINE", "0")]).is_ok());
        for address in ["hf.co", "ftp://hf.co", "https://", "https://me:pw@hf.co"] {
            check_refused(&[("HF_ENDPOINT", address)], "which is no address");
        }
    }

    #[test]
    fn a_path_that_leads_elsewhere_is_no_file() {
        for path in ["../a", "/a", "a//b", ".a", "a\\b", "a\n", "c:a"] {
            assert_eq!(RemoteFile::new(path, 1, ""), None, "{path:?}");
        }
    }

    #[test]
    fn what_a_repository_has_is_read() {
        let body = r#"{
            "id": "a/b", "tags": ["gguf", "license:mit"], "gated": false,
            "siblings": [
                {"rfilename": "README.md", "size": 12},
                {"rfilename": "m-Q8_0.gguf", "size": 9, "lfs": {"sha256": "AB", "size": 9}},
                {"rfilename": "../m.gguf", "size": 9, "lfs": {"sha256": "AC", "size": 9}}
            ]}"#;
        let described: Described = serde_json::from_str(body).unwrap();
        let expected = Repository {
            name: "a/b".to_owned(),
            licence: Some("mit".to_owned()),
            files: vec![RemoteFile::new("m-Q8_0.gguf", 9, "ab").unwrap()],
        };
        assert_eq!(described.repository("a/b"), expected);
    }
}
