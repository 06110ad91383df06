//! The protocol's side of the tools.

use super::desk::McpDesk;
use super::tools::{
    EditParameters, EditResult, FindParameters, ListEditsParameters, PatchParameters,
    UndoParameters, WriteParameters, tools,
};
use super::{arguments, bounds, text};
use crate::cli::report::{ErrorReport, Status};
use crate::engine::Progress;
use crate::serve::{Ended, Handle};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, Implementation, JsonObject, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::Path;
use tokio::sync::watch;

/// The server of one client.
pub(super) struct McpServer {
    desk: Handle<McpDesk>,
    instructions: String,
    tools: Vec<Tool>,
}

impl McpServer {
    pub fn new(root: &Path, desk: Handle<McpDesk>) -> McpServer {
        let instructions = format!(
            "Edits files in {} with a local model, and applies patches tolerantly. edit shows an \
             edit and write writes it; apply_patch writes what you made yourself; undo takes back \
             what was written last; find says which files a sentence is about. Paths are relative \
             to that folder.",
            root.display()
        );
        McpServer {
            desk,
            instructions,
            tools: tools(),
        }
    }

    async fn call(
        &self,
        name: &str,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, Stop> {
        let tool = self
            .tools
            .iter()
            .find(|tool| tool.name == name)
            .ok_or(Stop::UnknownTool)?;
        let arguments =
            arguments::fitted(arguments, &tool.input_schema).map_err(Stop::Arguments)?;
        Ok(match name {
            "edit" => {
                let parameters: EditParameters = parsed(arguments)?;
                let (tell, told) = watch::channel(None);
                let work = self.desk.run(async move |desk| {
                    let mut progress = |step| {
                        let _ = tell.send(Some(step)); // nobody may be listening
                    };
                    desk.edit(parameters, &mut progress).await
                });
                let mut result = tokio::select! {
                    result = work => result?,
                    () = pass_on(told, context) => unreachable!("it never ends"),
                };
                result.error = result.error.map(text::for_caller);
                let is_error = result.error.is_some();
                tool_result(text::of_edit(&result), &result, is_error)
            }
            "write" => {
                let parameters: WriteParameters = parsed(arguments)?;
                let work = self
                    .desk
                    .run(async move |desk| desk.write(parameters).await);
                let mut result = work.await?;
                result.error = result.error.map(text::for_caller);
                let is_error = result.error.is_some();
                tool_result(text::of_write(&result, "Wrote"), &result, is_error)
            }
            "apply_patch" => {
                let parameters: PatchParameters = parsed(arguments)?;
                let work = self
                    .desk
                    .run(async move |desk| desk.apply_patch(parameters).await);
                let (mut report, lines) = work.await?;
                report.error = report.error.map(text::for_caller);
                let is_error = report.status == Status::NotMade;
                tool_result(text::of_patch(&report, &lines), &report, is_error)
            }
            "undo" => {
                let parameters: UndoParameters = parsed(arguments)?;
                let mut result = self
                    .desk
                    .run(async move |desk| desk.undo(parameters))
                    .await?;
                result.error = result.error.map(text::for_caller);
                let is_error = result.error.is_some();
                tool_result(text::of_write(&result, "Took back in"), &result, is_error)
            }
            "list_edits" => {
                let parameters: ListEditsParameters = parsed(arguments)?;
                let work = self.desk.run(async move |desk| desk.list_edits(parameters));
                let mut result = work.await?;
                result.error = result.error.map(text::for_caller);
                let is_error = result.error.is_some();
                tool_result(text::of_list(&result), &result, is_error)
            }
            "find" => {
                let parameters: FindParameters = parsed(arguments)?;
                let mut result = self
                    .desk
                    .run(async move |desk| desk.find(parameters).await)
                    .await?;
                result.error = result.error.map(text::for_caller);
                let is_error = result.error.is_some();
                tool_result(text::of_find(&result), &result, is_error)
            }
            _ => return Err(Stop::UnknownTool),
        })
    }

    /// The result of a call, which may be an error that its caller should read.
    async fn result(
        &self,
        name: &str,
        arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let called = tokio::select! {
            called = self.call(name, arguments, context) => called,
            () = context.ct.cancelled() => {
                return Err(ErrorData::internal_error("the call was cancelled", None));
            }
        };
        called.or_else(|stop| match stop {
            Stop::UnknownTool => Err(ErrorData::invalid_params(
                format!("there is no tool {name:?}"),
                None,
            )),
            Stop::Arguments(message) => {
                let error = text::for_caller(ErrorReport {
                    kind: "arguments".to_owned(),
                    message: format!("the arguments do not fit the tool: {message}"),
                    hints: Vec::new(),
                });
                let result = EditResult {
                    error: Some(error),
                    ..EditResult::default()
                };
                Ok(CallToolResult::error(vec![ContentBlock::text(
                    text::of_edit(&result),
                )]))
            }
            Stop::Ended => {
                let message = "the server has stopped working: start it again";
                Err(ErrorData::internal_error(message, None))
            }
        })
    }
}

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

fn tool_result(text: String, result: &impl Serialize, is_error: bool) -> CallToolResult {
    let content = vec![ContentBlock::text(bounds::text(text))];
    let mut called = if is_error {
        CallToolResult::error(content)
    } else {
        CallToolResult::success(content)
    };
    called.structured_content = serde_json::to_value(result).ok().map(bounds::content);
    called
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
        Ok(ListToolsResult::with_all_items(self.tools.clone()))
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
        let invalid = |message: String| ErrorData::invalid_params(message, None);
        let Some(Value::Object(mut params)) = request.params else {
            return Err(invalid("params must be an object".to_owned()));
        };
        let arguments = params.remove("arguments").unwrap_or_default();
        let arguments = arguments::object(arguments).map_err(invalid)?;
        let Some(name) = params.get("name").and_then(Value::as_str) else {
            return Err(invalid(
                "name must be a text: the name of the tool".to_owned(),
            ));
        };
        let result = self.result(name, arguments, &context).await?;
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
        let arguments = request.arguments.unwrap_or_default();
        Ok(self
            .result(&request.name, arguments, &context)
            .await?
            .into())
    }
}
