//! How a model is asked: the two questions of [`crate::flow`] as prompts.
//!
//! A [`Profile`] is a prompt format: `instruct` goes through a model's own chat template, `compact`
//! is what the bundled model was trained on. All text of files and tasks is a [`Part::Text`] and
//! never becomes a control token, whatever it spells.

pub mod budget;
mod compact;
mod examples;
mod instruct;
mod question;
mod rewrite;
mod template;

pub use budget::Budget;
pub use examples::{WorkedEdit, WorkedExample, worked_examples};
pub use instruct::Wording;
pub use question::{Question, Row};
pub use template::{Template, TemplateError, Turn};

use crate::constrain::SlotSpec;
use crate::engine::{MESSAGES, ModelInfo, Part};
use crate::task::Task;
use crate::text::{BlockSize, Shown};
use std::borrow::Cow;

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
        match self {
            Profile::Compact => "compact-4",
            Profile::Instruct {
                wording: Wording::Trained,
                ..
            } => ADAPTED,
            Profile::Instruct { .. } => "instruct",
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

    /// The task as the model is told it: its sentence, and the notes of its context if the model
    /// reads more than a sentence.
    pub fn told<'t>(&self, task: &'t Task) -> Cow<'t, str> {
        match (self, task.context().notes.trim_end()) {
            (Profile::Compact, _) | (_, "") => Cow::Borrowed(task.sentence()),
            (Profile::Instruct { .. }, notes) => {
                Cow::Owned(format!("{}\n\n{notes}", task.sentence()))
            }
        }
    }

    /// Stage 1: which file and which operation?
    pub fn pick(&self, question: &Question) -> Vec<Part> {
        let Question {
            task,
            rows,
            file,
            so_far,
        } = *question;
        match self {
            Profile::Compact => compact::pick(task, rows, file),
            Profile::Instruct {
                template, wording, ..
            } => template.after_lines(conversation(template, *wording, question), so_far),
        }
    }

    /// Stage 2: the slots of an operation on a file, after the answer `pick` to stage 1. A question
    /// that showed another file than the one picked is asked anew with that file, and has the same
    /// answer.
    ///
    /// # Panics
    /// If the spec is one of stage 1.
    pub fn fill(&self, question: &Question, pick: &str, spec: &SlotSpec) -> Vec<Part> {
        match self {
            Profile::Compact => compact::fill(
                question.task,
                question.file.map_or("", |(path, _)| path),
                spec,
            ),
            Profile::Instruct {
                template, wording, ..
            } => {
                if let SlotSpec::Rewrite { blocks, fence } = spec {
                    let question = rewrite::question(question, blocks, fence);
                    return template.conversation(rewrite::SYSTEM, &[], &question);
                }
                let next = instruct::second_question(question.task);
                let conversation = conversation(template, *wording, question);
                template.continued(
                    template.after_lines(conversation, question.so_far),
                    pick,
                    &next,
                )
            }
        }
    }

    /// How many of the first parts of a prompt are the same in all of them, of both stages.
    pub fn fixed_parts(&self) -> usize {
        match self {
            Profile::Compact => 0,
            // All but the last text, which is the question.
            Profile::Instruct {
                template, wording, ..
            } => fixed_beginning(template, *wording).len() - 1,
        }
    }

    /// Whether the answer to stage 2 continues the answer to stage 1.
    pub fn continues_answers(&self) -> bool {
        matches!(self, Profile::Instruct { template, .. } if template.continues_answers())
    }

    /// Whether an answer may have several edits, the lines of one after those of the other.
    pub fn takes_several_edits(&self) -> bool {
        matches!(self, Profile::Instruct { wording: Wording::Trained, template, .. }
            if template.continues_answers())
    }

    /// Whether the first question offers to write a block anew. A model with an adapter has not learned
    /// to choose it.
    pub fn offers_rewrite(&self) -> bool {
        matches!(self, Profile::Instruct { .. }) && !self.learned_to_fill()
    }

    /// Whether one of our adapters taught the model to fill slots, and nothing else.
    pub fn learned_to_fill(&self) -> bool {
        matches!(
            self,
            Profile::Instruct {
                wording: Wording::Trained,
                ..
            }
        )
    }

    /// Whether the model learned from sentences alone. It may be told more, and was never shown how
    /// that reads.
    pub fn learned_from_sentences(&self) -> bool {
        matches!(
            self,
            Profile::Compact
                | Profile::Instruct {
                    wording: Wording::Trained,
                    ..
                }
        )
    }

    /// Any question in words, after earlier turns. The bundled model has never seen one; it is asked
    /// all the same where models are compared, and without the turns, which it cannot learn from.
    pub fn words(&self, system: &str, past: &[Turn], question: &str) -> Vec<Part> {
        match self {
            Profile::Compact => compact::words(system, question),
            Profile::Instruct { template, .. } => template.conversation(system, past, question),
        }
    }
}

/// The user's message to a model that is asked one question in another format: as in our own
/// conversation, with `files` shown, the likeliest first.
pub fn question_on(task: &str, rows: &[Row], files: &[(&str, &Shown)]) -> String {
    instruct::question_on(task, rows, files)
}

fn conversation(template: &Template, wording: Wording, question: &Question) -> Vec<Part> {
    let examples = examples::turns(template.continues_answers(), wording);
    template.conversation(
        &instruct::system(wording),
        &examples,
        &instruct::question(question),
    )
}

/// Every conversation up to the question, which is empty here.
fn fixed_beginning(template: &Template, wording: Wording) -> Vec<Part> {
    let examples = examples::turns(template.continues_answers(), wording);
    template.up_to_answer(&instruct::system(wording), &examples, "")
}
