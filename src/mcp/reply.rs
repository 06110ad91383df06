//! Results as the protocol has them: a text and structured content.

use super::results::{PatchResult, WriteResult};
use super::{bounds, text};
use crate::app::report::Status;
use crate::failure::Failure;
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock};
use serde::Serialize;

/// The result of a call that may write.
#[derive(Debug)]
pub(super) enum Written {
    Edit(WriteResult),
    Patch(PatchResult),
}

impl From<Failure> for WriteResult {
    fn from(failure: Failure) -> WriteResult {
        WriteResult {
            status: text::status(&failure),
            error: Some(text::for_caller(failure)),
            ..WriteResult::default()
        }
    }
}

impl From<Written> for CallToolResponse {
    fn from(written: Written) -> CallToolResponse {
        match written {
            Written::Edit(result) => {
                let text = text::of_write(&result, "Wrote");
                tool_result(text, &result, result.error.is_some())
            }
            Written::Patch(result) => {
                let is_error =
                    matches!(result.report.status, Status::NotMade | Status::NotConfirmed);
                tool_result(text::of_patch(&result), &result, is_error)
            }
        }
    }
}

/// A result as the protocol has it, at a length that a model can read.
pub(super) fn tool_result(
    text: String,
    result: &impl Serialize,
    is_error: bool,
) -> CallToolResponse {
    let content = vec![ContentBlock::text(bounds::text(text))];
    let mut called = if is_error {
        CallToolResult::error(content)
    } else {
        CallToolResult::success(content)
    };
    called.structured_content = serde_json::to_value(result).ok().map(bounds::content);
    called.into()
}
