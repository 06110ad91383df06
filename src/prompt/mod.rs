//! How a model is asked: the two questions of [`crate::flow`] as prompts.
//!
//! A [`Profile`] is a prompt format: `instruct` goes through a model's own chat template, `compact`
//! is what the bundled model was trained on. All text of files and tasks is a [`Part::Text`] and
//! never becomes a control token, whatever it spells.

pub mod budget;
mod compact;
mod examples;
mod instruct;
pub mod lines;
mod question;
mod rewrite;
mod template;
mod told;

pub use budget::Budget;
pub use examples::{WorkedEdit, WorkedExample, worked_examples};
pub use instruct::{Wording, question_on};
pub use question::{Question, Row};
pub use template::{Template, TemplateError, Turn};

use crate::constrain::SlotSpec;
use crate::engine::{MESSAGES, ModelInfo, Part};
use crate::task::Task;
use crate::text::BlockSize;
use std::borrow::Cow;
use told::Reads;

/// The [`ModelInfo::profile`] of a model with one of our adapters: as `instruct`, but without worked
/// examples.
pub const ADAPTED: &str = "adapted-2";

/// A prompt format.
#[derive(Clone, Debug)]
pub enum Profile {
    /// `compact-4`, of the bundled model.
    Compact,
    /// Words, through the model's chat template or as messages to a server.
    Instruct {
        /// How a conversation is written.
        template: Template,
        /// In which words it answers.
        wording: Wording,
        /// See [`Budget::shown_tokens`].
        shown_tokens: usize,
    },
}

/// A model that names a prompt format which this version does not know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the model wants the prompt profile {0:?}, which this version does not know")]
pub struct UnknownProfile(pub String);

impl Profile {
    /// The profile for a model, with a warning if its chat template cannot be used.
    ///
    /// # Errors
    /// [`UnknownProfile`]: the model names one of a newer version.
    pub fn of(model: &ModelInfo) -> Result<(Profile, Option<TemplateError>), UnknownProfile> {
        match model.profile.as_deref() {
            Some("compact-4") => Ok((Profile::Compact, None)),
            Some(ADAPTED) => {
                let (template, warning) = Template::of(model);
                let profile = Profile::instruct(template, Wording::Trained, model);
                Ok((profile, warning))
            }
            // Servers force answers by a schema, if at all.
            Some(MESSAGES) => {
                let profile = Profile::instruct(Template::messages(), Wording::Schema, model);
                Ok((profile, None))
            }
            Some("instruct") | None => {
                let (template, warning) = Template::of(model);
                let profile = Profile::instruct(template, Wording::Natural, model);
                Ok((profile, warning))
            }
            Some(other) => Err(UnknownProfile(other.to_owned())),
        }
    }

    fn instruct(template: Template, wording: Wording, model: &ModelInfo) -> Profile {
        let shown_tokens = if model.uses_gpu {
            budget::SHOWN_ON_GPU
        } else {
            budget::SHOWN_ON_CPU
        };
        Profile::Instruct {
            template,
            wording,
            shown_tokens,
        }
    }

    /// The same, but for answers that a plain JSON Schema forces. The bundled model has no words.
    pub fn in_schema_words(mut self) -> Profile {
        if let Profile::Instruct { wording, .. } = &mut self {
            *wording = Wording::Schema;
        }
        self
    }

    /// The same, but with at most `n_tokens` shown of a file, if a number is given. The bundled model
    /// was trained for one number, and keeps it.
    pub fn showing(mut self, n_tokens: Option<usize>) -> Profile {
        if let (Profile::Instruct { shown_tokens, .. }, Some(n_tokens)) = (&mut self, n_tokens) {
            *shown_tokens = n_tokens;
        }
        self
    }

