//! The editor's side of one session: what it is told, shown and asked.

use super::question::Question;
use crate::failure::{Failure, FailureKind};
use acp::v1::ConnectionTo;
use acp::v1::schema::{
    ContentBlock, ContentChunk, FileSystemCapabilities, PermissionOption, PermissionOptionKind,
    ReadTextFileRequest, RequestPermissionOutcome, RequestPermissionRequest, SessionId,
    SessionNotification, SessionUpdate, ToolCall, ToolCallStatus, ToolCallUpdate,
    ToolCallUpdateFields, ToolKind, WriteTextFileRequest,
};
use agent_client_protocol as acp;
use std::path::Path;

/// A session of an editor. A message to one that has gone away is lost: the connection's own end
/// comes right after.
#[derive(Clone)]
pub(super) struct Client {
    pub connection: ConnectionTo<acp::Client>,
    pub session: SessionId,
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

const ALLOW_ONCE: &str = "once";
const ALLOW_ALWAYS: &str = "always";
const REJECT: &str = "reject";

impl Client {
    /// Says something in the conversation.
    pub fn say(&self, text: &str) {
        let chunk = ContentChunk::new(ContentBlock::from(format!("{}\n", text.trim_end())));
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

    /// Shows that a piece of work has ended.
    pub fn end(&self, id: &str, status: ToolCallStatus) {
        self.change(id, ToolCallUpdateFields::new().status(status));
    }

    pub fn update(&self, update: SessionUpdate) {
        let _ = self
            .connection
            .send_notification(SessionNotification::new(self.session.clone(), update));
    }

    /// The text of a file as the editor has it, saved or not. None if it does not say.
    pub async fn read(&self, path: &Path) -> Option<String> {
        if !self.fs.read_text_file {
            return None;
        }
        let request = ReadTextFileRequest::new(self.session.clone(), path);
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
        let request = WriteTextFileRequest::new(self.session.clone(), path, text);
        let written = self.connection.send_request(request).block_task().await;
        written.map(|_| ()).map_err(|error| {
            let message = format!("the editor did not write {}: {error}", path.display());
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
            self.session.clone(),
            ToolCallUpdate::new(id.to_owned(), fields),
            options,
        );

        let answer = self
            .connection
            .send_request(request)
            .block_task()
            .await
            .map_err(|error| {
                let message = format!("the editor did not ask: {error}; nothing was written");
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
}
