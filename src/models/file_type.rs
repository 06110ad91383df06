//! How the weights of a file are quantized: the metadata `general.file_type` as people write it.

/// By the number that llama.cpp gives them. Those that are gone are empty.
#[rustfmt::skip]
const NAMES: [&str; 42] = [
    "F32", "F16", "Q4_0", "Q4_1", "", "", "", "Q8_0", "Q5_0", "Q5_1",
    "Q2_K", "Q3_K_S", "Q3_K_M", "Q3_K_L", "Q4_K_S", "Q4_K_M", "Q5_K_S", "Q5_K_M", "Q6_K", "IQ2_XXS",
    "IQ2_XS", "Q2_K_S", "IQ3_XS", "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S", "IQ3_M", "IQ2_S", "IQ2_M",
    "IQ4_XS", "IQ1_M", "BF16", "", "", "", "TQ1_0", "TQ2_0", "MXFP4", "NVFP4",
    "Q1_0", "Q2_0",
];

/// The name of a file type. `None` for one that is gone or new.
pub(super) fn name(file_type: u64) -> Option<&'static str> {
    let name = NAMES.get(usize::try_from(file_type).ok()?)?;
    Some(*name).filter(|name| !name.is_empty())
}
