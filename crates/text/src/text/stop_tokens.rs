//! The tokens by which a model ends its answer, where they were written out as text.

/// The tokens that have no form of their own. All others are `<|name|>`.
const BARE: [&str; 6] = [
    "</s>",
    "<eos>",
    "<end_of_turn>",
    "<turn|>",
    "[/INST]",
    "[EOS]",
];

/// The text without the stop tokens and the whitespace at its end; the whole text if it has no such
/// token there.
pub fn without_stop_tokens(text: &str) -> &str {
    let mut rest = text;
    while let Some(before) = before_stop_token(rest.trim_end()) {
        rest = before;
    }
    if rest.len() < text.len() {
        rest.trim_end()
    } else {
        text
    }
}

/// The text before the stop token at its very end.
fn before_stop_token(text: &str) -> Option<&str> {
    if let Some(before) = BARE.iter().find_map(|token| text.strip_suffix(token)) {
        return Some(before);
    }
    // Some models write the bars and spaces of their tokens in other characters.
    let inner = text
        .strip_suffix("|>")
        .or_else(|| text.strip_suffix("｜>"))?;
    let start = inner.rfind("<|").max(inner.rfind("<｜"))?;
    let name = inner[start..].trim_start_matches(['<', '|', '｜']);
    let is_name = !name.is_empty()
        && name.len() <= 60
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '▁' | '-'));
    is_name.then(|| &text[..start])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tokens_at_the_end_go() {
        for (text, without) in [
            ("x = 1<|im_end|>", "x = 1"),
            ("x = 1\n<|im_end|>\n<|endoftext|>\n", "x = 1"),
            (">>>>>>> REPLACE</s>", ">>>>>>> REPLACE"),
            ("*** End Patch<｜end▁of▁sentence｜>", "*** End Patch"),
            ("```<|eot_id|>", "```"),
            ("<|im_end|> is a token", "<|im_end|> is a token"),
            ("a || b |>", "a || b |>"),
            ("x |> f <| y |>", "x |> f <| y |>"),
            ("x = 1 \n", "x = 1 \n"),
        ] {
            assert_eq!(without_stop_tokens(text), without, "{text:?}");
        }
    }
}
