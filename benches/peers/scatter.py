"""A picture of points in two dimensions, as SVG."""

from __future__ import annotations

import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT, MARGIN = 760, 420, 60
COLOURS = ["#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b"]


def scatter(groups: dict[str, dict[str, tuple[float, float]]], across: str, up: str) -> str:
    """Named points, a colour for each group. Across is logarithmic and above 0, up is 0 to 100."""
    values = [x for points in groups.values() for x, _ in points.values()]
    low, high = math.log10(min(values) / 1.5), math.log10(max(values) * 4)

    def at(x: float, y: float) -> tuple[float, float]:
        part = (math.log10(x) - low) / (high - low)
        left = MARGIN + part * (WIDTH - 2 * MARGIN)
        return left, HEIGHT - MARGIN - y / 100 * (HEIGHT - 2 * MARGIN)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{WIDTH / 2}" y="{HEIGHT - 15}" text-anchor="middle">{escape(across)}</text>',
        f'<text x="18" y="{HEIGHT / 2}" text-anchor="middle" '
        f'transform="rotate(-90 18 {HEIGHT / 2})">{escape(up)}</text>',
    ]
    for y in range(0, 101, 20):
        left, top = at(10**low, y)
        out.append(
            f'<line x1="{left:.1f}" x2="{WIDTH - MARGIN}" y1="{top:.1f}" y2="{top:.1f}" '
            f'stroke="#ddd"/><text x="{left - 8:.1f}" y="{top + 4:.1f}" text-anchor="end">{y}</text>'
        )
    ticks = [n * 10**e for e in range(-1, 4) for n in (1, 2, 5)]
    for tick in ticks:
        if low <= math.log10(tick) <= high:
            left, top = at(tick, 0)
            out.append(
                f'<line x1="{left:.1f}" x2="{left:.1f}" y1="{MARGIN}" y2="{top:.1f}" stroke="#eee"/>'
                f'<text x="{left:.1f}" y="{top + 18:.1f}" text-anchor="middle">{tick:g}</text>'
            )
    for number, (group, points) in enumerate(groups.items()):
        colour = COLOURS[number % len(COLOURS)]
        out.append(
            f'<text x="{WIDTH - MARGIN}" y="{24 + 16 * number}" text-anchor="end" fill="{colour}" '
            f'font-weight="bold">{escape(group)}</text>'
        )
        for name, (x, y) in points.items():
            left, top = at(x, y)
            out.append(
                f'<circle cx="{left:.1f}" cy="{top:.1f}" r="5" fill="{colour}"/>'
                f'<text x="{left + 8:.1f}" y="{top + 4:.1f}" fill="{colour}">{escape(name)}</text>'
            )
    return "\n".join([*out, "</svg>", ""])
