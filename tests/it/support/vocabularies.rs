//! Vocabularies of every kind: made here, or taken from a GGUF file.

use super::gguf::{Gguf, RawValue, metadata};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Words and pieces of JSON that become tokens: several characters each, some across the slots'
/// seams.
const WORDS: &[&str] = &[
    "\",\"",
    "\":\"",
    "{\"",
    "\"}",
    "path",
    "operation",
    "replace",
    "_all",
    "insert",
    "create",
    "none",
    "reason",
    "old",
    "new",
    "place",
    "anchor",
    "position",
    "before",
    "after",
    "text",
    " line",
    " in",
    "\\n",
    "\\n\\n",
    "\\\"",
    "\\\\",
    "\\t",
    "src/",
    ".rs",
    ".py",
    "  ",
    "    ",
    " the",
    " fn",
    "def",
    " =",
    " return",
    "();",
    "):",
    " {",
    "é",
    "中",
    "文",
    "😀",
    "ing",
    "er",
    "on",
    "al",
];

/// Tokens that end in the middle of a character, or begin there, or hold the end of one and the
/// start of another.
const CUT_WORDS: &[&[u8]] = &[
    b"\xe4\xb8",
    b"\xad\xe6",
    b"\xad\xe6\x96",
    b"\x87\"",
    b"\"\xe4",
    b"\xf0\x9f",
    b"\x98\x80\"",
    b"\xf0\x9f\x98",
    b"\x80\",\"",
    b" \xc3",
    b"\xa9\\n",
    b"x\xcc",
    b"\x81y",
    b"\xe2\x80",
    b"\x8d\xf0\x9f",
    b"\xc3",
    b"\xa9",
    b"\\u00",
    b"\\u001",
    b"b[31m",
    b"\\",
    b"\\\\\\",
    b"n\\",
];

/// How a vocabulary is made.
#[derive(Clone, Debug)]
pub enum Vocabulary {
    /// Byte-level BPE, some 400 tokens.
    Bpe,
    /// The same with tokens that cut UTF-8 sequences and escapes.
    CutBpe,
    /// The same with pieces that several tokens spell, unused tokens, and without some bytes: not
    /// every text can be spelled.
    GappyBpe,
    /// As SentencePiece makes them: a blank is "▁", bytes are the fallback and so spell some pieces
    /// twice. True: a blank goes before any text.
    SentencePiece(bool),
    /// That of a model file.
    Of(PathBuf),
}

/// How a vocabulary marks its markup: as it should, or as many converted models do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenType {
    Control = 3,
    UserDefined = 4,
}

const NORMAL: i32 = 1;
const UNKNOWN: i32 = 2;
const UNUSED: i32 = 5;
const BYTE: i32 = 6;

impl Vocabulary {
    /// What a report calls it.
    pub fn name(&self) -> String {
        match self {
            Vocabulary::Bpe => "byte-level BPE".to_owned(),
            Vocabulary::CutBpe => "BPE, cut characters".to_owned(),
            Vocabulary::GappyBpe => "BPE, bytes missing, doubles".to_owned(),
            Vocabulary::SentencePiece(true) => "SentencePiece".to_owned(),
            Vocabulary::SentencePiece(false) => "SentencePiece, no prefix".to_owned(),
            Vocabulary::Of(path) => {
                let name = path.file_stem().unwrap().to_string_lossy().into_owned();
                name.trim_start_matches("ggml-vocab-").to_owned()
            }
        }
    }

    /// Writes its metadata; gives the bytes or the spelling of each token.
    pub fn put(&self, file: &mut Gguf, control: &[&str], marked_as: TokenType) -> Vec<Vec<u8>> {
        match self {
            Vocabulary::Bpe => bpe(
                WORDS.iter().map(|w| w.as_bytes()),
                control,
                marked_as,
                file,
                false,
            ),
            Vocabulary::CutBpe => bpe(
                WORDS
                    .iter()
                    .map(|w| w.as_bytes())
                    .chain(CUT_WORDS.iter().copied()),
                control,
                marked_as,
                file,
                false,
            ),
            Vocabulary::GappyBpe => bpe(
                WORDS.iter().map(|w| w.as_bytes()),
                control,
                marked_as,
                file,
                true,
            ),
            Vocabulary::SentencePiece(prefix) => sentence_piece(control, marked_as, *prefix, file),
            Vocabulary::Of(path) => {
                let values: BTreeMap<String, RawValue> = metadata(path);
                for (key, value) in values.iter().filter(|(key, _)| {
                    key.starts_with("tokenizer.") && *key != "tokenizer.chat_template"
                }) {
                    file.raw(key, value);
                }
                values["tokenizer.ggml.tokens"].strings()
            }
        }
    }
}

