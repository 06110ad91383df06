//! Sessions: begun, found again, closed.

use super::client::{Connection, invalid};
use super::options;
use super::prompt::COMMANDS;
use super::server::AcpServer;
use super::session::Session;
use super::stored::{Line, Record};
use crate::app::editor::Editor;
use crate::app::model_options::ModelOptions;
use crate::failure::Failure;
use acp::v1::Responder;
use acp::v1::schema::{
    AvailableCommand, AvailableCommandInput, AvailableCommandsUpdate, ContentBlock, ContentChunk,
    ListSessionsRequest, ListSessionsResponse, LoadSessionRequest, LoadSessionResponse, MessageId,
    NewSessionRequest, NewSessionResponse, ResumeSessionRequest, ResumeSessionResponse, SessionId,
    SessionInfo, SessionUpdate, UnstructuredCommandInput,
};
use agent_client_protocol as acp;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// The folder of a session, and further ones.
type Folders = (PathBuf, Vec<PathBuf>);

impl AcpServer {
    /// Begins a session.
    pub(super) async fn begin(
        &self,
        request: NewSessionRequest,
        responder: Responder<NewSessionResponse>,
        connection: Connection,
    ) -> acp::Result<()> {
        let folders = (request.cwd, request.additional_directories);
        let (folders, models) = match self.opened(folders).await {
            Ok(opened) => opened,
            Err(error) => return responder.respond_with_error(error),
        };
        let id = self.new_id();
        let record = self.records.begin(&id, &folders);
        let session = self.keep(SessionId::new(id), (folders, models), record);

        let response = NewSessionResponse::new(session.id.clone())
            .config_options(options::all(&session))
            .modes(options::modes(&session));
        responder.respond(response)?;
        self.greet(&session, &connection);
        Ok(())
    }

    /// Goes on with a session that the editor shows anew.
    pub(super) async fn load(
        &self,
        request: LoadSessionRequest,
        responder: Responder<LoadSessionResponse>,
        connection: Connection,
    ) -> acp::Result<()> {
        let folders = (request.cwd, request.additional_directories);
        let (session, lines) = match self.earlier(request.session_id, folders).await {
            Ok(earlier) => earlier,
            Err(error) => return responder.respond_with_error(error),
        };
        self.replay(&session, lines, &connection);
        let response = LoadSessionResponse::new()
            .config_options(options::all(&session))
            .modes(options::modes(&session));
        responder.respond(response)?;
        self.greet(&session, &connection);
        Ok(())
    }

    /// Goes on with a session that the editor shows already.
    pub(super) async fn resume(
        &self,
        request: ResumeSessionRequest,
        responder: Responder<ResumeSessionResponse>,
        connection: Connection,
    ) -> acp::Result<()> {
        let folders = (request.cwd, request.additional_directories);
        let (session, _) = match self.earlier(request.session_id, folders).await {
            Ok(earlier) => earlier,
            Err(error) => return responder.respond_with_error(error),
        };
        let response = ResumeSessionResponse::new()
            .config_options(options::all(&session))
            .modes(options::modes(&session));
        responder.respond(response)?;
        self.greet(&session, &connection);
        Ok(())
    }

    /// The sessions that can be gone on with.
    pub(super) fn list(&self, request: ListSessionsRequest) -> ListSessionsResponse {
        let folder = request.cwd.map(|cwd| cwd.canonicalize().unwrap_or(cwd));
        let mut sessions = Vec::new();
        for summary in self.records.list(folder.as_deref()) {
            let mut folders = summary.folders.into_iter();
            let Some(cwd) = folders.next() else { continue };
            let session = SessionInfo::new(summary.id, cwd)
                .additional_directories(folders.collect::<Vec<_>>())
                .title(summary.title)
                .updated_at(summary.updated_at);
            sessions.push(session);
        }
        ListSessionsResponse::new(sessions)
    }

    /// Ends a session in memory. What is kept of it stays.
    pub(super) fn close(&self, id: &SessionId) -> acp::Result<()> {
        let session = self.state().sessions.remove(id);
        session.ok_or_else(|| no_session(id))?.cancel();
        Ok(())
    }

