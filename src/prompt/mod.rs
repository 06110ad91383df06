//! What a model is asked, in the words that it was trained on.
//!
//! A [`Profile`] turns the two questions of [`crate::flow`] into prompts: `compact` for the bundled model,
//! `instruct` for any other through its own chat template. [`hints`] and [`relevance`] are the search that the
//! program does for the model beforehand: which files, and which lines of them.
//!
//! All text of files and tasks is a [`Part::Text`] and never becomes a control token, whatever it spells.

mod compact;
pub mod hints;
mod instruct;
mod line_weights;
pub mod relevance;
pub(crate) mod stems;
mod template;
pub mod thesaurus;

pub use template::{Template, TemplateError};

use crate::engine::favour::Favour;
use crate::engine::{ModelInfo, Part};
use crate::slots::Operation;
use crate::task::Task;
use crate::text::{BlockSize, Shown};
use std::borrow::Cow;

/// What [`ModelInfo::profile`] says of a model on a server, which has its own template: a prompt is messages, and a
/// [`Part::Control`] in it is the role of the message that follows, `system` or `user`.
pub const MESSAGES: &str = "messages";

/// A prompt format with what goes with it.
#[derive(Clone, Debug)]
pub enum Profile {
    /// `compact-4`, of the model that `models/recipe` trains.
    Compact,
    /// Words, through the model's chat template or as messages to a server.
    Instruct(Template),
}

/// What of a prompt and its answer may be how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Files listed in stage 1.
    pub rows: usize,
    /// Tokens of the text shown of a file, where the model's context has room for more.
    pub shown_tokens: usize,
    /// The blocks that a longer file is shown in.
    pub blocks: BlockSize,
    /// Tokens that lines named after the task may take: no token is less than a byte.
    pub line_tokens: usize,
    /// Tokens of stage 1's answer.
    pub pick_tokens: usize,
    /// Tokens of stage 2's answer.
    pub fill_tokens: usize,
}

/// A file as stage 1 lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Relative to the root.
    pub path: String,
    /// Words of the task that stand in the file.
    pub hints: Vec<String>,
}

/// A model that says it wants a prompt we do not know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the model wants the prompt profile {0:?}, which this version does not know")]
pub struct UnknownProfile(pub String);

impl Profile {
    /// The profile for a model, with a warning where its chat template cannot be used.
    pub fn of(model: &ModelInfo) -> Result<(Profile, Option<TemplateError>), UnknownProfile> {
        match model.profile.as_deref() {
            Some("compact-4") => Ok((Profile::Compact, None)),
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
        }
    }

    /// Whether stage 1 lists the files that the program's search takes the task to be about first: a small model
    /// learns that sooner than to find them. The others get them by path, so that a list stays the same from task to task.
    pub fn lists_best_first(&self) -> bool {
        matches!(self, Profile::Compact)
    }

    /// Whether it is asked where there is no file to choose: in an empty folder, or where a task opens with a file that is
    /// not there ("In new.py, …") and may be meant to be made. A small model is not: mostly the folder or the name is wrong.
    pub fn is_asked_without_files(&self) -> bool {
        matches!(self, Profile::Instruct(_))
    }

    /// How long its prompts and answers are.
    pub fn budget(&self) -> Budget {
        match self {
            // Small models are bad at finding something in a long text, and the program's search is good at it: so little
            // is shown.
            Profile::Compact => Budget {
                rows: 12,
                shown_tokens: 320,
                blocks: BlockSize::SMALL,
                line_tokens: compact::LINES.bytes,
                pick_tokens: 128,
                fill_tokens: 384,
            },
            Profile::Instruct(_) => Budget {
                rows: 200,
                shown_tokens: 12_000,
                blocks: BlockSize::LARGE,
                line_tokens: 0,
                pick_tokens: 256,
                fill_tokens: 2_048,
            },
        }
    }

    /// Tokens of a file that are shown where a small model was not sure of its answers and is asked all over again, if it is.
    pub fn closer_tokens(&self) -> Option<usize> {
        match self {
            Profile::Compact => Some(100),
            Profile::Instruct(_) => None,
        }
    }

