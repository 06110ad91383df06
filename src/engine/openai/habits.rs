//! What a server accepts, learned from its answers and remembered for the session.
//!
//! Servers that call themselves OpenAI-compatible differ most in how they force an answer. [`Form`]
//! lists the ways, strongest first. If a server refuses a form, or accepts but ignores it, the next
//! form is used.

use super::{grammar, strict_schema};
use crate::constrain::Spec;
use crate::engine::request::{Part, Request, Sampling};
use serde_json::{Map, Value, json};

/// The way in which a server is asked to force an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    /// OpenAI's `response_format` with a schema.
    JsonSchema,
    /// llama.cpp's grammars (GBNF).
    Grammar,
    /// vLLM's own key `structured_outputs`.
    StructuredOutputs,
    /// The same key of older vLLM versions, `guided_json`.
    GuidedJson,
    /// OpenAI's `response_format` for any JSON object.
    JsonObject,
    /// The prompt's words alone.
    Text,
}

/// The server's software, as far as it can be recognised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ServerSoftware {
    /// llama.cpp's llama-server.
    LlamaServer,
    /// llama-cpp-python, whose server is a different program.
    LlamaCppPython,
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
    limit_key: &'static str,
    takes_temperature: bool,
    takes_seed: bool,
    takes_usage: bool,
    takes_system: bool,
    takes_template_options: bool,
    /// Whether the model thinks before it answers. Its thoughts count as tokens of the answer.
    pub thinks: bool,
}

/// The most tokens that a model may think before it answers.
const THOUGHT_TOKENS: usize = 4_096;

impl Form {
    const LADDER: [Form; 6] = [
        Form::JsonSchema,
        Form::Grammar,
        Form::StructuredOutputs,
        Form::GuidedJson,
        Form::JsonObject,
        Form::Text,
    ];

    /// The form's name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Form::JsonSchema => "a JSON Schema (response_format)",
            Form::Grammar => "a grammar",
            Form::StructuredOutputs => "a JSON Schema (structured_outputs)",
            Form::GuidedJson => "a JSON Schema (guided_json)",
            Form::JsonObject => "JSON mode",
            Form::Text => "the words of the prompt alone",
        }
    }

    /// Whether the form gives the server the keys and choices of the schema.
    pub fn has_schema(self) -> bool {
        matches!(
            self,
            Form::JsonSchema | Form::StructuredOutputs | Form::GuidedJson
        )
    }

    fn is_for(self, software: ServerSoftware) -> bool {
        match self {
            Form::Grammar => {
                matches!(
                    software,
                    ServerSoftware::LlamaServer | ServerSoftware::LlamaCppPython
                )
            }
            Form::StructuredOutputs | Form::GuidedJson => software == ServerSoftware::Vllm,
            Form::JsonSchema | Form::JsonObject | Form::Text => true,
        }
    }
}

impl ServerSoftware {
    /// Recognises the software by `owned_by` in the list of models.
    pub fn of(owned_by: &str) -> ServerSoftware {
        match owned_by {
            "llamacpp" => ServerSoftware::LlamaServer,
            "me" => ServerSoftware::LlamaCppPython,
            "vllm" => ServerSoftware::Vllm,
            "library" => ServerSoftware::Ollama,
            _ => ServerSoftware::Unknown,
        }
    }
}

impl Habits {
    pub fn of(software: ServerSoftware) -> Habits {
        Habits {
            form: Form::JsonSchema,
            software,
            limit_key: "max_tokens",
            takes_temperature: true,
            takes_seed: true,
            takes_usage: true,
            takes_system: true,
            takes_template_options: matches!(
                software,
                ServerSoftware::LlamaServer | ServerSoftware::Vllm
            ),
            thinks: false,
        }
    }

    /// The same habits with the next weaker form; `None` after the weakest.
    pub fn lowered(&self) -> Option<Habits> {
        let form = Form::LADDER
            .into_iter()
            .find(|form| *form > self.form && form.is_for(self.software))?;
        Some(Habits {
            form,
            ..self.clone()
        })
    }

