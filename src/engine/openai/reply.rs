//! Joins the pieces of a streamed answer.

use crate::engine::answer::AnswerStats;
use serde_json::{Value, json};
use std::time::Instant;

/// An answer as it came from the server.
#[derive(Clone, Debug, Default)]
pub(super) struct Reply {
    pub text: String,
    /// Whether the answer ended at its token limit.
    pub is_cut_short: bool,
    /// Whether the model thought first, in a field of its own or in the answer.
    pub has_thought: bool,
    pub stats: AnswerStats,
}

/// An answer that is still arriving.
#[derive(Debug)]
pub(super) struct Streamed {
    pub text: String,
    /// The number of pieces of text and thoughts so far, which is close to the number of tokens.
    pub n_pieces: usize,
    has_thought: bool,
    finish_reason: Option<String>,
    stats: AnswerStats,
    began: Instant,
    first: Option<Instant>,
}

impl Default for Streamed {
    fn default() -> Streamed {
        Streamed {
            text: String::new(),
            n_pieces: 0,
            has_thought: false,
            finish_reason: None,
            stats: AnswerStats::default(),
            began: Instant::now(),
            first: None,
        }
    }
}

impl Streamed {
    /// Adds one piece, or an answer in one piece.
    ///
    /// # Errors
    /// The error object, if the piece is an error.
    pub fn add(&mut self, event: &Value) -> Result<(), Value> {
        if let Some(error) = event.get("error").filter(|error| !error.is_null()) {
            return Err(error.clone());
        }
        let usage = &event["usage"];
        let cached = &usage["prompt_tokens_details"]["cached_tokens"];
        set_count(&mut self.stats.prompt_tokens, &usage["prompt_tokens"]);
        set_count(&mut self.stats.sampled_tokens, &usage["completion_tokens"]);
        set_count(&mut self.stats.reused_tokens, cached);

        let choice = &event["choices"][0];
        let message = if choice["delta"].is_object() {
            &choice["delta"]
        } else {
            &choice["message"]
        };
        if let Some(refusal) = message["refusal"]
            .as_str()
            .filter(|refusal| !refusal.is_empty())
        {
            let message = format!("the model refuses: {refusal}");
            return Err(json!({"message": message, "code": 403}));
        }

        let text = message["content"].as_str().unwrap_or_default();
        let thought = ["reasoning_content", "reasoning"]
            .iter()
            .find_map(|key| message[*key].as_str())
            .unwrap_or_default();
        if !text.is_empty() || !thought.is_empty() {
            self.first.get_or_insert_with(Instant::now);
            self.n_pieces += 1;
        }
        self.text.push_str(text);
        self.has_thought |= !thought.is_empty();
        if let Some(reason) = choice["finish_reason"].as_str() {
            self.finish_reason = Some(reason.to_owned());
        }
        Ok(())
    }

    /// The answer; `None` if the server did not mark its end.
    pub fn finish(self) -> Option<Reply> {
        let reason = self.finish_reason?;
        let mut stats = self.stats;
        let now = Instant::now();
        let first = self.first.unwrap_or(now);
        stats.ms.prompt = first.duration_since(self.began).as_secs_f64() * 1e3;
        stats.ms.answer = now.duration_since(first).as_secs_f64() * 1e3;
        let has_thought = self.has_thought
            || ["<think>", "[THINK]"]
                .iter()
                .any(|mark| self.text.trim_start().starts_with(mark));
        Some(Reply {
            text: self.text,
            is_cut_short: reason == "length",
            has_thought,
            stats,
        })
    }
}

/// Sets a count that an event has.
fn set_count(count: &mut usize, value: &Value) {
    if let Some(n) = value.as_u64() {
        *count = n as usize;
    }
}
