"""Markers like [2] in an answer: the ones that exist stay and become citations, others vanish.

A reader sees them counted in the order in which the answer first cites; the numbers of the evidence
are between us and the model.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

# [1], [1, 3], [2–4], and the brackets 【】 that some models prefer.
_MARKER = re.compile(r"[ \t]*[\[【]\s*(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\s*[\]】]")
_ITEM = re.compile(r"(\d+)(?:\s*[–-]\s*(\d+))?")
# What may still become a marker once more text has come, with the space before it.
_UNFINISHED = re.compile(r"[ \t]*(?:[\[【][\d\s,;–-]{0,40})?$")
_FALSE_MARKER = re.compile(r"[\[【](\s*\d[\d\s,;–-]*)[\]】]")


def keep_known_markers(text: str, known: Collection[int], cited: list[int] | None = None) -> str:
    """The text with every marker in the form [1][3], without the numbers that name nothing.

    What it cites is added to `cited`, and each number becomes its place there, counted from 1.
    """
    order: list[int] = [] if cited is None else cited

    def rewrite(found: re.Match[str]) -> str:
        numbers = dict.fromkeys(n for n in _numbers(found[1]) if n in known)
        order.extend(n for n in numbers if n not in order)
        space = found[0][: len(found[0]) - len(found[0].lstrip())]
        return space + "".join(f"[{order.index(n) + 1}]" for n in numbers) if numbers else ""

    return _MARKER.sub(rewrite, text)


def stream_known_markers(
    pieces: Iterable[str], known: Collection[int], cited: list[int]
) -> Iterator[str]:
    """The same, piece by piece: what may become a marker is held back until it is one or is not."""
    held = ""
    for piece in pieces:
        held += piece
        unfinished = _UNFINISHED.search(held)
        cut = unfinished.start() if unfinished else len(held)
        if ready := keep_known_markers(held[:cut], known, cited):
            yield ready
        held = held[cut:]
    if held:
        yield held


def defuse_markers(text: str) -> str:
    """A document's own «[12]» as «(12)», so that it cannot be taken for a citation of ours."""
    return _FALSE_MARKER.sub(r"(\1)", text)


def _numbers(listed: str) -> Iterator[int]:
    for first, last in _ITEM.findall(listed):
        yield from range(int(first), int(last or first) + 1)
