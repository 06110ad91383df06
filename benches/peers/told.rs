//! A model that is told what to say: what a right answer costs does not depend on whether the model
//! knows it.

use crate::canonical::{self, KnownEdit};
use slotwright::constrain::{Constraint, NoEdit, SlotSpec, Spec};
use slotwright::engine::process::ModelProcess;
use slotwright::engine::{Answer, Engine, EngineError, Given, ModelInfo, Part, Progress, Request};
use slotwright::eval::known_answer;
use slotwright::eval::task::EvalTask;
use slotwright::slots::{FilePick, NonePick, NoneWord, Pick, Reason, ReplaceAll, Slots};
use slotwright::text::Text;

/// One file that changes, in a task.
#[derive(Clone, Debug)]
pub struct ChangedFile {
    pub path: String,
    pub before: String,
    pub after: String,
    pub task: String,
}

impl ChangedFile {
    /// Of a task that changes one file which was there before.
    pub fn of(task: &EvalTask) -> Option<ChangedFile> {
        let accepted = task.accepted.first()?;
        let mut changed = accepted
            .iter()
            .filter(|(path, bytes)| task.before.get(*path) != Some(bytes));
        let (path, after) = changed
            .next()
            .filter(|_| accepted.len() == task.before.len())?;
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).ok();
        let (before, after) = (text(task.before.get(path)?)?, text(after)?);
        let task = task.wordings[0].clone();
        changed.next().is_none().then_some(ChangedFile {
            path: path.clone(),
            before,
            after,
            task,
        })
    }

    /// The answer that makes it, if one does.
    fn answer(&self, spec: &SlotSpec) -> Option<String> {
        let json = match spec {
            SlotSpec::GoesOn(spec) => return Some(self.answer(spec)? + "\n"),
            SlotSpec::Pick {
                no_edit: NoEdit::AsTheEnd,
                ..
            } => {
                let done = NonePick {
                    operation: NoneWord::None,
                    reason: Reason::AlreadyDone,
                };
                serde_json::to_string(&Pick::None(done))
            }
            SlotSpec::Pick { goes_on, .. } => {
                let operation = known_answer::operation(&self.before, &self.after);
                let pick = Pick::File(FilePick {
                    path: self.path.clone(),
                    operation,
                });
                let end = if *goes_on { "\n" } else { "" };
                serde_json::to_string(&pick).map(|json| json + end)
            }
            SlotSpec::Replace { shown, .. } | SlotSpec::Insert { shown, .. } => {
                let text = Text::decode(self.before.clone().into_bytes()).ok()?;
                let edit = KnownEdit {
                    task: &self.task,
                    path: &self.path,
                    before: &text,
                    shown,
                    after: &self.after,
                };
                let constraint = Constraint::new(spec);
                let is_taken = |slots: &Slots| {
                    in_order(slots, spec).is_ok_and(|json| constraint.accepts(json.as_bytes()))
                };
                in_order(&canonical::slots(edit, is_taken)?, spec)
            }
            SlotSpec::ReplaceAll { .. } => {
                let (old, new) = known_answer::rename(&self.before, &self.after)?;
                serde_json::to_string(&ReplaceAll { old, new })
            }
            SlotSpec::Rewrite { blocks, fence } => match blocks.as_slice() {
                [block] if block.text == self.before => Ok(fence.enclose(&self.after)),
                _ => return None,
            },
            SlotSpec::Create { .. } | SlotSpec::Where { .. } => return None,
        };
        json.ok()
            .filter(|answer| Constraint::new(spec).accepts(answer.as_bytes()))
    }
}

/// The slots as JSON, in the order in which the spec asks for them.
fn in_order(slots: &Slots, spec: &SlotSpec) -> serde_json::Result<String> {
    let values = serde_json::to_value(slots)?;
    let pairs = spec.fields().iter().filter_map(|field| {
        let key = field.slot.key();
        Some((key.to_owned(), values.get(key)?.clone()))
    });
    serde_json::to_string(&pairs.collect::<serde_json::Map<String, serde_json::Value>>())
}

/// See the module.
pub struct Told<'e> {
    pub engine: &'e mut ModelProcess,
    pub change: &'e ChangedFile,
    /// Whether only files that are shown whole will do.
    pub needs_whole: bool,
    /// Question and answer, in the order in which they were asked.
    pub asked: Vec<(Vec<Part>, String)>,
}

impl Engine for Told<'_> {
    fn model(&self) -> &ModelInfo {
        self.engine.model()
    }

    async fn count_tokens(&mut self, texts: &[&str]) -> Result<Vec<usize>, EngineError> {
        self.engine.count_tokens(texts).await
    }

    async fn complete(
        &mut self,
        request: &Request,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Answer, EngineError> {
        let no_answer = || EngineError::Process("no one answer makes this edit".to_owned());
        let Spec::Slots(spec) = &request.spec else {
            return Err(no_answer());
        };
        let is_whole = spec.shown().is_none_or(|shown| shown.windows.len() == 1);
        let answer = self
            .change
            .answer(spec)
            .filter(|_| is_whole || !self.needs_whole)
            .ok_or_else(no_answer)?;
        self.asked.push((request.prompt.clone(), answer.clone()));
        self.engine
            .complete(
                &Request {
                    given: Some(Given::Whole(answer)),
                    ..request.clone()
                },
                progress,
            )
            .await
    }
}
