//! The same task for llguidance: its `substring_chunks`, given our stretches between boundaries,
//! lets through any run of them, which is what an excerpt is. It cannot say what follows from the
//! excerpt (that a place must be chosen if it stands more than once), nor that it is not blank.

use super::vocabulary::Vocabulary;
use llguidance::api::{ParserLimits, TopLevelGrammar};
use llguidance::{ParserFactory, toktrie};
use slotwright::constrain::mask::{Forced, MatchError, Matcher, TokenId, TokenMask, Tokenize};
use slotwright::slots::Slot;
use slotwright::text::boundary_offsets;
use std::sync::Arc;
use toktrie::{TokEnv, TokTrie, TokenizerEnv};

pub fn grammar(text: &str) -> String {
    let chunks: Vec<String> = boundary_offsets(text)
        .windows(2)
        .map(|stretch| escaped(&text[stretch[0]..stretch[1]]))
        .collect();
    let chunks = serde_json::json!({"substring_chunks": chunks});
    format!(
        r##"start: "{{\"old\":\"" OLD "\",\"new\":\"" NEW "\"}}"
OLD: %regex {chunks}
NEW: /(\\(["\\bfnrt]|u00[01][0-9a-f])|[^"\\\x00-\x1F])*/
"##
    )
}

fn escaped(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap();
    quoted[1..quoted.len() - 1].to_owned()
}

/// As high as 1 MB needs, which the default limits refuse.
fn high_limits() -> ParserLimits {
    ParserLimits {
        initial_lexer_fuel: 10_000_000_000,
        step_lexer_fuel: 10_000_000_000,
        step_max_items: 100_000_000,
        max_items_in_row: 1_000_000,
        max_lexer_states: 10_000_000,
        max_grammar_size: 100_000_000,
        verbose_errors: false,
        ..ParserLimits::default()
    }
}

pub struct Compiler(ParserFactory);

impl Compiler {
    pub fn new(vocabulary: &Vocabulary) -> Compiler {
        let environment: TokEnv = Arc::new(Environment(vocabulary.trie.clone()));
        let mut factory = ParserFactory::new_simple(&environment).unwrap();
        factory.quiet();
        *factory.limits_mut() = high_limits();
        Compiler(factory)
    }

    pub fn compile(&self, grammar: &str) -> Result<Theirs, String> {
        let parser = self
            .0
            .create_parser(TopLevelGrammar::from_lark(grammar.to_owned()));
        let matcher = llguidance::Matcher::new(parser);
        match matcher.get_error() {
            Some(error) => Err(error.lines().next().unwrap_or_default().to_owned()),
            None => Ok(Theirs {
                matcher,
                answer: Vec::new(),
                mask: None,
            }),
        }
    }
}

/// Driven as its documentation says, forced tokens and all.
pub struct Theirs {
    matcher: llguidance::Matcher,
    answer: Vec<u8>,
    mask: Option<TokenMask>,
}

impl Theirs {
    /// One that has computed nothing yet.
    pub fn fresh(&self) -> Theirs {
        Theirs {
            matcher: self.matcher.deep_clone(),
            answer: Vec::new(),
            mask: None,
        }
    }

    fn take(&mut self, tokens: &[TokenId]) -> Result<(), MatchError> {
        self.matcher.consume_tokens(tokens).map_err(reason)?;
        let trie = self.matcher.tok_env().map_err(reason)?;
        self.answer.extend(
            tokens
                .iter()
                .flat_map(|&token| trie.tok_trie().token(token)),
        );
        Ok(())
    }
}

impl Matcher for Theirs {
    fn is_complete(&self) -> bool {
        self.matcher.is_stopped()
    }

    fn answer(&self) -> &[u8] {
        &self.answer
    }

    fn slot(&self) -> Option<Slot> {
        None
    }

    fn mask(&mut self) -> Result<&TokenMask, MatchError> {
        let mask = self.matcher.compute_mask().map_err(reason)?;
        Ok(self.mask.insert(mask))
    }

    fn consume(&mut self, token: TokenId) -> Result<(), MatchError> {
        self.take(&[token])
    }

    fn take_forced(&mut self, _: Option<TokenId>, _: &dyn Tokenize) -> Result<Forced, MatchError> {
        if self.matcher.is_stopped() {
            return Ok(Forced::default());
        }
        let tokens = self.matcher.compute_ff_tokens();
        self.take(&tokens)?;
        Ok(Forced {
            replaces_last: false,
            tokens,
        })
    }
}

fn reason(error: impl std::fmt::Display) -> MatchError {
    MatchError(error.to_string())
}

/// The vocabulary, which tokenizes as ours does here: greedily.
struct Environment(TokTrie);

impl TokenizerEnv for Environment {
    fn tok_trie(&self) -> &TokTrie {
        &self.0
    }

    fn tokenize_bytes(&self, text: &[u8]) -> Vec<TokenId> {
        self.0.greedy_tokenize(text)
    }
}
