//! The question to the person before a change is written, shown by the client. A client of 2025-11-25
//! is sent a request meanwhile; one of 2026-07-28 gets the question as the result of the call, and
//! calls again with the answer.

use crate::app::proposed::Proposed;
use crate::failure::{Failure, FailureKind};
use crate::review::gate;
use crate::text::visible;
use rmcp::RoleServer;
use rmcp::model::{
    CallToolResponse, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationSchema, InputRequest, InputRequiredResult, InputResponses,
    ProtocolVersion, ServerRequest,
};
use rmcp::service::RequestContext;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};

/// The name of the question among those that a result asks.
const NAME: &str = "write";

/// Whether the person is asked before something is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asking {
    /// The client shows them the question.
    Through,
    /// The client cannot, or they said yes beforehand.
    Nobody,
}

impl Asking {
    /// What the client of a call can do. One that names no kind of question knows forms.
    pub fn of_client(context: &RequestContext<RoleServer>) -> Asking {
        let capabilities = context.client_capabilities();
        match capabilities.and_then(|all| all.elicitation) {
            Some(kinds) if kinds.form.is_some() || kinds.url.is_none() => Asking::Through,
            _ => Asking::Nobody,
        }
    }
}

/// A question, and what tells its answer from those to others.
#[derive(Debug)]
pub(super) struct Question {
    /// Nobody can guess it. The change itself stays here, so that only what was shown can be written.
    pub state: String,
    message: String,
}

/// The longest question, in bytes. A person reads it, and not a model.
const MAX_QUESTION: usize = 60_000;

/// The longest description of a change, in characters. It is the caller's own text.
const MAX_DESCRIPTION: usize = 200;

impl Question {
    /// Asks whether this is written. All of it is shown: nobody may say yes to what they have not seen.
    ///
    /// # Errors
    /// If it is too long for a question.
    pub fn of(proposed: &Proposed) -> Result<Question, Failure> {
        let mut lines = vec![gate::question(&proposed.proposal())];
        if proposed.files.len() > 1 {
            lines.push(proposed.paths().join(", "));
        }
        for warning in &proposed.warnings {
            lines.push(format!("Look twice: {}", warning.message));
        }
        lines.extend(proposed.remarks.iter().cloned());
        lines.extend(proposed.files.iter().map(|file| file.diff.clone()));
        let description = proposed.description.chars().take(MAX_DESCRIPTION);
        lines.push(description.collect());

        // Line by line: nothing in a file can hide what else is in the question.
        let shown = lines.iter().flat_map(|text| text.lines()).map(visible);
        let message: String = shown.map(|line| line.into_owned() + "\n").collect();
        if message.len() > MAX_QUESTION {
            let message = format!(
                "the change is too long for a question ({} bytes); nothing was written",
                message.len()
            );
            let hint =
                "write it in parts, or tell the person: slotwright apply shows it at a terminal";
            return Err(Failure::new(FailureKind::TooLarge, message).hint(hint));
        }
        // The keys of a hasher are random.
        let half = || RandomState::new().hash_one(&message);
        Ok(Question {
            state: format!("{:016x}{:016x}", half(), half()),
            message,
        })
    }

    /// Has the client show it, if that takes no further call.
    ///
    /// # Errors
    /// The result that shows it otherwise.
    pub async fn ask(
        self,
        context: &RequestContext<RoleServer>,
    ) -> Result<(String, Answer), Box<CallToolResponse>> {
        let Question { state, message } = self;
        let form = ElicitRequestParams::FormElicitationParams {
            meta: None,
            message,
            requested_schema: ElicitationSchema::new(BTreeMap::new()),
        };
        let request = ElicitRequest::new(form);
        if context.protocol_version() >= Some(ProtocolVersion::V_2026_07_28) {
            let asked = BTreeMap::from([(NAME.to_owned(), InputRequest::Elicitation(request))]);
            let result = InputRequiredResult::new(Some(asked), Some(state));
            return Err(Box::new(result.into()));
        }

        let request = ServerRequest::ElicitRequest(request);
        let answer = match context.peer.send_request(request).await {
            Ok(ClientResult::ElicitResult(result)) => Answer::of(&result),
            Ok(_) => Answer::Unknown("it sent something else than an answer".to_owned()),
            Err(error) => Answer::Unknown(error.to_string()),
        };
        Ok((state, answer))
    }
}

/// What the person said.
#[derive(Debug)]
pub(super) enum Answer {
    Yes,
    No,
    /// They closed the question.
    Closed,
    /// The client does not say. Why.
    Unknown(String),
}

impl Answer {
    fn of(result: &ElicitResult) -> Answer {
        match result.action {
            ElicitationAction::Accept => Answer::Yes,
            ElicitationAction::Decline => Answer::No,
            _ => Answer::Closed,
        }
    }

    /// The answer that comes with a further call.
    pub fn in_call(responses: Option<InputResponses>) -> Answer {
        let response = responses.and_then(|mut all| all.remove(NAME));
        match response.map(serde_json::from_value) {
            Some(Ok(result)) => Answer::of(&result),
            Some(Err(error)) => Answer::Unknown(error.to_string()),
            None => Answer::Unknown(format!("there is no answer to {NAME:?}")),
        }
    }

    /// # Errors
    /// Unless it is yes.
    pub fn confirms(self) -> Result<(), Failure> {
        let message = match self {
            Answer::Yes => return Ok(()),
            Answer::No => "the person said no; nothing was written".to_owned(),
            Answer::Closed => {
                "the person closed the question without an answer; nothing was written".to_owned()
            }
            Answer::Unknown(why) => {
                let message =
                    format!("the client did not ask the person: {why}; nothing was written");
                return Err(Failure::new(FailureKind::Client, message));
            }
        };
        Err(Failure::new(FailureKind::NotConfirmed, message))
    }
}
