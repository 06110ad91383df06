use std::io::{self, Write};

/// Collects log lines and hands them to a sink in batches.
pub struct Outbox<W: Write> {
    sink: W,
    pending: Vec<String>,
    batches: usize,
}

impl<W: Write> Outbox<W> {
    pub fn new(sink: W) -> Self {
        Outbox {
            sink,
            pending: Vec::new(),
            batches: 0,
        }
    }

    pub fn push(&mut self, line: impl Into<String>) {
        self.pending.push(line.into());
    }

    /// Writes one line at once, past the batch.
    pub fn send_now(&mut self, line: &str) -> io::Result<usize> {
        if line.is_empty() {
            return Ok(0);
        }
        writeln!(self.sink, "{line}")?;
        Ok(line.len() + 1)
    }

    /// Writes everything that is pending and returns the number of bytes.
    pub fn flush(&mut self) -> io::Result<usize> {
        if self.pending.is_empty() {
            return Ok(0);
        }
        let mut written = 0;
        for line in self.pending.drain(..) {
            writeln!(self.sink, "{line}")?;
            written += line.len() + 1;
        }
        self.sink.flush()?;
        self.batches += 1;
        Ok(written)
    }

    pub fn batches(&self) -> usize {
        self.batches
    }
}
