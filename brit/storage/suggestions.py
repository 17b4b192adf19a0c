"""What a collection can be asked, out of its own captions, names and tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from brit.storage.codec import decode
from brit.storage.workspace import Workspace
from brit.types import TableBlock

_NAMED = """
    SELECT n.label, l.document, (SELECT count(*) FROM mentions m WHERE m.node = n.id) AS said
    FROM links l JOIN nodes n ON n.id = l.node JOIN images i ON i.id = l.image
    JOIN documents d ON d.id = l.document
    WHERE d.collection = ? AND d.ready AND l.kind = 'CA' AND NOT i.furniture AND i.file != ''
    AND n.kind IN ('PRODUCT', 'CODE', 'ORG', 'PERSON', 'FAC', 'WORK_OF_ART', 'LOC', 'GPE')
    GROUP BY n.id ORDER BY said DESC, n.label LIMIT 200
"""
_TABLES = """
    SELECT b.data FROM blocks b JOIN documents d ON d.id = b.document
    WHERE d.collection = ? AND d.ready AND b.kind = 'table' ORDER BY b.document, b.page LIMIT 100
"""
_LETTERS, _CELL = 40, 30
"""Longest name, and longest cell of a table, that make a question one reads at a glance."""


@dataclass(frozen=True)
class Suggestion:
    """ "picture": a name that a caption has; "name": another one; "cell": a column and a row."""

    kind: Literal["picture", "name", "cell"]
    name: str
    of: str = ""


def suggest(workspace: Workspace, collection: str) -> list[Suggestion]:
    """At most three, of different documents where there are several; the same each time."""
    names: dict[str, str] = {}
    for label, document, _ in workspace.read.execute(_NAMED, (collection,)):
        if document not in names and len(label) <= _LETTERS and _is_name(label):
            names[document] = label
    kinds: tuple[Literal["picture", "name"], ...] = ("picture", "name")
    found = [Suggestion(kind, name) for kind, name in zip(kinds, names.values(), strict=False)]
    return [*found, *list(_cells(workspace, collection))[:1]]


def _is_name(label: str) -> bool:
    """As it is written, a name rather than a word."""
    return (label[:1].isupper() and not label.isupper()) or any(
        letter.isdigit() for letter in label
    )


def _cells(workspace: Workspace, collection: str) -> Iterator[Suggestion]:
    for (data,) in workspace.read.execute(_TABLES, (collection,)):
        table = decode(TableBlock, data)
        for row in table.rows[:3]:
            cells = [" ".join(cell.split()) for cell in (*table.header[1:2], *row[:2])]
            if len(cells) == 3 and all(cells) and max(map(len, cells)) <= _CELL:
                yield Suggestion("cell", cells[0], cells[1])
                break
