//! The connection: which message begins what.

use super::client::{Client, Connection, invalid};
use super::options;
use super::prompt::{Wish, text_of};
use super::session::{Busy, Session};
use super::stdio;
use super::stored::{Line, Records};
use super::turn::{PromptOptions, Turn};
use crate::app::editor::Editor;
use crate::app::folders;
use crate::serve::Handle;
use acp::schema::ProtocolVersion;
use acp::v1::Responder;
use acp::v1::schema::{
    AgentCapabilities, AuthMethod, AuthMethodTerminal, CancelNotification, CloseSessionRequest,
    CloseSessionResponse, DeleteSessionRequest, DeleteSessionResponse, FileSystemCapabilities,
    Implementation, InitializeRequest, InitializeResponse, ListSessionsRequest, LoadSessionRequest,
    NewSessionRequest, PromptCapabilities, PromptRequest, PromptResponse, ResumeSessionRequest,
    SessionAdditionalDirectoriesCapabilities, SessionCapabilities, SessionCloseCapabilities,
    SessionDeleteCapabilities, SessionId, SessionListCapabilities, SessionResumeCapabilities,
    SetSessionConfigOptionRequest, SetSessionConfigOptionResponse, SetSessionModeRequest,
    SetSessionModeResponse, StopReason,
};
use agent_client_protocol as acp;
use std::collections::HashMap;
use std::pin::pin;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard};

