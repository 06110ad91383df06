//! The editor's side of one session: what it is told, shown and asked.

use super::markdown::markdown;
use super::options;
use super::question::Question;
use super::session::Session;
use super::stored::Line;
use crate::failure::{Failure, FailureKind};
use acp::v1::ConnectionTo;
use acp::v1::schema::{
    ConfigOptionUpdate, ContentBlock, ContentChunk, CurrentModeUpdate, FileSystemCapabilities,
    MessageId, PermissionOption, PermissionOptionKind, ReadTextFileRequest,
    RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse,
    SessionNotification, SessionUpdate, ToolCall, ToolCallStatus, ToolCallUpdate,
    ToolCallUpdateFields, ToolKind, WriteTextFileRequest,
};
use agent_client_protocol as acp;
use std::path::Path;
use tokio::sync::oneshot;

pub(super) type Connection = ConnectionTo<acp::Client>;

/// A session of an editor. A message to one that has gone away is lost: the connection's own end
/// comes right after.
#[derive(Clone)]
pub(super) struct Client {
    pub connection: Connection,
    pub session: Session,
    /// Names the agent's message of this prompt. All that is said is a part of it.
    pub message: String,
    /// What it lets an agent do with its buffers.
    pub fs: FileSystemCapabilities,
}

/// The person's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Permission {
    Once,
    /// For all edits of this session without a warning.
    Always,
    Rejected,
    /// The prompt was cancelled meanwhile.
    Cancelled,
}

/// An error about what the editor sent.
pub(super) fn invalid(message: impl Into<String>) -> acp::Error {
    acp::Error::new(-32602, message)
}

const ALLOW_ONCE: &str = "once";
const ALLOW_ALWAYS: &str = "always";
const REJECT: &str = "reject";

impl Client {
    /// Says something in the conversation, as a paragraph of its own.
    pub fn say(&self, text: &str) {
        let text = markdown(text) + "\n";
        self.session.record.add(&Line::Said(text.clone()));
        let chunk = ContentChunk::new(ContentBlock::from(text));
        let chunk = chunk.message_id(MessageId::new(self.message.clone()));
        self.update(SessionUpdate::AgentMessageChunk(chunk));
    }

    /// Shows that a piece of work begins.
    pub fn begin(&self, id: &str, title: &str, kind: ToolKind) {
        let call = ToolCall::new(id.to_owned(), title)
            .kind(kind)
            .status(ToolCallStatus::InProgress);
        self.update(SessionUpdate::ToolCall(call));
    }

    /// Shows how a piece of work stands.
    pub fn change(&self, id: &str, fields: ToolCallUpdateFields) {
        let update = ToolCallUpdate::new(id.to_owned(), fields);
        self.update(SessionUpdate::ToolCallUpdate(update));
    }

    /// Shows all that is set in the session.
    pub fn show_options(&self) {
        let options = ConfigOptionUpdate::new(options::all(&self.session));
        self.update(SessionUpdate::ConfigOptionUpdate(options));
        self.show_mode();
    }

    /// The same for editors that know modes only.
    pub fn show_mode(&self) {
        let mode = CurrentModeUpdate::new(self.session.mode().id());
        self.update(SessionUpdate::CurrentModeUpdate(mode));
    }

    pub fn update(&self, update: SessionUpdate) {
        let notification = SessionNotification::new(self.session.id.clone(), update);
        let _ = self.connection.send_notification(notification);
    }

    /// The text of a file as the editor has it, saved or not. None if it does not say.
    pub async fn read(&self, path: &Path) -> Option<String> {
        if !self.fs.read_text_file {
            return None;
        }
        let request = ReadTextFileRequest::new(self.session.id.clone(), path);
        Some(
            self.connection
                .send_request(request)
                .block_task()
                .await
                .ok()?
                .content,
        )
    }

    /// Gives a file a new text in the editor.
    pub async fn write(&self, path: &Path, text: &str) -> Result<(), Failure> {
        let request = WriteTextFileRequest::new(self.session.id.clone(), path, text);
        let written = self.connection.send_request(request).block_task().await;
        written.map(|_| ()).map_err(|error| {
            let why = error.message;
            let message = format!("the editor did not write {}: {why}", path.display());
            Failure::new(FailureKind::Editor, message)
        })
    }

    /// Asks the person whether a file may be changed.
    pub async fn ask(&self, id: &str, question: Question) -> Result<Permission, Failure> {
        let Question { fields, yes } = question;
        let fields = fields.status(ToolCallStatus::Pending);
        let always = format!("{yes}, and in this session all edits without a warning");
        let no = "Leave the files as they are";
        let options = vec![
            PermissionOption::new(ALLOW_ONCE, yes, PermissionOptionKind::AllowOnce),
            PermissionOption::new(ALLOW_ALWAYS, always, PermissionOptionKind::AllowAlways),
            PermissionOption::new(REJECT, no, PermissionOptionKind::RejectOnce),
        ];
        let request = RequestPermissionRequest::new(
            self.session.id.clone(),
            ToolCallUpdate::new(id.to_owned(), fields),
            options,
        );
        let answer = self.answered(request).await.map_err(|error| {
            let why = error.message;
            let message = format!("the editor did not ask: {why}; nothing was written");
            Failure::new(FailureKind::NotConfirmed, message)
        })?;
        Ok(match answer.outcome {
            RequestPermissionOutcome::Cancelled => Permission::Cancelled,
            RequestPermissionOutcome::Selected(selected) => match &*selected.option_id.0 {
                ALLOW_ONCE => Permission::Once,
                ALLOW_ALWAYS => Permission::Always,
                _ => Permission::Rejected,
            },
            _ => Permission::Rejected,
        })
    }

    /// The editor's answer to a question. It is awaited even if the prompt is cancelled meanwhile: a
    /// question that is dropped sends the editor `$/cancel_request`, which many do not know.
    async fn answered(
        &self,
        request: RequestPermissionRequest,
    ) -> acp::Result<RequestPermissionResponse> {
        let (answer, answered) = oneshot::channel();
        let sent = self.connection.send_request(request);
        self.connection.spawn(async move {
            let _ = answer.send(sent.block_task().await); // nobody may wait for it any more
            Ok(())
        })?;
        answered.await.map_err(|_| acp::Error::internal_error())?
    }
}
