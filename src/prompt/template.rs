//! A model's own chat template, rendered as its own software renders it.
//!
//! A template is a Jinja program that comes with the model. It is rendered with marks in place of
//! our text, and split at the marks. What the template wrote is markup, what we put in is text. So
//! no file can leave its message by spelling markup.

use crate::engine::{ModelInfo, Part};
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error, ErrorKind, Value, context};

/// Marks for a message's text while the template is rendered. Letters only: no filter changes
/// those.
const SYSTEM_MARK: &str = "SLOTWRIGHTsystemMARK";
const USER_MARK: &str = "SLOTWRIGHTuserMARK";

/// Steps that a template may take before it is stopped (minijinja's unit: some thousand a message).
const FUEL: u64 = 2_000_000;

/// ChatML, which most small models know: for models whose own template is missing or unusable.
const CHATML: [&str; 3] = [
    "<|im_start|>system\n",
    "<|im_end|>\n<|im_start|>user\n",
    "<|im_end|>\n<|im_start|>assistant\n",
];

/// How models mark their thoughts before the answer: what opens them, what closes them, and what is
/// between them and the answer.
const THINKING: [Thinking; 3] = [
    Thinking { open: "<think>", close: "</think>", then: "\n\n" },
    Thinking { open: "[THINK]", close: "[/THINK]", then: "" },
    Thinking { open: "<|channel>thought", close: "<channel|>", then: "" },
];

/// The channel of the answer, for models that begin every message with a channel (harmony).
const ANSWER_CHANNEL: &str = "<|channel|>final<|message|>";

struct Thinking {
    open: &'static str,
    close: &'static str,
    then: &'static str,
}

/// A chat template, rendered: the markup before, between and after the texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// Before the system text, between it and the user's, after the user's. Without a system role
    /// the first is empty and `has_system` is false: the system text then begins the user's
    /// message.
    markup: [String; 3],
    has_system: bool,
}

/// Why a model's own template is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// There is none.
    #[error("the model brings no chat template; using ChatML")]
    Missing,
    /// It does not render, or not with our text in it.
    #[error("the model's chat template cannot be used ({0}); using ChatML")]
    Unusable(String),
}

impl Template {
    /// The model's template, or ChatML and why.
    pub(super) fn of(model: &ModelInfo) -> (Template, Option<TemplateError>) {
        let chatml = || Template { markup: CHATML.map(str::to_owned), has_system: true };
        let Some(source) = &model.chat_template else {
            return (chatml(), Some(TemplateError::Missing));
        };
        // Some templates refuse a system role, and some drop it silently.
        let rendered = render(source, model, true).and_then(|text| split(&text, true)).or_else(
            |with_system| {
                render(source, model, false)
                    .and_then(|text| split(&text, false))
                    .map_err(|_| with_system)
            },
        );
        match rendered {
            Ok(mut template) => {
                template.markup[2].push_str(&thought(source, &template.markup[2]));
                (template, None)
            }
            Err(reason) => (chatml(), Some(TemplateError::Unusable(reason))),
        }
    }

    /// For a server, which has the template: the markup before each text is its role.
    pub(super) fn messages() -> Template {
        Template { markup: ["system", "user", ""].map(str::to_owned), has_system: true }
    }

    /// A prompt of a system and a user message.
    pub(super) fn prompt(&self, system: &str, question: &str) -> Vec<Part> {
        let [before, between, after] = &self.markup;
        if self.has_system {
            vec![
                Part::Control(before.clone()),
                Part::Text(system.to_owned()),
                Part::Control(between.clone()),
                Part::Text(question.to_owned()),
                Part::Control(after.clone()),
            ]
        } else {
            vec![
                Part::Control(between.clone()),
                Part::Text(format!("{system}\n\n{question}")),
                Part::Control(after.clone()),
            ]
        }
    }

    /// The beginning of such a prompt, if more of the user message follows.
    pub(super) fn ahead(&self, system: &str, question: &str) -> Vec<Part> {
        let mut parts = self.prompt(system, question);
        parts.pop(); // the markup behind it
        parts
    }
}

fn render(source: &str, model: &ModelInfo, with_system: bool) -> Result<String, String> {
    let mut env = Environment::new();
    // As transformers renders them.
    let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
    env.set_syntax(syntax.map_err(|e| e.to_string())?);
    env.set_fuel(Some(FUEL));
    env.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
    // In Jinja none is not iterable; templates ask that of `tools`.
    env.add_test("iterable", |value: &Value| !value.is_none() && value.try_iter().is_ok());
    env.add_function("raise_exception", |message: String| -> Result<Value, Error> {
        Err(Error::new(ErrorKind::InvalidOperation, message))
    });
    // Some templates tell the model the date. A prompt that changes every day could not be reused.
    env.add_function("strftime_now", |_: String| "1 January 2025");
    let user = context! { role => "user", content => USER_MARK };
    let system = context! { role => "system", content => SYSTEM_MARK };
    let messages = if with_system { vec![system, user] } else { vec![user] };
    let template = env.template_from_str(source).map_err(|e| e.to_string())?;
    let values = context! {
        messages, add_generation_prompt => true, bos_token => &model.bos, eos_token => &model.eos,
        enable_thinking => false, tools => Value::from(()), date_string => "1 January 2025",
    };
    template.render(values).map_err(|e| e.to_string())
}

