//! The protocol's side of the tools.

use super::desk::McpDesk;
use super::lookup::LookupDesk;
use super::question::{Answer, Asking};
use super::reply::tool_result;
use super::results::EditResult;
use super::tools::{listed_tools, tools};
use super::writing::Writing;
use super::{arguments, text};
use crate::engine::Progress;
use crate::failure::{Failure, FailureKind};
use crate::serve::{Ended, Handle};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, Implementation, JsonObject, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ServerCapabilities, ServerConfig, ServerResult, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::Path;
use tokio::sync::watch;

/// What a server may do.
#[derive(Clone, Copy, Debug)]
pub(super) struct ServerOptions {
    /// Whether the person is asked before something is written, where the client can do that.
    pub asks: bool,
    /// Whether the caller may name a check.
    pub allows_check: bool,
}

/// The server of one client.
pub(super) struct McpServer {
    desk: Handle<McpDesk>,
    lookup: Handle<LookupDesk>,
    options: ServerOptions,
    instructions: String,
    /// As they are called.
    tools: Vec<Tool>,
    /// As the caller is told of them.
    listed: Vec<Tool>,
}

impl McpServer {
    pub fn new(
        root: &Path,
        desk: Handle<McpDesk>,
        lookup: Handle<LookupDesk>,
        options: ServerOptions,
    ) -> McpServer {
        let instructions = format!(
            "Edits files in {} with a local model, and applies patches tolerantly. edit shows an \
             edit, amend changes it, and write writes it; apply_patch writes what you made yourself; \
             undo takes back what was written last; find says which files a sentence is about. Leave \
             out arguments that you do not need. Paths are relative to that folder.",
            root.display()
        );
        McpServer {
            desk,
            lookup,
            options,
            instructions,
            tools: tools(),
            listed: listed_tools(options.allows_check),
        }
    }

