//! The architectures that people run, as tiny models.
//!
//! Only what their metadata has stands here. llama.cpp itself says which tensors a model with such
//! metadata has, and in which shapes.

#![allow(unsafe_code)]

use llama_cpp_sys_2 as sys;
use std::ffi::{CStr, CString, c_char, c_void};
use std::path::Path;
use std::ptr;
use std::sync::Mutex;

const WIDTH: u32 = 32;
const FEED_FORWARD: u32 = 64;
const LAYERS: u32 = 4;
const HEADS: u32 = 2;

/// An architecture, and what its metadata has beside [`COMMON`].
#[derive(Debug)]
pub struct Architecture {
    /// As GGUF calls it.
    pub name: &'static str,
    keys: &'static [(&'static str, Value)],
}

/// A value of the metadata.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    Number(u32),
    /// One for each layer, or for each section.
    Numbers(&'static [u32]),
    Real(f32),
}

use Value::{Number, Numbers, Real};

const COMMON: &[(&str, Value)] = &[
    ("embedding_length", Number(WIDTH)),
    ("block_count", Number(LAYERS)),
    ("feed_forward_length", Number(FEED_FORWARD)),
    ("attention.head_count", Number(HEADS)),
    ("attention.head_count_kv", Number(1)),
    ("attention.layer_norm_epsilon", Real(1e-5)),
    ("attention.layer_norm_rms_epsilon", Real(1e-5)),
    ("rope.dimension_count", Number(WIDTH / HEADS)),
    ("rope.freq_base", Real(10_000.0)),
    // Recurrent layers: a short convolution, and a state for each of two heads.
    ("ssm.conv_kernel", Number(4)),
    ("ssm.state_size", Number(16)),
    ("ssm.group_count", Number(2)),
    ("ssm.time_step_rank", Number(2)),
];

/// Two experts in each layer, of which one computes.
const EXPERTS: &[(&str, Value)] = &[
    ("expert_count", Number(2)),
    ("expert_used_count", Number(1)),
    ("expert_feed_forward_length", Number(32)),
];

/// So short that every text is longer.
const WINDOW: (&str, Value) = ("attention.sliding_window", Number(64));
const WINDOWS: (&str, Value) = ("attention.sliding_window_pattern", Numbers(&[1, 1, 1, 0]));
const SECTIONS: (&str, Value) = ("rope.dimension_sections", Numbers(&[4, 4, 4, 4]));
const DELTA_NET: (&str, Value) = ("ssm.inner_size", Number(32));
const MAMBA: (&str, Value) = ("ssm.inner_size", Number(2 * WIDTH));
const EVERY_SECOND: (&str, Value) = ("full_attention_interval", Number(2));
/// A layer without keys is recurrent.
const KEYS_IN_HALF: (&str, Value) = ("attention.head_count_kv", Numbers(&[0, 1, 0, 1]));

/// In the order of the table in `docs/models.md`.
pub static ALL: [Architecture; 22] = [
    of("llama", &[]),
    of("qwen2", &[]),
    of("qwen3", &[]),
    of("smollm3", &[]),
    of("granite", &[("logit_scale", Real(1.0))]),
    of("mistral3", &[]),
    of("phi3", &[("attention.head_count_kv", Number(HEADS))]),
    of("gemma", &[("attention.head_count_kv", Number(HEADS))]),
    of("qwen3moe", &[]),
    of(
        "deepseek2",
        &[
            ("leading_dense_block_count", Number(1)),
            ("expert_shared_count", Number(1)),
            ("attention.q_lora_rank", Number(16)),
            ("attention.kv_lora_rank", Number(32)),
            ("attention.key_length", Number(32 + 8)),
            ("attention.value_length", Number(32)),
            ("attention.key_length_mla", Number(16 + 8)),
            ("attention.value_length_mla", Number(16)),
            ("rope.dimension_count", Number(8)),
        ],
    ),
    of("gemma3", &[WINDOW]),
    of(
        "gemma4",
        &[
            WINDOW,
            WINDOWS,
            ("embedding_length_per_layer_input", Number(16)),
            ("attention.shared_kv_layers", Number(0)),
            ("attention.key_length_swa", Number(16)),
            ("attention.value_length_swa", Number(16)),
            ("rope.dimension_count_swa", Number(16)),
        ],
    ),
    of("gpt-oss", &[WINDOW]),
    of("mellum", &[WINDOW, WINDOWS]),
    of("qwen35", &[SECTIONS, DELTA_NET, EVERY_SECOND]),
    of("qwen35moe", &[SECTIONS, DELTA_NET, EVERY_SECOND]),
    of("qwen3next", &[DELTA_NET, EVERY_SECOND]),
    of("lfm2", &[KEYS_IN_HALF, ("shortconv.l_cache", Number(3))]),
    of(
        "nemotron_h",
        &[
            MAMBA,
            ("attention.head_count_kv", Numbers(&[0, 1, 0, 0])),
            ("feed_forward_length", Numbers(&[0, 0, 64, 0])),
        ],
    ),
    of("granitehybrid", &[MAMBA, KEYS_IN_HALF]),
    of("falcon-h1", &[MAMBA]),
    of(
        "mamba2",
        &[
            MAMBA,
            ("attention.head_count", Number(0)),
            ("attention.head_count_kv", Number(0)),
        ],
    ),
];

