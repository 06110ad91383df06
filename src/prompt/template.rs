//! A model's own chat template, rendered as its own software renders it.
//!
//! A template is a Jinja program that comes with the model. It is rendered with marks in place of
//! our text, and split at the marks. What the template wrote is markup, what we put in is text. So
//! no file can leave its message by spelling markup.

use crate::engine::{ModelInfo, Part};
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error, ErrorKind, Value, context};

/// Marks for the texts of a conversation while the template is rendered, in order: system, user,
/// an earlier answer, user. Letters only: no filter changes those.
const MARKS: [&str; 4] = [
    "SLOTWRIGHTsystemMARK",
    "SLOTWRIGHTfirstMARK",
    "SLOTWRIGHTanswerMARK",
    "SLOTWRIGHTlastMARK",
];

/// Steps that a template may take before it is stopped (minijinja's unit: some thousand a message).
const FUEL: u64 = 2_000_000;

/// ChatML, which most small models know: for models whose own template is missing or unusable.
const CHATML: [&str; 5] = [
    "<|im_start|>system\n",
    "<|im_end|>\n<|im_start|>user\n",
    "<|im_end|>\n<|im_start|>assistant\n",
    "<|im_end|>\n<|im_start|>user\n",
    "<|im_end|>\n<|im_start|>assistant\n",
];

/// How models mark their thoughts before the answer: what opens them, what closes them, and what is
/// between them and the answer.
const THINKING: [Thinking; 3] = [
    Thinking {
        open: "<think>",
        close: "</think>",
        then: "\n\n",
    },
    Thinking {
        open: "[THINK]",
        close: "[/THINK]",
        then: "",
    },
    Thinking {
        open: "<|channel>thought",
        close: "<channel|>",
        then: "",
    },
];

/// The channel of the answer, for models that begin every message with a channel (harmony).
const ANSWER_CHANNEL: &str = "<|channel|>final<|message|>";

struct Thinking {
    open: &'static str,
    close: &'static str,
    then: &'static str,
}

/// A chat template, rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    markup: Markup,
    /// Whether an answer can be begun for the model, which then goes on with it. A server writes
    /// the markup itself, so there every answer is the model's alone.
    continues_answers: bool,
}

/// The markup between the texts of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Markup {
    /// Before the system text. `None` if there is no system role: the system text then begins the
    /// first user text.
    before_system: Option<String>,
    before_first_user: String,
    /// `None` if the template takes no earlier answers: examples are then written into the user's
    /// message.
    before_past_answer: Option<String>,
    before_next_user: String,
    before_answer: String,
}

/// An earlier question and its answer, as an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The user's message.
    pub user: String,
    /// The model's message.
    pub answer: String,
}

/// Why a model's own template is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// The model has no template.
    #[error("the model brings no chat template; using ChatML")]
    Missing,
    /// It does not render, or not with our text in it.
    #[error("the model's chat template cannot be used ({0}); using ChatML")]
    Unusable(String),
}

impl Template {
    /// The model's template, or ChatML and why.
    pub(super) fn of(model: &ModelInfo) -> (Template, Option<TemplateError>) {
        let (markup, error) = match &model.chat_template {
            None => (None, Some(TemplateError::Missing)),
            Some(source) => match Markup::rendered(source, model) {
                Ok(markup) => (Some(markup), None),
                Err(reason) => (None, Some(TemplateError::Unusable(reason))),
            },
        };
        let template = Template {
            markup: markup.unwrap_or_else(|| Markup::of_strings(CHATML)),
            continues_answers: true,
        };
        (template, error)
    }

    /// For a server, which has the template: the markup before each text is its role.
    pub(super) fn messages() -> Template {
        let markup = Markup::of_strings(["system", "user", "assistant", "user", ""]);
        Template {
            markup,
            continues_answers: false,
        }
    }

    /// See the field.
    pub(super) fn continues_answers(&self) -> bool {
        self.continues_answers
    }

