//! Standard input and output as JSON-RPC uses them here: a message a line.

use serde::de::IgnoredAny;
use serde_json::{Value, json};
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Stdin, Stdout};
use tokio::sync::Mutex;

/// The longest message, as of a patch.
const MAX_BYTES: usize = 64 << 20;

/// The lines of a client.
pub(crate) struct LinesIn {
    input: BufReader<Stdin>,
    line: Vec<u8>,
}

/// The lines for a client, each of which is written whole.
#[derive(Clone)]
pub(crate) struct LinesOut(Arc<Mutex<Stdout>>);

impl LinesIn {
    pub fn new() -> LinesIn {
        LinesIn {
            input: BufReader::new(tokio::io::stdin()),
            line: Vec::new(),
        }
    }

    /// The next line that is not blank, without its end; `None` if the client has gone away. If the
    /// future is dropped, the next call goes on with the same line. Of a line that is longer than
    /// [`MAX_BYTES`] only the beginning is kept, which is no JSON.
    pub async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            let chunk = self.input.fill_buf().await?;
            let is_over = chunk.is_empty();
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let n_read = end.map_or(chunk.len(), |end| end + 1);
            let n_kept = n_read.min(MAX_BYTES.saturating_sub(self.line.len()));
            self.line.extend_from_slice(&chunk[..n_kept]);
            self.input.consume(n_read);
            if end.is_none() && !is_over {
                continue;
            }

            let line = std::mem::take(&mut self.line);
            let text = line
                .strip_prefix("\u{feff}".as_bytes())
                .unwrap_or(&line)
                .trim_ascii();
            if !text.is_empty() {
                return Ok(Some(text.to_vec()));
            }
            if is_over {
                return Ok(None);
            }
        }
    }
}

impl LinesOut {
    pub fn new() -> LinesOut {
        LinesOut(Arc::new(Mutex::new(tokio::io::stdout())))
    }

    pub async fn send(&self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        let mut output = self.0.lock().await;
        output.write_all(&line).await?;
        output.flush().await
    }
}

/// Whether a line is JSON. What is not UTF-8 is none.
pub(crate) fn is_json(line: &[u8]) -> bool {
    std::str::from_utf8(line).is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok())
}

/// The answer to a line that is no JSON.
pub(crate) fn parse_error(id: &Value) -> Value {
    let message = "the message is not JSON in UTF-8, and was not read";
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32700, "message": message}})
}
