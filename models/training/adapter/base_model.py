"""A Qwen2 model from a GGUF file, in PyTorch, with low-rank adapters (LoRA) on its linear layers.

The weights are dequantized to bfloat16 and stay as they are; only the adapters learn (Hu et al.,
2021: https://arxiv.org/abs/2106.09685). Written out here because it is short, and because the rows
of `lessons.py`, which are trees, need an attention of their own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import gguf
import torch
from lessons import Row, Stretch
from torch.nn import functional

# The linear layers of a block, by their names in a GGUF file.
LINEAR = ["attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"]


@dataclass(frozen=True)
class Shape:
    """Sizes of a model, from the GGUF metadata."""

    n_blocks: int
    width: int
    n_heads: int
    n_kv_heads: int
    rope_base: float
    epsilon: float

    @property
    def head_width(self) -> int:
        return self.width // self.n_heads


class Adapter(torch.nn.Module):
    """Adds `scale * (x A^T) B^T` to a linear layer's output. A: rank x in, B: out x rank."""

    def __init__(self, n_in: int, n_out: int, rank: int, alpha: float):
        super().__init__()
        self.scale = alpha / rank
        self.a = torch.nn.Parameter(torch.randn(rank, n_in) / math.sqrt(n_in))
        self.b = torch.nn.Parameter(torch.zeros(n_out, rank))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        low = functional.linear(x, self.a.to(x.dtype))
        return functional.linear(low, self.b.to(x.dtype)) * self.scale


class BaseModel(torch.nn.Module):
    """The model. Its only parameters are the adapters."""

    def __init__(self, path: Path, rank: int, alpha: float):
        super().__init__()
        reader = gguf.GGUFReader(path)

        def value(key: str):
            return reader.fields[key].contents()

        self.architecture = value("general.architecture")
        if self.architecture != "qwen2":
            raise SystemExit(f"{path}: only qwen2 is known here, not {self.architecture}")
        self.name = value("general.name")
        self.shape = Shape(
            n_blocks=value("qwen2.block_count"),
            width=value("qwen2.embedding_length"),
            n_heads=value("qwen2.attention.head_count"),
            n_kv_heads=value("qwen2.attention.head_count_kv"),
            rope_base=value("qwen2.rope.freq_base"),
            epsilon=value("qwen2.attention.layer_norm_rms_epsilon"),
        )
        self.weights: dict[str, torch.Tensor] = {}
        for tensor in reader.tensors:
            numbers = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
            # Norms and biases are small and stay exact.
            dtype = torch.bfloat16 if numbers.ndim > 1 else torch.float32
            self.weights[tensor.name] = torch.tensor(numbers, dtype=dtype)
        self.weights.setdefault("output.weight", self.weights["token_embd.weight"])
        self.adapters = torch.nn.ModuleDict()
        for block in range(self.shape.n_blocks):
            for name in LINEAR:
                n_out, n_in = self.weights[f"blk.{block}.{name}.weight"].shape
                self.adapters[f"{block}_{name}"] = Adapter(n_in, n_out, rank, alpha)

    def to_device(self, device: torch.device) -> BaseModel:
        self.weights = {name: tensor.to(device) for name, tensor in self.weights.items()}
        return self.to(device)

    def linear(self, block: int, name: str, x: torch.Tensor) -> torch.Tensor:
        weight = self.weights[f"blk.{block}.{name}.weight"]
        bias = self.weights.get(f"blk.{block}.{name}.bias")
        y = functional.linear(x, weight, None if bias is None else bias.to(x.dtype))
        return y + self.adapters[f"{block}_{name}"](x)

    def norm(self, name: str, x: torch.Tensor) -> torch.Tensor:
        weight = self.weights[f"{name}.weight"]
        return functional.rms_norm(x.float(), weight.shape, weight, self.shape.epsilon).to(x.dtype)

    def hidden(self, row: Row) -> torch.Tensor:
        """The last hidden states of a row's tokens, (T, width)."""
        shape = self.shape
        n_tokens = len(row.tokens)
        device = self.weights["token_embd.weight"].device
        cos, sin = rotation(torch.tensor(row.positions, device=device), shape)
        seen = [torch.tensor(stretch.seen, device=device) for stretch in row.stretches]
        masks = [mask(stretch, device) for stretch in row.stretches]
        x = self.weights["token_embd.weight"][torch.tensor(row.tokens, device=device)]
        for block in range(shape.n_blocks):
            h = self.norm(f"blk.{block}.attn_norm", x)

            def heads(name: str, n: int, h=h, block=block) -> torch.Tensor:
                y = self.linear(block, name, h)
                return y.view(n_tokens, n, shape.head_width).transpose(0, 1)

            q = rotated(heads("attn_q", shape.n_heads), cos, sin)
            k = rotated(heads("attn_k", shape.n_kv_heads), cos, sin)
            v = heads("attn_v", shape.n_kv_heads)
            # Each stretch by itself: most tokens of a row do not see each other.
            y = torch.cat(
                [
                    functional.scaled_dot_product_attention(
                        q[None, :, stretch.start : stretch.end],
                        k[None, :, indices],
                        v[None, :, indices],
                        attn_mask=visible,
                        is_causal=visible is None,
                        enable_gqa=True,
                    )
                    for stretch, indices, visible in zip(row.stretches, seen, masks)
                ],
                dim=2,
            )
            y = y[0].transpose(0, 1).reshape(n_tokens, shape.width)
            x = x + self.linear(block, "attn_output", y)
            h = self.norm(f"blk.{block}.ffn_norm", x)
            gate = functional.silu(self.linear(block, "ffn_gate", h))
            x = x + self.linear(block, "ffn_down", gate * self.linear(block, "ffn_up", h))
        return self.norm("output_norm", x)

    def logits(self, hidden: torch.Tensor) -> torch.Tensor:
        return functional.linear(hidden, self.weights["output.weight"]).float()


def mask(stretch: Stretch, device: torch.device) -> torch.Tensor | None:
    """Which of the tokens seen each token of a stretch sees: all but the later ones. None at the
    root, for which there is faster code."""
    n, n_seen = stretch.end - stretch.start, len(stretch.seen)
    if n == n_seen:
        return None
    every = torch.ones(n, n_seen, dtype=torch.bool, device=device)
    return every.tril(n_seen - n)


def rotation(positions: torch.Tensor, shape: Shape) -> tuple[torch.Tensor, torch.Tensor]:
    """Cosine and sine of the rotary embedding, (T, head width / 2) each."""
    half = torch.arange(0, shape.head_width, 2, device=positions.device) / shape.head_width
    angles = positions[:, None].float() * (shape.rope_base**-half)[None]
    return angles.cos(), angles.sin()


def rotated(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Rotates the two halves of each head against each other."""
    a, b = x.float().chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1).to(x.dtype)
