//! What a model says of its own edit. It is recorded, and never evidence.

use super::strategy::{Attempt, Made};
use super::tree::{Tree, difference};
use crate::constrain::Spec;
use crate::engine::{End, Engine, EngineError, Limits, Request};
use crate::prompt::Profile;
use serde::Deserialize;

/// What the model is asked afterwards.
const CLAIM: &str = concat!(
    "Was the task done, completely and without mistakes? Answer with JSON and nothing else: ",
    r#"{"done":true} or {"done":false}"#
);

/// Whether the model says that it succeeded; none if it says neither.
pub(super) async fn claim<E: Engine>(
    sentence: &str,
    before: &Tree,
    attempt: &Attempt,
    engine: &mut E,
    profile: &Profile,
) -> Result<Option<bool>, EngineError> {
    let done = match &attempt.made {
        Made::Edited(after) => format!("This change was made:\n{}", difference(before, after)),
        _ => "Nothing was changed.\n".to_owned(),
    };
    #[derive(Deserialize)]
    struct Claim {
        done: bool,
    }
    let schema = serde_json::json!({
        "type": "object",
        "properties": { "done": { "type": "boolean" } },
        "required": ["done"],
        "additionalProperties": false
    });
    let question = format!("Task: {sentence}\n\n{done}\n{CLAIM}");
    let request = Request::new(
        profile.words(
            "You say truthfully whether a task was done.",
            &[],
            &question,
        ),
        Spec::Schema(schema),
        Limits { answer_tokens: 32 },
    );
    match engine.complete(&request, &mut |_| ()).await {
        Ok(answer) if answer.end == End::Complete => {
            Ok(serde_json::from_str::<Claim>(&answer.text)
                .ok()
                .map(|claim| claim.done))
        }
        Ok(_) | Err(EngineError::PromptTooLong { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
