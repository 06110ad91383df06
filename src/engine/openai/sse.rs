//! Server-sent events, as chat APIs use them (WHATWG HTML, "Server-sent events"): the `data` of
//! each event.
//!
//! ```text
//! stream = {event}
//! event  = {line} blank line
//! line   = "data:" [" "] text | ":" comment | other fields, which say nothing here
//! ```
//!
//! Lines end in a newline, with or without a carriage return before it.

/// Splits a stream into events. The stream may arrive in any pieces.
#[derive(Debug, Default)]
pub(super) struct Events {
    line: Vec<u8>,
    data: Option<String>,
}

impl Events {
    /// The events that a piece completes.
    pub fn feed(&mut self, piece: &[u8]) -> Vec<String> {
        let mut events = Vec::new();
        for part in piece.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                events.extend(self.end_line(&line));
            }
        }
        events
    }

    /// The event that the end of the stream completes. Some servers leave out the last blank line.
    pub fn finish(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        let event = self.end_line(&line);
        event.or_else(|| self.data.take())
    }

    fn end_line(&mut self, line: &[u8]) -> Option<String> {
        let line = String::from_utf8_lossy(line);
        let line = line.trim_end_matches(['\n', '\r']);
        if line.is_empty() {
            return self.data.take();
        }
        if let Some(text) = line.strip_prefix("data:") {
            let text = text.strip_prefix(' ').unwrap_or(text);
            match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(text);
                }
                None => self.data = Some(text.to_owned()),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_in_any_pieces() {
        let stream = concat!(
            ": ping\r\n\r\nevent: x\ndata: {\"a\":\ndata: \"é\"}\n\n",
            "data:[DONE]\r\n\r\nid: 3\n\ndata: rest",
        );
        for size in 1..stream.len() {
            let mut events = Events::default();
            let mut found: Vec<String> = stream
                .as_bytes()
                .chunks(size)
                .flat_map(|piece| events.feed(piece))
                .collect();
            found.extend(events.finish());
            assert_eq!(
                found,
                ["{\"a\":\n\"é\"}", "[DONE]", "rest"],
                "in pieces of {size}"
            );
        }
    }
}
