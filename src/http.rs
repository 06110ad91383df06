//! For all HTTP clients here: how they connect, and what went wrong in one line.

use reqwest::header::RETRY_AFTER;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Response, Url};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::net::IpAddr;
use std::time::Duration;

/// A client that may take so long to connect. It follows no redirect: one could take a key to
/// another host, and would turn a POST into a GET.
pub fn client(connect: Duration) -> ClientBuilder {
    // The first client of a process installs it. For later ones it is there already, which is no
    // error.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .user_agent(concat!("slotwright/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(connect)
        .redirect(Policy::none())
}

/// Whether a server is this machine. Then nothing leaves the machine, and no proxy is used.
pub fn is_loopback(url: &Url) -> bool {
    // An IPv6 address is in brackets.
    let host = url
        .host_str()
        .unwrap_or_default()
        .trim_start_matches('[')
        .trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// The wait that a server asks for, in seconds or milliseconds. Dates are ignored.
pub fn retry_after(response: &Response) -> Option<Duration> {
    let seconds = match number_in(response, "retry-after-ms") {
        Some(ms) => ms / 1e3,
        None => number_in(response, RETRY_AFTER.as_str())?,
    };
    Duration::try_from_secs_f64(seconds).ok()
}

fn number_in(response: &Response, header: &str) -> Option<f64> {
    let value = response.headers().get(header)?.to_str().ok()?;
    value.trim().parse().ok()
}

/// The innermost cause of an error. The outer error says little more than the address.
pub fn cause(error: &dyn std::error::Error) -> String {
    std::iter::successors(Some(error), |error| error.source())
        .last()
        .map_or_else(String::new, ToString::to_string)
}

/// Whether a connection failed because the server's certificate is not trusted.
pub fn has_certificate_fault(error: &(dyn std::error::Error + 'static)) -> bool {
    if let Some(error) = error.downcast_ref::<rustls::Error>() {
        return matches!(
            error,
            rustls::Error::InvalidCertificate(_) | rustls::Error::NoCertificatesPresented
        );
    }
    // An I/O error does not return the error inside it as its source.
    let held = error
        .downcast_ref::<std::io::Error>()
        .and_then(std::io::Error::get_ref);
    match held {
        Some(held) => has_certificate_fault(held),
        None => error.source().is_some_and(has_certificate_fault),
    }
}

/// A random number from 0 to 1, so that clients that were refused together do not come back
/// together. The standard library seeds its hashes at random.
pub fn fraction() -> f64 {
    RandomState::new().build_hasher().finish() as f64 / u64::MAX as f64
}

/// A server's text for a message: short, on one line, without control characters that a terminal
/// would act on.
pub fn safe(text: &str) -> String {
    const SHOWN: usize = 300;
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words = words.filter(|word| !word.is_empty());
    // No more words than characters are shown.
    let safe = words.take(SHOWN + 1).collect::<Vec<_>>().join(" ");
    match safe.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} …", &safe[..end]),
        None => safe,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_server_are_short_and_harmless() {
        assert_eq!(safe("a\r\n b\x1b[31m\tc"), "a b [31m c");
        assert_eq!(
            safe(&"x".repeat(1_000_000)),
            format!("{} …", "x".repeat(300))
        );
        assert_eq!(safe(""), "");
    }

    #[test]
    fn this_machine_is_told_from_others() {
        let check = |url: &str| is_loopback(&Url::parse(url).unwrap());
        assert!(check("http://localhost:1") && check("http://127.0.0.9") && check("http://[::1]/"));
        assert!(!check("http://localhost.example.com") && !check("http://192.168.1.2"));
    }
}