const fn of(name: &'static str, keys: &'static [(&'static str, Value)]) -> Architecture {
    Architecture { name, keys }
}

/// The architecture of this name.
pub fn named(name: &str) -> &'static Architecture {
    let found = ALL.iter().find(|architecture| architecture.name == name);
    found.unwrap_or_else(|| panic!("the zoo has no {name}"))
}

impl Architecture {
    /// Its metadata, without the name before each key. A later value replaces an earlier one.
    pub fn keys(&self) -> impl Iterator<Item = (&'static str, Value)> {
        let has_experts = self.name.ends_with("moe")
            || ["deepseek2", "gpt-oss", "mellum", "qwen3next"].contains(&self.name);
        let experts = if has_experts { EXPERTS } else { &[] };
        COMMON.iter().chain(experts).chain(self.keys).copied()
    }
}

/// A portable build has none of llama.cpp's libraries loaded in this process.
#[cfg(feature = "portable")]
static LOADED: std::sync::Once = std::sync::Once::new();

/// The names and shapes of the tensors that a model with the metadata of this file has.
pub fn tensors(metadata: &Path) -> Vec<(String, Vec<usize>)> {
    let path = CString::new(metadata.to_str().unwrap()).unwrap();
    let params = sys::gguf_init_params {
        no_alloc: true,
        ctx: ptr::null_mut(),
    };
    let mut tensors: Vec<(String, Vec<usize>)> = Vec::new();
    // SAFETY: the path ends with a zero. The metadata lives until the model is made, and the callback
    // gets the list that it expects.
    unsafe {
        sys::llama_log_set(Some(note_error), ptr::null_mut());
        #[cfg(feature = "portable")]
        LOADED.call_once(|| {
            let library = Path::new(super::PROGRAM).with_file_name("libggml-cpu-x64.so");
            let library = CString::new(library.to_str().unwrap()).unwrap();
            sys::ggml_backend_load(library.as_ptr());
        });
        let metadata = sys::gguf_init_from_file(path.as_ptr(), params);
        let model = sys::llama_model_init_from_user(
            metadata,
            Some(note),
            (&raw mut tensors).cast::<c_void>(),
            sys::llama_model_default_params(),
        );
        let error = std::mem::take(&mut *ERROR.lock().unwrap());
        assert!(!model.is_null(), "{error}");
        sys::llama_model_free(model);
        sys::gguf_free(metadata);
    }
    // Factors of quantized weights, which these are not.
    tensors.retain(|(name, _)| !name.ends_with("scale"));
    tensors.sort();
    tensors.dedup();
    tensors
}

unsafe extern "C" fn note(tensor: *mut sys::ggml_tensor, list: *mut c_void) {
    // SAFETY: llama.cpp gives a tensor of its own, and the list of `tensors`.
    let (name, shape, list) = unsafe {
        (
            CStr::from_ptr(sys::ggml_get_name(tensor)),
            (*tensor).ne,
            &mut *list.cast::<Vec<(String, Vec<usize>)>>(),
        )
    };
    let n_dimensions = shape.iter().rposition(|&n| n > 1).unwrap_or(0) + 1;
    let shape = shape[..n_dimensions].iter().map(|&n| n as usize).collect();
    list.push((name.to_str().unwrap().to_owned(), shape));
}

/// What llama.cpp said last of an error.
static ERROR: Mutex<String> = Mutex::new(String::new());

unsafe extern "C" fn note_error(level: sys::ggml_log_level, text: *const c_char, _: *mut c_void) {
    if level == sys::GGML_LOG_LEVEL_ERROR {
        // SAFETY: llama.cpp gives a text that ends with a zero.
        let text = unsafe { CStr::from_ptr(text) }.to_string_lossy();
        ERROR.lock().unwrap().push_str(&text);
    }
}
