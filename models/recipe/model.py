"""The model: Llama's architecture, small, as llama.cpp runs it."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass(frozen=True)
class Shape:
    """Sizes. `width` is a multiple of 64: a head is 64 wide."""

    vocabulary: int = 5120
    width: int = 256
    layers: int = 8
    feed_forward: int = 704
    context: int = 2560
    rope_base: float = 10_000.0

    @property
    def heads(self) -> int:
        return self.width // 64

    def as_dict(self) -> dict:
        return asdict(self)


class Block(nn.Module):
    """Attention and a gated feed-forward layer, each behind a norm."""

    def __init__(self, shape: Shape):
        super().__init__()
        d, f = shape.width, shape.feed_forward
        linear = lambda n_in, n_out: nn.Linear(n_in, n_out, bias=False)
        self.heads = shape.heads
        self.attn_norm, self.ffn_norm = nn.RMSNorm(d, 1e-5), nn.RMSNorm(d, 1e-5)
        self.q, self.k, self.v, self.o = (linear(d, d) for _ in range(4))
        self.gate, self.up, self.down = linear(d, f), linear(d, f), linear(f, d)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, mask: Tensor) -> Tensor:
        """`x`: (batch, tokens, width). `cos`, `sin`: (batch, 1, tokens, 32). `mask`: (batch, 1, tokens, tokens), added."""
        batch, tokens, width = x.shape
        y = self.attn_norm(x)
        qkv = F.linear(y, torch.cat((self.q.weight, self.k.weight, self.v.weight)))
        q, k, v = qkv.view(batch, tokens, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)

        def rotated(u: Tensor) -> Tensor:
            # In halves; llama.cpp's Llama rotates neighbours, so the export interleaves the rows.
            a, b = u.chunk(2, -1)
            return torch.cat((a * cos - b * sin, a * sin + b * cos), -1)

        y = F.scaled_dot_product_attention(rotated(q), rotated(k), v, attn_mask=mask)
        x = x + self.o(y.transpose(1, 2).reshape(batch, tokens, width))
        gate, up = F.linear(self.ffn_norm(x), torch.cat((self.gate.weight, self.up.weight))).chunk(2, -1)
        return x + self.down(F.silu(gate) * up)


class Model(nn.Module):
    """Tokens to hidden states; the embedding is the output layer too."""

    def __init__(self, shape: Shape):
        super().__init__()
        self.shape = shape
        self.embedding = nn.Embedding(shape.vocabulary, shape.width)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.norm = nn.RMSNorm(shape.width, 1e-5)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, 0, 0.02)
        for block in self.blocks:
            nn.init.normal_(block.o.weight, 0, 0.02 / math.sqrt(2 * shape.layers))
            nn.init.normal_(block.down.weight, 0, 0.02 / math.sqrt(2 * shape.layers))

    def forward(self, tokens: Tensor, cos: Tensor, sin: Tensor, mask: Tensor) -> Tensor:
        """`tokens`: (batch, tokens). Gives (batch, tokens, width)."""
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x, cos, sin, mask)
        return self.norm(x)

    def logits(self, hidden: Tensor) -> Tensor:
        return F.linear(hidden, self.embedding.weight)


def rotations(shape: Shape, device: torch.device | str = "cpu") -> tuple[Tensor, Tensor]:
    """Cosines and sines by position: two of (context, 32), float32 (Su and others, 2021: RoFormer)."""
    inverse = 1.0 / shape.rope_base ** (torch.arange(0, 64, 2, device=device) / 64)
    angles = torch.outer(torch.arange(shape.context, device=device).float(), inverse)
    return angles.cos(), angles.sin()
