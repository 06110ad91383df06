//! Frames of the heat pump's serial bus.

pub const MAX_FRAME: usize = 64;

#[derive(Debug, PartialEq)]
pub enum FrameError {
    TooShort,
    TooLong,
    BadCrc,
}

#[derive(Debug)]
pub struct Frame<'a> {
    pub unit: u8,
    pub function: u8,
    pub data: &'a [u8],
}

fn crc16(bytes: &[u8]) -> u16 {
    let mut crc = 0xffff_u16;
    for byte in bytes {
        crc ^= u16::from(*byte);
        for _ in 0..8 {
            let carry = crc & 1;
            crc >>= 1;
            if carry == 1 {
                crc ^= 0xa001;
            }
        }
    }
    crc
}

fn verify_crc(raw: &[u8]) -> bool {
    let (body, tail) = raw.split_at(raw.len() - 2);
    crc16(body) == u16::from_le_bytes([tail[0], tail[1]])
}

pub fn parse(raw: &[u8]) -> Result<Frame<'_>, FrameError> {
    if raw.len() < 4 {
        return Err(FrameError::TooShort);
    }
    if raw.len() > MAX_FRAME {
        return Err(FrameError::TooLong);
    }
    if !verify_crc(raw) {
        return Err(FrameError::BadCrc);
    }
    Ok(Frame {
        unit: raw[0],
        function: raw[1],
        data: &raw[2..raw.len() - 2],
    })
}

pub fn build(unit: u8, function: u8, data: &[u8]) -> Vec<u8> {
    let mut raw = vec![unit, function];
    raw.extend_from_slice(data);
    let crc = crc16(&raw);
    raw.extend_from_slice(&crc.to_le_bytes());
    raw
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_frames_are_valid() {
        let raw = build(1, 3, &[0, 10, 0, 2]);
        assert!(verify_crc(&raw));
        assert_eq!(parse(&raw).unwrap().data, &[0, 10, 0, 2]);
    }

    #[test]
    fn a_flipped_bit_is_noticed() {
        let mut raw = build(1, 3, &[0, 10, 0, 2]);
        raw[3] ^= 4;
        assert!(!verify_crc(&raw));
    }
}
