//! A model's vocabulary, and text in its tokens.

use crate::constrain::mask::{TokenId, Tokenize};
use crate::engine::request::Part;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::token_type::LlamaTokenAttr;
use toktrie::{INVALID_TOKEN, TokRxInfo, TokTrie};

/// Longer tokens than this (GLM has one of 1,024 spaces) are left out: the trie has no room for
/// them.
const MAX_TOKEN_BYTES: usize = 1_000;

/// The model's own tokenizer, with control tokens off.
pub struct LlamaTokenizer<'m> {
    pub model: &'m LlamaModel,
    pub trie: &'m TokTrie,
    /// See [`markup`].
    pub markup: &'m [Vec<u8>],
}

impl LlamaTokenizer<'_> {
    fn plain(&self, text: &str) -> Vec<TokenId> {
        if text.is_empty() {
            return Vec::new();
        }
        self.model
            .vocab()
            .tokenize(text.as_bytes(), false, false)
            .iter()
            .map(|t| t.0 as TokenId)
            .collect()
    }

    pub fn spell(&self, tokens: &[TokenId]) -> Vec<u8> {
        tokens.iter().flat_map(|&t| self.trie.token(t).iter().copied()).collect()
    }
}

impl LlamaTokenizer<'_> {
    /// A prompt as tokens: markup with its control tokens, text without any, and the model's first
    /// token in front if it wants one and the markup has not written it.
    pub fn prompt(&self, prompt: &[Part]) -> Vec<TokenId> {
        let vocab = self.model.vocab();
        let mut tokens = Vec::new();
        for part in prompt {
            match part {
                Part::Control(text) if text.is_empty() => {}
                Part::Control(text) if tokens.is_empty() => tokens = self.markup_at_start(text),
                Part::Control(text) => tokens.extend(self.markup_within(text)),
                Part::Text(text) => tokens.extend(self.tokenize(text.as_bytes())),
            }
        }
        let bos = vocab.bos().0;
        if vocab.should_add_bos() && bos >= 0 && tokens.first() != Some(&(bos as TokenId)) {
            tokens.insert(0, bos as TokenId);
        }
        tokens
    }

    /// Markup that a prompt begins with. A vocabulary that wants a space there has it, as in the
    /// model's own software.
    fn markup_at_start(&self, text: &str) -> Vec<TokenId> {
        let tokens = self.model.vocab().tokenize(text.as_bytes(), false, true);
        tokens.iter().map(|t| t.0 as TokenId).collect()
    }

    /// Markup in the middle of a prompt, which gets no space before it.
    fn markup_within(&self, text: &str) -> Vec<TokenId> {
        let vocab = self.model.vocab();
        let spells_text = |tokens: &[TokenId]| {
            let pieces = tokens
                .iter()
                .flat_map(|&token| vocab.token_to_piece(LlamaToken(token as i32), true, None));
            pieces.eq(text.bytes())
        };
        let tokens = self.markup_at_start(text);
        if spells_text(&tokens) {
            return tokens;
        }
        let behind = self.markup_at_start(&format!("\n{text}"));
        let skip = (1..behind.len().min(4)).find(|&skip| spells_text(&behind[skip..]));
        skip.map_or(tokens, |skip| behind[skip..].to_vec())
    }
}

impl Tokenize for LlamaTokenizer<'_> {
    fn tokenize(&self, text: &[u8]) -> Vec<TokenId> {
        // llama.cpp finds these in any text, so text that spells one is cut inside it.
        let spells_one =
            |at: usize| self.markup.iter().any(|markup| text[at..].starts_with(markup));
        let mut tokens = Vec::new();
        let mut from = 0;
        for at in (0..text.len()).filter(|&at| !self.markup.is_empty() && spells_one(at)) {
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

impl LlamaTokenizer<'_> {
    fn tokenize_piece(&self, text: &[u8]) -> Vec<TokenId> {
        let tokens = self.trie.tokenize_with_greedy_fallback(text, |text| self.plain(text));
        if self.spell(&tokens) == text {
            return tokens;
        }
        // SentencePiece models put a space before any text. Behind a newline there is none to
        // put.
        if let Ok(text) = str::from_utf8(text) {
            let behind = self.plain(&format!("\n{text}"));
            for skip in 1..behind.len().min(4) {
                if self.spell(&behind[skip..]) == text.as_bytes() {
                    return behind[skip..].to_vec();
                }
            }
        }
        let greedy = self.trie.greedy_tokenize(text);
        // A character that the vocabulary cannot spell: the model reads its own "unknown" for it.
        if self.spell(&greedy) == text { greedy } else { tokens }
    }
}

/// The vocabulary by the bytes that each token writes. Tokens that write no text are left out:
/// control tokens, the unknown one, unused ones. Those that end an answer are named.
pub(super) fn vocabulary(model: &LlamaModel) -> Result<TokTrie, String> {
    let vocab = model.vocab();
    let n_tokens = u32::try_from(vocab.n_tokens()).unwrap_or(0);
    if n_tokens == 0 {
        return Err("it has no vocabulary".to_owned());
    }
    let writes_text = |token: LlamaToken| {
        let attributes = vocab.attr(token);
        let silent = [LlamaTokenAttr::Control, LlamaTokenAttr::Unknown, LlamaTokenAttr::Unused];
        !vocab.is_eog(token) && !silent.iter().any(|&a| attributes.contains(a))
    };
    let pieces: Vec<Vec<u8>> =
        vocab
            .tokens()
            .map(|token| {
                if writes_text(token) {
                    vocab.token_to_piece(token, false, None)
                } else {
                    Vec::new()
                }
            })
            .map(|piece| if piece.len() > MAX_TOKEN_BYTES { Vec::new() } else { piece })
            .collect();
    let trie = TokTrie::from(&TokRxInfo::new(n_tokens, INVALID_TOKEN), &pieces);
    let ends: Vec<TokenId> = vocab
        .tokens()
        .filter(|&token| vocab.is_eog(token))
        .map(|token| token.0 as TokenId)
        .collect();
    Ok(if ends.is_empty() { trie } else { trie.with_eos_tokens(&ends) })
}

/// Tokens that are markup and yet not marked as control tokens, as in many converted chat models:
/// those that look like it, and those that the chat template writes. llama.cpp reads tokens of that
/// kind in any text.
pub(super) fn markup(model: &LlamaModel) -> Vec<Vec<u8>> {
    let vocab = model.vocab();
    let template = model.meta_val_str("tokenizer.chat_template").unwrap_or_default();
    let is_markup = |piece: &str| {
        ((piece.starts_with("<|") && piece.ends_with('>'))
            || (piece.starts_with('<') && piece.ends_with("|>")))
            || (piece.len() > 2 && template.contains(piece))
    };
    vocab
        .tokens()
        .filter(|&token| vocab.attr(token).contains(LlamaTokenAttr::UserDefined))
        .map(|token| vocab.token_to_piece(token, true, None))
        .filter(|piece| {
            piece.len() > 1
                && str::from_utf8(piece)
                    .is_ok_and(|piece| !piece.trim().is_empty() && is_markup(piece))
        })
        .collect()
}
