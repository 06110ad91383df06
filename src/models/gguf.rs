//! The metadata of a GGUF file, key by key, without its tensors.
//!
//! ```text
//! file   = "GGUF" version:u32 n_tensors:u64 n_values:u64 value*  (then tensors, not read here)
//! value  = key:text type:u32 data
//! text   = n_bytes:u64 bytes
//! array  = type:u32 n:u64 data*
//! ```
//!
//! Little endian, versions 2 and 3. Files come from strangers, so nothing here trusts a count:
//! memory grows only with what is kept, lengths are checked against the file, and a header that is
//! longer than [`MAX_HEADER_BYTES`] is refused. An array of arrays is refused, as llama.cpp does.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

/// The longest header that is read, in bytes. Large vocabularies make some 20 MB.
pub const MAX_HEADER_BYTES: u64 = 128 << 20;

/// The longest text that is kept, in bytes. Of longer ones only the length is known.
const MAX_TEXT: u64 = 64 << 10;

/// The longest key, as the format allows.
const MAX_KEY: u64 = u16::MAX as u64;

/// The most numbers of an array that are kept: one for each layer of a model.
const MAX_NUMBERS: u64 = 1_024;

/// Bytes that are read at once. What is asked for here is mostly in the first few thousand.
const BUFFER: usize = 8 << 10;

/// Why a file has no header that can be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GgufError {
    /// The system could not read it.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It does not begin as GGUF does.
    #[error("it is no GGUF file")]
    NotGguf,
    /// Another version of the format.
    #[error("it is GGUF version {0}, which llama.cpp does not read")]
    Version(u32),
    /// For processors that order bytes the other way.
    #[error("it is for big-endian machines")]
    BigEndian,
    /// A length or a type in it cannot be.
    #[error("its header is broken: {0}")]
    Broken(&'static str),
}

/// A value of the metadata.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Any whole number that is not negative.
    Number(u64),
    /// A truth value.
    Bool(bool),
    /// A text, or `None` if it is not UTF-8 or too long to be kept.
    Text(Option<String>),
    /// The numbers of a short array of whole numbers.
    Numbers(Vec<u64>),
    /// Anything else.
    Other,
}

/// Reads the metadata of one file. After each [`MetadataReader::next_key`] comes
/// [`MetadataReader::value`] or [`MetadataReader::skip`].
pub struct MetadataReader<R> {
    source: BufReader<R>,
    /// The length of the file in bytes.
    length: u64,
    /// Where the next byte is.
    position: u64,
    n_left: u64,
    n_tensors: u64,
    pending: Option<Pending>,
}

/// The type of a value whose key was read.
#[derive(Clone, Copy)]
struct Pending {
    kind: u32,
    /// How many values an array has; `None` for a single value.
    n: Option<u64>,
}

const U8: u32 = 0;
const I8: u32 = 1;
const BOOL: u32 = 7;
const TEXT: u32 = 8;
const ARRAY: u32 = 9;

impl<R: Read + Seek> MetadataReader<R> {
    /// Reads the head of a file.
    ///
    /// # Errors
    /// Any [`GgufError`].
    pub fn new(mut source: R) -> Result<Self, GgufError> {
        let length = source.seek(SeekFrom::End(0))?;
        source.rewind()?;
        let source = BufReader::with_capacity(BUFFER, source);
        let mut reader = MetadataReader {
            source,
            length,
            position: 0,
            n_left: 0,
            n_tensors: 0,
            pending: None,
        };

        let mut magic = [0; 4];
        reader.fill(&mut magic).map_err(|error| match error {
            GgufError::Broken(_) => GgufError::NotGguf,
            other => other,
        })?;
        if magic != *b"GGUF" {
            return Err(GgufError::NotGguf);
        }
        match reader.u32()? {
            2 | 3 => {}
            version if (1..=3).contains(&version.swap_bytes()) => return Err(GgufError::BigEndian),
            version => return Err(GgufError::Version(version)),
        }

        reader.n_tensors = reader.u64()?;
        reader.n_left = reader.u64()?;
        Ok(reader)
    }

    /// How many tensors the file says that it has.
    pub fn n_tensors(&self) -> u64 {
        self.n_tensors
    }

    /// The next key, and how many values its array has; `None` for a single value. `None` after the
    /// last key.
    ///
    /// # Errors
    /// Any [`GgufError`].
    pub fn next_key(&mut self) -> Result<Option<(String, Option<u64>)>, GgufError> {
        debug_assert!(
            self.pending.is_none(),
            "the value before was neither read nor skipped"
        );
        if self.n_left == 0 {
            return Ok(None);
        }
        self.n_left -= 1;

        let n_bytes = self.u64()?;
        if n_bytes > MAX_KEY {
            return Err(GgufError::Broken("a key is too long"));
        }
        let key = String::from_utf8(self.bytes(n_bytes)?)
            .map_err(|_| GgufError::Broken("a key is not UTF-8"))?;

        let mut kind = self.u32()?;
        let mut n = None;
        if kind == ARRAY {
            kind = self.u32()?;
            n = Some(self.u64()?);
            if kind == ARRAY {
                return Err(GgufError::Broken("an array of arrays"));
            }
        }
        self.pending = Some(Pending { kind, n });
        Ok(Some((key, n)))
    }

