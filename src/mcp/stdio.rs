//! The messages of a client. A line that is no message gets the protocol's error, so that the client
//! does not wait for an answer.

use crate::console::json_lines::{LinesIn, LinesOut, is_json, parse_error};
use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use std::io;

/// Standard input and output.
pub(super) struct Stdio {
    input: LinesIn,
    output: LinesOut,
    /// An answer that is not written yet.
    refusal: Option<Value>,
}

impl Stdio {
    pub fn new() -> Stdio {
        Stdio {
            input: LinesIn::new(),
            output: LinesOut::new(),
            refusal: None,
        }
    }
}

impl Transport<RoleServer> for Stdio {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = self.output.clone();
        async move { output.send(serde_json::to_vec(&message)?).await }
    }

    /// It may be dropped while it waits, and loses nothing.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(refusal) = &self.refusal {
                self.output
                    .send(refusal.to_string().into_bytes())
                    .await
                    .ok()?;
                self.refusal = None;
            }
            let line = self.input.next().await.ok()??;
            match serde_json::from_slice(&line) {
                Ok(message) if is_json(&line) => return Some(message),
                _ => self.refusal = refusal(&line),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The answer to a line that is no message of the protocol. A notification has none.
fn refusal(line: &[u8]) -> Option<Value> {
    if !is_json(line) {
        return Some(parse_error(&Value::Null));
    }
    let message: Value = serde_json::from_slice(line).unwrap_or_default();
    let id = &message["id"];
    if id.is_null() && message["method"].is_string() {
        return None;
    }
    let error = json!({"code": -32600, "message": "Invalid request"});
    Some(json!({"jsonrpc": "2.0", "id": id, "error": error}))
}
