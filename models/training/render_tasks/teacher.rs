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
}

/// A question and its answer.
pub struct Asked {
    pub prompt: Vec<Part>,
    pub answer: String,
}

/// See the module.
pub struct Teacher {
    vocabulary: Vocabulary,
    model: ModelInfo,
    lesson: Option<(Wanted, Option<Text>, Operation)>,
    asked: Vec<Asked>,
    /// Why the last question has no answer.
    refused: Option<String>,
}

impl Teacher {
    pub fn new(vocabulary: Vocabulary) -> Teacher {
        let model = vocabulary.info();
        Teacher { vocabulary, model, lesson: None, asked: Vec::new(), refused: None }
    }

    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The word of the last task's operation, as it is taught.
    pub fn operation(&self) -> &'static str {
        match &self.lesson {
            Some((Wanted { decline: None, .. }, _, operation)) => operation.word(),
            _ => NO_OPERATION,
        }
    }

    /// Prepares for a task on a file with this text.
    pub fn teach(&mut self, wanted: Wanted, before: Option<String>) -> Result<(), String> {
        self.asked.clear();
        self.refused = None;
        let before = before
            .map(|text| Text::decode(text.into_bytes()))
            .transpose()
            .map_err(|error| error.to_string())?;
        let operation = match (&wanted, &before) {
            (Wanted { decline: Some(_), .. }, _) => Operation::Replace,
            (Wanted { create: true, .. }, _) => Operation::Create,
            (Wanted { all: Some(_), .. }, _) => Operation::ReplaceAll,
            (Wanted { after: Some(after), .. }, Some(before)) => {
                canonical::operation(before.shown(), after)
            }
            _ => return Err("the task has no result".to_owned()),
        };
        self.lesson = Some((wanted, before, operation));
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
        let Spec::Slots(spec) = spec else { return Err("only slots are taught".to_owned()) };
        let text = self.answer(spec)?;
        let is_accepted = Constraint::new(spec).accepts(text.as_bytes());
        is_accepted.then_some(text).ok_or_else(|| "the constraint refuses the answer".to_owned())
    }

    fn answer(&self, spec: &SlotSpec) -> Result<String, String> {
        let (wanted, before, operation) = self.lesson.as_ref().ok_or("no task is being taught")?;
        let json = match spec {
            SlotSpec::Pick { files, goes_on, .. } => {
                let pick = match (wanted.decline, operation, &wanted.path) {
                    (Some(reason), ..) => {
                        Pick::None(NonePick { operation: NoneWord::None, reason })
                    }
                    (None, Operation::Create, _) => {
                        Pick::Create(CreatePick { operation: CreateWord::Create })
                    }
                    (None, &operation, Some(path))
                        if files.iter().any(|file| file.path == *path) =>
                    {
                        Pick::File(FilePick { path: path.clone(), operation })
                    }
                    _ => return Err("the file is not listed".to_owned()),
                };
                let is_name = |text: &String| ident::is_identifier(text);
                let is_rename = wanted.all.as_ref().is_some_and(|(old, _)| is_name(old));
                let mut json = serde_json::to_value(&pick);
                if let (Ok(json), true, None) = (&mut json, is_rename, wanted.decline) {
                    json["operation"] = "rename".into();
                }
                let end = if *goes_on && wanted.decline.is_none() { "\n" } else { "" };
                json.map(|json| json.to_string() + end)
            }
            SlotSpec::Where { .. } => return Err("only whole edits are taught".to_owned()),
            SlotSpec::Create { .. } => {
                let (path, text) =
                    wanted.path.clone().zip(wanted.after.clone()).ok_or("no file to make")?;
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
                        *position = if position == "before" { "above" } else { "below" }.into();
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
    canonical::slots(KnownEdit { task: &wanted.task, path, before, shown, after }, |_| true)
        .ok_or_else(|| "no slots make this edit".to_owned())
}

impl Engine for Teacher {
    fn model(&self) -> &ModelInfo {
        &self.model
    }

    async fn count_tokens(&mut self, texts: &[&str]) -> Result<Vec<usize>, EngineError> {
        Ok(texts.iter().map(|text| self.vocabulary.answer(text).len()).collect())
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
        self.asked.push(Asked { prompt: request.prompt.clone(), answer: text.clone() });
        Ok(Answer {
            text,
            end: End::Complete,
            stats: AnswerStats::default(),
            likelihood: Likelihood::default(),
        })
    }
}