    /// The value of the key before.
    ///
    /// # Errors
    /// Any [`GgufError`].
    pub fn value(&mut self) -> Result<Value, GgufError> {
        let Some(Pending { kind, n }) = self.pending else {
            return Ok(Value::Other);
        };
        let is_kept = n.is_none_or(|n| kind != TEXT && n <= MAX_NUMBERS);
        if !is_kept {
            self.skip()?;
            return Ok(Value::Other);
        }
        self.pending = None;

        if let Some(n) = n {
            let mut numbers = Vec::new();
            for _ in 0..n {
                numbers.extend(self.number(kind)?);
            }
            let is_whole = numbers.len() as u64 == n;
            return Ok(if is_whole {
                Value::Numbers(numbers)
            } else {
                Value::Other
            });
        }
        match kind {
            TEXT => self.text().map(Value::Text),
            BOOL => Ok(Value::Bool(self.bytes(1)? != [0])),
            _ => Ok(self.number(kind)?.map_or(Value::Other, Value::Number)),
        }
    }

    fn text(&mut self) -> Result<Option<String>, GgufError> {
        let n_bytes = self.u64()?;
        if n_bytes > MAX_TEXT {
            self.advance(n_bytes)?;
            return Ok(None);
        }
        Ok(String::from_utf8(self.bytes(n_bytes)?).ok())
    }

    /// Goes past the value of the key before.
    ///
    /// # Errors
    /// Any [`GgufError`].
    pub fn skip(&mut self) -> Result<(), GgufError> {
        let Some(Pending { kind, n }) = self.pending.take() else {
            return Ok(());
        };
        let n = n.unwrap_or(1);
        if kind == TEXT {
            for _ in 0..n {
                let n_bytes = self.u64()?;
                self.advance(n_bytes)?;
            }
            return Ok(());
        }
        let n_bytes = width(kind)?.checked_mul(n).ok_or(CUT_OFF)?;
        self.advance(n_bytes)
    }

    /// A number or truth value; `None` if it is negative or has a fraction.
    fn number(&mut self, kind: u32) -> Result<Option<u64>, GgufError> {
        const I16: u32 = 3;
        const I32: u32 = 5;
        const I64: u32 = 11;
        const F32: u32 = 6;
        const F64: u32 = 12;
        let mut bytes = [0; 8];
        let n = width(kind)? as usize;
        self.fill(&mut bytes[..n])?;
        let is_negative = matches!(kind, I8 | I16 | I32 | I64) && bytes[n - 1] & 0x80 != 0;
        let is_whole = !matches!(kind, F32 | F64);
        Ok((is_whole && !is_negative).then(|| u64::from_le_bytes(bytes)))
    }