    /// Whether stage 1 shows the file that the program's search takes the task to be about: a small model is bad at guessing
    /// what is in a file, and reads little anyway.
    pub fn shows_likely_file(&self) -> bool {
        matches!(self, Profile::Compact)
    }

    /// Stage 1: which file and which operation? `first` is the likely file, if [`Profile::shows_likely_file`].
    pub fn pick(&self, task: &str, rows: &[Row], first: Option<(&str, &Shown)>) -> Vec<Part> {
        match self {
            Profile::Compact => compact::pick(task, rows, first),
            Profile::Instruct(template) => template.prompt(instruct::SYSTEM, &instruct::pick(task, rows)),
        }
    }

    /// Whether the model knows that a block may be named by its beginning and its last line. Servers are not asked for it:
    /// nothing there would hold the end to a line of the file.
    pub fn names_blocks(&self) -> bool {
        match self {
            Profile::Compact => true,
            Profile::Instruct(template) => !template.is_messages(),
        }
    }

    /// Whether it reads more of a task than a sentence.
    pub fn reads_notes(&self) -> bool {
        matches!(self, Profile::Instruct(_))
    }

    /// A task in the words that the model is told: its sentence, and what else is known of it, if it reads that. Those that
    /// were trained on single sentences get nothing else.
    pub fn told<'t>(&self, task: &'t Task) -> Cow<'t, str> {
        match task.context().notes.as_str() {
            notes if self.reads_notes() && !notes.is_empty() => {
                Cow::Owned(format!("{}\n\n{}", task.sentence(), notes.trim_end()))
            }
            _ => Cow::Borrowed(task.sentence()),
        }
    }

    /// Lines that stage 2 is likely to copy, and how much likelier the model should take them to be: see
    /// [`crate::engine::favour`]. A large model needs no such help.
    pub fn favoured(&self, task: &str, operation: Operation, shown: &Shown) -> Vec<Favour> {
        match self {
            Profile::Compact => compact::favoured(task, operation, shown),
            Profile::Instruct(_) => Vec::new(),
        }
    }

    /// The file that stage 1 is likely to choose, likewise.
    pub fn favoured_files(&self, rows: &[Row]) -> Vec<Favour> {
        match self {
            Profile::Compact => compact::favoured_files(rows),
            Profile::Instruct(_) => Vec::new(),
        }
    }

    /// A question in any words. A small model that was trained for its own prompt has never seen one: it is asked all the
    /// same where models are compared.
    pub fn words(&self, system: &str, question: &str) -> Vec<Part> {
        match self {
            Profile::Compact => compact::words(system, question),
            Profile::Instruct(template) => template.prompt(system, question),
        }
    }

    /// How stage 1 begins for every task, where that is known: not for a list whose order depends on the task.
    pub fn pick_ahead(&self, rows: &[Row]) -> Option<Vec<Part>> {
        match self {
            Profile::Compact => None,
            Profile::Instruct(template) => Some(template.ahead(instruct::SYSTEM, &instruct::pick_ahead(rows))),
        }
    }

    /// How stage 2 begins for every task on a file that is shown like this.
    pub fn fill_ahead(&self, path: &str, shown: &Shown) -> Vec<Part> {
        match self {
            Profile::Compact => compact::fill_ahead(path, shown),
            Profile::Instruct(template) => template.ahead(instruct::SYSTEM, &instruct::fill_ahead(path, shown)),
        }
    }

    /// Stage 2: the slots of an operation on a file. For [`Operation::Create`] nothing is shown.
    pub fn fill(&self, task: &str, path: &str, operation: Operation, shown: &Shown) -> Vec<Part> {
        match self {
            Profile::Compact => compact::fill(task, path, operation, shown),
            Profile::Instruct(template) => {
                let question = instruct::fill(task, path, operation, shown, self.names_blocks());
                template.prompt(instruct::SYSTEM, &question)
            }
        }
    }
}