    async fn call(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, Stop> {
        let name = &*request.name;
        let tool = self
            .tools
            .iter()
            .find(|tool| tool.name == name)
            .ok_or(Stop::UnknownTool)?;
        let arguments = request.arguments.unwrap_or_default();
        let arguments =
            arguments::fitted(arguments, &tool.input_schema).map_err(Stop::Arguments)?;

        match (name, request.request_state) {
            ("write" | "apply_patch", Some(state)) => {
                let answer = Answer::in_call(request.input_responses);
                self.answered(state, answer).await
            }
            ("write", None) => {
                let parameters = parsed(arguments)?;
                let asking = self.asking(context);
                let writing = async move |desk: &mut McpDesk| desk.write(parameters, asking).await;
                self.finish(self.desk.run(writing).await?, context).await
            }
            ("apply_patch", None) => {
                let parameters = parsed(arguments)?;
                let asking = self.asking(context);
                let writing =
                    async move |desk: &mut McpDesk| desk.apply_patch(parameters, asking).await;
                self.finish(self.desk.run(writing).await?, context).await
            }
            ("edit", _) => {
                let parameters = parsed(arguments)?;
                let edit = async move |desk: &mut McpDesk, progress: &mut Tell| {
                    desk.edit(parameters, progress).await
                };
                self.edit(edit, context).await
            }
            ("amend", _) => {
                let parameters = parsed(arguments)?;
                let amend = async move |desk: &mut McpDesk, progress: &mut Tell| {
                    desk.amend(parameters, progress).await
                };
                self.edit(amend, context).await
            }
            ("undo", _) => {
                let parameters = parsed(arguments)?;
                let undone = self.desk.run(async move |desk| desk.undo(parameters).await);
                let result = undone.await?;
                let text = text::of_write(&result, "Took back in");
                Ok(tool_result(text, &result, result.error.is_some()))
            }
            ("list_edits", _) => {
                let parameters = parsed(arguments)?;
                let listed = self
                    .lookup
                    .run(async move |desk| desk.list_edits(parameters).await);
                let result = listed.await?;
                let text = text::of_list(&result);
                Ok(tool_result(text, &result, result.error.is_some()))
            }
            ("find", _) => {
                let parameters = parsed(arguments)?;
                let found = self
                    .lookup
                    .run(async move |desk| desk.find(parameters).await);
                let result = found.await?;
                let text = text::of_find(&result);
                Ok(tool_result(text, &result, result.error.is_some()))
            }
            _ => Err(Stop::UnknownTool),
        }
    }

    fn asking(&self, context: &RequestContext<RoleServer>) -> Asking {
        if self.options.asks {
            Asking::of_client(context)
        } else {
            Asking::Nobody
        }
    }

    /// Has the person asked, if that is what a call has come to.
    async fn finish(
        &self,
        writing: Writing,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, Stop> {
        match writing {
            Writing::Over(written) => Ok((*written).into()),
            Writing::Asks(question) => match question.ask(context).await {
                Ok((state, answer)) => self.answered(state, answer).await,
                Err(asking) => Ok(*asking),
            },
        }
    }

    async fn answered(&self, state: String, answer: Answer) -> Result<CallToolResponse, Stop> {
        let written = self
            .desk
            .run(async move |desk| desk.answered(&state, answer).await);
        Ok(written.await?.into())
    }

    /// Makes an edit, and tells the client how far it has come.
    async fn edit(
        &self,
        edit: impl AsyncFnOnce(&mut McpDesk, &mut Tell) -> EditResult + Send + 'static,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, Stop> {
        let (tell, told) = watch::channel(None);
        let work = self.desk.run(async move |desk| {
            edit(desk, &mut |step| {
                let _ = tell.send(Some(step)); // the client may not want to know
            })
            .await
        });
        let result = tokio::select! {
            result = work => result?,
            () = pass_on(told, context) => unreachable!("it never ends"),
        };
        let text = text::of_edit(&result);
        Ok(tool_result(text, &result, result.error.is_some()))
    }

    /// The result of a call, which may be an error that its caller should read.
    async fn result(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.clone();
        let called = tokio::select! {
            called = self.call(request, context) => called,
            () = context.ct.cancelled() => {
                return Err(ErrorData::internal_error("the call was cancelled", None));
            }
        };

        match called {
            Ok(result) => Ok(result),
            Err(Stop::UnknownTool) => {
                let name: String = name.chars().take(arguments::MAX_NAME).collect();
                let message = format!("there is no tool {name:?}");
                Err(ErrorData::invalid_params(message, None))
            }
            Err(Stop::Arguments(message)) => {
                let message = format!("the arguments do not fit the tool: {message}");
                let failure = Failure::new(FailureKind::Arguments, message);
                let result = EditResult {
                    error: Some(text::for_caller(failure)),
                    ..EditResult::default()
                };
                let content = ContentBlock::text(text::of_edit(&result));
                Ok(CallToolResult::error(vec![content]).into())
            }
            Err(Stop::Ended) => {
                let message = "the server has stopped working: start it again";
                Err(ErrorData::internal_error(message, None))
            }
        }
    }
}

/// Tells how far an edit has come.
type Tell<'a> = dyn FnMut(Progress) + 'a;

/// Why a call gives no result of its tool.
enum Stop {
    UnknownTool,
    /// The arguments do not fit the tool.
    Arguments(String),
    Ended,
}

impl From<Ended> for Stop {
    fn from(_: Ended) -> Stop {
        Stop::Ended
    }
}

fn parsed<P: DeserializeOwned>(arguments: JsonObject) -> Result<P, Stop> {
    serde_json::from_value(arguments.into()).map_err(|error| Stop::Arguments(error.to_string()))
}

/// Tells a client that wants to know how far an edit has come. Never ends.
async fn pass_on(
    mut told: watch::Receiver<Option<Progress>>,
    context: &RequestContext<RoleServer>,
) {
    if let Some(token) = context.meta.get_progress_token() {
        let mut n = 0.0;
        while told.changed().await.is_ok() {
            let Some(step) = told.borrow_and_update().clone() else {
                continue;
            };
            n += 1.0;
            let mut progress = ProgressNotificationParam::new(token.clone(), n);
            progress.message = Some(step.to_string());
            let _ = context.peer.notify_progress(progress).await; // it may have gone away
        }
    }
    std::future::pending::<()>().await;
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("slotwright", env!("CARGO_PKG_VERSION")))
            .with_instructions(self.instructions.clone())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.listed.clone()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    /// A call whose arguments are no object is none that the protocol knows.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method != "tools/call" {
            return Err(ErrorData::new(
                ErrorCode::METHOD_NOT_FOUND,
                request.method,
                None,
            ));
        }
        let Some(Value::Object(mut params)) = request.params else {
            return Err(ErrorData::invalid_params("params must be an object", None));
        };
        let arguments = params.remove("arguments").unwrap_or_default();
        let arguments =
            arguments::object(arguments).map_err(|error| ErrorData::invalid_params(error, None))?;
        params.insert("arguments".to_owned(), arguments.into());
        let request = serde_json::from_value(params.into())
            .map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;

        let result = ServerResult::from(self.result(request, &context).await?);
        serde_json::to_value(result)
            .map(CustomResult::new)
            .map_err(|error| {
                ErrorData::internal_error(format!("the result cannot be written: {error}"), None)
            })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.result(request, &context).await
    }
}
