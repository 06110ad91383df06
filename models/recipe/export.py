"""Writes a trained model as a GGUF file that llama.cpp and slotwright run: Q8_0, with the tokenizer in it.

    python export.py --run run --vocabulary vocabulary.gguf --out bundled.gguf
"""

from __future__ import annotations

import argparse
from pathlib import Path

import gguf
import numpy as np
import torch


def interleaved(weight: np.ndarray, heads: int) -> np.ndarray:
    """Rows of a projection whose heads are rotated in halves, as llama.cpp rotates them: in neighbours."""
    rows, columns = weight.shape
    halves = weight.reshape(heads, 2, rows // heads // 2, columns)
    return halves.swapaxes(1, 2).reshape(rows, columns)


def strings(reader: gguf.GGUFReader, key: str) -> list[str]:
    field = reader.fields[key]
    return [bytes(field.parts[i]).decode("utf-8") for i in field.data]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--vocabulary", type=Path, required=True)
    parser.add_argument("--state", default="model")
    parser.add_argument("--earlier", type=Path, help="a state that the run came through after an earlier fall: the weights are averaged, which reads sentences better that nobody made up (Izmailov and others, 2018)")
    parser.add_argument("--share", type=float, default=0.1, help="the part that the earlier state has")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    state = torch.load(arguments.run / f"{arguments.state}.pt", map_location="cpu")
    masters = state["optimizer"]["masters"]
    if arguments.earlier:
        earlier = torch.load(arguments.earlier, map_location="cpu")["optimizer"]["masters"]
        masters = {name: torch.lerp(weight.float(), earlier[name].float(), arguments.share) for name, weight in masters.items()}
    weights = {name: weight.float().numpy() for name, weight in masters.items()}
    shape = state["shape"]
    heads = shape["width"] // 64

    vocabulary = gguf.GGUFReader(arguments.vocabulary)
    writer = gguf.GGUFWriter(arguments.out, "llama")
    writer.add_name("slotwright bundled")
    writer.add_license("MIT OR Apache-2.0")
    writer.add_description(
        f"Edits files by filling slots; trained from scratch on {state['tokens'] / 1e6:.0f} million tokens of generated edit tasks "
        f"({state['answer_tokens'] / 1e6:.1f} million of them answers) in {state['minutes'] / 60:.1f} hours"
    )
    writer.add_string("slotwright.profile", "compact-4")
    writer.add_context_length(shape["context"])
    writer.add_embedding_length(shape["width"])
    writer.add_block_count(shape["layers"])
    writer.add_feed_forward_length(shape["feed_forward"])
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(64)
    writer.add_rope_freq_base(shape["rope_base"])
    writer.add_vocab_size(shape["vocabulary"])
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(strings(vocabulary, "tokenizer.ggml.tokens"))
    types = vocabulary.fields["tokenizer.ggml.token_type"]
    writer.add_token_types([int(types.parts[i][0]) for i in types.data])
    writer.add_token_merges(strings(vocabulary, "tokenizer.ggml.merges"))
    writer.add_eos_token_id(0)
    writer.add_add_bos_token(False)

    def add(name: str, weight: np.ndarray) -> None:
        if weight.ndim == 1:
            writer.add_tensor(name, weight)
        else:
            kind = gguf.GGMLQuantizationType.Q8_0
            writer.add_tensor(name, gguf.quants.quantize(np.ascontiguousarray(weight), kind), raw_dtype=kind)

    add("token_embd.weight", weights["embedding.weight"])
    add("output_norm.weight", weights["norm.weight"])
    for i in range(shape["layers"]):
        block = f"blocks.{i}."
        add(f"blk.{i}.attn_norm.weight", weights[block + "attn_norm.weight"])
        add(f"blk.{i}.ffn_norm.weight", weights[block + "ffn_norm.weight"])
        add(f"blk.{i}.attn_q.weight", interleaved(weights[block + "q.weight"], heads))
        add(f"blk.{i}.attn_k.weight", interleaved(weights[block + "k.weight"], heads))
        add(f"blk.{i}.attn_v.weight", weights[block + "v.weight"])
        add(f"blk.{i}.attn_output.weight", weights[block + "o.weight"])
        add(f"blk.{i}.ffn_gate.weight", weights[block + "gate.weight"])
        add(f"blk.{i}.ffn_up.weight", weights[block + "up.weight"])
        add(f"blk.{i}.ffn_down.weight", weights[block + "down.weight"])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    print(f"{arguments.out}: {arguments.out.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