fn split(rendered: &str, with_system: bool) -> Result<Template, String> {
    let lost = || "it leaves out a message".to_owned();
    let (head, after) = rendered.split_once(USER_MARK).ok_or_else(lost)?;
    let (before, between) =
        if with_system { head.split_once(SYSTEM_MARK).ok_or_else(lost)? } else { ("", head) };
    if [before, between, after].iter().any(|s| s.contains(USER_MARK) || s.contains(SYSTEM_MARK)) {
        return Err("it writes a message twice".to_owned());
    }
    Ok(Template { markup: [before, between, after].map(str::to_owned), has_system: with_system })
}

/// The markup that tells a thinking model that it has thought already.
///
/// Most templates take an option for that. This is for those that do not; it is what the others
/// write. An answer that must fit a constraint from its first byte leaves no room for thoughts.
fn thought(template: &str, answer_markup: &str) -> String {
    if template.contains(ANSWER_CHANNEL) && !answer_markup.contains("<|channel|>") {
        return ANSWER_CHANNEL.to_owned();
    }
    for Thinking { open, close, then } in THINKING {
        match (answer_markup.rfind(open), answer_markup.rfind(close)) {
            (Some(opened), Some(closed)) if opened < closed => return String::new(),
            (None, Some(_)) => return String::new(),
            (Some(_), _) => {
                let line_feed =
                    if answer_markup.ends_with('\n') || then.is_empty() { "" } else { "\n" };
                return format!("{line_feed}{close}{then}");
            }
            // It renders the thoughts of earlier answers, so its model thinks.
            (None, None) if template.contains(open) && template.contains(close) => {
                let blank = if then.is_empty() { "" } else { "\n\n" };
                return format!("{open}{blank}{close}{then}");
            }
            (None, None) => {}
        }
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(template: &str) -> ModelInfo {
        ModelInfo {
            chat_template: Some(template.to_owned()),
            bos: "<s>".to_owned(),
            eos: "</s>".to_owned(),
            ..ModelInfo::default()
        }
    }

    const PLAIN: &str = "{{ bos_token }}{% for m in messages %}\n\
        [{{ m['role'] }}]{{ m.content.strip() }}[end]\n{% endfor %}\n\
        {% if add_generation_prompt %}[assistant]{% endif %}";

    #[test]
    fn markup_is_split_from_text() {
        let (template, warning) = Template::of(&model(PLAIN));
        assert_eq!(warning, None);
        let parts = template.prompt("Be brief.", "[user] <s>");
        let expected = [
            Part::Control("<s>[system]".to_owned()),
            Part::Text("Be brief.".to_owned()),
            Part::Control("[end]\n[user]".to_owned()),
            Part::Text("[user] <s>".to_owned()),
            Part::Control("[end]\n[assistant]".to_owned()),
        ];
        assert_eq!(parts, expected);
    }

    #[test]
    fn a_template_without_a_system_role_gets_it_in_the_first_message() {
        let source = format!(
            "{{% if messages[0].role == 'system' %}}\
             {{{{ raise_exception('no system role') }}}}{{% endif %}}{PLAIN}"
        );
        let (template, warning) = Template::of(&model(&source));
        assert_eq!(warning, None);
        let parts = template.prompt("Be brief.", "question");
        assert_eq!(parts[1], Part::Text("Be brief.\n\nquestion".to_owned()));
    }

    #[test]
    fn what_cannot_be_rendered_falls_back_and_says_so() {
        for broken in [
            "{% for %}",
            "{{ nothing.at.all }}",
            "no messages",
            "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
        ] {
            let (template, warning) = Template::of(&model(broken));
            assert!(matches!(warning, Some(TemplateError::Unusable(_))), "{broken}: {warning:?}");
            assert_eq!(template.markup, CHATML);
        }
        assert_eq!(Template::of(&ModelInfo::default()).1, Some(TemplateError::Missing));
    }

    #[test]
    fn thinking_is_closed_before_the_answer() {
        let thought = |rest: &str| {
            let (template, warning) = Template::of(&model(&format!("{PLAIN}{rest}")));
            assert_eq!(warning, None, "{rest}");
            template.markup[2].strip_prefix("[end]\n[assistant]").unwrap().to_owned()
        };
        // The template took the option.
        assert_eq!(
            thought("{% if not enable_thinking %}<think>\n\n</think>\n\n{% endif %}"),
            "<think>\n\n</think>\n\n"
        );
        assert_eq!(
            thought("<think>\n{% if not enable_thinking %}</think>{% endif %}"),
            "<think>\n</think>"
        );
        assert_eq!(thought("<|channel>thought\n<channel|>"), "<|channel>thought\n<channel|>");
        // It has no option: it opens the thoughts itself, or leaves that to the model.
        assert_eq!(thought("<think>\n{# ends with a line feed #}"), "<think>\n</think>\n\n");
        assert_eq!(thought("<think>"), "<think>\n</think>\n\n");
        let knows = |open: &str, close: &str| {
            format!("{{% if false %}}{open}{{{{ thoughts }}}}{close}{{% endif %}}")
        };
        assert_eq!(thought(&knows("<think>", "</think>")), "<think>\n\n</think>\n\n");
        assert_eq!(thought(&knows("[THINK]", "[/THINK]")), "[THINK][/THINK]");
        assert_eq!(
            thought("{% if false %}<|channel|>final<|message|>{% endif %}"),
            "<|channel|>final<|message|>"
        );
        // It only removes thoughts from earlier answers.
        assert_eq!(thought("{% if false %}</think>{% endif %}"), "");
        assert_eq!(thought(""), "");
    }
}
