//! llama.cpp's own quantizer.

use llama_cpp_sys_2 as llama;
use std::ffi::CString;
use std::path::Path;

/// 8 bits a weight, in blocks of 32.
pub const Q8_0: llama::llama_ftype = llama::LLAMA_FTYPE_MOSTLY_Q8_0;
/// 4 bits a weight, likewise.
pub const Q4_0: llama::llama_ftype = llama::LLAMA_FTYPE_MOSTLY_Q4_0;

/// Writes a model anew in another quantization.
#[expect(unsafe_code, reason = "the wrapper of llama.cpp does not have it")]
pub fn quantize(model: &Path, to: &Path, quantization: llama::llama_ftype) {
    let c_path = |path: &Path| CString::new(path.to_str().unwrap()).unwrap();
    let (model, to) = (c_path(model), c_path(to));
    // SAFETY: it only fills a structure.
    let mut settings = unsafe { llama::llama_model_quantize_default_params() };
    settings.ftype = quantization;
    settings.nthread = 2;
    settings.allow_requantize = true;
    // SAFETY: both paths end with a zero, and they and the settings live until it returns.
    let code =
        unsafe { llama::llama_model_quantize(model.as_ptr(), to.as_ptr(), &raw const settings) };
    assert_eq!(code, 0, "llama.cpp cannot quantize {model:?}");
}
