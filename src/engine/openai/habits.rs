//! How a server is asked, learned from its refusals and remembered for the session.
//!
//! OpenAI, llama.cpp, vLLM, Ollama and LM Studio all take a JSON Schema as OpenAI's
//! `response_format`. Where a model or a gateway refuses or ignores it, the prompt's words ask
//! alone. Either way the answer is checked against the files.

use super::strict_schema;
use crate::engine::request::{Part, Request, Sampling};
use serde_json::{Value, json};

/// What tells the model the form of its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    /// OpenAI's `response_format` with a schema.
    JsonSchema,
    /// The prompt's words alone.
    Prompt,
}

/// The server's software, as far as it can be recognised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ServerSoftware {
    /// llama.cpp's llama-server.
    LlamaServer,
    Vllm,
    Ollama,
    #[default]
    Unknown,
}

/// How this server is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Habits {
    pub form: Form,
    software: ServerSoftware,
    /// Those of [`OPTIONAL_KEYS`] that the server does not take.
    left_out: Vec<&'static str>,
    /// Whether the model thinks before it answers. Its thoughts count as tokens of the answer.
    pub thinks: bool,
}

/// Keys of a request that some servers refuse. OpenAI's newer models take neither `max_tokens` nor a
/// temperature.
const OPTIONAL_KEYS: [&str; 5] = [
    MAX_TOKENS,
    "temperature",
    "seed",
    "stream_options",
    "chat_template_kwargs",
];

/// Sent as `max_completion_tokens` where it is refused.
const MAX_TOKENS: &str = "max_tokens";

/// The most tokens that a model may think before it answers.
const THOUGHT_TOKENS: usize = 4_096;

impl ServerSoftware {
    /// Recognises the software by `owned_by` in the list of models.
    pub fn of(owned_by: &str) -> ServerSoftware {
        match owned_by {
            "llamacpp" => ServerSoftware::LlamaServer,
            "vllm" => ServerSoftware::Vllm,
            "library" => ServerSoftware::Ollama,
            _ => ServerSoftware::Unknown,
        }
    }

    fn takes_template_options(self) -> bool {
        matches!(self, ServerSoftware::LlamaServer | ServerSoftware::Vllm)
    }
}

impl Habits {
    pub fn of(software: ServerSoftware) -> Habits {
        Habits {
            form: Form::JsonSchema,
            software,
            left_out: Vec::new(),
            thinks: false,
        }
    }

    /// The same habits, but the prompt's words ask alone.
    pub fn without_schema(&self) -> Habits {
        Habits {
            form: Form::Prompt,
            ..self.clone()
        }
    }

    /// Habits to try after a refusal; `None` if the way of asking cannot be the reason. If the
    /// message names a key that can be left out, that is done. Otherwise the schema is assumed to
    /// be the reason.
    pub fn after_refusal(&self, status: u16, message: &str) -> Option<Habits> {
        let message = message.to_lowercase();
        let names_schema = names_any(&message, &["response_format", "schema", "grammar"]);
        let may_be_about_it = matches!(status, 400 | 422) || (status >= 500 && names_schema);
        // A prompt that is too long stays so, whatever the way of asking.
        let is_about_length = message.contains("context")
            && names_any(&message, &["length", "exceed", "window", "size"]);
        if !may_be_about_it || is_about_length {
            return None;
        }

        let named_key = OPTIONAL_KEYS
            .into_iter()
            .find(|key| message.contains(key) && !self.left_out.contains(key));
        match named_key {
            Some(key) if !names_schema => {
                let mut habits = self.clone();
                habits.left_out.push(key);
                Some(habits)
            }
            _ => (self.form == Form::JsonSchema).then(|| self.without_schema()),
        }
    }

    /// Adds what another request has learned.
    pub fn learn_from(&mut self, other: &Habits) {
        self.form = self.form.max(other.form);
        self.thinks |= other.thinks;
        for key in &other.left_out {
            if !self.left_out.contains(key) {
                self.left_out.push(key);
            }
        }
    }

    /// The most tokens of an answer, thoughts included.
    pub fn max_tokens(&self, request: &Request) -> usize {
        request.limits.answer_tokens + if self.thinks { THOUGHT_TOKENS } else { 0 }
    }

