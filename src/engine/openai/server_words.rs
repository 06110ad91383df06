//! The message in a server's refusal.

use crate::http::safe;
use serde_json::Value;

/// The message in a server's refusal, for people.
pub(super) struct ServerWords {
    pub message: String,
    /// Whether another try is pointless.
    pub is_final: bool,
}

impl ServerWords {
    /// The message of a web page: its title.
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
        ServerWords {
            message,
            is_final: false,
        }
    }

    /// The message of a JSON or text body.
    pub fn of_body(body: &[u8]) -> ServerWords {
        let text = String::from_utf8_lossy(body);
        match serde_json::from_slice::<Value>(body) {
            Ok(Value::Object(body)) => {
                ServerWords::of_error(body.get("error").unwrap_or(&Value::Object(body.clone())))
            }
            _ if text.trim().is_empty() => ServerWords {
                message: "no reason given".to_owned(),
                is_final: false,
            },
            _ => ServerWords {
                message: text.into_owned(),
                is_final: false,
            },
        }
    }

    /// The message of an error object, as OpenAI, FastAPI and others write it.
    pub fn of_error(error: &Value) -> ServerWords {
        let said = ["message", "detail", "error"]
            .iter()
            .find_map(|key| error.get(key))
            .unwrap_or(error);
        let message = said
            .as_str()
            .map_or_else(|| said.to_string(), str::to_owned);
        // Waiting restores no account's quota, and a refused schema stays refused.
        let words = message.to_lowercase();
        let is_final = error["code"] == "insufficient_quota"
            || ["response_format", "json_schema", "grammar"]
                .iter()
                .any(|name| words.contains(name));
        ServerWords { message, is_final }
    }
}
