//! A JSON Schema as a constraint, by llguidance (<https://github.com/guidance-ai/llguidance>).
//!
//! [`super::Constraint`] forces the slots of an edit, since it knows the files. This module forces
//! any JSON Schema: a person's own, or our slots as the plain schemas that other programs would
//! use, for comparison.
//!
//! An answer is compact JSON, without whitespace between tokens. An object's keys come in the
//! schema's order, then any additional keys. The answer is complete when nothing more may follow.
//! If more may follow (a number can always grow), the model ends it with one of its end tokens.
//!
//! llguidance refuses a schema that it cannot force, with a reason ("Unimplemented keys"). Its
//! warnings are treated as refusals too. It still accepts two things that a reader may refuse:
//!
//! - the same additional key twice, and therefore fewer keys than `minProperties` asks for, since
//!   it does not remember the keys that it has accepted;
//! - a number beyond the range of a double (`2e+559`) if the schema sets no bound.
//!
//! llguidance keeps an error inside and goes on with empty results, so it is checked after every
//! step. It panics on some inputs. That ends only the model process, and the person sees an error
//! message with the process's last log lines.

use super::mask::{Forced, MatchError, Matcher, TokenId, TokenMask, Tokenize, spell};
use crate::slots::Slot;
use llguidance::api::{ParserLimits, StopReason, TopLevelGrammar};
use llguidance::{JsonCompileOptions, ParserFactory, TokenParser};
use serde_json::{Value, json};
use std::sync::Arc;
use toktrie::{TokEnv, TokTrie, TokenizerEnv};

/// The schema key for llguidance's options. A person's schema may not set them.
const OPTIONS_KEY: &str = "x-guidance";

/// The limits on a schema's cost. llguidance's defaults suit a server for strangers. Here one
/// person waits for one answer, and the model takes tens of milliseconds for each token. The speeds
/// below are llguidance's own figures.
fn limits() -> ParserLimits {
    ParserLimits {
        // An object may have thousands of optional keys, each an item of its row.
        max_items_in_row: 50_000,
        // One second at 50,000 units a millisecond: an `enum` of all paths of a project is one
        // large expression.
        initial_lexer_fuel: 50_000_000,
        // At worst a third of a second for one mask, at 14,000 units a millisecond.
        step_lexer_fuel: 5_000_000,
        // A tenth of a second, at 20,000 items a millisecond.
        step_max_items: 2_000_000,
        // llguidance's default. A state takes 1 to 2 KB, so this bounds memory to some 500 MB.
        max_lexer_states: 250_000,
        // Tens of megabytes of schema, which are in memory already.
        max_grammar_size: 5_000_000,
        // Compiling takes longer but happens once; masks are computed often.
        precompute_large_lexemes: true,
        // An error is one line, without everything that has been written so far.
        verbose_errors: false,
    }
}

/// Compiles schemas for one vocabulary. Making a compiler walks the whole vocabulary: keep it.
pub struct SchemaCompiler {
    factory: ParserFactory,
}

impl SchemaCompiler {
    /// A compiler for a vocabulary that knows its end tokens ([`TokTrie::eos_tokens`]).
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
        let options = JsonCompileOptions {
            whitespace_flexible: false,
            ..JsonCompileOptions::default()
        };
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
        let mut matcher = SchemaMatcher {
            parser,
            answer: Vec::new(),
            mask: None,
            is_complete: false,
        };
        matcher.settle()?;
        Ok(matcher)
    }
}

/// An unfinished answer that is valid for a schema so far.
pub struct SchemaMatcher {
    parser: TokenParser,
    answer: Vec<u8>,
    /// The mask of the current state, once it has been computed.
    mask: Option<TokenMask>,
    is_complete: bool,
}

impl SchemaMatcher {
    fn trie(&self) -> &TokTrie {
        self.parser.token_env.tok_trie()
    }

    /// Returns the error that llguidance keeps inside, if there is one.
    fn check(&self) -> Result<(), MatchError> {
        if let Some(error) = self.parser.parser.get_error() {
            return Err(MatchError(error.message()));
        }
        let stopped = self.parser.stop_reason();
        if stopped.is_ok() {
            Ok(())
        } else {
            Err(MatchError(
                self.parser.error_message().unwrap_or(stopped.to_string()),
            ))
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

    /// Sets `is_complete` after a step.
    fn settle(&mut self) -> Result<(), MatchError> {
        let is_stopped = self.parser.check_stop().map_err(reason)?;
        self.check()?;
        // If the answer may end and nothing else may follow, the model need not choose an end
        // token.
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
                // The vocabulary has no token for any byte that may come next: the mask is empty.
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
        // llguidance would tokenize forced text greedily. The model's own tokenizer gives the
        // tokens that the model would choose.
        let bytes = self.parser.force_bytes();
        self.check()?;
        let trie = self.parser.token_env.clone();
        let (forced, n_taken) = spell(&bytes, last, trie.tok_trie(), tokenizer, |tokens| {
            let parser = &mut self.parser.parser;
            parser.with_recognizer(|walk| trie.tok_trie().chop_tokens(walk, tokens).0)
        });
        if n_taken == 0 {
            return Ok(Forced::default());
        }

        if let Some(last) = last.filter(|_| forced.replaces_last) {
            self.parser.rollback(1).map_err(reason)?;
            self.answer
                .truncate(self.answer.len() - self.trie().token(last).len());
        }
        for &token in &forced.tokens {
            self.advance(token)?;
        }
        self.settle()?;
        Ok(forced)
    }
}

/// llguidance's message as one line, without its stack trace.
fn reason(error: impl std::fmt::Display) -> MatchError {
    let message = error.to_string();
    let words: Vec<&str> = message
        .split("<backtrace>")
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    MatchError(words.join(" "))
}

/// The vocabulary alone. It reports that it cannot tokenize as the model does, so llguidance leaves
/// forced text to us.
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

    /// After an error in the middle of an answer nothing more is written.
    #[test]
    fn what_becomes_too_much_is_an_error_from_then_on() {
        let words: Vec<Vec<u8>> = (0..=255u8).map(|byte| vec![byte]).chain([vec![]]).collect();
        let trie = TokTrie::from(&TokRxInfo::new(257, 256), &words);
        let schema =
            json!({"type": "array", "items": {"type": "string", "pattern": "^(a|b)*a(a|b){8}$"}});
        let text = br#"["aaaaaaaaaaaab"#;
        let write = |limits: ParserLimits| {
            let mut matcher = SchemaCompiler::with_limits(&trie, limits)
                .unwrap()
                .compile(&schema)
                .unwrap();
            let written = text
                .iter()
                .try_for_each(|&byte| matcher.consume(TokenId::from(byte)));
            (written, matcher)
        };
        assert_eq!(write(limits()).0, Ok(()));
        let (written, mut matcher) = write(ParserLimits {
            max_lexer_states: 20,
            ..limits()
        });
        let error = written.unwrap_err();
        assert!(error.to_string().contains("too many states"), "{error}");
        let n_written = matcher.answer().len();
        assert!(matcher.mask().is_err());
        assert!(matcher.consume(TokenId::from(b'a')).is_err());
        assert!(!matcher.is_complete());
        assert_eq!(matcher.answer().len(), n_written);
    }
}
