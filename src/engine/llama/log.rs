//! llama.cpp's log. Its errors are kept for our error messages; the log is shown only if the person
//! asks.
#![allow(unsafe_code)]

use std::collections::VecDeque;
use std::ffi::{CStr, c_char, c_void};
use std::sync::Mutex;

static LAST: Mutex<VecDeque<String>> = Mutex::new(VecDeque::new());
const KEPT_LINES: usize = 8;

/// Where the log goes. The last errors are always kept.
#[derive(Clone, Copy)]
pub enum LogTo {
    Nowhere,
    StandardError,
}

pub fn capture(to: LogTo) {
    let callback = match to {
        LogTo::Nowhere => keep,
        LogTo::StandardError => show,
    };
    // SAFETY: the callback is a plain function that lives as long as the program. It reads only the
    // text it is given, and only during the call.
    unsafe { llama_cpp_sys_2::llama_log_set(Some(callback), std::ptr::null_mut()) };
}

/// The last errors, or a note that there were none.
pub fn last_error() -> String {
    let lines = LAST
        .lock()
        .map(|lines| lines.iter().cloned().collect::<Vec<_>>())
        .unwrap_or_default();
    if lines.is_empty() {
        "llama.cpp gives no reason".to_owned()
    } else {
        lines.join("; ")
    }
}

unsafe extern "C" fn keep(
    level: llama_cpp_sys_2::ggml_log_level,
    text: *const c_char,
    _: *mut c_void,
) {
    if level != llama_cpp_sys_2::GGML_LOG_LEVEL_ERROR || text.is_null() {
        return;
    }
    // SAFETY: llama.cpp passes a NUL-terminated string that lives for the call.
    let text = unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .trim()
        .to_owned();
    if let Ok(mut lines) = LAST.lock()
        && !text.is_empty()
    {
        lines.push_back(text);
        while lines.len() > KEPT_LINES {
            lines.pop_front();
        }
    }
}

unsafe extern "C" fn show(
    level: llama_cpp_sys_2::ggml_log_level,
    text: *const c_char,
    data: *mut c_void,
) {
    if !text.is_null() {
        // SAFETY: as above.
        eprint!("{}", unsafe { CStr::from_ptr(text) }.to_string_lossy());
    }
    // SAFETY: these are the callback's own arguments.
    unsafe { keep(level, text, data) };
}
