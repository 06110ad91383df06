//! An engine that knows the answer.

use crate::canonical::{self, KnownEdit};
use crate::vocabulary::Vocabulary;
use serde::Deserialize;
use slotwright::constrain::{Constraint, SlotSpec, Spec};
use slotwright::engine::{
    Answer, AnswerStats, End, Engine, EngineError, Likelihood, ModelInfo, Part, Progress, Request,
};
use slotwright::slots::{
    Create, CreatePick, CreateWord, FilePick, NO_OPERATION, NonePick, NoneWord, Operation, Pick,
    Reason, Slots,
};
use slotwright::text::{Shown, Text, ident};
use std::collections::{BTreeMap, VecDeque};

/// What is asked for, and what should come of it.
#[derive(Clone, Deserialize)]
pub struct Wanted {
    pub task: String,
    #[serde(default)]
    pub family: String,
    /// The file to be edited or made.
    pub path: Option<String>,
    /// Its text afterwards.
    pub after: Option<String>,
    /// A text and what it becomes wherever it stands.
    pub all: Option<(String, String)>,
    #[serde(default)]
    pub create: bool,
    /// Why there is no edit.
    pub decline: Option<Reason>,
    /// Further edits, in their order.
    #[serde(default)]
    pub more: Vec<More>,
    /// What all edits together make of the files; empty if there is one.
    #[serde(default)]
    pub finals: BTreeMap<String, String>,
}

/// A further edit.
#[derive(Clone, Deserialize)]
pub struct More {
    pub path: String,
    /// The file's text if nothing but this edit is made.
    pub after: String,
}

/// A question and its answer.
pub struct Asked {
    pub prompt: Vec<Part>,
    pub answer: String,
    /// Whether it says that there is no further edit.
    pub is_end: bool,
}

/// See the module.
pub struct Teacher {
    vocabulary: Vocabulary,
    model: ModelInfo,
    /// The edits that are still to be made.
    lessons: VecDeque<(Wanted, Option<Text>, Operation)>,
    /// The word of the first one's operation.
    operation: &'static str,
    asked: Vec<Asked>,
    /// Why the last question has no answer.
    refused: Option<String>,
}