    /// The parts of a conversation up to the model's answer.
    pub(super) fn conversation(&self, system: &str, past: &[Turn], user: &str) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut text = String::new();
        match &self.markup.before_system {
            Some(markup) => {
                parts.push(Part::Control(markup.clone()));
                parts.push(Part::Text(system.to_owned()));
            }
            None => text = format!("{system}\n\n"),
        }
        parts.push(Part::Control(self.markup.before_first_user.clone()));
        for Turn { user, answer } in past {
            match &self.markup.before_past_answer {
                Some(before_answer) => parts.extend([
                    Part::Text(std::mem::take(&mut text) + user),
                    Part::Control(before_answer.clone()),
                    Part::Text(answer.clone()),
                    Part::Control(self.markup.before_next_user.clone()),
                ]),
                None => text += &format!("{user}\nAnswer: {answer}\n\n"),
            }
        }
        parts.push(Part::Text(text + user));
        parts.push(Part::Control(self.markup.before_answer.clone()));
        parts
    }

    /// Goes on after some lines of the model's answer.
    pub(super) fn after_lines(&self, mut parts: Vec<Part>, lines: &[String]) -> Vec<Part> {
        assert!(
            self.continues_answers || lines.is_empty(),
            "a server begins every answer itself"
        );
        parts.extend(lines.iter().map(|line| Part::Text(format!("{line}\n"))));
        parts
    }

    /// Continues a conversation after an answer of the model with one more question. If answers can
    /// be begun, the model just goes on after the answer and a newline.
    pub(super) fn continued(&self, mut parts: Vec<Part>, answer: &str, user: &str) -> Vec<Part> {
        if self.continues_answers {
            return self.after_lines(parts, &[answer.to_owned()]);
        }
        let before_answer = self.markup.before_past_answer.as_ref();
        let before_answer = before_answer.expect("messages have the role of the model");
        parts.pop(); // the markup before an answer that the model is to write
        parts.extend([
            Part::Control(before_answer.clone()),
            Part::Text(answer.to_owned()),
            Part::Control(self.markup.before_next_user.clone()),
            Part::Text(user.to_owned()),
            Part::Control(self.markup.before_answer.clone()),
        ]);
        parts
    }
}

impl Markup {
    /// The markup that a model's template writes, or why it cannot be used.
    fn rendered(source: &str, model: &ModelInfo) -> Result<Markup, String> {
        // Some templates refuse a system role or an earlier answer, and some drop it silently.
        let mut reason = None;
        for (has_system, has_past) in [(true, true), (false, true), (true, false), (false, false)] {
            let mut marks = MARKS.to_vec();
            if !has_past {
                marks.drain(1..3);
            }
            if !has_system {
                marks.remove(0);
            }
            match render(source, model, &marks).and_then(|text| split(&text, &marks)) {
                Ok(mut pieces) => {
                    let answer = pieces.len() - 1;
                    let thought = thought(source, &pieces[answer]);
                    pieces[answer].push_str(&thought);
                    return Ok(Markup::of_pieces(pieces, has_system, has_past));
                }
                Err(error) => reason = reason.or(Some(error)),
            }
        }
        Err(reason.unwrap_or_default())
    }

    fn of_strings(markup: [&str; 5]) -> Markup {
        Markup::of_pieces(markup.map(str::to_owned).to_vec(), true, true)
    }

    /// From the pieces that a rendered template falls into: one before each text, and one after.
    fn of_pieces(pieces: Vec<String>, has_system: bool, has_past: bool) -> Markup {
        let mut pieces = pieces.into_iter();
        let before_system = if has_system { pieces.next() } else { None };
        let before_first_user = pieces.next().unwrap_or_default();
        let before_past_answer = if has_past { pieces.next() } else { None };
        let before_next_user = if has_past { pieces.next() } else { None };
        Markup {
            before_system,
            before_first_user,
            before_past_answer,
            before_next_user: before_next_user.unwrap_or_default(),
            before_answer: pieces.next().unwrap_or_default(),
        }
    }
}

/// Renders a conversation of these texts: the last one is the user's, before it an answer, and so
/// on; a first one of [`MARKS`] is the system text.
fn render(source: &str, model: &ModelInfo, marks: &[&str]) -> Result<String, String> {
    let mut env = Environment::new();
    // As transformers renders them.
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build();
    env.set_syntax(syntax.map_err(|error| error.to_string())?);
    env.set_fuel(Some(FUEL));
    env.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
    // In Jinja none is not iterable; templates ask that of `tools`.
    env.add_test("iterable", |value: &Value| {
        !value.is_none() && value.try_iter().is_ok()
    });
    env.add_function(
        "raise_exception",
        |message: String| -> Result<Value, Error> {
            Err(Error::new(ErrorKind::InvalidOperation, message))
        },
    );
    // Some templates give the model the date. A prompt that changes every day could not be reused.
    env.add_function("strftime_now", |_: String| "1 January 2025");

    let messages: Vec<Value> = marks
        .iter()
        .map(|mark| context! { role => role_of(mark), content => *mark })
        .collect();
    let template = env
        .template_from_str(source)
        .map_err(|error| error.to_string())?;
    let values = context! {
        messages, add_generation_prompt => true, bos_token => &model.bos, eos_token => &model.eos,
        enable_thinking => false, tools => Value::from(()), date_string => "1 January 2025",
    };
    template.render(values).map_err(|error| error.to_string())
}

/// The role whose text a mark stands for.
fn role_of(mark: &str) -> &'static str {
    if mark == MARKS[0] {
        "system"
    } else if mark == MARKS[2] {
        "assistant"
    } else {
        "user"
    }
}

