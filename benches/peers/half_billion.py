"""Makes a GGUF file of the shape of Qwen2 0.5B with random weights.

    python half_billion.py OUT.gguf [VOCABULARY.gguf]

Speed does not depend on the values of the weights. The vocabulary is taken from a GGUF file that
has one; without it, one of the same size is made up.
"""

from __future__ import annotations

import sys

import numpy as np
from gguf import GGMLQuantizationType, GGUFReader, GGUFWriter, quants

LAYERS, WIDTH, HEADS, KEY_HEADS, FEED_FORWARD, CONTEXT = 24, 896, 14, 2, 4864, 8192
CHAT = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' "
    "+ message['content'] + '<|im_end|>' + '\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)


def vocabulary(path: str | None) -> tuple[list[bytes], list[int], list[str], str]:
    """Tokens, their types, merges, and how text is cut before it is merged."""
    if path is not None:
        fields = GGUFReader(path).fields
        texts = lambda key: [bytes(fields[key].parts[i]) for i in fields[key].data]
        types = [
            int(fields["tokenizer.ggml.token_type"].parts[i][0])
            for i in fields["tokenizer.ggml.token_type"].data
        ]
        return (
            texts("tokenizer.ggml.tokens"),
            types,
            [text.decode() for text in texts("tokenizer.ggml.merges")],
            "qwen2",
        )
    # Bytes as byte-level BPE spells them, then pairs of what is there already.
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters = [chr(byte) for byte in plain] + [chr(256 + i) for i in range(256 - len(plain))]
    tokens, merges, seen = list(letters), [], set(letters)
    for left in list(letters):
        for right in letters:
            if left + right not in seen:
                seen.add(left + right)
                tokens.append(left + right)
                merges.append(f"{left} {right}")
    for left in tokens[256:]:
        for right in "etaoinshrdlu":
            if len(tokens) < 151_640 and left + right not in seen:
                seen.add(left + right)
                tokens.append(left + right)
                merges.append(f"{left} {right}")
    types = [1] * len(tokens)
    for control in ("<|endoftext|>", "<|im_start|>", "<|im_end|>"):
        tokens.append(control)
        types.append(3)
    return [token.encode() for token in tokens], types, merges, "qwen2"


def main() -> None:
    out, given = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    tokens, types, merges, pre = vocabulary(given)
    random = np.random.default_rng(1)
    writer = GGUFWriter(out, "qwen2")
    writer.add_name("half a billion random weights")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FEED_FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KEY_HEADS)
    writer.add_rope_freq_base(1_000_000.0)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(pre)
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    writer.add_token_merges(merges)
    end = tokens.index(b"<|im_end|>") if b"<|im_end|>" in tokens else len(tokens) - 1
    writer.add_eos_token_id(end)
    writer.add_bos_token_id(end)
    writer.add_add_bos_token(False)
    writer.add_chat_template(CHAT)

    def matrix(name: str, rows: int, columns: int) -> None:
        weights = random.standard_normal((rows, columns), dtype=np.float32) * (columns**-0.5)
        writer.add_tensor(
            name,
            quants.quantize(weights, GGMLQuantizationType.Q8_0),
            raw_dtype=GGMLQuantizationType.Q8_0,
        )

    def vector(name: str, length: int, value: float) -> None:
        writer.add_tensor(name, np.full(length, value, dtype=np.float32))

    keys = WIDTH // HEADS * KEY_HEADS
    matrix("token_embd.weight", len(tokens), WIDTH)
    vector("output_norm.weight", WIDTH, 1.0)
    for layer in range(LAYERS):
        name = f"blk.{layer}."
        vector(name + "attn_norm.weight", WIDTH, 1.0)
        vector(name + "ffn_norm.weight", WIDTH, 1.0)
        for part, rows in (("q", WIDTH), ("k", keys), ("v", keys)):
            matrix(f"{name}attn_{part}.weight", rows, WIDTH)
            vector(f"{name}attn_{part}.bias", rows, 0.0)
        matrix(name + "attn_output.weight", WIDTH, WIDTH)
        matrix(name + "ffn_gate.weight", FEED_FORWARD, WIDTH)
        matrix(name + "ffn_up.weight", FEED_FORWARD, WIDTH)
        matrix(name + "ffn_down.weight", WIDTH, FEED_FORWARD)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()
