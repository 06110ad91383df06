//! How a model is asked: the two questions of [`crate::flow`] as prompts.
//!
//! A [`Profile`] is a prompt format: `instruct` goes through a model's own chat template, `adapted`
//! is the same without worked examples, for our adapters, and `compact` is what the bundled model
//! was trained on. All text of files and tasks is a [`Part::Text`] and never becomes a control
//! token, whatever it spells.

mod compact;
mod examples;
mod instruct;
mod question;
mod template;

pub use question::{Question, Row};
pub use template::{Template, TemplateError};

use crate::constrain::SlotSpec;
use crate::engine::{MESSAGES, ModelInfo, Part};
use crate::task::Task;
use crate::text::{BlockSize, Shown};
use std::borrow::Cow;
use template::Turn;

/// The [`ModelInfo::profile`] of a model with one of our adapters.
pub const ADAPTED: &str = "adapted-1";

/// A prompt format.
#[derive(Clone, Debug)]
pub enum Profile {
    /// `compact-4`, of the bundled model.
    Compact,
    /// Words, through the model's chat template or as messages to a server.
    Instruct(Template),
    /// `adapted-1`, of the adapters: the question as in `Instruct`, without worked examples.
    Adapted(Template),
}

/// How long the parts of a prompt and its answer may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Files listed in stage 1.
    pub rows: usize,
    /// Tokens of the text shown of a file, where the model's context has room for more.
    pub shown_tokens: usize,
    /// The blocks that a longer file is shown in.
    pub blocks: BlockSize,
    /// Tokens of the lines that are repeated after the task: no token is less than a byte.
    pub line_tokens: usize,
    /// Tokens of stage 1's answer.
    pub pick_tokens: usize,
    /// Tokens of stage 2's answer.
    pub fill_tokens: usize,
    /// Edits that one attempt of a repair may be made of. More than one only for a model that is
    /// told what it did before.
    pub repair_steps: usize,
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
                Ok((Profile::Adapted(template), warning))
            }
            Some(MESSAGES) => Ok((Profile::Instruct(Template::messages()), None)),
            Some("instruct") | None => {
                let (template, warning) = Template::of(model);
                Ok((Profile::Instruct(template), warning))
            }
            Some(other) => Err(UnknownProfile(other.to_owned())),
        }
    }

    /// Its name, as in the metadata key `slotwright.profile`.
    pub fn name(&self) -> &'static str {
        match self {
            Profile::Compact => "compact-4",
            Profile::Instruct(_) => "instruct",
            Profile::Adapted(_) => ADAPTED,
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
                repair_steps: 1,
            },
            Profile::Instruct(_) | Profile::Adapted(_) => Budget {
                rows: 12,
                shown_tokens: 1_500,
                blocks: BlockSize::MEDIUM,
                line_tokens: 0,
                pick_tokens: 256,
                fill_tokens: 2_048,
                repair_steps: 3,
            },
        }
    }

    /// The task as the model is told it: its sentence, and the notes of its context if the model
    /// reads more than a sentence.
    pub fn told<'t>(&self, task: &'t Task) -> Cow<'t, str> {
        match (self, task.context().notes.trim_end()) {
            (Profile::Compact, _) | (_, "") => Cow::Borrowed(task.sentence()),
            (_, notes) => Cow::Owned(format!("{}\n\n{notes}", task.sentence())),
        }
    }

    /// Stage 1: which file and which operation?
    pub fn pick(&self, question: &Question) -> Vec<Part> {
        let Question { task, rows, file } = *question;
        match self {
            Profile::Compact => compact::pick(task, rows, file),
            Profile::Instruct(template) | Profile::Adapted(template) => {
                let (system, examples) = self.opening(template);
                template.conversation(system, &examples, &instruct::question(question))
            }
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
            Profile::Compact => {
                compact::fill(question.task, question.file.map_or("", |(path, _)| path), spec)
            }
            Profile::Instruct(template) | Profile::Adapted(template) => {
                let next = instruct::second_question(question.task);
                template.continued(self.pick(question), pick, &next)
            }
        }
    }

    /// How many of the first parts of a prompt are the same in all of them, of both stages.
    pub fn fixed_parts(&self) -> usize {
        match self {
            Profile::Compact => 0,
            // All but the last text, which is the question.
            Profile::Instruct(_) | Profile::Adapted(_) => self.ahead().len() - 1,
        }
    }

    /// Whether the answer to stage 2 continues the answer to stage 1.
    pub fn continues_answers(&self) -> bool {
        match self {
            Profile::Compact => false,
            Profile::Instruct(template) | Profile::Adapted(template) => {
                template.continues_answers()
            }
        }
    }

    /// Any question in words. The bundled model has never seen one; it is asked all the same where
    /// models are compared.
    pub fn words(&self, system: &str, question: &str) -> Vec<Part> {
        match self {
            Profile::Compact => compact::words(system, question),
            Profile::Instruct(template) | Profile::Adapted(template) => {
                template.conversation(system, &[], question)
            }
        }
    }

    /// How every prompt of both stages begins. Empty if that depends on the task.
    pub fn ahead(&self) -> Vec<Part> {
        match self {
            Profile::Compact => Vec::new(),
            Profile::Instruct(template) | Profile::Adapted(template) => self.ahead_of(template, ""),
        }
    }

    /// How every prompt begins that shows a file like this.
    pub fn file_ahead(&self, path: &str, shown: &Shown) -> Vec<Part> {
        match self {
            Profile::Compact => compact::fill_ahead(path, shown),
            Profile::Instruct(template) | Profile::Adapted(template) => {
                self.ahead_of(template, &instruct::beginning(path, shown))
            }
        }
    }

    fn ahead_of(&self, template: &Template, beginning: &str) -> Vec<Part> {
        let (system, examples) = self.opening(template);
        template.ahead(system, &examples, beginning)
    }

    /// The system text and the worked examples.
    fn opening(&self, template: &Template) -> (&'static str, Vec<Turn>) {
        match self {
            Profile::Adapted(_) => (instruct::SHORT_SYSTEM, Vec::new()),
            _ => (instruct::SYSTEM, examples::turns(template.continues_answers())),
        }
    }
}