    /// Habits to try after a refusal; `None` if the way of asking cannot be the reason. If the
    /// message names what the server does not accept, that is changed. Otherwise the form is
    /// assumed to be the reason.
    pub fn after_refusal(&self, status: u16, words: &str, spec: &Spec) -> Option<Habits> {
        let words = words.to_lowercase();
        let names = |name: &str| words.contains(name);
        let names_form = [
            "response_format",
            "json_schema",
            "json schema",
            "json_object",
            "grammar",
            "schema",
            "guided",
            "structured",
        ];
        let names_form = names_form.into_iter().any(names);
        let may_be_about_it = matches!(status, 400 | 422) || (status >= 500 && names_form);
        if !may_be_about_it {
            return None;
        }
        // The prompt is too long, whatever the way of asking.
        if names("context")
            && (names("length") || names("exceed") || names("window") || names("size"))
        {
            return None;
        }
        match () {
            _ if names_form => {}
            _ if self.limit_key == "max_tokens" && names("max_tokens") => {
                return Some(Habits {
                    limit_key: "max_completion_tokens",
                    ..self.clone()
                });
            }
            _ if self.takes_template_options && names("chat_template_kwargs") => {
                return Some(Habits {
                    takes_template_options: false,
                    ..self.clone()
                });
            }
            _ if self.takes_usage && names("stream_options") => {
                return Some(Habits {
                    takes_usage: false,
                    ..self.clone()
                });
            }
            _ if self.takes_temperature && names("temperature") => {
                return Some(Habits {
                    takes_temperature: false,
                    ..self.clone()
                });
            }
            _ if self.takes_seed && names("seed") => {
                return Some(Habits {
                    takes_seed: false,
                    ..self.clone()
                });
            }
            // "System role not supported", "Conversation roles must alternate user/assistant".
            _ if self.takes_system && names("role") => {
                return Some(Habits {
                    takes_system: false,
                    ..self.clone()
                });
            }
            _ => {}
        }
        if *spec == Spec::Free {
            None
        } else {
            self.lowered()
        }
    }

    /// These habits combined with what another request has learned.
    pub fn joined(&self, other: &Habits) -> Habits {
        Habits {
            form: self.form.max(other.form),
            software: self.software,
            limit_key: if self.limit_key == "max_tokens" {
                other.limit_key
            } else {
                self.limit_key
            },
            takes_temperature: self.takes_temperature && other.takes_temperature,
            takes_seed: self.takes_seed && other.takes_seed,
            takes_usage: self.takes_usage && other.takes_usage,
            takes_system: self.takes_system && other.takes_system,
            takes_template_options: self.takes_template_options && other.takes_template_options,
            thinks: self.thinks || other.thinks,
        }
    }

    /// The most tokens of an answer, thoughts included.
    pub fn max_tokens(&self, request: &Request) -> usize {
        request.limits.answer_tokens + if self.thinks { THOUGHT_TOKENS } else { 0 }
    }

    /// The JSON body of a request.
    pub fn body(&self, model: &str, request: &Request) -> Value {
        let mut body = Map::new();
        body.insert("model".to_owned(), json!(model));
        body.insert(
            "messages".to_owned(),
            Value::Array(self.messages(&request.prompt)),
        );
        body.insert("stream".to_owned(), json!(true));
        body.insert(self.limit_key.to_owned(), json!(self.max_tokens(request)));
        if self.takes_usage {
            body.insert("stream_options".to_owned(), json!({"include_usage": true}));
        }
        if self.takes_temperature {
            let temperature = if let Sampling::Random { temperature, .. } = request.sampling {
                temperature
            } else {
                0.0
            };
            body.insert("temperature".to_owned(), json!(temperature));
        }
        if let (Sampling::Random { seed, .. }, true) = (request.sampling, self.takes_seed) {
            // Some servers store the seed in 32 bits with a sign.
            body.insert("seed".to_owned(), json!(seed & 0x7fff_ffff));
        }
        if self.takes_template_options {
            body.insert(
                "chat_template_kwargs".to_owned(),
                json!({"enable_thinking": false}),
            );
        }
        body.extend(self.forcing(&request.spec));
        Value::Object(body)
    }

