//! What a server says when it gives no answer.

use super::server_error::safe;
use serde_json::Value;

/// What a server says went wrong.
pub(super) struct ServerWords {
    pub message: String,
    /// Whether waiting does not help.
    pub is_final: bool,
}

impl ServerWords {
    /// Of a web page.
    pub fn of_page(body: &[u8]) -> ServerWords {
        let text = String::from_utf8_lossy(body);
        let title = text
            .split_once("<title>")
            .and_then(|(_, rest)| rest.split_once("</title>"))
            .map(|(title, _)| title);
        let message = title.map_or_else(
            || "a web page".to_owned(),
            |title| format!("a web page ({:?})", safe(title)),
        );
        ServerWords { message, is_final: false }
    }

    /// Of JSON or text.
    pub fn of_body(body: &[u8]) -> ServerWords {
        let text = String::from_utf8_lossy(body);
        match serde_json::from_slice::<Value>(body) {
            Ok(Value::Object(body)) => {
                ServerWords::of_error(body.get("error").unwrap_or(&Value::Object(body.clone())))
            }
            _ if text.trim().is_empty() => {
                ServerWords { message: "no reason given".to_owned(), is_final: false }
            }
            _ => ServerWords { message: text.into_owned(), is_final: false },
        }
    }

    /// As OpenAI, FastAPI and others spell it.
    pub fn of_error(error: &Value) -> ServerWords {
        let said =
            ["message", "detail", "error"].iter().find_map(|key| error.get(key)).unwrap_or(error);
        let message = said.as_str().map_or_else(|| said.to_string(), str::to_owned);
        // The quota of an account does not come back by waiting; a schema that is refused does not
        // become another.
        let words = message.to_lowercase();
        let is_final = error["code"] == "insufficient_quota"
            || ["response_format", "json_schema", "grammar"]
                .iter()
                .any(|name| words.contains(name));
        ServerWords { message, is_final }
    }
}
