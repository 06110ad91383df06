//! GGUF, version 3, little endian: written whole, read as far as the metadata.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;

/// A file to be written.
#[derive(Default)]
pub struct Gguf {
    n_values: u64,
    values: Vec<u8>,
    tensors: Vec<(String, Vec<usize>, Vec<f32>)>,
}

impl Gguf {
    fn key(&mut self, key: &str, kind: u32) {
        self.n_values += 1;
        put_string(&mut self.values, key);
        self.values.extend(kind.to_le_bytes());
    }

    pub fn u32(&mut self, key: &str, value: u32) {
        self.key(key, 4);
        self.values.extend(value.to_le_bytes());
    }

    pub fn f32(&mut self, key: &str, value: f32) {
        self.key(key, 6);
        self.values.extend(value.to_le_bytes());
    }

    pub fn bool(&mut self, key: &str, value: bool) {
        self.key(key, 7);
        self.values.push(u8::from(value));
    }

    pub fn string(&mut self, key: &str, value: &str) {
        self.key(key, 8);
        put_string(&mut self.values, value);
    }

    fn array(&mut self, key: &str, kind: u32, n: usize) {
        self.key(key, 9);
        self.values.extend(kind.to_le_bytes());
        self.values.extend((n as u64).to_le_bytes());
    }

    pub fn strings(&mut self, key: &str, values: &[String]) {
        self.array(key, 8, values.len());
        for value in values {
            put_string(&mut self.values, value);
        }
    }

    pub fn i32s(&mut self, key: &str, values: &[i32]) {
        self.array(key, 5, values.len());
        self.values
            .extend(values.iter().flat_map(|v| v.to_le_bytes()));
    }

    pub fn u32s(&mut self, key: &str, values: &[u32]) {
        self.array(key, 4, values.len());
        self.values
            .extend(values.iter().flat_map(|v| v.to_le_bytes()));
    }

    pub fn f32s(&mut self, key: &str, values: &[f32]) {
        self.array(key, 6, values.len());
        self.values
            .extend(values.iter().flat_map(|v| v.to_le_bytes()));
    }

    /// A value as another file has it.
    pub fn raw(&mut self, key: &str, value: &RawValue) {
        self.key(key, value.kind);
        self.values.extend(&value.bytes);
    }

    /// 32-bit floats, the first dimension the innermost.
    pub fn tensor(&mut self, name: &str, shape: &[usize], mut value: impl FnMut() -> f32) {
        let values = (0..shape.iter().product()).map(|_| value()).collect();
        self.tensors.push((name.to_owned(), shape.to_vec(), values));
    }

    pub fn write(&self, path: &Path) {
        const ALIGNMENT: usize = 32;
        let mut out = b"GGUF".to_vec();
        out.extend(3u32.to_le_bytes());
        out.extend((self.tensors.len() as u64).to_le_bytes());
        out.extend(self.n_values.to_le_bytes());
        out.extend(&self.values);
        let mut offset = 0;
        for (name, shape, values) in &self.tensors {
            put_string(&mut out, name);
            out.extend((shape.len() as u32).to_le_bytes());
            out.extend(shape.iter().flat_map(|&n| (n as u64).to_le_bytes()));
            out.extend(0u32.to_le_bytes()); // F32
            out.extend((offset as u64).to_le_bytes());
            offset += (values.len() * 4).next_multiple_of(ALIGNMENT);
        }
        for (_, _, values) in &self.tensors {
            out.resize(out.len().next_multiple_of(ALIGNMENT), 0);
            out.extend(values.iter().flat_map(|v| v.to_le_bytes()));
        }
        std::fs::File::create(path)
            .unwrap()
            .write_all(&out)
            .unwrap();
    }
}

fn put_string(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(text.as_bytes());
}

/// A value of a file's metadata, as its bytes.
#[derive(Clone, Debug)]
pub struct RawValue {
    kind: u32,
    bytes: Vec<u8>,
}

impl RawValue {
    /// The texts of an array of texts.
    pub fn strings(&self) -> Vec<Vec<u8>> {
        assert_eq!((self.kind, &self.bytes[..4]), (9, &8u32.to_le_bytes()[..]));
        let mut rest = &self.bytes[12..];
        let mut texts = Vec::new();
        while !rest.is_empty() {
            let n = u64::from_le_bytes(rest[..8].try_into().unwrap()) as usize;
            texts.push(rest[8..8 + n].to_vec());
            rest = &rest[8 + n..];
        }
        texts
    }
}

/// The metadata of a file.
pub fn metadata(path: &Path) -> BTreeMap<String, RawValue> {
    let mut file = BufReader::new(std::fs::File::open(path).unwrap());
    let mut head = [0; 24];
    file.read_exact(&mut head).unwrap();
    assert_eq!(&head[..4], b"GGUF");
    let n_values = u64::from_le_bytes(head[16..24].try_into().unwrap());
    let mut values = BTreeMap::new();
    for _ in 0..n_values {
        let mut key = Vec::new();
        let n = copy_u64(&mut file, &mut key);
        key.clear();
        copy(&mut file, n as usize, &mut key);
        let mut kind = Vec::new();
        copy(&mut file, 4, &mut kind);
        let kind = u32::from_le_bytes(kind.try_into().unwrap());
        let mut bytes = Vec::new();
        copy_value(&mut file, kind, &mut bytes);
        values.insert(String::from_utf8(key).unwrap(), RawValue { kind, bytes });
    }
    values
}

fn copy_value(file: &mut impl BufRead, kind: u32, out: &mut Vec<u8>) {
    match kind {
        0 | 1 | 7 => copy(file, 1, out),
        2 | 3 => copy(file, 2, out),
        4..=6 => copy(file, 4, out),
        10..=12 => copy(file, 8, out),
        8 => {
            let n = copy_u64(file, out);
            copy(file, n as usize, out);
        }
        9 => {
            copy(file, 4, out);
            let of = u32::from_le_bytes(out[..4].try_into().unwrap());
            for _ in 0..copy_u64(file, out) {
                copy_value(file, of, out);
            }
        }
        other => panic!("GGUF knows no kind {other}"),
    }
}

fn copy(file: &mut impl Read, n: usize, out: &mut Vec<u8>) {
    let from = out.len();
    out.resize(from + n, 0);
    file.read_exact(&mut out[from..]).unwrap();
}

fn copy_u64(file: &mut impl Read, out: &mut Vec<u8>) -> u64 {
    copy(file, 8, out);
    u64::from_le_bytes(out[out.len() - 8..].try_into().unwrap())
}