    /// Its name, as in the metadata key `slotwright.profile`.
    pub fn name(&self) -> &'static str {
        match self.wording() {
            None => "compact-4",
            Some(Wording::Trained) => ADAPTED,
            Some(_) => "instruct",
        }
    }

    /// `None` for the bundled model, which has no words.
    fn wording(&self) -> Option<Wording> {
        match self {
            Profile::Compact => None,
            Profile::Instruct { wording, .. } => Some(*wording),
        }
    }

    /// How long its prompts and answers are.
    pub fn budget(&self) -> Budget {
        match self {
            // A small model finds little in a long text, and the program's search finds it first.
            Profile::Compact => Budget {
                rows: 12,
                shown_tokens: 320,
                blocks: BlockSize::SMALL,
                line_tokens: compact::LINES.bytes,
                pick_tokens: 128,
                fill_tokens: 384,
            },
            Profile::Instruct { shown_tokens, .. } => Budget {
                rows: 12,
                shown_tokens: *shown_tokens,
                blocks: BlockSize::MEDIUM,
                line_tokens: 0,
                pick_tokens: 256,
                fill_tokens: 2_048,
            },
        }
    }

    /// The task as the model reads it: its sentence, with what was done before it, and the notes of its
    /// context if the model reads more than a sentence.
    pub fn told<'t>(&self, task: &'t Task) -> Cow<'t, str> {
        match self.wording() {
            None => Cow::Borrowed(task.sentence()),
            Some(Wording::Trained) => Cow::Owned(told::told(task, Reads::Forms)),
            Some(_) => Cow::Owned(told::told(task, Reads::Notes)),
        }
    }

    /// Stage 1: which file and which operation?
    pub fn pick(&self, question: &Question) -> Vec<Part> {
        match self {
            Profile::Compact => compact::pick(question.task, question.rows, question.file),
            Profile::Instruct {
                template, wording, ..
            } => asked(template, *wording, question),
        }
    }

    /// Stage 2: the slots of an operation on a file, after the answer `pick` to stage 1. A question
    /// that showed another file than the one picked is asked again with that file, and has the same
    /// answer.
    ///
    /// # Panics
    /// If the spec is one of stage 1.
    pub fn fill(&self, question: &Question, pick: &str, spec: &SlotSpec) -> Vec<Part> {
        let Profile::Instruct {
            template, wording, ..
        } = self
        else {
            let path = question.file.map_or("", |(path, _)| path);
            return compact::fill(question.task, path, spec);
        };
        if let SlotSpec::Rewrite { blocks, fence } = spec {
            let question = rewrite::question(question, blocks, fence);
            return template.conversation(rewrite::SYSTEM, &[], &question);
        }
        let next = instruct::second_question(question.task);
        template.continued(asked(template, *wording, question), pick, &next)
    }

    /// How many of the first parts of a prompt are the same in all of them, of both stages.
    pub fn fixed_parts(&self) -> usize {
        match self {
            Profile::Compact => 0,
            // All but the question and the markup before the answer.
            Profile::Instruct {
                template, wording, ..
            } => conversation(template, *wording, "").len() - 2,
        }
    }

    /// How many bytes of the part after the fixed ones are the same in every prompt that shows this
    /// file.
    pub fn file_bytes(&self, prompt: &[Part], question: &Question) -> usize {
        let text = prompt.get(self.fixed_parts());
        let (Profile::Instruct { .. }, Some(Part::Text(text))) = (self, text) else {
            return 0;
        };
        let Some((path, shown)) = question.file else {
            return 0;
        };
        let file = instruct::beginning(path, shown);
        text.find(&file).map_or(0, |at| at + file.len())
    }

    /// Whether the answer to stage 2 continues the answer to stage 1.
    pub fn continues_answers(&self) -> bool {
        matches!(self, Profile::Instruct { template, .. } if template.continues_answers())
    }

    /// Whether an answer may have several edits, the lines of one after those of the other.
    pub fn takes_several_edits(&self) -> bool {
        self.learned_to_fill() && self.continues_answers()
    }

    /// Whether the first question offers to rewrite a block. A model with an adapter has not learned to
    /// choose that.
    pub fn offers_rewrite(&self) -> bool {
        !self.learned_from_sentences()
    }

    /// Whether one of our adapters taught the model to fill slots, and nothing else.
    pub fn learned_to_fill(&self) -> bool {
        self.wording() == Some(Wording::Trained)
    }

    /// Whether the model learned from sentences alone. It has never seen the notes of a task.
    pub fn learned_from_sentences(&self) -> bool {
        matches!(self.wording(), None | Some(Wording::Trained))
    }

    /// Any question in words, after earlier turns. The bundled model has never seen one. Where models
    /// are compared it is asked without the turns, which it cannot learn from.
    pub fn words(&self, system: &str, past: &[Turn], question: &str) -> Vec<Part> {
        match self {
            Profile::Compact => compact::words(system, question),
            Profile::Instruct { template, .. } => template.conversation(system, past, question),
        }
    }
}

/// The conversation up to the answer, with the edits that the answer already has.
fn asked(template: &Template, wording: Wording, question: &Question) -> Vec<Part> {
    let conversation = conversation(template, wording, &instruct::question(question));
    template.after_lines(conversation, question.so_far)
}

fn conversation(template: &Template, wording: Wording, question: &str) -> Vec<Part> {
    let examples = examples::turns(template.continues_answers(), wording);
    template.conversation(&instruct::system(wording), &examples, question)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_much_is_shown_follows_from_what_computes_and_the_configuration() {
        for (profile, uses_gpu, configured, expected) in [
            (None, false, None, 1_500),
            (None, true, None, 6_000),
            (Some(ADAPTED), true, None, 6_000),
            (Some(MESSAGES), false, None, 1_500),
            (Some(MESSAGES), false, Some(4_000), 4_000),
            (None, true, Some(200), 200),
            (Some("compact-4"), true, Some(4_000), 320),
        ] {
            let model = ModelInfo {
                profile: profile.map(str::to_owned),
                uses_gpu,
                ..ModelInfo::default()
            };
            let profile = Profile::of(&model).unwrap().0.showing(configured);
            assert_eq!(profile.budget().shown_tokens, expected, "{model:?}");
        }
    }
}
