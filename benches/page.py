"""Pages that benches write parts of."""

from __future__ import annotations


def put(page: str, begin: str, end: str, text: str) -> str:
    """The page with a text between two of its lines."""
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"the page lacks the line {begin} or {end}")
    return f"{before}{begin}\n\n{text.strip()}\n\n{end}{after}"
