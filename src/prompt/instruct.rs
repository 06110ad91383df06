//! The same questions in words, through the model's own chat template.
//!
//! A template is a Jinja program that comes with the model. It is rendered with marks in place of our text,
//! and split at the marks: what the template wrote is markup, what we put in is text. So no file can spell
//! its way out of its message.

use super::Row;
use crate::engine::{ModelInfo, Part};
use crate::slots::Operation;
use crate::text::Shown;
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error, ErrorKind, Value, context};

/// Stands for a message's text while the template is rendered. Letters, so that no filter changes it.
const SYSTEM_MARK: &str = "SLOTWRIGHTsystemMARK";
const USER_MARK: &str = "SLOTWRIGHTuserMARK";

/// What a template may do before it is called endless (minijinja's units: some thousand steps a message).
const FUEL: u64 = 2_000_000;

const SYSTEM: &str = "You edit text files. You answer with one line of JSON and nothing else. \
    You copy text from the file exactly. You change only what the task asks for.";

/// The template of models that bring none that works: ChatML, as most small models know it.
const CHATML: [&str; 3] = ["<|im_start|>system\n", "<|im_end|>\n<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n"];

/// A chat template, rendered: the markup before, between and after the texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// Before the system text, between it and the user's, after that. Without a system role the first is
    /// empty and `has_system` false: the system text then opens the user's.
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
        let Some(source) = &model.chat_template else { return (chatml(), Some(TemplateError::Missing)) };
        // Some templates refuse a system role, some drop it without a word.
        let rendered = render(source, model, true)
            .and_then(|text| split(&text, true))
            .or_else(|with_system| render(source, model, false).and_then(|text| split(&text, false)).map_err(|_| with_system));
        match rendered {
            Ok(template) => (template, None),
            Err(reason) => (chatml(), Some(TemplateError::Unusable(reason))),
        }
    }

    /// A prompt with this question.
    pub(super) fn prompt(&self, question: &str) -> Vec<Part> {
        let [before, between, after] = &self.markup;
        if self.has_system {
            vec![
                Part::Control(before.clone()),
                Part::Text(SYSTEM.to_owned()),
                Part::Control(between.clone()),
                Part::Text(question.to_owned()),
                Part::Control(after.clone()),
            ]
        } else {
            vec![Part::Control(between.clone()), Part::Text(format!("{SYSTEM}\n\n{question}")), Part::Control(after.clone())]
        }
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
    let (before, between) = if with_system { head.split_once(SYSTEM_MARK).ok_or_else(lost)? } else { ("", head) };
    if [before, between, after].iter().any(|s| s.contains(USER_MARK) || s.contains(SYSTEM_MARK)) {
        return Err("it writes a message twice".to_owned());
    }
    Ok(Template { markup: [before, between, after].map(str::to_owned), has_system: with_system })
}

pub(super) fn pick(task: &str, rows: &[Row]) -> String {
    let line = |row: &Row| match row.hints.is_empty() {
        true => row.path.clone(),
        false => format!("{} (has: {})", row.path, row.hints.join(", ")),
    };
    let list = rows.iter().map(line).collect::<Vec<_>>().join("\n");
    format!(
        "Files:\n{list}\n\nTask: {task}\n\n\
        Which file does the task change, and how?\n\
        - replace: change one place\n\
        - replace_all: change every occurrence of a name or a text in one file, as in a rename\n\
        - insert: add lines before or after a line that stays\n\
        - create: make a new file\n\
        Answer {{\"path\":\"...\",\"operation\":\"replace\" or \"replace_all\" or \"insert\"}}, or {{\"operation\":\"create\"}}. \
        If nothing is to be changed, answer {{\"operation\":\"none\",\"reason\":\"already_done\" or \"not_in_these_files\" or \"unclear\"}}."
    )
}

pub(super) fn fill(task: &str, path: &str, operation: Operation, shown: &Shown) -> String {
    let file = format!("File {path}:\n{}\n\nTask: {task}\n\n", shown.prompt_text());
    match operation {
        Operation::Replace => format!(
            "{file}Replace text in one place of this file. \"old\" is the text to replace, copied exactly from the file; \
            \"new\" is what stands there afterwards. Answer {{\"old\":\"...\",\"new\":\"...\"}}. \
            If \"old\" stands in several places, name the one you mean: {{\"old\":\"...\",\"place\":\"line ...\",\"new\":\"...\"}}."
        ),
        Operation::ReplaceAll => format!(
            "{file}Replace every occurrence of a name or a text in this file. \"old\" is copied exactly from the file; \
            \"new\" is what stands there afterwards. Answer {{\"old\":\"...\",\"new\":\"...\"}}."
        ),
        Operation::Insert => format!(
            "{file}Insert lines into this file. \"anchor\" is a whole line of the file, copied exactly; it stays. \"text\" is the new \
            lines only. Answer {{\"anchor\":\"...\",\"position\":\"before\" or \"after\",\"text\":\"...\"}}. If the line stands \
            in several places, name the one you mean: {{\"anchor\":\"...\",\"place\":\"line ...\",\"position\":...,\"text\":...}}."
        ),
        Operation::Create => {
            format!(
                "Task: {task}\n\nMake a new file. Answer {{\"path\":\"...\",\"text\":\"...\"}}: its path and all of its text."
            )
        }
    }
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

    const PLAIN: &str = "{{ bos_token }}{% for m in messages %}\n[{{ m['role'] }}]{{ m.content.strip() }}[end]\n{% endfor %}\n{% if add_generation_prompt %}[assistant]{% endif %}";

    #[test]
    fn markup_is_split_from_text() {
        let (template, warning) = Template::of(&model(PLAIN));
        assert_eq!(warning, None);
        let parts = template.prompt("[user] <s>");
        let expected = [
            Part::Control("<s>[system]".to_owned()),
            Part::Text(SYSTEM.to_owned()),
            Part::Control("[end]\n[user]".to_owned()),
            Part::Text("[user] <s>".to_owned()),
            Part::Control("[end]\n[assistant]".to_owned()),
        ];
        assert_eq!(parts, expected);
    }

    #[test]
    fn a_template_without_a_system_role_gets_it_in_the_first_message() {
        let source =
            format!("{{% if messages[0].role == 'system' %}}{{{{ raise_exception('no system role') }}}}{{% endif %}}{PLAIN}");
        let (template, warning) = Template::of(&model(&source));
        assert_eq!(warning, None);
        let parts = template.prompt("question");
        assert_eq!(parts[1], Part::Text(format!("{SYSTEM}\n\nquestion")));
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

    /// The templates of real models, where the folder with them is at hand.
    #[test]
    fn real_templates_render() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/templates");
        let Ok(entries) = std::fs::read_dir(&folder) else {
            println!("skipped: there is no folder of chat templates beside the project");
            return;
        };
        let mut n_rendered = 0;
        for entry in entries {
            let path = entry.unwrap().path();
            let (template, warning) = Template::of(&model(&std::fs::read_to_string(&path).unwrap()));
            assert_eq!(warning, None, "{}", path.display());
            assert_ne!(template.markup[1], "", "{}", path.display());
            n_rendered += 1;
        }
        println!("{n_rendered} real templates rendered");
        assert!(n_rendered > 0);
    }
}
