//! The messages of an editor. One that is not UTF-8 costs that message, and not the process: some
//! editors send the bytes of a Latin-1 file as they are.

use crate::console::json_lines::{LinesIn, LinesOut, parse_error};
use agent_client_protocol as acp;
use futures_util::{sink, stream};
use serde_json::Value;
use std::io;

/// Standard input and output, for [`acp::v1`].
pub(super) fn transport() -> impl acp::ConnectTo<acp::Agent> {
    let output = LinesOut::new();
    let outgoing = sink::unfold(output.clone(), async |output: LinesOut, line: String| {
        output.send(line.into_bytes()).await?;
        Ok::<_, io::Error>(output)
    });
    let incoming = stream::unfold((LinesIn::new(), output), async |(mut input, output)| {
        let line = next(&mut input, &output).await.transpose()?;
        Some((line, (input, output)))
    });
    acp::Lines::new(outgoing, incoming)
}

/// The next message that can be read, or what stands for it.
async fn next(input: &mut LinesIn, output: &LinesOut) -> io::Result<Option<String>> {
    while let Some(line) = input.next().await? {
        let line = match String::from_utf8(line) {
            Ok(line) => return Ok(Some(line)),
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        };
        let message: Value = serde_json::from_str(&line).unwrap_or_default();
        let error = parse_error(&message["id"]);
        // An answer of the editor: what was asked would wait for it forever.
        if message["method"].is_null() && !message["id"].is_null() {
            return Ok(Some(error.to_string()));
        }
        output.send(error.to_string().into_bytes()).await?;
    }
    Ok(None)
}