fn bpe<'w>(
    words: impl Iterator<Item = &'w [u8]>,
    control: &[&str],
    marked_as: TokenType,
    file: &mut Gguf,
    gappy: bool,
) -> Vec<Vec<u8>> {
    let letters = byte_letters();
    let mut tokens: Vec<String> = control.iter().map(|&t| t.to_owned()).collect();
    let mut types = vec![marked_as as i32; tokens.len()];
    // Some bytes of UTF-8, one of ASCII, and one that texts hold only in escapes.
    let missing: &[u8] = if gappy {
        &[0xcc, 0x8d, 0x9f, b'q', 0x7f]
    } else {
        &[]
    };
    tokens.extend(
        (0..=255u8)
            .filter(|byte| !missing.contains(byte))
            .map(|byte| letters[usize::from(byte)].to_string()),
    );
    let mut merges = Vec::new();
    for word in words.filter(|word| !word.iter().any(|byte| missing.contains(byte))) {
        let mut parts = word.iter().map(|&b| letters[usize::from(b)].to_string());
        let mut whole = parts.next().unwrap();
        for part in parts {
            let merge = format!("{whole} {part}");
            whole.push_str(&part);
            if !tokens.contains(&whole) {
                tokens.push(whole.clone());
                merges.push(merge);
            }
        }
    }
    types.resize(tokens.len(), NORMAL);
    if gappy {
        // A token that was added later is spelled as it is, without GPT-2's letters: the same piece
        // twice.
        for double in [" the", " {", "\n", "    ", " return", "\t"] {
            tokens.push(double.to_owned());
            types.push(TokenType::UserDefined as i32);
        }
        for unused in ["<unused0>", "\"\"\"\"", "<unused1>"] {
            tokens.push(unused.to_owned());
            types.push(UNUSED);
        }
    }
    file.string("tokenizer.ggml.model", "gpt2");
    file.string("tokenizer.ggml.pre", "gpt-2");
    file.strings("tokenizer.ggml.tokens", &tokens);
    file.i32s("tokenizer.ggml.token_type", &types);
    file.strings("tokenizer.ggml.merges", &merges);
    file.u32("tokenizer.ggml.eos_token_id", 0);
    file.bool("tokenizer.ggml.add_bos_token", false);
    tokens.into_iter().map(String::into_bytes).collect()
}

fn sentence_piece(
    control: &[&str],
    marked_as: TokenType,
    prefix: bool,
    file: &mut Gguf,
) -> Vec<Vec<u8>> {
    let mut tokens: Vec<(String, i32)> = vec![
        ("<unk>".to_owned(), UNKNOWN),
        ("<s>".to_owned(), TokenType::Control as i32),
        ("</s>".to_owned(), TokenType::Control as i32),
    ];
    tokens.extend(control.iter().map(|&t| (t.to_owned(), marked_as as i32)));
    tokens.extend((0..=255u8).map(|byte| (format!("<0x{byte:02X}>"), BYTE)));
    tokens.push(("<unused0>".to_owned(), UNUSED));
    let letters = (' '..='~')
        .map(String::from)
        .chain(["é", "中", "ש", "\n"].map(str::to_owned));
    for word in letters.chain(WORDS.iter().map(|&w| w.to_owned())) {
        for end in word.char_indices().map(|(i, c)| i + c.len_utf8()) {
            let piece = word[..end].replace(' ', "\u{2581}");
            if !tokens.iter().any(|(t, _)| *t == piece) {
                tokens.push((piece, NORMAL));
            }
        }
    }
    let scores: Vec<f32> = (0..tokens.len()).map(|i| -(i as f32)).collect();
    let (tokens, types): (Vec<String>, Vec<i32>) = tokens.into_iter().unzip();
    file.string("tokenizer.ggml.model", "llama");
    file.strings("tokenizer.ggml.tokens", &tokens);
    file.f32s("tokenizer.ggml.scores", &scores);
    file.i32s("tokenizer.ggml.token_type", &types);
    file.u32("tokenizer.ggml.unknown_token_id", 0);
    file.u32("tokenizer.ggml.bos_token_id", 1);
    file.u32("tokenizer.ggml.eos_token_id", 2);
    file.bool("tokenizer.ggml.add_bos_token", true);
    file.bool("tokenizer.ggml.add_space_prefix", prefix);
    tokens.into_iter().map(String::into_bytes).collect()
}

/// GPT-2's letter for each byte: itself where it can be seen, else one from 256 on.
fn byte_letters() -> [char; 256] {
    let mut letters = ['\0'; 256];
    let mut next = 256;
    for (byte, letter) in (0u32..).zip(&mut letters) {
        let visible = matches!(byte, 33..=126 | 161..=172 | 174..=255);
        *letter = char::from_u32(if visible { byte } else { next }).unwrap();
        next += u32::from(!visible);
    }
    letters
}
