"""A Qwen2 model from a GGUF file, in PyTorch, with low-rank adapters (LoRA) on its linear layers.

The weights are dequantized to bfloat16 and stay as they are; only the adapters learn (Hu et al.,
2021: https://arxiv.org/abs/2106.09685). Written out here because it is short, and because the rows
of `lessons.py`, which are trees, need an attention of their own.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import gguf
import numpy as np
import torch
from lessons import Row
from torch.nn import functional
from torch.nn.attention.flex_attention import BlockMask, create_block_mask, flex_attention

# The linear layers of a block, by their names in a GGUF file. Those of one line read the same input
# and are computed as one.
LINEAR = [["attn_q", "attn_k", "attn_v"], ["attn_output"], ["ffn_gate", "ffn_up"], ["ffn_down"]]
# What goes into this layer has a few very large numbers, which eight bits would drown the rest in.
PRECISE_INPUT = "ffn_down"


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

    def __init__(self, n_in: int, n_out: int, rank: int):
        super().__init__()
        self.a = torch.nn.Parameter(torch.randn(rank, n_in) / math.sqrt(n_in))
        self.b = torch.nn.Parameter(torch.zeros(n_out, rank))


class Weight:
    """A fixed weight, out x in, times activations (T, in), and times gradients (T, out).

    With eight bits both products are of integers: each row of the weight, and each row of what
    comes in, has a scale of its own (SwitchBack: Wortsman et al., 2023,
    https://arxiv.org/abs/2304.13013). No gradient of the weight is needed, which could not be had so.
    """

    def __init__(self, weight: torch.Tensor, eight_bits: bool, precise_input: bool):
        self.numbers = weight if not eight_bits or precise_input else None
        self.integers = self.scales = None
        if eight_bits:
            self.integers, self.scales = integers(weight)
            self.scales = self.scales[:, 0]

    def times(self, x: torch.Tensor) -> torch.Tensor:
        if self.numbers is not None:
            return x @ self.numbers.t()
        rows, scales = integers(x)
        y = torch._int_mm(rows, self.integers.t())
        return y.to(x.dtype).mul_(scales).mul_(self.scales)

    def gradient(self, g: torch.Tensor) -> torch.Tensor:
        if self.integers is None:
            return g @ self.numbers
        rows, scales = integers(g * self.scales)
        return torch._int_mm(rows, self.integers).to(g.dtype).mul_(scales)


def integers(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows as integers from -127 to 127, (T, n), and the scale of each, (T, 1)."""
    scales = (x.abs().amax(1, keepdim=True).float().clamp_min_(1e-12) / 127).to(x.dtype)
    # A rounded scale can be too small for the largest number of its row.
    return (x / scales).round_().clamp_(-127, 127).to(torch.int8), scales


class Adapted(torch.autograd.Function):
    """A fixed weight and the adapters of its layers, whose outputs lie side by side.

    Written out, because PyTorch's own gradient goes over the wide outputs several times more.
    """

    @staticmethod
    def forward(ctx, x, weight, scale, *adapters):
        y = weight.times(x)
        a = torch.cat(adapters[::2]).to(x.dtype)
        b = [numbers.to(x.dtype) for numbers in adapters[1::2]]
        low = (x @ a.t()).mul_(scale)
        for out, part, numbers in zip(split(y, b), low.chunk(len(b), dim=1), b):
            out.addmm_(part, numbers.t())
        ctx.save_for_backward(x, low, a, *b)
        ctx.weight, ctx.scale = weight, scale
        return y

    @staticmethod
    def backward(ctx, g):
        x, low, a, *b = ctx.saved_tensors
        low_g = torch.cat([part @ numbers for part, numbers in zip(split(g, b), b)], dim=1)
        low_g.mul_(ctx.scale)
        x_g = ctx.weight.gradient(g).addmm_(low_g, a)
        a_g = (low_g.t() @ x).float().chunk(len(b))
        parts = zip(split(g, b), low.chunk(len(b), dim=1))
        b_g = [(part.t() @ low_part).float() for part, low_part in parts]
        return x_g, None, None, *itertools.chain(*zip(a_g, b_g))


def dequantized(tensor: gguf.ReaderTensor) -> tuple[str, torch.Tensor]:
    numbers = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
    # Norms and biases are small and stay exact.
    dtype = torch.bfloat16 if numbers.ndim > 1 else torch.float32
    return tensor.name, torch.tensor(numbers, dtype=dtype)


def split(y: torch.Tensor, b: list[torch.Tensor]) -> tuple[torch.Tensor, ...]:
    return y.split([len(numbers) for numbers in b], dim=1)


class BaseModel(torch.nn.Module):
    """The model. Its only parameters are the adapters."""

    def __init__(self, path: Path, rank: int, alpha: float, eight_bits: bool = False):
        super().__init__()
        self.scale = alpha / rank
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
        with ThreadPoolExecutor() as pool:
            self.weights = dict(pool.map(dequantized, reader.tensors))
        self.weights.setdefault("output.weight", self.weights["token_embd.weight"])
        self.adapters = torch.nn.ModuleDict()
        self.linear_weights: dict[tuple[int, str], Weight] = {}
        for block in range(self.shape.n_blocks):
            for names in LINEAR:
                weights = [self.weights.pop(f"blk.{block}.{name}.weight") for name in names]
                for name, weight in zip(names, weights):
                    n_out, n_in = weight.shape
                    self.adapters[f"{block}_{name}"] = Adapter(n_in, n_out, rank)
                self.linear_weights[block, names[0]] = Weight(
                    torch.cat(weights), eight_bits, names[0] == PRECISE_INPUT
                )

    def start_from(self, adapter: Path) -> None:
        """Takes the numbers of an adapter that `export.py` wrote."""
        tensors = {tensor.name: tensor for tensor in gguf.GGUFReader(adapter).tensors}
        with torch.no_grad():
            for key, parameter in self.adapters.named_parameters():
                block, _, rest = key.partition("_")
                name, _, matrix = rest.rpartition(".")
                tensor = tensors[f"blk.{block}.{name}.weight.lora_{matrix}"]
                numbers = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
                parameter.copy_(torch.tensor(numbers, dtype=torch.float32))

    def to_device(self, device: torch.device) -> BaseModel:
        self.weights = {name: tensor.to(device) for name, tensor in self.weights.items()}
        for weight in self.linear_weights.values():
            for name, tensor in vars(weight).items():
                if tensor is not None:
                    setattr(weight, name, tensor.to(device))
        return self.to(device)

    def linear(self, block: int, names: list[str], x: torch.Tensor) -> list[torch.Tensor]:
        adapters = [self.adapters[f"{block}_{name}"] for name in names]
        numbers = itertools.chain(*((adapter.a, adapter.b) for adapter in adapters))
        y = Adapted.apply(x, self.linear_weights[block, names[0]], self.scale, *numbers)
        biases = [self.weights.get(f"blk.{block}.{name}.bias") for name in names]
        parts = y.split([len(adapter.b) for adapter in adapters], dim=1)
        return [
            part if bias is None else part + bias.to(x.dtype) for part, bias in zip(parts, biases)
        ]

    def norm(self, name: str, x: torch.Tensor) -> torch.Tensor:
        return fused(normed)(x, self.weights[f"{name}.weight"], self.shape.epsilon)

    def hidden(self, rows: list[Row]) -> torch.Tensor:
        """The last hidden states of the rows' tokens, one row after the other, (T, width)."""
        shape = self.shape
        device = self.weights["token_embd.weight"].device

        def column(name: str) -> torch.Tensor:
            return on_device([getattr(row, name) for row in rows], device)

        cos, sin = rotation(column("positions"), shape)
        attention = Attention(rows, device)
        x = self.weights["token_embd.weight"][column("tokens")]
        n_tokens = len(x)
        for block in range(shape.n_blocks):
            qkv = self.linear(block, LINEAR[0], self.norm(f"blk.{block}.attn_norm", x))
            q, k, v = (
                part.view(n_tokens, -1, shape.head_width).transpose(0, 1) for part in qkv
            )
            q, k = (fused(rotated)(part, cos, sin) for part in (q, k))
            y = attention.of(q, k, v)
            y = y.transpose(0, 1).reshape(n_tokens, shape.width)
            x = x + self.linear(block, LINEAR[1], y)[0]
            gate, up = self.linear(block, LINEAR[2], self.norm(f"blk.{block}.ffn_norm", x))
            x = x + self.linear(block, LINEAR[3], fused(gated)(gate, up))[0]
        return self.norm("output_norm", x)

    def logits(self, hidden: torch.Tensor) -> torch.Tensor:
        return functional.linear(hidden, self.weights["output.weight"]).float()


@dataclass
class Seen:
    """Consecutive tokens, and which tokens they see."""

    start: int
    end: int
    # Either a range or numbers of tokens.
    keys: slice | torch.Tensor
    # (end - start, number of keys); none where each token sees all keys but the later ones.
    visible: torch.Tensor | None


class Attention:
    """Attention in rows that are trees.

    A processor computes each stretch by itself, because most tokens of a row do not see each other.
    A graphics card has more to do than that, and computes a row at once, or all rows in blocks of
    which most are left out (FlexAttention: https://arxiv.org/abs/2412.05496).
    """

    # Whether a graphics card computes in blocks.
    in_blocks = False

    def __init__(self, rows: list[Row], device: torch.device):
        of_row = whole_row if device.type == "cuda" else stretches
        self.mask = None
        self.seen: list[Seen] = []
        if device.type == "cuda" and self.in_blocks:
            self.mask = block_mask(rows, device)
            return
        start = 0
        for row in rows:
            self.seen += of_row(row, start, device)
            start += len(row.tokens)

    def of(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        """Heads x tokens x head width, of which k and v have fewer heads than q."""
        if self.mask is not None:
            return compiled(flex_attention)(
                q[None], k[None], v[None], block_mask=self.mask, enable_gqa=True
            )[0]
        n_shared = len(q) // len(k)
        # Faster kernels want as many heads.
        k, v = (x.repeat_interleave(n_shared, dim=0)[None] for x in (k, v))
        parts = [
            functional.scaled_dot_product_attention(
                q[None, :, seen.start : seen.end],
                k[:, :, seen.keys],
                v[:, :, seen.keys],
                attn_mask=seen.visible,
                is_causal=seen.visible is None,
            )
            for seen in self.seen
        ]
        return torch.cat(parts, dim=2)[0]


def block_mask(rows: list[Row], device: torch.device) -> BlockMask:
    """Which blocks of tokens see which. The rows stand one after the other."""
    starts = np.cumsum([0, *(len(row.tokens) for row in rows)])
    n = int(starts[-1])
    is_seen, ends = seeing(n, device)
    ends.copy_(on_device([np.asarray(row.ends) + start for row, start in zip(rows, starts)], device))
    return create_block_mask(is_seen, None, None, n, n, device=device)


@lru_cache(maxsize=None)
def seeing(n: int, device: torch.device) -> tuple[Callable, torch.Tensor]:
    """Says which of so many tokens sees which, and where it looks that up: always in the same place,
    since code is made for it."""
    ends = torch.zeros(n, dtype=torch.int32, device=device)

    def is_seen(_batch, _head, i, j):
        return (j <= i) & (i < ends[j])

    return is_seen, ends


@lru_cache(maxsize=None)
def compiled(function: Callable) -> Callable:
    return torch.compile(function, dynamic=False)


def fused(function: Callable) -> Callable:
    """Goes over the numbers once, on a card; a processor would take long to make the code."""
    return compiled(function) if Attention.in_blocks else function


def normed(x: torch.Tensor, weight: torch.Tensor, epsilon: float) -> torch.Tensor:
    return functional.rms_norm(x.float(), weight.shape, weight, epsilon).to(x.dtype)


def gated(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    return functional.silu(gate) * up


def on_device(parts: list, device: torch.device, dtype: type = np.int32) -> torch.Tensor:
    """A column. The card does not wait for it."""
    numbers = torch.from_numpy(np.concatenate([np.asarray(part, dtype) for part in parts]))
    if device.type == "cuda":
        numbers = numbers.pin_memory()
    return numbers.to(device, non_blocking=True)


def whole_row(row: Row, start: int, device: torch.device) -> list[Seen]:
    ends = torch.tensor(row.ends, device=device)
    n = len(ends)
    i = torch.arange(n, device=device)[:, None]
    visible = (i.T <= i) & (i < ends)
    return [Seen(start, start + n, slice(start, start + n), visible)]


def stretches(row: Row, start: int, device: torch.device) -> list[Seen]:
    parts = []
    for stretch in row.stretches():
        n, n_seen = stretch.end - stretch.start, len(stretch.seen)
        # None at the root, for which there is faster code.
        visible = None
        if n < n_seen:
            visible = torch.ones(n, n_seen, dtype=torch.bool, device=device).tril(n_seen - n)
        keys = torch.tensor(stretch.seen, device=device) + start
        parts.append(Seen(stretch.start + start, stretch.end + start, keys, visible))
    return parts


def rotation(positions: torch.Tensor, shape: Shape) -> tuple[torch.Tensor, torch.Tensor]:
    """Cosine and sine of the rotary embedding, (T, head width / 2) each."""
    half = torch.arange(0, shape.head_width, 2, device=positions.device) / shape.head_width
    angles = positions[:, None].float() * (shape.rope_base**-half)[None]
    return angles.cos(), angles.sin()


def rotated(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Rotates the two halves of each head against each other."""
    a, b = x.float().chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1).to(x.dtype)
