"""Nodes by name: whole names before beginnings, beginnings before what stands somewhere inside.

Every script is searched by substring, so that two Chinese characters find a longer name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

_ACCENTS = re.compile(r"[\u0300-\u036f]")
_LONGEST = 200


@dataclass(frozen=True)
class Hit:
    """A node found; `alias` is the other name it was found by, "" where it was its own."""

    node: int
    alias: str = ""


class NameIndex:
    """The names of nodes, ready to be searched: `names[i]` are those of node i, its label first;
    of nodes found equally well the one of greater `weights[i]` comes first."""

    def __init__(self, names: Sequence[Sequence[str]], weights: Sequence[float]) -> None:
        self._names = names
        self._folded = [tuple(map(fold, each)) for each in names]
        self._weights = weights

    def names_of(self, node: int) -> Sequence[str]:
        """The label of a node, then its other names."""
        return self._names[node]

    def find(self, query: str, most: int) -> list[Hit]:
        """At most `most` nodes one of whose names holds every word of the query, best first."""
        wanted = fold(query[:_LONGEST])
        words = wanted.split()
        if not words:
            return []
        found = [
            (*best, -self._weights[node], len(names[0]), node)
            for node, names in enumerate(self._folded)
            if (best := _best(names, wanted, words)) is not None
        ]
        return [
            Hit(node, self._names[node][at] if at else "")
            for _, at, *_, node in sorted(found)[:most]
        ]


def _best(names: Sequence[str], wanted: str, words: Sequence[str]) -> tuple[int, int] | None:
    """How well the best of the names fits (0 wholly), and where it stands; None where none does."""
    fits = [
        (_fit(name, wanted), at)
        for at, name in enumerate(names)
        if words[0] in name and all(word in name for word in words)
    ]
    return min(fits, default=None)


def _fit(name: str, wanted: str) -> int:
    if name == wanted:
        return 0
    if name.startswith(wanted):
        return 1
    if f" {wanted}" in name:
        return 2
    return 3 if wanted in name else 4


def fold(text: str) -> str:
    """Case, width, accents and runs of spaces set aside."""
    apart = unicodedata.normalize("NFKD", text).casefold()
    return " ".join(_ACCENTS.sub("", apart).split())
