//! A JSON Schema as a constraint, by llguidance (<https://github.com/guidance-ai/llguidance>).
//!
//! The slots of an edit are constrained by [`super::Constraint`], which knows the files. This is
//! for what knows none: a schema that a person brings, and our own slots as the plain schemas that
//! other programs would use, to compare with.
//!
//! An answer is compact JSON: no whitespace between tokens, and the keys of an object in the order
//! in which the schema names them, any others behind them. It is complete when nothing more may
//! follow, or where something may (a number can always grow) when the model chooses one of its end
//! tokens.
//!
//! What llguidance cannot force it refuses with a reason ("Unimplemented keys"); what it would only
//! warn of is refused too. Two things it lets through that a reader may not take: the same
//! additional key twice, and so fewer keys than `minProperties` asks for (it has no memory of what
//! it let through); and a number beyond the range of a double (`2e+559`), where nothing bounds it.
//!
//! llguidance keeps an error inside and goes on with empty results, so it is asked after every
//! step. Where it panics, which it does on some inputs, it ends the process: the model process,
//! whose end is an error message with its last words.

use super::mask::{Forced, MatchError, Matcher, TokenId, TokenMask, Tokenize, spell};
use crate::slots::Slot;
use llguidance::api::{ParserLimits, StopReason, TopLevelGrammar};
use llguidance::{JsonCompileOptions, ParserFactory, TokenParser};
use serde_json::{Value, json};
use std::sync::Arc;
use toktrie::{TokEnv, TokTrie, TokenizerEnv};

/// Where the options stand in a schema; a person's schema has no say in them.
const OPTIONS_KEY: &str = "x-guidance";

/// What a schema may cost. llguidance's defaults are those of a server that answers strangers; here
/// one person waits for one answer, whose every token takes a model tens of milliseconds. (Speeds
/// are llguidance's own.)
fn limits() -> ParserLimits {
    ParserLimits {
        // An object may have thousands of optional keys, each an item of its row.
        max_items_in_row: 50_000,
        // A second, at 50,000 a millisecond: an `enum` of all paths of a project is one large
        // expression.
        initial_lexer_fuel: 50_000_000,
        // A third of a second for one mask at worst, at 14,000 a millisecond.
        step_lexer_fuel: 5_000_000,
        // A tenth of a second, at 20,000 a millisecond.
        step_max_items: 2_000_000,
        // As it is: a state takes 1 to 2 KB, so that this is memory, up to 500 MB.
        max_lexer_states: 250_000,
        // Tens of megabytes of schema, which are there already.
        max_grammar_size: 5_000_000,
        // Longer to compile, once; masks are many.
        precompute_large_lexemes: true,
        // A reason in one line, not all that has been written so far.
        verbose_errors: false,
    }
}

/// Compiles schemas for one vocabulary. Making it walks the whole vocabulary: keep it.
pub struct SchemaCompiler {
    factory: ParserFactory,
}

impl SchemaCompiler {
    /// For a vocabulary that knows which tokens end an answer ([`TokTrie::eos_tokens`]).
    pub fn new(trie: &TokTrie) -> Result<SchemaCompiler, MatchError> {
        Self::with_limits(trie, limits())
    }

    fn with_limits(trie: &TokTrie, limits: ParserLimits) -> Result<SchemaCompiler, MatchError> {
        let vocabulary: TokEnv = Arc::new(SchemaTokenizer(trie.clone()));
        let mut factory = ParserFactory::new_simple(&vocabulary).map_err(reason)?;
        factory.quiet();
        *factory.limits_mut() = limits;
        Ok(SchemaCompiler { factory })
    }

    /// Begins an answer that is valid for a schema.
    pub fn compile(&self, schema: &Value) -> Result<SchemaMatcher, MatchError> {
        let mut schema = match schema {
            Value::Bool(true) => json!({}),
            Value::Object(_) => schema.clone(),
            _ => return Err(MatchError("a schema is a JSON object".to_owned())),
        };
        let options =
            JsonCompileOptions { whitespace_flexible: false, ..JsonCompileOptions::default() };
        schema[OPTIONS_KEY] = serde_json::to_value(options).expect("options are plain data");
        let mut parser = self
            .factory
            .create_parser(TopLevelGrammar::from_json_schema(schema))
            .map_err(reason)?;
        let warnings = parser.grammar_warnings();
        if !warnings.is_empty() {
            return Err(MatchError(warnings.join("; ")));
        }
        parser.start_without_prompt();
        let mut matcher =
            SchemaMatcher { parser, answer: Vec::new(), mask: None, is_complete: false };
        matcher.settle()?;
        Ok(matcher)
    }
}

/// An answer that is valid for a schema, in the making.
pub struct SchemaMatcher {
    parser: TokenParser,
    answer: Vec<u8>,
    /// Of the state it is in, once it has been computed.
    mask: Option<TokenMask>,
    is_complete: bool,
}

impl SchemaMatcher {
    fn trie(&self) -> &TokTrie {
        self.parser.token_env.tok_trie()
    }

    /// What llguidance keeps to itself is an error here.
    fn check(&self) -> Result<(), MatchError> {
        if let Some(error) = self.parser.parser.get_error() {
            return Err(MatchError(error.message()));
        }
        let stopped = self.parser.stop_reason();
        if stopped.is_ok() {
            Ok(())
        } else {
            Err(MatchError(self.parser.error_message().unwrap_or(stopped.to_string())))
        }
    }

