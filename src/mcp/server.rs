//! The protocol's side of the tools.

use super::desk::McpDesk;
use super::tools::{EditParameters, EditResult, tools};
use super::{arguments, bounds, text};
use crate::app::report::Status;
use crate::engine::Progress;
use crate::failure::{Failure, FailureKind};
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

        let desk = &self.desk;
        match name {
            "edit" => self.edit(parsed(arguments)?, context).await,
            "write" => {
                let parameters = parsed(arguments)?;
                let result = desk.run(async move |desk| desk.write(parameters).await);
                let result = result.await?;
                let text = text::of_write(&result, "Wrote");
                Ok(tool_result(text, &result, result.error.is_some()))
            }
            "apply_patch" => {
                let parameters = parsed(arguments)?;
                let applied = desk.run(async move |desk| desk.apply_patch(parameters).await);
                let (report, lines) = applied.await?;
                let is_error = report.status == Status::NotMade;
                let text = text::of_patch(&report, &lines);
                Ok(tool_result(text, &report, is_error))
            }
            "undo" => {
                let parameters = parsed(arguments)?;
                let result = desk.run(async move |desk| desk.undo(parameters)).await?;
                let text = text::of_write(&result, "Took back in");
                Ok(tool_result(text, &result, result.error.is_some()))
            }
            "list_edits" => {
                let parameters = parsed(arguments)?;
                let result = desk.run(async move |desk| desk.list_edits(parameters));
                let result = result.await?;
                let text = text::of_list(&result);
                Ok(tool_result(text, &result, result.error.is_some()))
            }
            "find" => {
                let parameters = parsed(arguments)?;
                let result = desk.run(async move |desk| desk.find(parameters).await);
                let result = result.await?;
                let text = text::of_find(&result);
                Ok(tool_result(text, &result, result.error.is_some()))
            }
            _ => Err(Stop::UnknownTool),
        }
    }

    /// Makes an edit, and tells the client how far it has come.
    async fn edit(
        &self,
        parameters: EditParameters,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, Stop> {
        let (tell, told) = watch::channel(None);
        let work = self.desk.run(async move |desk| {
            desk.edit(parameters, &mut |step| {
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

        match called {
            Ok(result) => Ok(result),
            Err(Stop::UnknownTool) => {
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
                Ok(CallToolResult::error(vec![content]))
            }
            Err(Stop::Ended) => {
                let message = "the server has stopped working: start it again";
                Err(ErrorData::internal_error(message, None))
            }
        }
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
        let Some(Value::Object(mut params)) = request.params else {
            return Err(ErrorData::invalid_params("params must be an object", None));
        };
        let arguments = params.remove("arguments").unwrap_or_default();
        let arguments =
            arguments::object(arguments).map_err(|error| ErrorData::invalid_params(error, None))?;
        let Some(name) = params.get("name").and_then(Value::as_str) else {
            let message = "name must be a text: the name of the tool";
            return Err(ErrorData::invalid_params(message, None));
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
