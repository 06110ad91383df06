//! Facts about a model that are known before it is asked.

use serde::{Deserialize, Serialize};

/// Facts about a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelInfo {
    /// The name in its metadata; may be empty.
    pub name: String,
    /// The longest context window it was trained for, in tokens: prompt and answer together.
    pub context_tokens: usize,
    /// The adapter that was loaded with it, by name.
    #[serde(default)]
    pub adapter: Option<String>,
    /// The metadata value `slotwright.profile`, of the adapter if that has one.
    pub profile: Option<String>,
    /// The metadata value `tokenizer.chat_template` (Jinja).
    pub chat_template: Option<String>,
    /// The text of the token that begins a prompt, for templates that write it.
    pub bos: String,
    /// The text of the token that ends an answer, for templates that write it.
    pub eos: String,
    /// What computes, in llama.cpp's words: `CPU`. On x86-64 also the instructions that it uses, as in
    /// `CPU (AVX2 FMA F16C BMI2)`, or in a portable build the variant, as in `CPU (haswell)`. For a
    /// server, its address.
    pub computes_on: String,
    /// Whether llama.cpp offloads the model to a GPU. `false` for a server, which does not say.
    #[serde(default)]
    pub uses_gpu: bool,
    /// Where it is, as a line for the person, if it is not on the processor.
    #[serde(default)]
    pub placement: Option<String>,
}

/// The [`ModelInfo::profile`] of a model on a server, which has its own chat template. A prompt is
/// then a list of messages. Each [`super::Part::Control`] is the role of the next message:
/// `system`, `user` or `assistant`.
pub const MESSAGES: &str = "messages";
