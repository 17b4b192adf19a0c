"""What a person reads in a terminal: names and texts of documents cannot steer it."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any

from brit.types import Retrieval

# Control characters but line ends and tabs, bytes of names that are no text, turns of direction.
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


def complain(sentence: str) -> None:
    """One line on stderr."""
    print(one_line(sentence), file=sys.stderr)


def printable(text: str) -> str:
    """Without what a document or file name could steer a terminal with."""
    return CONTROL.sub("", text)


def one_line(text: str) -> str:
    return printable(text).replace("\n", " ").replace("\t", " ")


def print_rows(rows: Sequence[dict[str, Any]]) -> None:
    for row in rows:
        cells = (f"{key}: {value}" for key, value in row.items() if value not in ("", [], ()))
        print(one_line("  ".join(cells)))


def print_retrieval(retrieval: Retrieval) -> None:
    print(one_line(f"{len(retrieval.entities)} query entities: {', '.join(retrieval.entities)}"))
    for image in retrieval.images:
        via = f" via “{image.via}” ({image.link})" if image.via else ""
        place = f"{image.document} p. {image.page}"
        print(one_line(f"picture  {image.score:.3f}  {place}  {image.caption}{via}"))
    for triplet in retrieval.triplets:
        words = f"{triplet.subject} – {triplet.relation} – {triplet.object}"
        print(one_line(f"triplet  {triplet.score:.3f}  {words}"))
    for passage in retrieval.passages:
        place = f"{passage.document} p. {passage.page}"
        print(one_line(f"passage  {passage.score:.3f}  {place}  {passage.text}"))
