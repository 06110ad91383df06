//! A model's vocabulary and tokenizer.

use crate::constrain::mask::{TokenId, Tokenize};
use crate::engine::request::Part;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::token_type::{LlamaTokenAttr, LlamaTokenAttrs};
use toktrie::{INVALID_TOKEN, TokRxInfo, TokTrie};

/// The longest token, in bytes. Longer ones are left out because the trie has no room for them (GLM
/// has a token of 1,024 spaces).
const MAX_TOKEN_BYTES: usize = 1_000;

/// The model's own tokenizer, with control tokens turned off.
pub struct LlamaTokenizer<'m> {
    pub model: &'m LlamaModel,
    pub trie: &'m TokTrie,
    /// See [`markup`].
    pub markup: &'m [Vec<u8>],
}

impl LlamaTokenizer<'_> {
    /// Tokenizes a prompt. Control tokens are recognised in markup but not in text. The model's
    /// first token comes first, if the model wants it and the markup has not written it.
    pub fn prompt(&self, prompt: &[Part]) -> Vec<TokenId> {
        let mut tokens = Vec::new();
        for part in prompt {
            match part {
                Part::Control(text) if text.is_empty() => {}
                Part::Control(text) if tokens.is_empty() => tokens = self.markup_at_start(text),
                Part::Control(text) => tokens.extend(self.markup_within(text)),
                Part::Text(text) => tokens.extend(self.tokenize(text.as_bytes())),
            }
        }

        let vocab = self.model.vocab();
        let bos = vocab.bos().0;
        if vocab.should_add_bos() && bos >= 0 && tokens.first() != Some(&(bos as TokenId)) {
            tokens.insert(0, bos as TokenId);
        }
        tokens
    }

    pub fn spell(&self, tokens: &[TokenId]) -> Vec<u8> {
        tokens
            .iter()
            .flat_map(|&token| self.trie.token(token).iter().copied())
            .collect()
    }

    /// Tokenizes markup at the start of a prompt. A vocabulary that puts a space there does so, as
    /// in the model's own software.
    fn markup_at_start(&self, text: &str) -> Vec<TokenId> {
        let tokens = self.model.vocab().tokenize(text.as_bytes(), false, true);
        tokens.iter().map(|token| token.0 as TokenId).collect()
    }

    /// Tokenizes markup within a prompt, without a space before it.
    fn markup_within(&self, text: &str) -> Vec<TokenId> {
        let tokens = self.markup_at_start(text);
        if self.spells_markup(&tokens, text) {
            return tokens;
        }
        let after_newline = self.markup_at_start(&format!("\n{text}"));
        let skip = (1..after_newline.len().min(4))
            .find(|&skip| self.spells_markup(&after_newline[skip..], text));
        skip.map_or(tokens, |skip| after_newline[skip..].to_vec())
    }

    fn spells_markup(&self, tokens: &[TokenId], text: &str) -> bool {
        let vocab = self.model.vocab();
        tokens
            .iter()
            .flat_map(|&token| vocab.token_to_piece(LlamaToken(token as i32), true, None))
            .eq(text.bytes())
    }

    /// Whether text begins here with markup that llama.cpp recognises in any text.
    fn begins_markup(&self, text: &[u8]) -> bool {
        self.markup.iter().any(|markup| text.starts_with(markup))
    }

    fn tokenize_piece(&self, text: &[u8]) -> Vec<TokenId> {
        let tokens = self
            .trie
            .tokenize_with_greedy_fallback(text, |text| self.plain(text));
        if self.spell(&tokens) == text {
            return tokens;
        }
        // SentencePiece models put a space before any text, but not after a newline.
        if let Ok(text) = str::from_utf8(text) {
            let after_newline = self.plain(&format!("\n{text}"));
            for skip in 1..after_newline.len().min(4) {
                if self.spell(&after_newline[skip..]) == text.as_bytes() {
                    return after_newline[skip..].to_vec();
                }
            }
        }
        let greedy = self.trie.greedy_tokenize(text);
        // The vocabulary cannot spell a character. The model then reads its own "unknown" token.
        if self.spell(&greedy) == text {
            greedy
        } else {
            tokens
        }
    }

    fn plain(&self, text: &str) -> Vec<TokenId> {
        if text.is_empty() {
            return Vec::new();
        }
        let tokens = self.model.vocab().tokenize(text.as_bytes(), false, false);
        tokens.iter().map(|token| token.0 as TokenId).collect()
    }
}