    fn u32(&mut self) -> Result<u32, GgufError> {
        let mut bytes = [0; 4];
        self.fill(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    fn u64(&mut self) -> Result<u64, GgufError> {
        let mut bytes = [0; 8];
        self.fill(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// At most [`MAX_TEXT`] bytes or a key: the caller has checked.
    fn bytes(&mut self, n: u64) -> Result<Vec<u8>, GgufError> {
        let mut bytes = vec![0; n as usize];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), GgufError> {
        self.move_on(bytes.len() as u64)?;
        self.source
            .read_exact(bytes)
            .map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => CUT_OFF,
                _ => error.into(),
            })
    }

    fn advance(&mut self, n: u64) -> Result<(), GgufError> {
        self.move_on(n)?;
        // Below `MAX_HEADER_BYTES`, which an i64 holds.
        Ok(self.source.seek_relative(n as i64)?)
    }

    fn move_on(&mut self, n: u64) -> Result<(), GgufError> {
        let end = self
            .position
            .checked_add(n)
            .filter(|&end| end <= self.length);
        self.position = end.ok_or(CUT_OFF)?;
        if self.position > MAX_HEADER_BYTES {
            return Err(GgufError::Broken("it is longer than that of any model"));
        }
        Ok(())
    }
}

const CUT_OFF: GgufError = GgufError::Broken("the file ends within it");

/// Bytes of a value that has the same number of them in every file.
fn width(kind: u32) -> Result<u64, GgufError> {
    Ok(match kind {
        U8 | I8 | BOOL => 1,
        2 | 3 => 2,
        4..=6 => 4,
        10..=12 => 8,
        _ => {
            return Err(GgufError::Broken(
                "a value has a type that GGUF does not know",
            ));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn text(out: &mut Vec<u8>, text: &str) {
        out.extend((text.len() as u64).to_le_bytes());
        out.extend(text.as_bytes());
    }

    fn head(n_values: u64) -> Vec<u8> {
        let mut out = b"GGUF".to_vec();
        out.extend(3u32.to_le_bytes());
        out.extend(7u64.to_le_bytes());
        out.extend(n_values.to_le_bytes());
        out
    }

    fn key(out: &mut Vec<u8>, name: &str, kind: u32) {
        text(out, name);
        out.extend(kind.to_le_bytes());
    }

    fn array(out: &mut Vec<u8>, name: &str, kind: u32, n: u64) {
        key(out, name, ARRAY);
        out.extend(kind.to_le_bytes());
        out.extend(n.to_le_bytes());
    }

    fn all(bytes: &[u8]) -> Result<Vec<(String, Value)>, GgufError> {
        let mut reader = MetadataReader::new(Cursor::new(bytes))?;
        let mut values = Vec::new();
        while let Some((key, _)) = reader.next_key()? {
            values.push((key, reader.value()?));
        }
        Ok(values)
    }

    #[test]
    fn values_of_every_kind_are_read_or_skipped() {
        let mut file = head(6);
        key(&mut file, "a", TEXT);
        text(&mut file, "llama");
        key(&mut file, "b", 4);
        file.extend(9u32.to_le_bytes());
        key(&mut file, "c", 5);
        file.extend((-1i32).to_le_bytes());
        array(&mut file, "d", 5, 2);
        file.extend([1i32, 2].iter().flat_map(|n| n.to_le_bytes()));
        array(&mut file, "e", TEXT, 2);
        text(&mut file, "x");
        text(&mut file, "yz");
        key(&mut file, "f", BOOL);
        file.push(1);
        let values = [
            ("a", Value::Text(Some("llama".to_owned()))),
            ("b", Value::Number(9)),
            ("c", Value::Other),
            ("d", Value::Numbers(vec![1, 2])),
            ("e", Value::Other),
            ("f", Value::Bool(true)),
        ];
        assert_eq!(
            all(&file).unwrap(),
            values.map(|(key, value)| (key.to_owned(), value))
        );
    }

    #[test]
    fn lengths_that_cannot_be_are_refused_without_being_believed() {
        type End = fn(&mut Vec<u8>);
        let hostile: [(End, &str); 9] = [
            (|_| (), "ends within"),
            (|file| file.extend(u64::MAX.to_le_bytes()), "is too long"),
            (|file| file.extend(60_000u64.to_le_bytes()), "ends within"),
            (|file| array(file, "a", ARRAY, 1), "an array of arrays"),
            (|file| array(file, "a", TEXT, u64::MAX), "ends within"),
            (|file| array(file, "a", 10, u64::MAX / 4), "ends within"),
            (|file| array(file, "a", 4, u64::MAX / 4), "ends within"),
            (|file| array(file, "a", 99, 1), "GGUF does not know"),
            (|file| key(file, "a", 13), "GGUF does not know"),
        ];
        for (end, message) in hostile {
            let mut file = head(u64::MAX);
            end(&mut file);
            let error = all(&file).unwrap_err().to_string();
            assert!(error.contains(message), "{error:?}, not {message:?}");
        }
        for (file, message) in [
            (&b""[..], "no GGUF"),
            (b"GG", "no GGUF"),
            (b"PK\x03\x04........", "no GGUF"),
            (b"GGUF\x01\0\0\0", "version 1"),
            (b"GGUF\0\0\0\x03", "big-endian"),
        ] {
            let error = all(file).unwrap_err().to_string();
            assert!(error.contains(message), "{error:?}, not {message:?}");
        }
    }

    #[test]
    fn a_header_beyond_the_limit_is_refused() {
        /// A file as long as anybody likes, of zeros behind its beginning.
        struct Endless(Cursor<Vec<u8>>);
        impl Read for Endless {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                match self.0.read(buffer)? {
                    0 => {
                        buffer.fill(0);
                        Ok(buffer.len())
                    }
                    n => Ok(n),
                }
            }
        }
        impl Seek for Endless {
            fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
                match to {
                    SeekFrom::End(_) => Ok(1 << 40),
                    to => self.0.seek(to),
                }
            }
        }
        let mut file = head(1);
        array(&mut file, "a", TEXT, u64::MAX);
        let mut reader = MetadataReader::new(Endless(Cursor::new(file))).unwrap();
        reader.next_key().unwrap();
        let error = reader.value().unwrap_err().to_string();
        assert!(error.contains("longer than that of any model"), "{error}");
    }
}
