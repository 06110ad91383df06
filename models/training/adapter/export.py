"""Writes a trained adapter as a GGUF file that llama.cpp reads beside its base model.

    python3 export.py FOLDER/adapter.pt Qwen2.5-Coder-0.5B-Instruct OUT.gguf

The first matrix of each pair is stored as Q8_0, the second, whose rows are too short for blocks of
32 numbers, as F16.
"""

from __future__ import annotations

import itertools
import sys

import gguf
import numpy as np
import torch
from base_model import LINEAR

# The prompts that the adapter was trained with: `src/prompt/mod.rs`.
PROFILE = "adapted-2"


def main() -> None:
    source, base, out = sys.argv[1:]
    kept = torch.load(source, map_location="cpu")
    writer = gguf.GGUFWriter(out, "qwen2")
    writer.add_type("adapter")
    writer.add_name(f"slotwright for {base}")
    writer.add_license("apache-2.0")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", kept["alpha"])
    writer.add_string("slotwright.profile", PROFILE)
    writer.add_string("slotwright.base", base)
    writer.add_uint64("slotwright.lessons", kept["counts"]["lessons"])
    for block in range(kept["n_blocks"]):
        for name in itertools.chain(*LINEAR):
            numbers = [kept["adapters"][f"adapters.{block}_{name}.{m}"].float() for m in "ab"]
            a, b = (tensor.numpy() for tensor in numbers)
            q8 = gguf.GGMLQuantizationType.Q8_0
            to = f"blk.{block}.{name}.weight"
            writer.add_tensor(f"{to}.lora_a", gguf.quants.quantize(a, q8), raw_dtype=q8)
            writer.add_tensor(f"{to}.lora_b", b.astype(np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    main()
