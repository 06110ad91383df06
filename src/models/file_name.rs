//! What the name of a model's file says: its quantization, its part, and whether it is a model.

use super::unusable::Unusable;
use std::path::Path;

const EXTENSION: &str = ".gguf";

/// The name without `.gguf` or `.GGUF`. `None` if it ends otherwise.
pub(crate) fn stem(name: &str) -> Option<&str> {
    let at = name.len().checked_sub(EXTENSION.len())?;
    let end = name.get(at..)?;
    (at > 0 && end.eq_ignore_ascii_case(EXTENSION)).then(|| &name[..at])
}

/// The name of a file at the end of a path, if it is text.
pub(crate) fn of(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()
}

/// One part of a model that is split: `NAME-00001-of-00003`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part<'n> {
    /// What all parts begin with.
    pub base: &'n str,
    /// From 1.
    pub number: u32,
    pub n_parts: u32,
}

/// The part that a stem names.
pub(crate) fn part(stem: &str) -> Option<Part<'_>> {
    let (rest, n_parts) = stem.rsplit_once("-of-")?;
    let (base, number) = rest.rsplit_once('-')?;
    let n_parts = five_digits(n_parts)?;
    let number = five_digits(number)?;
    (!base.is_empty() && (1..=n_parts).contains(&number)).then_some(Part {
        base,
        number,
        n_parts,
    })
}

fn five_digits(text: &str) -> Option<u32> {
    let is_number = text.len() == 5 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// The file name of a part.
pub(crate) fn part_name(base: &str, number: u32, n_parts: u32) -> String {
    format!("{base}-{number:05}-of-{n_parts:05}{EXTENSION}")
}

/// A stem without what says which part it is.
pub(crate) fn whole(stem: &str) -> &str {
    part(stem).map_or(stem, |part| part.base)
}

/// The quantization at the end of a stem, as in `Q4_K_M`.
pub(crate) fn quantization(stem: &str) -> Option<String> {
    let last = whole(stem).rsplit(['-', '.']).next()?.to_ascii_uppercase();
    let digits = last.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let prefix = &last[..last.len() - digits.len()];
    let is_known = ["Q", "IQ", "TQ", "BF", "FP", "F", "MXFP", "NVFP"].contains(&prefix);
    (is_known && digits.starts_with(|c: char| c.is_ascii_digit())).then_some(last)
}

/// What a file is instead of a model, if its name says so. These are the names that llama.cpp
/// passes over when it looks for a model in a repository.
pub(crate) fn no_model(name: &str) -> Option<Unusable> {
    let name = name.to_ascii_lowercase();
    let draft_heads = ["mtp-", "eagle3-", "dflash-"];
    if name.contains("mmproj") {
        Some(Unusable::VisionProjector)
    } else if name.contains("imatrix") {
        Some(Unusable::ImportanceMatrix)
    } else if draft_heads.iter().any(|head| name.starts_with(head)) {
        Some(Unusable::DraftHead)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_quantization_and_part() {
        for (stem, quantization_, part_) in [
            ("qwen2.5-coder-1.5b-instruct-q4_k_m", Some("Q4_K_M"), None),
            ("Model.Q8_0", Some("Q8_0"), None),
            (
                "big-UD-IQ2_XXS-00002-of-00003",
                Some("IQ2_XXS"),
                Some(("big-UD-IQ2_XXS", 2, 3)),
            ),
            ("m-BF16", Some("BF16"), None),
            ("gpt-oss-20b-mxfp4", Some("MXFP4"), None),
            ("qwen2.5-coder", None, None),
            ("falcon", None, None),
            ("m-00004-of-00003", None, None),
            ("m-1-of-3", None, None),
            ("-00001-of-00001", None, None),
        ] {
            assert_eq!(quantization(stem).as_deref(), quantization_, "{stem}");
            let found = part(stem).map(|part| (part.base, part.number, part.n_parts));
            assert_eq!(found, part_, "{stem}");
        }
        assert_eq!(part_name("m", 2, 12), "m-00002-of-00012.gguf");
        assert_eq!(stem("a.GGUF"), Some("a"));
        assert_eq!(
            (stem(".gguf"), stem("gguf"), stem("ä.gguX")),
            (None, None, None)
        );
    }

    #[test]
    fn files_beside_a_model_are_told_from_it() {
        for (name, kind) in [
            ("mmproj-model-f16.gguf", Some("vision_projector")),
            ("Qwen2-VL-mmproj.gguf", Some("vision_projector")),
            ("imatrix.gguf", Some("imatrix")),
            ("mtp-q8_0.gguf", Some("draft_head")),
            ("smtp-model.gguf", None),
        ] {
            assert_eq!(no_model(name).map(|reason| reason.kind()), kind, "{name}");
        }
    }
}
