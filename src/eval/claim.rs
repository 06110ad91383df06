//! A model's own word on its edit. It is recorded, and never evidence.

use super::strategy::{Attempt, Made};
use super::tree::{Tree, difference};
use crate::constrain::Spec;
use crate::engine::{End, Engine, EngineError, Limits, Request};
use crate::prompt::Profile;
use serde::Deserialize;

/// The question after the edit.
const CLAIM: &str = concat!(
    "Was the task done, completely and without mistakes? Answer with JSON and nothing else: ",
    r#"{"done":true} or {"done":false}"#
);

#[derive(Deserialize)]
struct Claim {
    done: bool,
}

/// Whether the model says that it succeeded; `None` if it says neither.
pub(super) async fn claim<E: Engine>(
    sentence: &str,
    before: &Tree,
    attempt: &Attempt,
    engine: &mut E,
    profile: &Profile,
) -> Result<Option<bool>, EngineError> {
    let change = match &attempt.made {
        Made::Edited(after) => format!("This change was made:\n{}", difference(before, after)),
        _ => "Nothing was changed.\n".to_owned(),
    };
    let question = format!("Task: {sentence}\n\n{change}\n{CLAIM}");
    let system = "You say truthfully whether a task was done.";
    let schema = serde_json::json!({
        "type": "object",
        "properties": { "done": { "type": "boolean" } },
        "required": ["done"],
        "additionalProperties": false
    });

    let prompt = profile.words(system, &[], &question);
    let limits = Limits { answer_tokens: 32 };
    let request = Request::new(prompt, Spec::Schema(schema), limits);
    match engine.complete(&request, &mut |_| ()).await {
        Ok(answer) if answer.end == End::Complete => {
            let claim = serde_json::from_str::<Claim>(&answer.text);
            Ok(claim.ok().map(|claim| claim.done))
        }
        Ok(_) | Err(EngineError::PromptTooLong { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
