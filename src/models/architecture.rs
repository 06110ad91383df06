//! Which architectures llama.cpp knows, and which of them write text one token at a time.

use super::unusable::Unusable;

/// The names that the llama.cpp of this build knows. A test compares them with its source.
const KNOWN: &str = include_str!("architectures.txt");

/// Fails unless llama.cpp knows the architecture.
pub(super) fn check_known(architecture: &str) -> Result<(), Unusable> {
    if KNOWN.lines().any(|known| known == architecture) {
        Ok(())
    } else {
        Err(Unusable::UnknownArchitecture(architecture.to_owned()))
    }
}

/// Fails unless a model writes text one token at a time. `is_causal` is the metadata
/// `attention.causal`, if there is one.
///
/// # Errors
/// Why it does not.
pub(super) fn check_writes(architecture: &str, is_causal: Option<bool>) -> Result<(), Unusable> {
    let name = architecture.to_owned();
    let embeds = architecture.contains("bert")
        || architecture.ends_with("-embed")
        || architecture.ends_with("-embedding");
    match architecture {
        "clip" => Err(Unusable::VisionProjector),
        "eagle3" | "dflash" | "gemma4-assistant" => Err(Unusable::DraftHead),
        "t5" => Err(Unusable::TwoHalves(name)),
        "dream" | "llada" | "llada-moe" | "rnd1" => Err(Unusable::Diffusion(name)),
        "wavtokenizer-dec" | "qwen3tts" | "pockettts" => Err(Unusable::Speech(name)),
        "t5encoder" => Err(Unusable::Embedding(name)),
        _ if embeds || is_causal == Some(false) => Err(Unusable::Embedding(name)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_that_write_are_told_from_others() {
        for architecture in [
            "llama",
            "qwen2",
            "gemma3",
            "mamba",
            "gpt-oss",
            "pangu-embedded",
        ] {
            check_known(architecture).unwrap();
            check_writes(architecture, None).unwrap();
        }
        for (architecture, kind) in [
            ("bert", "embedding"),
            ("nomic-bert-moe", "embedding"),
            ("gemma-embedding", "embedding"),
            ("t5", "encoder_decoder"),
            ("clip", "vision_projector"),
            ("eagle3", "draft_head"),
            ("gemma4-assistant", "draft_head"),
        ] {
            check_known(architecture).unwrap();
            assert_eq!(check_writes(architecture, None).unwrap_err().kind(), kind);
        }
        assert_eq!(
            check_writes("llama", Some(false)).unwrap_err().kind(),
            "embedding"
        );
        assert_eq!(
            check_known("mllama").unwrap_err().kind(),
            "unknown_architecture"
        );
    }
}