    fn advance(&mut self, token: TokenId) -> Result<(), MatchError> {
        let n_back = self.parser.consume_token(token).map_err(reason)?;
        if n_back != 0 {
            return Err(MatchError("it wants a token back".to_owned()));
        }
        let bytes = self.trie().token(token).to_vec();
        self.answer.extend_from_slice(&bytes);
        self.mask = None;
        self.check()
    }

    /// Notices the end after a step.
    fn settle(&mut self) -> Result<(), MatchError> {
        let is_stopped = self.parser.check_stop().map_err(reason)?;
        self.check()?;
        // Where an answer may end and nothing else may follow, a model need not be asked.
        self.is_complete =
            is_stopped || (self.parser.is_accepting() && self.is_mask_empty_but_for_the_end()?);
        Ok(())
    }

    fn is_mask_empty_but_for_the_end(&mut self) -> Result<bool, MatchError> {
        let mut mask = self.mask()?.clone();
        for &end in self.trie().eos_tokens() {
            if (end as usize) < self.trie().vocab_size() {
                mask.disallow_token(end);
            }
        }
        Ok(mask.is_zero())
    }
}

impl Matcher for SchemaMatcher {
    fn is_complete(&self) -> bool {
        self.is_complete
    }

    fn answer(&self) -> &[u8] {
        &self.answer
    }

    fn slot(&self) -> Option<Slot> {
        None
    }

    fn mask(&mut self) -> Result<&TokenMask, MatchError> {
        if self.mask.is_none() {
            let mask = match self.parser.compute_mask() {
                Ok(mask) => mask,
                // No token: of the grammar or of the vocabulary, who asked must know.
                Err(_) if self.parser.stop_reason() == StopReason::NoExtensionBias => {
                    self.trie().alloc_token_set()
                }
                Err(error) => return Err(reason(error)),
            };
            self.check()?;
            self.mask = Some(mask);
        }
        Ok(self.mask.as_ref().expect("just computed"))
    }

    fn consume(&mut self, token: TokenId) -> Result<(), MatchError> {
        if !self.mask()?.is_allowed(token) {
            return Err(MatchError(format!("token {token} may not stand here")));
        }
        if self.trie().eos_tokens().contains(&token) {
            self.is_complete = true;
            return Ok(());
        }
        self.advance(token)?;
        self.settle()
    }

    fn take_forced(
        &mut self,
        last: Option<TokenId>,
        tokenizer: &dyn Tokenize,
    ) -> Result<Forced, MatchError> {
        if self.is_complete {
            return Ok(Forced::default());
        }
        // llguidance would spell forced text greedily; the model's own tokenizer spells it as the
        // model would.
        let bytes = self.parser.force_bytes();
        self.check()?;
        let trie = self.parser.token_env.clone();
        let n_open = |tokens: &[TokenId]| {
            self.parser.parser.with_recognizer(|walk| trie.tok_trie().chop_tokens(walk, tokens).0)
        };
        let (forced, n_taken) = spell(&bytes, last, trie.tok_trie(), tokenizer, n_open);
        if n_taken == 0 {
            return Ok(Forced::default());
        }
        if let Some(last) = last.filter(|_| forced.replaces_last) {
            self.parser.rollback(1).map_err(reason)?;
            self.answer.truncate(self.answer.len() - self.trie().token(last).len());
        }
        for &token in &forced.tokens {
            self.advance(token)?;
        }
        self.settle()?;
        Ok(forced)
    }
}

/// llguidance's own words in one line, without what it saw of its stack.
fn reason(error: impl std::fmt::Display) -> MatchError {
    let message = error.to_string();
    let words: Vec<&str> =
        message.split("<backtrace>").next().unwrap_or_default().split_whitespace().collect();
    MatchError(words.join(" "))
}

/// The vocabulary alone. It says that it cannot tokenize as the model does, so that llguidance
/// leaves forced text to us.
struct SchemaTokenizer(TokTrie);

impl TokenizerEnv for SchemaTokenizer {
    fn tok_trie(&self) -> &TokTrie {
        &self.0
    }

    fn tokenize_bytes(&self, text: &[u8]) -> Vec<TokenId> {
        self.0.greedy_tokenize(text)
    }

    fn tokenize_is_canonical(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toktrie::TokRxInfo;

    /// An error in the middle stays one: nothing is written after it.
    #[test]
    fn what_becomes_too_much_is_an_error_from_then_on() {
        let words: Vec<Vec<u8>> = (0..=255u8).map(|byte| vec![byte]).chain([vec![]]).collect();
        let trie = TokTrie::from(&TokRxInfo::new(257, 256), &words);
        let schema =
            json!({"type": "array", "items": {"type": "string", "pattern": "^(a|b)*a(a|b){8}$"}});
        let text = br#"["aaaaaaaaaaaab"#;
        let write = |limits: ParserLimits| {
            let mut matcher =
                SchemaCompiler::with_limits(&trie, limits).unwrap().compile(&schema).unwrap();
            let written = text.iter().try_for_each(|&byte| matcher.consume(TokenId::from(byte)));
            (written, matcher)
        };
        assert_eq!(write(limits()).0, Ok(()));
        let (written, mut matcher) = write(ParserLimits { max_lexer_states: 20, ..limits() });
        let error = written.unwrap_err();
        assert!(error.to_string().contains("too many states"), "{error}");
        let n_written = matcher.answer().len();
        assert!(matcher.mask().is_err());
        assert!(matcher.consume(TokenId::from(b'a')).is_err());
        assert!(!matcher.is_complete());
        assert_eq!(matcher.answer().len(), n_written);
    }
}
