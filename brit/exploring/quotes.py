"""The words around a name: what a mention is shown by."""

from __future__ import annotations

import re

# A full stop ends a sentence before a space; those of Chinese and Japanese need none.
_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+")


def sentence_around(text: str, name: str, width: int = 280) -> str:
    """The sentence of `text` (or line of a table) in which `name` stands, cut to about `width`
    letters around it; the beginning where the name is not written so."""
    pieces = [piece.strip() for piece in _END.split(text) if piece and piece.strip()]
    wanted = name.casefold()
    found = next((piece for piece in pieces if wanted in piece.casefold()), None)
    if found is None:
        return _cut(" ".join(pieces), 0, width)
    return _cut(found, found.casefold().find(wanted), width)


def _cut(sentence: str, at: int, width: int) -> str:
    if len(sentence) <= width:
        return sentence
    start = max(0, min(at - width // 3, len(sentence) - width))
    cut = sentence[start : start + width]
    if start:
        cut = "…" + cut.partition(" ")[2] if " " in cut[: width // 3] else "…" + cut
    if start + width < len(sentence):
        head, _, tail = cut.rpartition(" ")
        cut = (head if head and len(tail) < width // 3 else cut) + "…"
    return cut