impl Teacher {
    pub fn new(vocabulary: Vocabulary) -> Teacher {
        let model = vocabulary.info();
        Teacher {
            vocabulary,
            model,
            lessons: VecDeque::new(),
            operation: NO_OPERATION,
            asked: Vec::new(),
            refused: None,
        }
    }

    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The word of the last task's first operation, as it is taught.
    pub fn operation(&self) -> &'static str {
        self.operation
    }

    /// Prepares for a task on these files.
    pub fn teach(
        &mut self,
        wanted: &Wanted,
        files: &BTreeMap<String, String>,
    ) -> Result<(), String> {
        self.asked.clear();
        self.lessons.clear();
        self.refused = None;
        let more = wanted.more.iter().map(|More { path, after }| Wanted {
            path: Some(path.clone()),
            after: Some(after.clone()),
            all: None,
            ..wanted.clone()
        });
        for wanted in std::iter::once(wanted.clone()).chain(more) {
            let before = wanted.path.as_ref().and_then(|path| files.get(path));
            let before = before
                .map(|text| Text::decode(text.clone().into_bytes()))
                .transpose()
                .map_err(|error| error.to_string())?;
            let operation = match (&wanted, &before) {
                (
                    Wanted {
                        decline: Some(_), ..
                    },
                    _,
                ) => Operation::Replace,
                (Wanted { create: true, .. }, _) => Operation::Create,
                (Wanted { all: Some(_), .. }, _) => Operation::ReplaceAll,
                (
                    Wanted {
                        after: Some(after), ..
                    },
                    Some(before),
                ) => canonical::operation(before.shown(), after),
                _ => return Err("the task has no result".to_owned()),
            };
            self.lessons.push_back((wanted, before, operation));
        }
        self.operation = match self.lessons.front() {
            Some((Wanted { decline: None, .. }, _, operation)) => operation.word(),
            _ => NO_OPERATION,
        };
        Ok(())
    }

    /// The questions of the last task with their answers, stage by stage.
    pub fn asked(&mut self) -> Vec<Asked> {
        std::mem::take(&mut self.asked)
    }

    /// Why a question of the last task has no answer.
    pub fn refused(&mut self) -> Option<String> {
        self.refused.take()
    }

    /// The answer, if the constraint accepts it; else why there is none.
    fn accepted(&self, spec: &Spec) -> Result<String, String> {
        let Spec::Slots(spec) = spec else {
            return Err("only slots are taught".to_owned());
        };
        let text = self.answer(spec)?;
        let is_accepted = Constraint::new(spec).accepts(text.as_bytes());
        is_accepted
            .then_some(text)
            .ok_or_else(|| "the constraint refuses the answer".to_owned())
    }

    fn answer(&self, spec: &SlotSpec) -> Result<String, String> {
        let Some((wanted, before, operation)) = self.lessons.front() else {
            let done = NonePick {
                operation: NoneWord::None,
                reason: Reason::AlreadyDone,
            };
            return serde_json::to_string(&Pick::None(done)).map_err(|error| error.to_string());
        };
        let json = match spec {
            SlotSpec::GoesOn(spec) => return Ok(self.answer(spec)? + "\n"),
            SlotSpec::Pick { files, goes_on, .. } => {
                let pick = match (wanted.decline, operation, &wanted.path) {
                    (Some(reason), ..) => Pick::None(NonePick {
                        operation: NoneWord::None,
                        reason,
                    }),
                    (None, Operation::Create, _) => Pick::Create(CreatePick {
                        operation: CreateWord::Create,
                    }),
                    (None, &operation, Some(path))
                        if files.iter().any(|file| file.path == *path) =>
                    {
                        Pick::File(FilePick {
                            path: path.clone(),
                            operation,
                        })
                    }
                    _ => return Err("the file is not listed".to_owned()),
                };
                let is_name = |text: &String| ident::is_identifier(text);
                let is_rename = wanted.all.as_ref().is_some_and(|(old, _)| is_name(old));
                let mut json = serde_json::to_value(&pick);
                if let (Ok(json), true, None) = (&mut json, is_rename, wanted.decline) {
                    json["operation"] = "rename".into();
                }
                let end = if *goes_on && wanted.decline.is_none() {
                    "\n"
                } else {
                    ""
                };
                json.map(|json| json.to_string() + end)
            }
            SlotSpec::Where { .. } | SlotSpec::Rewrite { .. } => {
                return Err("only edits in slots are taught".to_owned());
            }
            SlotSpec::Create { .. } => {
                let (path, text) = wanted
                    .path
                    .clone()
                    .zip(wanted.after.clone())
                    .ok_or("no file to make")?;
                let text = text.strip_suffix('\n').unwrap_or(&text).to_owned();
                serde_json::to_string(&Slots::Create(Create { path, text }))
            }
            SlotSpec::Replace { shown, .. }
            | SlotSpec::ReplaceAll { shown }
            | SlotSpec::Insert { shown, .. } => {
                let before = before.as_ref().ok_or("no file to edit")?;
                serde_json::to_value(slots(wanted, before, shown)?).map(|mut json| {
                    // Instruct models write these words by themselves.
                    if let Some(position) = json.get_mut("position") {
                        *position = if position == "before" {
                            "above"
                        } else {
                            "below"
                        }
                        .into();
                    }
                    json.to_string()
                })
            }
        };
        json.map_err(|error| error.to_string())
    }
}

fn slots(wanted: &Wanted, before: &Text, shown: &Shown) -> Result<Slots, String> {
    if let Some((old, new)) = &wanted.all {
        return Ok(Slots::ReplaceAll(slotwright::slots::ReplaceAll {
            old: old.clone(),
            new: new.clone(),
        }));
    }
    let after = wanted.after.as_deref().ok_or("no result")?;
    let path = wanted.path.as_deref().unwrap_or_default();
    canonical::slots(
        KnownEdit {
            task: &wanted.task,
            path,
            before,
            shown,
            after,
        },
        |_| true,
    )
    .ok_or_else(|| "no slots make this edit".to_owned())
}

impl Engine for Teacher {
    fn model(&self) -> &ModelInfo {
        &self.model
    }

    async fn count_tokens(&mut self, texts: &[&str]) -> Result<Vec<usize>, EngineError> {
        Ok(texts
            .iter()
            .map(|text| self.vocabulary.answer(text).len())
            .collect())
    }

    async fn complete(
        &mut self,
        request: &Request,
        _: &mut dyn FnMut(Progress),
    ) -> Result<Answer, EngineError> {
        let text = self.accepted(&request.spec).map_err(|reason| {
            self.refused = Some(reason.clone());
            EngineError::Process(reason)
        })?;
        let is_end = self.lessons.is_empty();
        self.asked.push(Asked {
            prompt: request.prompt.clone(),
            answer: text.clone(),
            is_end,
        });
        if !matches!(request.spec, Spec::Slots(SlotSpec::Pick { .. })) {
            self.lessons.pop_front();
        }
        Ok(Answer {
            text,
            end: End::Complete,
            stats: AnswerStats::default(),
            likelihood: Likelihood::default(),
        })
    }
}