/// The agent of one editor.
#[derive(Clone)]
pub(super) struct AcpServer {
    pub(super) desk: Handle<Editor>,
    options: PromptOptions,
    pub(super) records: Records,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
pub(super) struct State {
    pub sessions: HashMap<SessionId, Session>,
    /// How many were begun.
    pub n_begun: usize,
    /// What the editor lets an agent do with its buffers.
    fs: FileSystemCapabilities,
}

impl AcpServer {
    pub fn new(desk: Handle<Editor>, options: PromptOptions) -> AcpServer {
        AcpServer {
            desk,
            options,
            records: Records::in_folder(folders::sessions()),
            state: Arc::default(),
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .expect("nothing panics while it holds the lock")
    }

    /// Serves until the editor goes away.
    pub async fn serve(self) -> acp::Result<()> {
        let [initialize, new, load, resume, list] = [(); 5].map(|()| self.clone());
        let [close, delete, set_option, set_mode, prompt, cancel] = [(); 6].map(|()| self.clone());
        acp::Agent
            .v1()
            .name("slotwright")
            .on_receive_request(
                async move |request: InitializeRequest, responder, _| {
                    responder.respond(initialize.initialize(request))
                },
                acp::on_receive_request!(),
            )
            // Opening a session may have to wait for a prompt, whose end must be heard meanwhile.
            .on_receive_request(
                async move |request: NewSessionRequest, responder, connection| {
                    let (server, client) = (new.clone(), connection.clone());
                    connection.spawn(async move { server.begin(request, responder, client).await })
                },
                acp::on_receive_request!(),
            )
            .on_receive_request(
                async move |request: LoadSessionRequest, responder, connection| {
                    let (server, client) = (load.clone(), connection.clone());
                    connection.spawn(async move { server.load(request, responder, client).await })
                },
                acp::on_receive_request!(),
            )
            .on_receive_request(
                async move |request: ResumeSessionRequest, responder, connection| {
                    let (server, client) = (resume.clone(), connection.clone());
                    connection.spawn(async move { server.resume(request, responder, client).await })
                },
                acp::on_receive_request!(),
            )
            .on_receive_request(
                async move |request: ListSessionsRequest, responder, _| {
                    responder.respond(list.list(request))
                },
                acp::on_receive_request!(),
            )
            .on_receive_request(
                async move |request: CloseSessionRequest, responder, _| {
                    let closed = close.close(&request.session_id);
                    responder.respond_with_result(closed.map(|()| CloseSessionResponse::new()))
                },
                acp::on_receive_request!(),
            )
            .on_receive_request(
                async move |request: DeleteSessionRequest, responder, _| {
                    let deleted = delete.delete(&request.session_id);
                    responder.respond_with_result(deleted.map(|()| DeleteSessionResponse::new()))
                },
                acp::on_receive_request!(),
            )
            .on_receive_request(
                async move |request: SetSessionConfigOptionRequest, responder, connection| {
                    set_option.set_option(&request, responder, &connection)
                },
                acp::on_receive_request!(),
            )
            .on_receive_request(
                async move |request: SetSessionModeRequest, responder, connection| {
                    set_mode.set_mode(&request, responder, &connection)
                },
                acp::on_receive_request!(),
            )
            .on_receive_request(
                async move |request: PromptRequest, responder, connection| {
                    prompt.prompt(request, responder, connection)
                },
                acp::on_receive_request!(),
            )
            .on_receive_notification(
                async move |cancelled: CancelNotification, _| {
                    if let Ok(session) = cancel.session(&cancelled.session_id) {
                        session.cancel();
                    }
                    Ok(())
                },
                acp::on_receive_notification!(),
            )
            .connect_to(stdio::transport())
            .await
    }

    fn initialize(&self, request: InitializeRequest) -> InitializeResponse {
        let client = request.client_capabilities;
        // There is nothing to log in to; what a person may lack is a model.
        let mut methods = Vec::new();
        if client.auth.terminal {
            let method = AuthMethodTerminal::new("fetch-model", "Fetch a model")
                .args(vec!["--fetch-model".to_owned()])
                .description("Asks which one, and shows its size before");
            methods.push(AuthMethod::Terminal(method));
        }
        self.state().fs = client.fs;
        let sessions = SessionCapabilities::new()
            .list(SessionListCapabilities::new())
            .resume(SessionResumeCapabilities::new())
            .close(SessionCloseCapabilities::new())
            .delete(SessionDeleteCapabilities::new())
            .additional_directories(SessionAdditionalDirectoriesCapabilities::new());
        let capabilities = AgentCapabilities::new()
            .load_session(true)
            .session_capabilities(sessions)
            .prompt_capabilities(PromptCapabilities::new().embedded_context(true));
        let program = Implementation::new("slotwright", env!("CARGO_PKG_VERSION"));
        InitializeResponse::new(ProtocolVersion::V1)
            .agent_capabilities(capabilities)
            .auth_methods(methods)
            .agent_info(program.title("slotwright".to_owned()))
    }

    pub(super) fn client(&self, session: &Session, to: &Connection, message: &str) -> Client {
        Client {
            connection: to.clone(),
            session: session.clone(),
            message: format!("{}-{message}", session.id.0),
            fs: self.state().fs.clone(),
        }
    }

    fn set_option(
        &self,
        request: &SetSessionConfigOptionRequest,
        responder: Responder<SetSessionConfigOptionResponse>,
        connection: &Connection,
    ) -> acp::Result<()> {
        let set = self.session(&request.session_id).and_then(|session| {
            let value = request.value.as_value_id();
            let value = value.ok_or_else(|| invalid("the value is the name of a choice"))?;
            options::set(&session, &request.config_id.0, &value.0).map_err(invalid)?;
            Ok(session)
        });
        let session = match set {
            Ok(session) => session,
            Err(error) => return responder.respond_with_error(error),
        };
        let options = options::all(&session);
        responder.respond(SetSessionConfigOptionResponse::new(options))?;
        self.client(&session, connection, "options").show_mode();
        Ok(())
    }

    fn set_mode(
        &self,
        request: &SetSessionModeRequest,
        responder: Responder<SetSessionModeResponse>,
        connection: &Connection,
    ) -> acp::Result<()> {
        let set = self.session(&request.session_id).and_then(|session| {
            options::set(&session, options::MODE, &request.mode_id.0).map_err(invalid)?;
            Ok(session)
        });
        match set {
            Ok(session) => {
                responder.respond(SetSessionModeResponse::new())?;
                self.client(&session, connection, "options").show_options();
                Ok(())
            }
            Err(error) => responder.respond_with_error(error),
        }
    }

    /// Begins a prompt. It goes on beside the messages that come meanwhile.
    fn prompt(
        &self,
        request: PromptRequest,
        responder: Responder<PromptResponse>,
        connection: Connection,
    ) -> acp::Result<()> {
        let session = match self.session(&request.session_id) {
            Ok(session) => session,
            Err(error) => return responder.respond_with_error(error),
        };
        let (n, cancelled) = match session.begin() {
            Ok(begun) => begun,
            Err(Busy) => {
                let message = "a prompt of this session is running: cancel it, or wait for it";
                return responder.respond_with_error(acp::Error::new(-32600, message));
            }
        };

        let wish = Wish::of(&request.prompt);
        session.record.add(&Line::Prompt(text_of(&request.prompt)));
        let id = format!("edit-{n}");
        let turn = Turn {
            desk: self.desk.clone(),
            client: self.client(&session, &connection, &id),
            root: wish.folder(&session),
            session,
            options: self.options,
            id,
            title: Mutex::default(),
            writes: AtomicBool::new(false),
        };
        connection.spawn(async move {
            let asked_to_stop = responder.cancellation();
            let mut run = pin!(turn.run(wish));
            let ended = tokio::select! {
                biased;
                Ok(()) = cancelled => None,
                () = asked_to_stop.cancelled() => None,
                stop = &mut run => Some(stop),
            };
            let stop = match ended {
                Some(stop) => stop,
                None => {
                    // A write that has begun is finished, and goes into the journal.
                    if turn.is_writing() {
                        run.await;
                    } else {
                        turn.cancelled();
                    }
                    StopReason::Cancelled
                }
            };
            responder.respond(PromptResponse::new(stop))
        })
    }
}
