//! Frames as they travel over the serial line.

const START: u8 = 0x7e;

pub struct Frame {
    pub address: u8,
    pub payload: Vec<u8>,
}

impl Frame {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![START, self.address, self.payload.len() as u8];
        out.extend_from_slice(&self.payload);
        let sum = checksum(&out[1..]);
        out.extend_from_slice(&sum.to_be_bytes());
        out
    }
}

/// Splits a raw line into the header and the rest.
pub(crate) fn split_header(raw: &[u8]) -> Option<(&[u8], &[u8])> {
    if raw.len() < 3 || !starts_frame(raw[0]) {
        return None;
    }
    Some(raw.split_at(3))
}

fn starts_frame(byte: u8) -> bool {
    byte == START
}

/// Sum of all bytes, inverted, as the controllers expect it.
fn checksum(bytes: &[u8]) -> u16 {
    let sum = bytes
        .iter()
        .fold(0u16, |sum, byte| sum.wrapping_add(u16::from(*byte)));
    !sum
}
