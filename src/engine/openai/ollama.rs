//! The context window that an Ollama server gives a model.
//!
//! Ollama cuts off a prompt that is longer, without a word, and its `/v1` API can neither set nor
//! name the window. Its own API names it: `/api/ps` for a model that runs, and `/api/show` where
//! the model's own settings have it.

use super::http::Connection;
use serde_json::{Value, json};

/// The window that Ollama gives a model by itself, in tokens. Newer versions may give more.
const DEFAULT: usize = 4_096;

/// Below this window, in tokens, less of a file is shown than usual.
const SMALL: usize = 8_192;

/// The window of a model in tokens, as far as the server tells it.
pub(super) async fn context(name: &str, connection: &Connection) -> usize {
    let address = &connection.address;
    let running = connection.get(&address.beside("api/ps")).await;
    let running = running.ok().flatten().unwrap_or_default();
    let models = running["models"].as_array().map_or(&[][..], Vec::as_slice);
    let running_context = models
        .iter()
        .find(|model| model["name"] == *name || model["model"] == *name)
        .and_then(|model| positive(&model["context_length"]));
    if let Some(context) = running_context {
        return context;
    }

    let body = json!({"model": name});
    let shown = connection.post(&address.beside("api/show"), &body).await;
    shown.unwrap_or_default()["parameters"]
        .as_str()
        .and_then(num_ctx)
        .unwrap_or(DEFAULT)
}

/// What the person should know of a small window.
pub(super) fn note(context: usize) -> Option<String> {
    (context < SMALL).then(|| {
        format!(
            "Ollama gives this model a context of {context} tokens, so less of long files is \
             shown, and a longer prompt is refused; OLLAMA_CONTEXT_LENGTH=16384 for the server, \
             or num_ctx in a Modelfile, gives more"
        )
    })
}

/// The setting in Ollama's list of them, one on a line: `num_ctx    8192`.
fn num_ctx(parameters: &str) -> Option<usize> {
    parameters.lines().find_map(|line| {
        let (name, value) = line.trim().split_once(char::is_whitespace)?;
        (name == "num_ctx")
            .then(|| value.trim().parse().ok())
            .flatten()
            .filter(|&n| n > 0)
    })
}

/// A number above 0.
pub(super) fn positive(value: &Value) -> Option<usize> {
    value
        .as_u64()
        .map(|number| number as usize)
        .filter(|&number| number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_is_read_from_the_list() {
        assert_eq!(
            num_ctx("stop  \"<|im_end|>\"\nnum_ctx                        8192"),
            Some(8_192)
        );
        assert_eq!(num_ctx("num_ctx_other 1\ntemperature 0.7"), None);
        assert_eq!(num_ctx("num_ctx many"), None);
    }
}