    /// The prompt as messages; its markup is their roles (see [`crate::prompt::Profile::of`]).
    /// Without a system role its text comes first in the first message.
    fn messages(&self, prompt: &[Part]) -> Vec<Value> {
        let mut messages: Vec<(&str, String)> = Vec::new();
        // Whether the last message is the system text.
        let mut is_only_system = false;
        for part in prompt {
            match part {
                Part::Control(role) if role.is_empty() => {}
                Part::Control(role) if ["system", "user", "assistant"].contains(&role.as_str()) => {
                    let after_system = !self.takes_system && is_only_system;
                    is_only_system = messages.is_empty() && role == "system";
                    if !after_system {
                        let role = if is_only_system && !self.takes_system {
                            "user"
                        } else {
                            role
                        };
                        messages.push((role, String::new()));
                    }
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

    /// The key that forces the answer, and its value.
    fn forcing(&self, spec: &Spec) -> Option<(String, Value)> {
        let schema = strict_schema::of(spec)?;
        let json_object = ("response_format", json!({"type": "json_object"}));
        let (key, value) = match self.form {
            Form::JsonSchema => {
                let named =
                    json!({"name": "answer", "strict": schema.is_strict, "schema": schema.schema});
                (
                    "response_format",
                    json!({"type": "json_schema", "json_schema": named}),
                )
            }
            Form::Grammar => {
                grammar::of(spec).map_or(json_object, |grammar| ("grammar", json!(grammar)))
            }
            Form::StructuredOutputs => ("structured_outputs", json!({"json": schema.schema})),
            Form::GuidedJson => ("guided_json", schema.schema),
            Form::JsonObject => json_object,
            Form::Text => return None,
        };
        Some((key.to_owned(), value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constrain::NoEdit;
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
        Spec::Slots(crate::constrain::SlotSpec::Pick {
            files: Vec::new(),
            may_create: true,
            goes_on: false,
            no_edit: NoEdit::ForAnyReason,
        })
    }

    #[test]
    fn the_ladder_of_each_software() {
        let forms = |software: ServerSoftware| {
            std::iter::successors(Some(Habits::of(software)), Habits::lowered)
                .map(|habits| habits.form)
                .collect::<Vec<_>>()
        };
        use Form::{Grammar, GuidedJson, JsonObject, JsonSchema, StructuredOutputs, Text};
        assert_eq!(
            forms(ServerSoftware::Unknown),
            [JsonSchema, JsonObject, Text]
        );
        assert_eq!(
            forms(ServerSoftware::LlamaCppPython),
            [JsonSchema, Grammar, JsonObject, Text]
        );
        assert_eq!(
            forms(ServerSoftware::Vllm),
            [JsonSchema, StructuredOutputs, GuidedJson, JsonObject, Text]
        );
    }

    #[test]
    fn a_refusal_says_what_is_not_taken() {
        let habits = Habits::of(ServerSoftware::Unknown);
        let after = |status, words: &str| habits.after_refusal(status, words, &pick());
        let without = |key: &str, words: &str| {
            let body = after(400, words).unwrap().body("m", &request(pick()));
            assert!(
                body.get(key).is_none() && body.get("response_format").is_some(),
                "{words}: {body}"
            );
            body
        };
        let body = without(
            "max_tokens",
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
        );
        assert_eq!(body["max_completion_tokens"], 100);
        without(
            "temperature",
            "Unsupported value: 'temperature' does not support 0 with this model.",
        );
        without("stream_options", "Unknown parameter: stream_options");
        let body = after(400, "System role not supported")
            .unwrap()
            .body("m", &request(pick()));
        assert_eq!(
            body["messages"],
            json!([{"role": "user", "content": "Be brief.\n\nsystem"}])
        );
        assert_eq!(
            after(422, "Input should be 'text' or 'json_object'")
                .unwrap()
                .form,
            Form::JsonObject
        );
        assert_eq!(after(400, "bad request").unwrap().form, Form::JsonObject);
        assert_eq!(
            after(500, "failed to parse grammar").unwrap().form,
            Form::JsonObject
        );
        assert_eq!(after(500, "out of memory"), None);
        assert_eq!(after(401, "no key"), None);
        assert_eq!(
            after(400, "This model's maximum context length is 10 tokens"),
            None
        );
        assert_eq!(habits.after_refusal(400, "bad request", &Spec::Free), None);
    }

    #[test]
    fn each_form_is_one_key() {
        let keys = [
            "response_format",
            "grammar",
            "structured_outputs",
            "guided_json",
        ];
        for form in Form::LADDER {
            let body = Habits {
                form,
                ..Habits::of(ServerSoftware::Unknown)
            }
            .body("m", &request(pick()));
            let used: Vec<&&str> = keys
                .iter()
                .filter(|key| body.get(**key).is_some())
                .collect();
            assert_eq!(used.len(), usize::from(form != Form::Text), "{form:?}");
        }
        let body = Habits::of(ServerSoftware::Unknown).body("m", &request(pick()));
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
        let body = Habits::of(ServerSoftware::Unknown).body("m", &random);
        assert_eq!(
            (&body["temperature"], &body["seed"]),
            (&json!(0.5), &json!(0x7fff_ffff))
        );
        assert!(body.get("response_format").is_none());
    }
}