impl Tokenize for LlamaTokenizer<'_> {
    fn tokenize(&self, text: &[u8]) -> Vec<TokenId> {
        // Text that spells markup is cut inside it.
        let mut tokens = Vec::new();
        let mut from = 0;
        for at in (0..text.len()).filter(|&at| self.begins_markup(&text[at..])) {
            tokens.extend(self.tokenize_piece(&text[from..=at]));
            from = at + 1;
        }
        tokens.extend(self.tokenize_piece(&text[from..]));
        tokens
    }

    fn beginnings(&self, text: &[u8]) -> Vec<TokenId> {
        self.trie.all_prefixes(text)
    }

    fn spelling(&self, token: TokenId) -> Option<Vec<u8>> {
        Some(self.trie.token(token).to_vec())
    }
}

/// The vocabulary by the bytes that each token writes. Tokens without text are left out: control
/// tokens, the unknown token, unused ones. Tokens that end an answer are marked as such.
pub(super) fn vocabulary(model: &LlamaModel) -> Result<TokTrie, String> {
    let vocab = model.vocab();
    let n_tokens = u32::try_from(vocab.n_tokens()).unwrap_or(0);
    if n_tokens == 0 {
        return Err("it has no vocabulary".to_owned());
    }

    let mut pieces = Vec::new();
    let mut ends = Vec::new();
    for token in vocab.tokens() {
        let mut piece = Vec::new();
        if vocab.is_eog(token) {
            ends.push(token.0 as TokenId);
        } else if !is_silent(vocab.attr(token)) {
            piece = vocab.token_to_piece(token, false, None);
        }
        if piece.len() > MAX_TOKEN_BYTES {
            piece.clear();
        }
        pieces.push(piece);
    }

    let trie = TokTrie::from(&TokRxInfo::new(n_tokens, INVALID_TOKEN), &pieces);
    Ok(if ends.is_empty() {
        trie
    } else {
        trie.with_eos_tokens(&ends)
    })
}

fn is_silent(attributes: LlamaTokenAttrs) -> bool {
    [
        LlamaTokenAttr::Control,
        LlamaTokenAttr::Unknown,
        LlamaTokenAttr::Unused,
    ]
    .into_iter()
    .any(|silent| attributes.contains(silent))
}

/// Markup tokens that are not marked as control tokens, as in many converted chat models. A token
/// counts as markup if it looks like it or occurs in the chat template. llama.cpp recognises such
/// tokens in any text.
pub(super) fn markup(model: &LlamaModel) -> Vec<Vec<u8>> {
    let vocab = model.vocab();
    let template = model
        .meta_val_str("tokenizer.chat_template")
        .unwrap_or_default();
    vocab
        .tokens()
        .filter(|&token| vocab.attr(token).contains(LlamaTokenAttr::UserDefined))
        .map(|token| vocab.token_to_piece(token, true, None))
        .filter(|piece| str::from_utf8(piece).is_ok_and(|piece| is_markup(piece, &template)))
        .collect()
}

fn is_markup(piece: &str, template: &str) -> bool {
    let looks_like_it = (piece.starts_with("<|") && piece.ends_with('>'))
        || (piece.starts_with('<') && piece.ends_with("|>"));
    let is_in_template = piece.len() > 2 && template.contains(piece);
    piece.len() > 1 && !piece.trim().is_empty() && (looks_like_it || is_in_template)
}
