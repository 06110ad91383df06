//! The connection: which message begins what.

use super::client::Client;
use super::prompt::{COMMANDS, Wish};
use super::session::{Busy, Session};
use super::stdio;
use super::turn::{PromptOptions, Turn};
use crate::app::editor::Editor;
use crate::failure::Failure;
use crate::serve::Handle;
use acp::schema::ProtocolVersion;
use acp::v1::schema::{
    AgentCapabilities, AvailableCommand, AvailableCommandInput, AvailableCommandsUpdate,
    CancelNotification, FileSystemCapabilities, Implementation, InitializeRequest,
    InitializeResponse, NewSessionRequest, NewSessionResponse, PromptCapabilities, PromptRequest,
    PromptResponse, SessionId, SessionUpdate, StopReason, UnstructuredCommandInput,
};
use acp::v1::{ConnectionTo, Responder};
use agent_client_protocol as acp;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// The agent of one editor.
#[derive(Clone)]
pub(super) struct AcpServer {
    desk: Handle<Editor>,
    options: PromptOptions,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    sessions: HashMap<SessionId, Session>,
    /// What the editor lets an agent do with its buffers.
    fs: FileSystemCapabilities,
}

impl AcpServer {
    pub fn new(desk: Handle<Editor>, options: PromptOptions) -> AcpServer {
        AcpServer {
            desk,
            options,
            state: Arc::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state
            .lock()
            .expect("nothing panics while it holds the lock")
    }

    /// Serves until the editor goes away.
    pub async fn serve(self) -> acp::Result<()> {
        let [initialize, new, prompt, cancel] = [(); 4].map(|()| self.clone());
        acp::Agent
            .v1()
            .name("slotwright")
            .on_receive_request(
                async move |request: InitializeRequest, responder, _| {
                    responder.respond(initialize.initialize(request))
                },
                acp::on_receive_request!(),
            )
            .on_receive_request(
                async move |request: NewSessionRequest, responder, connection| {
                    // It may have to wait for a prompt, whose end must be heard meanwhile.
                    let (server, client) = (new.clone(), connection.clone());
                    connection
                        .spawn(async move { server.new_session(request, responder, client).await })
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
                    let session = cancel.state().sessions.get(&cancelled.session_id).cloned();
                    if let Some(session) = session {
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
        self.state().fs = request.client_capabilities.fs;
        InitializeResponse::new(ProtocolVersion::V1)
            .agent_capabilities(
                AgentCapabilities::new()
                    .prompt_capabilities(PromptCapabilities::new().embedded_context(true)),
            )
            .agent_info(Implementation::new("slotwright", env!("CARGO_PKG_VERSION")))
    }

    async fn new_session(
        &self,
        request: NewSessionRequest,
        responder: Responder<NewSessionResponse>,
        connection: ConnectionTo<acp::Client>,
    ) -> acp::Result<()> {
        let cwd = request.cwd;
        let opened = self.desk.run(async move |desk| {
            let project = desk.open(&cwd)?;
            Ok::<_, Failure>(project.workspace.root().to_path_buf())
        });
        let root = match opened.await {
            Ok(Ok(root)) => root,
            Ok(Err(failure)) => {
                let error = acp::Error::new(-32602, failure.message);
                return responder.respond_with_error(error);
            }
            Err(error) => return responder.respond_with_internal_error(error),
        };

        let id = {
            let mut state = self.state();
            let id = format!("{}-{}", std::process::id(), state.sessions.len() + 1);
            let id = SessionId::new(id);
            state.sessions.insert(id.clone(), Session::new(root));
            id
        };
        responder.respond(NewSessionResponse::new(id.clone()))?;

        let client = Client {
            connection,
            session: id,
            fs: FileSystemCapabilities::new(),
        };
        client.update(SessionUpdate::AvailableCommandsUpdate(
            AvailableCommandsUpdate::new(
                COMMANDS
                    .iter()
                    .map(|(name, description, hint)| {
                        let input = hint.map(UnstructuredCommandInput::new);
                        AvailableCommand::new(*name, *description)
                            .input(input.map(AvailableCommandInput::Unstructured))
                    })
                    .collect(),
            ),
        ));
        Ok(())
    }

    /// Begins a prompt. It goes on beside the messages that come meanwhile.
    fn prompt(
        &self,
        request: PromptRequest,
        responder: Responder<PromptResponse>,
        connection: ConnectionTo<acp::Client>,
    ) -> acp::Result<()> {
        let (session, fs) = {
            let state = self.state();
            (
                state.sessions.get(&request.session_id).cloned(),
                state.fs.clone(),
            )
        };
        let Some(session) = session else {
            let message = format!("there is no session {}", request.session_id.0);
            return responder.respond_with_error(acp::Error::new(-32602, message));
        };
        let (n, cancelled) = match session.begin() {
            Ok(begun) => begun,
            Err(Busy) => {
                let message = "a prompt of this session is running: cancel it, or wait for it";
                return responder.respond_with_error(acp::Error::new(-32600, message));
            }
        };

        let wish = Wish::of(&request.prompt);
        let client = Client {
            connection: connection.clone(),
            session: request.session_id,
            fs,
        };
        let (desk, options, id) = (self.desk.clone(), self.options, format!("edit-{n}"));
        let turn = Turn {
            desk,
            client,
            session,
            options,
            id,
        };
        connection.spawn(async move {
            let asked_to_stop = responder.cancellation();
            let stop = tokio::select! {
                biased;
                Ok(()) = cancelled => StopReason::Cancelled,
                () = asked_to_stop.cancelled() => StopReason::Cancelled,
                stop = turn.run(wish) => stop,
            };
            if stop == StopReason::Cancelled {
                turn.cancelled();
            }
            responder.respond(PromptResponse::new(stop))
        })
    }
}
