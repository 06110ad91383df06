//! The instructions of x86-64 that llama.cpp was built with.
#![allow(unsafe_code)]

use llama_cpp_sys_2 as sys;

/// A set of instructions.
struct Instructions {
    name: &'static str,
    /// Whether llama.cpp was built with it.
    is_used: bool,
    /// Whether this processor has it.
    is_here: bool,
}

fn all() -> [Instructions; 9] {
    macro_rules! set {
        ($name:literal, $used:ident, $here:expr) => {
            // SAFETY: the function takes nothing, and returns a constant of the build.
            Instructions {
                name: $name,
                is_used: unsafe { sys::$used() } != 0,
                is_here: $here,
            }
        };
    }
    macro_rules! has {
        ($($flag:tt),+) => { $(is_x86_feature_detected!($flag))&&+ };
    }

    [
        set!("AVX2", ggml_cpu_has_avx2, has!("avx2")),
        set!("FMA", ggml_cpu_has_fma, has!("fma")),
        set!("F16C", ggml_cpu_has_f16c, has!("f16c")),
        set!("BMI2", ggml_cpu_has_bmi2, has!("bmi2")),
        set!("AVX-VNNI", ggml_cpu_has_avx_vnni, has!("avxvnni")),
        set!(
            "AVX-512",
            ggml_cpu_has_avx512,
            has!("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")
        ),
        set!("VBMI", ggml_cpu_has_avx512_vbmi, has!("avx512vbmi")),
        set!("VNNI", ggml_cpu_has_avx512_vnni, has!("avx512vnni")),
        set!("BF16", ggml_cpu_has_avx512_bf16, has!("avx512bf16")),
    ]
}

/// What llama.cpp uses and this processor lacks.
pub(super) fn missing() -> Vec<&'static str> {
    lacking(&all())
}

fn lacking(sets: &[Instructions]) -> Vec<&'static str> {
    sets.iter()
        .filter(|set| set.is_used && !set.is_here)
        .map(|set| set.name)
        .collect()
}

/// What llama.cpp uses: `AVX2 FMA F16C BMI2` in a default build.
pub(super) fn used() -> String {
    let used = all()
        .into_iter()
        .filter(|set| set.is_used)
        .map(|set| set.name);
    used.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_and_not_here_is_missing() {
        let set = |name, is_used, is_here| Instructions {
            name,
            is_used,
            is_here,
        };
        let sets = [
            set("a", true, true),
            set("b", true, false),
            set("c", false, false),
        ];
        assert_eq!(lacking(&sets), ["b"]);
        assert_eq!(
            missing(),
            <[&str; 0]>::default(),
            "no test with a model would run here"
        );
        // With `target-cpu` there may be fewer.
        let is_usual = cfg!(not(target_feature = "sse3"));
        assert!(
            !is_usual || used().starts_with("AVX2 FMA F16C BMI2"),
            "{}",
            used()
        );
    }
}