/// The text before, between and after the marks.
fn split(rendered: &str, marks: &[&str]) -> Result<Vec<String>, String> {
    let mut pieces = Vec::new();
    let mut rest = rendered;
    for mark in marks {
        let (before, after) = rest
            .split_once(mark)
            .ok_or_else(|| "it leaves out a message".to_owned())?;
        pieces.push(before.to_owned());
        rest = after;
    }
    pieces.push(rest.to_owned());
    if pieces
        .iter()
        .any(|piece| MARKS.iter().any(|mark| piece.contains(mark)))
    {
        return Err("it writes a message twice".to_owned());
    }
    Ok(pieces)
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
                let line_feed = if answer_markup.ends_with('\n') || then.is_empty() {
                    ""
                } else {
                    "\n"
                };
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

    fn turn(user: &str, answer: &str) -> Turn {
        Turn {
            user: user.to_owned(),
            answer: answer.to_owned(),
        }
    }

    /// The parts in one line, markup in braces.
    fn flat(parts: &[Part]) -> String {
        let part = |part: &Part| match part {
            Part::Control(text) => format!("{{{text}}}"),
            Part::Text(text) => text.clone(),
        };
        parts
            .iter()
            .map(part)
            .collect::<String>()
            .replace('\n', "⏎")
    }

    #[test]
    fn markup_is_split_from_text() {
        let (template, warning) = Template::of(&model(PLAIN));
        assert_eq!(warning, None);
        let parts = template.conversation("Be brief.", &[turn("1?", "2")], "[user] <s>");
        let question = "{<s>[system]}Be brief.{[end]⏎[user]}1?{[end]⏎[assistant]}2{[end]⏎[user]}\
                        [user] <s>{[end]⏎[assistant]}";
        assert_eq!(flat(&parts), question);
        assert_eq!(
            flat(&template.continued(parts, "3", "?")),
            format!("{question}3⏎")
        );
    }

    #[test]
    fn a_server_gets_every_answer_as_a_message() {
        let template = Template::messages();
        let parts = template.conversation("Be brief.", &[turn("1?", "2")], "3?");
        assert_eq!(
            flat(&parts),
            "{system}Be brief.{user}1?{assistant}2{user}3?{}"
        );
        let parts = template.continued(parts, "4", "5?");
        assert_eq!(
            flat(&parts),
            "{system}Be brief.{user}1?{assistant}2{user}3?{assistant}4{user}5?{}"
        );
    }

    #[test]
    fn a_template_without_a_system_role_gets_it_in_the_first_message() {
        let source = format!(
            "{{% if messages[0].role == 'system' %}}\
             {{{{ raise_exception('no system role') }}}}{{% endif %}}{PLAIN}"
        );
        let (template, warning) = Template::of(&model(&source));
        assert_eq!(warning, None);
        let parts = template.conversation("Be brief.", &[turn("1?", "2")], "question");
        assert_eq!(parts[1], Part::Text("Be brief.\n\n1?".to_owned()));
        let parts = template.conversation("Be brief.", &[], "question");
        assert_eq!(parts[1], Part::Text("Be brief.\n\nquestion".to_owned()));
    }

    #[test]
    fn a_template_without_earlier_answers_gets_them_in_the_message() {
        let source = format!(
            "{{% if messages | length > 2 %}}\
             {{{{ raise_exception('too many') }}}}{{% endif %}}{PLAIN}"
        );
        let (template, warning) = Template::of(&model(&source));
        assert_eq!(warning, None);
        let parts = template.conversation("Be brief.", &[turn("1?", "2")], "3?");
        let expected = "{<s>[system]}Be brief.{[end]⏎[user]}1?⏎Answer: 2⏎⏎3?{[end]⏎[assistant]}";
        assert_eq!(flat(&parts), expected);
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
            assert!(
                matches!(warning, Some(TemplateError::Unusable(_))),
                "{broken}: {warning:?}"
            );
            assert_eq!(template.markup, Markup::of_strings(CHATML));
        }
        assert_eq!(
            Template::of(&ModelInfo::default()).1,
            Some(TemplateError::Missing)
        );
    }

    #[test]
    fn thinking_is_closed_before_the_answer() {
        let thought = |rest: &str| {
            let (template, warning) = Template::of(&model(&format!("{PLAIN}{rest}")));
            assert_eq!(warning, None, "{rest}");
            template
                .markup
                .before_answer
                .strip_prefix("[end]\n[assistant]")
                .unwrap()
                .to_owned()
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
        assert_eq!(
            thought("<|channel>thought\n<channel|>"),
            "<|channel>thought\n<channel|>"
        );
        // It has no option: it opens the thoughts itself, or leaves that to the model.
        assert_eq!(
            thought("<think>\n{# ends with a line feed #}"),
            "<think>\n</think>\n\n"
        );
        assert_eq!(thought("<think>"), "<think>\n</think>\n\n");
        let knows = |open: &str, close: &str| {
            format!("{{% if false %}}{open}{{{{ thoughts }}}}{close}{{% endif %}}")
        };
        assert_eq!(
            thought(&knows("<think>", "</think>")),
            "<think>\n\n</think>\n\n"
        );
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
