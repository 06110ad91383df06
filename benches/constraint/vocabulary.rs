//! The largest vocabularies at hand.

use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use slotwright::constrain::mask::{TokenId, Tokenize};
use std::path::Path;
use toktrie::{INVALID_TOKEN, TokRxInfo, TokTrie};

/// Tokens of the vocabulary that is made up where none is at hand.
const N_MADE_UP: u32 = 152_000;

pub struct Vocabulary {
    pub name: String,
    pub trie: TokTrie,
}

impl Vocabulary {
    fn new(name: &str, pieces: &[Vec<u8>]) -> Vocabulary {
        let trie = TokTrie::from(
            &TokRxInfo::new(pieces.len() as TokenId, INVALID_TOKEN),
            pieces,
        );
        Vocabulary {
            name: name.to_owned(),
            trie,
        }
    }

    /// The longest token that these bytes begin with.
    pub fn next(&self, bytes: &[u8]) -> TokenId {
        self.trie
            .greedy_tokenize(&bytes[..bytes.len().min(self.trie.max_token_len())])[0]
    }
}

impl Tokenize for Vocabulary {
    fn tokenize(&self, text: &[u8]) -> Vec<TokenId> {
        self.trie.greedy_tokenize(text)
    }
}

/// The three largest that differ, of the GGUF files in `../shared/vocabs`; without that folder, one
/// made up.
pub fn three_largest() -> Vec<Vocabulary> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/vocabs");
    let mut paths: Vec<_> = std::fs::read_dir(folder).map_or(Vec::new(), |files| {
        files.map(|file| file.unwrap().path()).collect()
    });
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "gguf")
    });
    if paths.is_empty() {
        return vec![made_up()];
    }
    paths.sort();
    let mut backend = LlamaBackend::init().unwrap();
    backend.void_logs();
    let params = LlamaModelParams::default().with_vocab_only(true);
    let mut found: Vec<(String, Vec<Vec<u8>>)> = Vec::new();
    for path in &paths {
        let model = LlamaModel::load_from_file(&backend, path, &params).unwrap();
        let vocab = model.vocab();
        let pieces: Vec<Vec<u8>> = vocab
            .tokens()
            .map(|token| vocab.token_to_piece(token, false, None))
            .collect();
        if found.iter().all(|(_, other)| *other != pieces) {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            found.push((name.trim_start_matches("ggml-vocab-").to_owned(), pieces));
        }
    }
    found.sort_by_key(|(_, pieces)| std::cmp::Reverse(pieces.len()));
    found
        .iter()
        .take(3)
        .map(|(name, pieces)| Vocabulary::new(name, pieces))
        .collect()
}

fn made_up() -> Vocabulary {
    let word = |i: u32| {
        format!(
            "{}{:x}",
            ["", " ", "_", "\""][i as usize % 4],
            i.wrapping_mul(2_654_435_761)
        )
        .into_bytes()
    };
    let pieces: Vec<Vec<u8>> = (0..=254u8)
        .map(|byte| vec![byte])
        .chain((0..N_MADE_UP).map(word))
        .collect();
    Vocabulary::new("made up", &pieces)
}
