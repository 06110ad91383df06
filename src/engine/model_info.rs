//! What is known of a model before it is asked.

use serde::{Deserialize, Serialize};

/// What is known of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelInfo {
    /// From its metadata; may be empty.
    pub name: String,
    /// The longest context it was trained for, in tokens: prompt and answer together.
    pub context_tokens: usize,
    /// Its metadata `slotwright.profile`.
    pub profile: Option<String>,
    /// Its metadata `tokenizer.chat_template` (Jinja).
    pub chat_template: Option<String>,
    /// The spelling of its first token, for templates that write it.
    pub bos: String,
    /// The spelling of its last token, likewise.
    pub eos: String,
    /// What computes it, as llama.cpp calls it: `CPU`, and in a portable build which variant, `CPU
    /// (haswell)`; the address of a server.
    pub computes_on: String,
}

/// What [`ModelInfo::profile`] says of a model on a server, which has its own chat template. A
/// prompt is then a list of messages: a [`super::Part::Control`] is the role of the message that
/// follows, `system`, `user` or `assistant`.
pub const MESSAGES: &str = "messages";