    /// Removes a session, and what is kept of it.
    pub(super) fn delete(&self, id: &SessionId) -> acp::Result<()> {
        let _ = self.close(id); // it may not be open
        let removed = self.records.remove(&id.0);
        removed.map_err(|error| acp::Error::internal_error().data(error.to_string()))
    }

    pub(super) fn session(&self, id: &SessionId) -> acp::Result<Session> {
        let session = self.state().sessions.get(id).cloned();
        session.ok_or_else(|| no_session(id))
    }

    /// A session of before, also of an agent that has ended, with what is kept of it.
    async fn earlier(&self, id: SessionId, folders: Folders) -> acp::Result<(Session, Vec<Line>)> {
        let Some((lines, record)) = self.records.open(&id.0) else {
            return Err(no_session(&id));
        };
        let opened = self.opened(folders).await?;
        let _ = self.close(&id); // a prompt may still run there
        record.add(&Line::Folders(opened.0.clone())); // they may be others now
        let session = self.keep(id, opened, record);
        session.restore(&lines);
        Ok((session, lines))
    }

    /// The folders without links, and the models to choose from.
    async fn opened(&self, (cwd, further): Folders) -> acp::Result<(Vec<PathBuf>, ModelOptions)> {
        let opened = self.desk.run(async move |editor: &mut Editor| {
            let mut folders = Vec::new();
            for folder in [cwd].iter().chain(&further) {
                let project = editor.open(folder)?;
                folders.push(project.workspace.root().to_path_buf());
            }
            Ok::<_, Failure>((folders, editor.models()))
        });
        match opened.await {
            Ok(opened) => opened.map_err(|failure| invalid(failure.message)),
            Err(error) => Err(acp::Error::internal_error().data(error.to_string())),
        }
    }

    /// A name that no other process gives.
    fn new_id(&self) -> String {
        let mut state = self.state();
        state.n_begun += 1;
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.unwrap_or_default().as_millis();
        format!("{now:x}-{:x}-{:x}", std::process::id(), state.n_begun)
    }

    fn keep(
        &self,
        id: SessionId,
        (folders, models): (Vec<PathBuf>, ModelOptions),
        record: Record,
    ) -> Session {
        let session = Session::new(id.clone(), folders, models, record);
        self.state().sessions.insert(id, session.clone());
        session
    }

    /// Tells the editor which commands there are.
    fn greet(&self, session: &Session, connection: &Connection) {
        let mut commands = Vec::new();
        for (name, description, hint) in COMMANDS {
            let input = hint.map(UnstructuredCommandInput::new);
            let input = input.map(AvailableCommandInput::Unstructured);
            commands.push(AvailableCommand::new(name, description).input(input));
        }
        let update = AvailableCommandsUpdate::new(commands);
        let client = self.client(session, connection, "commands");
        client.update(SessionUpdate::AvailableCommandsUpdate(update));
    }

    /// Shows a conversation once more: what was written and said.
    fn replay(&self, session: &Session, lines: Vec<Line>, connection: &Connection) {
        let mut n_prompts = 0;
        for line in lines {
            n_prompts += usize::from(matches!(line, Line::Prompt(_)));
            let id = format!("{}-edit-{n_prompts}", session.id.0);
            let update = match line {
                Line::Prompt(text) => {
                    SessionUpdate::UserMessageChunk(chunk(text, format!("{id}-prompt")))
                }
                Line::Said(text) => SessionUpdate::AgentMessageChunk(chunk(text, id)),
                Line::Folders(_) | Line::Model(_) | Line::Last(_) => continue,
            };
            self.client(session, connection, "load").update(update);
        }
    }
}

/// A piece of the message with this name.
fn chunk(text: String, message: String) -> ContentChunk {
    ContentChunk::new(ContentBlock::from(text)).message_id(MessageId::new(message))
}

fn no_session(id: &SessionId) -> acp::Error {
    invalid(format!("there is no session {}", id.0))
}
