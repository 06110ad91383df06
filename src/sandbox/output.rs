//! The output of a command. If it is long, its beginning and its end are kept.

use std::collections::VecDeque;

/// How many bytes are kept of the beginning, and of the end.
pub(super) const KEPT: usize = 64 << 10;

/// Both streams of a command as they came. Bytes that are not UTF-8 are shown as `�`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// The first 64 KiB.
    pub head: String,
    /// The last 64 KiB of what came after.
    pub tail: String,
    /// How many bytes were left out between the two.
    pub dropped: u64,
}

impl Output {
    /// Head and tail, with a line between them that says how much is missing.
    pub fn text(&self) -> String {
        match self.dropped {
            0 => format!("{}{}", self.head, self.tail),
            n => format!("{}\n[… {n} bytes left out …]\n{}", self.head, self.tail),
        }
    }
}

/// An output that is still being written.
#[derive(Debug, Default)]
pub(super) struct Kept {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    dropped: u64,
}

impl Kept {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let (first, rest) = bytes.split_at(bytes.len().min(KEPT - self.head.len()));
        self.head.extend_from_slice(first);
        self.tail.extend(rest);
        let too_many = self.tail.len().saturating_sub(KEPT);
        self.tail.drain(..too_many);
        self.dropped += too_many as u64;
    }

    pub(super) fn finish(mut self) -> Output {
        let mut tail = Vec::from(self.tail);
        // A character may lie across the border of head and tail.
        if self.dropped == 0 && !tail.is_empty() {
            let last = self.head.iter().rposition(|byte| byte & 0xC0 != 0x80);
            let last = last.unwrap_or(0);
            if self.head.len() - last < 4 && std::str::from_utf8(&self.head[last..]).is_err() {
                tail.splice(0..0, self.head.drain(last..));
            }
        }
        Output {
            head: String::from_utf8_lossy(&self.head).into_owned(),
            tail: String::from_utf8_lossy(&tail).into_owned(),
            dropped: self.dropped,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(pieces: &[&[u8]]) -> Output {
        let mut kept = Kept::default();
        pieces.iter().for_each(|piece| kept.push(piece));
        kept.finish()
    }

    #[test]
    fn what_fits_is_whole() {
        let output = kept(&[b"one\n", b"two\n"]);
        assert_eq!((output.text().as_str(), output.dropped), ("one\ntwo\n", 0));
        // 2 bytes each: after an odd first byte the border lies within one.
        let long = "é".repeat(KEPT - 1) + "x";
        let output = kept(&[b"a", long.as_bytes()]);
        assert_eq!(output.text(), format!("a{long}"));
        assert_eq!(output.dropped, 0);
    }

    #[test]
    fn of_the_rest_beginning_and_end_are_kept() {
        let block = vec![b'x'; 1 << 20];
        let output = kept(&[b"begin\n", &block, &block, b"\nend"]);
        assert!(output.head.starts_with("begin\nxxx") && output.tail.ends_with("xxx\nend"));
        assert_eq!((output.head.len(), output.tail.len()), (KEPT, KEPT));
        assert_eq!(output.dropped, (2 << 20) + 10 - 2 * KEPT as u64);
        let left_out = format!("\n[… {} bytes left out …]\n", output.dropped);
        assert!(output.text().contains(&left_out));
    }
}