    /// The JSON body of a request.
    pub fn body(&self, model: &str, request: &Request) -> Value {
        let mut body = json!({
            "model": model,
            "messages": messages(&request.prompt),
            "stream": true,
            MAX_TOKENS: self.max_tokens(request),
            "stream_options": {"include_usage": true},
            "temperature": 0.0,
        });
        if let Sampling::Random { temperature, seed } = request.sampling {
            body["temperature"] = json!(temperature);
            // Some servers store the seed in 32 bits with a sign.
            body["seed"] = json!(seed & 0x7fff_ffff);
        }
        if self.software.takes_template_options() {
            body["chat_template_kwargs"] = json!({"enable_thinking": false});
        }
        if self.form == Form::JsonSchema
            && let Some(schema) = strict_schema::of(&request.spec)
        {
            let named =
                json!({"name": "answer", "strict": schema.is_strict, "schema": schema.schema});
            body["response_format"] = json!({"type": "json_schema", "json_schema": named});
        }

        for &key in &self.left_out {
            let value = body.as_object_mut().and_then(|body| body.remove(key));
            if key == MAX_TOKENS {
                body["max_completion_tokens"] = json!(value);
            }
        }
        body
    }
}

fn names_any(message: &str, names: &[&str]) -> bool {
    names.iter().any(|name| message.contains(name))
}

/// The prompt as messages; its markup is their roles (see [`crate::prompt::Profile::of`]).
fn messages(prompt: &[Part]) -> Vec<Value> {
    let mut messages: Vec<(&str, String)> = Vec::new();
    for part in prompt {
        match part {
            Part::Control(role) if role.is_empty() => {}
            Part::Control(role) if ["system", "user", "assistant"].contains(&role.as_str()) => {
                messages.push((role, String::new()));
            }
            Part::Control(text) | Part::Text(text) => match messages.last_mut() {
                Some((_, content)) if content.is_empty() => content.push_str(text),
                Some((_, content)) => *content += &format!("\n\n{text}"),
                None => messages.push(("user", text.clone())),
            },
        }
    }
    messages
        .into_iter()
        .map(|(role, content)| json!({"role": role, "content": content}))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constrain::{NoEdit, SlotSpec, Spec};
    use crate::engine::Limits;

    fn request(spec: Spec) -> Request {
        let prompt = vec![
            Part::Control("system".to_owned()),
            Part::Text("Be brief.".to_owned()),
            Part::Control("user".to_owned()),
            Part::Text("system".to_owned()),
        ];
        Request::new(prompt, spec, Limits { answer_tokens: 100 })
    }

    fn pick() -> Spec {
        Spec::Slots(SlotSpec::Pick {
            files: Vec::new(),
            may_create: true,
            goes_on: false,
            no_edit: NoEdit::ForAnyReason,
        })
    }

    fn after(status: u16, message: &str) -> Option<Habits> {
        Habits::of(ServerSoftware::Unknown).after_refusal(status, message)
    }

    #[test]
    fn a_key_that_a_refusal_names_is_left_out() {
        let openai = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
        for (key, message) in [
            ("max_tokens", openai),
            ("temperature", "'temperature' does not support 0."),
            ("stream_options", "Unknown parameter: stream_options"),
        ] {
            let body = after(400, message).unwrap().body("m", &request(pick()));
            assert_eq!(body.get(key), None, "{message}: {body}");
            assert_eq!(body["response_format"]["type"], "json_schema");
            let n_tokens = body.get("max_tokens").or(body.get("max_completion_tokens"));
            assert_eq!(n_tokens, Some(&json!(100)));
        }
    }

    #[test]
    fn another_refusal_is_put_down_to_the_schema_or_to_nothing() {
        let form = |status, message: &str| after(status, message).map(|habits| habits.form);
        for (status, message) in [
            (422, "Input should be 'text' or 'json_object'"),
            (400, "bad request"),
            (500, "failed to parse grammar"),
        ] {
            assert_eq!(form(status, message), Some(Form::Prompt), "{message}");
        }
        for (status, message) in [
            (500, "out of memory"),
            (401, "no key"),
            (400, "This model's maximum context length is 10 tokens"),
        ] {
            assert_eq!(form(status, message), None, "{message}");
        }
        let lowest = Habits::of(ServerSoftware::Unknown).without_schema();
        assert_eq!(lowest.after_refusal(400, "bad request"), None);
    }

    #[test]
    fn a_request_as_json() {
        let habits = Habits::of(ServerSoftware::Unknown);
        let body = habits.body("m", &request(pick()));
        assert_eq!(
            body["messages"][1],
            json!({"role": "user", "content": "system"})
        );
        assert_eq!(
            (&body["temperature"], body.get("seed")),
            (&json!(0.0), None)
        );
        let random = Request {
            sampling: Sampling::Random {
                temperature: 0.5,
                seed: u64::MAX,
            },
            ..request(Spec::Free)
        };
        let body = habits.body("m", &random);
        assert_eq!(
            (&body["temperature"], &body["seed"]),
            (&json!(0.5), &json!(0x7fff_ffff))
        );
        assert!(body.get("response_format").is_none());
        let without = habits.without_schema().body("m", &request(pick()));
        assert_eq!(without.get("response_format"), None);
    }
}
